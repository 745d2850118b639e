"""The rules that the original MINT benchmark played by, for its own tasks."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_mint.agents.base import Message, Reply, ToolCall
from pytest_mint.episode.rules import CELL, Action, Happened
from pytest_mint.records import Hint
from pytest_mint.tasks import mint_protocol as protocol
from pytest_mint.tasks.model import Task
from pytest_mint.tools.base import Tool
from pytest_mint.tools.python_interpreter import NO_OUTPUT


class MintRules:
    """One block of text a turn: a proposal, of which there are two, or code to run."""

    arms_fork = False  # the arms differ from the first message on
    first_hint = 1

    def __init__(self, max_turns: int) -> None:
        self.max_proposals: int | None = protocol.proposals_allowed(max_turns)

    def opening(
        self, task: Task, arm: str, tools: Sequence[Tool], native: bool
    ) -> tuple[Message, ...]:
        """All in one message of the user."""
        content = protocol.asked(task.frame.get(arm, ""), task.input)
        return ({"role": "user", "content": content},)

    def read(self, reply: Reply, native: bool) -> Action:
        """A solution tag makes it a proposal, whatever else is there."""
        if protocol.is_proposal(reply.text):
            solution = protocol.solution_in(reply.text)
            return Action(
                proposal=solution or None, proposes=True, understood=bool(solution)
            )
        code = protocol.code_in(reply.text)
        return Action((ToolCall(CELL, code),) if code else (), understood=bool(code))

    def said(self, reply: Reply) -> tuple[Message, ...]:
        """An empty reply leaves no trace in the conversation."""
        if not reply.text:
            return ()
        return ({"role": "assistant", "content": protocol.said(reply.text)},)

    def hint_level(self, turn: int) -> str:
        """There are no levels."""
        return ""

    def heard(self, happened: Happened, hint: Hint | None) -> str:
        """The observation, what is left, and what the expert says."""
        return protocol.heard(
            _observation(happened),
            happened.turns_left,
            happened.proposals_left,
            hint.text if hint else "",
        )


def _observation(happened: Happened) -> str:
    if not happened.action.understood:
        return protocol.NOT_UNDERSTOOD
    if happened.action.proposes:
        return protocol.WRONG
    if not happened.runs:  # a recording may hold none for code that was not run
        return ""
    printed = happened.runs[-1].output
    return protocol.NO_OUTPUT if printed == NO_OUTPUT else protocol.shortened(printed)
