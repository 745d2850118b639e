"""Task files to tasks, with every problem of a file told at once.

A task's category is its own field ``category`` or else the name of the nearest
folder above its file that is a category: ``tasks/coding/intervals.yaml``.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_mint.tasks.graderspec import Model
from pytest_mint.tasks.model import ID, Task
from pytest_mint.tasks.world import WorldSpec
from pytest_mint.tasks.yaml_file import TaskFileError, read_yaml
from pytest_mint.words import CATEGORIES

__all__ = ["TaskFileError", "bundled_folder", "explain", "load_tasks", "task_files"]

#: Folders beside the categories that hold what tasks need, not tasks.
DATA_FOLDERS = ("articles", "pages", "worlds", "data")
SUFFIXES = (".yaml", ".yml")
#: A world lies beside the task's file or beside one of the folders above it: so many.
_FOLDERS_ABOVE = 4


def bundled_folder() -> Path:
    """Where the tasks are that come with the package."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "bundled"
    return installed if installed.is_dir() else package.parent / "tasks"


def load_tasks(paths: Sequence[Path]) -> tuple[Task, ...]:
    """All tasks of these files and folders, in the order of the sorted file names.

    Args:
        paths: files, or folders that are searched for ``*.yaml`` and ``*.yml``.

    Raises:
        TaskFileError: a path is missing, a folder holds no task, or a task is wrong.
            The text names file, task, field, value and what was expected.
    """
    found: list[tuple[Path, Task]] = []
    problems: list[str] = []
    worlds = _Worlds()
    with _collector_paused():
        for file in task_files(paths):
            try:
                found += [(file, task) for task in _read_file(file, worlds)]
            except TaskFileError as problem:
                problems.append(str(problem))
    problems += _doubles(found)
    if problems:
        # A world that is wrong is a problem of every task that is played in it.
        lines = "\n".join(problems).splitlines()
        raise TaskFileError("\n".join(dict.fromkeys(lines)))
    if not found:
        where = ", ".join(map(str, paths))
        raise TaskFileError(f"{where}: the task files hold no task")
    return tuple(task for _, task in found)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Hundreds of thousands of nodes without cycles: looking for any costs a third."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def task_files(paths: Sequence[Path]) -> list[Path]:
    """The files that hold tasks, sorted in each folder.

    Raises:
        TaskFileError: a path is missing, or a folder has no such file.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(_below(path))
            if not found:
                raise TaskFileError(
                    f"{path}: no task files in this folder; expected "
                    "CATEGORY/THEME.yaml with CATEGORY one of " + ", ".join(CATEGORIES)
                )
            files += found
        elif path.is_file():
            files.append(path)
        else:
            raise TaskFileError(f"{path}: no such task file or folder")
    return list(dict.fromkeys(files))


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        inner = path.relative_to(folder).parts[:-1]
        if (
            path.suffix in SUFFIXES
            and not path.is_dir()
            and not set(inner) & set(DATA_FOLDERS)
        ):
            yield path


def _read_file(file: Path, worlds: _Worlds) -> list[Task]:
    data = read_yaml(file)
    if not isinstance(data, list):
        kind = "nothing" if data is None else f"a {type(data).__name__}"
        raise TaskFileError(f"{file}: expected a list of tasks, found {kind}")
    folder = next((p.name for p in file.parents if p.name in CATEGORIES), None)
    tasks, problems = [], []
    for place, item in enumerate(data, 1):
        if not isinstance(item, dict):
            found = _short(item)
            problems.append(f"{file}: item {place}: expected a task, found {found}")
            continue
        category = {"category": folder} if folder and "category" not in item else {}
        try:
            given = {**item, **category, **worlds.of(item, file)}
            tasks.append(Task.model_validate(given))
        except TaskFileError as problem:
            problems.append(str(problem))
        except ValidationError as error:
            name = f'task "{item.get("id", f"number {place}")}"'
            problems += [f"{file}: {name}: {line}" for line in explain(error)]
    if problems:
        raise TaskFileError("\n".join(problems))
    return tasks


class _Worlds:
    """The worlds that task files name, each read once."""

    def __init__(self) -> None:
        self._read: dict[Path, WorldSpec] = {}

    def of(self, item: Mapping[str, Any], file: Path) -> dict[str, WorldSpec]:
        """The field ``world`` of a task of this file, where it names a world.

        Raises:
            TaskFileError: there is no such world, or its file is wrong.
        """
        name = item.get("world", "" if "goal" in item else None)
        if not isinstance(name, str):
            return {}
        path = _world_file(name, file)
        if path is None:
            raise TaskFileError(
                f'{file}: task "{item.get("id")}": world: {_short(name)}: expected the '
                "name of a file in a folder worlds, beside this file or above it"
            )
        if path not in self._read:
            self._read[path] = _read_world(path)
        return {"world": self._read[path]}


def _world_file(name: str, file: Path) -> Path | None:
    """The nearest world of this name; those that are bundled stand last."""
    if not ID.fullmatch(name):
        return None
    folders = (*file.resolve().parents[:_FOLDERS_ABOVE], bundled_folder())
    around = [folder / "worlds" / name for folder in folders]
    paths = [path.with_name(name + end) for path in around for end in SUFFIXES]
    return next((path for path in paths if path.is_file()), None)


def _read_world(path: Path) -> WorldSpec:
    data = read_yaml(path)
    if not isinstance(data, dict):
        raise TaskFileError(f"{path}: expected a world, found {_short(data)}")
    try:
        world = WorldSpec.model_validate(data)
    except ValidationError as error:
        raise TaskFileError(
            "\n".join(f"{path}: {line}" for line in explain(error))
        ) from None
    if world.name != path.stem:
        told = f"name: {world.name!r}: expected {path.stem}, as the file is called"
        raise TaskFileError(f"{path}: {told}")
    return world


def explain(error: ValidationError) -> list[str]:
    """One line per problem: field, value, and what was expected."""
    lines = []
    for one in error.errors(include_url=False):
        if one["type"] == "union_tag_not_found":
            continue  # the category, which says how to grade, is wrong and told
        # The discriminator of a union is no part of the file.
        path = [str(part) for part in one["loc"]]
        if len(path) > 1 and path[0] in ("grader", "world"):
            del path[1]
        field = ".".join(path)
        told = one["msg"].removeprefix("Value error, ")
        if one["type"] == "extra_forbidden":
            told = "there is no such field" + _similar(path)
        elif one["type"] == "missing":
            told = "is missing"
        elif field:
            told = f"{_short(one['input'])}: {told[0].lower()}{told[1:]}"
        lines.append(f"{field}: {told}" if field else told)
    return lines


def _similar(path: Sequence[str]) -> str:
    """A field of tasks, or of one of their parts, that is written nearly like it."""
    from pytest_mint.settings import did_you_mean

    parts = [model for model in Model.__subclasses__() if model is not Task]
    models = [Task] if len(path) == 1 else parts
    return did_you_mean(path[-1], [name for m in models for name in m.model_fields])


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _doubles(found: Iterable[tuple[Path, Task]]) -> list[str]:
    first: dict[str, Path] = {}
    doubles = []
    for file, task in found:
        if task.key in first:
            doubles.append(
                f'{file}: task "{task.id}": id: there is another {task.key} '
                f"in {first[task.key]}; ids are unique in their category"
            )
        first.setdefault(task.key, file)
    return doubles
