"""The sandbox as the rest of the package sees it, over any kind of worker."""

from __future__ import annotations

import base64
import builtins
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from pytest_mint.errors import SandboxError
from pytest_mint.sandbox.base import (
    CallResult,
    CellResult,
    HostFunctions,
    Interpreter,
    Limits,
    Status,
)
from pytest_mint.sandbox.pool import Pool
from pytest_mint.sandbox.worker import plain
from pytest_mint.sandbox.worker_client import Worker

_DEFAULT = Limits()
_STATUSES = ("ok", "error", "timeout", "memory", "output", "died")


class PooledSandbox:
    """A :class:`~pytest_mint.sandbox.base.Sandbox` over a pool of workers.

    Args:
        name: "docker", "cage" or "unsafe".
        start: starts one worker.
        keep: how many idle workers are kept; also how many single calls run at once.
        about: what ``describe`` adds to the name.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], Worker],
        keep: int,
        about: Mapping[str, str],
    ) -> None:
        self.name = name
        self._pool = Pool(start, keep)
        self._calls = threading.BoundedSemaphore(keep)
        self._about = dict(about)
        # Whoever forgets to close leaves no process behind, nor does the end of ours.
        self._finalizer = weakref.finalize(self, self._pool.close)

    def describe(self) -> dict[str, str]:
        """The name and what is known about what stands behind it."""
        return {"name": self.name, **self._about}

    def open(
        self, functions: HostFunctions | None = None, seed: int = 0
    ) -> Interpreter:
        """An interpreter; its worker is taken from the pool by the first cell."""
        return PooledInterpreter(_Episode(self._pool, functions or {}, seed), 0)

    def call(
        self,
        program: str,
        function: str,
        args: Sequence[Any],
        limits: Limits = _DEFAULT,
        seed: int = 0,
    ) -> CallResult:
        """Run ``program`` in a fresh process, then ``function(*args)``."""
        reply = self._once(
            "call",
            limits,
            program=program,
            function=function,
            args=plain.encode(list(args)),
            seed=seed,
        )
        status = _status(reply)
        value = arguments = None
        is_plain = status == "ok" and "value" in reply
        if status == "ok":
            try:
                value = plain.decode(reply.get("value"))
                arguments = plain.decode(reply.get("arguments"))
            except plain.NotPlain:
                is_plain = False
        why = _text(reply, "value_not_plain")
        return CallResult(
            status=status,
            value=value,
            plain=is_plain or status != "ok",
            arguments=arguments,
            stdout=_text(reply, "stdout"),
            error=_text(reply, "error") or (f"returned {why}" if why else ""),
            seconds=float(reply.get("seconds", 0.0)),
        )

    def script(
        self,
        program: str,
        limits: Limits = _DEFAULT,
        stdin: str = "",
        module: str = "__main__",
    ) -> CellResult:
        """Run ``program`` as a script in a fresh process."""
        return _cell(
            self._once("script", limits, program=program, stdin=stdin, module=module)
        )

    def _once(self, operation: str, limits: Limits, **fields: Any) -> dict[str, Any]:
        """Ask a worker for a single run; a second one if the first is lost.

        A program may tear down the sandbox around it once; if it does so again, that
        is our failure to hold it, and said to be.
        """
        with self._calls:
            try:
                return self._ask_once(operation, limits, fields)
            except SandboxError:
                return self._ask_once(operation, limits, fields)

    def _ask_once(
        self, operation: str, limits: Limits, fields: Mapping[str, Any]
    ) -> dict[str, Any]:
        worker = self._pool.take()
        try:
            reply = worker.ask(
                operation, limits.seconds, limits=_limits(limits), **fields
            )
        except BaseException:
            self._pool.drop(worker)
            raise
        if reply.get("clean"):
            self._pool.give(worker)
        else:
            self._pool.drop(worker)
        return reply

    def close(self) -> None:
        """End all processes; safe to call twice."""
        self._finalizer()


class _Episode:
    """One worker and the interpreters in it: the first and its forks."""

    def __init__(self, pool: Pool, functions: HostFunctions, seed: int) -> None:
        self._pool = pool
        self._functions = functions
        self._seed = seed
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._users = 1

    def ask(self, operation: str, seconds: float = 0.0, **fields: Any) -> Any:
        with self._lock:
            if self._users == 0:
                raise SandboxError("the interpreter is closed")
            if self._worker is None:
                self._worker = self._fresh()
        return self._worker.ask(operation, seconds, self._functions, **fields)

    def _fresh(self) -> Worker:
        """A worker for this episode; another one if it was lost while it was idle."""
        try:
            return self._reset()
        except SandboxError:
            return self._reset()

    def _reset(self) -> Worker:
        worker = self._pool.take()
        try:
            worker.ask("reset", seed=self._seed, functions=list(self._functions))
        except BaseException:
            self._pool.drop(worker)
            raise
        return worker

    def add_user(self) -> None:
        with self._lock:
            self._users += 1

    def leave(self, who: int) -> None:
        """One interpreter less; the last one gives the worker back."""
        with self._lock:
            self._users -= 1
            worker = self._worker
            last = self._users == 0
        if worker is None:
            return
        try:
            reply = worker.ask("reset") if last else worker.ask("close", who=who)
        except SandboxError:
            reply = {}
        if not last:
            return
        if reply.get("clean"):
            self._pool.give(worker)
        else:
            self._pool.drop(worker)


class PooledInterpreter:
    """An :class:`~pytest_mint.sandbox.base.Interpreter` in a worker."""

    def __init__(self, episode: _Episode, who: int) -> None:
        self._episode = episode
        self._who = who
        self._closed = False

    def execute(self, code: str, limits: Limits = _DEFAULT) -> CellResult:
        """Run a cell."""
        self._check_open()
        reply = self._episode.ask(
            "run", limits.seconds, who=self._who, code=code, limits=_limits(limits)
        )
        return _cell(reply)

    def fork(self) -> Interpreter:
        """A second interpreter that continues from here."""
        self._check_open()
        reply = self._episode.ask("fork", 10.0, who=self._who)
        self._episode.add_user()
        return PooledInterpreter(self._episode, int(reply["who"]))

    def put(self, path: str, data: bytes) -> None:
        """Write a file below the working folder."""
        self._file("put", path, data=base64.b64encode(data).decode("ascii"))

    def get(self, path: str) -> bytes:
        """Read a file below the working folder."""
        return base64.b64decode(self._file("get", path)["data"])

    def ls(self, path: str = "") -> list[str]:
        """The names in a folder; those of folders end in a slash."""
        return [str(name) for name in self._file("ls", path)["names"]]

    def remove(self, path: str) -> None:
        """Remove a file or an empty folder."""
        self._file("remove", path)

    def _file(self, operation: str, path: str, **fields: Any) -> dict[str, Any]:
        self._check_open()
        reply = self._episode.ask(operation, who=self._who, path=path, **fields)
        if reply.get("status") == "ok":
            return cast("dict[str, Any]", reply)
        kind = getattr(builtins, str(reply.get("kind")), OSError)
        if not (isinstance(kind, type) and issubclass(kind, OSError)):
            kind = OSError
        raise kind(f"{path!r}: {_text(reply, 'error')}")

    def _check_open(self) -> None:
        if self._closed:
            raise SandboxError("the interpreter is closed")

    def close(self) -> None:
        """End it; safe to call twice."""
        if not self._closed:
            self._closed = True
            self._episode.leave(self._who)


def _limits(limits: Limits) -> dict[str, float]:
    return {
        "seconds": limits.seconds,
        "memory_mb": limits.memory_mb,
        "output_bytes": limits.output_bytes,
    }


def _cell(reply: Mapping[str, Any]) -> CellResult:
    return CellResult(
        status=_status(reply),
        stdout=_text(reply, "stdout"),
        stderr=_text(reply, "stderr"),
        value=_text(reply, "value"),
        error=_text(reply, "error"),
        state_lost=bool(reply.get("state_lost")),
        seconds=float(reply.get("seconds", 0.0)),
    )


def _status(reply: Mapping[str, Any]) -> Status:
    status = reply.get("status")
    return cast("Status", status if status in _STATUSES else "died")


def _text(reply: Mapping[str, Any], key: str) -> str:
    """A field of a reply; the code in the sandbox may have put anything there."""
    value = reply.get(key, "")
    return value if isinstance(value, str) else ""
