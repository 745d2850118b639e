"""Which tasks a run is about, and what a task needs to be played."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from itertools import islice, zip_longest
from pathlib import Path

from pytest_mint.errors import UserError
from pytest_mint.settings import Settings
from pytest_mint.tasks import mint_bench
from pytest_mint.tasks.load import bundled_folder, load_tasks
from pytest_mint.tasks.model import Task
from pytest_mint.tools import MODULES
from pytest_mint.words import CATEGORIES


def find_tasks(settings: Settings, root: Path) -> tuple[Task, ...]:
    """The tasks of a run.

    Those of the settings, else the replay's own, else those below ``root/tasks``, else
    the bundled ones; ``add_tasks`` come on top.

    Raises:
        TaskFileError: a task file is wrong.
        UserError: the replay is no recording.
    """
    added = load_tasks(settings.add_tasks) if settings.add_tasks else ()
    keys = {task.key for task in added}
    chosen = _chosen_tasks(settings, root)
    if doubles := sorted(task.key for task in chosen if task.key in keys):
        raise UserError(
            f"--mint-add-tasks: {', '.join(doubles)} is there already; "
            "ids are unique in their category"
        )
    return chosen + added


def _chosen_tasks(settings: Settings, root: Path) -> tuple[Task, ...]:
    if settings.tasks:
        return load_tasks(settings.tasks)
    if settings.replay is not None and mint_bench.holds_benchmark(settings.replay):
        return mint_bench.load_tasks(settings.replay, settings.max_turns)
    return load_tasks([task_folder(root)])


def task_folder(root: Path) -> Path:
    """``root/tasks`` if it holds tasks, else the folder of the bundled ones."""
    own = root / "tasks"
    # Other projects have folders of that name, too.
    if (own / "test_mint.py").is_file() or any(
        (own / category).is_dir() for category in CATEGORIES
    ):
        return own
    return bundled_folder()


def why_not(task: Task, *, judged: bool = False) -> str:
    """What the task needs and a run has not, as a noun; empty where it can be played.

    Args:
        task: any task.
        judged: whether the run can do with a rubric what is to be done with it.
    """
    if task.needs:
        return task.needs
    if task.grader.kind == "judge" and task.rubric and not judged:
        return "a judge"
    if task.grader.kind == "state" and task.world_spec is None:
        return "a world"
    absent = [tool for tool in task.tools if tool not in MODULES]
    return f"the tool {absent[0]}" if absent else ""


def sample(tasks: Iterable[Task], limit: int) -> frozenset[str]:
    """The keys of an even sample over categories, the same each time.

    Categories take turns, and in each the order comes from a hash of the key: more of
    the same file come neither first nor last, and a new task moves none of the others.

    Args:
        tasks: to choose from.
        limit: how many, at least 1; with fewer tasks all are taken.
    """
    by_category: dict[str, list[str]] = {category: [] for category in CATEGORIES}
    for task in tasks:
        by_category[task.category].append(task.key)
    for keys in by_category.values():
        keys.sort(key=lambda key: sha256(key.encode()).digest())
    in_turn = zip_longest(*by_category.values())
    chosen = (key for keys in in_turn for key in keys if key is not None)
    return frozenset(islice(chosen, limit))
