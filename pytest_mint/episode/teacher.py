"""Who gives the hints: the task's own ladder, or a recording."""

from __future__ import annotations

from typing import Protocol

from pytest_mint.agents.recording import Recording
from pytest_mint.errors import FeedbackError
from pytest_mint.records import Hint
from pytest_mint.tasks.model import Task


class Teacher(Protocol):
    """Someone who sees an unsolved turn and says something helpful."""

    name: str

    def teaches(self, task: Task) -> bool:
        """Whether there are hints for this task at all."""
        ...

    async def hint(self, task: Task, arm: str, turn: int, level: str) -> Hint | None:
        """The hint after this turn, None where the original gave none.

        Raises:
            FeedbackError: there should be one and is not.
        """
        ...


class Ladder:
    """The hints that the task brings: free, and the same for every agent."""

    name = "the tasks' own ladder"

    def teaches(self, task: Task) -> bool:
        """Imported tasks have no ladder."""
        return task.hints is not None

    async def hint(self, task: Task, arm: str, turn: int, level: str) -> Hint | None:
        """The rung of this level."""
        text = getattr(task.hints, level, "")
        if not text:
            raise FeedbackError(f"{task.key} has no hint of level {level!r}")
        return Hint(text, level)


class RecordedTeacher:
    """Says what was said in the recording."""

    name = "as recorded"

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def teaches(self, task: Task) -> bool:
        """Whether the recording has an arm with hints for the task."""
        return self._recording.has(task.key, "nlf")

    async def hint(self, task: Task, arm: str, turn: int, level: str) -> Hint | None:
        """The recorded hint."""
        return self._recording.hint(task.key, arm, turn)
