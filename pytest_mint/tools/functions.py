"""The functions of a tool_use task: canned answers to calls that are graded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_mint.tasks.model import Function, Task
from pytest_mint.tools.base import Context, Tool, ToolError


def function_tools(task: Task) -> tuple[Tool, ...]:
    """The task's functions as tools, in the order of the task."""
    return tuple(_tool(function) for function in task.functions)


def answer(function: Function, arguments: Mapping[str, Any]) -> Any:
    """The first canned answer that fits.

    Args:
        function: its ``answers`` hold ``result`` or ``error``, and ``arguments`` where
            they answer one call only.
        arguments: those of the call. What is left out has its default, and null for
            an argument that is not required means that it is left out.

    Raises:
        ToolError: the answer is an error, or none fits.
    """
    given = _settled(arguments, function.parameters)
    for canned in function.answers:
        wanted = canned.get("arguments")
        if wanted is not None:
            settled = _settled(wanted, function.parameters)
            if not _same(given, settled):
                continue
        if "error" in canned:
            raise ToolError(str(canned["error"]))
        return canned.get("result")
    raise ToolError(
        f"{function.name} has no answer to these arguments: check each of them against "
        "the task, and call it again"
    )


def _tool(function: Function) -> Tool:
    def run(arguments: Mapping[str, Any], context: Context) -> str:
        found = answer(function, arguments)
        return (
            found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        )

    return Tool(function.name, function.description, function.parameters, run)


def _settled(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    defaults = {
        name: one["default"]
        for name, one in properties.items()
        if name not in required and one.get("default") is not None
    }
    given = {
        name: value
        for name, value in arguments.items()
        if value is not None or name in required or name not in properties
    }
    return {**defaults, **given}


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: 2 is 2.0, and true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if _is_list(one) and _is_list(other):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
