"""The units that a number may carry: a small table, and products of its entries.

Only units in the table are known. An unknown word after a number ("chairs") says
nothing; a known unit other than the one asked for makes an answer wrong. Prefixes are
not converted: 5000 m is not the 5 km that was asked for.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_mint.graders.plain import plain

#: Exponent of each base unit; ``m/s^2`` is ``{"m": 1, "s": -2}``.
Unit = dict[str, int]

_NAMES = {
    # length
    "m": "meter meters metre metres メートル",
    "km": "kilometer kilometers kilometre kilometres",
    "cm": "centimeter centimeters centimetre centimetres センチ センチメートル",
    "mm": "millimeter millimeters millimetre millimetres",
    "μm": "um micrometer micrometers micrometre micrometres micron microns",
    "nm": "nanometer nanometers nanometre nanometres",
    "pm": "picometer picometers picometre picometres",
    "Å": "angstrom angstroms ångström",
    "inch": "inches",
    "ft": "foot feet",
    "yd": "yard yards",
    "mi": "mile miles",
    # mass
    "kg": "kilogram kilograms キログラム",
    "g": "gram grams グラム",
    "mg": "milligram milligrams",
    "μg": "ug microgram micrograms",
    "t": "tonne tonnes",
    "lb": "lbs pound pounds",
    "oz": "ounce ounces",
    # time
    "s": "sec secs second seconds 秒",
    "ms": "millisecond milliseconds",
    "μs": "us microsecond microseconds",
    "ns": "nanosecond nanoseconds",
    "min": "mins minute minutes 分",
    "h": "hr hrs hour hours 時間",
    "day": "days d 日",
    "week": "weeks 週間",
    "month": "months",
    "year": "years yr yrs 年",
    # temperature
    "K": "kelvin kelvins",
    "degC": "°C celsius ℃ 度C",
    "degF": "°F fahrenheit ℉",
    # amount
    "mol": "mole moles",
    "mmol": "millimole millimoles",
    "μmol": "umol micromole micromoles",
    "kmol": "kilomole kilomoles",
    # electricity
    "A": "amp amps ampere amperes",
    "mA": "milliamp milliamps milliampere milliamperes",
    "μA": "uA microamp microamps",
    "V": "volt volts",
    "mV": "millivolt millivolts",
    "μV": "uV microvolt microvolts",
    "kV": "kilovolt kilovolts",
    "Ω": "ohm ohms Ohm Ohms",
    "kΩ": "kiloohm kiloohms kohm",
    "MΩ": "megaohm megaohms",
    "C": "coulomb coulombs",
    "mC": "millicoulomb millicoulombs",
    "μC": "uC microcoulomb microcoulombs",
    "nC": "nanocoulomb nanocoulombs",
    "F": "farad farads",
    "μF": "uF microfarad microfarads",
    "nF": "nanofarad nanofarads",
    "pF": "picofarad picofarads",
    "H": "henry henries",
    "mH": "millihenry millihenries",
    "T": "tesla teslas",
    "mT": "millitesla milliteslas",
    "Wb": "weber webers",
    # energy, power
    "J": "joule joules",
    "mJ": "millijoule millijoules",
    "kJ": "kilojoule kilojoules",
    "MJ": "megajoule megajoules",
    "cal": "calorie calories",
    "kcal": "kilocalorie kilocalories",
    "eV": "electronvolt electronvolts",
    "keV": "",
    "MeV": "",
    "GeV": "",
    "Wh": "",
    "kWh": "",
    "W": "watt watts",
    "mW": "milliwatt milliwatts",
    "kW": "kilowatt kilowatts",
    "MW": "megawatt megawatts",
    "hp": "horsepower",
    # force, pressure
    "N": "newton newtons",
    "mN": "millinewton millinewtons",
    "kN": "kilonewton kilonewtons",
    "MN": "meganewton meganewtons",
    "dyn": "dyne dynes",
    "Pa": "pascal pascals",
    "hPa": "hectopascal hectopascals",
    "kPa": "kilopascal kilopascals",
    "MPa": "megapascal megapascals",
    "GPa": "gigapascal gigapascals",
    "bar": "bars",
    "mbar": "millibar millibars",
    "atm": "atmosphere atmospheres",
    "mmHg": "",
    "torr": "Torr",
    "psi": "",
    # frequency, activity
    "Hz": "hertz",
    "kHz": "kilohertz",
    "MHz": "megahertz",
    "GHz": "gigahertz",
    "rpm": "",
    "Bq": "becquerel becquerels",
    # volume
    "L": "l liter liters litre litres ℓ リットル",
    "mL": "ml milliliter milliliters millilitre millilitres cc",
    "μL": "ul microliter microliters microlitre microlitres",
    "gal": "gallon gallons",
    # angle
    "deg": "° degree degrees 度",
    "rad": "radian radians",
    "sr": "steradian steradians",
    # area
    "ha": "hectare hectares",
    "acre": "acres",
    # data
    "bit": "bits",
    "byte": "bytes",
    "kB": "KB kilobyte kilobytes",
    "MB": "megabyte megabytes",
    "GB": "gigabyte gigabytes",
    "TB": "terabyte terabytes",
    # other
    "dB": "decibel decibels",
    "cd": "candela candelas",
    "lm": "lumen lumens",
    "lx": "lux",
    "%": "percent パーセント",
    # money
    "USD": "$ dollar dollars ドル",
    "cent": "cents ¢",
    "EUR": "€ euro euros ユーロ",
    "GBP": "£",
    "JPY": "¥ yen 円",
    "INR": "₹ Rs rupee rupees",
    "CNY": "yuan 元 RMB",
    "KRW": "₩ won",
}
_ALIASES: dict[str, Unit] = {
    alias: {unit: 1}
    for unit, names in _NAMES.items()
    for alias in (unit, *names.split())
}
_ALIASES |= {
    "mph": {"mi": 1, "h": -1},
    "kph": {"km": 1, "h": -1},
    "kmh": {"km": 1, "h": -1},
    "fps": {"ft": 1, "s": -1},
    "M": {"mol": 1, "L": -1},
    "molar": {"mol": 1, "L": -1},
    "cms": {"cm": 1},
    "kms": {"km": 1},
    "kgs": {"kg": 1},
}
#: What else may be written where one of these is asked for.
_ALSO: dict[str, frozenset[str]] = {
    "degC": frozenset({"C", "deg"}),
    "degF": frozenset({"F", "deg"}),
    "GBP": frozenset({"lb"}),
}
PERCENT = (("%", 1),)
MONEY = frozenset({"USD", "EUR", "GBP", "JPY", "INR", "CNY", "KRW", "cent"})

_ATOM = re.compile(r"°\s?[CF](?![A-Za-z])|[A-Za-zμΩÅℓ]+|[°%$€£¥₹₩¢]|[^\W\d_a-zA-Z]+")
_EXPONENT = re.compile(r"\s?\^\s?\(?\s?([+-]?\d{1,2})\s?\)?|([-]?\d)(?![\d.])")
_POWER_WORD = re.compile(r"\s+(squared|cubed)\b")
_SQUARE = re.compile(r"(sq|square|cu|cubic)\b\.?\s+")
_TIMES = re.compile(r"\s?[*.]\s?|-(?=[A-Za-z])|\s")
_INVERSE = re.compile(r"\s?1?\s?/\s?|\s?per\s")
_PER = re.compile(r"\s?/\s?|\s+per\s+")
#: "5 in total" has no inches in it, "5 in." and "5 in^2" have.
_INCH = re.compile(r"in(?=\s*(?:$|[.,;)^/]|\d))")


@lru_cache(maxsize=256)
def named(text: str) -> tuple[tuple[str, int], ...] | None:
    """The unit that a task writes, or None if it is not in the table."""
    readable = plain(text).strip()
    unit, end = parse_unit(readable, 0)
    if unit is None or readable[end:].strip():
        return None
    return tuple(sorted(unit.items()))


def is_same(found: tuple[tuple[str, int], ...], asked: str) -> bool:
    """Whether a unit is the one that a task asks for.

    Some have a second reading: after a temperature C is no coulomb, and pounds are a
    mass unless money is asked for.
    """
    wanted = named(asked)
    if not wanted:
        # "million USD" and "g per serving" are not in the table, their words are.
        return any(named(word) == found for word in asked.split())
    if found == wanted:
        return True
    if len(wanted) != 1 or len(found) != 1:
        return False
    (name, power), (other, other_power) = wanted[0], found[0]
    return power == other_power and other in _ALSO.get(name, ())


def parse_unit(text: str, position: int) -> tuple[Unit | None, int]:
    """The known unit that begins at ``position``, and where it ends.

    Args:
        text: plain text, see :mod:`pytest_mint.graders.plain`.

    Returns:
        ``(None, position)`` where no known unit begins, and an empty unit where a
        known one is divided by something unknown ("m per customer").
    """
    total: Unit = {}
    sign, at, depth = 1, position, 0
    end = position
    if inverse := _INVERSE.match(text, at):
        sign, at = -1, inverse.end()
    while at < len(text):
        if text[at] == "(" and sign < 0 and not depth:
            depth, at = 1, at + 1
            continue
        found = _factor(text, at)
        if found is None:
            if sign < 0 and end != position:
                return {}, end
            break
        factor, at = found
        for base, exponent in factor.items():
            total[base] = total.get(base, 0) + sign * exponent
        if depth and text[at : at + 1] == ")":
            depth, at = 0, at + 1
        end = at
        if per := _PER.match(text, at):
            sign, at = -1, per.end()
        elif times := _TIMES.match(text, at):
            # A blank ends a unit more often than it multiplies: "5 m long".
            at = times.end()
            if _factor(text, at) is None:
                break
            sign = sign if depth else 1
        else:
            break
    if text[end : end + 1].isalpha() and text[end] < "\u1000":
        return None, position  # "4sec^2x" has no seconds in it
    known = {base: exponent for base, exponent in total.items() if exponent}
    return (known, end) if end > position else (None, position)


def _factor(text: str, at: int) -> tuple[Unit, int] | None:
    power = 1
    if square := _SQUARE.match(text, at):
        power, at = (3 if square[1].startswith("cu") else 2), square.end()
    if inch := _INCH.match(text, at):
        unit, at = {"inch": 1}, inch.end()
    else:
        atom = _ATOM.match(text, at)
        if atom is None:
            return None
        name = atom[0].replace(" ", "")
        found = _ALIASES.get(name) or _ALIASES.get(_lowered(name))
        end = atom.end()
        if found is None and not name[0].isascii():
            # Scripts without blanks: the unit is the beginning of what follows.
            cut = next((n for n in (4, 3, 2, 1) if name[:n] in _ALIASES), 0)
            found, end = _ALIASES.get(name[:cut]), at + cut
        if found is None:
            return None
        unit, at = found, end
        if unit == {"deg": 1} and (scale := re.match(r"\s?(C|F|K)\b", text[at:])):
            unit, at = {f"deg{scale[1]}": 1}, at + scale.end()
        elif unit == {"deg": 1} and (
            scale := re.match(r"\s(celsius|fahrenheit)\b", text[at : at + 12].lower())
        ):
            unit, at = {f"deg{scale[1][0].upper()}": 1}, at + scale.end()
    if exponent := _EXPONENT.match(text, at):
        power *= int(exponent[1] or exponent[2])
        at = exponent.end()
    elif word := _POWER_WORD.match(text, at):
        power *= 2 if word[1] == "squared" else 3
        at = word.end()
    return {base: value * power for base, value in unit.items()}, at


def _lowered(name: str) -> str:
    """Words may be capitalised; symbols may not: Mm is not mm."""
    return name.lower() if len(name) > 3 else name
