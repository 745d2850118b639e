"""Tasks to parametrized tests, with ids and marks that select exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from pytest_mint.choosing import sample
from pytest_mint.errors import UserError
from pytest_mint.lineup import Lineup
from pytest_mint.plugin.distributed import place_of
from pytest_mint.plugin.options import settings_of
from pytest_mint.tasks.model import Task
from pytest_mint.words import CATEGORIES

_LINEUP = pytest.StashKey[Lineup]()


def lineup_of(config: pytest.Config) -> Lineup:
    """The one lineup of this process."""
    if _LINEUP not in config.stash:
        place = place_of(config)
        config.stash[_LINEUP] = Lineup(
            settings_of(config),
            config.rootpath,
            calls=place.calls if place else None,
            local_url=place.local_url if place else "",
        )
    return config.stash[_LINEUP]


def parametrize(metafunc: pytest.Metafunc) -> None:
    """One test for every task.

    Raises:
        pytest.Collector.CollectError: the tasks cannot be used, or -k could not tell
            their categories apart.
    """
    try:
        lineup = lineup_of(metafunc.config)
        tasks = list(lineup.tasks.values())
        lacks = {task.key: lineup.lacks(task) for task in tasks}
    except UserError as problem:
        raise pytest.Collector.CollectError(str(problem)) from None
    node = metafunc.definition
    names = {
        "function": metafunc.function.__name__,
        "class": metafunc.cls.__name__ if metafunc.cls else "",
        "file": node.path.name,
    }
    if problems := ambiguous(tasks, names):
        raise pytest.Collector.CollectError("\n".join(problems))
    params = [_param(task, lacks[task.key]) for task in tasks]
    metafunc.parametrize("mint_task", params, indirect=True)


def _param(task: Task, lacks: str) -> object:
    told = {"category": task.category, "task": task.id, "dataset": task.dataset}
    marks = [pytest.mark.mint(**told)]
    if lacks:
        marks.append(pytest.mark.skip(reason=f"not applicable: needs {lacks}"))
    return pytest.param(task, id=task.key, marks=marks)


def ambiguous(tasks: Iterable[Task], names: dict[str, str]) -> list[str]:
    """Why ``-k CATEGORY`` would not select exactly the tasks of that category.

    -k looks for a substring of the names of file, class, function, marks and id.

    Args:
        tasks: all tasks that are collected.
        names: by kind, the other names that -k sees.
    """
    tasks = list(tasks)
    present = {task.category for task in tasks}
    problems = []
    for category in CATEGORIES:
        if present == {category}:
            continue  # whatever the name, all tasks are of this category
        problems += [
            f"the {kind} name {name!r} holds {category!r}: -k {category} would take "
            "tasks of all categories; choose another name"
            for kind, name in names.items()
            if category in name.lower()
        ]
        problems += [
            f"the id of {task.key} holds {category!r}: -k {category} would take it, "
            "too; choose another id"
            for task in tasks
            if task.category != category and category in task.id
        ]
    return problems


def limited(
    config: pytest.Config, items: Sequence[pytest.Item]
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests of the tasks that --mint-limit leaves, and the others.

    What this run cannot play is not worth a place in the sample.
    """
    lineup = lineup_of(config)
    limit = lineup.settings.limit
    tasks = {item: task_in(item) for item in items}
    playable = {t.key: t for t in tasks.values() if not lineup.lacks(t)}
    chosen = sample(playable.values(), limit or len(playable))
    kept = [item for item in items if tasks[item].key in chosen]
    return kept, [item for item in items if tasks[item].key not in chosen]


def task_in(item: pytest.Item) -> Task:
    """The task of a test."""
    task: Task = item.callspec.params["mint_task"]  # type: ignore[attr-defined]
    return task
