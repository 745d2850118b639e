from __future__ import annotations

import json

import pytest

from pytest_mint.tasks.model import Function
from pytest_mint.tools.base import ToolError
from pytest_mint.tools.functions import answer, function_tools
from tests.graders.kinds import calls_task

PARAMETERS = {
    "type": "object",
    "properties": {
        "room": {"type": "string"},
        "nights": {"type": "number", "default": 1},
        "sea": {"type": "boolean", "default": False},
        "tags": {"type": "array"},
        "guest": {"type": "object"},
    },
    "required": ["room"],
}


def function(*answers):
    given = {"name": "book", "description": "Books.", "parameters": PARAMETERS}
    return Function.model_validate({**given, "answers": answers})


@pytest.mark.parametrize(
    ("wanted", "given", "fits"),
    [
        ({"room": "A"}, {"room": "A"}, True),
        ({"room": "A"}, {"room": "a"}, False),
        ({"room": "A"}, {"room": "A", "nights": 1, "sea": False}, True),
        ({"room": "A", "nights": 1}, {"room": "A"}, True),
        ({"room": "A"}, {"room": "A", "nights": None}, True),
        ({"room": "A"}, {"room": "A", "nights": 2}, False),
        ({"room": "A", "nights": 2}, {"room": "A", "nights": 2.0}, True),
        ({"room": "A", "nights": 1}, {"room": "A", "nights": True}, False),
        ({"room": "A", "tags": [1, 2]}, {"room": "A", "tags": [1, 2]}, True),
        ({"room": "A", "tags": [1, 2]}, {"room": "A", "tags": [2, 1]}, False),
        ({"room": "A", "tags": ["1"]}, {"room": "A", "tags": "1"}, False),
        ({"room": "A", "guest": {"n": 1}}, {"room": "A", "guest": {"n": 1.0}}, True),
        ({"room": "A", "guest": {"n": 1}}, {"room": "A", "guest": {"m": 1}}, False),
    ],
)
def test_an_answer_fits_exactly_its_arguments_after_defaults(wanted, given, fits):
    booked = function({"arguments": wanted, "result": "yes"}, {"result": "no"})
    assert answer(booked, given) == ("yes" if fits else "no")


def test_the_first_answer_that_fits_counts():
    booked = function({"result": 1}, {"arguments": {"room": "A"}, "result": 2})
    assert answer(booked, {"room": "A"}) == 1


def test_an_error_is_told_in_its_words():
    with pytest.raises(ToolError, match=r"^The room is taken\.$"):
        answer(function({"error": "The room is taken."}), {"room": "A"})


def test_where_no_answer_fits_the_agent_hears_what_to_do():
    booked = function({"arguments": {"room": "A"}, "result": 1})
    with pytest.raises(ToolError, match="book has no answer to these arguments: check"):
        answer(booked, {"room": "B"})


@pytest.mark.parametrize(
    ("result", "told"),
    [("Booked.", "Booked."), ({"ok": True}, '{"ok": true}'), ("Ōkami", "Ōkami"),
     (["Ō"], '["Ō"]'), (None, "null"), (0.5, "0.5")],
)  # fmt: skip
def test_results_are_told_as_they_are_or_as_json(result, told):
    task = calls_task(
        [{"name": "f", "parameters": {}, "answers": [{"result": result}]}], []
    )
    (tool,) = function_tools(task)
    assert tool.run({}, None) == told


def test_a_function_is_offered_as_the_task_has_it():
    task = calls_task([{"name": "book", "parameters": PARAMETERS}], [])
    (tool,) = function_tools(task)
    schema = tool.schema["function"]
    assert (schema["name"], schema["parameters"]) == ("book", PARAMETERS)
    assert tool.signature == "book(room, nights=..., sea=..., tags=..., guest=...)"
    json.dumps(schema)
