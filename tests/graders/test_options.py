"""Options by letter, text or value."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mint.errors import GraderError
from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.options import parse_options
from pytest_mint.graders.verdict import Verdict
from pytest_mint.tasks.model import Task
from tests.graders.cases import HINTS

OPTIONS = {"a": "12", "b": "3/4", "c": "Nitrogen", "d": "A and B"}


def judge(reply: str, expected: str, options: Any = OPTIONS, **more: Any) -> Verdict:
    task = Task.model_validate(
        {
            "id": "an-option",
            "category": "reasoning",
            "input": "Which?",
            "expected_output": expected,
            "hints": HINTS,
            "grader": {"kind": "option", "options": options},
            **more,
        }
    )
    return grade(task, Proposal(reply))


@pytest.mark.parametrize(
    "reply",
    [
        "C",
        "c",
        "(c)",
        "(C)",
        "c)",
        "C )",
        "C.",
        "[C]",
        "**C**",
        "Option C",
        "option c",
        "Choice C",
        "C) Nitrogen",
        "C ) Nitrogen.",
        "C: Nitrogen",
        "C. Nitrogen",
        "C Nitrogen",
        "Nitrogen",
        "nitrogen.",
        "The answer is C",
        "The correct answer is (C).",
        "The answer is C) Nitrogen.",
        "I choose C.",
        "C - Nitrogen",
        "C, Nitrogen",
        "The gas in question is Nitrogen.",
        "The gas is the following: Nitrogen",
        "It must be C",
        "\\boxed{C}",
        "\\boxed{\\text{(C)}}",
        "$\\text{C)}$ Nitrogen",
        "<solution>C</solution>",
        "C\nC",
        "C) Nitrogen\nThe answer is C",
        "(C), not (A)",
        "C) N2, the main part of air",
    ],
)
def test_one_option_may_be_named_in_many_ways(reply):
    verdict = judge(reply, "c")
    assert verdict.solved, verdict


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "A",
        "B) Nitrogen",
        "A) and C)",
        "A or C",
        "A, C",
        "either a) or c)",
        "C and A",
        "A\nC",
        "E",
        "Not C",
        "not (C)",
        "Oxygen",
        "Cat",
        "Come on",
        "I can not say.",
        "12",
        "N",
        "A fish",
        "f(c)",
        "The gas is not Nitrogen.",
        "The gas is Oxygen, which is not Nitrogen",
    ],
)
def test_anything_else_is_wrong(reply):
    verdict = judge(reply, "c")
    assert not verdict.solved, verdict


@pytest.mark.parametrize(
    ("reply", "expected", "solved"),
    [
        ("12", "a", True),
        ("12.0", "a", True),
        ("The answer is 12.", "a", True),
        ("0.75", "b", True),
        ("\\frac{3}{4}", "b", True),
        ("0.7", "b", False),
        ("13", "a", False),
        ("A) 3/4", "a", False),
        ("A and B", "d", True),
        ("A and B", "a", False),
        ("D) A and B", "d", True),
    ],
)
def test_a_value_names_its_option(reply, expected, solved):
    verdict = judge(reply, expected)
    assert verdict.solved is solved, verdict


def test_a_value_of_two_options_names_none():
    assert not judge("0.5", "a", {"a": "1/2", "b": "0.50", "c": "2"}).solved


def test_a_value_has_the_unit_of_its_option():
    options = {"a": "5 km", "b": "5 m", "c": "6 m"}
    assert judge("5.0 m", "b", options).solved
    assert not judge("5.0 cm", "b", options).solved
    assert not judge("5.0", "b", options).solved


def test_a_letter_in_a_formula_is_no_label():
    options = {"a": "(S, +, b) is closed", "b": "nothing is closed"}
    assert judge("A) (S, +, b) is closed", "a", options).solved


@pytest.mark.parametrize(
    ("question", "options"),
    [
        (
            "Which?\nOptions: A ) 6 , B ) 121 , C ) 54,320",
            {"a": "6", "b": "121", "c": "54,320"},
        ),
        (
            "Which?\nOptions: A ) (-1,1)\\cup (b) , B ) (3^(1/2))mc",
            {"a": "(-1,1)\\cup (b)", "b": "(3^(1/2))mc"},
        ),
        (
            "Which? Options: a ) $2x$ , b ) $x$. Output format required: option.",
            {"a": "$2x$", "b": "$x$"},
        ),
        ("Which?\nA. one\nB. two\nC. three", {"a": "one", "b": "two", "c": "three"}),
        ("Which?\n(a) one\n(b) two", {"a": "one", "b": "two"}),
        ("How many?", {}),
    ],
)
def test_options_are_read_from_the_question(question, options):
    assert parse_options(question) == options


def test_a_question_without_options_cannot_be_graded():
    with pytest.raises(GraderError, match="no options"):
        judge("A", "a", {})


def test_an_option_that_does_not_exist_cannot_be_right():
    with pytest.raises(GraderError, match="'c' is not among"):
        judge("C", "c", {}, input="Options: A ) 1 , B ) 2")
