"""Asking a scripted endpoint, with waits that are noted instead of waited."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pytest_mint.agents.base import Reply, Request
from pytest_mint.agents.chat import ChatAgent
from pytest_mint.agents.endpoints import Endpoint
from pytest_mint.tasks.model import Task
from tests.agents.server import Answer, Seen, Server, serve

KEY = "sk-test-0123456789abcdef"
TASK = Task.model_validate(
    {
        "id": "ping",
        "category": "reasoning",
        "input": "What is 6 times 7?",
        "expected_output": "42",
        "grader": {"kind": "number"},
        "hints": {
            "vague": "Multiply.",
            "specific": "Add 6 seven times.",
            "direct": "42",
        },
        "derivation": "6 * 7",
        "solution": [{"answer": "42"}],
    }
)
HELLO = ({"role": "user", "content": "hello"},)


def endpoint(url: str, **fields: Any) -> Endpoint:
    return Endpoint(
        **{
            "name": "test-model",
            "provider": "custom",
            "model": "test-model",
            "base_url": url,
            "key_variable": "TEST_KEY",
            "key": KEY,
            "native_tools": True,
            "reasoning": False,
            **fields,
        }
    )


def request(messages: tuple[Any, ...] = HELLO, tools: tuple[Any, ...] = ()) -> Request:
    return Request(task=TASK, arm="ef", turn=1, messages=messages, tools=tools)


@dataclass
class Naps:
    """A sleep that takes no time and remembers how long it was to be."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Most(random.Random):
    """Draws the most that may be drawn, so that a wait shows its upper bound."""

    def uniform(self, a: float, b: float) -> float:
        return b


@dataclass
class Asked:
    """What came of it: a reply or the error, the server's log, the waits."""

    server: Server
    naps: Naps
    reply: Reply | None = None
    error: Exception | None = None

    @property
    def answer(self) -> Reply:
        assert self.reply is not None, self.error
        return self.reply

    @property
    def problem(self) -> str:
        assert self.error is not None, self.reply
        return str(self.error)


def ask(
    *script: Answer | Callable[[Seen], Answer],
    asked: Request | None = None,
    fields: dict[str, Any] | None = None,
    **options: Any,
) -> Asked:
    """Ask one question of a server with this script.

    ``fields`` are those of the endpoint, ``options`` those of the agent.
    """
    with serve(*script) as server:
        naps = Naps()
        result = Asked(server, naps)
        options = {"sleep": naps, "rng": Most(), **options}

        async def play() -> None:
            agent = ChatAgent(endpoint(server.url, **(fields or {})), **options)
            try:
                result.reply = await agent.reply(asked or request())
            except Exception as error:
                result.error = error
            finally:
                await agent.close()

        asyncio.run(play())
        return result
