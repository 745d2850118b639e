"""Worlds in SQLite, in memory: their tables and rows, and what is asked of them.

Nothing here runs for ever: whoever asks anything says first, with :func:`limit`, that a
new piece of work begins, and one that takes too long is interrupted.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from typing import Any

from pytest_mint.tasks.world import Action, Condition, WorldSpec

#: Table to rows, a row as column to value.
Rows = Mapping[str, Sequence[Mapping[str, Any]]]

#: What one piece of work may take: so many times so many of SQLite's instructions.
#: Counted, not timed, so that it ends alike on every machine.
TICKS, TICK = 1_000, 10_000
#: What a world may hold, in pages of 4 KiB, and one value of it, in bytes.
MAX_PAGES = 4_096
MAX_LENGTH = 1_000_000

#: What sqlite3 raises. It tells of a second statement with a Warning before 3.12.
ERRORS = (sqlite3.Error, sqlite3.Warning)


class WorldError(Exception):
    """A world or a task that SQLite does not take; the text names the field."""


def connect() -> sqlite3.Connection:
    """An empty database. Threads may share it, one at a time."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.execute(f"PRAGMA max_page_count = {MAX_PAGES}")
    db.execute("PRAGMA temp_store = MEMORY")
    if sys.version_info >= (3, 11):
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LENGTH)
    limit(db)
    return db


def limit(db: sqlite3.Connection) -> None:
    """Let the work that begins now be interrupted where it takes too long."""
    left = iter(range(TICKS))
    db.set_progress_handler(lambda: next(left, None) is None, TICK)


def open_world(world: WorldSpec, start: Rows | None = None) -> sqlite3.Connection:
    """A database with the world's rows, and then those that differ at the start.

    Raises:
        WorldError: SQLite does not take them.
    """
    own = {name: table.rows for name, table in world.tables.items()}
    db = rebuild(world, own, "tables.{}.rows")
    try:
        _put(db, "REPLACE", start or {}, "start.{}")
    except BaseException:
        db.close()
        raise
    return db


def rebuild(world: WorldSpec, rows: Rows, field: str = "{}") -> sqlite3.Connection:
    """A database with the world's tables and these rows.

    Args:
        field: names the rows of a table in errors.

    Raises:
        WorldError: SQLite does not take them.
    """
    db = connect()
    try:
        for name, table in world.tables.items():
            columns = ", ".join(f'"{n}" {c}' for n, c in table.columns.items())
            with _naming(f"tables.{name}.columns"):
                db.execute(f'CREATE TABLE "{name}" ({columns})')
        _put(db, "INSERT", rows, field)
    except BaseException:
        db.close()
        raise
    return db


def _put(db: sqlite3.Connection, how: str, rows: Rows, field: str) -> None:
    for table, several in rows.items():
        tried = 0

        def values(run: Iterable[Mapping[str, Any]]) -> Iterator[list[Any]]:
            nonlocal tried
            for row in run:
                tried += 1
                yield list(row.values())

        for names, run in groupby(several, tuple):  # one statement for those alike
            sql = f"{how} INTO {_quoted([table])} ({_quoted(names)}) VALUES "
            first = tried
            try:
                db.executemany(f"{sql}({', '.join('?' * len(names))})", values(run))
            except ERRORS as problem:
                where = f"{field.format(table)}.{max(tried - 1, first)}"
                raise WorldError(f"{where}: {problem}") from problem


def rows_of(
    db: sqlite3.Connection, world: WorldSpec
) -> dict[str, list[dict[str, Any]]]:
    """All rows by table, in the order of the primary key, else as they were added."""
    return {table: _rows(db, table) for table in world.tables}


def _rows(db: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    # Columns that are computed are not listed here, and cannot be put in again.
    info = db.execute(f'PRAGMA table_info("{table}")').fetchall()
    names = [column[1] for column in info]
    key = [name for place, name in sorted((c[5], c[1]) for c in info) if place]
    listed, order = _quoted(names), _quoted(key) or "rowid"
    found = db.execute(f'SELECT {listed} FROM "{table}" ORDER BY {order}')  # noqa: S608
    return [dict(zip(names, row, strict=True)) for row in found]


def _quoted(names: Iterable[str]) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)


def ask(
    db: sqlite3.Connection, sql: str, values: Mapping[str, Any] | None = None
) -> Any:
    """The first column of the first row, None where there is no row."""
    with closing(db.execute(sql, values or {})) as found:
        row = found.fetchone()
    return None if row is None else row[0]


def ask_all(
    db: sqlite3.Connection, conditions: Sequence[Condition], field: str
) -> list[Any]:
    """What each of the conditions finds.

    Raises:
        WorldError: SQLite cannot tell.
    """
    found = []
    for number, condition in enumerate(conditions):
        limit(db)
        with _naming(f"{field}.{number}.sql"):
            found.append(ask(db, condition.sql))
    return found


def world_problems(world: WorldSpec) -> list[str]:
    """What SQLite does not take: one problem of the tables, else those of actions."""
    try:
        db = open_world(world)
    except WorldError as problem:
        return [str(problem)]
    with closing(db):
        checks = [check for action in world.actions for check in _checks(db, action)]
        return [told for check in checks if (told := _problem(check))]


def task_problem(
    world: WorldSpec, start: Rows, conditions: Mapping[str, Sequence[Condition]]
) -> str:
    """What of a task does not fit its world, empty if all does.

    Args:
        conditions: by the field that holds them.
    """
    if unknown := [name for name in start if name not in world.tables]:
        return f"start.{unknown[0]}: expected a table, one of {', '.join(world.tables)}"

    def check() -> None:
        with closing(open_world(world, start)) as db:
            for field, several in conditions.items():
                ask_all(db, several, field)

    return _problem(check)


def _problem(check: Callable[[], object]) -> str:
    try:
        check()
    except WorldError as problem:
        return str(problem)
    return ""


def _checks(db: sqlite3.Connection, action: Action) -> Iterator[Callable[[], None]]:
    """One check per statement: SQLite reads it, with a value for every argument."""
    values = dict.fromkeys(action.parameters.properties)
    guards = {f"guards.{n}.sql": guard.sql for n, guard in enumerate(action.guards)}
    changes = {f"change.{n}": sql for n, sql in enumerate(action.change)}
    query = {"query": action.query} if action.query else {}
    for field, sql in {**guards, **changes, **query}.items():

        def check(field: str = field, sql: str = sql) -> None:
            with _naming(f"actions.{action.name}.{field}"):
                db.execute(f"EXPLAIN {sql}", values).close()

        yield check


@contextmanager
def _naming(field: str) -> Iterator[None]:
    try:
        yield
    except ERRORS as problem:
        raise WorldError(f"{field}: {problem}") from problem
