"""Worlds: whether the state after the turn is the one asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mint.errors import GraderError
from pytest_mint.graders.compare import Difference, Rules, conditions, differences
from pytest_mint.graders.letters import shown
from pytest_mint.graders.submission import submission
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.graders.wording import says
from pytest_mint.tasks.graderspec import StateSpec

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
    """Grade the world after a turn against the whole state that the task expects.

    What the reply claims decides nothing; ``must_include`` asks it to report a fact.

    Raises:
        GraderError: there is no state to compare, which is a fault of the run, or
            none to compare it with.
    """
    spec = task.grader
    if not isinstance(spec, StateSpec) or not isinstance(task.expected_output, Mapping):
        raise GraderError(f"{task.key} has no expected_output that is a state")
    if not isinstance(proposal.world, Mapping):
        raise GraderError(
            f"{task.key}: the world gave no state, but {type(proposal.world).__name__}"
        )
    result = compare_states(
        proposal.world, task.expected_output, spec.ignore, spec.unordered
    )
    if result.found:
        return wrong(_reason(result.found), "state", result.share)
    reply = submission(proposal.text)
    if not says(reply, task.must_include, task.must_not_include):
        return wrong("the reply does not report what was asked for", "state")
    return right("state")


def _reason(found: Sequence[Difference]) -> str:
    named = [
        f"{shown(one.path) or 'the state'} {_WORDS[one.kind]}" for one in found[:NAMED]
    ]
    more = len(found) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")
