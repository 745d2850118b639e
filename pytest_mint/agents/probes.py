"""Agents without a model, which measure the benchmark itself.

``oracle`` plays a task's own solution and must solve all, ``nop`` says nothing useful
and must solve none, ``parrot`` submits what it reads in a hint: its score is how much
the hints give away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from pytest_mint.agents.base import Reply, Request, ToolCall
from pytest_mint.tasks.model import Call, SolutionTurn
from pytest_mint.words import HINT_MARK

PROBES = ("oracle", "nop", "parrot")

_FENCE = re.compile(r"```\w*\n(.*?)```", re.DOTALL)


class Probe:
    """An agent whose replies are a plain function of the request."""

    native_tools = True
    forks = True

    def __init__(self, name: str, answer: Callable[[Request], Reply]) -> None:
        self.name = name
        self._answer = answer

    async def reply(self, request: Request) -> Reply:
        """What the probe says at this point."""
        return self._answer(request)

    async def close(self) -> None:
        """Nothing is held."""


def probe(name: str) -> Probe:
    """The probe of this name, one of :data:`PROBES`."""
    return Probe(name, {"oracle": _oracle, "nop": _nop, "parrot": _parrot}[name])


def _nop(request: Request) -> Reply:
    return Reply("I am not sure about this one.")


def _oracle(request: Request) -> Reply:
    """The turn of the task's solution; after its last one, that one again.

    Of a judged task it hands in the sample that is good.
    """
    turns = request.task.solution
    if good := request.task.samples.get("good"):
        turns = (SolutionTurn(answer=good.text),)
    if not turns:
        return Reply("The task has no solution to play.")
    turn = turns[min(request.turn, len(turns)) - 1]
    said = [] if turn.answer is None else [_tagged(turn.answer)]
    return _turn(request, turn.calls, said)


def _turn(request: Request, calls: Sequence[Call], said: Sequence[str]) -> Reply:
    """A reply with these calls: native ones if any were offered, else as code."""
    if request.tools:
        made = tuple(
            ToolCall(call.tool, json.dumps(call.arguments), f"call_{number}")
            for number, call in enumerate(calls, 1)
        )
        return Reply("\n".join(said), made)
    return Reply("\n".join([*map(_cell, calls), *said]))


def _tagged(answer: str) -> str:
    return f"<solution>{answer}</solution>"


def _cell(call: Call) -> str:
    """The call as text that the sandboxed interpreter can run."""
    if call.tool == "python_interpreter":
        code = str(call.arguments.get("code", ""))
    else:
        code = f"print({call.tool}(**{call.arguments!r}))"
    return f"<execute>\n{code}\n</execute>"


def _parrot(request: Request) -> Reply:
    """Whatever the last message's hint says, from the most to the least obvious.

    In a world these are the actions that it names, in their order and in one turn.
    """
    heard = str(request.messages[-1].get("content") or "")
    _, mark, hint = heard.rpartition(HINT_MARK)
    if not mark:
        return Reply("I am waiting for a hint.")
    if request.task.world_spec and (actions := _actions(hint)):
        return _turn(request, actions, [])
    return Reply(_tagged(_obvious(hint)))


def _actions(hint: str) -> list[Call]:
    """The calls in the fence of a hint: a JSON object a line, or a list of them."""
    fence = _FENCE.search(hint)
    text = fence[1].strip() if fence else ""
    try:
        listed = text.startswith("[")
        read = json.loads(text) if listed else map(json.loads, text.splitlines())
        return [
            Call(tool=one["name"], arguments=one.get("arguments") or {}) for one in read
        ]
    except (ValueError, TypeError, KeyError, AttributeError):
        return []


def _obvious(hint: str) -> str:
    fence = _FENCE.search(hint)
    if fence:
        return fence[1].strip()
    quoted = re.findall(r"[\"“«`](.+?)[\"”»`]", hint)
    if quoted:
        return str(quoted[-1])
    after = re.search(r"answer is:?\s+(.+?)\.?\s*$", hint, re.DOTALL | re.IGNORECASE)
    if after:
        return after[1]
    numbers = re.findall(r"[-−]?\d[\d,.]*", hint)
    return numbers[-1].rstrip(".,") if numbers else hint.strip()
