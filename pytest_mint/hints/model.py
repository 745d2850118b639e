"""The teacher that is a model: its hints are guarded, its silence is an error."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mint.agents.base import Agent, Message, Reply, Request
from pytest_mint.errors import FeedbackError, ProviderError
from pytest_mint.hints.guard import leak
from pytest_mint.hints.prompt import ask, ask_again, hint_in
from pytest_mint.hints.teacher import Moment, rung
from pytest_mint.records import NOTHING, Hint, Spent
from pytest_mint.words import DIRECT

#: How often a teacher that says nothing is asked for one hint.
ASKED = 3
#: Hints that gave the answer away, after which the task's own one is taken.
LEAKS = 2


class TeacherModel:
    """Asks a model for a hint.

    A ``vague`` or ``specific`` hint that gives the answer away is asked for again with
    the reason; if the second one does so, too, the task's own hint of that level is
    handed on. ``direct`` hints are meant to give it.

    Args:
        agent: the model; used on the event loop of the episodes only.
        journal: is told of every reply before it is used.
    """

    def __init__(
        self,
        agent: Agent,
        journal: Callable[[Mapping[str, Any]], None] = lambda event: None,
    ) -> None:
        self._agent = agent
        self._journal = journal

    async def hint(self, moment: Moment) -> Hint:
        """What the model says.

        Raises:
            FeedbackError: it does not answer, says nothing, or gives the answer away
                of a task that has no hint of its own.
        """
        return await _Asking(self._agent, self._journal, moment).hint()


@dataclass
class _Asking:
    """One hint that is asked for, and what that took so far."""

    agent: Agent
    journal: Callable[[Mapping[str, Any]], None]
    moment: Moment
    spent: Spent = NOTHING

    async def hint(self) -> Hint:
        task, level = self.moment.task, self.moment.level
        asked, reason = ask(self.moment), ""
        for leaks in range(LEAKS):
            text = await self._say(asked)
            reason = "" if level == DIRECT else leak(task, text)
            if not reason:
                return self._paid(Hint(text, level, leaks=leaks))
            asked += ask_again(text, reason)
        own = rung(task, level)
        if not own:
            raise self._failed(
                f"gave the answer away twice ({reason}), and {task.key} has no hint of "
                "its own"
            )
        return self._paid(Hint(own, level, leaks=LEAKS, replaced=True))

    def _paid(self, hint: Hint) -> Hint:
        spent = self.spent
        return dataclasses.replace(hint, tokens=spent.tokens, seconds=spent.seconds)

    def _failed(self, what: str) -> FeedbackError:
        return FeedbackError(f"the teacher {self.agent.name} {what}", self.spent)

    async def _say(self, messages: Sequence[Message]) -> str:
        """A hint that says something."""
        label = ""
        for _ in range(ASKED):
            reply = await self._reply(messages)
            if text := hint_in(reply.text):
                return text
            label = f" ({reply.label})" if reply.label else ""
        raise self._failed(f"gave an empty hint {ASKED} times{label}")

    async def _reply(self, messages: Sequence[Message]) -> Reply:
        moment = self.moment
        request = Request(moment.task, moment.arm, moment.turn, tuple(messages))
        try:
            reply = await self.agent.reply(request)
        except ProviderError as problem:
            raise self._failed(f"did not answer: {problem}") from None
        self.spent += Spent(reply.tokens, reply.seconds)
        self.journal(
            {
                "role": "teacher",
                "task": moment.task.key,
                "arm": moment.arm,
                "turn": moment.turn,
                "level": moment.level,
                "text": reply.text,
                "label": reply.label,
                "tokens": dataclasses.asdict(reply.tokens),
                "retries": reply.retries,
                "meta": dict(reply.meta),
            }
        )
        if reply.label == "context_overflow":
            raise self._failed("cannot read a conversation so long")
        return reply
