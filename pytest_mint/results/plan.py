"""What was to be played, what was played, and what is missing between the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from pytest_mint.results.rows import Row
from pytest_mint.words import ALL_ARMS, MAX_K, MISSING

NOT_PLAYED = "not played"


class Collected(NamedTuple):
    """A task of the session, whether it can be played or not."""

    key: str
    category: str
    dataset: str = ""


@dataclass(frozen=True)
class Plan:
    """What a session sets out to play.

    Attributes:
        collected: every task of the session, in order.
        not_applicable: by task, what it needs and this run has not, as a noun
            ("the ALFWorld simulator", "a judge").
        arms: the arms scheduled for each of the other tasks; a task without hints
            has ``ef`` only.
        verdict_arm: the arm that a test's verdict and a gate without prefix speak of.
        max_turns: of an episode.
    """

    collected: tuple[Collected, ...]
    not_applicable: Mapping[str, str] = field(default_factory=dict)
    arms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    verdict_arm: str = "ef"
    max_turns: int = MAX_K

    @cached_property
    def scheduled(self) -> tuple[Collected, ...]:
        """The tasks that rates and coverage are over."""
        return tuple(one for one in self.collected if self.arms.get(one.key))

    @property
    def played_arms(self) -> tuple[str, ...]:
        """The arms that at least one task has."""
        return tuple(
            arm for arm in ALL_ARMS if any(arm in arms for arms in self.arms.values())
        )


def plan_to_data(plan: Plan) -> dict[str, Any]:
    """The plan as builtins, as ``run.json`` keeps it."""
    return {
        "collected": [list(one) for one in plan.collected],
        "not_applicable": dict(plan.not_applicable),
        "arms": {task: list(arms) for task, arms in plan.arms.items()},
        "verdict_arm": plan.verdict_arm,
        "max_turns": plan.max_turns,
    }


def plan_from_data(data: Mapping[str, Any]) -> Plan:
    """The inverse of :func:`plan_to_data`.

    Raises:
        KeyError, TypeError: the data are not those of a plan.
    """
    return Plan(
        collected=tuple(Collected(*one) for one in data["collected"]),
        not_applicable=dict(data["not_applicable"]),
        arms={task: tuple(arms) for task, arms in data["arms"].items()},
        verdict_arm=data["verdict_arm"],
        max_turns=data["max_turns"],
    )


@dataclass(frozen=True)
class Cell:
    """One scheduled (task, arm) and what came of it."""

    task: str
    category: str
    dataset: str
    arm: str
    outcome: str
    success_turn: int | None = None
    turns: int = 0
    error: str = ""
    level: str = ""  # of hint that was enough, arm nlf only

    @property
    def graded(self) -> bool:
        """Whether it says anything about the agent."""
        return self.outcome not in MISSING

    def solved_by(self, k: int) -> bool:
        """Whether it was solved within the first ``k`` turns."""
        return self.success_turn is not None and self.success_turn <= k

    @property
    def solved(self) -> bool:
        """Whether it was solved within five turns, however many were allowed."""
        return self.solved_by(MAX_K)


@dataclass(frozen=True)
class Results:
    """A plan and what came of it, in one trial.

    Attributes:
        rows: in any order; of several rows of one task the last counts.
        interrupted: whether the session was stopped before its end.
        lost: by task, why a part of it has no row ("worker crashed"); without a
            reason it was not played.

    Raises:
        ValueError: a row's task or arm is not scheduled.
    """

    plan: Plan
    rows: tuple[Row, ...] = ()
    interrupted: bool = False
    lost: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.rows:
            scheduled = self.plan.arms.get(row.task, ())
            if unknown := [arm for arm in row.arms if arm not in scheduled]:
                raise ValueError(f"{row.task}: {unknown} was played but not scheduled")

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every scheduled (task, arm), in the order of the plan."""
        rows = {row.task: row for row in self.rows}
        return tuple(
            self._cell(one, arm, rows.get(one.key))
            for one in self.plan.scheduled
            for arm in self.plan.arms[one.key]
        )

    def _cell(self, one: Collected, arm: str, row: Row | None) -> Cell:
        played = row.arms.get(arm) if row else None
        if row is None or played is None:
            reason = self.lost.get(one.key, NOT_PLAYED)
            return Cell(*one, arm, outcome="cancelled", error=reason)
        return Cell(
            *one,
            arm,
            outcome=played.outcome,
            success_turn=played.success_turn,
            turns=played.turns,
            error=played.error,
            level=row.level if arm == "nlf" else "",
        )

    def of(
        self, arm: str, category: str | None = None, dataset: str | None = None
    ) -> tuple[Cell, ...]:
        """The cells of an arm, of all categories and datasets or of one."""
        return tuple(
            cell
            for cell in self.cells
            if cell.arm == arm
            and category in (None, cell.category)
            and dataset in (None, cell.dataset)
        )

    @property
    def missing(self) -> tuple[Cell, ...]:
        """The cells that say nothing about the agent."""
        return tuple(cell for cell in self.cells if not cell.graded)
