from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.tools.arguments import MAX_ARGUMENTS, check, read_arguments
from pytest_mint.tools.base import ToolError

SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "share": {"type": "number", "minimum": 0},
        "deep": {"type": "object"},
        "list": {"type": "array"},
        "flag": {"type": "boolean"},
        "maybe": {"type": ["string", "null"]},
        "unit": {"type": "string", "enum": ["kg", "lb"]},
        "any": {},
    },
    "required": ["text"],
}


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": ""},
        {"text": "x", "count": 1},
        {"text": "x", "count": 9},
        {"text": "x", "share": 2},
        {"text": "x", "share": 2.5},
        {"text": "x", "deep": {"a": [1]}, "list": [1, "a"], "flag": False},
        {"text": "x", "maybe": None},
        {"text": "x", "unit": "lb"},
        {"text": "x", "any": [True, None]},
        {"text": "\x00 ü 🙂"},
    ],
)
def test_what_fits_is_read(arguments):
    assert read_arguments(json.dumps(arguments), SCHEMA) == arguments


@pytest.mark.parametrize("name", ["count", "unit", "deep", "flag"])
def test_null_leaves_out_what_is_not_required(name):
    assert read_arguments(json.dumps({"text": "x", name: None}), SCHEMA) == {
        "text": "x"
    }


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("{", "no valid JSON"),
        ("{'text': 'x'}", "no valid JSON"),
        ('{"text": "x",}', "no valid JSON"),
        ('{"text": NaN}', "no valid JSON: NaN"),
        ('{"text": "x", "share": Infinity}', "no valid JSON: Infinity"),
        ('{"text": "a", "text": "b"}', "'text' stands there twice"),
        ("[" * 200_000, "no valid JSON"),
        ("9" * 10_000, "no valid JSON"),
        ("[]", "must be a JSON object"),
        ('"text"', "must be a JSON object"),
        ("null", "must be a JSON object"),
        ("", "'text' is missing"),
        ("{}", "'text' is missing"),
        ('{"txt": "x"}', "'text' is missing"),
        ('{"text": "x", "txt": 1}', "no argument 'txt'; the arguments are text, count"),
        ('{"text": 1}', "'text' must be of type string"),
        ('{"text": null}', "'text' must be of type string"),
        ('{"text": true}', "'text' must be of type string"),
        ('{"text": "x", "count": "3"}', "'count' must be of type integer"),
        ('{"text": "x", "count": 3.5}', "'count' must be of type integer"),
        ('{"text": "x", "count": true}', "'count' must be of type integer"),
        ('{"text": "x", "share": true}', "'share' must be of type number"),
        ('{"text": "x", "flag": 1}', "'flag' must be of type boolean"),
        ('{"text": "x", "list": {}}', "'list' must be of type array"),
        ('{"text": "x", "deep": []}', "'deep' must be of type object"),
        ('{"text": "x", "maybe": 1}', "'maybe' must be of type string or null"),
        ('{"text": "x", "unit": "KG"}', "'unit' must be one of kg, lb"),
        ('{"text": "x", "count": 0}', "'count' must be at least 1"),
        ('{"text": "x", "count": 10}', "'count' must be at most 9"),
        ('{"text": "x", "share": -0.1}', "'share' must be at least 0"),
        (" " * (MAX_ARGUMENTS + 1), "longer than 262144 characters"),
    ],
    ids=lambda value: value[:30],
)
def test_what_does_not_fit_is_told_so_that_it_can_be_mended(raw, told):
    with pytest.raises(ToolError) as error:
        read_arguments(raw, SCHEMA)
    assert told in str(error.value)
    assert len(str(error.value)) < 300


def test_a_tool_without_arguments_takes_none():
    assert read_arguments("", {"type": "object"}) == {}
    with pytest.raises(ToolError, match="no argument 'x'; the arguments are none"):
        check({"x": 1}, {"type": "object"})


def test_a_whole_number_may_be_written_as_a_float():
    (count,) = read_arguments(
        '{"count": 3.0}', {"properties": SCHEMA["properties"]}
    ).values()
    assert count == 3
    assert type(count) is int


@given(st.text())
def test_any_text_is_read_or_refused_in_words(raw):
    try:
        arguments = read_arguments(raw, SCHEMA)
    except ToolError as problem:
        assert str(problem)  # noqa: PT017 (either way is right)
    else:
        assert isinstance(arguments["text"], str)


@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "other"]), st.floats()))
def test_any_object_is_read_or_refused_in_words(arguments):
    with pytest.raises(ToolError, match=r"\w"):
        read_arguments(json.dumps(arguments), SCHEMA)
