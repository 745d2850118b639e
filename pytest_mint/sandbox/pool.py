"""Workers that are ready: started when needed, kept when clean."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pytest_mint.errors import SandboxError
from pytest_mint.sandbox.worker_client import Worker

#: After so many uses a worker is replaced, whatever it says about itself.
MAX_USES = 500


class Pool:
    """Takes and gives back workers, in any thread.

    There is no upper bound: an episode keeps its worker while the agent thinks, and
    waiting for another episode to end could wait forever. ``keep`` bounds how many
    are kept idle.
    """

    def __init__(self, start: Callable[[], Worker], keep: int) -> None:
        self._start = start
        self._keep = keep
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._all: dict[Worker, int] = {}  # with how often each was used
        self._closed = False

    def take(self) -> Worker:
        """A clean worker that nobody else has.

        Raises:
            SandboxError: none can be started.
        """
        with self._lock:
            if self._closed:
                raise SandboxError("the sandbox is closed")
            worker = self._idle.pop() if self._idle else None
        if worker is None:
            worker = self._start()
        with self._lock:
            self._all[worker] = self._all.get(worker, 0) + 1
            closed = self._closed
        if closed:
            self.drop(worker)
            raise SandboxError("the sandbox is closed")
        return worker

    def give(self, worker: Worker) -> None:
        """Give back a worker that is clean, or one that has ended."""
        with self._lock:
            worn = worker.ended or self._all.get(worker, 0) >= MAX_USES
            if not worn and not self._closed and len(self._idle) < self._keep:
                self._idle.append(worker)
                return
        self.drop(worker)

    def drop(self, worker: Worker) -> None:
        """End a worker that is not to be used again."""
        with self._lock:
            self._all.pop(worker, None)
        worker.close(kill=True)

    def close(self) -> None:
        """End all workers, whoever has them."""
        with self._lock:
            self._closed = True
            workers = list(self._all)
            self._all.clear()
            self._idle.clear()
        for worker in workers:
            worker.close()
