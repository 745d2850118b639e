"""Whole numbers in the words of nine languages, and in characters and Hangul.

Accents are left out where a language is written in Latin letters: what is looked for
is folded as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator


def _thousands(number: int, below: Callable[[int], str], one: str, many: str) -> str:
    """Three digits, the word for thousand, and three digits."""
    above, rest = divmod(number, 1000)
    parts = [(one if above == 1 else f"{below(above)} {many}") if above else ""]
    parts.append(below(rest) if rest or not above else "")
    return " ".join(part for part in parts if part)


def _table(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_EN = _table(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen"
)
_EN_TENS = _table("- - twenty thirty forty fifty sixty seventy eighty ninety")


def english(number: int) -> str:
    return _thousands(number, _english_below, "one thousand", "thousand")


def _english_below(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    parts = [f"{_EN[hundreds]} hundred"] if hundreds else []
    if rest < 20:
        parts += [_EN[rest]] if rest or not hundreds else []
    else:
        parts.append(_EN_TENS[rest // 10] + (f" {_EN[rest % 10]}" if rest % 10 else ""))
    return " ".join(parts)


_DE = _table(
    "null ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn "
    "vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn"
)
_DE_TENS = _table(
    "- - zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig"
)
_NL = _table(
    "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien "
    "vijftien zestien zeventien achttien negentien"
)
_NL_TENS = _table("- - twintig dertig veertig vijftig zestig zeventig tachtig negentig")


def german(number: int) -> str:
    said = _compound(number, _DE, _DE_TENS, "und", "hundert", "tausend")
    return f"{said}s" if said.endswith("ein") else said


def dutch(number: int) -> str:
    return _compound(number, _NL, _NL_TENS, "en", "honderd", "duizend")


def _compound(
    number: int,
    ones: tuple[str, ...],
    tens: tuple[str, ...],
    joint: str,
    hundred: str,
    thousand: str,
) -> str:
    """One word, with the ones before the tens."""
    if number >= 1000:
        above, rest = divmod(number, 1000)
        lead = _compound(above, ones, tens, joint, hundred, thousand)
        lead = "" if above == 1 and hundred == "honderd" else lead
        tail = _compound(rest, ones, tens, joint, hundred, thousand) if rest else ""
        return lead + thousand + tail
    if number >= 100:
        above, rest = divmod(number, 100)
        lead = "" if above == 1 and hundred == "honderd" else ones[above]
        tail = _compound(rest, ones, tens, joint, hundred, thousand) if rest else ""
        return lead + hundred + tail
    if number < 20:
        return ones[number]
    ten, one = divmod(number, 10)
    return (ones[one] + joint if one else "") + tens[ten]


_FR = _table(
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze "
    "quinze seize dix-sept dix-huit dix-neuf"
)
_FR_TENS = _table(
    "- - vingt trente quarante cinquante soixante soixante - quatre-vingt"
)


def french(number: int) -> str:
    return _thousands(number, _french_below, "mille", "mille")


def _french_below(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    parts = (
        [("" if hundreds == 1 else f"{_FR[hundreds]} ") + "cent"] if hundreds else []
    )
    if hundreds > 1 and not rest:
        parts[0] += "s"
    if rest or not hundreds:
        parts.append(_french_tens(rest))
    return " ".join(parts)


def _french_tens(number: int) -> str:
    if number < 20:
        return _FR[number]
    if number == 80:
        return "quatre vingts"
    if number >= 60:
        lead = "soixante" if number < 80 else "quatre vingt"
        rest = number - (60 if number < 80 else 80)
        joint = " et " if rest in (1, 11) and number < 80 else " "
        return f"{lead}{joint}{_FR[rest]}" if rest else lead
    ten, one = divmod(number, 10)
    joint = " et " if one == 1 else " "
    return _FR_TENS[ten] + (f"{joint}{_FR[one]}" if one else "")


_ES = _table(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce "
    "quince dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos "
    "veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve"
)
_ES_TENS = _table("- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_ES_HUNDREDS = _table(
    "- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos "
    "ochocientos novecientos"
)
_PT = _table(
    "zero um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze "
    "quinze dezesseis dezessete dezoito dezenove"
)
_PT_TENS = _table(
    "- - vinte trinta quarenta cinquenta sessenta setenta oitenta noventa"
)
_PT_HUNDREDS = _table(
    "- cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos "
    "oitocentos novecentos"
)


def spanish(number: int) -> str:
    def below(part: int) -> str:
        if part == 100:
            return "cien"
        return _additive(part, _ES, _ES_TENS, _ES_HUNDREDS, " y ", " ")

    return _thousands(number, below, "mil", "mil")


def portuguese(number: int) -> str:
    def below(part: int) -> str:
        if part == 100:
            return "cem"
        return _additive(part, _PT, _PT_TENS, _PT_HUNDREDS, " e ", " e ")

    return _thousands(number, below, "mil", "mil")


_RU = _table(
    "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать "
    "двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать "
    "восемнадцать девятнадцать"
)
_RU_TENS = _table(
    "- - двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто"
)
_RU_HUNDREDS = _table(
    "- сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот"
)
_TR = _table("sıfır bir iki üç dört beş altı yedi sekiz dokuz")
_TR_TENS = _table("- on yirmi otuz kırk elli altmış yetmiş seksen doksan")


def russian(number: int) -> str:
    def below(part: int) -> str:
        return _additive(part, _RU, _RU_TENS, _RU_HUNDREDS, " ", " ")

    return _thousands(number, below, "тысяча", "тысяч")


def turkish(number: int) -> str:
    def below(part: int) -> str:
        names = [f"{one} yüz" for one in _TR]
        names[1] = "yüz"
        return _additive(part, _TR, _TR_TENS, tuple(names), " ", " ")

    return _thousands(number, below, "bin", "bin")


def _additive(
    number: int,
    ones: tuple[str, ...],
    tens: tuple[str, ...],
    hundreds: tuple[str, ...],
    in_tens: str,
    in_hundreds: str,
) -> str:
    """Hundreds, tens and ones one after the other; ``ones`` may go beyond nine."""
    above, rest = divmod(number, 100)
    parts = [hundreds[above]] if above else []
    if rest and rest >= len(ones):
        ten, one = divmod(rest, 10)
        parts.append(tens[ten] + (in_tens + ones[one] if one else ""))
    elif rest or not above:
        parts.append(ones[rest])
    return in_hundreds.join(parts)


_IT = _table(
    "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici "
    "quattordici quindici sedici diciassette diciotto diciannove"
)
_IT_TENS = _table(
    "- - venti trenta quaranta cinquanta sessanta settanta ottanta novanta"
)


def italian(number: int) -> str:
    above, rest = divmod(number, 1000)
    if above:
        lead = "mille" if above == 1 else f"{_italian_below(above)}mila"
        return lead + (_italian_below(rest) if rest else "")
    return _italian_below(rest)


def _italian_below(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    lead = ("" if hundreds == 1 else _IT[hundreds]) + "cento" if hundreds else ""
    if rest < 20:
        return lead + (_IT[rest] if rest or not hundreds else "")
    ten, one = divmod(rest, 10)
    # Two vowels do not meet: venti and uno are ventuno.
    stem = _IT_TENS[ten][:-1] if one in (1, 8) else _IT_TENS[ten]
    return lead + stem + (_IT[one] if one else "")


def sinic(number: int, ones: str, powers: str, myriad: str, with_one: bool) -> str:
    above, rest = divmod(number, 10_000)
    lead = sinic(above, ones, powers, myriad, with_one) + myriad if above else ""
    return lead + "".join(_sinic_parts(rest, ones, powers, with_one))


def _sinic_parts(number: int, ones: str, powers: str, with_one: bool) -> Iterator[str]:
    for power in (3, 2, 1, 0):
        digit = number // 10**power % 10
        if digit and not (digit == 1 and power and not with_one):
            yield ones[digit - 1]
        if digit and power:
            yield powers[power - 1]


#: How each language names the decimal mark and writes a whole number.
LANGUAGES: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("Komma", german),
    ("komma", dutch),
    ("virgule", french),
    ("coma", spanish),
    ("punto", spanish),
    ("virgola", italian),
    ("vírgula", portuguese),
    ("запятая", russian),
    ("virgül", turkish),
)
