"""A number, within the task's tolerance and in its unit."""

from __future__ import annotations

from fractions import Fraction

from pytest_mint.graders.answer import Answer, read_answer, read_handed_in
from pytest_mint.graders.prose import Quantity, read_quantities
from pytest_mint.graders.tokens import Unreadable
from pytest_mint.graders.units import PERCENT, is_same, named
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.tasks.graderspec import NumberSpec
from pytest_mint.tasks.model import Task, number

NO_ANSWER = "no answer was found in the reply"
SEVERAL = "the reply hands in several answers"


def grade_number(task: Task, proposal: Proposal) -> Verdict:
    """Compare the number in a reply with the expected one, as written decimals.

    Right is ``|answer - expected| <= tolerance``, the edge included, in the task's
    unit or without any.
    """
    spec = task.grader
    assert isinstance(spec, NumberSpec)
    answer = answer_of(task, proposal)
    if not answer.text:
        return wrong(NO_ANSWER, answer.rule)
    if answer.several:
        return wrong(SEVERAL, answer.rule)
    first = answer.rule == "final_line"
    try:
        found = read_quantities(answer.text, spec.locale, first_sentence=first)
    except Unreadable as problem:
        return wrong(f"not a number: {problem}", answer.rule)
    read = ", ".join(_shown(quantity.value) for quantity in found[:3])
    if not all(_has_unit(quantity, spec.unit) for quantity in found):
        return wrong("wrong unit", answer.rule, read=read)
    expected, tolerance = Fraction(number(task.expected_output)), task.tolerance
    values = [_in_unit(quantity, spec.unit) for quantity in found]
    if all(abs(value - expected) <= Fraction(tolerance) for value in values):
        return right(answer.rule, read=read)
    return wrong("wrong", answer.rule, read=read)


def answer_of(task: Task, proposal: Proposal) -> Answer:
    """Where the answer is; an imported proposal is the answer already."""
    if task.rules == "mint-bench":
        return read_handed_in(proposal.text)
    return read_answer(proposal.text)


def _in_unit(quantity: Quantity, unit: str) -> Fraction:
    """A percent sign divides by 100, unless percent is what the task asks for."""
    if quantity.percent and named(unit) == PERCENT:
        return quantity.value * 100
    return quantity.value


def _has_unit(quantity: Quantity, unit: str) -> bool:
    """Whether the unit is the task's or absent; any is fine if the task has none."""
    if not unit:
        return True
    found = PERCENT if quantity.percent else quantity.unit
    return found is None or is_same(found, unit)


def _shown(value: Fraction) -> str:
    """A value for the report, short even where the fraction is not."""
    if value.denominator == 1 and abs(value) < 10**15:
        return str(value.numerator)
    if abs(value) < Fraction(1, 10**300) or abs(value) > 10**300:
        return "out of range"
    return f"{float(value):.10g}"
