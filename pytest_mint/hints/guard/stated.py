"""Whether a text states the number that is the answer, or a list of numbers.

A hint may repeat numbers of the task. So a number that stands in the input as well is
innocent, unless something presents it as the answer ("so it is 18", "18 altogether");
and a small number in words counts things ("both of the two rotas") unless it does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from pytest_mint.graders.wording import wording
from pytest_mint.hints.guard.figures import Figure
from pytest_mint.hints.guard.measures import measures, units_asked
from pytest_mint.hints.guard.said import SMALL, Said, said_by
from pytest_mint.hints.guard.spelled import is_spelled


@dataclass(frozen=True)
class Wanted:
    """The number that must not be stated.

    Attributes:
        value: the number as the task writes it.
        near: how far from it a number is the answer all the same.
        question: the task's input.
        unit: of the answer, if the task names one.
    """

    value: Decimal
    near: Fraction
    question: str
    unit: str = ""

    def is_met(self, value: Fraction) -> bool:
        """Whether a number is right."""
        return abs(value - Fraction(self.value)) <= self.near


def number_stated(wanted: Wanted, said: Said) -> str:
    """How a text states a number, as a reason; "" if it does not."""
    if said.reading.letters:
        return f"it spells {wanted.value}" if said.states(wanted.value) else ""
    for figure in said.figures:
        values = (figure.value, *_as_percentage(figure, wanted))
        if any(map(wanted.is_met, values)) and not _is_innocent(figure, wanted):
            if figure.kind == "sum":
                return f"it holds an expression that works out to {wanted.value}"
            return f"it states the answer {wanted.value}"
    if is_spelled(wanted.value, said.plain_words):
        return f"it states the answer {wanted.value} in words of another language"
    units = units_asked(wanted.unit, wanted.question)
    known = _known_measures(wanted.question, units) if units else frozenset()
    if said.reading.least == 1 and any(
        wanted.is_met(value) and value not in known
        for value in measures(said.reading.text, units)
    ):
        return f"it states the answer {wanted.value} in another unit"
    return ""


def list_stated(wanted: Sequence[Wanted], question: str, said: Said) -> str:
    """How a text states a whole list of numbers; "" if it does not."""
    known = said_by(question)
    fresh = [one for one in wanted if not any(map(one.is_met, known.values))]
    named = [one for one in wanted if any(map(one.is_met, said.values))]
    reason = "it states all numbers of the answer"
    if len(named) == len(wanted) and fresh:
        return reason
    run = re.sub(r"\s", "", ",".join(str(one.value) for one in wanted))
    in_question = _squeezed(question)
    is_run = len(wanted) > 1 and run in _squeezed(said.reading.text)
    return reason if is_run and run not in in_question else ""


def _squeezed(text: str) -> str:
    return re.sub(r"\s|\band\b", "", text.replace(" and ", ","))


def _as_percentage(figure: Figure, wanted: Wanted) -> tuple[Fraction, ...]:
    """Where percent is asked for, a quarter is 25."""
    is_percent = wanted.unit == "%" or "percent" in wanted.question.lower()
    is_share = 0 < abs(figure.value) < 1
    return (figure.value * 100,) if is_percent and is_share else ()


@lru_cache(maxsize=64)
def _known_measures(question: str, units: tuple[str, ...]) -> frozenset[Fraction]:
    return frozenset(measures(question, units))


# Innocent numbers

_LABEL = re.compile(
    r"\b(?:step|part|case|question|problem|exercise|figure|table|equation|rule|line"
    r"|page|chapter|section|item|point|row|column|turn|try|attempt|hint|no\.|number)"
    r"\s?#?$",
    re.IGNORECASE,
)
_ABOUT = r"(?:(?:just|exactly|about|only|simply|precisely|roughly|then)\s+)?"
_CLOSE = r"[\s*_$(\"'=~]*$"
_ANSWER = re.compile(
    r"(?:\b(?:answer|result|solution)\b[^.!?\n]{0,40}"
    r"|=\s*"
    r"|\b(?:equals?|gives?|giving|yields?|makes?|making|totals?|submit|reply|enter"
    r"|(?:comes?|amounts?|adds? up|sums? up|works? out|boils? down)"
    r"(?: to| at| as)|hand in|end up (?:with|at))\s+(?:you\s+)?"
    r"|\b(?:is it|it is|it's|that is|that's|this is|it must be|it should be|should get"
    rf"|must get|will get|you get|we get)\s+){_ABOUT}{_CLOSE}",
    re.IGNORECASE,
)
_THERE = re.compile(
    r"\b(?:there|they|these|those|you|we|she|he|total|sum|value|number|count)\b"
    rf"[^.!?\n]{{0,20}}\b(?:is|are|be|have|has|find|finds|get|gets)\s+{_ABOUT}{_CLOSE}",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[*_\")\s]{0,3}(?:(?:is|are|would be|will be|must be)\s+)?(?:the\s+)?"
    r"(?:right\s+)?"
    r"(?:answer|result|solution|correct|right\b|in all\b|in total|altogether|overall)",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow (?:many|much)\s+((?:\S+\s+){0,2}\S+)", re.IGNORECASE)


def _is_innocent(figure: Figure, wanted: Wanted) -> bool:
    alone = not wording(figure.before) and not wording(figure.after)
    if alone or _ANSWER.search(figure.before) or _AFTER.match(figure.after):
        return False
    if figure.kind == "words" and abs(figure.value) <= SMALL:
        return not _counts_what_is_asked(figure, wanted.question)
    if _THERE.search(figure.before):
        return False
    if _LABEL.search(figure.before):
        return True
    known = said_by(wanted.question)
    if figure.kind == "sum":
        sources = {one.source for one in known.figures if one.kind == "sum"}
        return figure.source in sources
    return figure.value in known.values


def _counts_what_is_asked(figure: Figure, question: str) -> bool:
    """``seven days`` where the question is how many days."""
    followed_by = set(wording(figure.after)[:2])
    asked = {
        word
        for found in _HOW_MANY.finditer(question)
        for word in wording(found[1])
        if len(word) > 3
    }
    return not asked.isdisjoint(followed_by)
