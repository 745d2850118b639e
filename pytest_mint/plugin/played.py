"""What a test gets to see of an episode: the fixture ``mint_episode``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_mint.records import Episode, TaskResult, Turn
from pytest_mint.report.episode import trajectory, unsolved_lines
from pytest_mint.tasks.model import Task


@dataclass(frozen=True)
class PlayedEpisode:
    """An episode that was played to its end.

    What speaks of "the" episode speaks of arm ``ef``, unless only ``nlf`` is played.

    Attributes:
        task: the task.
        result: all that was played of it, both arms.
        arm: the arm whose verdict is the test's.
        gated: whether gates decide, so that an unsolved task is no failure.
        run_dir: where the trajectory is kept, empty if nowhere.
        on_unsolved: is told what happened when a test finds the task unsolved.
    """

    task: Task
    result: TaskResult
    arm: str
    gated: bool = False
    run_dir: str = ""
    on_unsolved: Callable[[list[str]], None] = lambda lines: None

    @property
    def episode(self) -> Episode:
        """The episode in the arm of the verdict."""
        return self.result.episodes[self.arm]

    @property
    def ef(self) -> Episode | None:
        """The episode with environment feedback only, if it was played."""
        return self.result.episodes.get("ef")

    @property
    def nlf(self) -> Episode | None:
        """The episode with hints, if it was played."""
        return self.result.episodes.get("nlf")

    @property
    def solved(self) -> bool:
        """Whether the task was solved."""
        return self.episode.solved

    @property
    def success_turn(self) -> int | None:
        """The turn at which it was solved, from 1; None if it was not."""
        return self.episode.success_turn

    @property
    def outcome(self) -> str:
        """How the episode ended: ``solved``, ``unsolved``, ``empty``, ..."""
        return self.episode.outcome

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns, with calls, proposals and verdicts."""
        return self.episode.turns

    @property
    def answer(self) -> str | None:
        """The last proposal, None if nothing was handed in."""
        proposals = [turn.proposal for turn in self.turns if turn.proposal is not None]
        return proposals[-1] if proposals else None

    @property
    def trajectory(self) -> list[Mapping[str, Any]]:
        """The conversation as chat messages."""
        return trajectory(self.episode)

    def assert_solved(self, by_turn: int | None = None) -> None:
        """Fail the test if the task was not solved.

        With gates the test does not fail but counts as unsolved, and the gates decide.

        Args:
            by_turn: the turn by which it must be solved, from 1; None: any turn.
        """
        __tracebackhide__ = True
        turn = self.success_turn
        if turn is not None and (by_turn is None or turn <= by_turn):
            return
        lines = unsolved_lines(self.result, self.arm, run_dir=self.run_dir)
        self.on_unsolved(lines)
        if self.gated:
            pytest.xfail(f"unsolved after {len(self.turns)} turns")
        pytest.fail("\n".join(lines), pytrace=False)
