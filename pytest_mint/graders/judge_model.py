"""The judge that is a model: asked at temperature 0, its tokens counted."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_mint.agents.base import Reply, Request
from pytest_mint.errors import GraderError, ProviderError
from pytest_mint.records import NOTHING, Spent

if TYPE_CHECKING:
    from pytest_mint.agents.chat import ChatAgent
    from pytest_mint.tasks.model import Task

#: Runs a coroutine on the event loop of the process and waits for it, in any thread.
Run = Callable[[Coroutine[Any, Any, Reply]], Reply]


class JudgeModel:
    """Asks a model about one submission.

    One is made for each proposal, so that what it spends is the verdict's.

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
        self.spent = NOTHING

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
        self.spent += Spent(reply.tokens, reply.seconds)
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
