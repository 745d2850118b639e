"""The command ``pytest-mint``: what is done outside a test session."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_mint import __version__
from pytest_mint.errors import UserError

TEST_FILE = "test_mint.py"
TEST = "def test_mint(mint_episode):\n    mint_episode.assert_solved()\n"
RUNS = Path(".mint/runs")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, or 2 where it could not be done."""
    options = _parser().parse_args(arguments)
    try:
        options.do(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe went away, and wants no complaint
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (UserError, OSError) as problem:
        print(f"pytest-mint: {problem}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pytest-mint", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    init = commands.add_parser("init", help="write the test of all tasks into a folder")
    init.add_argument("folder", nargs="?", type=Path, default=Path("tasks"))
    init.set_defaults(do=_init)

    imports = commands.add_parser("import", help="bring in another benchmark")
    imports.add_argument("benchmark", choices=["mint-bench"])
    imports.add_argument("source", type=Path, help="its repository, or a pack of it")
    imports.add_argument("--to", type=Path, required=True, help="folder for the tasks")
    imports.add_argument("--runs", type=Path, default=RUNS, help="folder for its runs")
    imports.add_argument(
        "--model", action="append", help="a recorded model (repeatable; default: all)"
    )
    imports.set_defaults(do=_import)

    show = commands.add_parser("show", help="print the conversation of a task")
    show.add_argument("task", help="CATEGORY/ID, or the ID alone")
    show.add_argument("--run", type=Path, help="folder of the run (default: the last)")
    show.add_argument("--arm", choices=["ef", "nlf"], default="ef")
    show.add_argument("--json", action="store_true", help="as chat messages in JSON")
    show.set_defaults(do=_show)
    return parser


def _init(options: argparse.Namespace) -> None:
    path = options.folder / TEST_FILE
    if path.exists():
        raise UserError(f"{path} is there already")
    options.folder.mkdir(parents=True, exist_ok=True)
    path.write_text(TEST, encoding="utf-8")
    print(f"wrote {path}; add {options.folder} to testpaths, then:")
    print("  pytest --mint-model=oracle")


def _import(options: argparse.Namespace) -> None:
    from pytest_mint.results.plan import Collected, Plan, plan_to_data
    from pytest_mint.results.store import create_run
    from pytest_mint.tasks import mint_bench
    from pytest_mint.tasks.write import write_tasks

    source = options.source
    tasks = mint_bench.load_tasks(source)
    models = options.model or mint_bench.models(source)
    known = mint_bench.models(source)
    if unknown := [model for model in models if model not in known]:
        raise UserError(
            f"{source} has no recording of {', '.join(unknown)}; it has "
            + (", ".join(known) or "none at all")
        )
    for path in write_tasks(tasks, options.to, _LICENCE):
        print(f"wrote {path}")
    collected = tuple(Collected(t.key, t.category, t.dataset) for t in tasks)
    not_applicable = {task.key: task.needs for task in tasks if task.needs}
    for model in models:
        results = mint_bench.results(source, model)
        arms = {r.task: tuple(r.episodes) for r in results}
        run = create_run(options.runs, model, {"model": model, "source": str(source)})
        run.note(
            plan=plan_to_data(Plan(collected, not_applicable, arms)),
            tasks={task.key: task.digest for task in tasks},
            protocol="text",
        )
        for result in results:
            run.append(result)
        run.finish()
        for problem in run.problems:
            raise UserError(problem)
        print(f"wrote {run.path}: {len(results)} tasks as played by {model}")


_LICENCE = (
    "# Imported from the MINT benchmark (arXiv 2309.10691, Apache License 2.0).\n"
    "# The texts keep the licences of their sources.\n"
)


def _show(options: argparse.Namespace) -> None:
    from pytest_mint.report.episode import told, trajectory
    from pytest_mint.results.store import read_run

    run = options.run or _last_run()
    _, results = read_run(run)
    matching = [r for r in results if options.task in (r.task, r.task.split("/")[1])]
    if not matching:
        raise UserError(f"{run} has no task {options.task!r}")
    if len(keys := sorted({result.task for result in matching})) > 1:
        raise UserError(f"{options.task} is {', '.join(keys)}: name one of them")
    episode = matching[-1].episodes.get(options.arm)
    if episode is None:
        raise UserError(f"{run}: {options.task} was not played in arm {options.arm}")
    if options.json:
        print(json.dumps(trajectory(episode), indent=2))
        return
    print(told(episode))


def _last_run() -> Path:
    runs = sorted(RUNS.glob("*/run.json"), key=lambda path: path.stat().st_mtime)
    if not runs:
        raise UserError(f"no run below {RUNS}; name one with --run DIR")
    return runs[-1].parent


if __name__ == "__main__":
    sys.exit(main())
