"""What a reply does and what the agent hears after it: the rules of the game.

There are two sets: ours, and those that the tasks of the MINT benchmark were played
by. The loop is the same for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_mint.agents.base import Message, Reply, ToolCall
from pytest_mint.records import Hint, Judgement, ToolRun
from pytest_mint.tasks.model import Task
from pytest_mint.tools.base import Tool

#: The name under which a text cell is kept.
CELL = "python_interpreter"


@dataclass(frozen=True)
class Action:
    """What a reply does.

    Attributes:
        calls: what is run, first to last; a text cell has no ``id`` and its code as
            ``arguments``.
        proposal: what is graded, None where nothing is handed in.
        proposes: whether the reply costs a proposal, readable or not.
        understood: whether the reply did anything at all.
    """

    calls: tuple[ToolCall, ...] = ()
    proposal: str | None = None
    proposes: bool = False
    understood: bool = True


@dataclass(frozen=True)
class Happened:
    """An unsolved turn, as far as the agent is told about it."""

    action: Action
    label: str
    runs: tuple[ToolRun, ...]
    verdict: Judgement | None
    turns_left: int
    proposals_left: int


class Rules(Protocol):
    """How an episode is opened, read and answered."""

    #: Proposals after which the episode ends, None: as many as there are turns.
    max_proposals: int | None
    #: Whether both arms are one conversation until the first hint.
    arms_fork: bool
    #: The turn after which the first hint may come.
    first_hint: int

    def opening(
        self, task: Task, arm: str, tools: Sequence[Tool], native: bool
    ) -> tuple[Message, ...]:
        """The messages before the first reply."""
        ...

    def read(self, reply: Reply, native: bool) -> Action:
        """What the reply does."""
        ...

    def said(self, reply: Reply) -> tuple[Message, ...]:
        """The reply as it stands in the conversation."""
        ...

    def hint_level(self, turn: int) -> str:
        """The level of the hint after this turn."""
        ...

    def heard(self, happened: Happened, hint: Hint | None) -> str:
        """The message after an unsolved turn."""
        ...
