"""A judge for a single answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from pytest_mint.agents.endpoints import JUDGE
from pytest_mint.agents.local import start_local
from pytest_mint.agents.named import named_agent
from pytest_mint.episode.background import Background
from pytest_mint.graders.judge_model import JudgeModel
from pytest_mint.settings import LOCAL, Settings
from pytest_mint.tasks.model import Task


@contextmanager
def judge_for(task: Task, settings: Settings) -> Iterator[JudgeModel | None]:
    """The judge of the settings, None where there is none or it is not asked.

    Raises:
        UserError: there is no such model.
    """
    if task.grader.kind != "judge" or not task.rubric or not settings.judge_model:
        yield None
        return
    with _served(settings) as url:
        agent = named_agent(settings, JUDGE, local_url=url)
        background = Background(threads=1)
        try:
            yield JudgeModel(agent, background.run, task)
        finally:
            background.run(agent.close())
            background.close()


@contextmanager
def _served(settings: Settings) -> Iterator[str]:
    """Where the local model answers meanwhile, empty where it is not asked."""
    if settings.judge_model != LOCAL or settings.judge_base_url:
        yield ""
        return
    with closing(start_local()) as server:
        yield server.url
