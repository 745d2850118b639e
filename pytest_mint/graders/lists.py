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

_BRACKETED = re.compile(r"[\[({]([^\[\](){}]*)[\])}]")
_OPENING = re.compile(r"^.*(?:\bare\b|\bis\b|[:=≈])", re.DOTALL)
_SEPARATOR = re.compile(r"\s*(?:,\s*and\b|,|;|\band\b)\s*")


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
    text = re.sub(r"\\(?:left|right|text)\b", "", text)
    bracketed = [_elements(inner) for inner in _BRACKETED.findall(text)]
    lists = [elements for elements in bracketed if elements]
    if not lists:
        bare = _OPENING.sub("", text).strip().rstrip(".")
        lists = [_elements(bare)]
        if len(lists[0]) < 2:
            raise Unreadable("there is no list in the answer")
    if any(other != lists[-1] for other in lists):
        raise Unreadable("the answer holds several lists")
    return lists[-1]


def _elements(inner: str) -> list[Fraction]:
    parts = _SEPARATOR.split(inner.strip().rstrip(",; "))
    if parts == [""]:
        return []
    if len(parts) > MAX_ELEMENTS:
        raise Unreadable("the list is too long")
    return [_number(part) for part in parts]


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
