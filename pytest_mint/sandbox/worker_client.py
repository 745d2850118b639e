"""The host's view of one worker: ask it something and wait for the answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pytest_mint.errors import Missing, SandboxError
from pytest_mint.sandbox.base import HostFunctions
from pytest_mint.sandbox.channel import Channel
from pytest_mint.sandbox.worker.frames import pack

_WORKER = Path(__file__).with_name("worker")
_PACKAGE = "pytest_mint.sandbox.worker"

#: What the worker may take on top of the code's own time: to stop it and clean up.
SLACK_SECONDS = 30.0
START_SECONDS = 60.0

#: A worker that hears nothing for so long ends itself, should the engine have lost us.
IDLE_SECONDS = 4 * 3600


#: How the Python of a worker is started. Programs whose result hangs on the order of a
#: set must get the same verdict every time. Any seed would do for that; with this one
#: the recorded answers of the MINT benchmark end as they did there (Python 3.11 on).
ENVIRONMENT = {"PYTHONHASHSEED": "6", "PYTHONSAFEPATH": "1"}


def boot_program() -> str:
    """The program that a bare Python in the sandbox is started with."""
    return (_WORKER / "boot.py").read_text("utf-8")


def sources() -> dict[str, str]:
    """The texts of the worker's modules by their names."""
    return {
        f"{_PACKAGE}.{path.stem}": path.read_text("utf-8")
        for path in sorted(_WORKER.glob("*.py"))
        if path.stem not in ("__init__", "boot")
    }


class Worker:
    """A running worker. Requests of several threads wait for each other.

    Args:
        channel: connected to a worker that waits for its first frame.
        config: what ``worker.start.main`` takes.
        end: gives back what holds the worker (a process, a container), called once;
            the argument says whether it is to be killed.

    Raises:
        SandboxError: the worker did not start.
    """

    def __init__(
        self,
        channel: Channel,
        config: Mapping[str, Any],
        end: Callable[[bool], None],
    ) -> None:
        self._channel = channel
        self._end = end
        self._lock = threading.Lock()
        self._asked = 0
        self.ended = False
        try:
            channel.send({"sources": sources(), "config": dict(config)})
            self.hello = channel.receive(START_SECONDS)
        except BaseException:
            self.close(kill=True)
            raise

    def ask(
        self,
        operation: str,
        seconds: float = 0.0,
        host: HostFunctions | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """Ask for an operation, answering the calls that come back meanwhile.

        Args:
            seconds: how long the code itself may take.
            host: the functions that the code can call here.

        Raises:
            SandboxError: the worker is gone; it cannot be used again.
        """
        with self._lock:
            if self.ended:
                raise SandboxError("the sandbox has ended")
            try:
                return self._ask(operation, seconds, host or {}, fields)
            except BaseException:
                self.close(kill=True)
                raise

    def _ask(
        self,
        operation: str,
        seconds: float,
        functions: HostFunctions,
        fields: dict[str, Any],
    ) -> dict[str, Any]:
        self._asked += 1
        self._channel.send({"op": operation, "id": self._asked, **fields})
        while True:
            message = self._channel.receive(seconds + SLACK_SECONDS)
            if "call" in message:
                self._channel.send(_call(functions, message["call"]))
                continue
            if message.get("id") != self._asked:
                raise SandboxError("the sandbox is out of step")
            return message

    def close(self, kill: bool = False) -> None:
        """End the worker; safe to call twice."""
        if self.ended:
            return
        self.ended = True
        self._channel.close()
        self._end(kill)


def _call(functions: HostFunctions, message: Mapping[str, Any]) -> dict[str, Any]:
    """Call a host function for code in the sandbox: its errors are the code's."""
    name, args = message.get("function"), message.get("args")
    kwargs = message.get("kwargs")
    function = functions.get(name) if isinstance(name, str) else None
    if function is None:
        return {"kind": "NameError", "error": f"there is no function {name!r} here"}
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        return {"kind": "TypeError", "error": "unreadable arguments"}
    try:
        answer = {"value": function(*args, **kwargs)}
        pack(answer)  # what is no JSON is the function's error, too
        return answer
    except Missing:  # ours, not the code's: the episode cannot go on
        raise
    except Exception as problem:
        return {"kind": type(problem).__name__, "error": str(problem)}
