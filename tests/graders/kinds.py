"""Tasks for the tests of text, calls, state and judged grading."""

from __future__ import annotations

from typing import Any

from pytest_mint.tasks.model import Task
from tests.graders.cases import HINTS


def make_task(category: str, **fields: Any) -> Task:
    """A task with the fields that every task must have."""
    data = {"id": "one", "category": category, "input": "Do it.", "hints": HINTS}
    return Task.model_validate({**data, **fields})


def text_task(expected: Any, *accept: str, **grader: Any) -> Task:
    """A task graded by ROUGE-L; ``must_include`` and its kin go to the task."""
    must = {name: grader.pop(name) for name in list(grader) if name.startswith("must")}
    forms = [{"answer": form, "why": "another wording"} for form in accept]
    return make_task(
        "information_retrieval",
        expected_output=expected,
        accept=forms,
        grader=grader,
        **must,
    )


def calls_task(functions: Any, expected: Any, **fields: Any) -> Task:
    """A task graded by its calls."""
    return make_task(
        "tool_use",
        functions=[{"description": "Does it.", **function} for function in functions],
        expected_output=expected,
        **fields,
    )


def state_task(expected: Any, **fields: Any) -> Task:
    """A task graded by the state of its world."""
    return make_task("decision_making", expected_output=expected, **fields)


def judged_task(category: str = "creative_writing", **fields: Any) -> Task:
    """A task graded by checks and a judge."""
    return make_task(category, **{"rubric": "Is it good?", **fields})
