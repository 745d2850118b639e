"""``pytest-mint import``: another benchmark's tasks and recordings as our own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pytest_mint.errors import UserError
from pytest_mint.results.plan import Collected, Plan, plan_to_data
from pytest_mint.results.store import create_run
from pytest_mint.tasks import mint_bench
from pytest_mint.tasks.model import Task
from pytest_mint.tasks.write import write_tasks

_LICENCE = (
    "# Imported from the MINT benchmark (arXiv 2309.10691, Apache License 2.0).\n"
    "# The texts keep the licences of their sources.\n"
)


def run(options: argparse.Namespace) -> int:
    """Write the tasks of ``options.source`` and a run for each recorded model.

    Raises:
        UserError: there is no such recording, or a file is there already.
    """
    source = options.source
    tasks = mint_bench.load_tasks(source)
    known = mint_bench.models(source)
    models = options.model or known
    if unknown := [model for model in models if model not in known]:
        raise UserError(
            f"{source} has no recording of {', '.join(unknown)}; it has "
            + (", ".join(known) or "none at all")
        )
    for path in write_tasks(tasks, options.to, _LICENCE):
        print(f"wrote {path}")
    for model in models:
        _write_run(options, tasks, model)
    return 0


def _write_run(options: argparse.Namespace, tasks: Sequence[Task], model: str) -> None:
    source = options.source
    collected = tuple(Collected(t.key, t.category, t.dataset) for t in tasks)
    not_applicable = {task.key: task.needs for task in tasks if task.needs}
    results = mint_bench.results(source, model)
    arms = {r.task: tuple(r.episodes) for r in results}
    settings = {
        "model": model,
        "feedback_model": mint_bench.TEACHER,
        "source": str(source),
    }
    written = create_run(options.runs, model, settings)
    written.note(
        plan=plan_to_data(Plan(collected, not_applicable, arms)),
        tasks={task.key: task.digest for task in tasks},
        protocol="text",
    )
    for result in results:
        written.append(result)
    written.finish()
    for problem in written.problems:
        raise UserError(problem)
    print(f"wrote {written.path}: {len(results)} tasks as played by {model}")
