"""Who plays which tasks in which arms, and what the run has not; plays nothing yet.

Collecting tests needs this and no more, so nothing that only playing needs is imported
here at the top.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_mint.agents.base import Agent
from pytest_mint.agents.probes import PROBES, probe
from pytest_mint.choosing import find_tasks, why_not
from pytest_mint.episode.teacher import Ladder, RecordedTeacher, Teacher
from pytest_mint.results.plan import Collected, Plan
from pytest_mint.settings import Settings
from pytest_mint.tasks.model import Task

if TYPE_CHECKING:
    import asyncio

    from pytest_mint.agents.chat import ChatAgent
    from pytest_mint.agents.recording import Recording


class Lineup:
    """What the settings come to.

    Args:
        settings: what to play and how.
        root: the folder that ``tasks/`` is looked for in.
        calls: model calls in flight in this process, at least 1.
        agent: who is tested, in place of the one that the settings name; it is not
            closed here.

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
    ) -> None:
        self.settings = settings
        self.root = root
        self.calls = calls or settings.calls()
        self.given = agent

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
        return self._chat_agent()

    @property
    def pays(self) -> bool:
        """Whether replies come from an endpoint."""
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
        if not self.judges:
            return None
        from pytest_mint.graders.judge_model import judge_agent

        return judge_agent(self.settings, self._slots)

    def take_agents(self) -> list[Agent]:
        """The agents that were made here and are to be closed; made anew if needed."""
        made = [self.__dict__.pop(name, None) for name in ("agent", "judge")]
        return [one for one in made if one is not None and one is not self.given]

    @property
    def _probe(self) -> str:
        """The probe that plays, if one does."""
        model = self.settings.model
        plays = self.given is None and self.settings.replay is None
        return model if plays and model in PROBES else ""

    @cached_property
    def teacher(self) -> Teacher:
        """Who gives the hints."""
        return RecordedTeacher(self.recording) if self.recording else Ladder()

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
        from pytest_mint.sandbox import open_sandbox

        sandbox = open_sandbox(self.settings.sandbox, self.settings.docker_image)
        sandbox.close()
        return sandbox.name

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
        # Without native calls the functions of a task are called by code.
        runs_code = bool(task.tools) or (bool(task.functions) and not self.native)
        return runs_code and not recorded

    @cached_property
    def _slots(self) -> asyncio.Semaphore:
        """The calls in flight of this process, the judge's included."""
        import asyncio

        return asyncio.Semaphore(self.calls)

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
