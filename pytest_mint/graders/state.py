"""Worlds: whether the state after the turn is the one asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mint.errors import GraderError
from pytest_mint.graders.compare import Difference, Rules, conditions, differences
from pytest_mint.graders.letters import shown
from pytest_mint.graders.submission import submission
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.graders.wording import says
from pytest_mint.tasks.graderspec import StateSpec
from pytest_mint.tasks.world import Condition
from pytest_mint.tasks.world_sql import ERRORS, WorldError, ask_all, rebuild

if TYPE_CHECKING:
    from pytest_mint.tasks.model import Task

#: A reason names no more differences than this.
NAMED = 5

_WORDS = {
    "different": "is not as asked for",
    "missing": "is missing",
    "unexpected": "should not be there",
}


@dataclass(frozen=True)
class StateComparison:
    """How a state differs from the one asked for.

    Attributes:
        share: the share of the single values asked for that are there, from 0 to 1;
            what should not be there counts against it.
        found: the differences, by path.
    """

    share: float
    found: tuple[Difference, ...]


def compare_states(
    observed: Mapping[str, Any],
    expected: Mapping[str, Any],
    ignore: Sequence[str] = (),
    unordered: Sequence[str] = (),
) -> StateComparison:
    """Compare two states by type and value, key by key.

    Args:
        observed: the state as it is.
        expected: the whole state as it should be.
        ignore, unordered: paths as :class:`~pytest_mint.graders.compare.Rules` has
            them.
    """
    rules = Rules(tuple(ignore), tuple(unordered))
    found = tuple(differences(expected, observed, rules))
    asked = max(conditions(expected, rules), len(found), 1)
    return StateComparison(1 - len(found) / asked, found)


def grade_state(task: Task, proposal: Proposal) -> Verdict:
    """Grade the world after a turn: by the task's goal, or else as a whole.

    What the reply claims decides nothing; ``must_include`` asks it to report a fact.

    Raises:
        GraderError: there is no state to grade, which is a fault of the run, nothing
            to grade it by, or a condition that SQLite cannot tell.
    """
    spec = task.grader
    if not isinstance(spec, StateSpec):
        raise GraderError(f"{task.key} is not graded by a state")
    if not isinstance(proposal.world, Mapping):
        raise GraderError(
            f"{task.key}: the world gave no state, but {type(proposal.world).__name__}"
        )
    if task.goal:
        failed = _grade_conditions(task, proposal.world)
    else:
        failed = _grade_whole(task, spec, proposal.world)
    if failed:
        return failed
    reply = submission(proposal.text)
    if not says(reply, task.must_include, task.must_not_include):
        return wrong("the reply does not report what was asked for", "state")
    return right("state")


def _grade_whole(
    task: Task, spec: StateSpec, state: Mapping[str, Any]
) -> Verdict | None:
    """What is wrong with the state as a whole, None if nothing is."""
    if not isinstance(task.expected_output, Mapping):
        raise GraderError(f"{task.key} has no expected_output that is a state")
    result = compare_states(state, task.expected_output, spec.ignore, spec.unordered)
    if not result.found:
        return None
    return wrong(_reason(result.found), "state", result.share)


def _grade_conditions(task: Task, state: Mapping[str, Any]) -> Verdict | None:
    """What of the goal is not reached and what forbidden thing is so; None if nothing.

    The agent hears how many, not which: a condition's ``why`` may say how it is met.
    """
    goal, forbidden = _holding(task, state)
    unmet = [one for one, holds in zip(task.goal, goal, strict=True) if not holds]
    broken = [
        one for one, holds in zip(task.forbidden, forbidden, strict=True) if holds
    ]
    if not unmet and not broken:
        return None
    parts = []
    if unmet:
        parts.append(f"{len(unmet)} of {len(goal)} conditions of the goal not met")
    if broken:
        parts.append("something is so that the task rules out")
    failed = len(unmet) + len(broken)
    return wrong(
        "; ".join(parts),
        "state",
        1 - failed / max(len(goal), failed),
        unmet=[_named(one) for one in unmet],
        forbidden=[_named(one) for one in broken],
    )


def _holding(task: Task, state: Mapping[str, Any]) -> tuple[list[bool], list[bool]]:
    """Which conditions of ``goal`` and ``forbidden`` hold, asked of a copy."""
    world = task.world_spec
    if world is None:
        raise GraderError(
            f"{task.key} has no expected_output, but a goal, and no world to ask for it"
        )
    try:
        with closing(rebuild(world, state)) as db:
            return (
                _hold(task.goal, ask_all(db, task.goal, "goal")),
                _hold(task.forbidden, ask_all(db, task.forbidden, "forbidden")),
            )
    except (WorldError, *ERRORS) as problem:
        raise GraderError(f"{task.key}: {problem}") from problem


def _hold(conditions: Sequence[Condition], found: Sequence[Any]) -> list[bool]:
    pairs = zip(conditions, found, strict=True)
    return [not differences(one.expect, value) for one, value in pairs]


def _named(condition: Condition) -> str:
    return condition.why or condition.sql


def _reason(found: Sequence[Difference]) -> str:
    named = [
        f"{shown(one.path) or 'the state'} {_WORDS[one.kind]}" for one in found[:NAMED]
    ]
    more = len(found) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")
