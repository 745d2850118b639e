"""The judge that is a model: asked at temperature 0, its tokens counted."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_mint.agents.base import Reply, Request
from pytest_mint.errors import GraderError, ProviderError
from pytest_mint.records import Tokens

if TYPE_CHECKING:
    import asyncio

    from pytest_mint.agents.chat import ChatAgent
    from pytest_mint.settings import Settings
    from pytest_mint.tasks.model import Task

#: Tokens of one reply of the judge, its thoughts included.
MAX_TOKENS = 4096

#: Runs a coroutine on the event loop of the process and waits for it, in any thread.
Run = Callable[[Coroutine[Any, Any, Reply]], Reply]


def judge_agent(settings: Settings, slots: int | asyncio.Semaphore = 1) -> ChatAgent:
    """The model that the settings name as judge; nothing is opened yet.

    Args:
        settings: with a ``judge_model``.
        slots: how many calls may be in flight, or what says so.

    Raises:
        UserError: no endpoint is known for it, or its key is not set.
    """
    from pytest_mint.agents.chat import ChatAgent
    from pytest_mint.agents.endpoints import JUDGE, find_endpoint

    return ChatAgent(
        find_endpoint(settings.judge_model, settings.judge_base_url, role=JUDGE),
        slots=slots,
        max_retries=settings.max_retries,
        timeout=settings.timeout,
        temperature=0.0,
        max_tokens=MAX_TOKENS,
    )


class JudgeModel:
    """Asks a model about one submission.

    One is made for each proposal, so that its tokens are those of the verdict.

    Args:
        agent: the model; used on its own event loop only, through ``run``.
        run: waits for the model's reply.
        task: what is graded.
        journal: is told of every reply before it is used, on the event loop.
    """

    def __init__(
        self,
        agent: ChatAgent,
        run: Run,
        task: Task,
        journal: Callable[[Mapping[str, Any]], None] = lambda event: None,
    ) -> None:
        self._agent, self._run, self._task = agent, run, task
        self._journal = journal
        self.tokens = Tokens()

    def __call__(self, prompt: str) -> str:
        """The judge's reply.

        Raises:
            GraderError: the judge cannot be asked, or not about anything so long.
        """
        try:
            reply = self._run(self._ask(prompt))
        except ProviderError as problem:
            name = self._agent.name
            raise GraderError(f"the judge {name} did not answer: {problem}") from None
        self.tokens += reply.tokens
        if reply.label == "context_overflow":
            raise GraderError(f"the question is too long for {self._agent.name}")
        return reply.text

    async def _ask(self, prompt: str) -> Reply:
        message = {"role": "user", "content": prompt}
        request = Request(self._task, arm="", turn=0, messages=(message,))
        reply = await self._agent.reply(request)
        self._journal(
            {
                "role": "judge",
                "task": self._task.key,
                "text": reply.text,
                "label": reply.label,
                "tokens": asdict(reply.tokens),
                "retries": reply.retries,
                "meta": dict(reply.meta),
            }
        )
        return reply


def described(agent: ChatAgent) -> dict[str, str]:
    """What a run keeps of its judge."""
    asked = agent.endpoint
    return {
        "model": asked.name,
        "provider": asked.provider,
        "base_url": asked.base_url,
    }
