"""The supervisor: one request after another, from the host to a child and back.

Requests (``op``), all with an ``id`` that comes back in the reply:

=========  ============================================================
reset      end everything, empty the folders, be ready for an episode
run        run a cell in interpreter ``who``, started when it is new
fork       a second interpreter that continues where ``who`` stands
close      end interpreter ``who``
call       run a program in a fresh process, then one of its functions
script     run a program in a fresh process
put, get, ls, remove    files in the folder of interpreter ``who``
=========  ============================================================
"""

from __future__ import annotations

import os
import resource
import secrets
import signal
import time
from typing import Any

from pytest_mint.sandbox.worker import (
    child,
    files,
    folders,
    forking,
    interpreter,
    processes,
    program,
)
from pytest_mint.sandbox.worker.child import Child
from pytest_mint.sandbox.worker.frames import pack
from pytest_mint.sandbox.worker.output import shortened
from pytest_mint.sandbox.worker.watch import Ending, Watch

_LIMITS = ("CPU", "FSIZE", "NOFILE", "DATA", "AS")


class Supervisor:
    """The processes of one sandbox."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._config = config
        self._running: dict[int, Child] = {}
        self._opened = 0
        self._lost: set[int] = set()  # forks that begin empty
        self._seed = 0
        self._functions: list[str] = []
        self._limits = _own_limits()

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Do what the host asks; EOFError when the host goes away meanwhile."""
        operation = message["op"]
        if operation in ("put", "get", "ls", "remove"):
            return files.handle(self._child(message["who"]).folder, message)
        handler = {
            "reset": self._reset,
            "run": self._run_cell,
            "fork": self._fork,
            "close": self._close,
            "call": self._run_once,
            "script": self._run_once,
        }[operation]
        return handler(message)

    def end(self) -> None:
        """Leave nothing behind."""
        self._clear()

    # Episodes

    def _reset(self, message: dict[str, Any]) -> dict[str, Any]:
        self._seed = int(message.get("seed", 0))
        self._functions = list(message.get("functions", ()))
        self._opened = 0
        self._lost.clear()
        dirt = self._clear()
        return {"status": "ok", "clean": not dirt, "dirt": dirt}

    def _clear(self) -> list[str]:
        """End everything, empty every folder; what could not be made clean."""
        ended = processes.kill_all([one.pid for one in self._running.values()])
        for one in self._running.values():
            one.close()
        self._running.clear()
        if not ended:  # and nobody may be there while we wipe
            return ["processes that do not end"]
        dirt = [path for path in self._config["wipe"] if not folders.wipe(path)]
        if processes.alone():
            dirt += _traces_in_kernel()
        if _own_limits() != self._limits:
            dirt.append("the supervisor's limits")
        return dirt

    def _child(self, who: int) -> Child:
        """Interpreter ``who``; started when it is new."""
        if who not in self._running:
            folder = self._folder("work" if who == 0 else f"work-{who + 1}")
            self._running[who] = child.start(
                self._config,
                folder,
                self._config["memory_mb"],
                lambda: interpreter.serve(self._seed, self._functions),
            )
        return self._running[who]

    def _folder(self, name: str) -> str:
        path = os.path.join(self._config["root"], name)
        if os.path.islink(path) or os.path.isfile(path):  # left there by code
            os.unlink(path)
        os.makedirs(path, 0o700, exist_ok=True)
        return path

    def _run_cell(self, message: dict[str, Any]) -> dict[str, Any]:
        started = time.monotonic()
        one = self._child(message["who"])
        limits = message["limits"]
        request = {
            "code": message["code"],
            "memory_mb": limits["memory_mb"],
            "value_chars": limits["output_bytes"],
        }
        self._wake(one)
        ending = self._watch(one, pack(request), limits, gentle=True)
        lost = ending.reply is None or message["who"] in self._lost
        self._lost.discard(message["who"])
        if ending.reply is None:
            how = self._lose(message["who"])
            ending.note = ending.note or ("" if ending.status else how)
        else:
            self._rest(one)
            processes.reap()
        return _told(ending, started, ("value", "error"), state_lost=lost)

    def _lose(self, who: int) -> str:
        """End an interpreter that has no reply to give; how it died."""
        one = self._running.pop(who)
        how = _how_it_died(one.pid)  # before it is killed by us
        self._end_child(one)
        return how

    def _end_child(self, one: Child) -> None:
        one.kill()
        spared = {other.pid for other in self._running.values()}
        clean = (
            processes.kill_others(spared) if spared else processes.kill_all([one.pid])
        )
        one.close()
        if not clean:  # a fork bomb that is faster than we are
            self._clear()

    def _close(self, message: dict[str, Any]) -> dict[str, Any]:
        one = self._running.pop(message["who"], None)
        if one is not None:
            self._end_child(one)
        return {"status": "ok"}

    # Forking

    def _fork(self, message: dict[str, Any]) -> dict[str, Any]:
        """A second interpreter with all that the first has.

        One that will not fork, because of what code did in it, is the code's fault:
        the second begins empty, and its first cell says so. The files are copied by
        the second, too: code that still runs could lead the supervisor astray.
        """
        first = self._child(message["who"])
        self._opened += 1
        who = self._opened
        folder = os.path.join(self._config["root"], f"work-{who + 1}")
        self._wake(first)
        one = forking.second(first, folder)
        self._rest(first)
        if one is None:
            self._lost.add(who)
            processes.kill_others({other.pid for other in self._running.values()})
        else:
            self._running[who] = one
            self._rest(one)
        return {"status": "ok", "who": who}

    # Programs that run once

    def _run_once(self, message: dict[str, Any]) -> dict[str, Any]:
        started = time.monotonic()
        limits = message["limits"]
        nonce = secrets.token_hex(16)
        one = child.start(
            self._config,
            self._folder("case"),
            limits["memory_mb"],
            program.run,
            message.get("stdin", "").encode("utf-8", "surrogatepass"),
        )
        request = {
            key: message[key]
            for key in ("program", "function", "args", "seed", "module")
            if key in message
        }
        frames = pack(request) + pack({"nonce": nonce})
        ending = self._watch(one, frames, limits)
        reply = ending.reply
        if reply is not None and reply.get("nonce") != nonce:
            ending.reply = None
            ending.note = "the process forged its report"
        if ending.reply is None and not ending.status:
            ending.note = ending.note or _how_it_died(one.pid)
        self._running[-1] = one
        dirt = self._clear()
        keys = ("value", "arguments", "error", "value_not_plain", "arguments_not_plain")
        return _told(ending, started, keys, clean=not dirt, dirt=dirt)

    # What an engine does for a container, and nobody for a process

    def _watch(
        self, one: Child, request: bytes, limits: dict[str, Any], gentle: bool = False
    ) -> Ending:
        """Run a request, and look after the disk where no file system has a size."""
        quota = None
        if self._config["confine"] != "engine":
            quota = (self._config["root"], int(self._config["disk_mb"]) << 20)
        return Watch(one, request, limits, quota, gentle).run()

    def _wake(self, one: Child) -> None:
        if self._config["confine"] != "engine":
            one.signal(signal.SIGCONT)

    def _rest(self, one: Child) -> None:
        """Stop it until the next cell: its threads would run on, unwatched."""
        if self._config["confine"] != "engine":
            one.signal(signal.SIGSTOP)


def _told(
    ending: Ending, started: float, keys: tuple[str, ...], **more: Any
) -> dict[str, Any]:
    """What the host hears: of a child's reply only what has the right form."""
    reply = ending.reply or {}
    status = reply.get("status") if reply else "died"
    told: dict[str, Any] = {key: reply[key] for key in keys if key in reply}
    told["status"] = ending.status or (
        status if status in ("ok", "error", "memory") else "died"
    )
    if ending.note:
        told["error"] = ending.note
    for name, kept in ending.printed.items():
        told[name] = kept.text()
    if isinstance(told.get("error"), str):
        told["error"] = shortened(told["error"], 1 << 16)
    told["seconds"] = round(time.monotonic() - started, 6)
    told.update(more)
    return told


def _how_it_died(pid: int) -> str:
    """In words; empty when it lives still and is only being stopped."""
    for _ in range(20):
        try:
            found, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return "the process ended"
        if not found:
            time.sleep(0.001)
            continue
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            name = signal.Signals(number).name if number < 32 else str(number)
            return f"the process was ended by signal {name}"
        return f"the process ended itself with exit status {os.WEXITSTATUS(status)}"
    return ""


def _own_limits() -> list[tuple[int, int]]:
    """A child may try to change ours."""
    numbers = [getattr(resource, "RLIMIT_" + name) for name in _LIMITS]
    return [resource.getrlimit(number) for number in numbers]


def _traces_in_kernel() -> list[str]:
    """What outlives processes and files in a container."""
    traces = []
    for name in ("shm", "msg", "sem"):
        try:
            with open("/proc/sysvipc/" + name) as file:
                if len(file.read().splitlines()) > 1:
                    traces.append("System V " + name)
        except OSError:
            continue
    left = [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]
    if left:
        traces.append("processes " + ", ".join(left[:5]))
    return traces
