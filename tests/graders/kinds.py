"""Tasks for the tests of text, calls, state and judged grading.

The shared cases write a task in words of their own; here they become tasks of ours.
"""

from __future__ import annotations

from typing import Any

from pytest_mint.tasks.model import Task
from tests.graders.cases import Case

HINTS = {"vague": "Look again.", "specific": "One step is off.", "direct": "As above."}


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


def text_case_task(case: Case) -> Task:
    """The task of a shared case about texts."""
    fields = dict(case["task"])
    assert fields.pop("metric") == "rougeL"
    fields.pop("references_list", None)
    return text_task(fields.pop("reference"), **fields)


def calls_task(functions: Any, expected: Any, **fields: Any) -> Task:
    """A task graded by its calls."""
    return make_task(
        "tool_use",
        functions=[{"description": "Does it.", **function} for function in functions],
        expected_output=expected,
        **fields,
    )


def calls_case_task(case: Case) -> Task:
    """The task of a shared case about calls."""
    fields = case["task"]
    grader = {
        "ordered": fields["order"] != "any",
        "unordered": fields.get("unordered", []),
    }
    return calls_task(fields["tools"], fields["expected_calls"], grader=grader)


def state_task(expected: Any, **fields: Any) -> Task:
    """A task graded by the state of its world."""
    return make_task("decision_making", expected_output=expected, **fields)


def state_case_task(case: Case) -> Task:
    """The task of a shared case about states."""
    rules = case["task"]["rules"]
    grader = {name: rules[name] for name in ("ignore", "unordered") if name in rules}
    must = rules.get("required_outputs", [])
    return state_task(case["task"]["expected_state"], grader=grader, must_include=must)


def judged_task(category: str = "creative_writing", **fields: Any) -> Task:
    """A task graded by checks and a judge."""
    return make_task(category, **{"rubric": "Is it good?", **fields})


def judged_case_task(case: Case) -> Task:
    """The task of a shared case about checks, about a judge, or both."""
    fields = case["task"]
    checks = [
        {"check": name, **parameters}
        for condition in fields.get("constraints", [])
        for name, parameters in [_split(condition)]
    ]
    replies = fields.get("judge_replies", [])
    grader: dict[str, Any] = {"samples": max(1, len(replies))}
    if "scale" not in fields:
        grader["scale"] = "binary"
    rubric = "Does it meet the rule?" if replies else ""
    return judged_task(case["category"], checks=checks, rubric=rubric, grader=grader)


def _split(condition: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    parameters = dict(condition)
    return parameters.pop("type"), parameters


def replies_of(case: Case) -> Any:
    """A judge that gives the replies of a case: each once, then nothing of use."""
    replies = iter(case["task"].get("judge_replies", []))
    return lambda prompt: next(replies, None) or ""
