"""A run on disk: ``run.json`` and ``episodes.jsonl``, written by one process only.

::

    .mint/.gitignore
    .mint/runs/20261129-231502-claude-2/run.json
                                        episodes.jsonl
"""

from __future__ import annotations

import json
import platform
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pytest_mint.errors import UserError
from pytest_mint.records import TaskResult, from_data, to_data
from pytest_mint.results.files import Lines, read_lines, to_line, write_json
from pytest_mint.results.plan import Results, plan_from_data
from pytest_mint.results.rows import row_of
from pytest_mint.results.secrets import without_secrets

SCHEMA = 1
HEADER = "run.json"
EPISODES = "episodes.jsonl"

#: The packages whose versions can change a result.
_PACKAGES = (
    "pytest-mint",
    "pytest",
    "pytest-xdist",
    "openai",
    "docker",
    "rouge-score",
    "sympy",
    "pydantic",
)


class Run:
    """The run that a session is writing.

    A disk that takes no more does not stop it: the episodes go to another folder, or
    stay in memory until :meth:`finish`, and ``problems`` says so.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path = path
        self.problems: list[str] = []
        self._header = header
        self._files = [Lines(path / EPISODES)]  # the last one takes the next line
        self._kept: list[bytes] = []  # what no disk took so far

    @property
    def id(self) -> str:
        """The name of its folder."""
        return self.path.name

    def note(self, **facts: Any) -> None:
        """Adds facts (``tasks``, ``plan``) to ``run.json``."""
        self._header.update(facts)
        for file in self._files:
            folder = file.path.parent
            try:
                self._write_header(folder)
            except OSError as problem:
                self._say(f"cannot write {folder / HEADER}: {problem.strerror}")

    def _write_header(self, folder: Path) -> None:
        """Each of two folders says where the other one is."""
        header = dict(self._header)
        if folder != self.path:
            header["continues"] = str(self.path.resolve())
        elif len(self._files) > 1:
            header["continued"] = str(self._files[-1].path.parent)
        write_json(folder / HEADER, header)

    def append(self, result: TaskResult) -> None:
        """Adds what was played of a task, so that it outlives this process."""
        line = to_line(to_data(result))
        if self._kept or not self._wrote(line):
            self._kept.append(line)

    def finish(self) -> None:
        """Writes what is still in memory and the time of the end; closes the files."""
        kept, self._kept = self._kept, []
        self._kept = [line for line in kept if not self._wrote_anywhere(line)]
        if kept and not self._kept:
            self._say("all episodes kept in memory were written at the end after all")
        if self._kept:
            self._say(
                f"{len(self._kept)} episodes are in no file: no disk took them; "
                "their numbers are in this summary"
            )
        self.note(finished=_stamp(_now()), problems=list(self.problems))
        for file in self._files:
            file.close()

    def _wrote(self, line: bytes) -> bool:
        try:
            self._files[-1].add(line)
        except OSError as problem:
            return self._moved(problem, line)
        return True

    def _moved(self, problem: OSError, line: bytes) -> bool:
        """Whether another folder took the line that a full disk refused."""
        failed = f"cannot write {self._files[-1].path}: {problem.strerror}"
        if len(self._files) > 1:
            self._say(f"{failed}; further episodes are kept in memory until the end")
            return False
        try:
            refuge = Path(tempfile.mkdtemp(prefix="mint-run-"))
            self._write_header(refuge)
            file = Lines(refuge / EPISODES)
        except OSError as second:
            self._say(
                f"{failed}; neither is there a place in {tempfile.gettempdir()}: "
                f"{second.strerror}; further episodes are kept in memory until the end"
            )
            return False
        self._files.append(file)
        with suppress(OSError):  # the way back is in the other folder in any case
            self._write_header(self.path)
        self._say(f"{failed}; this and all later episodes are in {refuge}")
        return self._wrote(line)

    def _wrote_anywhere(self, line: bytes) -> bool:
        for file in reversed(self._files):
            try:
                file.add(line)
            except OSError:
                continue
            return True
        return False

    def _say(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


def create_run(
    folder: Path,
    hint: str,
    settings: Mapping[str, Any],
    now: datetime | None = None,
) -> Run:
    """Begins a run: makes its folder and both files in it.

    The topmost folder that did not exist gets a ``.gitignore``: runs are not for
    version control.

    Args:
        folder: the runs are below it, each in a folder of its own.
        hint: goes into the name, such as the model.
        settings: kept in ``run.json``, secrets left out.
        now: the time of the start.

    Raises:
        UserError: the folder cannot be written to. Nothing was paid for yet.
    """
    started = now or _now()
    try:
        _make_folder(folder)
        path = _unique(folder, f"{started:%Y%m%d-%H%M%S}-{_slug(hint)}")
        header = {
            "schema": SCHEMA,
            "id": path.name,
            "started": _stamp(started),
            "finished": None,
            "settings": without_secrets(settings),
            "versions": _versions(),
            "tasks": {},
        }
        write_json(path / HEADER, header)
        return Run(path, header)
    except OSError as problem:
        raise UserError(
            f"cannot write a run below {folder}: {problem.strerror}; "
            "make room there or give another folder with --mint-run-dir"
        ) from problem


def _make_folder(folder: Path) -> None:
    absent = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if absent:
        (absent[-1] / ".gitignore").write_text("*\n", encoding="ascii")


def _unique(folder: Path, name: str) -> Path:
    """A new folder; making it is what makes it ours, whoever else is starting."""
    number = 1
    while True:
        path = folder / (name if number == 1 else f"{name}-{number}")
        try:
            path.mkdir()
        except FileExistsError:
            number += 1
        else:
            return path


def _slug(hint: str) -> str:
    slug = re.sub(r"[^a-z0-9._]+", "-", hint.lower())[:40].strip("-._")
    return slug or "run"


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    versions = {"python": platform.python_version(), "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def read_run(path: Path) -> tuple[dict[str, Any], Iterator[TaskResult]]:
    """A run, finished or not: its ``run.json`` and what was played.

    A run that had to move to another folder is read from both, whichever is given.
    A torn last line is left out; of several lines of one task the last counts. All
    lines are checked before the first result is handed out, and none is kept.

    Raises:
        UserError: there is no run, or a line of it cannot be read; names the file.
    """
    header = _header(path)
    files = [
        Path(folder) / EPISODES
        for folder in (header.get("continues"), path, header.get("continued"))
        if folder and (Path(folder) / EPISODES).is_file()
    ]
    last: dict[tuple[str, int], tuple[Path, int]] = {}
    for file, number, result in _results(files):
        last[result.task, result.trial] = file, number
    return header, (
        result
        for file, number, result in _results(files)
        if last.get((result.task, result.trial)) == (file, number)
    )


def read_results(path: Path) -> Results:
    """A run's results, as the session that played it saw them.

    Raises:
        UserError: as in :func:`read_run`, or the run ended before its plan was known.
    """
    header, results = read_run(path)
    if "plan" not in header:
        raise UserError(f"{path / HEADER}: the run ended before it knew its tasks")
    try:
        plan = plan_from_data(header["plan"])
        rows = tuple(row_of(result) for result in results)
        return Results(plan, rows, interrupted=header.get("finished") is None)
    except (KeyError, TypeError, ValueError) as problem:
        raise UserError(f"{path}: not a run as it is written: {problem}") from problem


def _header(path: Path) -> dict[str, Any]:
    file = path / HEADER
    try:
        header = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(
            f"{path}: no run there ({HEADER} is missing); expected the folder of a "
            "run, such as .mint/runs/20261129-231502-claude-2"
        ) from None
    except (OSError, ValueError) as problem:
        raise UserError(f"{file}: cannot be read: {problem}") from problem
    if not isinstance(header, dict) or header.get("schema") != SCHEMA:
        raise UserError(f"{file}: expected schema {SCHEMA}; written by another version")
    return header


def _results(files: list[Path]) -> Iterator[tuple[Path, int, TaskResult]]:
    for file in files:
        for number, data in read_lines(file):
            try:
                yield file, number, from_data(data)
            except (AttributeError, KeyError, TypeError) as problem:
                raise UserError(
                    f"{file}, line {number}: no record of a task ({problem})"
                ) from problem
