"""A compact pack of the MINT benchmark's recordings; its README has the format."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_mint.records import Episode, Hint, Tokens, ToolRun, Turn
from pytest_mint.tasks import mint_protocol as protocol
from pytest_mint.tasks.mint_recorded import Recorded, end, json_lines

SUFFIX = ".jsonl.gz"


def is_here(folder: Path) -> bool:
    """Whether the folder is a pack."""
    return (folder / "tasks.jsonl").is_file() and (folder / "prompts.json").is_file()


def models(folder: Path) -> tuple[str, ...]:
    """Names of the recorded models."""
    files = sorted((folder / "episodes").glob(f"*{SUFFIX}"))
    return tuple(file.name.removesuffix(SUFFIX) for file in files)


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """The rows of the task list."""
    with (folder / "tasks.jsonl").open(encoding="utf-8") as file:
        yield from json_lines(file, folder / "tasks.jsonl")


def frames(folder: Path, runs: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """By dataset and arm, what stands before the task in the first message."""
    prompts = json.loads((folder / "prompts.json").read_text(encoding="utf-8"))
    return {
        dataset: {
            arm: prompts["prefixes"][by_run[run]["*"]]
            for arm, run in runs.items()
            if "*" in by_run.get(run, {})
        }
        for dataset, by_run in prompts["by_dataset_arm"].items()
    }


def recorded(folder: Path, model: str) -> Iterator[Recorded]:
    """The model's episodes in all runs."""
    prompts = json.loads((folder / "prompts.json").read_text(encoding="utf-8"))
    shown = {(row["dataset"], row["id"]): _shown(row) for row in rows(folder)}
    path = folder / "episodes" / f"{model}{SUFFIX}"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in json_lines(file, path):
            task = row.get("task_prompt") or shown[row["dataset"], row["id"]]
            first = protocol.asked(prompts["prefixes"][row["prefix"]], task)
            yield Recorded(row["dataset"], row["id"], row["arm"], _episode(row, first))


def _shown(row: Mapping[str, Any]) -> str:
    return str(row.get("shown_prompt") or row["prompt"])


def _episode(row: Mapping[str, Any], first: str) -> Episode:
    tokens = row["tokens"]
    agent = Tokens(tokens.get("prompt_tokens", 0), tokens.get("completion_tokens", 0))
    expert = Tokens(
        tokens.get("feedback_prompt_tokens", 0),
        tokens.get("feedback_completion_tokens", 0),
    )
    turns = [_turn(number, turn) for number, turn in enumerate(row["turns"], 1)]
    return end(
        arm="nlf" if row["arm"] == "ef+nlf" else "ef",
        first=first,
        turns=turns,
        reason=row["terminate_reason"],
        error=row.get("error", ""),
        agent=agent,
        expert=expert,
    )


def _turn(number: int, turn: Mapping[str, Any]) -> Turn:
    expert, heard = turn.get("fb", ""), ""
    if "left" in turn:
        steps, proposals = turn["left"]
        heard = protocol.heard(turn["obs"], steps, proposals, expert)
    runs: tuple[ToolRun, ...] = ()
    if turn["act"] == "execute":
        code = protocol.code_in(turn["a"])
        runs = (ToolRun("python_interpreter", code, turn.get("obs", "")),)
    return Turn(
        number,
        turn["a"],
        runs,
        proposal=turn.get("solution"),
        label="empty" if turn["act"] == "empty" else "",
        heard=heard,
        hint=Hint(expert) if expert else None,
    )
