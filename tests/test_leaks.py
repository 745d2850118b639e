"""What is used to check tasks finds what it has to find."""

from __future__ import annotations

import re

import pytest

from pytest_mint.graders.wording import wording
from pytest_mint.hints.guard import leak
from pytest_mint.tasks.model import Task
from tests.bundled import TASKS, each
from tests.likeness import ALIKE, alike

BY_ID = {task.id: task for task in TASKS}


@pytest.mark.parametrize(
    ("task_id", "hint"),
    [
        ("rotas-that-meet", "Is it 18?"),
        ("rotas-that-meet", "There are eighteen such days."),
        ("cocoa-weighed-twice", "About 2,316.04 kilograms."),
        ("passes-with-and-against-the-spin", "Near 10.355 minutes."),
        ("what-ended-the-steam-ferry", "Flood in 1926, electric from 1934."),
        ("machine-by-the-ferry-yard", "Look at Old Hesper on a Thursday."),
        ("table-in-the-garden", "2027-05-21, 20:45, 6 guests, garden, 2 high chairs"),
        ("refund-after-the-last-day", "The last day was 2027-02-16."),
        ("tram-card-fares", 'Try card["until"] = minute + window there.'),
        (
            "all-likoni-parcels-with-two-vans",
            'First {"name": "unload_parcel", "arguments": {"parcel": "P21"}}',
        ),
        ("nine-lines-of-harmattan", "Say: Tea goes cloudy before it is poured."),
    ],
)
def test_a_planted_answer_is_found(task_id: str, hint: str) -> None:
    assert leak(BY_ID[task_id], hint)


@each()
def test_an_input_with_other_numbers_is_a_near_duplicate(task: Task) -> None:
    other = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), task.input)
    assert alike(set(wording(task.input)), set(wording(other))) >= ALIKE


def test_inputs_on_different_things_are_not_alike() -> None:
    one = set(wording("How many minutes does the water need until it boils?"))
    two = set(wording("Write a poem of nine lines on a market town."))
    assert alike(one, two) < ALIKE / 2
