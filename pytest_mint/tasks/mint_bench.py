"""The MINT benchmark and its recordings, from its own files or from a compact pack.

A *checkout* is the original repository with ``data/processed`` and ``data/outputs``.
A *pack* is a folder with ``tasks.jsonl``, ``prompts.json`` and ``episodes/*.jsonl.gz``.
Both give the same tasks and the same recorded episodes; arms that the original ran
apart (one run for each number of steps, one with feedback) stay apart.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from pytest_mint.errors import UserError
from pytest_mint.records import Episode, TaskResult
from pytest_mint.tasks import mint_checkout, mint_pack
from pytest_mint.tasks.mint_recorded import naming
from pytest_mint.tasks.mint_rows import task_from_row, task_id
from pytest_mint.tasks.model import Task
from pytest_mint.words import ARMS

STEPS = 5

#: The model that wrote the feedback of the recordings.
TEACHER = "gpt-4-0613"


def holds_benchmark(folder: Path) -> bool:
    """Whether the folder is a pack or a checkout."""
    return mint_pack.is_here(folder) or mint_checkout.is_here(folder)


def models(folder: Path) -> tuple[str, ...]:
    """Names of the models with recordings in the folder, sorted."""
    names: tuple[str, ...] = _source(folder).models(folder)
    return names


def load_tasks(folder: Path, steps: int = STEPS) -> tuple[Task, ...]:
    """All tasks, framed as the original framed them for that many steps.

    Args:
        folder: a pack or a checkout.
        steps: turns of an episode; for more than five the frame of five is taken.

    Raises:
        UserError: the folder is neither, or a file of it is broken.
    """
    source = _source(folder)
    with naming(f"{folder}: the first messages"):
        frames = source.frames(folder, {arm: _run(arm, steps) for arm in ARMS})
    tasks = []
    for row in source.rows(folder):
        with naming(f"{folder}: the task {row.get('dataset')} {row.get('id')}"):
            frame = frames.get(row["dataset"], {})
            tasks.append(task_from_row(row).model_copy(update={"frame": frame}))
    return tuple(tasks)


def load_episodes(
    folder: Path, model: str, steps: int = STEPS
) -> dict[tuple[str, str], Episode]:
    """The model's recorded episodes by task key and arm.

    Raises:
        UserError: the model, or any run of that many steps, is not there.
    """
    known = models(folder)
    if model not in known:
        raise UserError(
            f"{folder} has no recording of {model!r}; it has "
            + (", ".join(known) or "none at all")
        )
    keys = {task.id: task.key for task in load_tasks(folder)}
    arms = {_run("ef", steps): "ef"}
    if steps == STEPS:  # hints were recorded with five steps only
        arms[_run("nlf", steps)] = "nlf"
    with naming(f"{folder}: the episodes of {model}"):
        found = {
            (keys[task_id(one.dataset, one.id)], arms[one.run]): one.episode
            for one in _source(folder).recorded(folder, model)
            if one.run in arms
        }
    if not found:
        raise UserError(f"{folder}: {model} was not recorded with {steps} turns")
    return found


def results(folder: Path, model: str) -> tuple[TaskResult, ...]:
    """What the model played with five turns, as a run of ours would hold it.

    Raises:
        UserError: as :func:`load_episodes`.
    """
    episodes = load_episodes(folder, model)
    played = []
    for task in load_tasks(folder):
        arms: dict[str, Episode] = {
            arm: one for arm in ARMS if (one := episodes.get((task.key, arm)))
        }
        if arms:
            told = (task.key, task.category, task.dataset)
            played.append(TaskResult(*told, digest=task.digest, episodes=arms))
    return tuple(played)


def _source(folder: Path) -> ModuleType:
    for module in (mint_pack, mint_checkout):
        if module.is_here(folder):
            return module
    raise UserError(
        f"{folder}: neither the MINT benchmark (a folder with data/processed) nor a "
        "pack of it (tasks.jsonl, prompts.json, episodes/)"
    )


def _run(arm: str, steps: int) -> str:
    """The original's run that holds this arm with at most so many steps."""
    if arm == "nlf":
        return "ef+nlf"
    return "ef" if steps >= STEPS else f"k{steps}"
