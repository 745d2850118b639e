"""The benchmark as a library, without pytest.

The same engine plays the episodes; the functions are plain and may be called from
anywhere, a running event loop included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mint.agents.base import Agent
from pytest_mint.errors import ProviderError, UserError
from pytest_mint.lineup import Lineup
from pytest_mint.options import OPTIONS
from pytest_mint.player import Player
from pytest_mint.records import TaskResult
from pytest_mint.report.episode import trajectory
from pytest_mint.settings import did_you_mean, resolve
from pytest_mint.tasks.model import Task


@dataclass(frozen=True)
class MINTEvalResult:
    """How a model did on one task.

    Attributes:
        task_id: the task's id, unique in its category.
        category: one of the eight categories.
        success_turn: the turn of success with environment feedback only, from 1; None
            if it was not solved.
        ef_only_success: whether it was solved with environment feedback only.
        ef_nlf_success: whether it was solved with hints, too; None if that arm was
            not played.
        trajectory: the conversation with environment feedback only, as chat messages.
        result: everything that was played.
    """

    task_id: str
    category: str
    success_turn: int | None
    ef_only_success: bool
    ef_nlf_success: bool | None
    trajectory: tuple[Mapping[str, Any], ...]
    result: TaskResult


def evaluate_multi_turn(
    model: str | Agent,
    task: Task,
    max_turns: int = 5,
    use_nlf: bool = True,
    **settings: Any,
) -> MINTEvalResult:
    """Play one task with a model and grade it.

    Args:
        model: a model's name, a probe (``oracle``, ``nop``, ``parrot``), or an agent
            of your own, which may play many tasks and is yours to close.
        task: what is played.
        max_turns: turns of the episode, at least 1.
        use_nlf: also play the arm with the task's hints, forked at the first one.
        settings: any other setting by name, such as ``base_url`` or ``sandbox``.

    Raises:
        UserError: a setting is not allowed, or the model has no endpoint or no key.
        Missing: the episode says nothing about the model: an error of the endpoint,
            the sandbox, the teacher or the grader.
        ValueError: this run cannot play the task, because something that it needs (a
            simulator, a judge) is not there.
    """
    name = model if isinstance(model, str) else model.name
    own = {"model": name, "max_turns": max_turns, "arm": "both" if use_nlf else "ef"}
    if unknown := settings.keys() - {option.name for option in OPTIONS}:
        known = [option.name for option in OPTIONS]
        word = sorted(unknown)[0]
        raise UserError(f"there is no setting {word!r}{did_you_mean(word, known)}")
    lineup = Lineup(
        resolve({**settings, **own}, environ={}),
        Path.cwd(),
        agent=None if isinstance(model, str) else model,
    )
    if reason := lineup.lacks(task):
        raise ValueError(f"{task.key} cannot be played: it needs {reason}")
    with closing(lineup):
        lineup.serve()
        with closing(Player(lineup)) as player:
            result, _ = player.take(task)
    for episode in result.episodes.values():
        if episode.missing:
            raise _error(episode.outcome, f"{task.key}: {episode.error}")
    ef, nlf = result.episodes["ef"], result.episodes.get("nlf")
    return MINTEvalResult(
        task.id,
        task.category,
        ef.success_turn,
        ef.solved,
        nlf.solved if nlf else None,
        tuple(trajectory(ef)),
        result,
    )


def compute_k_turn_success(results: Iterable[MINTEvalResult], k: int) -> float | None:
    """success@k: the share of tasks solved by turn ``k`` with environment feedback.

    Args:
        results: one per task.
        k: from 1.

    Returns:
        From 0 to 1, None for no results.

    Raises:
        ValueError: ``k`` is below 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}; turns are counted from 1")
    turns = [result.success_turn for result in results]
    if not turns:
        return None
    return sum(turn is not None and turn <= k for turn in turns) / len(turns)


def compute_hur(results: Iterable[MINTEvalResult]) -> float | None:
    """The human utility rate: of the tasks that fail without hints, those rescued.

    Source: Wang et al., "MINT", arXiv 2309.10691, over tasks played in both arms.

    Returns:
        From 0 to 1, None if no task failed without hints in both arms' presence.
    """
    failed = [
        result.ef_nlf_success
        for result in results
        if result.ef_nlf_success is not None and not result.ef_only_success
    ]
    return sum(failed) / len(failed) if failed else None


def _error(outcome: str, text: str) -> Exception:
    from pytest_mint import errors

    kinds = (
        errors.ProviderError,
        errors.SandboxError,
        errors.FeedbackError,
        errors.GraderError,
    )
    kind = next((one for one in kinds if one.outcome == outcome), ProviderError)
    return kind(text)
