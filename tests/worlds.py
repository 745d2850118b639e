"""Worlds of decision_making tasks, played on SQLite in memory.

Just enough to hold task files to their rules: the reference actions reach the goal, and
no single action does.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import yaml

from pytest_mint.tasks.model import Task
from tests.bundled import FOLDER


class World:
    """The tables of one episode and the actions on them."""

    def __init__(self, spec: Mapping[str, Any], db: sqlite3.Connection) -> None:
        self.actions = {action["name"]: action for action in spec["actions"]}
        self.db = db

    def act(self, name: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        """Whether the action was done, and what the agent sees."""
        action = self.actions[name]
        asked = action["parameters"]
        unknown = set(arguments) - set(asked["properties"])
        missing = set(asked["required"]) - set(arguments)
        if unknown or missing:
            return False, f"unknown arguments {unknown}, missing arguments {missing}"
        values = {**dict.fromkeys(asked["properties"]), **arguments}
        for guard in action.get("guards", ()):
            if not self.value(guard["sql"], values):
                return False, guard["message"].format_map(values)
        for statement in action.get("change", ()):
            self.db.execute(statement, values)
        seen = [action["observation"].format_map(values)]
        if query := action.get("query"):
            rows = self.db.execute(query, values)
            names = [column[0] for column in rows.description]
            seen += [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
        return True, "\n".join(seen)

    def value(self, sql: str, values: Mapping[str, Any] | None = None) -> Any:
        """The first column of the first row, or None where there is no row."""
        row = self.db.execute(sql, values or {}).fetchone()
        return None if row is None else row[0]

    def solved(self, task: Task) -> bool:
        """Whether every goal holds and nothing forbidden does."""
        return all(self._holds(one) for one in task.goal) and not any(
            self._holds(one) for one in task.forbidden
        )

    def _holds(self, condition: Mapping[str, Any]) -> bool:
        return bool(self.value(condition["sql"]) == condition["expect"])

    def every_single_action(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each action, with all arguments that can be taken from the world's rows."""
        names = self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        cells: set[Any] = set()
        for (table,) in names.fetchall():
            for row in self.db.execute(f'SELECT * FROM "{table}"'):
                cells |= set(row) - {None}
        for name, action in self.actions.items():
            wanted = action["parameters"]["properties"]
            choices = [_of_type(cells, schema["type"]) for schema in wanted.values()]
            for values in itertools.product(*choices):
                yield name, dict(zip(wanted, values, strict=True))


def _of_type(cells: Iterable[Any], kind: str) -> list[Any]:
    types = {"string": (str,), "integer": (int,), "number": (int, float)}
    return [cell for cell in cells if isinstance(cell, types[kind])]


def read_world(name: str) -> Any:
    """The world file of this name."""
    return yaml.load(
        (FOLDER / "worlds" / f"{name}.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader
    )


@contextmanager
def open_world(task: Task) -> Iterator[World]:
    """The task's world at its start: the world's rows, then those that differ."""
    spec = read_world(task.world)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for table, content in spec["tables"].items():
            columns = ", ".join(f'"{n}" {c}' for n, c in content["columns"].items())
            db.execute(f'CREATE TABLE "{table}" ({columns})')
            for row in (*content["rows"], *task.start.get(table, ())):
                names = ", ".join(f'"{name}"' for name in row)
                marks = ", ".join(f":{name}" for name in row)
                db.execute(f'REPLACE INTO "{table}" ({names}) VALUES ({marks})', row)
        yield World(spec, db)


def solves(task: Task, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> bool:
    """Whether the world is as the task wants it after these actions."""
    with open_world(task) as world:
        for name, arguments in calls:
            world.act(name, arguments)
        return world.solved(task)
