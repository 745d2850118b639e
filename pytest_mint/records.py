"""What an episode leaves behind: frozen records, and their form as plain JSON data.

Records cross threads, processes and disks, so they hold builtins only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mint.words import MISSING, NO_HINT, UNLABELLED


@dataclass(frozen=True)
class Tokens:
    """Tokens of one role, as the endpoint counted them.

    ``cached`` is the part of ``prompt`` that the endpoint had at hand, for less money.
    """

    prompt: int = 0
    completion: int = 0
    cached: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.cached + other.cached,
        )


@dataclass(frozen=True)
class Spent:
    """What something took: tokens, and seconds of the calls."""

    tokens: Tokens = Tokens()
    seconds: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.tokens + other.tokens, self.seconds + other.seconds)


NOTHING = Spent()


@dataclass(frozen=True)
class ToolRun:
    """One tool call and what came back."""

    tool: str
    arguments: str  # JSON text as the agent wrote it, or the code of a text cell
    output: str
    ok: bool = True
    call_id: str = ""


@dataclass(frozen=True)
class Judgement:
    """A grader's verdict on one proposal, as it is kept."""

    solved: bool
    score: float
    reason: str
    rule: str = ""
    tokens: Tokens = Tokens()  # of the judge, where a model graded
    seconds: float = 0.0  # of its calls


@dataclass(frozen=True)
class Hint:
    """What the teacher said; ``level`` is empty where a recording names none.

    ``leaks`` of the teacher's hints gave the answer away and were not handed on; after
    the second one the task's own hint stands here, and it is ``replaced``.
    """

    text: str
    level: str = ""
    tokens: Tokens = Tokens()
    seconds: float = 0.0  # of the teacher's calls
    leaks: int = 0
    replaced: bool = False


@dataclass(frozen=True)
class Turn:
    """One reply of the agent, with the calls in it and what came back."""

    number: int  # from 1
    text: str
    runs: tuple[ToolRun, ...] = ()
    proposal: str | None = None
    verdict: Judgement | None = None
    label: str = ""  # "", "empty", "refused", "cut", "invalid"
    heard: str = ""  # the message that followed, hint included; empty after the last
    hint: Hint | None = None
    tokens: Tokens = Tokens()
    seconds: float = 0.0  # of the model and the tools
    tool_seconds: float = 0.0  # the tools' part of it
    shared: bool = False  # played before the fork: the same reply stands in both arms
    drift: str = ""  # how the prompt differed from the recording that answered it


@dataclass(frozen=True)
class Episode:
    """One task played in one arm."""

    arm: str
    outcome: str
    success_turn: int | None = None
    error: str = ""  # why the outcome is missing data or a limit
    opening: tuple[Mapping[str, Any], ...] = ()  # the messages before the first reply
    turns: tuple[Turn, ...] = ()
    seconds: float = 0.0
    lost: Spent = NOTHING  # what teacher or judge took before they failed

    @property
    def solved(self) -> bool:
        """Whether the agent solved the task in this arm."""
        return self.outcome == "solved"

    @property
    def missing(self) -> bool:
        """Whether the episode says nothing about the agent."""
        return self.outcome in MISSING


@dataclass(frozen=True)
class TaskResult:
    """All that was played of one task in one trial."""

    task: str  # "category/id"
    category: str
    dataset: str = ""
    trial: int = 1
    digest: str = ""  # of the task as it was played
    episodes: Mapping[str, Episode] = field(default_factory=dict)  # by arm

    @property
    def sufficient_level(self) -> str:
        """The level of hint that was enough: of the last one before the success.

        ``unlabelled`` if that hint names no level, ``none`` if the task was solved
        before any, empty if it was not solved with hints.
        """
        episode = self.episodes.get("nlf")
        if episode is None or not episode.solved or episode.success_turn is None:
            return ""
        hints = [
            turn.hint
            for turn in episode.turns
            if turn.hint is not None and turn.number < episode.success_turn
        ]
        return (hints[-1].level or UNLABELLED) if hints else NO_HINT


def to_data(record: TaskResult) -> dict[str, Any]:
    """The record as builtins, without the fields that hold their default."""
    data: dict[str, Any] = _lean(record)
    if level := record.sufficient_level:
        data["sufficient_level"] = level
    return data


def _lean(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            f.name: _lean(got)
            for f in dataclasses.fields(value)
            if (got := getattr(value, f.name)) != _default(f)
        }
    if isinstance(value, Mapping):
        return {str(key): _lean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_lean(item) for item in value]
    return value


def _default(f: dataclasses.Field[Any]) -> Any:
    if f.default_factory is not dataclasses.MISSING:
        return f.default_factory()
    return f.default


def from_data(data: Mapping[str, Any]) -> TaskResult:
    """The inverse of :func:`to_data`.

    Raises:
        KeyError, TypeError: the data are not those of a record.
    """
    fields = {name: value for name, value in data.items() if name != "sufficient_level"}
    episodes = {arm: _episode(one) for arm, one in data.get("episodes", {}).items()}
    return TaskResult(**{**fields, "episodes": episodes})


def _episode(data: Mapping[str, Any]) -> Episode:
    turns = tuple(_turn(turn) for turn in data.get("turns", ()))
    opening = tuple(data.get("opening", ()))
    lost = dict(data.get("lost", {}))
    spent = Spent(**{**lost, "tokens": Tokens(**lost.get("tokens", {}))})
    return Episode(**{**data, "opening": opening, "turns": turns, "lost": spent})


def _turn(data: Mapping[str, Any]) -> Turn:
    fields = dict(data)
    fields["runs"] = tuple(ToolRun(**run) for run in data.get("runs", ()))
    if data.get("verdict"):
        verdict = dict(data["verdict"])
        judge = Tokens(**verdict.get("tokens", {}))
        fields["verdict"] = Judgement(**{**verdict, "tokens": judge})
    if data.get("hint"):
        hint = dict(data["hint"])
        fields["hint"] = Hint(**{**hint, "tokens": Tokens(**hint.get("tokens", {}))})
    fields["tokens"] = Tokens(**data.get("tokens", {}))
    return Turn(**fields)
