"""Plain text as tokens: numbers, operators, words and marks.

How a number is written is settled here: thousands marks of all kinds, the decimal
mark, exponents. What the text says is settled in :mod:`pytest_mint.graders.prose`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pytest_mint.graders.units import MONEY, parse_unit

#: Digits that one number may have.
MAX_DIGITS = 400
#: Size of a written exponent; 1e308 is the largest double.
MAX_EXPONENT = 400
#: Tokens in one answer.
MAX_TOKENS = 400

Kind = Literal[
    "number", "op", "open", "close", "const", "root", "frac", "equal", "comma", "stop",
    "money", "word", "bad",
]  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A piece of plain text; ``value`` only for numbers and constants."""

    kind: Kind
    text: str
    start: int
    end: int
    value: Fraction | None = None
    degree: int = 2  # of a root

    def touches(self, other: Token) -> bool:
        """Whether ``other`` follows without a gap."""
        return self.end == other.start


class Unreadable(ValueError):
    """The text is not one number; the message says why, without quoting it."""


class _Marks(ValueError):
    """The thousands marks of a number fit no way of writing."""


_NUMBER = re.compile(r"\d+(?:[.,'_ ]\d+)*|\.\d+")
_EXPONENT = re.compile(r"[eE]([+-]?\d{1,9})")
_LETTERS = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_LATIN_NAME = re.compile(r"[A-Za-zμ]+(?:_?\d+|_[A-Za-z]+)[A-Za-z\d_]*")
_DATE = re.compile(r"\d{1,4}-\d{1,2}-\d{1,4}\b|\d{1,2}/\d{1,2}/\d{4}\b")
_CLOCK = re.compile(r"\d+:\d")
_BASE = re.compile(r"_\(?\d")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b|-(?!sqrt|cbrt|pi\b|math)[A-Za-z]{2,}")
_TIMES = re.compile(r"\s?[xX]\s?(?=[\d(√])")
_FUNCTION = re.compile(r"\\frac|\\root(\d{1,2})|sqrt\b|cbrt\b|√|math\.sqrt\b")
_PI = re.compile(r"(?:math\.|np\.|numpy\.)?(?:π|pi\b|Pi\b|PI\b)")
_CALL = re.compile(r"[^\W\d_][\w.]*\(")
_GROUPS = {
    ",": re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}"),
    ".": re.compile(r"\d{1,3}(?:\.\d{3})+"),
}
_GROUPED_BY = {
    mark: re.compile(rf"\d{{1,3}}(?:{mark}\d{{3}})+(?:[.,]\d+)?") for mark in " '_"
}
_OPERATORS = "+-*/^"
_SINGLE: dict[str, Kind] = {
    "(": "open",
    ")": "close",
    "=": "equal",
    ",": "comma",
    **dict.fromkeys(".?!;\n", "stop"),
    **dict.fromkeys("±<>≠∞", "bad"),
    **dict.fromkeys("$€£¥₹₩", "money"),
}


def tokens(text: str, locale: str = "") -> list[Token]:
    """The tokens of a plain text.

    Raises:
        Unreadable: there are too many, or one of the numbers is too long.
    """
    found: list[Token] = []
    for token in _scan(text, locale):
        found.append(token)
        if len(found) > MAX_TOKENS:
            raise Unreadable("the answer is too long")
    return found


def _scan(text: str, locale: str) -> Iterator[Token]:
    at = 0
    previous: Token | None = None
    while at < len(text):
        char = text[at]
        if char in " \t\r":
            at += 1
            continue
        token = _token(text, at, locale, previous)
        yield token
        previous, at = token, token.end


def _token(text: str, at: int, locale: str, previous: Token | None) -> Token:
    char = text[at]
    if (char.isascii() and char.isdigit()) or (char == "." and _NUMBER.match(text, at)):
        return _number(text, at, locale)
    if previous is not None and previous.kind in ("number", "close"):
        if times := _TIMES.match(text, at):
            return Token("op", "*", at, times.end())
        if previous.end == at and char in "eE" and not text[at + 1 : at + 2].isalnum():
            return Token("const", "e", at, at + 1, _E)
    if pi := _PI.match(text, at):
        return Token("const", "pi", at, pi.end(), _PI_VALUE)
    if function := _FUNCTION.match(text, at):
        if function[0] == "\\frac":
            return Token("frac", "frac", at, function.end())
        degree = 3 if function[0] == "cbrt" else int(function[1] or 2)
        return Token("root", "root", at, function.end(), degree=degree)
    if char in _OPERATORS or (char in "!%" and _is_postfix(text, at, previous)):
        return Token("op", char, at, at + 1)
    if char in _SINGLE:
        return Token(_SINGLE[char], char, at, at + 1)
    return _word(text, at, previous)


def _is_postfix(text: str, at: int, previous: Token | None) -> bool:
    """A ``!`` after a number is a factorial unless it ends a sentence of words."""
    if previous is None or previous.kind not in ("number", "close", "const"):
        return False
    if text[at] == "%":
        return True
    rest = text[at + 1 :].lstrip()
    if previous.end != at:
        return False
    return rest[:1] in set("+-*/^=),") or not re.search(r"[^\W\d_]{2}", text)


def _word(text: str, at: int, previous: Token | None) -> Token:
    if call := _CALL.match(text, at):
        return Token("word", call[0], at, _closing(text, call.end() - 1))
    name = _LATIN_NAME.match(text, at)
    letters = _LETTERS.match(text, at)
    if name and letters:
        unit, _ = parse_unit(letters[0], 0)
        if unit is None or not MONEY.issuperset(unit):
            return Token("word", name[0], at, name.end())
    if letters:
        word = letters[0]
        if word in ("e", "E") and _beside_operator(text, at, at + 1, previous):
            return Token("const", "e", at, at + 1, _E)
        return Token("word", word, at, letters.end())
    return Token("word", text[at], at, at + 1)


def _beside_operator(text: str, at: int, end: int, previous: Token | None) -> bool:
    before = previous is not None and previous.kind in ("op", "open", "equal")
    after = text[end:].lstrip()[:1]
    return text.strip() == "e" or after in set(_OPERATORS) or (before and after in ")")


def _closing(text: str, opening: int) -> int:
    """Where the bracket that opens here closes; the end of the text if it does not."""
    depth = 0
    for position in range(opening, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if not depth:
            return position + 1
    return len(text)


def _number(text: str, at: int, locale: str) -> Token:
    if date := _DATE.match(text, at):
        return Token("word", date[0], at, date.end())
    if clock := _CLOCK.match(text, at):
        return Token("bad", clock[0], at, clock.end())
    match = _NUMBER.match(text, at)
    assert match is not None
    written = match[0]
    try:
        value, length = _value(written, text[match.end() : match.end() + 1], locale)
    except _Marks:
        return Token("bad", written, at, match.end())
    end = at + length
    if _BASE.match(text, end):
        return Token("bad", "base", at, end + 2)
    if exponent := _EXPONENT.match(text, end):
        power = int(exponent[1])
        if abs(power) > MAX_EXPONENT:
            raise Unreadable("the answer is out of range")
        value *= Fraction(10) ** power
        end = exponent.end()
    elif ordinal := _ORDINAL.match(text, end):
        return Token("word", text[at : ordinal.end()], at, ordinal.end())
    return Token("number", text[at:end], at, end, value)


def _value(written: str, following: str, locale: str) -> tuple[Fraction, int]:
    """What the digits mean, and how many of the characters belong to the number."""
    for mark, grouped in _GROUPED_BY.items():
        # A blank may also stand before the fraction of a mixed number.
        is_mixed = mark == " " and following == "/"
        if mark in written and (is_mixed or not grouped.fullmatch(written)):
            written = written[: written.index(mark)]
    digits = _grouped(written, locale)
    if len(digits) > MAX_DIGITS:
        raise Unreadable("the answer has too many digits")
    return Fraction(digits), len(written)


def _grouped(written: str, locale: str) -> str:
    """The number with a point as decimal mark and no thousands marks."""
    bare = re.sub("[ '_]", "", written)
    commas, points = bare.count(","), bare.count(".")
    if commas and points:
        decimal = "," if bare.rindex(",") > bare.rindex(".") else "."
        other = "." if decimal == "," else ","
        whole, _, fraction = bare.rpartition(decimal)
        if decimal in whole or not _GROUPS[other].fullmatch(whole):
            raise _Marks
        return f"{whole.replace(other, '')}.{fraction}"
    if not commas and not points:
        return bare
    mark, count = (",", commas) if commas else (".", points)
    is_group = not bare.startswith("0") and bool(_GROUPS[mark].fullmatch(bare))
    if _is_decimal(mark, count, is_group, locale):
        return bare.replace(mark, ".")
    if not is_group:
        raise _Marks
    return bare.replace(mark, "")


def _is_decimal(mark: str, count: int, is_group: bool, locale: str) -> bool:
    """Whether the only kind of mark in a number is its decimal mark."""
    if count > 1:
        return False
    if mark == ",":
        return locale in ("de", "fr") or (not locale and not is_group)
    return not (locale == "de" and is_group)


_PI_VALUE = Fraction("3.14159265358979323846264338327950288419716939937510582097494459")
_E = Fraction("2.71828182845904523536028747135266249775724709369995957496696763")
