"""Checks by program first, then a judge's score."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_mint.errors import GraderError
from pytest_mint.graders.checks import run_check
from pytest_mint.graders.judge_prompt import judge_prompt, nonce_of
from pytest_mint.graders.judge_reply import TOP, median, read_score
from pytest_mint.graders.submission import nothing_in, submission
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.tasks.graderspec import JudgeSpec

if TYPE_CHECKING:
    from pytest_mint.tasks.model import Task

#: A question in, a reply out. An endpoint that fails raises ProviderError.
Judge = Callable[[str], str]

#: How often a judge is asked for one sample before the sample is given up.
ATTEMPTS = 2
NAMED = 3


def grade_judged(task: Task, proposal: Proposal, judge: Judge | None = None) -> Verdict:
    """Grade by the task's checks and, if all of them hold, by its rubric.

    Args:
        judge: None where there is none; then checks alone can fail a text, and a
            task without a rubric can pass it.

    Raises:
        GraderError: a check is broken, the rubric needs a judge and there is none, or
            the judge gave no usable score, also when asked again.
    """
    spec = task.grader
    if not isinstance(spec, JudgeSpec):
        raise GraderError(f"{task.key} is not graded by a judge")
    text = submission(proposal.text)
    checked = check_all(task, text)
    if not text:
        return wrong(nothing_in(proposal.text), "none")
    if not checked.solved or not task.rubric:
        return checked
    if judge is None:
        raise GraderError(
            f"{task.key} needs a judge: its checks hold, its rubric is open"
        )
    prompt = judge_prompt(task.input, task.rubric, text, spec.scale)
    nonce = nonce_of(task.rubric, text)
    samples = [_sample(judge, prompt, spec, nonce) for _ in range(spec.samples)]
    score = median(samples)
    top = TOP[spec.scale]
    details = {"judge_score": score, "judge_samples": samples}
    if score >= min(spec.pass_mark, top):
        return Verdict(True, score / top, "right", "judge", details)
    return wrong("the judge asks for more", "judge", score / top, **details)


def check_all(task: Task, text: str) -> Verdict:
    """The verdict of the checks alone, without a judge.

    Raises:
        GraderError: a check is broken; it is never skipped.
    """
    results = [run_check(item, text) for item in task.checks]
    problems = [reason for ok, reason in results if not ok]
    if not problems:
        return right("checks")
    more = len(problems) - NAMED
    reason = "; ".join(problems[:NAMED]) + (f"; and {more} more" if more > 0 else "")
    return wrong(reason, "checks", failed_checks=len(problems))


def _sample(judge: Judge, prompt: str, spec: JudgeSpec, nonce: str) -> int | None:
    for _ in range(ATTEMPTS):
        score = read_score(judge(prompt), spec.scale, nonce)
        if score is not None:
            return score
    return None
