"""One episode for a person to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_mint.records import Episode, TaskResult, Turn
from pytest_mint.report.plain import plain, visible
from pytest_mint.words import LEVELS

_LONGEST = 160  # characters of one line of a turn


def unsolved_lines(result: TaskResult, arm: str, *, run_dir: str = "") -> list[str]:
    """What happened in an unsolved episode, one line a turn.

    Args:
        result: both arms, as far as they were played.
        arm: the arm that is told of.
        run_dir: where the trajectory is kept, empty if nowhere.
    """
    episode = result.episodes[arm]
    lines = [_headline(episode, result)]
    lines += [f"  {turn.number}  {_turn(turn)}" for turn in episode.turns]
    if run_dir:
        lines.append(f"  trajectory: {run_dir}  (pytest-mint show {result.task})")
    return lines


def _headline(episode: Episode, result: TaskResult) -> str:
    turns = f"{len(episode.turns)} turn{'s' * (len(episode.turns) != 1)}"
    word = "unsolved" if episode.outcome == "solved" else episode.outcome
    head = f"{word} after {turns} ({episode.arm})"
    if episode.error:
        head += f": {_short(episode.error)}"
    hinted, level = result.episodes.get("nlf"), result.sufficient_level
    if hinted is None or hinted is episode or not level:
        return head
    with_what = f'with the "{level}" hint' if level in LEVELS else "with hints"
    return f"{head} · solved at turn {hinted.success_turn} {with_what}"


def _turn(turn: Turn) -> str:
    done = [f"ran {', '.join(dict.fromkeys(run.tool for run in turn.runs))}"]
    parts = done if turn.runs else []
    if turn.verdict is not None:
        parts.append(f"proposed: {turn.verdict.reason}")
    if turn.label:
        parts.append(turn.label)
    return _short(", ".join(parts) or "handed nothing in")


def _short(text: str) -> str:
    text = plain(" ".join(text.split()))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def told(episode: Episode) -> str:
    """The whole conversation as text, safe for a terminal."""
    parts = []
    for message in trajectory(episode):
        parts.append(f"--- {plain(str(message['role']))}")
        parts.append(lines_of(str(message.get("content") or "")))
        parts += [
            f"[calls {plain(call['function']['name'])}] "
            + lines_of(call["function"]["arguments"])
            for call in message.get("tool_calls", ())
        ]
    end = f"{episode.outcome} in arm {episode.arm}"
    if episode.success_turn:
        end += f" at turn {episode.success_turn}"
    return "\n".join([*parts, f"=== {end}"])


def lines_of(text: str) -> str:
    """Text of several lines without anything that a terminal would act on."""
    return "\n".join(visible(line) for line in text.splitlines())


def trajectory(episode: Episode) -> list[Mapping[str, Any]]:
    """The conversation of an episode as chat messages."""
    messages = list(episode.opening)
    for turn in episode.turns:
        calls = [
            {
                "id": run.call_id,
                "type": "function",
                "function": {"name": run.tool, "arguments": run.arguments},
            }
            for run in turn.runs
            if run.call_id
        ]
        spoken = {"role": "assistant", "content": turn.text}
        messages.append({**spoken, "tool_calls": calls} if calls else spoken)
        messages += [
            {"role": "tool", "tool_call_id": run.call_id, "content": run.output}
            for run in turn.runs
            if run.call_id
        ]
        if turn.heard:
            messages.append({"role": "user", "content": turn.heard})
    return messages
