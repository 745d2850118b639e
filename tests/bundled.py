"""The bundled tasks, and tests that run once for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_mint.tasks.load import DATA_FOLDERS, TaskFileError, load_tasks
from pytest_mint.tasks.model import Task
from pytest_mint.words import CATEGORIES

FOLDER = Path(__file__).parent.parent / "tasks"


def task_files() -> list[Path]:
    """The files that hold tasks, not what tasks need."""
    found = sorted(FOLDER.rglob("*.yaml"))
    return [f for f in found if f.relative_to(FOLDER).parts[0] not in DATA_FOLDERS]


def _tasks() -> Iterator[Task]:
    for file in task_files():
        try:
            yield from load_tasks([file])
        except TaskFileError:
            continue  # a test of its own tells what is wrong


TASKS = tuple(_tasks())


def each(*categories: str) -> pytest.MarkDecorator:
    """One test per task of these categories, or of all."""
    chosen = [task for task in TASKS if task.category in (categories or CATEGORIES)]
    params = [pytest.param(task, id=task.key) for task in chosen]
    return pytest.mark.parametrize("task", params)


each_file = pytest.mark.parametrize(
    "file", [pytest.param(f, id=str(f.relative_to(FOLDER))) for f in task_files()]
)
