"""The system message: rules, tools, how to hand in. The same for every model."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pytest_mint.tools import MODULES
from pytest_mint.tools.base import Tool

#: Goes into the run, because rates under another prompt are other rates.
VERSION = "1"

NOT_UNDERSTOOD = (
    "Nothing was run and nothing was handed in. Put code to run between <execute> and "
    "</execute>, and your answer between <solution> and </solution>."
)

_ROLE = (
    "You solve one task in at most {turns} turns; a turn is one reply of yours. After "
    "every turn you are told what came of it. A wrong answer may be mended as long as "
    "there are turns left."
)
_NATIVE = (
    "Call the tools when they help. To hand in your answer, write it between "
    "<solution> and </solution>, or reply without calling a tool: then the whole reply "
    "is taken as your answer."
)
_TEXT = (
    "To hand in your answer, write it between <solution> and </solution>. Only what "
    "stands there is graded."
)
_CELLS = (
    "To run Python code, write it between <execute> and </execute>; you see its output "
    "before your next turn. Variables stay for later cells."
)
_FUNCTIONS = "These functions are there in the code:"


def rules(tools: Sequence[Tool], native: bool, turns: int) -> str:
    """The system message.

    Args:
        tools: what the task gives the agent.
        native: whether tools are called natively or from code in tags.
        turns: how many the episode may have, at least 1.
    """
    role = _ROLE.format(turns=turns)
    if native:
        return f"{role}\n\n{_NATIVE}"
    functions = [tool for tool in tools if tool.name != "python_interpreter"]
    listed = [_listed(tool) for tool in functions]
    parts = [role, _CELLS if tools else ""]
    parts += ["\n".join([_FUNCTIONS, *listed]) if listed else "", _TEXT]
    return "\n\n".join(part for part in parts if part)


def _listed(tool: Tool) -> str:
    line = f"- {tool.signature}: {tool.description}"
    properties = tool.parameters.get("properties")
    if tool.name in MODULES or not properties:
        return line
    # Nothing else says what a task's own function wants.
    return f"{line}\n  arguments: {json.dumps(properties, ensure_ascii=False)}"
