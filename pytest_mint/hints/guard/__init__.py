"""The leak guard: whether a hint gives the answer away.

A hint is read as it stands and with disguises undone, and every reading is asked for
the answer of the task, in the way in which the task is graded. What it cannot see is
said in the documentation of hints.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from pytest_mint.graders.booleans import truth_values
from pytest_mint.hints.guard.actions import actions_told, calls_told
from pytest_mint.hints.guard.choices import option_told, truth_told
from pytest_mint.hints.guard.disguise import readings
from pytest_mint.hints.guard.phrases import phrase_said, sample_said, text_said
from pytest_mint.hints.guard.programs import program_told
from pytest_mint.hints.guard.said import Said
from pytest_mint.hints.guard.stated import Wanted, list_stated, number_stated
from pytest_mint.tasks.graderspec import ListSpec, NumberSpec
from pytest_mint.tasks.model import DEFAULT_TOLERANCE, Task, number

#: Characters of a hint; what is longer is no hint, and is not looked at.
MAX_CHARS = 4_000


def leak(task: Task, text: str) -> str:
    """What a hint gives away.

    Returns:
        The reason in words, for the teacher that is asked again; "" if nothing is
        given away.
    """
    if len(text) > MAX_CHARS:
        return f"it has more than {MAX_CHARS} characters"
    if task.expected_output is None and task.grader.kind in _COMPARED:
        return ""  # an imported task that cannot be played here
    rule = _RULES[task.grader.kind](task)
    for reading in readings(text):
        if reason := rule(Said(reading)):
            return f"{reason}, {reading.how}" if reading.how else reason
    return ""


#: Kinds of tasks whose answer is compared with ``expected_output``.
_COMPARED = ("number", "option", "short", "list", "boolean")


def _number(task: Task, said: Said) -> str:
    spec = task.grader
    assert isinstance(spec, NumberSpec)
    value = number(task.expected_output)
    near = Fraction(max(task.tolerance, Decimal(0)))
    return number_stated(Wanted(value, near, task.input, spec.unit), said)


def _short(task: Task, said: Said) -> str:
    """A short answer may be a number, or yes or no."""
    forms = [str(task.expected_output), *(str(form.answer) for form in task.accept)]
    if value := _as_number(forms[0]):
        return number_stated(Wanted(value, Fraction(0), task.input), said)
    if forms[0].strip().lower() in ("yes", "no", "true", "false"):
        return truth_told(forms[0].strip().lower() in ("yes", "true"), said)
    return phrase_said(forms, task.input, said)


def _as_number(text: str) -> Decimal | None:
    try:
        return number(text)
    except ValueError:
        return None


def _list(task: Task, said: Said) -> str:
    spec = task.grader
    assert isinstance(spec, ListSpec)
    values = [number(element) for element in task.expected_output]
    wanted = [Wanted(value, _near(value, spec), task.input) for value in values]
    if len(wanted) == 1:
        return number_stated(wanted[0], said)
    return list_stated(wanted, task.input, said)


def _near(value: Decimal, spec: ListSpec) -> Fraction:
    if spec.rel_tol is not None:
        return Fraction(spec.rel_tol * abs(value))
    return Fraction(0 if value == value.to_integral_value() else DEFAULT_TOLERANCE)


def _boolean(task: Task, said: Said) -> str:
    return truth_told(_truth(task.expected_output), said)


def _truth(expected: Any) -> bool:
    return (
        expected if isinstance(expected, bool) else True in truth_values(str(expected))
    )


def _of(told: Callable[[Task, Said], str]) -> Callable[[Task], Callable[[Said], str]]:
    """A rule that has nothing to prepare for a task."""
    return lambda task: partial(told, task)


_RULES: dict[str, Callable[[Task], Callable[[Said], str]]] = {
    "number": _of(_number),
    "option": _of(option_told),
    "short": _of(_short),
    "list": _of(_list),
    "boolean": _of(_boolean),
    "code": _of(program_told),
    "text": _of(text_said),
    "calls": calls_told,
    "state": actions_told,
    "judge": _of(sample_said),
}
