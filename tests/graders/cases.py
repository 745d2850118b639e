"""The shared grading cases as tasks of ours."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_mint.errors import GraderError
from pytest_mint.graders.verdict import Proposal, Verdict
from pytest_mint.tasks.model import Task
from tests.needs import pack

Case = dict[str, Any]

#: Fields of a case that are the grader's; all others of the table below are the task's.
GRADER_FIELDS = (
    "measure",
    "metric",
    "threshold",
    "order",
    "unordered",
    "tolerance",
    "rel_tol",
    "unit",
    "locale",
    "timeout_s",
    "mode",
    "entry_point",
    "scale",
)
TASK_FIELDS = {
    "answer": "expected_output",
    "reference": "expected_output",
    "expected_state": "expected_output",
    "expected_calls": "expected_output",
    "constraints": "checks",
    "tools": "functions",
}
HINTS = {"vague": "Look again.", "specific": "One step is off.", "direct": "As above."}


def load_cases(name: str, categories: Collection[str]) -> list[Any]:
    """The cases of ``grading`` or ``choices`` in these categories, one param each.

    Where the data are missing there is one param, whose case is None: the test skips
    or fails by ``need``.
    """
    folder = pack()
    path = folder.parent / "cases" / f"{name}.jsonl" if folder else None
    if path is None or not path.exists():
        return [pytest.param(None, id="no-cases")]
    with path.open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    chosen = [case for case in cases if case["category"] in categories]
    return [pytest.param(case, id=case["id"]) for case in chosen]


def task_of(case: Case, **more: Any) -> Task:
    """The task of a case, with the fields that every task must have.

    Raises:
        ValidationError: the task is refused, as a loader would.
    """
    fields = case["task"]
    grader = {name: fields[name] for name in GRADER_FIELDS if name in fields}
    data: dict[str, Any] = {
        "id": case["id"].lower(),
        "category": case["category"],
        "input": "What is the answer?",
        "hints": HINTS,
        "grader": grader,
    }
    data |= {ours: fields[name] for name, ours in TASK_FIELDS.items() if name in fields}
    forms = fields.get("references_list")
    if isinstance(forms, list):
        data["accept"] = [{"answer": form, "why": "another form"} for form in forms]
    return Task.model_validate({**data, **more})


def response_of(case: Case) -> str:
    """The response, written out where a case gives it in parts."""
    response = case["response"]
    if isinstance(response, dict):
        return "".join(text * times for text, times in response["parts"])
    return str(response)


def verdict_of(case: Case, **more: Any) -> Verdict | None:
    """The verdict on a case; None where the task is refused or cannot be graded."""
    from pytest_mint.graders import grade

    try:
        task = task_of(case, **more)
        return grade(task, Proposal(response_of(case)))
    except (ValidationError, GraderError):
        return None
