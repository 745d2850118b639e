"""Who plays which tasks in which arms, and what the run has not; plays nothing yet.

Collecting tests needs this and no more, so nothing that only playing needs is imported
here at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pytest_mint.agents.base import Agent
from pytest_mint.agents.endpoints import AGENT, JUDGE, TEACHER, Role, provider_of
from pytest_mint.agents.probes import PROBES, probe
from pytest_mint.choosing import find_tasks, why_not
from pytest_mint.hints.teacher import (
    Ladder,
    Placebo,
    RecordedTeacher,
    Swapped,
    Teacher,
)
from pytest_mint.results.plan import Collected, Plan
from pytest_mint.settings import Settings
from pytest_mint.tasks.model import Task

if TYPE_CHECKING:
    import asyncio

    from pytest_mint.agents.chat import ChatAgent
    from pytest_mint.agents.local import LocalServer
    from pytest_mint.agents.recording import Recording
    from pytest_mint.results.prices import Price


class Lineup:
    """What the settings come to.

    Args:
        settings: what to play and how.
        root: the folder that ``tasks/`` is looked for in.
        calls: model calls in flight in this process, at least 1.
        agent: who is tested, in place of the one that the settings name; it is not
            closed here.
        local_url: where the local model answers, if another process serves it.

    Raises:
        UserError: where a recording, a model or its key is asked for and not there;
            nothing is opened yet.
    """

    def __init__(
        self,
        settings: Settings,
        root: Path,
        *,
        calls: int | None = None,
        agent: Agent | None = None,
        local_url: str = "",
    ) -> None:
        self.settings = settings
        self.root = root
        self.calls = calls or settings.calls()
        self.given = agent
        self.local_url = local_url
        self._server: LocalServer | None = None

    def serve(self) -> None:
        """Start the local model, where one is played and nobody serves it.

        Raises:
            UserError: its packages are not installed, or it does not start.
        """
        if self.settings.serves_local and not self.local_url:
            from pytest_mint.agents.local import start_local

            self._server = start_local()
            self.local_url = self._server.url

    def close(self) -> None:
        """End the local model, if it was started here; safe to call twice."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
            self.local_url = ""

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The tasks of the run by key, in their order."""
        return {task.key: task for task in find_tasks(self.settings, self.root)}

    @cached_property
    def recording(self) -> Recording | None:
        """What is replayed, if anything."""
        if self.settings.replay is None:
            return None
        from pytest_mint.replay import open_recording

        return open_recording(self.settings)

    @cached_property
    def agent(self) -> Agent:
        """Who is tested."""
        if self.given is not None:
            return self.given
        if self.recording is not None:
            return self.recording
        if self.settings.model in PROBES:
            return probe(self.settings.model)
        return self._named(AGENT)

    @property
    def pays(self) -> bool:
        """Whether the agent's replies come from an endpoint."""
        named = self.settings.replay is None and self.settings.model not in PROBES
        return named and self.given is None

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
        return self._named(JUDGE) if self.judges else None

    @cached_property
    def teacher(self) -> ChatAgent | None:
        """The model that writes the hints, if one does.

        Raises:
            UserError: there is no such model.
        """
        taught = self.settings.feedback_model and "nlf" in self.settings.arms
        return self._named(TEACHER) if taught else None

    def take_agents(self) -> list[Agent]:
        """The agents that were made here and are to be closed; made anew if needed."""
        names = ("agent", "judge", "teacher")
        made = [self.__dict__.pop(name, None) for name in names]
        return [one for one in made if one is not None and one is not self.given]

    @property
    def _probe(self) -> str:
        """The probe that plays, if one does."""
        model = self.settings.model
        plays = self.given is None and self.settings.replay is None
        return model if plays and model in PROBES else ""

    @property
    def hints_of(self) -> str:
        """Whose hints are given, in words."""
        if self.recording is not None:
            return "as recorded"
        return self.settings.feedback_model or "the tasks' own"

    def teachers(
        self, journal: Callable[[Mapping[str, Any]], None]
    ) -> dict[str, Teacher]:
        """Who gives the hints, by arm.

        Args:
            journal: is told of every reply of a teacher that is a model.
        """
        arms = [arm for arm in self.settings.arms if arm != "ef"]
        if self.recording is not None:
            return dict.fromkeys(arms, RecordedTeacher(self.recording))
        return {arm: self._teacher_of(arm, journal) for arm in arms}

    def _teacher_of(
        self, arm: str, journal: Callable[[Mapping[str, Any]], None]
    ) -> Teacher:
        if arm == "placebo":
            return Placebo()
        if arm == "swapped":
            return self._swapped
        if self.teacher is None:
            return Ladder()
        from pytest_mint.hints.model import TeacherModel

        return TeacherModel(self.teacher, journal)

    @cached_property
    def _swapped(self) -> Swapped:
        return Swapped(self.tasks.values())

    def arms(self, task: Task) -> tuple[str, ...]:
        """The arms that the task is played in; without hints there is only ``ef``."""
        if self._unplayable(task):
            return ()
        return tuple(arm for arm in self.settings.arms if self._has_arm(task, arm))

    def _has_arm(self, task: Task, arm: str) -> bool:
        if arm == "ef":
            return True
        if self.recording is not None:
            return self.recording.has(task.key, arm)
        if arm == "nlf":
            return bool(self.settings.feedback_model) or task.hints is not None
        # Controls are forked at the first hint, which imported tasks are not.
        return task.rules == "mint" and (
            arm == "placebo" or bool(self._swapped.others(task))
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
        from pytest_mint.sandbox import open_sandbox

        sandbox = open_sandbox(self.settings.sandbox, self.settings.docker_image)
        sandbox.close()
        return sandbox.name

    @cached_property
    def prices(self) -> dict[str, Price | None]:
        """What the tokens of each role cost, None where nobody knows.

        Raises:
            UserError: a price of the settings cannot be read.
        """
        from pytest_mint.results.prices import find_price, parse_price

        own = dict(parse_price(text) for text in self.settings.prices)
        if self.recording is not None:
            recorded = {
                "agent": self.recording.name,
                "hints": self.recording.teacher,
                "judge": self.recording.judge,
            }
            return {
                role: find_price(name, provider_of(name), own)
                for role, name in recorded.items()
                if name
            }
        asked = {"agent": self.agent, "hints": self.teacher, "judge": self.judge}
        endpoints = {
            role: endpoint
            for role, agent in asked.items()
            if (endpoint := getattr(agent, "endpoint", None)) is not None
        }
        return {
            role: find_price(one.name, one.provider, own, one.base_url)
            for role, one in endpoints.items()
        }

    def preflight(self) -> None:
        """One call that tells whether the endpoint, the key and the model are there.

        The teacher's and the judge's as well, where there are such.

        Raises:
            UserError: they are not; one sentence says what to do.
        """
        asked = [self.agent] if self.pays else []
        asked += [model for model in (self.teacher, self.judge) if model]
        if not asked:
            return
        from pytest_mint.agents.preflight import preflight
        from pytest_mint.episode.background import Background

        background = Background(threads=1)
        try:
            for agent in asked:
                try:
                    background.run(preflight(cast("ChatAgent", agent)))
                finally:
                    background.run(agent.close())
        finally:
            background.close()

    @property
    def native(self) -> bool:
        """Whether the agent makes native tool calls."""
        if self.settings.protocol == "auto":
            return self.agent.native_tools
        return self.settings.protocol == "tools"

    def _needs_sandbox(self, task: Task, recorded: bool) -> bool:
        if self._unplayable(task):
            return False
        if task.grader.kind == "code":
            return True
        # Without native calls a task's functions and actions are called by code.
        called = bool(task.functions or task.world_spec)
        runs_code = bool(task.tools) or (called and not self.native)
        return runs_code and not recorded

    @cached_property
    def _slots(self) -> asyncio.Semaphore:
        """The calls in flight of this process, the judge's included."""
        import asyncio

        return asyncio.Semaphore(self.calls)

    def _named(self, role: Role) -> ChatAgent:
        from pytest_mint.agents.named import named_agent

        return named_agent(self.settings, role, self._slots, local_url=self.local_url)
