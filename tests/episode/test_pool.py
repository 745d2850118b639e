from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest

from pytest_mint.episode.background import Background
from pytest_mint.episode.pool import EpisodePool
from pytest_mint.errors import ProviderError
from pytest_mint.records import TaskResult
from pytest_mint.tasks.model import Task
from tests.episode.scripted import sum_task

SOON = 10.0  # seconds in which anything here happens on the slowest machine


def tasks(number: int) -> list[Task]:
    return [sum_task(id=f"t{n}") for n in range(number)]


class Playing:
    """Episodes that wait until they are let go."""

    def __init__(self, held: bool = False, error: Exception | None = None) -> None:
        self.started: list[str] = []
        self.cancelled: list[str] = []
        self.open = self.most = 0
        self.error = error
        self.go = threading.Event()
        self.begun = threading.Semaphore(0)
        if not held:
            self.go.set()

    async def __call__(self, task: Task) -> TaskResult:
        self.started.append(task.id)
        self.open += 1
        self.most = max(self.most, self.open)
        self.begun.release()
        try:
            while not self.go.is_set():
                await asyncio.sleep(0.001)
            if self.error is not None:
                raise self.error
            return TaskResult(task.key, task.category, trial=len(self.started))
        except asyncio.CancelledError:
            self.cancelled.append(task.id)
            raise
        finally:
            self.open -= 1

    def wait_for(self, number: int) -> None:
        for _ in range(number):
            assert self.begun.acquire(timeout=SOON)


@pytest.fixture
def background() -> Iterator[Background]:
    thread = Background()
    yield thread
    thread.close()


def test_episodes_start_in_order_and_each_test_gets_its_own(background):
    play, todo = Playing(), tasks(20)
    pool = EpisodePool(play, background, 3)
    pool.prefetch([(task, task.id) for task in todo])
    taken = [pool.take(task, task.id) for task in todo]
    assert [result.task for result, _ in taken] == [task.key for task in todo]
    assert all(fresh for _, fresh in taken)
    assert play.started == [task.id for task in todo]


def test_no_more_are_open_than_allowed(background):
    play, todo = Playing(held=True), tasks(10)
    pool = EpisodePool(play, background, 4)
    pool.prefetch([(task, "") for task in todo])
    play.wait_for(4)
    # the loop has had every chance to start more once it answers this
    background.run(asyncio.sleep(0.01), SOON)
    assert play.started == ["t0", "t1", "t2", "t3"]
    play.go.set()
    for task in todo:
        pool.take(task, "")
    assert play.most == 4


def test_a_task_that_was_not_started_ahead_is_played_when_it_is_taken(background):
    pool = EpisodePool(Playing(), background, 1)
    result, fresh = pool.take(sum_task(), "a")
    assert (result.task, fresh) == ("reasoning/sum", True)


def test_two_tests_share_one_episode(background):
    play, task = Playing(), sum_task()
    pool = EpisodePool(play, background, 1)
    pool.prefetch([(task, "a"), (task, "b")])
    first, second = pool.take(task, "a"), pool.take(task, "b")
    assert play.started == ["sum"]
    assert first[0] is second[0]
    assert (first[1], second[1]) == (True, False)


def test_a_test_that_runs_again_gets_a_new_episode(background):
    play, task = Playing(), sum_task()
    pool = EpisodePool(play, background, 1)
    pool.prefetch([(task, "a")])
    first, second = pool.take(task, "a"), pool.take(task, "a")
    assert play.started == ["sum", "sum"]
    assert first[0] is not second[0]
    assert second[1]


def test_a_rerun_before_the_other_test_does_not_play_a_third_time(background):
    play, task = Playing(), sum_task()
    pool = EpisodePool(play, background, 1)
    pool.prefetch([(task, "a"), (task, "b")])
    pool.take(task, "a")
    again, fresh = pool.take(task, "a")
    other, other_fresh = pool.take(task, "b")
    assert play.started == ["sum", "sum"]
    assert other is again
    assert (fresh, other_fresh) == (True, False)


def test_an_error_reaches_the_test_that_takes_it(background):
    pool = EpisodePool(Playing(error=ProviderError("down")), background, 1)
    pool.prefetch([(sum_task(), "a")])
    with pytest.raises(ProviderError, match="down"):
        pool.take(sum_task(), "a")


def test_cancelled_episodes_end_and_those_that_wait_never_start(background):
    play, todo = Playing(held=True), tasks(5)
    pool = EpisodePool(play, background, 2)
    pool.prefetch([(task, "") for task in todo])
    play.wait_for(2)
    pool.cancel()
    background.run(asyncio.sleep(0.01), SOON)
    assert sorted(play.cancelled) == ["t0", "t1"]  # those that ran
    assert play.started == ["t0", "t1"]


def test_after_a_cancel_a_task_can_be_played_anew(background):
    play = Playing(held=True)
    pool = EpisodePool(play, background, 1)
    pool.prefetch([(sum_task(), "a")])
    play.wait_for(1)
    pool.cancel()
    play.go.set()
    assert pool.take(sum_task(), "a")[1]


class TestBackground:
    def test_close_cancels_what_runs_and_leaves_no_thread(self):
        background = Background(threads=2)
        begun, seen = threading.Event(), []

        async def forever():
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise

        future = background.submit(forever())
        assert begun.wait(SOON)
        background.run(asyncio.to_thread(str), SOON)
        background.close()
        assert seen == ["cancelled"]
        with pytest.raises(CancelledError):
            future.result(0)
        names = {thread.name for thread in threading.enumerate()}
        assert "mint-loop" not in names

    def test_close_does_not_wait_for_a_thread_that_does_not_come_back(self):
        background = Background(threads=1)
        release, inside = threading.Event(), threading.Event()

        def stuck():
            inside.set()
            release.wait(SOON)

        background.submit(asyncio.to_thread(stuck))
        assert inside.wait(SOON)
        background.close()
        assert not release.is_set()
        release.set()

    def test_closing_twice_is_safe(self):
        background = Background()
        background.close()
        background.close()

    def test_results_and_errors_come_back(self):
        async def answer(value):
            if isinstance(value, Exception):
                raise value
            return value

        background = Background()
        try:
            assert background.run(answer(3)) == 3
            with pytest.raises(KeyError):
                background.run(answer(KeyError("x")))
        finally:
            background.close()
