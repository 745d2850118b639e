"""Many episodes at once: upcoming ones start early, and each test waits for its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field

from pytest_mint.episode.background import Background
from pytest_mint.records import TaskResult
from pytest_mint.tasks.model import Task

#: Open episodes for every call in flight. Results are reported in order, so with
#: fewer a long episode leaves call slots empty; with 8 the slots are 99 % busy.
LOOK_AHEAD = 8


@dataclass
class _Entry:
    future: Future[TaskResult]
    awaited: set[str] = field(default_factory=set)  # tests that have not taken it yet
    fresh: bool = True  # nobody has taken it yet


class EpisodePool:
    """Episodes that run in the background, one future per task.

    Args:
        play: plays a task to its result.
        background: where the coroutines run.
        open_at_once: how many episodes may be open, at least 1.
    """

    def __init__(
        self,
        play: Callable[[Task], Awaitable[TaskResult]],
        background: Background,
        open_at_once: int,
    ) -> None:
        self._play = play
        self._background = background
        self._open_at_once = open_at_once
        self._slots: asyncio.Semaphore | None = None
        self._entries: dict[str, _Entry] = {}

    def prefetch(self, wanted: Iterable[tuple[Task, str]]) -> None:
        """Start the episodes of these tasks, first to last, for these tests.

        Args:
            wanted: task and the test that will take it; several tests may share one
                episode.
        """
        for task, test in wanted:
            entry = self._entries.get(task.key)
            if entry is None:
                entry = self._entries[task.key] = self._start(task)
            entry.awaited.add(test)

    def take(self, task: Task, test: str) -> tuple[TaskResult, bool]:
        """The result for this test, waiting for it; and whether it is a new one.

        An episode is forgotten when its last test has taken it, and a test that takes
        a second time (a rerun) gets a new one, as do those that come after it.
        """
        entry = self._entries.get(task.key)
        if entry is None or (test not in entry.awaited and not entry.fresh):
            others = entry.awaited if entry else set()
            entry = self._entries[task.key] = self._start(task)
            entry.awaited |= others
        entry.awaited.discard(test)
        if not entry.awaited:
            self._entries.pop(task.key, None)
        fresh, entry.fresh = entry.fresh, False
        return entry.future.result(), fresh

    def cancel(self) -> None:
        """Give up all episodes that nobody has taken."""
        # Last to first, so that a slot which becomes free starts nothing new.
        for entry in reversed(self._entries.values()):
            entry.future.cancel()
        self._entries.clear()

    def _start(self, task: Task) -> _Entry:
        return _Entry(self._background.submit(self._play_in_turn(task)))

    async def _play_in_turn(self, task: Task) -> TaskResult:
        if self._slots is None:  # made on the loop that it belongs to
            self._slots = asyncio.Semaphore(self._open_at_once)
        async with self._slots:
            return await self._play(task)
