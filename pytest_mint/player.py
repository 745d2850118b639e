"""Plays tasks in this process; everything is opened as late as possible."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_mint.episode.background import Background
from pytest_mint.episode.environment import (
    Environment,
    LiveEnvironment,
    RecordedEnvironment,
)
from pytest_mint.episode.loop import Cast, play
from pytest_mint.episode.pool import LOOK_AHEAD, EpisodePool
from pytest_mint.errors import GraderError, SandboxError, UserError
from pytest_mint.graders import grade
from pytest_mint.graders.verdict import Proposal, Verdict
from pytest_mint.imports import import_ahead
from pytest_mint.lineup import Lineup
from pytest_mint.records import TaskResult
from pytest_mint.results.files import Journal
from pytest_mint.sandbox import open_sandbox
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.tasks.model import Task
from pytest_mint.tools import find_tool
from pytest_mint.tools.base import Tool
from pytest_mint.tools.functions import function_tools
from pytest_mint.tools.sources import Sources, find_sources
from pytest_mint.tools.world import action_tools


class Player:
    """Plays the tasks of a lineup.

    Args:
        lineup: who plays what.
        journal: where every paid reply is written before it is used, None: nowhere.
    """

    def __init__(self, lineup: Lineup, journal: Path | None = None) -> None:
        self.lineup = lineup
        self.settings = lineup.settings
        self.problems: list[str] = []
        self._journal = self._open_journal(journal)
        self._sandbox: Sandbox | None = None
        self._used: dict[str, Any] = {}  # the sandbox, described
        self._lock = threading.Lock()
        self._ready: set[str] = set()  # whose imports are made

    def facts(self) -> dict[str, Any]:
        """What is worth keeping of how things were played, as builtins."""
        facts: dict[str, Any] = {"problems": list(self.problems)}
        if self._used:
            facts["sandbox"] = self._used
        return facts

    def prefetch(self, wanted: Sequence[tuple[Task, str]]) -> None:
        """Start the episodes of these tasks for these tests, first to last."""
        self._make_ready([task for task, _ in wanted])
        self._pool.prefetch(wanted)

    def take(self, task: Task, test: str = "") -> tuple[TaskResult, bool]:
        """The result of the task for this test, and whether it is a new one."""
        self._make_ready([task])
        return self._pool.take(task, test)

    def close(self) -> None:
        """Cancel what still runs and give back everything; safe to call twice."""
        pool = self.__dict__.pop("_pool", None)
        background = self.__dict__.pop("_background", None)
        if pool is not None:
            pool.cancel()
        if background is not None:
            for agent in self.lineup.take_agents():
                background.run(agent.close())
            background.close()
        graders = self.__dict__.pop("_graders", None)
        if graders is not None:
            graders.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            sandbox.close()
        if self._journal is not None:
            self._journal.close()

    @property
    def _replays(self) -> bool:
        """Whether the results of tools are those of a recording."""
        recorded = self.settings.replay_tools == "recorded"
        return recorded and self.lineup.recording is not None

    @property
    def _asks(self) -> bool:
        """Whether a model is asked by anyone."""
        return bool(self.lineup.pays or self.lineup.judges or self.lineup.teacher)

    def _note(self, event: Mapping[str, Any]) -> None:
        if self._journal is not None:
            self._journal.write(event)

    def _open_journal(self, path: Path | None) -> Journal | None:
        if path is None or not self._asks:
            return None
        with suppress(OSError):  # the journal says so at its first line
            path.parent.mkdir(exist_ok=True)
        return Journal(path, self.problems.append)

    def _make_ready(self, tasks: Iterable[Task]) -> None:
        """What must be done on this thread, before episodes of these tasks begin."""
        users = {user for task in tasks for user in (*task.tools, task.grader.kind)}
        users |= {"chat"} if self._asks else set()
        if new := users - self._ready:
            self._ready |= new
            import_ahead(sorted(new))

    @cached_property
    def _background(self) -> Background:
        # Each open episode can block one thread for a cell or a grading.
        return Background(threads=max(8, self.lineup.calls))

    @cached_property
    def _pool(self) -> EpisodePool:
        return EpisodePool(self._play, self._background, LOOK_AHEAD * self.lineup.calls)

    async def _play(self, task: Task) -> TaskResult:
        return await play(task, self._cast, self.lineup.arms(task))

    @cached_property
    def _cast(self) -> Cast:
        return Cast(
            agent=self.lineup.agent,
            teachers=self.lineup.teachers(self._note),
            grade=self._grade,
            tools=_tools,
            environment=self._environment,
            max_turns=self.settings.max_turns,
            hints_from=self.settings.hints_from_turn,
            hint_level=self.settings.hint_level,
            native=self.lineup.native,
            seconds=self.settings.episode_timeout,
            timed=not self._replays,
            journal=self._note,
            graders=self._graders,
        )

    @cached_property
    def _graders(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max(8, self.lineup.calls), "mint-grader")

    def _grade(self, task: Task, proposal: Proposal) -> Verdict:
        mode = self.settings.grading
        # Opened only where it is needed: most kinds are graded in this process.
        sandbox = self._open_sandbox() if task.grader.kind == "code" else None
        if self.lineup.samples_only:
            task = task.model_copy(update={"rubric": ""})
        if self.lineup.judge is None or task.grader.kind != "judge":
            return grade(task, proposal, mode, sandbox)
        from pytest_mint.graders.judge_model import JudgeModel

        judge = JudgeModel(self.lineup.judge, self._background.run, task, self._note)
        try:
            verdict = grade(task, proposal, mode, judge=judge)
        except GraderError as problem:
            raise GraderError(str(problem), judge.spent) from problem
        return replace(verdict, spent=judge.spent)

    def _environment(
        self, task: Task, tools: Sequence[Tool], arm: str, native: bool, trial: int
    ) -> Environment:
        if self._replays and self.lineup.recording is not None:
            return RecordedEnvironment(self.lineup.recording, task, arm)
        return LiveEnvironment(
            task,
            tools,
            self._open_sandbox,
            native=native,
            trial=trial,
            sources=self._sources,
        )

    @cached_property
    def _sources(self) -> Sources:
        return find_sources(self.settings)

    def _open_sandbox(self) -> Sandbox:
        with self._lock:
            if self._sandbox is None:
                # The calculator is ten times as fast where sympy is there already.
                preload = ("sympy",) if "calculator" in self._ready else ()
                size = math.ceil(self.lineup.calls / 2)
                kind, image = self.settings.sandbox, self.settings.docker_image
                try:
                    self._sandbox = open_sandbox(kind, image, size, preload)
                except UserError as problem:
                    raise SandboxError(str(problem)) from problem
                self._used = self._sandbox.describe()
            return self._sandbox


def _tools(task: Task) -> tuple[Tool, ...]:
    tools = (find_tool(name) for name in task.tools)
    return (*tools, *function_tools(task), *action_tools(task))
