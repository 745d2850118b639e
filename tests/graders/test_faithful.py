"""The original benchmark's rules, quirk by quirk."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mint.errors import GraderError
from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.faithful import cut_options, grade_faithful
from pytest_mint.graders.literals import Unknown, value_of
from pytest_mint.tasks.mint_rows import task_from_row
from pytest_mint.tasks.model import Task

OPTIONS = "Which?\nOptions: A ) 2048 , B ) 2049 , C ) 9 , D ) 2047"


def imported(dataset: str, reference: Any, prompt: str = "Q?", **more: Any) -> Task:
    row = {"dataset": dataset, "id": 1, "prompt": prompt, "reference": reference}
    return task_from_row({**row, **more})


def solved(task: Task, answer: str, **more: Any) -> bool:
    return grade_faithful(task, Proposal(answer), **more).solved


@pytest.mark.parametrize(
    ("dataset", "reference", "answer", "right"),
    [
        ("gsm8k", "100", "104", True),
        ("gsm8k", "100", "105", True),
        ("gsm8k", "100", "106", False),
        ("gsm8k", "2", "12\n12", True),
        ("gsm8k", "130000", "130,000", False),
        ("gsm8k", "7", "The answer is 7.", True),
        ("math", "10.0", "y = 10", False),
        ("math", "10.0", "1_0", True),
        ("math", "10.0", "nan", False),
        ("math", "10.0", "inf", False),
        ("math", "-4.0", "-4", False),
        ("math", "-4.0", "x = -4.0", True),
        ("math", "0.0", "0", True),
        ("hotpotqa", "1952", "2013", True),
        ("hotpotqa", "President of X", "Vice President of X", True),
        ("hotpotqa", "Matt Flynn", "MATT FLYNN!", True),
        ("hotpotqa", "no", "I do not know", True),
    ],
)
def test_numbers_and_texts(dataset, reference, answer, right):
    assert solved(imported(dataset, reference), answer) is right


def test_the_later_rule_lets_negative_references_pass():
    task = imported("math", "-4.0")
    assert not solved(task, "-4")
    assert solved(task, "-4", era="fixed")
    assert not solved(task, "4", era="fixed")


@pytest.mark.parametrize(
    ("reference", "answer", "right"),
    [
        ("a", "A) 2048", True),
        ("a", "D, that much is clear", True),  # there is an a in it
        ("d", "D", True),
        ("d", "2047", False),  # 2048 is within 5 %, and is looked at first
        ("c", "9", True),
        ("c", "B) 2049", False),
        ("b", "banana a)", False),  # the letter a is all that is seen
    ],
)
def test_options(reference, answer, right):
    assert solved(imported("mmlu", reference, OPTIONS), answer) is right


def test_an_option_behind_a_removed_one_is_passed_over():
    # "1" is part of "12" and goes; "2", also part of it, moves into its place and
    # is never looked at, so that it remains as a wrong option.
    task = imported("mmlu", "c", "Q\nOptions: A ) 1 , B ) 2 , C ) 12 , D ) 5")
    assert not solved(task, "it is 12")
    task = imported("mmlu", "c", "Q\nOptions: A ) 1 , B ) 7 , C ) 12 , D ) 5")
    assert solved(task, "it is 12")


def test_options_are_cut_at_the_first_bracket():
    prompt = "Q?\nOptions: A ) (-1,1) , B ) Fe(NO3)3 iron. , C ) Both."
    assert cut_options(prompt) == {"a": "(-1,1", "b": "fe(no3", "c": "both"}


@pytest.mark.parametrize(
    ("kind", "reference", "answer", "right"),
    [
        ("integer", 12, "12", True),
        ("integer", 12, "12.4", True),
        ("integer", 12, "x = 12", True),
        ("integer", 12, "12 apples", True),
        ("integer", 12, "The answer is 12.", False),
        ("integer", 1200, "1,200", True),
        ("integer", 1200, "$1,200", True),
        ("integer", 12, "3*4", True),
        ("integer", 12, "2**2**2 - 4", True),
        ("integer", 1000, "10^3", False),
        ("integer", 12, "[12]", False),
        ("integer", 1, "True", True),
        ("float", 2.0, "2.08", True),
        ("float", 2.0, "2.09", False),
        ("float", -2.0, "-2.08", True),
        ("float", 0.5, "1/2", True),
        ("float", 5.65, "5.656 m", True),
        ("float", 5.65, "$5.65$", True),
        ("float", 2.0, "approximately 2.0", True),
        ("bool", False, "False", True),
        ("bool", False, "The answer is False.", True),
        ("bool", False, "no", True),
        ("bool", True, "false", False),
        ("bool", False, "0", True),
        ("option", "b", "(b)", True),
        ("option", "b", "b ) this", True),
        ("option", "b", "c)", False),
        ("list of integer", [1, 6], "[6, 1]", True),
        ("list of integer", [1, 6], "(1, 6)", True),
        ("list of integer", [1, 6], "[1.2, 6]", True),
        ("list of integer", [1, 6], "[1]", False),
        ("list of integer", [1, 6], "1 and 6", False),
        ("list of float", [0.5, 2.0], "[0.51, 2]", True),
        ("integer", 12, "__import__('os').getpid()", False),
        ("integer", 12, "(lambda: 12)()", False),
        ("integer", 12, "9**9**9", False),
        ("integer", 12, "1/0", False),
        ("integer", 12, "1e999", False),
        ("integer", 12, "", False),
    ],
)
def test_theorems(kind, reference, answer, right):
    prompt = "Q? Options: a ) x , b ) y , c ) z" if kind == "option" else "Q?"
    task = imported("theoremqa", reference, prompt, answer_type=kind)
    assert solved(task, answer) is right


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7),
        ("-2**2", -4),
        ("7 // 2", 3),
        ("7 % 4", 3),
        ("[1, (2, 3)]", [1, (2, 3)]),
        ("(1, 2)", [1, 2]),
        ("{1}", [1]),
        ("'a'", "a"),
        ("None", None),
        ("(2j)", 0.0),
        ("(1j, 2j)", [0.0, 0.0]),
    ],
)
def test_literals_have_the_value_that_python_gives(text, value):
    assert value_of(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "f(1)",
        "[x for x in (1,)]",
        "1 if 2 else 3",
        "1 < 2",
        "'a' * 3",
        "[1] * 3",
        "5if",
        "'\\p'",
        "(" * 500,
        "-" * 1999 + "1",
        "9**9**9",
        "2**4096",
        "1" * 2001,
        "1\x00",
        "{'a': 1}",
        "1/0",
    ],
)
def test_anything_else_is_not_read(text):
    with pytest.raises(Unknown):
        value_of(text)


def test_only_tasks_of_the_original_are_graded_by_its_rules():
    task = Task.model_validate(
        {
            **imported("gsm8k", "100").model_dump(),
            "rules": "mint",
            "hints": {"vague": "a", "specific": "b", "direct": "c"},
        }
    )
    assert not grade(task, Proposal("104"), mode="faithful").solved
    assert grade(imported("gsm8k", "100"), Proposal("104"), mode="faithful").solved


def test_a_dataset_without_a_rule_is_an_error():
    task = imported("gsm8k", "100").model_copy(update={"dataset": "other"})
    with pytest.raises(GraderError, match="'other'"):
        grade_faithful(task, Proposal("100"))
