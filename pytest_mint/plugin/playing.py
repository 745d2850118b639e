"""The process that plays: starts episodes ahead of their tests and hands them out."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mint.plugin import is_task
from pytest_mint.plugin.collecting import lineup_of, task_in
from pytest_mint.plugin.distributed import place_of
from pytest_mint.plugin.played import PlayedEpisode
from pytest_mint.records import TaskResult, to_data
from pytest_mint.tasks.model import Task

if TYPE_CHECKING:
    from pytest_mint.lineup import Lineup
    from pytest_mint.player import Player
    from pytest_mint.plugin.watching import Watching

#: What a test's reports tell the controller, as plain builtins.
Told = dict[str, Any]
_TOLD = pytest.StashKey[Told]()

#: Where a worker leaves what it knows at its end, in xdist's ``workeroutput``.
FACTS = "mint_facts"


class Playing:
    """Hooks of a process that runs tests, be it the only one or a worker.

    Args:
        lineup: who plays what.
        watching: the controller's hooks if they are in this process, too.
    """

    KEY = pytest.StashKey["Playing"]()

    _player: Player

    def __init__(self, lineup: Lineup, watching: Watching | None) -> None:
        self._lineup = lineup
        self._watching = watching
        self._run_dir = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Puts tests of one episode side by side, so that it is played once."""
        first: dict[object, int] = {}
        for number, item in enumerate(items):
            first.setdefault(_episode_of(item), number)
        items.sort(key=lambda item: first[_episode_of(item)])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(
        self, session: pytest.Session
    ) -> Generator[None, object, object]:
        """Starts the first episodes before the first test, and ends all at the end."""
        if session.config.option.collectonly:
            return (yield)
        self._player = self._open_player(session.config)
        try:
            self._prefetch(session)
            return (yield)
        finally:
            self._player.close()
            self._tell_controller(session.config)

    def play(self, task: Task, item: pytest.Item) -> PlayedEpisode:
        """The episode of this test, waiting for it.

        Missing data in any arm end the test as an error here.
        """
        result, fresh = self._player.take(task, item.nodeid)
        told = item.stash[_TOLD] = _told(result, fresh)
        settings = self._lineup.settings
        arm = settings.verdict_arm
        played = PlayedEpisode(
            task,
            result,
            arm,
            gated=bool(settings.gates),
            run_dir=self._run_dir,
            on_unsolved=lambda lines: told.update(unsolved=lines),
        )
        missing = [one for one in result.episodes.values() if one.missing]
        if missing:
            told["missing"] = True
            lines = [f"{one.outcome} in arm {one.arm}: {one.error}" for one in missing]
            pytest.fail("\n".join(lines), pytrace=False)
        told["turn"] = played.success_turn
        item.user_properties += [
            ("mint_outcome", played.outcome),
            ("mint_success_turn", played.success_turn),
        ]
        return played

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Sends what was played along with the report, and the trajectory once."""
        report = yield
        told = item.stash.get(_TOLD, None)
        if told is not None:
            report.mint = dict(told)  # type: ignore[attr-defined]
            told.pop("record", None)
        return report

    def _open_player(self, config: pytest.Config) -> Player:
        from pytest_mint.player import Player

        place, name = place_of(config), "main"
        if place is not None:
            self._run_dir, name = place.run_dir, place.name
        elif self._watching is not None:
            self._run_dir = self._watching.run_dir
        folder = Path(self._run_dir, "journal") if self._run_dir else None
        return Player(self._lineup, folder / f"{name}.jsonl" if folder else None)

    def _tell_controller(self, config: pytest.Config) -> None:
        """What the controller should know of how this process played."""
        facts = self._player.facts()
        if self._watching is not None:
            self._watching.keep_facts(facts)
        elif hasattr(config, "workeroutput"):
            config.workeroutput[FACTS] = json.dumps(facts)

    def _prefetch(self, session: pytest.Session) -> None:
        items = session.items
        place = place_of(session.config)
        if place is not None:
            block = place.block([item.nodeid for item in items])
            items = items[block.start : block.stop]
        self._player.prefetch(
            [(task_in(item), item.nodeid) for item in items if _plays(item)]
        )


def _told(result: TaskResult, fresh: bool) -> Told:
    """Builtins only: xdist cannot send anything else, and text as ASCII only."""
    record = json.dumps(to_data(result)) if fresh else ""
    return {"task": result.task, "record": record}


def _episode_of(item: pytest.Item) -> object:
    return task_in(item).key if is_task(item) else item.nodeid


def _plays(item: pytest.Item) -> bool:
    """Whether the test will surely ask for its episode."""
    names = getattr(item, "fixturenames", ())
    return "mint_episode" in names and item.get_closest_marker("skip") is None


def register(config: pytest.Config) -> None:
    """Register the hooks that this process needs: to play, to watch, or both."""
    from pytest_mint.plugin.distributed import (
        Distributing,
        is_controller,
        refuse_each,
    )
    from pytest_mint.plugin.watching import Watching

    refuse_each(config)
    lineup = lineup_of(config)
    watching = None
    if not hasattr(config, "workerinput"):
        watching = Watching(config, lineup)
        config.pluginmanager.register(watching, "mint-watching")
    if is_controller(config) and watching is not None:
        distributing = Distributing(
            lineup.settings, lambda: watching.run_dir, lambda: lineup.local_url
        )
        config.pluginmanager.register(distributing, "mint-distributing")
        return
    playing = Playing(lineup, watching)
    config.stash[Playing.KEY] = playing
    config.pluginmanager.register(playing, "mint-playing")
