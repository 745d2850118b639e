"""Agents that say what a script holds, and what an episode is played with in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_mint.agents.base import Reply, Request, ToolCall
from pytest_mint.episode.environment import LiveEnvironment
from pytest_mint.episode.loop import Cast, play
from pytest_mint.errors import SandboxError
from pytest_mint.graders import grade
from pytest_mint.hints.teacher import Ladder
from pytest_mint.records import Episode
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.tasks.model import Task
from pytest_mint.tools.base import Tool, ToolError

#: One line of a script: what is said, a whole reply, or an error that is raised.
Line = str | Reply | Exception

HINTS = {"vague": "Look again.", "specific": "Add them.", "direct": "It is 40 + 2."}


def sum_task(**more: Any) -> Task:
    """A task whose answer is 42."""
    return Task.model_validate(
        {
            "id": "sum",
            "category": "reasoning",
            "input": "What is 40 + 2?",
            "expected_output": 42,
            "hints": HINTS,
            **more,
        }
    )


def mint_task(**more: Any) -> Task:
    """The same, by the rules of the MINT benchmark."""
    frame = {"ef": "Solve this.\n", "nlf": "Solve this, an expert helps.\n"}
    given = {"hints": None, "rules": "mint-bench", "dataset": "gsm8k", "frame": frame}
    return sum_task(**{**given, **more})


@dataclass
class Scripted:
    """Says the line of the turn; after the last line that one again.

    ``nlf`` are the lines of the arm with hints, where they differ.
    """

    lines: Sequence[Line]
    nlf: Sequence[Line] | None = None
    forks: bool = True
    native_tools: bool = True
    name: str = "scripted"
    asked: list[Request] = field(default_factory=list)

    async def reply(self, request: Request) -> Reply:
        self.asked.append(request)
        await asyncio.sleep(0)  # as an endpoint does, so that the arms interleave
        hinted = request.arm == "nlf" and self.nlf is not None
        lines = self.nlf if hinted and self.nlf is not None else self.lines
        line = lines[min(request.turn, len(lines)) - 1]
        if isinstance(line, Exception):
            raise line
        return Reply(line) if isinstance(line, str) else line

    async def close(self) -> None:
        pass

    def turns_asked(self, arm: str) -> list[int]:
        return [request.turn for request in self.asked if request.arm == arm]

    def prompt(self, arm: str, turn: int) -> tuple[Mapping[str, Any], ...]:
        """The messages that this turn was asked with."""
        (found,) = [r for r in self.asked if (r.arm, r.turn) == (arm, turn)]
        return found.messages


def no_sandbox() -> Sandbox:
    raise SandboxError("no sandbox here")


def _weigh(arguments: Mapping[str, Any], context: Any) -> str:
    if arguments["what"] == "air":
        raise ToolError("air cannot be weighed; name something solid")
    return f"{arguments['what']}: 21 kg"


WEIGH = Tool(
    "weigh",
    "Weigh a thing.",
    {
        "type": "object",
        "properties": {"what": {"type": "string"}},
        "required": ["what"],
    },
    _weigh,
)


def call(arguments: str, name: str = "weigh", id: str = "a") -> ToolCall:
    return ToolCall(name, arguments, id)


@dataclass
class Watched:
    """A live environment that notes how often it was closed and forked."""

    inner: LiveEnvironment
    log: list[str]
    fork_error: Exception | None = None

    async def run(self, turn: int, calls: Sequence[ToolCall]) -> Any:
        return await self.inner.run(turn, calls)

    async def fork(self, arm: str) -> Watched:
        if self.fork_error is not None:
            raise self.fork_error
        self.log.append("fork")
        return replace(self, inner=await self.inner.fork(arm))

    async def state(self) -> Any:
        return await self.inner.state()

    async def close(self) -> None:
        self.log.append("close")
        await self.inner.close()


def cast_of(
    agent: Any,
    *,
    tools: Sequence[Tool] = (),
    sandbox: Callable[[], Sandbox] = no_sandbox,
    log: list[str] | None = None,
    fork_error: Exception | None = None,
    **more: Any,
) -> Cast:
    """A cast with the real grader, teacher and tools around this agent."""
    noted: list[str] = [] if log is None else log

    def environment(
        task: Task, tools: Sequence[Tool], arm: str, native: bool, trial: int
    ) -> Watched:
        noted.append("open")
        live = LiveEnvironment(task, tools, sandbox, native=native, trial=trial)
        return Watched(live, noted, fork_error)

    given: dict[str, Any] = {
        "agent": agent,
        "teachers": {"nlf": Ladder()},
        "grade": grade,
        "tools": lambda task: tuple(tools),
        "environment": environment,
    }
    return Cast(**{**given, **more})


def played(
    task: Task, agent: Any, arms: Sequence[str] = ("ef", "nlf"), **more: Any
) -> Mapping[str, Episode]:
    """The episodes by arm."""
    return asyncio.run(play(task, cast_of(agent, **more), arms)).episodes
