"""The command ``pytest-mint``: what is done outside a test session."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_mint import __version__
from pytest_mint.errors import MintError
from pytest_mint.words import ALL_ARMS, GRADINGS

Commands = Any  # argparse keeps the type of its subparsers to itself


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        The exit code: 0, or 1 where the command says no (an answer is not right), or
        2 where it could not be done.
    """
    options = _parser().parse_args(arguments)
    try:
        command = import_module(f"pytest_mint.commands.{options.module}")
        code: int = command.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe went away, and wants no complaint
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (MintError, OSError) as problem:
        print(f"pytest-mint: {problem}", file=sys.stderr)
        return 2
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pytest-mint", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (
        _add_init,
        _add_import,
        _add_show,
        _add_grade,
        _add_tasks,
        _add_image,
    ):
        add(commands)
    return parser


def _add_init(commands: Commands) -> None:
    init = commands.add_parser("init", help="write the test of all tasks into a folder")
    init.add_argument("folder", nargs="?", type=Path, default=Path("tasks"))
    init.set_defaults(module="init")


def _add_import(commands: Commands) -> None:
    imports = commands.add_parser("import", help="bring in another benchmark")
    imports.add_argument("benchmark", choices=["mint-bench"])
    imports.add_argument("source", type=Path, help="its repository, or a pack of it")
    imports.add_argument("--to", type=Path, required=True, help="folder for the tasks")
    imports.add_argument(
        "--runs", type=Path, default=Path(".mint/runs"), help="folder for its runs"
    )
    imports.add_argument(
        "--model", action="append", help="a recorded model (repeatable; default: all)"
    )
    imports.set_defaults(module="import_")


def _add_show(commands: Commands) -> None:
    show = commands.add_parser("show", help="print the conversation of a task")
    show.add_argument("task", help="CATEGORY/ID, or the ID alone")
    show.add_argument("--run", type=Path, help="folder of the run (default: the last)")
    show.add_argument("--arm", choices=ALL_ARMS, default="ef")
    show.add_argument("--json", action="store_true", help="as chat messages in JSON")
    show.set_defaults(module="show")


def _add_grade(commands: Commands) -> None:
    grade = commands.add_parser(
        "grade", help="grade an answer, or a file of graded answers"
    )
    what = grade.add_mutually_exclusive_group(required=True)
    what.add_argument("--task", type=Path, metavar="FILE", help="a file of tasks")
    what.add_argument(
        "--cases", type=Path, metavar="FILE.jsonl", help="tasks with their verdicts"
    )
    what.add_argument(
        "--answers", type=Path, metavar="FILE.jsonl.gz", help="recorded answers"
    )
    grade.add_argument("--id", help="of the task in FILE (default: the only one)")
    answer = grade.add_mutually_exclusive_group()
    answer.add_argument("--answer", metavar="TEXT", help="the reply to be graded")
    answer.add_argument(
        "--answer-file", metavar="FILE", help="the reply's file; - is standard input"
    )
    grade.add_argument(
        "--tasks", type=Path, metavar="DIR", help="the tasks of the recorded answers"
    )
    grade.add_argument(
        "--json", type=Path, metavar="OUT", help="write what differs to OUT"
    )
    grade.add_argument("--grading", choices=GRADINGS, default="")
    grade.add_argument(
        "--sandbox", choices=["auto", "docker", "cage", "unsafe"], default=""
    )
    grade.add_argument("--judge-model", metavar="NAME", help="goes by a rubric")
    grade.add_argument("--judge-base-url", metavar="URL", help="where it answers")
    grade.set_defaults(module="grade")


def _add_tasks(commands: Commands) -> None:
    tasks = commands.add_parser("tasks", help="say what tasks there are")
    actions = tasks.add_subparsers(metavar="ACTION", required=True)
    stats = actions.add_parser("stats", help="count them by theme and difficulty")
    stats.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="files or folders (default: those of a session here)",
    )
    stats.set_defaults(module="tasks")


def _add_image(commands: Commands) -> None:
    image = commands.add_parser("image", help="say which image containers have")
    image.set_defaults(module="image", action="")
    actions = image.add_subparsers(metavar="ACTION")
    build = actions.add_parser("build", help="make it")
    build.add_argument(
        "--from-host",
        action="store_true",
        help="from this interpreter, without an image registry",
    )
    build.set_defaults(action="build")


if __name__ == "__main__":
    sys.exit(main())
