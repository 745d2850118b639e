"""Recorded answers of the MINT benchmark with the verdicts that others gave."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mint.errors import GraderError, UserError
from pytest_mint.graders import Proposal, grade
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.tasks import mint_bench
from pytest_mint.tasks.load import load_tasks
from pytest_mint.tasks.mint_recorded import json_lines
from pytest_mint.tasks.mint_rows import task_id
from pytest_mint.tasks.model import Task
from pytest_mint.words import Grading

FIELDS = ("dataset", "id", "answer")
#: The verdict that each way of grading is held against: what was ruled right by hand,
#: or what the original gave.
JUDGED_BY = {"strict": "adjudicated", "faithful": "flag", "faithful-now": "rule_now"}


@dataclass(frozen=True)
class Answer:
    """One recorded answer: of which task, its text, and whether it is right."""

    task: Task
    text: str
    right: bool

    @property
    def runs(self) -> bool:
        """Whether grading it runs a program."""
        return self.task.grader.kind == "code"


def read_answers(path: Path, folder: Path, mode: Grading) -> tuple[Answer, ...]:
    """The answers that have a verdict; one that is null or mixed is none.

    Args:
        path: one JSON object a line, gzip or plain.
        folder: a pack or a checkout of the benchmark, or imported tasks.
        mode: ``strict`` compares with ``adjudicated``, ``faithful`` with ``flag``,
            ``faithful-now`` with ``rule_now``.

    Raises:
        UserError: a line is no answer or its task is not there; names file and line.
    """
    tasks = _tasks(folder)
    answers = []
    for where, row in _rows(path):
        # Today's rule was not run on programs, and where it failed its error stands.
        now = mode == "faithful-now"
        for name in FIELDS if now else (*FIELDS, JUDGED_BY[mode]):
            if name not in row:
                raise UserError(f"{where}: {name} is missing")
        right = row.get(JUDGED_BY[mode])
        if right is None or right == "mixed" or (now and isinstance(right, str)):
            continue
        if not isinstance(right, bool) or not isinstance(row["answer"], str):
            raise UserError(
                f"{where}: expected a text as answer, and true, false or null as "
                + JUDGED_BY[mode]
            )
        id_ = task_id(str(row["dataset"]), row["id"])
        if id_ not in tasks:
            raise UserError(f"{where}: {folder} has no task {id_!r}")
        answers.append(Answer(tasks[id_], row["answer"], right))
    if not answers:
        raise UserError(f"{path}: the file holds no answer with a verdict")
    return tuple(answers)


def grade_answer(
    answer: Answer, mode: Grading, sandbox: Callable[[], Sandbox]
) -> tuple[bool | str, str]:
    """Whether the answer is right, or ``error``; and why.

    Raises:
        SandboxError: the sandbox failed.
    """
    needed = sandbox() if answer.runs else None
    try:
        verdict = grade(answer.task, Proposal(answer.text), mode, needed)
    except GraderError as problem:
        return "error", str(problem)
    return verdict.solved, verdict.reason


def _tasks(folder: Path) -> dict[str, Task]:
    if mint_bench.holds_benchmark(folder):
        tasks = mint_bench.load_tasks(folder)
    else:
        tasks = load_tasks([folder])
    return {task.id: task for task in tasks}


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for number, row in enumerate(json_lines(lines, path), 1):
            yield f"{path}, line {number}", row
