"""Worlds of decision_making tasks, as tests of the task files play in them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from typing import Any

from pytest_mint.graders import Proposal, grade
from pytest_mint.tasks.model import Task
from pytest_mint.tools.base import ToolError
from pytest_mint.tools.world import World


def solves(task: Task, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> bool:
    """Whether the world is as the task wants it after these actions."""
    with closing(World(task)) as world:
        for name, arguments in calls:
            with suppress(ToolError):
                world.act(name, arguments)
        return solved(task, world)


def solved(task: Task, world: World, said: str = "Done.") -> bool:
    """Whether the world is as the task wants it."""
    return grade(task, Proposal(said, world=world.state())).solved


def after_every_single_action(task: Task) -> Iterator[tuple[str, World]]:
    """The world after each action that is not refused, with all arguments.

    All that is: all that can be taken from the world's rows.
    """
    with closing(World(task)) as world:
        rows = itertools.chain(*world.state().values())
        cells = {cell for row in rows for cell in row.values()} - {None}
        trial = world.fork()
        for name, arguments in _calls(task, cells):
            try:
                trial.act(name, arguments)
            except ToolError:
                continue  # nothing has changed
            yield f"{name}({arguments})", trial
            trial.close()
            trial = world.fork()
        trial.close()


def _calls(task: Task, cells: Iterable[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    assert task.world_spec
    for action in task.world_spec.actions:
        wanted = action.parameters.properties
        choices = [_of_type(cells, schema["type"]) for schema in wanted.values()]
        for values in itertools.product(*choices):
            yield action.name, dict(zip(wanted, values, strict=True))


def _of_type(cells: Iterable[Any], kind: str) -> list[Any]:
    types = {"string": (str,), "integer": (int,), "number": (int, float)}
    return [cell for cell in cells if isinstance(cell, types[kind])]
