"""Everything that one process needs to play tasks, opened as late as possible."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mint.agents.base import Agent
from pytest_mint.agents.probes import PROBES, probe
from pytest_mint.agents.recording import Recording
from pytest_mint.choosing import find_tasks, why_not
from pytest_mint.episode.background import Background
from pytest_mint.episode.environment import (
    Environment,
    LiveEnvironment,
    RecordedEnvironment,
)
from pytest_mint.episode.loop import Cast, play
from pytest_mint.episode.pool import LOOK_AHEAD, EpisodePool
from pytest_mint.episode.teacher import Ladder, RecordedTeacher, Teacher
from pytest_mint.errors import SandboxError, UserError
from pytest_mint.graders import grade
from pytest_mint.graders.verdict import Proposal, Verdict
from pytest_mint.imports import import_ahead
from pytest_mint.records import TaskResult
from pytest_mint.replay import open_recording
from pytest_mint.results.files import Journal
from pytest_mint.results.plan import Collected, Plan
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.settings import Settings
from pytest_mint.tasks.model import Task
from pytest_mint.tools import find_tool
from pytest_mint.tools.base import Tool
from pytest_mint.tools.functions import function_tools
from pytest_mint.tools.sources import Sources, find_sources

if TYPE_CHECKING:
    from pytest_mint.agents.chat import ChatAgent


class Player:
    """Plays tasks as the settings say.

    Args:
        settings: what to play and how.
        root: the folder that ``tasks/`` is looked for in.
        calls: model calls in flight in this process, at least 1.
        agent: who is tested, in place of the one that the settings name; it is not
            closed here.

    Raises:
        UserError: there is no such recording or model; nothing is opened yet.
    """

    def __init__(
        self,
        settings: Settings,
        root: Path,
        *,
        calls: int | None = None,
        agent: Agent | None = None,
    ) -> None:
        self.settings = settings
        self.root = root
        self.run_dir = ""
        self.problems: list[str] = []
        self._calls = calls or settings.calls()
        self._given = agent
        self._journal: Journal | None = None
        self._sandbox: Sandbox | None = None
        self._used: dict[str, Any] = {}  # the sandbox, described
        self._lock = threading.Lock()
        self._ready: set[str] = set()  # whose imports are made

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The tasks of the run by key, in their order."""
        return {task.key: task for task in find_tasks(self.settings, self.root)}

    @cached_property
    def recording(self) -> Recording | None:
        """What is replayed, if anything."""
        return open_recording(self.settings)

    @cached_property
    def agent(self) -> Agent:
        """Who is tested."""
        if self._given is not None:
            return self._given
        if self.recording is not None:
            return self.recording
        if self.settings.model in PROBES:
            return probe(self.settings.model)
        return self._chat_agent()

    @property
    def pays(self) -> bool:
        """Whether replies come from an endpoint."""
        named = self.settings.replay is None and self.settings.model not in PROBES
        return named and self._given is None

    @property
    def samples_only(self) -> bool:
        """Whether samples of known scores are handed in, and checks alone decide."""
        return self._probe == "oracle"

    @property
    def judges(self) -> bool:
        """Whether a model goes by the rubrics."""
        return bool(self.settings.judge_model) and not self.samples_only

    @cached_property
    def judge(self) -> ChatAgent | None:
        """The model that goes by the rubrics, if one does.

        Raises:
            UserError: there is no such model.
        """
        if not self.judges:
            return None
        from pytest_mint.graders.judge_model import judge_agent

        return judge_agent(self.settings, self._slots)

    @property
    def _probe(self) -> str:
        """The probe that plays, if one does."""
        model = self.settings.model
        plays = self._given is None and self.settings.replay is None
        return model if plays and model in PROBES else ""

    @cached_property
    def teacher(self) -> Teacher:
        """Who gives the hints."""
        return RecordedTeacher(self.recording) if self.recording else Ladder()

    def keep(self, run_dir: str, name: str) -> None:
        """Write every paid reply to a journal of this process before it is used.

        Args:
            run_dir: the run's folder.
            name: of this process, unique in the run.
        """
        self.run_dir = run_dir
        if self.pays or self.judges:
            folder = Path(run_dir) / "journal"
            with suppress(OSError):  # the journal says so at its first line
                folder.mkdir(exist_ok=True)
            self._journal = Journal(folder / f"{name}.jsonl", self.problems.append)

    def facts(self) -> dict[str, Any]:
        """What is worth keeping of how things were played, as builtins."""
        facts: dict[str, Any] = {"problems": list(self.problems)}
        if self._used:
            facts["sandbox"] = self._used
        return facts

    def arms(self, task: Task) -> tuple[str, ...]:
        """The arms that the task is played in; without hints there is only ``ef``."""
        if self._unplayable(task):
            return ()
        arms = self.settings.arms
        return (
            arms if self.teacher.teaches(task) else tuple(a for a in arms if a == "ef")
        )

    def lacks(self, task: Task) -> str:
        """What this run has not and the task needs, as :func:`why_not` says it."""
        return self._unplayable(task) or ("" if self.arms(task) else "hints")

    def _unplayable(self, task: Task) -> str:
        if task.grader.kind == "judge" and self._probe == "parrot":
            return "an agent that writes"
        return why_not(task, judged=self.judges or self.samples_only)

    def plan(self, tasks: Iterable[Task]) -> Plan:
        """What a session of these tasks sets out to play."""
        tasks = tuple(tasks)
        return Plan(
            tuple(Collected(task.key, task.category, task.dataset) for task in tasks),
            {task.key: reason for task in tasks if (reason := self.lacks(task))},
            {task.key: arms for task in tasks if (arms := self.arms(task))},
            self.settings.verdict_arm,
            self.settings.max_turns,
        )

    def sandbox_name(self) -> str:
        """Which sandbox this run will use, empty if it needs none; starts nothing.

        Raises:
            UserError: it needs one, and there is none here.
        """
        recorded = self.recording is not None and self.settings.replay_tools != "live"
        if not any(self._needs_sandbox(task, recorded) for task in self.tasks.values()):
            return ""
        sandbox = self._find_sandbox()
        sandbox.close()
        return sandbox.name

    def prefetch(self, wanted: Sequence[tuple[Task, str]]) -> None:
        """Start the episodes of these tasks for these tests, first to last."""
        self._make_ready([task for task, _ in wanted])
        self._pool.prefetch(wanted)

    def take(self, task: Task, test: str = "") -> tuple[TaskResult, bool]:
        """The result of the task for this test, and whether it is a new one."""
        self._make_ready([task])
        return self._pool.take(task, test)

    def preflight(self) -> None:
        """One call that tells whether the endpoint, the key and the model are there.

        The judge's as well, where there is one.

        Raises:
            UserError: they are not; one sentence says what to do.
        """
        asked = [self.agent] if self.pays else []
        asked += [self.judge] if self.judge else []
        if not asked:
            return
        from pytest_mint.agents.chat import ChatAgent
        from pytest_mint.agents.preflight import preflight

        for agent in asked:
            assert isinstance(agent, ChatAgent)
            self._background.run(preflight(agent))

    def close(self) -> None:
        """Cancel what still runs and give back everything; safe to call twice."""
        pool = self.__dict__.pop("_pool", None)
        background = self.__dict__.pop("_background", None)
        agents = [self.__dict__.pop(name, None) for name in ("agent", "judge")]
        if pool is not None:
            pool.cancel()
        if background is not None:
            for agent in agents:
                if agent is not None and agent is not self._given:
                    background.run(agent.close())
            background.close()
        with self._lock:
            sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            sandbox.close()
        if self._journal is not None:
            self._journal.close()

    def _make_ready(self, tasks: Iterable[Task]) -> None:
        """What must be done on this thread, before episodes of these tasks begin."""
        users = {user for task in tasks for user in (*task.tools, task.grader.kind)}
        users |= {"chat"} if self.pays or self.judges else set()
        if new := users - self._ready:
            self._ready |= new
            import_ahead(sorted(new))

    @cached_property
    def _background(self) -> Background:
        # Each open episode can block one thread for a cell or a grading.
        return Background(threads=max(8, self._calls))

    @cached_property
    def _pool(self) -> EpisodePool:
        return EpisodePool(self._play, self._background, LOOK_AHEAD * self._calls)

    async def _play(self, task: Task) -> TaskResult:
        return await play(task, self._cast, self.arms(task))

    @cached_property
    def _cast(self) -> Cast:
        return Cast(
            agent=self.agent,
            teacher=self.teacher,
            grade=self._grade,
            tools=_tools,
            environment=self._environment,
            max_turns=self.settings.max_turns,
            native=self.native,
            seconds=self.settings.episode_timeout,
            journal=self._journal.write if self._journal else lambda event: None,
        )

    @property
    def native(self) -> bool:
        """Whether the agent makes native tool calls."""
        if self.settings.protocol == "auto":
            return self.agent.native_tools
        return self.settings.protocol == "tools"

    def _grade(self, task: Task, proposal: Proposal) -> Verdict:
        mode = self.settings.grading
        # Opened only where it is needed: most kinds are graded in this process.
        sandbox = self._open_sandbox() if task.grader.kind == "code" else None
        if self.samples_only:
            task = task.model_copy(update={"rubric": ""})
        if self.judge is None or task.grader.kind != "judge":
            return grade(task, proposal, mode, sandbox)
        from pytest_mint.graders.judge_model import JudgeModel

        judge = JudgeModel(self.judge, self._background.run, task, self._cast.journal)
        verdict = grade(task, proposal, mode, judge=judge)
        return replace(verdict, tokens=judge.tokens)

    def _environment(
        self, task: Task, tools: Sequence[Tool], arm: str, native: bool, trial: int
    ) -> Environment:
        if self.recording is not None and self.settings.replay_tools == "recorded":
            return RecordedEnvironment(self.recording, task, arm)
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
                try:
                    self._sandbox = self._find_sandbox(preload)
                except UserError as problem:
                    raise SandboxError(str(problem)) from problem
                self._used = self._sandbox.describe()
            return self._sandbox

    def _needs_sandbox(self, task: Task, recorded: bool) -> bool:
        if self._unplayable(task):
            return False
        if task.grader.kind == "code":
            return True
        # Without native calls the functions of a task are called by code.
        runs_code = bool(task.tools) or (bool(task.functions) and not self.native)
        return runs_code and not recorded

    def _find_sandbox(self, preload: Sequence[str] = ()) -> Sandbox:
        from pytest_mint.sandbox import open_sandbox

        size = math.ceil(self._calls / 2)
        settings = self.settings
        return open_sandbox(settings.sandbox, settings.docker_image, size, preload)

    @cached_property
    def _slots(self) -> asyncio.Semaphore:
        """The calls in flight of this process, the judge's included."""
        return asyncio.Semaphore(self._calls)

    def _chat_agent(self) -> Agent:
        from pytest_mint.agents.chat import ChatAgent
        from pytest_mint.agents.endpoints import find_endpoint

        settings = self.settings
        return ChatAgent(
            find_endpoint(settings.model, settings.base_url),
            slots=self._slots,
            max_retries=settings.max_retries,
            timeout=settings.timeout,
            temperature=settings.temperature,
            max_tokens=settings.max_tokens,
        )


def _tools(task: Task) -> tuple[Tool, ...]:
    return (*(find_tool(name) for name in task.tools), *function_tools(task))
