"""The teacher that is a model: its hints are guarded, its silence is an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pytest_mint.agents.base import Agent, Message, Reply, Request
from pytest_mint.errors import FeedbackError, ProviderError
from pytest_mint.hints.guard import leak
from pytest_mint.hints.prompt import ask, ask_again, hint_in
from pytest_mint.hints.teacher import Moment, rung
from pytest_mint.records import Hint, Spent
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
        asked = ask(moment)
        spent = Spent()
        for leaks in range(LEAKS):
            text, took = await self._say(moment, asked)
            spent += took
            reason = "" if moment.level == DIRECT else leak(moment.task, text)
            if not reason:
                return Hint(text, moment.level, spent.tokens, spent.seconds, leaks)
            asked += ask_again(text, reason)
        own = rung(moment.task, moment.level)
        if not own:
            raise FeedbackError(
                f"the teacher {self._agent.name} gave the answer away twice "
                f"({reason}), and {moment.task.key} has no hint of its own"
            )
        return Hint(own, moment.level, spent.tokens, spent.seconds, LEAKS, True)

    async def _say(
        self, moment: Moment, messages: Sequence[Message]
    ) -> tuple[str, Spent]:
        """A hint that says something, and what all attempts at it took."""
        spent = Spent()
        for _ in range(ASKED):
            reply = await self._reply(moment, messages)
            spent += Spent(reply.tokens, reply.seconds)
            if text := hint_in(reply.text):
                return text, spent
        raise FeedbackError(
            f"the teacher {self._agent.name} gave an empty hint {ASKED} times"
            + (f" ({reply.label})" if reply.label else "")
        )

    async def _reply(self, moment: Moment, messages: Sequence[Message]) -> Reply:
        request = Request(moment.task, moment.arm, moment.turn, tuple(messages))
        try:
            reply = await self._agent.reply(request)
        except ProviderError as problem:
            raise FeedbackError(
                f"the teacher {self._agent.name} did not answer: {problem}"
            ) from None
        self._journal(
            {
                "role": "teacher",
                "task": moment.task.key,
                "arm": moment.arm,
                "turn": moment.turn,
                "level": moment.level,
                "text": reply.text,
                "label": reply.label,
                "tokens": asdict(reply.tokens),
                "retries": reply.retries,
                "meta": dict(reply.meta),
            }
        )
        if reply.label == "context_overflow":
            raise FeedbackError(
                f"the conversation is too long for the teacher {self._agent.name}"
            )
        return reply
