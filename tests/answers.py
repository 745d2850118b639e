"""Whether an answer solves a task, for every kind of answer."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable
from typing import Any

from pytest_mint.agents.base import Request
from pytest_mint.agents.probes import probe
from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.judged import check_all
from pytest_mint.graders.submission import submission
from pytest_mint.records import ToolRun
from pytest_mint.tasks.model import Call, Task
from pytest_mint.tools.world import action_tools
from pytest_mint.words import HINT_MARK
from tests import worlds
from tests.programs import run_program


def form_solves(task: Task, answer: Any) -> bool:
    """Whether an accepted or rejected form of the answer solves a task."""
    if task.category == "tool_use":
        named = [{"tool": one["name"], "arguments": one["arguments"]} for one in answer]
        return solves(task, "Done.", [Call.model_validate(one) for one in named])
    if task.category == "decision_making":
        return solves(task, "Done.", [Call.model_validate(one) for one in answer])
    return solves(task, f"<solution>{answer}</solution>")


def solves(task: Task, text: str, calls: Iterable[Call] = ()) -> bool:
    """Whether a reply with these calls solves a task; a judge is not asked."""
    kind = task.grader.kind
    if kind == "judge":
        return check_all(task, submission(text)).solved
    if kind == "code":
        program = re.search(r"```python\n(.*?)```", text, re.DOTALL)
        return all(run_program(task, program[1] if program else text).passed)
    if kind == "state":
        return worlds.solves(task, [(call.tool, call.arguments) for call in calls])
    runs = [ToolRun(call.tool, json.dumps(call.arguments), "") for call in calls]
    return grade(task, Proposal(text, tuple(runs))).solved


def parroted(task: Task, hint: str) -> tuple[str, list[Call]]:
    """What the agent hands in and calls that repeats what it finds in a hint."""
    reply = asyncio.run(probe("parrot").reply(_request(task, HINT_MARK + hint)))
    text = reply.text.removeprefix("<solution>").removesuffix("</solution>")
    read = [(call.name, json.loads(call.arguments)) for call in reply.calls]
    return text, [Call(tool=name, arguments=arguments) for name, arguments in read]


def said_by_nop(task: Task) -> str:
    """What the agent says that does nothing."""
    return asyncio.run(probe("nop").reply(_request(task, task.input))).text


def _request(task: Task, heard: str) -> Request:
    tools = tuple(tool.schema for tool in action_tools(task))
    return Request(task, "nlf", 5, ({"role": "user", "content": heard},), tools)
