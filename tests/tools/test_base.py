from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.errors import SandboxError
from pytest_mint.sandbox.base import CellResult
from pytest_mint.tools import MODULES, find_tool
from pytest_mint.tools.base import Context, Tool, ToolError, shorten
from pytest_mint.tools.python_interpreter import run_cell
from tests.episode.scripted import sum_task

TOOL = Tool(
    "look",
    "Look at a thing.",
    {
        "type": "object",
        "properties": {"what": {"type": "string"}, "how": {"type": "string"}},
        "required": ["what"],
    },
    lambda arguments, context: "",
)


def test_a_schema_is_as_the_chat_api_wants_it():
    assert TOOL.schema == {
        "type": "function",
        "function": {
            "name": "look",
            "description": "Look at a thing.",
            "parameters": TOOL.parameters,
        },
    }


def test_a_signature_shows_what_may_be_left_out():
    assert TOOL.signature == "look(what, how=...)"
    assert Tool("now", "", {"type": "object"}, TOOL.run).signature == "now()"


@given(st.text(max_size=300), st.integers(2, 100))
def test_a_text_that_is_too_long_keeps_both_ends(text, limit):
    short = shorten(text, limit)
    if len(text) <= limit:
        assert short == text
        return
    half = limit // 2
    assert short.startswith(text[:half])
    assert short.endswith(text[-half:])
    assert f"[{len(text) - 2 * half} characters cut]" in short


def test_without_a_sandbox_what_needs_one_is_missing_data():
    context = Context(sum_task(), interpreter=lambda: None)  # type: ignore[arg-type]
    with pytest.raises(SandboxError):
        context.sandbox()


@pytest.mark.parametrize("name", MODULES)
def test_every_tool_has_the_name_that_tasks_give_and_a_closed_schema(name):
    tool = find_tool(name)
    assert tool.name == name
    assert tool.description
    assert tool.parameters["type"] == "object"
    assert set(tool.parameters.get("required", ())) <= set(
        tool.parameters["properties"]
    )
    assert tool.parameters["additionalProperties"] is False


class Answering:
    """An interpreter with one answer; what is told of it is tested, not what runs."""

    def __init__(self, result: CellResult) -> None:
        self._result = result

    def execute(self, code: str) -> CellResult:
        return self._result


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (CellResult("ok"), "[executed, no output]"),
        (CellResult("ok", "a\n\n", "warned\n", "3"), "a\nwarned\n3"),
        (CellResult("ok", "  a"), "  a"),
        (
            CellResult("ok", "a", state_lost=True),
            "a\n[the interpreter was restarted: all variables are gone]",
        ),
    ],
)
def test_a_cell_tells_what_it_printed_and_its_value(result, told):
    context = Context(sum_task(), lambda: Answering(result))  # type: ignore[arg-type, return-value]
    assert run_cell("x", context) == told


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (CellResult("error", "a\n", error="Traceback\n"), "a\nTraceback"),
        (CellResult("timeout"), "[timeout]"),
        (
            CellResult("memory", "a", state_lost=True),
            "a\n[memory]\n[the interpreter was restarted: all variables are gone]",
        ),
    ],
)
def test_a_cell_that_fails_tells_what_it_printed_before(result, told):
    context = Context(sum_task(), lambda: Answering(result))  # type: ignore[arg-type, return-value]
    with pytest.raises(ToolError) as error:
        run_cell("x", context)
    assert str(error.value) == told
