"""The numbers that a text states: in digits, in words, and as what they work out to.

Number words and words for operations become digits and signs first, so that "five
times twenty-four" is read like ``5 * 24``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from pytest_mint.graders.numerals import (
    SCALES,
    is_number_word,
    number_in_words,
    vocabulary,
)
from pytest_mint.graders.plain import plain
from pytest_mint.hints.guard.sums import sums, with_signs

#: Characters before and after a number that are kept to tell what it stands for.
AROUND = 70
#: Digits of a number; longer ones are no answers.
MAX_DIGITS = 40


@dataclass(frozen=True)
class Figure:
    """A number of a text.

    Attributes:
        value: what it is.
        source: how it is written.
        before: what stands before it.
        after: what stands behind it.
        kind: ``digits``, ``words`` or ``sum``, an expression that is worked out.
    """

    value: Fraction
    source: str
    before: str
    after: str
    kind: str


def figures(text: str, with_sums: bool = True) -> Iterator[Figure]:
    """All numbers of a text; a number may come more than once.

    Args:
        text: already cut to a bounded length.
        with_sums: whether expressions are worked out as well.
    """
    readable = plain(text)
    yield from _written(readable)
    yield from _in_words(readable)
    yield from _roman(text)
    digits = in_digits(readable)
    yield from _apart(digits)
    for spelled in (digits, with_signs(digits)) if with_sums else ():
        for value, source, start, end in sums(spelled):
            figure = _figure(value, spelled, start, end, "sum")
            yield replace(figure, source=source)


# Digits

_DIGITS = rf"\d{{1,{MAX_DIGITS}}}"
_NUMBER = re.compile(
    rf"(?<![^\W\d_])(?<!\w\.)-?(?P<whole>\d{{1,3}}(?:[, ']\d{{3}})+|{_DIGITS})"
    rf"(?P<part>[.,]{_DIGITS}(?![.,]?\d))?(?:[eE](?P<power>[+-]?\d{{1,2}})(?!\w))?"
    r"(?!\d)"
)
_LEADING_POINT = re.compile(rf"(?<![\w.,])\.\d{{1,{MAX_DIGITS}}}(?!\d)")
_SCALE = re.compile(r"[ -]?(percent|%|‰|[a-z]{2,8})")


def _written(text: str) -> Iterator[Figure]:
    for found in _NUMBER.finditer(text):
        for value in dict.fromkeys(_values(found)):
            yield from _scaled(value, text, found.start(), found.end())
    for found in _LEADING_POINT.finditer(text):
        yield from _scaled(Fraction(found[0]), text, found.start(), found.end())


def _values(found: re.Match[str]) -> Iterator[Fraction]:
    """One number, and what it is for those who write a comma as decimal mark."""
    whole = re.sub("[, ']", "", found["whole"])
    part, power = found["part"] or "", Fraction(10) ** int(found["power"] or 0)
    sign = -1 if found[0].startswith("-") else 1
    if not part and "," in found["whole"] and found["whole"].count(",") == 1:
        yield Fraction(found["whole"].replace(",", ".").replace(" ", ""))
    if part.startswith(","):
        yield sign * Fraction(whole) * power
        yield Fraction(part[1:])
    yield sign * Fraction(whole + part.replace(",", ".")) * power
    if sign < 0:  # a dash stands before a number more often than a minus sign
        yield Fraction(whole + part.replace(",", ".")) * power


def _scaled(value: Fraction, text: str, start: int, end: int) -> Iterator[Figure]:
    kind = "digits" if any(char.isdigit() for char in text[start:end]) else "words"
    yield _figure(value, text, start, end, kind)
    scale = _SCALE.match(text, end)
    if scale is None:
        return
    factor = _FACTORS.get(scale[1].lower())
    if factor is not None:
        yield _figure(value * factor, text, start, scale.end(), kind)


_FACTORS = {
    **{word: Fraction(factor) for word, factor in SCALES.items()},
    "percent": Fraction(1, 100),
    "%": Fraction(1, 100),
    "‰": Fraction(1, 1000),
    "score": Fraction(20),
}


def _figure(value: Fraction, text: str, start: int, end: int, kind: str) -> Figure:
    before = text[max(0, start - AROUND) : start]
    return Figure(value, text[start:end], before, text[end : end + AROUND], kind)


# Words

_WORD = re.compile(r"[^\W\d_]+")
_NEAR = re.compile(r"[ \t\n-]{0,3}")
#: "The second one" is no number.
_PRONOUN = vocabulary(
    "the this that each every which first second third fourth fifth last next other "
    "only another any some no right wrong correct"
)
_JOINS, _BEGIN = ("and", "a"), ("minus", "negative", "point")


def _in_words(text: str) -> Iterator[Figure]:
    for start, end, value in _runs(text):
        yield from _scaled(value, text, start, end)


def in_digits(text: str) -> str:
    """The text with every number that is written in words in digits."""
    parts, at = [], 0
    for start, end, value in _runs(text):
        parts += [text[at:start], _shown(value)]
        at = end
    return "".join([*parts, text[at:]])


def _shown(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return f"({value.numerator}/{value.denominator})"


@lru_cache(maxsize=8)  # one text is asked for its words and for its digits
def _runs(text: str) -> tuple[tuple[int, int, Fraction], ...]:
    """The longest runs of words that make a number, with their places."""
    found: list[tuple[int, int, Fraction]] = []
    run: list[re.Match[str]] = []
    previous = ""
    for word in _WORD.finditer(text):
        if run and not _NEAR.fullmatch(text, run[-1].end(), word.start()):
            found += _numbers_of(run)
            run = []
        name, before = word[0].lower(), previous
        previous = name
        if name == "one" and before in _PRONOUN:
            continue
        if is_number_word(name) or name in _BEGIN or (run and name in _JOINS):
            run.append(word)
        elif run:
            found += _numbers_of(run)
            run = []
    return (*found, *_numbers_of(run))


#: No number has more words.
_LONGEST = 14


def _numbers_of(run: list[re.Match[str]]) -> Iterator[tuple[int, int, Fraction]]:
    """Cut a run such as "one two" or "ten and twenty" where one number ends."""
    at = 0
    while at < len(run):
        for end in range(min(len(run), at + _LONGEST), at, -1):
            words = [word[0].lower() for word in run[at:end]]
            value = None if words[-1] in _JOINS or words[0] in _JOINS else _read(words)
            if value is not None:
                yield run[at].start(), run[end - 1].end(), value
                at = end
                break
        else:
            at += 1


def _read(words: list[str]) -> Fraction | None:
    if "point" in words[1:]:
        at = words.index("point", 1)
        whole = number_in_words(words[:at])
        digits = [number_in_words([word]) for word in words[at + 1 :]]
        if whole is None or not digits or None in digits:
            return None
        tail = "".join(str(digit) for digit in digits)
        return whole + Fraction(f"0.{tail}") if tail.isdecimal() else None
    value = number_in_words(words)
    return _year(words) if value is None and len(words) in (2, 3) else value


def _year(words: list[str]) -> Fraction | None:
    """``nineteen thirty-four``."""
    if not {*SCALES, *_JOINS}.isdisjoint(words):
        return None
    first, second = number_in_words(words[:1]), number_in_words(words[1:])
    if first is None or second is None or not (10 <= first < 100 > second >= 10):
        return None
    return first * 100 + second


# Roman numerals

_ROMAN = re.compile(r"(?<![\w.])(?:[IVXLCDM]{2,15}|[ivxlcdm]{4,15})(?!\w)")
_ROMAN_FORM = re.compile(
    r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def _roman(text: str) -> Iterator[Figure]:
    for found in _ROMAN.finditer(text):
        letters = found[0].upper()
        if not _ROMAN_FORM.fullmatch(letters):
            continue
        values = [_ROMAN_VALUES[letter] for letter in letters]
        signed = [
            -value if value < max(values[at:]) else value
            for at, value in enumerate(values)
        ]
        yield _figure(Fraction(sum(signed)), text, found.start(), found.end(), "words")


# Digits apart

_APART = re.compile(r"(?<![\w.,])\d(?:[ \t\n,.\-_/|·]{1,3}\d(?!\w)){1,40}(?![.,]?\d)")
_TELLS_DIGITS = re.compile(r"\bdigits?\b|\bfollowed by\b|\bthen an?\b", re.I)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\d)[^.!?\n]+)*")
_DIGIT = re.compile(r"(?<![\w.,])\d(?![\w])")


def _apart(text: str) -> Iterator[Figure]:
    """``1 2 0``, and "the first digit is 1, the second 2 and the last 0"."""
    for run in _APART.finditer(text):
        between = set(re.findall(r"\D+", run[0]))
        if len(re.findall(r"\d", run[0])) == 2 and not between <= {" ", "_"}:
            continue  # "1, 8" are two numbers, "1/8" is a fraction
        bare = re.sub(r"\D", "", run[0])
        yield _figure(Fraction(bare), text, run.start(), run.end(), "digits")
        with_point = re.sub(r"[^\d.]", "", re.sub(r" ?point ?", ".", run[0]))
        if with_point.count(".") == 1:
            value = Fraction(with_point)
            yield _figure(value, text, run.start(), run.end(), "digits")
    for sentence in _SENTENCE.finditer(text):
        digits = _DIGIT.findall(sentence[0])
        if len(digits) > 1 and _TELLS_DIGITS.search(sentence[0]):
            value = Fraction("".join(digits[:MAX_DIGITS]))
            yield _figure(value, text, sentence.start(), sentence.end(), "digits")
