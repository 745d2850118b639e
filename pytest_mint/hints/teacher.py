"""Who gives the hints: the task's own ladder, a recording, or a control.

The teacher that is a model is in :mod:`pytest_mint.hints.model`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from pytest_mint.agents.base import Message
from pytest_mint.agents.recording import Recording
from pytest_mint.errors import FeedbackError
from pytest_mint.records import Hint
from pytest_mint.tasks.model import Task
from pytest_mint.words import LEVELS

#: What the placebo says at every level.
PLACEBO = "Check your work once more."

#: Kinds whose answers are too long for another task's hint to hold one by accident; the
#: guard is stricter, and takes any program for an answer to a coding task.
_LONG = ("code", "calls", "state", "judge")


@dataclass(frozen=True)
class Moment:
    """An unsolved turn after which a hint is due.

    Attributes:
        turn: the turn that was just taken, from 1.
        level: of the hint that is due, empty where the rules know no levels.
        messages: the conversation as the agent saw it, with what it is about to hear.
    """

    task: Task
    arm: str
    turn: int
    level: str
    messages: tuple[Message, ...] = ()


class Teacher(Protocol):
    """Someone who sees an unsolved turn and says something."""

    async def hint(self, moment: Moment) -> Hint | None:
        """The hint that is due, None where the original gave none.

        Raises:
            FeedbackError: there should be one and is not.
        """
        ...


class Ladder:
    """The hints that the task brings: free, and the same for every agent."""

    async def hint(self, moment: Moment) -> Hint:
        """The rung of this level."""
        text = rung(moment.task, moment.level)
        if not text:
            raise FeedbackError(
                f"{moment.task.key} has no hint of level {moment.level!r}"
            )
        return Hint(text, moment.level)


class RecordedTeacher:
    """Says what was said in the recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    async def hint(self, moment: Moment) -> Hint | None:
        """The recorded hint."""
        return self._recording.hint(moment.task.key, moment.arm, moment.turn)


class Placebo:
    """Says the same nothing every time: what attention alone is worth."""

    async def hint(self, moment: Moment) -> Hint:
        """No content, under the level that is due."""
        return Hint(PLACEBO, moment.level)


class Swapped:
    """Says the hint of another task of the category: help in form, not in content.

    Args:
        tasks: all tasks of the run, selected or not, so that a selection does not
            change who is whose partner.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._by_category: dict[str, list[Task]] = {}
        for task in tasks:
            if task.hints is not None:
                self._by_category.setdefault(task.category, []).append(task)
        self._partners: dict[str, Task | None] = {}

    def others(self, task: Task) -> list[Task]:
        """The other tasks of the category that have hints."""
        same = self._by_category.get(task.category, ())
        return [one for one in same if one.key != task.key]

    def partner(self, task: Task) -> Task | None:
        """Whose hints the task gets: the first that do not happen to give it away.

        The order comes from a hash of both keys, so that it is the same everywhere and
        follows no theme.
        """
        if task.key not in self._partners:
            others = sorted(
                self.others(task),
                key=lambda one: sha256(f"{task.key} {one.key}".encode()).digest(),
            )
            self._partners[task.key] = _first_harmless(task, others)
        return self._partners[task.key]

    async def hint(self, moment: Moment) -> Hint:
        """The partner's own hint of this level."""
        partner = self.partner(moment.task)
        if partner is None:
            raise FeedbackError(
                f"{moment.task.key}: no other task of its category has hints that do "
                "not give it away"
            )
        return Hint(rung(partner, moment.level), moment.level)


def rung(task: Task, level: str) -> str:
    """The task's own hint of a level, empty where it has none."""
    return str(getattr(task.hints, level, "")) if level in LEVELS else ""


def _first_harmless(task: Task, others: Sequence[Task]) -> Task | None:
    if task.grader.kind in _LONG:
        return next(iter(others), None)
    from pytest_mint.hints.guard import leak

    for other in others:
        if not any(leak(task, rung(other, level)) for level in LEVELS):
            return other
    return None
