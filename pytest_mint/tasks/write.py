"""Tasks to task files, the inverse of loading them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from pytest_mint.tasks.model import Task


def write_tasks(tasks: Iterable[Task], folder: Path, head: str = "") -> list[Path]:
    """Write the tasks to ``folder/CATEGORY/DATASET.yaml``, a file for each dataset.

    Args:
        tasks: imported tasks; their dataset names the file.
        folder: made if it is not there.
        head: comment lines for the top of every file.

    Raises:
        FileExistsError: a file of that name is there; nothing is written.
    """
    files: dict[Path, list[Task]] = {}
    for task in tasks:
        path = folder / task.category / f"{task.dataset}.yaml"
        files.setdefault(path, []).append(task)
    if there := [path for path in files if path.exists()]:
        raise FileExistsError(f"{there[0]} is there already")
    for path, group in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head + to_yaml(group), encoding="utf-8")
    return list(files)


def to_yaml(tasks: Iterable[Task]) -> str:
    """The tasks as a task file holds them, without fields that hold their default."""
    frames: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
    text: str = yaml.dump(
        [_plain(task, frames) for task in tasks],
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=88,
    )
    return text


def _plain(
    task: Task, frames: dict[tuple[tuple[str, str], ...], dict[str, str]]
) -> dict[str, Any]:
    data = task.model_dump(exclude_defaults=True)
    # The kind of a grader is its default and yet has to be told.
    data["grader"] = {"kind": task.grader.kind, **data.get("grader", {})}
    del data["category"]
    if task.frame:  # one object for all tasks that share it becomes a YAML alias
        same = tuple(sorted(task.frame.items()))
        data["frame"] = frames.setdefault(same, dict(task.frame))
    return data


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines as a block."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    if "\x85" in text:  # a line end in YAML: plain text would come back without it
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _decimal(dumper: yaml.SafeDumper, number: Decimal) -> yaml.ScalarNode:
    return dumper.represent_str(str(number))


def _mapping(dumper: yaml.SafeDumper, data: Mapping[str, Any]) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", data.items())


_Dumper.add_representer(str, _text)
_Dumper.add_representer(dict, _mapping)
_Dumper.add_representer(Decimal, _decimal)
