"""The Python interpreter: cells that share their variables, in the sandbox."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from pytest_mint.sandbox.base import CellResult
from pytest_mint.tools.base import Context, Tool, ToolError

NO_OUTPUT = "[executed, no output]"

_thread = threading.local()


def run_cell(code: str, context: Context) -> str:
    """What the cell printed and its last expression.

    Raises:
        ToolError: the code failed; the text holds what it printed before, too.
    """
    interpreter = context.interpreter()
    _thread.runs_cell = True
    try:
        result = interpreter.execute(code)
    finally:
        _thread.runs_cell = False
    text = _told(result)
    if result.status != "ok":
        raise ToolError(text)
    return text


def is_called_by_code() -> bool:
    """Whether a cell that this thread waits for is what called the tool.

    The interpreter is busy then: whoever asked it for anything would wait for ever.
    """
    return getattr(_thread, "runs_cell", False)


def _told(result: CellResult) -> str:
    parts = [result.stdout.rstrip("\n"), result.stderr.rstrip("\n"), result.value]
    if result.status != "ok":
        parts.append(result.error.rstrip("\n") or f"[{result.status}]")
    if result.state_lost:
        parts.append("[the interpreter was restarted: all variables are gone]")
    return "\n".join(part for part in parts if part) or NO_OUTPUT


def _run(arguments: Mapping[str, Any], context: Context) -> str:
    return run_cell(str(arguments["code"]), context)


TOOL = Tool(
    name="python_interpreter",
    description=(
        "Run Python code and get what it prints and the value of its last expression. "
        "Variables, imports and functions stay for later calls. There is no network."
    ),
    parameters={
        "type": "object",
        "properties": {"code": {"type": "string", "description": "Python source code"}},
        "required": ["code"],
        "additionalProperties": False,
    },
    run=_run,
)
