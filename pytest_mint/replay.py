"""Recorded runs, ours and the MINT benchmark's, as agents that can be replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_mint.agents.recording import Recording
from pytest_mint.errors import UserError
from pytest_mint.records import Episode
from pytest_mint.results.store import read_run
from pytest_mint.settings import Settings
from pytest_mint.tasks import mint_bench


def open_recording(settings: Settings) -> Recording | None:
    """The recording that is to be replayed, None where there is none.

    Raises:
        UserError: the folder is no recording, or lacks the model or an arm.
    """
    folder = settings.replay
    if folder is None:
        return None
    if mint_bench.holds_benchmark(folder):
        episodes = mint_bench.load_episodes(folder, settings.model, settings.max_turns)
        how: dict[str, Any] = {
            "forks": False,
            "native_tools": False,
            "teacher": mint_bench.TEACHER,
        }
    else:
        episodes, how = _own_run(folder, settings.model)
    for arm in settings.arms:
        if not any(recorded == arm for _, recorded in episodes):
            have = ", ".join(sorted({recorded for _, recorded in episodes})) or "none"
            raise UserError(
                f"{folder}: {settings.model} was recorded in no arm {arm!r} with "
                f"{settings.max_turns} turns, only in {have}; choose with --mint-arm"
            )
    return Recording(settings.model, episodes, **how)


def _own_run(
    folder: Path, model: str
) -> tuple[dict[tuple[str, str], Episode], dict[str, Any]]:
    """Episodes of a run of ours, and how it was played."""
    header, results = read_run(folder)
    played = header["settings"].get("model", "")
    if played != model:
        raise UserError(f"{folder} is a run of {played!r}, not of {model!r}")
    episodes = {
        (result.task, arm): episode
        for result in results
        for arm, episode in result.episodes.items()
    }
    turns = [turn for episode in episodes.values() for turn in episode.turns]
    return episodes, {
        "forks": any(turn.shared for turn in turns),
        "native_tools": header.get("protocol") == "tools",
        "teacher": header["settings"].get("feedback_model", ""),
        "judge": header["settings"].get("judge_model", ""),
    }
