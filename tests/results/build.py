"""Episodes and results for tests, from a few words."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_mint.records import Episode, Hint, TaskResult, Tokens, Turn
from pytest_mint.results.plan import Collected, Plan, Results
from pytest_mint.results.rows import row_of
from pytest_mint.words import LEVELS, MISSING

#: How an arm ends: the turn of success, or an outcome.
End = int | str

LADDER = {2: "vague", 3: "specific", 4: "direct", 5: "direct", 6: "direct"}


def episode(
    arm: str, end: End, hints: Mapping[int, str] | None = None, turns: int = 5
) -> Episode:
    """An episode; ``hints`` are levels by the turn that they follow."""
    if end in MISSING:
        return Episode(arm, str(end), error=f"{end} here")
    last = end if isinstance(end, int) else turns
    ladder = hints if hints is not None else (LADDER if arm == "nlf" else {})
    played = tuple(
        Turn(
            number,
            text=f"reply {number}",
            tokens=Tokens(100, 10),
            shared=number <= 2,
            hint=(
                Hint("try", level=ladder[number], tokens=Tokens(20, 2))
                if number in ladder and number < last
                else None
            ),
        )
        for number in range(1, last + 1)
    )
    if isinstance(end, int):
        return Episode(arm, "solved", success_turn=end, turns=played)
    return Episode(arm, end, turns=played)


def result(
    task: str,
    ends: Mapping[str, End],
    dataset: str = "",
    hints: Mapping[int, str] | None = None,
    turns: int = 5,
) -> TaskResult:
    """What was played of ``category/id``: how each arm ended."""
    episodes = {
        arm: episode(arm, end, hints if arm == "nlf" else None, turns)
        for arm, end in ends.items()
    }
    return TaskResult(task, task.split("/")[0], dataset, episodes=episodes)


def results_of(
    played: list[TaskResult],
    unplayed: Mapping[str, tuple[str, ...]] | None = None,
    not_applicable: Mapping[str, str] | None = None,
    **plan: object,
) -> Results:
    """Results in which every played arm was scheduled, and ``unplayed`` besides."""
    arms = {one.task: tuple(one.episodes) for one in played} | dict(unplayed or {})
    datasets = {one.task: one.dataset for one in played}
    keys = [*arms, *(not_applicable or {})]
    collected = tuple(
        Collected(key, key.split("/")[0], datasets.get(key, "")) for key in keys
    )
    return Results(
        Plan(collected, dict(not_applicable or {}), arms, **plan),  # type: ignore[arg-type]
        tuple(row_of(one) for one in played),
    )


def sample() -> Results:
    """Fourteen tasks, every way to end among them; the tables are in the tests."""
    played = [
        result("reasoning/r1", {"ef": 1, "nlf": 1}),
        result("reasoning/r2", {"ef": 3, "nlf": 3}),
        result("reasoning/r3", {"ef": "unsolved", "nlf": 4}),
        result("reasoning/r4", {"ef": "unsolved", "nlf": "empty"}),
        result("reasoning/r5", {"ef": 2, "nlf": 2}),
        result("coding/c1", {"ef": "limit", "nlf": 3}),
        result("coding/c2", {"ef": 5, "nlf": "unsolved"}),
        result("coding/c3", {"ef": "unsolved", "nlf": 5}),
        result("coding/c4", {"ef": 4, "nlf": 4}),
        result("coding/c5", {"ef": "provider_error", "nlf": 1}),
        result("coding/c6", {"ef": "context_overflow", "nlf": "grader_error"}),
        result("science/s1", {"ef": "refused", "nlf": 2}),
        result("science/s2", {"ef": 1}),
    ]
    return results_of(
        played,
        unplayed={"science/s3": ("ef", "nlf")},
        not_applicable={"tool_use/x1": "a judge", "tool_use/x2": "a judge"},
    )


assert tuple(LADDER[turn] for turn in (2, 3, 4)) == LEVELS
