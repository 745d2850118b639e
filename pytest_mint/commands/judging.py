"""A judge for a single answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pytest_mint.episode.background import Background
from pytest_mint.graders.judge_model import JudgeModel, judge_agent
from pytest_mint.settings import Settings
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
    agent = judge_agent(settings)
    background = Background(threads=1)
    try:
        yield JudgeModel(agent, background.run, task)
    finally:
        background.run(agent.close())
        background.close()
