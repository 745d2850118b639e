"""The pytest plugin: what is loaded in every session, and it is little.

Without a model the tests of tasks are deselected and nothing else happens. With one,
:class:`pytest_mint.plugin.playing.Playing` is registered and does the rest. Nothing
heavy may be imported here: every pytest session of every project pays for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mint.plugin.options import add_options, settings_of

if TYPE_CHECKING:
    from pytest_mint.plugin.played import PlayedEpisode
    from pytest_mint.tasks.model import Task

MARKER = (
    "mint(category, task, dataset): a task of the benchmark; "
    "select with -m \"mint(category='coding')\""
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options, ini keys and their help."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker, and with a model the hooks that play."""
    config.addinivalue_line("markers", MARKER)
    if settings_of(config).model:
        from pytest_mint.plugin.playing import register

        register(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Says that tasks are not played, in projects that have any."""
    if settings_of(config).model or not _has_tasks(config):
        return None
    return "mint: no model given, its tasks are deselected (--mint-model NAME)"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per task for every function that uses a fixture of ours."""
    if "mint_task" in metafunc.fixturenames:
        from pytest_mint.plugin.collecting import parametrize

        parametrize(metafunc)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Keeps the tasks where there is a model, and everything else where there is none.

    Last, so that the choices of -k, -m and --lf have been made.
    """
    playing = bool(settings_of(config).model)
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        (kept if is_task(item) == playing else dropped).append(item)
    if playing and settings_of(config).limit is not None:
        from pytest_mint.plugin.collecting import limited

        kept, others = limited(config, kept)
        dropped += others
    if dropped:
        items[:] = kept
        config.hook.pytest_deselected(items=dropped)


@pytest.fixture
def mint_task(request: pytest.FixtureRequest) -> Task:
    """The task of this test."""
    task: Task = request.param
    return task


@pytest.fixture
def mint_episode(mint_task: Task, request: pytest.FixtureRequest) -> PlayedEpisode:
    """The episode of this test's task, played to its end.

    Raises:
        Missing: it says nothing about the agent; the test is an error, not a failure.
    """
    from pytest_mint.plugin.playing import Playing

    return request.config.stash[Playing.KEY].play(mint_task, request.node)


def is_task(item: pytest.Item) -> bool:
    """Whether the item is a test of a task."""
    params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    return "mint_task" in params


def _has_tasks(config: pytest.Config) -> bool:
    """Whether this looks like a project with tasks, without collecting anything."""
    if config.getini("mint_tasks"):
        return True
    places = [*config.args, *config.getini("testpaths")]
    return any(
        (config.rootpath / place.split("::")[0] / "test_mint.py").is_file()
        or place.split("::")[0].endswith("test_mint.py")
        for place in map(str, places)
    )
