"""JSON read strictly and within bounds.

``json.loads`` alone takes NaN, keeps the last of two equal keys, rounds long decimals,
and raises RecursionError on "[[[[…".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from pytest_mint.graders.letters import shown

MAX_CHARS = 32_768
MAX_DEPTH = 32
MAX_DIGITS = 400
#: How many brackets are tried as the beginning of an object in prose.
MAX_STARTS = 256

# A string that never closes goes on to the end, so that every character is looked at
# once and no quote is tried again.
_MARK = re.compile(r'"(?:[^"\\]|\\.?)*(?:"|\Z)|[\[\]{}]', re.DOTALL)
_ANY_QUOTE = re.compile(
    r'"(?:[^"\\]|\\.?)*(?:"|\Z)' + r"|'(?:[^'\\]|\\.?)*(?:'|\Z)|[\[\]{}()]", re.DOTALL
)
_OPENING = re.compile(r"[\[{]")
_PAIRS = {"]": "[", "}": "{", ")": "("}


T = TypeVar("T")


class NotJson(ValueError):
    """The text is no JSON value; the message says why, without quoting much of it."""


class DuplicateKey(NotJson):
    """An object holds a key twice, and which value counts is anyone's guess."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {shown(key, 40)!r} stands twice")


def read_json(text: str) -> Any:
    """The one JSON value of a text; numbers with a point or exponent as Decimal.

    Raises:
        NotJson: it is none, holds NaN or a key twice, or is beyond the bounds.
    """
    if len(text) > MAX_CHARS:
        raise NotJson(f"longer than {MAX_CHARS} characters")
    if _too_deep(text):
        raise NotJson(f"nested deeper than {MAX_DEPTH}")
    try:
        return json.loads(
            text,
            parse_int=_int,
            parse_float=_decimal,
            parse_constant=_constant,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} at character {error.pos}") from None


def _too_deep(text: str) -> bool:
    """Whether brackets outside strings are nested too deep, closing ones trusted."""
    depth = 0
    for mark in _MARK.finditer(text):
        if mark[0] in ("[", "{"):
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif mark[0] in ("]", "}"):
            depth -= 1
    return False


def values_in(
    text: str, read: Callable[[str], T], *, any_quote: bool = False
) -> Iterator[tuple[int, int, T]]:
    """What ``read`` makes of the ``{...}`` and ``[...]`` in prose, with their places.

    Outermost first; where it raises NotJson, the brackets inside are tried.

    Args:
        text: only its first ``MAX_CHARS`` characters are read.
        any_quote: whether single quotes begin strings too.
    """
    marks = _ANY_QUOTE if any_quote else _MARK
    text = text[:MAX_CHARS]
    start = 0
    for _ in range(MAX_STARTS):
        opening = _OPENING.search(text, start)
        if opening is None:
            return
        start = opening.start()
        end = _closing(text, start, marks)
        try:
            value = read(text[start:end]) if end else None
        except NotJson:
            value = None
        if value is None:
            start += 1
            continue
        yield start, end, value
        start = end


def _closing(text: str, start: int, marks: re.Pattern[str]) -> int:
    """Where the bracket at ``start`` is closed, or 0."""
    stack: list[str] = []
    for mark in marks.finditer(text, start):
        if mark[0] in ("[", "{", "("):
            stack.append(mark[0])
            if len(stack) > MAX_DEPTH:
                return 0
        elif mark[0] in _PAIRS:
            if stack.pop() != _PAIRS[mark[0]]:
                return 0
            if not stack:
                return mark.end()
    return 0


def _int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise NotJson(f"a number of more than {MAX_DIGITS} digits")
    return int(digits)


def _decimal(digits: str) -> Decimal:
    try:
        value = Decimal(digits)
    except InvalidOperation:  # the exponent alone is beyond all bounds
        value = None
    if value is None or len(digits) > MAX_DIGITS or abs(value.adjusted()) > MAX_DIGITS:
        raise NotJson(f"a number of more than {MAX_DIGITS} digits")
    return value


def _constant(name: str) -> Any:
    raise NotJson(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise DuplicateKey(key)
        found[key] = value
    return found
