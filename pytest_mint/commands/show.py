"""``pytest-mint show``: the conversation of a task that was played."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pytest_mint.errors import UserError
from pytest_mint.report.episode import told, trajectory
from pytest_mint.results.store import read_run

RUNS = Path(".mint/runs")


def run(options: argparse.Namespace) -> int:
    """Print the episode of ``options.task`` in one arm.

    Raises:
        UserError: there is no such run, task or arm.
    """
    folder = options.run or _last_run()
    _, results = read_run(folder)
    matching = [r for r in results if options.task in (r.task, r.task.split("/")[1])]
    if not matching:
        raise UserError(f"{folder} has no task {options.task!r}")
    if len(keys := sorted({result.task for result in matching})) > 1:
        raise UserError(f"{options.task} is {', '.join(keys)}: name one of them")
    episode = matching[-1].episodes.get(options.arm)
    if episode is None:
        raise UserError(f"{folder}: {options.task} was not played in arm {options.arm}")
    as_json = options.json
    print(json.dumps(trajectory(episode), indent=2) if as_json else told(episode))
    return 0


def _last_run() -> Path:
    runs = sorted(RUNS.glob("*/run.json"), key=lambda path: path.stat().st_mtime)
    if not runs:
        raise UserError(f"no run below {RUNS}; name one with --run DIR")
    return runs[-1].parent
