"""The calls that the solutions of the bundled tasks make, with the real tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_mint.sandbox.base import Sandbox
from pytest_mint.tasks.load import bundled_folder, load_tasks
from pytest_mint.tasks.model import TOOLS, Task
from pytest_mint.tools import find_tool
from pytest_mint.tools.arguments import check
from pytest_mint.tools.base import Context
from tests.tools.sandbox import opened


def _with_calls() -> list[Task]:
    def calls(task: Task) -> set[str]:
        return {call.tool for turn in task.solution for call in turn.calls}

    return [task for task in load_tasks([bundled_folder()]) if calls(task) & set(TOOLS)]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with opened() as one:
        yield one


@pytest.mark.parametrize("task", _with_calls(), ids=lambda task: task.key)
def test_every_call_of_the_solution_succeeds(task, sandbox):
    interpreter = sandbox.open()
    try:
        for path, text in task.files.items():
            interpreter.put(path, text.encode())
        there = Context(task, lambda: interpreter, lambda: sandbox)
        for call in (call for turn in task.solution for call in turn.calls):
            if call.tool in TOOLS:
                tool = find_tool(call.tool)
                check(call.arguments, tool.parameters)
                assert tool.run(call.arguments, there)
    finally:
        interpreter.close()
