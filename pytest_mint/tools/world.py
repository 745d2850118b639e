"""The actions of a world: guards, changes and what the agent sees, all or nothing."""

from __future__ import annotations

import json
import math
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from pytest_mint.errors import GraderError
from pytest_mint.tasks.model import Task
from pytest_mint.tasks.world import Action, WorldSpec
from pytest_mint.tasks.world_sql import (
    ERRORS,
    WorldError,
    ask,
    connect,
    limit,
    open_world,
    rows_of,
)
from pytest_mint.tools.base import Context, Tool, ToolError, shorten

#: An argument may be so long, in characters, and is repeated in a message up to here.
MAX_ARGUMENT, MAX_REPEATED = 10_000, 200
#: A query shows so many rows.
MAX_ROWS = 200

_INT64 = range(-(2**63), 2**63)


def action_tools(task: Task) -> tuple[Tool, ...]:
    """The actions of the task's world as tools, in the order of the world."""
    world = task.world_spec
    return tuple(_tool(action) for action in world.actions) if world else ()


class World:
    """The rows of one conversation, made at the first use.

    Threads may use it, and wait for each other.

    Args:
        task: its world and its start.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._lock = threading.RLock()
        self._made: sqlite3.Connection | None = None

    def act(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Do an action and return what the agent sees.

        Args:
            name: one of the world's actions.
            arguments: as the action's schema has them.

        Raises:
            ToolError: the action is refused; nothing has changed.
            GraderError: there is no world to act in.
        """
        action = self._action(name)
        values = {
            argument: _bound(argument, arguments.get(argument, schema.get("default")))
            for argument, schema in action.parameters.properties.items()
        }
        with self._lock:
            db = self._db
            limit(db)
            db.execute("BEGIN")
            try:
                told = "\n".join(_do(db, action, values))
            except ERRORS as problem:
                _roll_back(db)
                raise ToolError(f"this cannot be done: {problem}") from None
            except BaseException:
                _roll_back(db)
                raise
            db.execute("COMMIT")
        return shorten(told)

    def state(self) -> dict[str, list[dict[str, Any]]]:
        """All rows by table, each as column to value.

        Raises:
            GraderError: there is no world.
        """
        with self._lock:
            limit(self._db)
            return rows_of(self._db, self._spec)

    def fork(self) -> World:
        """A world of its own with the same rows."""
        twin = World(self._task)
        with self._lock:
            if self._made is not None:
                twin._made = connect()
                self._made.backup(twin._made)
        return twin

    def close(self) -> None:
        """Drop the rows; safe to call twice."""
        with self._lock:
            if self._made is not None:
                self._made.close()

    @property
    def _spec(self) -> WorldSpec:
        world = self._task.world_spec
        if world is None:
            raise GraderError(f"{self._task.key} has no world to be played in")
        return world

    @property
    def _db(self) -> sqlite3.Connection:
        if self._made is None:
            try:
                self._made = open_world(self._spec, self._task.start)
            except WorldError as problem:
                raise GraderError(f"{self._task.key}: world: {problem}") from problem
        return self._made

    def _action(self, name: str) -> Action:
        found = next((one for one in self._spec.actions if one.name == name), None)
        if found is None:
            raise GraderError(f"{self._task.key}: its world has no action {name!r}")
        return found


def _tool(action: Action) -> Tool:
    def run(arguments: Mapping[str, Any], context: Context) -> str:
        return context.world().act(action.name, arguments)

    schema = action.parameters.model_dump()
    return Tool(action.name, action.description, schema, run)


def _do(
    db: sqlite3.Connection, action: Action, values: Mapping[str, Any]
) -> Iterator[str]:
    """Do the action, line by line of what the agent sees."""
    # The templates hold plain names only (the world was checked), and what is put in
    # is text: nothing of a value can be reached.
    said = {name: _repeated(value) for name, value in values.items()}
    for guard in action.guards:
        if ask(db, guard.sql, values) in (None, 0):
            raise ToolError(guard.message.format_map(said))
    for statement in action.change:
        db.execute(statement, values).close()
    yield action.observation.format_map(said)
    if action.query:
        yield from _listed(db.execute(action.query, values))


def _listed(found: sqlite3.Cursor) -> Iterator[str]:
    names = [column[0] for column in found.description]
    for row in islice(found, MAX_ROWS):
        shown = dict(zip(names, row, strict=True))
        yield json.dumps(shown, ensure_ascii=False, default=repr)
    if found.fetchone() is not None:
        yield f"[there are more than these {MAX_ROWS} rows]"
    found.close()


def _roll_back(db: sqlite3.Connection) -> None:
    limit(db)
    if db.in_transaction:  # some errors have ended it already
        db.execute("ROLLBACK")


def _bound(name: str, value: Any) -> Any:
    """An argument as it is bound to ``:name``: a value that SQLite has, too."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (list, dict)):
        value = json.dumps(value)
    if problem := _why_not_bound(value):
        raise ToolError(f"the argument {name!r} {problem}")
    return value


def _why_not_bound(value: Any) -> str:
    if isinstance(value, int) and value not in _INT64:
        return "is too large a number"
    if isinstance(value, float) and not math.isfinite(value):
        return "is no finite number"
    if isinstance(value, str) and len(value) > MAX_ARGUMENT:
        return f"is longer than {MAX_ARGUMENT} characters"
    if isinstance(value, str) and any("\ud800" <= one <= "\udfff" for one in value):
        return "is no text: it holds half a surrogate pair"
    return ""


def _repeated(value: Any) -> str:
    return "null" if value is None else shorten(str(value), MAX_REPEATED)
