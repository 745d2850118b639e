"""Who gives the hints where no model does."""

from __future__ import annotations

import asyncio

import pytest

from pytest_mint.errors import FeedbackError
from pytest_mint.hints.guard import leak
from pytest_mint.hints.teacher import (
    PLACEBO,
    Ladder,
    Moment,
    Placebo,
    Swapped,
    rung,
)
from pytest_mint.records import Hint
from pytest_mint.words import LEVELS
from tests.bundled import TASKS
from tests.episode.scripted import HINTS, sum_task


def moment(task, level="vague") -> Moment:
    return Moment(task, "nlf", 2, level)


def said(teacher, task, level="vague") -> Hint:
    return asyncio.run(teacher.hint(moment(task, level)))


@pytest.mark.parametrize("level", LEVELS)
def test_the_ladder_says_the_rung_of_the_level(level: str) -> None:
    assert said(Ladder(), sum_task(), level) == Hint(HINTS[level], level)


@pytest.mark.parametrize("level", ["", "unlabelled", "model_config"])
def test_there_is_no_rung_of_another_name(level: str) -> None:
    assert rung(sum_task(), level) == ""
    with pytest.raises(FeedbackError, match="has no hint of level"):
        said(Ladder(), sum_task(), level)


def test_the_placebo_never_has_content() -> None:
    assert said(Placebo(), sum_task(), "direct") == Hint(PLACEBO, "direct")


def other(name: str, **hints: str):
    return sum_task(id=name, hints={**HINTS, **hints})


class TestSwapped:
    def test_the_hint_is_that_of_another_task_of_the_category(self) -> None:
        task = sum_task()
        apples = other("apples", vague="Apples.", direct="It is 7.")
        rocks = sum_task(id="rocks", category="science", hints={**HINTS, "vague": "R"})
        assert said(Swapped([task, apples, rocks]), task) == Hint("Apples.", "vague")

    def test_a_hint_that_happens_to_hold_the_answer_is_not_swapped_in(self) -> None:
        task = sum_task()
        same = [other(f"also-{n}", direct="It is 42.") for n in range(5)]
        harmless = other("harmless", direct="It is 7.")
        assert Swapped([task, *same, harmless]).partner(task) == harmless
        assert Swapped([task, *same]).partner(task) is None

    def test_without_another_task_there_is_no_partner(self) -> None:
        task = sum_task()
        assert Swapped([task]).partner(task) is None
        with pytest.raises(
            FeedbackError, match="no other task of its category has hints"
        ):
            said(Swapped([task]), task)

    def test_the_partner_does_not_depend_on_the_order(self) -> None:
        tasks = [other(f"t{n}", direct=f"It is {100 + n}.") for n in range(9)]
        forth, back = Swapped(tasks), Swapped(reversed(tasks))
        assert [forth.partner(t) for t in tasks] == [back.partner(t) for t in tasks]
        assert len({forth.partner(t).id for t in tasks}) > 1

    def test_partners_of_bundled_tasks_give_nothing_away(self) -> None:
        swapped = Swapped(TASKS)
        for task in TASKS:
            partner = swapped.partner(task)
            assert partner is not None, task.key
            assert partner.category == task.category
            if task.grader.kind in ("number", "text"):
                assert not [lv for lv in LEVELS if leak(task, rung(partner, lv))]
