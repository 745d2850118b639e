"""Lists of numbers and truth values."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mint.errors import GraderError
from pytest_mint.graders import Proposal, grade
from pytest_mint.tasks.model import Task
from tests.graders.cases import HINTS


def solved(kind: str, reply: str, expected: Any, **grader: Any) -> bool:
    task = Task.model_validate(
        {
            "id": "a-list",
            "category": "reasoning",
            "input": "Which?",
            "expected_output": expected,
            "hints": HINTS,
            "grader": {"kind": kind, **grader},
        }
    )
    return grade(task, Proposal(reply)).solved


@pytest.mark.parametrize(
    "reply",
    [
        "[1, 2, 3]",
        "(1, 2, 3)",
        "{1, 2, 3}",
        "\\{1, 2, 3\\}",
        "$[1, 2, 3]$",
        "\\left[1, 2, 3\\right]",
        "[1,2,3]",
        "[1., 2., 3.]",
        "[1.0, 4/2, 3]",
        r"[1, \frac{4}{2}, 3]",
        "[1, (2), sqrt(9)]",
        "f(x) = [1, 2, 3]",
        "[1, 2, 3,]",
        "1, 2, 3",
        "1, 2 and 3",
        "1; 2; 3",
        "The answer is [1, 2, 3].",
        "The values are 1, 2, and 3.",
        "x = [1, 2, 3]",
        "[1, 2, 3]\n[1, 2, 3]",
        "<solution>[1, 2, 3]</solution>",
        "\\boxed{[1, 2, 3]}",
    ],
)
def test_a_list_may_be_written_in_many_ways(reply):
    assert solved("list", reply, [1, 2, 3])


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "[]",
        "[1, 2]",
        "[1, 2, 3, 4]",
        "[3, 2, 1]",
        "[1, 2, 4]",
        "[1, 2, 3.001]",
        "[1, 2, x]",
        "f(1, 2, 3) is [1, 2, x]",
        "[1, 2, '3']*1 or [4]",
        "123",
        "1 2 3",
        "[1, 2, 3] or [3, 2, 1]",
        "[[1, 2], 3]",
        "[1 2, 3]",
        "\\boxed{[1, 2, 3]} or \\boxed{[3, 2, 1]}",
        "[" + "1, " * 300 + "1]",
        "[" + " " * 5000 + "1, 2, 3]",
        "[n for n in (1, 2, 3)]",
        "none",
    ],
)
def test_another_list_is_wrong(reply):
    assert not solved("list", reply, [1, 2, 3])


def test_order_counts_unless_the_task_says_otherwise():
    assert not solved("list", "[6, 1]", [1, 6])
    assert solved("list", "[6, 1]", [1, 6], ordered=False)
    assert not solved("list", "[6, 6]", [1, 6], ordered=False)


def test_floats_in_a_list_have_a_tolerance():
    assert solved("list", "[0.504, 2]", [0.5, 2])
    assert not solved("list", "[0.52, 2]", [0.5, 2])
    assert solved("list", "[101, 2]", [100, 2], rel_tol="0.01")
    assert not solved("list", "[102, 2]", [100, 2], rel_tol="0.01")


@pytest.mark.parametrize("expected", ["[1, 2]", 5, ["a"], [True]])
def test_a_list_task_needs_a_list_of_numbers(expected):
    with pytest.raises(GraderError):
        solved("list", "[1, 2]", expected)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("True", True),
        ("true.", True),
        ("TRUE", True),
        ("**True**", True),
        ("yes", True),
        ("Yes, it is.", True),
        ("The answer is True.", True),
        ("The statement is true", True),
        ("\\boxed{\\text{True}}", True),
        ("T", True),
        ("はい", True),
        ("False", False),
        ("no", False),
        ("No, it is not.", False),
        ("No.", False),
        ("F", False),
        ("The statement is not true.", False),
        ("It isn't true.", False),
        ("いいえ", False),
    ],
)
def test_a_truth_value_is_read(reply, value):
    assert solved("boolean", reply, value)
    assert not solved("boolean", reply, not value)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "42",
        "maybe",
        "true or false",
        "There is no way",
        "no idea",
        "truely",
        "None",
    ],
)
@pytest.mark.parametrize("expected", [True, False])
def test_no_single_truth_value_is_wrong(reply, expected):
    assert not solved("boolean", reply, expected)


def test_a_boolean_task_needs_a_truth_value():
    assert solved("boolean", "yes", "Yes")
    with pytest.raises(GraderError, match="not true or false"):
        solved("boolean", "yes", "perhaps")
