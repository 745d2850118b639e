"""Rows of the MINT benchmark as tasks."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_mint.tasks.mint_rows import task_from_row


def row(dataset, reference, prompt="How many?", **more):
    base = {"dataset": dataset, "id": 12, "prompt": prompt, "reference": reference}
    return {**base, **more}


@pytest.mark.parametrize(
    ("reference", "tolerance"),
    [
        ("131250", "0.01"),
        ("0.63", "0.01"),
        ("0.05", "0.005"),
        ("-4.0", "0.01"),
        ("0", "0.01"),
    ],
)
def test_a_number_has_a_hundredth_or_a_tenth_of_itself(reference, tolerance):
    task = task_from_row(row("math", reference))
    assert task.tolerance == Decimal(tolerance)
    assert (task.id, task.category, task.rules) == (
        "math-12",
        "reasoning",
        "mint-bench",
    )


def test_a_question_for_a_percentage_has_percent_as_its_unit():
    prompt = "What is the rate, as a percentage?"
    assert task_from_row(row("math", "7.0", prompt)).grader.unit == "%"
    assert task_from_row(row("math", "7.0", "25% of 28?")).grader.unit == ""


def test_the_text_that_the_model_saw_is_the_input():
    assert task_from_row(row("gsm8k", "7", shown_prompt="Shown")).input == "Shown"


@pytest.mark.parametrize(
    ("answer_type", "reference", "grader"),
    [
        ("integer", 25, {"kind": "number", "tolerance": Decimal(0)}),
        ("float", 0.2, {"kind": "number", "rel_tol": Decimal("0.01")}),
        ("bool", False, {"kind": "boolean"}),
        ("option", "a", {"kind": "option"}),
        ("Option", "a", {"kind": "option"}),
        ("list of integer", [0, 5], {"kind": "list", "ordered": True}),
        ("list of float", [0.5], {"kind": "list", "rel_tol": Decimal("0.01")}),
    ],
)
def test_a_theorem_is_graded_by_its_type(answer_type, reference, grader):
    task = task_from_row(row("theoremqa", reference, answer_type=answer_type))
    assert task.expected_output == reference
    assert {name: getattr(task.grader, name) for name in grader} == grader


def test_eigenvalues_come_in_any_order():
    prompt = "For matrix A, what are its eigen values?"
    task = task_from_row(
        row("theoremqa", [1, 6], prompt, answer_type="list of integer")
    )
    assert not task.grader.ordered


def test_a_program_is_judged_by_the_script_with_the_head_of_its_question():
    head = "from typing import List\n\ndef helper():\n    ...\n"
    prompt = f"{head}\ndef go(x: int):\n    ..."
    task = task_from_row(row("humaneval", "check(go)", prompt, entry_point="go"))
    spec = task.grader
    assert (task.category, spec.mode, spec.script) == ("coding", "script", "check(go)")
    assert spec.prelude == head
    assert (spec.entry_point, spec.timeout_s) == ("go", 10.0)


def test_the_function_that_the_asserts_call_is_the_entry_point():
    code = "def helper(x):\n    return x\n\ndef go(x):\n    return helper(x)\n"
    task = task_from_row(row("mbpp", "assert go(1) == 1", code=code))
    assert task.grader.entry_point == "go"
    assert task.grader.prelude == ""


def test_a_household_needs_its_simulator():
    task = task_from_row(row("alfworld", "", id="look_at-Book-308/trial_T2019"))
    assert task.id == "alfworld-look_at-book-308-trial_t2019"
    assert task.needs == "the ALFWorld simulator"


def test_another_wording_of_a_name_is_accepted():
    task = task_from_row(row("hotpotqa", '"Teach the Controversy" campaign', id=10))
    assert [form.answer for form in task.accept] == ["Teach the Controversy"]


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (row("other", "1"), "unknown dataset 'other'"),
        (row("theoremqa", 1, answer_type="set"), "unknown answer_type 'set'"),
    ],
)
def test_what_is_not_known_is_named(bad, problem):
    with pytest.raises(ValueError, match=problem):
        task_from_row(bad)
