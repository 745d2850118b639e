"""Expressions in a text, and words for operations as signs.

Nothing is evaluated but by :mod:`pytest_mint.graders.reader`, which bounds every step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from pytest_mint.graders.reader import evaluate
from pytest_mint.graders.tokens import Unreadable, tokens

#: Characters of an expression that is worked out.
MAX_SUM = 200

_N = r"(\(?-?\d{1,20}(?:\.\d{1,20})?(?:/\d{1,20}\))?(?!\w))"
_REWRITES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), sign)
    for pattern, sign in (
        (r"\b(?:the )?square root of\b", " √ "),
        (r"\b(?:raised )?to the power(?: of)?\b", " ^ "),
        (r"\bsquared\b", " ^2 "),
        (r"\bcubed\b", " ^3 "),
        (r"\bfactorial\b", "! "),
        (rf"\b(?:the )?square of {_N}", r" (\1)^2 "),
        (rf"\b(?:the )?cube of {_N}", r" (\1)^3 "),
        (rf"\b(?:the )?(?:sum|total) of {_N}(?: and|,) {_N}", r" (\1+\2) "),
        (rf"\b(?:the )?product of {_N}(?: and|,) {_N}", r" (\1*\2) "),
        (rf"\b(?:the )?quotient of {_N}(?: and|,) {_N}", r" (\1/\2) "),
        (
            rf"\b(?:the )?difference (?:of|between) {_N}(?: and|,) {_N}",
            r" (\1-\2) ",
        ),
        (rf"\badd {_N} (?:and|to) {_N}", r" (\1+\2) "),
        (rf"\b(?:subtract|take|deduct) {_N} (?:away )?from {_N}", r" (\2-\1) "),
        (rf"\bmultiply {_N} (?:by|with|and) {_N}", r" (\1*\2) "),
        (rf"\bdivide {_N} by {_N}", r" (\1/\2) "),
        (rf"{_N} (?:more|higher|greater|larger) than {_N}", r" (\2+\1) "),
        (rf"{_N} (?:less|fewer|lower|smaller) than {_N}", r" (\2-\1) "),
        (
            rf"\b(?:number|integer|just|right|comes|one) (?:after|above) {_N}",
            r" (\1+1) ",
        ),
        (
            rf"\b(?:number|integer|just|right|comes|one) (?:before|below) {_N}",
            r" (\1-1) ",
        ),
        (
            rf"{_N} (?:lots|groups|rows|sets|piles|packs|bags|boxes|times) of {_N}",
            r" (\1*\2) ",
        ),
        (rf"\b(?:twice|double) (?:of )?{_N}", r" (2*\1) "),
        (rf"\b(?:thrice|triple|treble) {_N}", r" (3*\1) "),
        (rf"\bhalf (?:of )?{_N}", r" (\1/2) "),
        (rf"(\(\d{{1,20}}/\d{{1,20}}\)) (?:of )?{_N}", r" (\1*\2) "),
        (rf"{_N} ?(?:percent|%) of {_N}", r" (\1/100*\2) "),
        (r"\bplus\b|\badded to\b|\bincreased by\b", " + "),
        (r"\bminus\b|\bless\b|\btake away\b|\breduced by\b", " - "),
        (r"\btimes\b|\bmultiplied (?:by|with)\b", " * "),
        (r"\bdivided by\b|\bover\b", " / "),
        # "5 days * 24 hours" is 5 * 24
        (rf"{_N} (?!out )[a-z]{{1,12}}s of {_N}", r" (\1*\2) "),
        (r"(?<=\d) ?[a-z]{1,12} {0,2}(?=[*/+-] {0,2}\d)", " "),
    )
)
_SUM = re.compile(
    r"(?:\\(?:frac|root\d{1,2})|sqrt\b|cbrt\b|\bpi\b|[\d.,()+\-*/^!%√π \t])+"
)
_TRIM = " \t.,+*/^"


def with_signs(text: str) -> str:
    """The text with words for operations as signs."""
    text = _BETWEEN.sub(_middle, text)
    for pattern, sign in _REWRITES:
        text = pattern.sub(sign, text)
    return text


_BETWEEN = re.compile(r"\bbetween (\d{1,9}) and (\d{1,9})(?![\d.,/])", re.IGNORECASE)


def _middle(bounds: re.Match[str]) -> str:
    """Between 17 and 19 there is one whole number, between 10 and 26 are many."""
    low, high = int(bounds[1]), int(bounds[2])
    return f" ({low}+1) " if high - low == 2 else bounds[0]


def sums(text: str) -> Iterator[tuple[Fraction, str, int, int]]:
    """What the expressions of a text work out to, each with its source and place."""
    for found in _SUM.finditer(text):
        if not _OPERATION.search(found[0]):
            continue  # most are the blanks between words
        for value, piece in _evaluated(found[0]):
            yield value, re.sub(r"\s", "", piece), found.start(), found.end()


def _evaluated(found: str) -> Iterator[tuple[Fraction, str]]:
    """An expression as a whole, or else what stands between its commas and brackets."""
    whole = _trimmed(found)
    value = _worked_out(whole)
    if value is not None:
        yield value, whole
        return
    for part in (*re.split(r"[,.]\s", found), *_GROUP.findall(found)):
        piece = _trimmed(part)
        if piece != whole and (value := _worked_out(piece)) is not None:
            yield value, piece


def _trimmed(part: str) -> str:
    """Without what stands at an end and has nothing to work on."""
    piece = part.rstrip(_TRIM + "-(").lstrip(_TRIM + ")")
    missing = piece.count("(") - piece.count(")")
    if missing > 0 and piece.startswith("(" * missing):
        return piece[missing:]
    return piece[:missing] if missing < 0 and piece.endswith(")") else piece


_GROUP = re.compile(r"\([^()]{3,200}\)")
_OPERATION = re.compile(r"\S\s*[-+*/^]\s*\S|\d!|√|frac|root|sqrt|cbrt|pi|π")


def _worked_out(piece: str) -> Fraction | None:
    if len(piece) > MAX_SUM or not _OPERATION.search(piece):
        return None
    try:
        return evaluate(tokens(piece))
    except (Unreadable, ValueError, ArithmeticError):
        return None
