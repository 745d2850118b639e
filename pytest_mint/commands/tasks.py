"""``pytest-mint tasks stats``: how many tasks there are of what."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_mint.choosing import task_folder
from pytest_mint.report.plain import pad
from pytest_mint.tasks.load import load_tasks, task_files
from pytest_mint.tasks.model import TOOLS, Task
from pytest_mint.words import CATEGORIES

#: Heads of the columns of tools.
_SHORT = {
    "python_interpreter": "python",
    "calculator": "calc",
    "file_system_io": "files",
    "wikipedia_search": "wiki",
    "web_scraper": "web",
}
_LEVELS = range(1, 6)


def run(options: argparse.Namespace) -> int:
    """Print a table: a row for each theme (a file), category and all.

    Raises:
        TaskFileError: a task file is wrong.
    """
    paths = options.paths or [task_folder(Path.cwd())]
    themes = [(file.stem, load_tasks([file])) for file in task_files(paths)]
    print("\n".join(_table(themes)))
    return 0


def _table(themes: Sequence[tuple[str, Sequence[Task]]]) -> Iterator[str]:
    first = 2 + max(len(name) for name in (*CATEGORIES, *(name for name, _ in themes)))
    levels = "".join(f"{f'd{level}':>5}" for level in _LEVELS)
    tools = "".join(f"{_SHORT[tool]:>8}" for tool in TOOLS)
    yield f"{'':{first}}{'tasks':>7}{levels}{tools}"
    for category in CATEGORIES:
        rows = [
            (name, mine)
            for name, tasks in themes
            if (mine := [task for task in tasks if task.category == category])
        ]
        if rows:
            yield _row(category, [task for _, mine in rows for task in mine], first)
            yield from (_row(f"  {name}", mine, first) for name, mine in rows)
    yield _row("all", [task for _, tasks in themes for task in tasks], first)


def _row(name: str, tasks: Iterable[Task], first: int) -> str:
    tasks = list(tasks)
    difficulties = Counter(task.difficulty for task in tasks)
    tools = Counter(tool for task in tasks for tool in task.tools)
    counts = "".join(f"{difficulties[level] or '-':>5}" for level in _LEVELS)
    used = "".join(f"{tools[tool] or '-':>8}" for tool in TOOLS)
    return f"{pad(name, first)}{len(tasks):>7}{counts}{used}"
