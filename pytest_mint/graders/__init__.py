"""Judging proposals: one function, and one module for each way of judging."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from pytest_mint.errors import GraderError, Missing
from pytest_mint.graders.verdict import Proposal, Verdict

if TYPE_CHECKING:
    from pytest_mint.graders.judged import Judge
    from pytest_mint.sandbox.base import Sandbox
    from pytest_mint.tasks.model import Task
    from pytest_mint.words import Grading

__all__ = ["Proposal", "Verdict", "grade"]

#: Module and function by ``grader.kind``; imported when first asked for.
_GRADERS = {
    "number": ("numbers", "grade_number"),
    "option": ("options", "grade_option"),
    "short": ("short", "grade_short"),
    "list": ("lists", "grade_list"),
    "boolean": ("booleans", "grade_boolean"),
    "code": ("code", "grade_code"),
    "text": ("text", "grade_text"),
    "calls": ("calls", "grade_calls"),
    "state": ("state", "grade_state"),
    "judge": ("judged", "grade_judged"),
}


def grade(
    task: Task,
    proposal: Proposal,
    mode: Grading = "strict",
    sandbox: Sandbox | None = None,
    judge: Judge | None = None,
) -> Verdict:
    """Judge a proposal.

    Args:
        task: what was asked.
        proposal: what was handed in, untrusted text included.
        mode: ``faithful`` repeats the original benchmark's rules for tasks imported
            from it; all other tasks are graded strictly in both modes.
        sandbox: where code runs; coding tasks need one.
        judge: who goes by a rubric; tasks that have one need it.

    Raises:
        SandboxError: the sandbox failed.
        GraderError: the task or the grader is broken; no verdict either way.
    """
    try:
        return _grade(task, proposal, mode, sandbox, judge)
    except Missing:
        raise
    except Exception as problem:
        kind = type(problem).__name__
        raise GraderError(
            f"{task.key} could not be graded: {kind}: {problem}"
        ) from problem


def _grade(
    task: Task,
    proposal: Proposal,
    mode: Grading,
    sandbox: Sandbox | None,
    judge: Judge | None,
) -> Verdict:
    kind = task.grader.kind
    if kind == "judge":
        return _grader(kind)(task, proposal, judge)
    if kind == "code":
        return _grader(kind)(task, proposal, mode, sandbox)
    if mode != "strict" and task.rules == "mint-bench":
        from pytest_mint.graders.faithful import grade_faithful

        now = mode == "faithful-now"
        return grade_faithful(task, proposal, "fixed" if now else "recorded")
    return _grader(kind)(task, proposal)


def _grader(kind: str) -> Callable[..., Verdict]:
    module, name = _GRADERS[kind]
    path = f"{__name__}.{module}"
    try:
        function: Callable[..., Verdict] = getattr(import_module(path), name)
    except ModuleNotFoundError as problem:
        if problem.name != path:
            raise
        raise GraderError(f"tasks of kind {kind!r} cannot be graded yet") from None
    return function
