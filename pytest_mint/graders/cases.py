"""Grading cases: a small task, a reply, and the verdict that it must get.

A case is one JSON object with ``id``, ``category``, ``task``, ``response`` and
``right``: true, false, a share from 0 to 1 (coding), a score (judged), or ``"error"``,
where the task or the judge is broken. Its ``task`` is written in words of its own or in
those of our task files; a judge's replies stand there, so that no judge is asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_mint.errors import GraderError, UserError
from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.judge_reply import TOP
from pytest_mint.graders.judged import Judge
from pytest_mint.graders.verdict import Verdict
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.settings import did_you_mean
from pytest_mint.tasks.graderspec import KINDS, Model, spec_of
from pytest_mint.tasks.mint_recorded import json_lines
from pytest_mint.tasks.model import Task
from pytest_mint.words import CATEGORIES, Grading

JUDGED = ("creative_writing", "instruction_following")
REQUIRED = ("id", "category", "task", "response", "right")
REMARKS = ("kind", "why", "source", "checked", "choice")
#: Fields of a case's task by the field of ours that they stand for.
OTHER_WORDS = {
    "answer": "expected_output",
    "reference": "expected_output",
    "expected_state": "expected_output",
    "expected_calls": "expected_output",
    "constraints": "checks",
    "tools": "functions",
}
#: Fields that stand for no single one of ours.
OF_THEIR_OWN = (
    "references_list",
    "order",
    "metric",
    "rules",
    "scale",
    "judge_replies",
    "initial_state",
    "observed_state",
    "max_seconds",
    "forbid_file",
)
#: How texts are compared, the only way there is.
METRIC = "rougeL"
RULES = ("ignore", "unordered", "required_outputs")
_HINTS = {"vague": "Look.", "specific": "Look closer.", "direct": "Look here."}


@dataclass(frozen=True)
class Case:
    """One case as it was written.

    Attributes:
        id: its name.
        category: of the task.
        task: the task in the case's own words.
        response: the reply to be graded, written out.
        right: the verdict that it must get.
    """

    id: str
    category: str
    task: Mapping[str, Any]
    response: str
    right: Any


@dataclass(frozen=True)
class Graded:
    """What became of a case.

    Attributes:
        case: the case.
        got: in the form of ``case.right``.
        agrees: whether that is the same.
        reason: why it was graded so.
    """

    case: Case
    got: bool | float | str
    agrees: bool
    reason: str


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file, one JSON object a line.

    Raises:
        UserError: a line is no case; names file, line and field.
    """
    with path.open(encoding="utf-8") as lines:
        cases = tuple(
            _read(data, f"{path}, line {number}")
            for number, data in enumerate(json_lines(lines, path), 1)
        )
    if not cases:
        raise UserError(f"{path}: the file holds no case")
    return cases


def _read(data: Mapping[str, Any], where: str) -> Case:
    for name in REQUIRED:
        if name not in data:
            raise UserError(f"{where}: {name} is missing")
    _refuse_unknown(data, (*REQUIRED, *REMARKS), where)
    if data["category"] not in CATEGORIES:
        raise UserError(
            f"{where}: category is {data['category']!r}; expected one of "
            + ", ".join(CATEGORIES)
        )
    if not isinstance(data["task"], dict):
        raise UserError(f"{where}: task: expected an object")
    _refuse_unknown(data["task"], _fields(data["category"]), f"{where}: task")
    rules = data["task"].get("rules", {})
    if not isinstance(rules, dict):
        raise UserError(f"{where}: task.rules: expected an object")
    _refuse_unknown(rules, RULES, f"{where}: task.rules")
    if (metric := data["task"].get("metric", METRIC)) != METRIC:
        raise UserError(f"{where}: task.metric is {metric!r}; texts have {METRIC!r}")
    right = data["right"]
    if right != "error" and not isinstance(right, (bool, int, float)):
        raise UserError(
            f"{where}: right is {right!r}; expected true, false, a number or 'error'"
        )
    response = _response(data["response"], where)
    return Case(str(data["id"]), data["category"], data["task"], response, right)


def _refuse_unknown(data: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for name in data:
        if name not in known:
            raise UserError(
                f"{where}: there is no field {name!r}{did_you_mean(name, known)}"
            )


def _fields(category: str) -> tuple[str, ...]:
    ours = [name for name in Task.model_fields if name not in ("id", "category")]
    return (*OTHER_WORDS, *OF_THEIR_OWN, *ours, *_spec_fields(category))


def _spec_fields(category: str) -> tuple[str, ...]:
    specs: list[type[Model]] = [spec_of(kind) for kind in KINDS[category]]
    return tuple({name: None for spec in specs for name in spec.model_fields})


def _response(response: Any, where: str) -> str:
    """The text; a very long one is given as ``{"parts": [[text, times], ...]}``."""
    if isinstance(response, str):
        return response
    try:
        return "".join(text * times for text, times in response["parts"])
    except (KeyError, TypeError, ValueError):
        raise UserError(
            f"{where}: response: expected a text or parts of [text, times]"
        ) from None


def task_of(case: Case) -> Task:
    """The task of a case, with the fields that every task must have.

    Raises:
        ValidationError: the task is refused, as a loader would.
    """
    given = dict(case.task)
    theirs = {name: given.pop(name) for name in OF_THEIR_OWN if name in given}
    data: dict[str, Any] = {
        "id": "case",
        "category": case.category,
        "input": "Do what is asked for.",
        "hints": _HINTS,
    }
    names = [name for name in _spec_fields(case.category) if name in given]
    grader = {name: given.pop(name) for name in names}
    translated = {OTHER_WORDS.get(name, name): item for name, item in given.items()}
    data |= {n: item for n, item in translated.items() if n in Task.model_fields}
    if isinstance(forms := theirs.get("references_list"), list):
        why = "another wording"
        data["accept"] = [{"answer": form, "why": why} for form in forms]
    if case.category == "tool_use":
        grader.setdefault("ordered", theirs.get("order", "any") != "any")
        described = {"description": "Does what its name says."}
        data["functions"] = [
            {**described, **one} if isinstance(one, dict) else one
            for one in data.get("functions", ())
        ]
    if case.category == "decision_making":
        rules = dict(theirs.get("rules", {}))
        data.setdefault("must_include", rules.pop("required_outputs", ()))
        grader |= rules
    if case.category in JUDGED:
        _take_judge(data, grader, theirs)
    data["grader"] = {**data.get("grader", {}), **grader}
    return Task.model_validate(data)


def _take_judge(
    data: dict[str, Any], grader: dict[str, Any], theirs: Mapping[str, Any]
) -> None:
    replies = theirs.get("judge_replies", ())
    scale = theirs.get("scale", "binary")
    grader["scale"] = "0-4" if scale == [0, 4] else scale
    grader.setdefault("samples", max(1, len(replies)))
    if replies:
        data.setdefault("rubric", "Is it what was asked for?")
    data["checks"] = [_check(one) for one in data.get("checks", ())]


def _check(condition: Any) -> Any:
    """A check whose name stands under ``type``."""
    if not isinstance(condition, dict):
        return condition
    return {"check" if n == "type" else n: value for n, value in condition.items()}


def proposal_of(case: Case) -> Proposal:
    """What is handed in: the reply, and the state that the world was left in."""
    return Proposal(case.response, world=case.task.get("observed_state"))


def judge_of(case: Case) -> Judge | None:
    """A judge that gives the case's replies: each once, then nothing of use."""
    if "judge_replies" not in case.task:
        return None
    replies = iter(case.task["judge_replies"])
    return lambda prompt: next(replies, None) or ""


def grade_case(
    case: Case,
    mode: Grading = "strict",
    sandbox: Callable[[], Sandbox] | None = None,
) -> Graded:
    """Grade a case and compare.

    Args:
        sandbox: gives the sandbox, asked for coding only.

    Raises:
        SandboxError: the sandbox failed; that is no verdict of any kind.
    """
    began = time.perf_counter()
    try:
        task = task_of(case)
        needed = sandbox() if sandbox and task.grader.kind == "code" else None
        verdict = grade(task, proposal_of(case), mode, needed, judge_of(case))
    except ValidationError as problem:
        reason = "; ".join(error["msg"] for error in problem.errors())
        return Graded(case, "error", case.right == "error", reason)
    except GraderError as problem:
        return Graded(case, "error", case.right == "error", str(problem))
    got = _in_the_form_of(case.right, case, task, verdict)
    broken = _broken_demand(case, time.perf_counter() - began)
    agrees = got == case.right and not broken
    return Graded(case, got, agrees, broken or verdict.reason)


def _in_the_form_of(
    right: Any, case: Case, task: Task, verdict: Verdict
) -> bool | float:
    """The verdict as the case writes it: whether it is solved, a share or a score."""
    if isinstance(right, (bool, str)):
        return verdict.solved
    if task.grader.kind == "judge":
        return verdict.score * TOP[task.grader.scale]
    return verdict.score


def _broken_demand(case: Case, seconds: float) -> str:
    """What the case asks for besides the verdict and did not get."""
    longest = case.task.get("max_seconds")
    if longest is not None and seconds > longest:
        return f"it took {seconds:.2f} s, more than the {longest} s allowed"
    forbidden = case.task.get("forbid_file")
    if forbidden and Path(forbidden).exists():
        return f"the answer was run: there is a file {forbidden}"
    return ""
