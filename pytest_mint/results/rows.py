"""What the controller keeps of a task: a row of numbers, not the trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pytest_mint.records import NOTHING, Episode, Hint, Spent, TaskResult, Turn
from pytest_mint.words import ALL_ARMS, MISSING, VALID

#: Who took what was lost, by outcome.
_FAILED = {"feedback_error": "hints", "grader_error": "judge"}

#: Whose tokens and seconds are counted apart.
ROLES = ("agent", "hints", "judge", "tools")

_LONGEST_ERROR = 500  # characters; the whole text is in the run on disk


@dataclass(frozen=True)
class Played:
    """How one arm of a task ended."""

    outcome: str
    success_turn: int | None = None
    turns: int = 0
    error: str = ""


@dataclass(frozen=True)
class Row:
    """One task in one trial.

    Attributes:
        arms: how it ended, by arm; only what was played.
        level: the level of hint that was enough, see
            :attr:`~pytest_mint.records.TaskResult.sufficient_level`.
        spent: by arm and role; turns that arms share are counted once, in the first.
        drift: replies of a recording whose prompt was not the recorded one.
        leaks: hints that gave the answer away and were not handed on.
        replaced: hints in whose place the task's own ones stood.
    """

    task: str
    category: str
    dataset: str = ""
    trial: int = 1
    arms: Mapping[str, Played] = field(default_factory=dict)
    level: str = ""
    spent: Mapping[tuple[str, str], Spent] = field(default_factory=dict)
    drift: int = 0
    leaks: int = 0
    replaced: int = 0


def row_of(result: TaskResult) -> Row:
    """The numbers of a task's episodes.

    Raises:
        ValueError: an outcome is no known word, or a success has no turn.
    """
    hints = [hint for _, hint in _hints(result.episodes)]
    return Row(
        task=result.task,
        category=result.category,
        dataset=result.dataset,
        trial=result.trial,
        arms={arm: _played(result.task, one) for arm, one in result.episodes.items()},
        level=result.sufficient_level,
        spent=_spent(result.episodes),
        drift=sum(bool(turn.drift) for _, turn in _played_turns(result.episodes)),
        leaks=sum(hint.leaks for hint in hints),
        replaced=sum(hint.replaced for hint in hints),
    )


def _played(task: str, episode: Episode) -> Played:
    if episode.outcome not in VALID + MISSING:
        words = ", ".join(VALID + MISSING)
        raise ValueError(
            f"{task} ({episode.arm}): outcome {episode.outcome!r} is none of {words}"
        )
    if episode.solved and episode.success_turn is None:
        raise ValueError(f"{task} ({episode.arm}): solved, but at no turn")
    return Played(
        outcome=episode.outcome,
        success_turn=episode.success_turn if episode.solved else None,
        turns=len(episode.turns),
        error=episode.error[:_LONGEST_ERROR],
    )


def _spent(episodes: Mapping[str, Episode]) -> dict[tuple[str, str], Spent]:
    """By arm and role; turns before the fork belong to the first arm only."""
    spent: dict[tuple[str, str], Spent] = {}

    def add(arm: str, role: str, one: Spent) -> None:
        if one != NOTHING:
            spent[arm, role] = spent.get((arm, role), NOTHING) + one

    for arm, turn in _played_turns(episodes):
        add(arm, "agent", Spent(turn.tokens, turn.seconds - turn.tool_seconds))
        add(arm, "tools", Spent(seconds=turn.tool_seconds))
        if turn.verdict:
            add(arm, "judge", Spent(turn.verdict.tokens, turn.verdict.seconds))
    for arm, hint in _hints(episodes):
        add(arm, "hints", Spent(hint.tokens, hint.seconds))
    for arm, episode in episodes.items():
        add(arm, _FAILED.get(episode.outcome, "agent"), episode.lost)
    return spent


def _hints(episodes: Mapping[str, Episode]) -> Iterator[tuple[str, Hint]]:
    """All hints: the one after the last shared turn belongs to its arm only."""
    for arm, episode in episodes.items():
        for turn in episode.turns:
            if turn.hint:
                yield arm, turn.hint


def _played_turns(episodes: Mapping[str, Episode]) -> Iterator[tuple[str, Turn]]:
    """The turns of all arms, those before the fork only once."""
    seen: set[int] = set()
    for arm in ALL_ARMS:
        for turn in episodes[arm].turns if arm in episodes else ():
            if turn.shared and turn.number in seen:
                continue
            if turn.shared:
                seen.add(turn.number)
            yield arm, turn
