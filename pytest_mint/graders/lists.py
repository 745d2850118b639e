"""A list of numbers, element by element."""

from __future__ import annotations

import re
from fractions import Fraction

from pytest_mint.errors import GraderError
from pytest_mint.graders.numbers import NO_ANSWER, SEVERAL, answer_of
from pytest_mint.graders.prose import read_quantities
from pytest_mint.graders.tokens import Unreadable
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.tasks.graderspec import ListSpec
from pytest_mint.tasks.model import DEFAULT_TOLERANCE, Task, number

MAX_ANSWER = 4_000
MAX_ELEMENTS = 200

_OPENING = re.compile(r"^.*(?:\bare\b|\bis\b|[:=≈])", re.DOTALL)
_MARK = re.compile(r"[\[({]|[\])}]|, ?and\b|,|;|\band\b")
_MACROS = re.compile(r"\\(?:left|right|text)\b")
_CLOSING = {"[": "]", "(": ")", "{": "}"}


def grade_list(task: Task, proposal: Proposal) -> Verdict:
    """Compare a list with the expected one.

    Right has the same length and the same numbers in the same order, or in any order
    where the task says so. Whole numbers are compared exactly, others within
    ``rel_tol`` of the expected one, or 0.01 where the task sets none.

    Raises:
        GraderError: the expected output is no list of numbers.
    """
    spec = task.grader
    assert isinstance(spec, ListSpec)
    expected = _expected(task)
    answer = answer_of(task, proposal)
    if not answer.text:
        return wrong(NO_ANSWER, answer.rule)
    if answer.several:
        return wrong(SEVERAL, answer.rule)
    try:
        found = read_list(answer.text)
    except Unreadable as problem:
        return wrong(f"not a list of numbers: {problem}", answer.rule)
    if len(found) != len(expected):
        return wrong("the list has another length", answer.rule)
    if not spec.ordered:
        found, expected = sorted(found), sorted(expected)
    if all(_close(got, want, spec) for got, want in zip(found, expected, strict=True)):
        return right(answer.rule)
    return wrong("wrong", answer.rule)


def read_list(text: str) -> list[Fraction]:
    """The numbers of the list that a text answers with.

    Raises:
        Unreadable: there is no list, more than one, or an element is no number.
    """
    if len(text) > MAX_ANSWER:
        raise Unreadable("the answer is too long")
    text = text.replace("\\{", "{").replace("\\}", "}").replace("$", "")
    groups = _outermost(_MACROS.sub("", text))
    square = [inner for bracket, inner in groups if bracket == "["]
    inners = square or [inner for _, inner in groups if len(_split(inner)) > 1]
    lists = [[_number(part) for part in _split(inner)] for inner in inners]
    if not lists:
        parts = _split(_OPENING.sub("", text).strip().rstrip("."))
        if len(parts) < 2:
            raise Unreadable("there is no list in the answer")
        lists = [[_number(part) for part in parts]]
    if any(other != lists[-1] for other in lists):
        raise Unreadable("the answer holds several lists")
    return lists[-1]


def _outermost(text: str) -> list[tuple[str, str]]:
    """The outermost bracketed texts, each with its opening bracket."""
    found: list[tuple[str, str]] = []
    stack: list[tuple[str, int]] = []
    for position, char in enumerate(text):
        if char in _CLOSING:
            stack.append((char, position))
        elif stack and char == _CLOSING[stack[-1][0]]:
            bracket, start = stack.pop()
            if not stack:
                found.append((bracket, text[start + 1 : position]))
    return found


def _split(inner: str) -> list[str]:
    """The elements: what stands between commas that are in no bracket."""
    parts: list[str] = []
    depth = start = 0
    inner = " ".join(inner.split()).rstrip(",; ")
    for mark in _MARK.finditer(inner):
        if mark[0] in _CLOSING:
            depth += 1
        elif mark[0] in _CLOSING.values():
            depth -= 1
        elif depth <= 0:
            parts.append(inner[start : mark.start()])
            start = mark.end()
    if len(parts) >= MAX_ELEMENTS:
        raise Unreadable("the list is too long")
    return [*parts, inner[start:]] if inner else []


def _number(text: str) -> Fraction:
    values = {quantity.value for quantity in read_quantities(text.rstrip("."))}
    if len(values) != 1:
        raise Unreadable("an element is not one number")
    return values.pop()


def _close(got: Fraction, want: Fraction, spec: ListSpec) -> bool:
    if spec.rel_tol is not None:
        return abs(got - want) <= Fraction(spec.rel_tol) * abs(want)
    tolerance = 0 if want.denominator == 1 else Fraction(DEFAULT_TOLERANCE)
    return abs(got - want) <= tolerance


def _expected(task: Task) -> list[Fraction]:
    value = task.expected_output
    if not isinstance(value, (list, tuple)):
        raise GraderError(f"{task.key}: expected_output {value!r} is not a list")
    try:
        return [Fraction(number(element)) for element in value]
    except ValueError as problem:
        raise GraderError(f"{task.key}: expected_output: {problem}") from None
