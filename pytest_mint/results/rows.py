"""What the controller keeps of a task: a row of numbers, not the trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pytest_mint.records import Episode, TaskResult, Tokens, Turn
from pytest_mint.words import ARMS, MISSING, VALID

#: Whose tokens are counted apart.
ROLES = ("agent", "hints", "judge")

#: The level of a hint that names none, as in recordings of the original benchmark.
UNLABELLED = "unlabelled"

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
        level: of the last hint before arm ``nlf`` solved the task; ``unlabelled`` if
            that hint names no level, empty if there was none or it is not solved.
        tokens: by role; turns that both arms share are counted once.
        drift: replies of a recording whose prompt was not the recorded one.
    """

    task: str
    category: str
    dataset: str = ""
    trial: int = 1
    arms: Mapping[str, Played] = field(default_factory=dict)
    level: str = ""
    tokens: Mapping[str, Tokens] = field(default_factory=dict)
    drift: int = 0


def row_of(result: TaskResult) -> Row:
    """The numbers of a task's episodes.

    Raises:
        ValueError: an outcome is no known word, or a success has no turn.
    """
    turns = tuple(_played_turns(result.episodes))
    return Row(
        task=result.task,
        category=result.category,
        dataset=result.dataset,
        trial=result.trial,
        arms={arm: _played(result.task, one) for arm, one in result.episodes.items()},
        level=_level(result.episodes.get("nlf")),
        tokens=_tokens(result.episodes, turns),
        drift=sum(bool(turn.drift) for turn in turns),
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


def _level(episode: Episode | None) -> str:
    if episode is None or not episode.solved or episode.success_turn is None:
        return ""
    hints = [
        turn.hint
        for turn in episode.turns
        if turn.hint is not None and turn.number < episode.success_turn
    ]
    return (hints[-1].level or UNLABELLED) if hints else ""


def _played_turns(episodes: Mapping[str, Episode]) -> Iterator[Turn]:
    """The turns of all arms, those before the fork only once."""
    seen: set[int] = set()
    for arm in ARMS:
        for turn in episodes[arm].turns if arm in episodes else ():
            if turn.shared and turn.number in seen:
                continue
            if turn.shared:
                seen.add(turn.number)
            yield turn


def _tokens(
    episodes: Mapping[str, Episode], turns: tuple[Turn, ...]
) -> dict[str, Tokens]:
    # The hint after the last shared turn belongs to one arm only, so hints are counted
    # over all episodes.
    hints = [t.hint for one in episodes.values() for t in one.turns if t.hint]
    verdicts = [turn.verdict for turn in turns if turn.verdict]
    return {
        "agent": sum((turn.tokens for turn in turns), Tokens()),
        "hints": sum((hint.tokens for hint in hints), Tokens()),
        "judge": sum((verdict.tokens for verdict in verdicts), Tokens()),
    }
