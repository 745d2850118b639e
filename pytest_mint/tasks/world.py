"""The world of a decision_making task: tables of rows, and actions on them.

A world is checked as a whole when it is read: its tables are made, and SQLite reads
every statement. What a model does in it later cannot hit upon an error of the file.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterator
from string import Formatter
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Discriminator,
    ModelWrapValidatorHandler,
    StringConstraints,
    Tag,
    model_validator,
)

from pytest_mint.tasks.graderspec import Model, Text

if TYPE_CHECKING:
    from typing_extensions import Self

#: Statements that ask, and those that change rows. No other may stand in a task or a
#: world: a stranger's file must not attach a database, which is a file on the disk.
ASKS = ("SELECT", "WITH", "VALUES")
CHANGES = ("INSERT", "UPDATE", "DELETE", "REPLACE", "WITH")

_INT64 = range(-(2**63), 2**63)


def _word(name: str) -> str:
    if keyword.iskeyword(name):
        raise ValueError("expected a name that is no keyword of Python")
    return name


def _cell(value: Any) -> Any:
    """A value as SQLite has it. YAML turns ``no`` into false and dates into objects."""
    fits = value is None or isinstance(value, str)
    fits |= type(value) is int and value in _INT64
    fits |= isinstance(value, float) and math.isfinite(value)
    if not fits:
        raise ValueError(
            "expected a text, a number or null; quote a text such as no or 2031-05-01"
        )
    return value


def _expected(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else _cell(value)


def _begins_with(words: tuple[str, ...], sql: str) -> str:
    first = re.match(r"\s*(\w+)", sql)
    if not first or first[1].upper() not in words:
        raise ValueError(f"expected SQL that begins with {', '.join(words)}")
    return sql


Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
Word = Annotated[Name, AfterValidator(_word)]  # code in the interpreter writes it, too
Cell = Annotated[Any, AfterValidator(_cell)]
Row = dict[Name, Cell]
Question = Annotated[Text, AfterValidator(lambda sql: _begins_with(ASKS, sql))]
Change = Annotated[Text, AfterValidator(lambda sql: _begins_with(CHANGES, sql))]


class Table(Model):
    """Columns with SQLite's types and constraints, and the rows at the start."""

    columns: dict[Name, str]
    rows: tuple[Row, ...] = ()


class Parameters(Model):
    """JSON Schema of an action's arguments."""

    type: Literal["object"]
    properties: dict[Word, dict[str, Any]]
    required: list[str]
    additionalProperties: Literal[False]


class Guard(Model):
    """What must be so for an action to be done, and what is said where it is not."""

    sql: Question
    message: Text


class Action(Model):
    """What the agent can do in a world."""

    name: Word
    description: Text
    parameters: Parameters
    guards: tuple[Guard, ...] = ()
    change: tuple[Change, ...] = ()
    query: Question | None = None
    observation: Text


def _action_problems(action: Action) -> Iterator[str]:
    names = list(action.parameters.properties)
    for name in action.parameters.required:
        if name not in names:
            yield f"parameters.required: {name!r} is none of the properties"
    texts = {f"guards.{n}.message": one.message for n, one in enumerate(action.guards)}
    for field, text in {**texts, "observation": action.observation}.items():
        yield from (f"{field}: {told}" for told in _template_problems(text, names))


def _template_problems(template: str, names: list[str]) -> Iterator[str]:
    """Anything in braces that is not the plain name of an argument."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError as problem:
        yield f"{template!r}: {problem}; a brace that is meant is written twice"
        return
    for _, name, form, conversion in parts:
        if name is not None and (name not in names or form or conversion):
            known = ", ".join(f"{{{one}}}" for one in names) or "no argument"
            yield f"{template!r}: {{{name}}} stands there, expected {known}"


class Condition(Model):
    """What holds if the first column of the first row of ``sql`` is ``expect``."""

    sql: Question
    expect: Annotated[Any, AfterValidator(_expected)]
    why: str = ""


class WorldSpec(Model):
    """A file in ``worlds/``."""

    name: Text
    description: Text
    tables: dict[Name, Table]
    actions: tuple[Action, ...]

    @model_validator(mode="wrap")
    @classmethod
    def _can_be_played(cls, data: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        """Not once more for every task that is played in it, as "after" would."""
        if isinstance(data, cls):
            return data
        from pytest_mint.tasks.world_sql import world_problems

        world = read(data)
        names = [action.name for action in world.actions]
        twice = dict.fromkeys(name for name in names if names.count(name) > 1)
        problems = [f"actions: {name!r} stands there twice" for name in twice]
        for action in world.actions:
            told = _action_problems(action)
            problems += [f"actions.{action.name}.{problem}" for problem in told]
        if problems := problems or world_problems(world):
            raise ValueError("; ".join(problems))
        return world


def _written_as(value: Any) -> str:
    return "name" if isinstance(value, str) else "world"


#: How a task has its world: by its name, or, once the task was loaded, as a whole.
World = Annotated[
    Annotated[str, Tag("name")] | Annotated[WorldSpec, Tag("world")],
    Discriminator(_written_as),
]
