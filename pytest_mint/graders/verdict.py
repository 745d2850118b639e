"""What every grader takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mint.records import NOTHING, Spent, ToolRun


@dataclass(frozen=True)
class Proposal:
    """What the agent hands in.

    Attributes:
        text: the whole reply, from which a grader reads the answer; for imported
            tasks the content of the ``<solution>`` blocks.
        runs: the tool calls since the last wrong verdict (tool_use).
        world: the rows of the world after the turn, by table (decision_making).
    """

    text: str
    runs: tuple[ToolRun, ...] = ()
    world: Any = None


@dataclass(frozen=True)
class Verdict:
    """A grader's answer.

    Attributes:
        solved: whether the proposal counts as a solution.
        score: from 0 to 1, the share of what was asked that was met.
        reason: what failed, in words that do not give the answer away: the agent
            hears it as environment feedback.
        rule: which rule found the answer in the reply.
        details: what only the person who reads the report should see.
        spent: by the judge, where a model graded.
    """

    solved: bool
    score: float
    reason: str
    rule: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    spent: Spent = NOTHING


def right(rule: str = "", **details: Any) -> Verdict:
    """The verdict of a full solution."""
    return Verdict(True, 1.0, "right", rule, details)


def wrong(reason: str, rule: str = "", score: float = 0.0, **details: Any) -> Verdict:
    """The verdict of anything less."""
    return Verdict(False, score, reason, rule, details)
