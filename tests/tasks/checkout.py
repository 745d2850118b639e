"""The MINT benchmark in its own layout, written from the rows of a pack."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

RUNS = {
    "k1": "F=None/max1_p1+tool+cd",
    "k2": "F=None/max2_p2+tool+cd",
    "k3": "F=None/max3_p2+tool+cd",
    "k4": "F=None/max4_p2+tool+cd",
    "ef": "F=None/max5_p2+tool+cd",
    "ef+nlf": "F=gpt-4-0613/PHF=no_GT-textual/max5_p2+tool+cd",
}
#: Fields of a pack's rows that its makers added.
_ADDED = ("dataset", "family", "shown_prompt", "recorded_reference", "options")
_ADDED += ("task_type", "record_task_name")

Row = Mapping[str, Any]


def rows_of(pack: Path) -> list[dict[str, Any]]:
    with (pack / "tasks.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def episodes_of(pack: Path, model: str) -> list[dict[str, Any]]:
    path = pack / "episodes" / f"{model}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write_checkout(
    pack: Path, to: Path, model: str, wanted: Callable[[Row], bool]
) -> None:
    """Write the wanted tasks, and what the model played of them, as the original did.

    Args:
        wanted: is asked with rows of tasks and of episodes, by dataset and id.
    """
    prefixes = json.loads((pack / "prompts.json").read_text("utf-8"))["prefixes"]
    rows = {(row["dataset"], row["id"]): row for row in rows_of(pack) if wanted(row)}
    lines: dict[Path, list[Any]] = {}
    for row in rows.values():
        if row["dataset"] != "alfworld":  # its tasks were files of the simulator
            path = to / "data" / "processed" / row["dataset"] / "test_prompts.json"
            original = {key: row[key] for key in row if key not in _ADDED}
            lines.setdefault(path, []).append(original)
    for episode in episodes_of(pack, model):
        if not wanted(episode):
            continue
        folder = to / "data" / "outputs" / model / RUNS[episode["arm"]]
        path = folder / episode["family"] / episode["dataset"] / "results.jsonl"
        row = rows[episode["dataset"], episode["id"]]
        record = _record(episode, row, prefixes[episode["prefix"]])
        lines.setdefault(path, []).append(record)
    for path, items in lines.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(item) + "\n" for item in items)
        path.write_text(text, encoding="utf-8")


def _record(episode: Row, row: Row, prefix: str) -> dict[str, Any]:
    shown = row.get("shown_prompt", row["prompt"])
    prompt = episode.get("task_prompt", shown)
    error = episode.get("error")
    return {
        "state": {
            "history": _history(episode, f"{prefix}{prompt}\n"),
            "finished": True,
            "success": episode["success"],
            "latest_output": {},
            "agent_action_count": episode["actions"],
            "token_counter": episode["tokens"],
            "terminate_reason": episode["terminate_reason"],
            "error": f"Traceback:\n  somewhere\n{error}" if error else None,
        },
        "task": {
            "task_name": row.get("record_task_name", row["dataset"]),
            "task_id": row["id"],
            "prompt": prompt,
            "reference": row.get("recorded_reference", row["reference"]),
            "metadata": {},
        },
    }


def _history(episode: Row, first: str) -> list[dict[str, str]]:
    history = [{"role": "user", "content": first}]
    for turn in episode["turns"]:
        if turn["act"] != "empty":
            said = turn["a"]
            own = said.lstrip().startswith("Assistant:")
            text = f"{said}\n" if own else f"Assistant:\n{said}\n"
            history.append({"role": "assistant", "content": text})
        if "left" in turn:
            history.append({"role": "user", "content": _heard(turn)})
    return history


def _heard(turn: Row) -> str:
    steps, proposals = turn["left"]
    heard = (
        f"Observation:\n{turn['obs']}\nYou have {steps} steps left and {proposals} "
        "chances to propose solution left.\n"
    )
    if steps <= 1:
        heard += "You should take the last step to propose a solution.\n"
    if turn.get("fb"):
        heard += f"\nExpert feedback:\n{turn['fb']}\n"
    return heard
