"""The one event loop of a process, on a background thread."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """Runs coroutines while the caller's thread does something else.

    Args:
        threads: how many blocking pieces (sandbox, grading) may run at once.
    """

    def __init__(self, threads: int = 8) -> None:
        self._submitting = threading.Lock()
        self._closing = False
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="mint")
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(self._executor)
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="mint-loop", daemon=True
        )
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start the coroutine; its result is the future's.

        Raises:
            RuntimeError: the loop is about to stop. A thread that waited for it then
                would never come back, and keep the process.
        """
        with self._submitting:
            if self._closing:
                work.close()
                raise RuntimeError("the event loop of the episodes is closed")
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Start the coroutine and wait for it.

        Raises:
            concurrent.futures.TimeoutError: it took longer than ``timeout`` seconds.
        """
        return self.submit(work).result(timeout)

    def close(self, grace: float = 5.0) -> None:
        """Cancel what still runs, wait for it for ``grace`` seconds, and stop."""
        if self._loop.is_closed():
            return
        with self._submitting:
            self._closing = True
            ending = asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop)
        # A thread that does not come back must not keep the process.
        with contextlib.suppress(concurrent.futures.TimeoutError):
            ending.result(grace)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(grace)
        self._executor.shutdown(wait=False, cancel_futures=True)
        if not self._thread.is_alive():
            self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
