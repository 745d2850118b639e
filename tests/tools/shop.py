"""A small world for tests: a shop with things on shelves, and a task played in it."""

from __future__ import annotations

import copy
from typing import Any

from pytest_mint.tasks.model import Task
from tests.graders.cases import HINTS

NAME = {"thing": {"type": "string"}}
MOVE = {**NAME, "shelf": {"type": "integer"}, "note": {"type": "string"}}


def _action(name: str, properties: Any = NAME, **fields: Any) -> dict[str, Any]:
    """An action with all arguments but the note required."""
    parameters = {
        "type": "object",
        "properties": properties,
        "required": [one for one in properties if one != "note"],
        "additionalProperties": False,
    }
    given = {"name": name, "description": "Does it.", "parameters": parameters}
    return {**given, "observation": "Done.", **fields}


SHOP: dict[str, Any] = {
    "name": "shop",
    "description": "A shop with shelves.",
    "tables": {
        "things": {
            "columns": {
                "name": "TEXT PRIMARY KEY",
                "shelf": "INTEGER NOT NULL CHECK (shelf < 10)",
                "note": "TEXT",
                "twice": "INTEGER AS (shelf * 2)",
            },
            "rows": [
                {"name": "tin", "shelf": 1, "note": None},
                {"name": "jar", "shelf": 2, "note": "blue"},
            ],
        },
        "log": {"columns": {"said": "TEXT"}, "rows": []},
    },
    "actions": [
        _action(
            "look",
            {"note": {"type": "string"}},
            query="SELECT name, shelf FROM things WHERE :note IS NULL OR note = :note",
            observation="Things ({note}):",
        ),
        _action(
            "move",
            MOVE,
            guards=[
                {
                    "sql": "SELECT shelf FROM things WHERE name = :thing",
                    "message": "There is no {thing}, {{so}}.",
                },
                {
                    "sql": "SELECT shelf <> :shelf FROM things WHERE name = :thing",
                    "message": "{thing} is on {shelf}.",
                },
            ],
            change=[
                "INSERT INTO log VALUES (:thing)",
                "UPDATE things SET shelf = :shelf, note = :note WHERE name = :thing",
            ],
            observation="{thing} is on {shelf} now.",
        ),
        _action(
            "count",
            {"most": {"type": "integer"}},
            query="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
            "WHERE i < :most) SELECT max(i) FROM n",
        ),
        _action(
            "list_all",
            {"most": {"type": "integer"}},
            query="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
            "WHERE i < :most) SELECT i FROM n",
        ),
        _action("fill", {}, change=["INSERT INTO log SELECT zeroblob(900000)"]),
        _action(
            "tag",
            {"tags": {"type": "array"}, "on": {"type": "boolean", "default": True}},
            change=["INSERT INTO log SELECT value || :on FROM json_each(:tags)"],
        ),
    ],
}

GOAL = [
    {"sql": "SELECT shelf FROM things WHERE name = 'tin'", "expect": 7, "why": "tin 7"},
    {"sql": "SELECT shelf FROM things WHERE name = 'jar'", "expect": 8, "why": "jar 8"},
]
FORBIDDEN = [{"sql": "SELECT count(*) > 5 FROM log", "expect": True, "why": "haste"}]


def shop(**fields: Any) -> dict[str, Any]:
    """The world as its file has it, with other fields."""
    return {**copy.deepcopy(SHOP), **fields}


def shop_task(**fields: Any) -> Task:
    """A task in it: the tin onto shelf 7 and the jar onto shelf 8."""
    data = {
        "id": "tidy",
        "category": "decision_making",
        "input": "Tin to 7, jar to 8.",
        "hints": HINTS,
        "world": SHOP,
        "goal": GOAL,
        "forbidden": FORBIDDEN,
    }
    return Task.model_validate({**data, **fields})
