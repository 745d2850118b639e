"""The MINT benchmark as its own repository holds it.

``data/processed/<dataset>/test_prompts.json`` has the tasks, one JSON object a line;
``data/outputs/<model>/<feedback>/<limits>/<family>/<dataset>/results.jsonl`` has the
recorded episodes, one a line, with the whole conversation as ``state.history``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_mint.errors import UserError
from pytest_mint.records import Episode, Hint, Tokens, ToolRun, Turn
from pytest_mint.tasks import mint_protocol as protocol
from pytest_mint.tasks.mint_recorded import Recorded, end, json_lines

DATASETS = ("gsm8k", "hotpotqa", "math", "mmlu", "theoremqa", "humaneval", "mbpp")
HOUSEHOLD = "alfworld"  # its tasks are known from the recordings only

#: Where a run of the original lies below a model's folder. Feedback by another
#: teacher, or by one that knew the answer, is another experiment.
RUNS = {
    "k1": "F=None/max1_p1+tool+cd",
    "k2": "F=None/max2_p2+tool+cd",
    "k3": "F=None/max3_p2+tool+cd",
    "k4": "F=None/max4_p2+tool+cd",
    "ef": "F=None/max5_p2+tool+cd",
    "ef+nlf": "F=gpt-4-0613/PHF=no_GT-textual/max5_p2+tool+cd",
}

#: What the original put around a question before a model saw it.
_SHOWN = {
    "theoremqa": (
        "Answer the following question with a number, a list of numbers or True or "
        "False. {}"
    ),
    "humaneval": "Complete the following code:\n\n{}",
}
_OBSERVATION = re.compile(
    r"Observation:\n(.*?)\nYou have (-?\d+) steps left and ", re.DOTALL
)


def is_here(folder: Path) -> bool:
    """Whether the folder is a checkout of the original repository."""
    return (folder / "data" / "processed").is_dir()


def models(folder: Path) -> tuple[str, ...]:
    """Names of the recorded models."""
    outputs = folder / "data" / "outputs"
    if not outputs.is_dir():
        return ()
    return tuple(sorted(path.name for path in outputs.iterdir() if path.is_dir()))


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """The rows of the task lists, household tasks as far as they were recorded."""
    for dataset in DATASETS:
        for row in _lines(
            folder / "data" / "processed" / dataset / "test_prompts.json"
        ):
            yield {**row, "dataset": dataset, "shown_prompt": _shown(dataset, row)}
    seen = set()
    for task in (record["task"] for record in _any_records(folder, HOUSEHOLD)):
        if task["task_id"] not in seen:
            seen.add(task["task_id"])
            yield {
                "dataset": HOUSEHOLD,
                "id": task["task_id"],
                "prompt": task["prompt"],
            }


def frames(folder: Path, runs: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """By dataset and arm, what stands before the task in the first message."""
    found: dict[str, dict[str, str]] = {}
    for dataset in DATASETS:
        for arm, run in runs.items():
            record = next(_any_records(folder, dataset, run), None)
            if record:
                first = record["state"]["history"][0]["content"]
                task = protocol.asked("", record["task"]["prompt"])
                found.setdefault(dataset, {})[arm] = first.removesuffix(task)
    return found


def recorded(folder: Path, model: str) -> Iterator[Recorded]:
    """The model's episodes in all runs."""
    for run in RUNS:
        for dataset in (*DATASETS, HOUSEHOLD):
            for record in _records(folder / "data" / "outputs" / model, run, dataset):
                identity = record["task"]["task_id"]
                yield Recorded(dataset, identity, run, _episode(record["state"], run))


def _shown(dataset: str, row: Mapping[str, Any]) -> str:
    prompt = str(row["prompt"])
    if dataset == "mbpp":
        return prompt.replace('"""', "").strip()
    if dataset in ("humaneval", "mmlu"):
        return _SHOWN.get(dataset, "{}").format(prompt)
    return _SHOWN.get(dataset, "{}").format(prompt.strip())


def _any_records(
    folder: Path, dataset: str, run: str = "ef"
) -> Iterator[dict[str, Any]]:
    for model in models(folder):
        yield from _records(folder / "data" / "outputs" / model, run, dataset)


def _records(model: Path, run: str, dataset: str) -> Iterator[dict[str, Any]]:
    for path in sorted((model / RUNS[run]).glob(f"*/{dataset}/results.jsonl")):
        yield from _lines(path)


def _episode(state: Mapping[str, Any], run: str) -> Episode:
    first, *rest = state["history"]
    tokens = state.get("token_counter") or {}
    return end(
        arm="nlf" if run == "ef+nlf" else "ef",
        first=first["content"],
        turns=_turns(rest, sum(state["agent_action_count"].values())),
        reason=state["terminate_reason"],
        error=(state.get("error") or "").strip().rpartition("\n")[2],
        agent=Tokens(
            tokens.get("prompt_tokens", 0), tokens.get("completion_tokens", 0)
        ),
        expert=Tokens(
            tokens.get("feedback_prompt_tokens", 0),
            tokens.get("feedback_completion_tokens", 0),
        ),
    )


def _turns(history: Sequence[Mapping[str, str]], count: int) -> list[Turn]:
    """So many turns from what followed the first message.

    An empty reply left no entry of the assistant, so two of the user follow each other;
    as the last reply it left no entry at all and shows in the count only.
    """
    turns: list[Turn] = []
    reply: str | None = None
    for entry in history:
        if entry["role"] == "assistant":
            reply = entry["content"]
            continue
        turns.append(_turn(len(turns) + 1, reply or "", entry["content"]))
        reply = None
    if reply is not None:
        turns.append(_turn(len(turns) + 1, reply, ""))
    turns += [_turn(number, "", "") for number in range(len(turns) + 1, count + 1)]
    return turns


def _turn(number: int, reply: str, heard: str) -> Turn:
    text = reply.removesuffix("\n").removeprefix(f"{protocol.SPEAKER}\n")
    proposes, code = protocol.is_proposal(text), protocol.code_in(text)
    runs: tuple[ToolRun, ...] = ()
    if code and not proposes:
        found = _OBSERVATION.match(heard)
        runs = (ToolRun("python_interpreter", code, found[1] if found else ""),)
    expert = heard.partition(protocol.EXPERT)[2].removesuffix("\n")
    return Turn(
        number,
        text,
        runs,
        proposal=(protocol.solution_in(text) or None) if proposes else None,
        label="" if text else "empty",
        heard=heard,
        hint=Hint(expert) if expert else None,
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        file = path.open(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"{path} is missing from the benchmark") from None
    with file:
        yield from json_lines(file, path)
