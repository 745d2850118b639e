"""Measures in other units: two hours are 120 minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from pytest_mint.graders.plain import plain
from pytest_mint.graders.units import Unit, named, parse_unit
from pytest_mint.hints.guard.figures import in_digits

#: By dimension: what each unit is in the first one.
_SCALES: dict[str, dict[str, str]] = {
    "length": {
        "m": "1", "km": "1000", "cm": "1/100", "mm": "1/1000", "μm": "1/1000000",
        "nm": "1/1000000000", "inch": "0.0254", "ft": "0.3048", "yd": "0.9144",
        "mi": "1609.344",
    },
    "mass": {
        "kg": "1", "g": "1/1000", "mg": "1/1000000", "t": "1000",
        "lb": "0.45359237", "oz": "0.028349523125",
    },
    "time": {
        "s": "1", "ms": "1/1000", "μs": "1/1000000", "min": "60", "h": "3600",
        "day": "86400", "week": "604800", "year": "31536000",
    },
    "amount": {"mol": "1", "mmol": "1/1000", "μmol": "1/1000000", "kmol": "1000"},
    "current": {"A": "1", "mA": "1/1000", "μA": "1/1000000"},
    "voltage": {"V": "1", "mV": "1/1000", "kV": "1000"},
    "resistance": {"Ω": "1", "kΩ": "1000", "MΩ": "1000000"},
    "energy": {
        "J": "1", "mJ": "1/1000", "kJ": "1000", "MJ": "1000000", "cal": "4.184",
        "kcal": "4184", "Wh": "3600", "kWh": "3600000",
    },
    "power": {"W": "1", "mW": "1/1000", "kW": "1000", "MW": "1000000"},
    "force": {"N": "1", "mN": "1/1000", "kN": "1000", "MN": "1000000"},
    "pressure": {
        "Pa": "1", "hPa": "100", "kPa": "1000", "MPa": "1000000", "bar": "100000",
        "mbar": "100", "atm": "101325",
    },
    "frequency": {"Hz": "1", "kHz": "1000", "MHz": "1000000", "GHz": "1000000000"},
    "volume": {"L": "1", "mL": "1/1000", "μL": "1/1000000"},
    "angle": {"deg": "1", "rad": "57.29577951308232"},
    "data": {"byte": "1", "kB": "1000", "MB": "1000000", "GB": "1000000000"},
    "area": {"ha": "1", "acre": "0.40468564224"},
    "dollar": {"USD": "1", "cent": "1/100"},
    "euro": {"EUR": "1", "cent": "1/100"},
}  # fmt: skip

_MEASURE = re.compile(
    r"(?<![\w.,/])\(?(\d{1,12}(?:[.,]\d{1,12})?(?:/\d{1,12})?)\)?[ -]?"
)
_OF_A = re.compile(r"(?:of )?an? ")
_AND_A_PART = re.compile(
    r"\b(?:an?|one) ([a-z]{1,12}) and a (half|quarter)\b", re.IGNORECASE
)
_CLOCK = re.compile(r"(?<![\d:])(\d{1,3}):([0-5]\d) ?(?:h\b|hours?\b|hrs?\b)")
#: What may stand between the parts of one measure: 1 h 30 min.
_NEXT = re.compile(r"(?:,? and |, | )?")


def measures(text: str, asked: tuple[str, ...]) -> Iterator[Fraction]:
    """The measures of a text in other units than the one asked for, in that one.

    Args:
        text: already cut to a bounded length.
        asked: units, as :func:`units_asked` gives them.
    """
    if not asked:
        return
    readable = _AND_A_PART.sub(_and_a_part, plain(text))
    readable = _CLOCK.sub(r"\1 h \2 min", in_digits(readable))
    for unit in asked:
        yield from _in_unit(readable, unit)


def _and_a_part(found: re.Match[str]) -> str:
    return f"{1.5 if found[2].lower() == 'half' else 1.25} {found[1]}"


def _in_unit(text: str, asked: str) -> Iterator[Fraction]:
    total, last = Fraction(0), -1
    for found in _MEASURE.finditer(text):
        at = found.end()
        if of_a := _OF_A.match(text, at):
            at = of_a.end()
        unit, end = parse_unit(text, at)
        factor = _factor(unit, asked) if unit else None
        if factor is None:
            continue
        value = _number(found[1]) * factor
        goes_on = last >= 0 and _NEXT.fullmatch(text, last, found.start())
        total = total + value if goes_on else value
        last = end
        if unit != dict(named(asked) or ()) or goes_on:
            yield total
            yield value


def _number(written: str) -> Fraction:
    above, _, below = written.replace(",", ".").partition("/")
    return Fraction(above) / (Fraction(below) if below.strip("0.") else 1)


def _factor(unit: Unit, asked: str) -> Fraction | None:
    """What one of this unit is in the one asked for; None if they do not compare."""
    wanted = dict(named(asked) or ())
    if unit == wanted:
        return Fraction(1)
    found, target = _based(tuple(sorted(unit.items()))), _based(named(asked) or ())
    if not found or not target or found[0] != target[0]:
        return None
    return found[1] / target[1]


@lru_cache(maxsize=256)
def _based(
    unit: tuple[tuple[str, int], ...],
) -> tuple[dict[str, int], Fraction] | None:
    """The dimensions of a unit, and its size; None where one is not in the table."""
    dimensions: dict[str, int] = {}
    size = Fraction(1)
    for name, power in unit:
        found = next((d for d, scale in _SCALES.items() if name in scale), None)
        if found is None or abs(power) > 6:
            return None
        dimensions[found] = dimensions.get(found, 0) + power
        size *= Fraction(_SCALES[found][name]) ** power
    return dimensions, size


_ASKED = re.compile(
    r"\b(?:in|how many|how much)\s+(?:whole\s+|full\s+)?", re.IGNORECASE
)


@lru_cache(maxsize=256)
def units_asked(unit: str, question: str) -> tuple[str, ...]:
    """The unit of the answer: the task's, or those that the question asks in."""
    if unit:
        return (unit,)
    readable = plain(question)
    found = []
    for mark in _ASKED.finditer(readable):
        known, end = parse_unit(readable, mark.end())
        if known and named(readable[mark.end() : end]):
            found.append(readable[mark.end() : end])
    return tuple(dict.fromkeys(found))
