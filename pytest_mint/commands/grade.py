"""``pytest-mint grade``: an answer, a file of cases, or a file of recorded answers."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pytest_mint.commands.answers import Answer, grade_answer, read_answers
from pytest_mint.commands.judging import judge_for
from pytest_mint.errors import UserError
from pytest_mint.graders import Proposal, Verdict, grade
from pytest_mint.graders.cases import grade_case, read_cases
from pytest_mint.report.plain import plain, visible
from pytest_mint.results.files import write_json
from pytest_mint.sandbox import open_sandbox
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.settings import Settings, resolve
from pytest_mint.tasks.load import load_tasks
from pytest_mint.tasks.model import Task

T = TypeVar("T")
R = TypeVar("R")

#: Programs that run at once. A grading waits for its process most of the time.
THREADS = 2 * (os.cpu_count() or 1)


def run(options: argparse.Namespace) -> int:
    """Grade what the options name.

    Returns:
        0, or 1 where the one answer of ``--task`` is not right.

    Raises:
        UserError: an option, a file or a line of it cannot be used.
        Missing: the task, the judge or the sandbox is broken.
    """
    _refuse_what_does_not_fit(options)
    names = ("grading", "sandbox", "judge_model", "judge_base_url")
    settings = resolve({name: getattr(options, name) for name in names})
    with _sandbox(settings) as sandbox:
        if options.task:
            return _grade_one(options, settings, sandbox)
        if options.cases:
            return _grade_cases(options, settings, sandbox)
        return _grade_answers(options, settings, sandbox)


def _refuse_what_does_not_fit(options: argparse.Namespace) -> None:
    given = options.answer is not None or options.answer_file is not None
    if options.task and not given:
        raise UserError("--task needs --answer TEXT or --answer-file FILE")
    if not options.task and (given or options.id):
        raise UserError("--id, --answer and --answer-file go with --task FILE")
    if options.answers and not options.tasks:
        raise UserError(
            "--answers needs --tasks DIR: a pack or a checkout of the MINT benchmark, "
            "or a folder of tasks imported from it"
        )
    if options.tasks and not options.answers:
        raise UserError("--tasks goes with --answers FILE")
    if options.task and options.json:
        raise UserError("--json goes with --cases or --answers")


@contextmanager
def _sandbox(settings: Settings) -> Iterator[Callable[[], Sandbox]]:
    """Gives the sandbox, opened when it is first asked for, on the main thread."""
    opened: list[Sandbox] = []

    def give() -> Sandbox:
        if not opened:
            choice, image = settings.sandbox, settings.docker_image
            opened.append(open_sandbox(choice, image, THREADS))
        return opened[0]

    try:
        yield give
    finally:
        for sandbox in opened:
            sandbox.close()


# One answer


def _grade_one(
    options: argparse.Namespace, settings: Settings, sandbox: Callable[[], Sandbox]
) -> int:
    task = _choose(load_tasks([options.task]), options.id, options.task)
    answer = options.answer
    if answer is None:
        answer = _read_text(options.answer_file)
    needed = sandbox() if task.grader.kind == "code" else None
    with judge_for(task, settings) as judge:
        verdict = grade(task, Proposal(answer), settings.grading, needed, judge)
    for line in _told(task, verdict):
        print(line)
    return 0 if verdict.solved else 1


def _choose(tasks: Sequence[Task], name: str | None, file: Path) -> Task:
    if name is None and len(tasks) == 1:
        return tasks[0]
    found = [task for task in tasks if name in (task.id, task.key)]
    if len(found) == 1:
        return found[0]
    ids = ", ".join(task.key for task in tasks)
    if found:
        raise UserError(f"{file}: {name} is {ids}: name one of them with --id")
    asked = f"no task {name!r}" if name else f"{len(tasks)} tasks: name one with --id"
    raise UserError(f"{file} has {asked}; there are {ids}")


def _read_text(name: str) -> str:
    try:
        if name == "-":
            return sys.stdin.read()
        return Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{name}: the answer is not UTF-8") from None


def _told(task: Task, verdict: Verdict) -> Iterator[str]:
    """The verdict for a terminal; much of it is the text of strangers."""
    word = "right" if verdict.solved else "not solved"
    yield f"{task.key}: {word}, score {verdict.score:.3g}"
    if verdict.rule:
        yield f"  found by: {plain(verdict.rule)}"
    for number, line in enumerate(verdict.reason.splitlines()):
        yield f"            {visible(line)}" if number else f"  reason:   {plain(line)}"
    for name, value in verdict.details.items():
        text = json.dumps(value, ensure_ascii=False, default=str)
        yield f"  {plain(name)}: {plain(text)}"


# Files


def _grade_cases(
    options: argparse.Namespace, settings: Settings, sandbox: Callable[[], Sandbox]
) -> int:
    cases = read_cases(options.cases)
    if any(case.category == "coding" for case in cases):
        sandbox()
    graded = _each(
        lambda case: grade_case(case, settings.grading, sandbox),
        cases,
        lambda case: case.category == "coding",
    )
    differ = [
        {
            "id": one.case.id,
            "right": one.case.right,
            "got": one.got,
            "reason": one.reason,
        }
        for one in graded
        if not one.agrees
    ]
    print(f"{len(cases)} cases, {len(differ)} differ")
    for one in differ:
        told = f"{one['id']}: {one['right']} expected, got {one['got']}"
        print(f"  {plain(told)}: {plain(str(one['reason']))}")
    if options.json:
        write_json(options.json, {"cases": len(cases), "differ": differ})
    return 0


def _grade_answers(
    options: argparse.Namespace, settings: Settings, sandbox: Callable[[], Sandbox]
) -> int:
    answers = read_answers(options.answers, options.tasks, settings.grading)
    if any(answer.runs for answer in answers):
        sandbox()
    graded = _each(
        lambda answer: grade_answer(answer, settings.grading, sandbox),
        answers,
        lambda answer: answer.runs,
    )
    differ = [
        {
            "id": answer.task.id,
            "answer": answer.text,
            "right": answer.right,
            "got": got,
            "reason": reason,
        }
        for answer, (got, reason) in zip(answers, graded, strict=True)
        if got != answer.right
    ]
    for line in _by_dataset(answers, [str(one["id"]) for one in differ]):
        print(line)
    agree = len(answers) - len(differ)
    data = {"cases": len(answers), "agree": agree, "differ": differ}
    if options.json:
        write_json(options.json, data)
    return 0


def _by_dataset(answers: Sequence[Answer], differ: Sequence[str]) -> Iterator[str]:
    """How many answers of each dataset agree."""
    dataset_of = {answer.task.id: answer.task.dataset for answer in answers}
    total = Counter(answer.task.dataset for answer in answers)
    wrong = Counter(dataset_of[id_] for id_ in differ)
    rows = [(name, total[name], wrong[name]) for name in sorted(total)]
    for name, n, bad in [*rows, ("all", len(answers), len(differ))]:
        share = 100 * (n - bad) / n
        yield f"{plain(name):12} {n:6} answers, {share:6.2f} % agree, {bad} differ"


def _each(
    work: Callable[[T], R], items: Sequence[T], waits: Callable[[T], bool]
) -> list[R]:
    """The results in order; what waits for other processes runs in threads."""
    tell = _progress(len(items))
    with ThreadPoolExecutor(THREADS) as pool:
        futures = {
            n: pool.submit(work, one) for n, one in enumerate(items) if waits(one)
        }
        try:
            found = {n: work(one) for n, one in enumerate(items) if n not in futures}
            tell(len(found))
            for done, (number, future) in enumerate(futures.items(), len(found) + 1):
                found[number] = future.result()
                tell(done)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[number] for number in range(len(items))]


def _progress(total: int) -> Callable[[int], None]:
    """Tells on a terminal how far it is, in one line that is left behind empty."""
    if not sys.stderr.isatty():
        return lambda done: None

    def tell(done: int) -> None:
        line = "" if done == total else f"{done}/{total} graded"
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    return tell
