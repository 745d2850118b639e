"""What a text gives away, and how alike two texts are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pytest_mint.graders.numerals import runs_of_words
from pytest_mint.graders.text import rouge_l
from pytest_mint.graders.wording import includes, says, wording
from pytest_mint.graders.written_calls import calls_in
from pytest_mint.tasks.graderspec import TextSpec
from pytest_mint.tasks.model import Task, number

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
#: Inputs that are more alike than this, of 100, are one task.
ALIKE = 85
#: Lines of a program that are shorter say nothing about this task.
_TELLING_LINE = 20


def gives_away(task: Task, text: str) -> bool:
    """Whether the answer of a task can be read off a text."""
    return _RULES[task.grader.kind](task, text)


def numbers_in(text: str) -> Iterator[Fraction]:
    """All numbers of a text, in digits and in words."""
    for found in _NUMBER.findall(text):
        yield Fraction(found.replace(",", ""))
    for *_, value in runs_of_words(text):
        yield value


def _number(task: Task, text: str) -> bool:
    expected = number(task.expected_output)
    near = max(task.tolerance, Decimal(0))
    return any(abs(value - Fraction(expected)) <= near for value in numbers_in(text))


def _text(task: Task, text: str) -> bool:
    spec = task.grader
    assert isinstance(spec, TextSpec)
    wordings = [task.expected_output, *(form.answer for form in task.accept)]
    near = rouge_l(text, wordings, spec) >= Fraction(str(spec.threshold))
    if near or any(includes(text, one) for one in wordings):
        return True
    return bool(task.must_include) and says(text, task.must_include, ())


def _code(task: Task, text: str) -> bool:
    lines = [line.strip() for line in task.reference.splitlines()]
    return any(len(line) >= _TELLING_LINE and line in text for line in lines)


def _calls(task: Task, text: str) -> bool:
    if not task.expected_output:
        return says(text, task.must_include, ())
    return any(_names_all(call["arguments"], text) for call in task.expected_output)


def _state(task: Task, text: str) -> bool:
    if calls_in(text):
        return True
    calls = [call for turn in task.solution for call in turn.calls]
    return all(_names_all(call.arguments, text) for call in calls)


def _names_all(arguments: dict[str, Any], text: str) -> bool:
    values = [v if isinstance(v, str) else json.dumps(v) for v in arguments.values()]
    return all(includes(text, value) for value in values)


def _judge(task: Task, text: str) -> bool:
    lines = task.samples["good"].text.splitlines()
    return any(len(wording(line)) >= 4 and includes(text, line) for line in lines)


_RULES = {
    "number": _number,
    "text": _text,
    "code": _code,
    "calls": _calls,
    "state": _state,
    "judge": _judge,
}


def alike(one: set[str], two: set[str]) -> float:
    """Token-set similarity, 0 to 100: shared words against the smaller set's text.

    Each set is written out as its words; the words that both have, and those of the
    smaller one, are compared as 2 * common / (length + length).
    """
    common, smaller = _length(one & two), min(_length(one), _length(two))
    return 200 * common / (common + smaller)


def _length(words: Iterable[str]) -> int:
    return sum(len(word) + 1 for word in words)
