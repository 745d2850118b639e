"""Short exact answers."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mint.graders import Proposal, grade
from pytest_mint.tasks.model import Task
from tests.graders.cases import HINTS


def solved(reply: str, expected: Any, *accept: str) -> bool:
    forms = [{"answer": form, "why": "another form"} for form in accept]
    task = Task.model_validate(
        {
            "id": "a-name",
            "category": "reasoning",
            "input": "Who?",
            "expected_output": expected,
            "accept": forms,
            "hints": HINTS,
            "grader": {"kind": "short"},
        }
    )
    return grade(task, Proposal(reply)).solved


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("George Harrison", "George Harrison"),
        ("george harrison.", "George Harrison"),
        ("  George   Harrison\n", "George Harrison"),
        ("The answer is George Harrison.", "George Harrison"),
        ("<solution>George Harrison</solution>", "George Harrison"),
        ("Sir George Harrison", "George Harrison"),
        ("It was George Harrison", "George Harrison"),
        ("George Harrison\nGeorge Harrison", "George Harrison"),
        ("Ｇｅｏｒｇｅ Harrison", "George Harrison"),
        ("The Saturdays", "Saturdays"),
        ("late 12th century", "the late 12th Century"),
        ("Straße", "STRASSE"),
        ("Wilmette, Illinois", "Wilmette"),
        ("World’s Best", "World's Best"),
        ('"The Wire"', "The Wire"),
        ("東京", "東京"),
        ("1962", 1962),
        ("He was born in 1962.", "1962"),
        ("Yes", "yes"),
        ("Yes, they are.", "yes"),
        ("No. They were not.", "no"),
    ],
)
def test_the_same_answer_in_other_dress_is_right(reply, expected):
    assert solved(reply, expected)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("", "George Harrison"),
        ("George", "George Harrison"),
        ("Harrison George", "George Harrison"),
        ("Georgette Harrisons", "George Harrison"),
        ("not George Harrison", "George Harrison"),
        ("John Lennon or George Harrison", "George Harrison"),
        ("George Harrison and John Lennon", "George Harrison"),
        ("Vice President of the United States", "President of the United States"),
        ("Ringo is older than George Harrison", "George Harrison"),
        (
            "I have read a good deal about it and think George Harrison did that",
            "George Harrison",
        ),
        ("1962 or 1963", "1962"),
        ("19620", "1962"),
        ("from 1962 to 1970", "1962"),
        ("not 1962", "1962"),
        ("No", "yes"),
        ("yes and no", "no"),
        ("They said yes", "yes"),
        ("Yes.\nNo.", "yes"),
    ],
)
def test_another_answer_is_wrong(reply, expected):
    assert not solved(reply, expected)


def test_an_accepted_form_is_right():
    assert solved("Teach the Controversy", "the campaign", "teach the controversy")
    assert not solved("Teach the Controversy", "the campaign")
