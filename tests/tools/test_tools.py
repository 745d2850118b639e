"""What holds for every tool."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_mint.tasks.model import TOOLS
from pytest_mint.tools import MODULES, find_tool
from pytest_mint.tools.base import Tool


@pytest.fixture(params=TOOLS)
def tool(request: pytest.FixtureRequest) -> Tool:
    return find_tool(request.param)


def test_every_tool_that_a_task_may_name_is_here():
    assert set(MODULES) == set(TOOLS)


def test_a_tool_is_found_by_its_own_name(tool):
    assert find_tool(tool.name) is tool


def test_an_unknown_tool_is_not_found():
    with pytest.raises(KeyError):
        find_tool("hammer")


def test_a_tools_schema_is_closed_and_explains_its_arguments(tool):
    schema = tool.schema["function"]
    parameters = schema["parameters"]
    assert schema["description"]
    assert parameters["type"] == "object"
    assert parameters["additionalProperties"] is False
    assert set(parameters["required"]) <= set(parameters["properties"])
    for argument in parameters["properties"].values():
        assert argument["type"] in ("string", "integer")
        assert argument.get("description") or argument.get("enum")


HEAVY = ("sympy", "numpy", "mwclient", "requests", "trafilatura", "lxml", "docker")


def test_no_tool_imports_what_it_may_never_need(tool):
    code = (
        "import sys\n"
        f"from pytest_mint.tools import find_tool; find_tool({tool.name!r})\n"
        f"print(*[name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
