"""A process for model-written code: forked from the supervisor, then locked in."""

from __future__ import annotations

import array
import contextlib
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from pytest_mint.sandbox.worker import landlock, seccomp
from pytest_mint.sandbox.worker.frames import Inbox
from pytest_mint.sandbox.worker.kernel import (
    LINUX,
    PR_SET_DUMPABLE,
    PR_SET_PDEATHSIG,
    prctl,
)

#: Where a child finds its control socket.
CONTROL = 3
MAX_FILES = 64
#: Address space beyond the memory limit: libraries are mapped, not used.
ADDRESS_SLACK_MB = 1024
MAX_CPU_SECONDS = 3600

_MB = 1 << 20


class LockFailed(Exception):
    """A child could not be locked in; nothing may run in it."""


class Child:
    """The supervisor's view of one process."""

    def __init__(
        self,
        pid: int,
        control: socket.socket,
        streams: dict[int, str],
        listener: seccomp.Listener | None,
        folder: str,
    ) -> None:
        self.pid = pid
        self.control = control
        self.streams = streams  # descriptor -> "stdout" or "stderr"
        self.listener = listener
        self.folder = folder
        self.inbox = Inbox()
        for fd in (control.fileno(), *streams):
            os.set_blocking(fd, False)

    def kill(self) -> None:
        """End the process; those it forked are the supervisor's to find."""
        self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Send the process a signal, if it is still there."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def close(self) -> None:
        """Give back the descriptors."""
        self.control.close()
        for fd in self.streams:
            os.close(fd)
        if self.listener is not None:
            self.listener.close()


class Streams:
    """Both ends of what connects a child: the control socket and two pipes."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.out, self.out_end = os.pipe()
        self.err, self.err_end = os.pipe()

    def named(self) -> dict[int, str]:
        """Our ends of the pipes."""
        return {self.out: "stdout", self.err: "stderr"}

    def close_theirs(self) -> None:
        """After the fork the child has them."""
        self.theirs.close()
        os.close(self.out_end)
        os.close(self.err_end)

    def close_ours(self) -> None:
        """When there is no child after all."""
        self.ours.close()
        os.close(self.out)
        os.close(self.err)


def start(
    config: dict[str, Any],
    folder: str,
    memory_mb: int,
    run: Callable[[], None],
    stdin: bytes = b"",
) -> Child:
    """Fork a child that locks itself in and then calls ``run``.

    Raises:
        LockFailed: it could not be locked in, and has ended.
    """
    streams = Streams()
    source = _stdin(folder, stdin)
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _in_child(config, folder, memory_mb, run, streams, source)
    os.close(source)
    streams.close_theirs()
    listener = _wait_ready(streams.ours)
    if listener is None:
        streams.close_ours()
        os.waitpid(pid, 0)
        raise LockFailed("a process could not be locked in")
    return Child(pid, streams.ours, streams.named(), listener or None, folder)


def _stdin(folder: str, text: bytes) -> int:
    if not text:
        return os.open("/dev/null", os.O_RDONLY)
    path = os.path.join(folder, ".stdin")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    view = memoryview(text)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _wait_ready(control: socket.socket) -> seccomp.Listener | Any:
    """The child's word that it is locked in: its listener, False without, or None."""
    control.settimeout(30)
    fds = array.array("i")
    data, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(fds.itemsize))
    if data != b"+":
        return None
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(content[: fds.itemsize])
            return seccomp.Listener(fds[0])
    return False


def _in_child(
    config: dict[str, Any],
    folder: str,
    memory_mb: int,
    run: Callable[[], None],
    streams: Streams,
    source: int,
) -> None:
    try:
        os.setsid()
        prctl(PR_SET_DUMPABLE, 1)  # else /proc/self belongs to root
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        _take_streams(streams, source)
        os.chdir(folder)
        os.environ["HOME"] = os.environ["TMPDIR"] = folder
        _limit(config, memory_mb)
        for name in [name for name in sys.modules if name.startswith("pytest_mint")]:
            del sys.modules[name]
        _lock(config)
        sys.path.insert(0, folder)  # where code may have planted modules: not before
        run()
    except BaseException as problem:  # nothing may return into the supervisor's code
        os.write(2, b"sandbox child: %a\n" % (problem,))
    finally:
        os._exit(120)


def _take_streams(streams: Streams, source: int) -> None:
    control = os.dup(streams.theirs.fileno())
    os.dup2(source, 0)
    os.dup2(streams.out_end, 1)
    os.dup2(streams.err_end, 2)
    os.dup2(control, CONTROL, inheritable=False)
    # Rules made beforehand stay open; their number is moved out of the way.
    os.closerange(CONTROL + 1, _KEPT)
    os.closerange(_KEPT + 1, 256)
    for name, fd, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        stream = open(  # noqa: SIM115
            fd,
            mode,
            buffering=1 if name == "stderr" else -1,
            encoding="utf-8",
            errors="strict" if name == "stdin" else "backslashreplace",
            closefd=False,
        )
        setattr(sys, name, stream)


#: Where the supervisor keeps the Landlock rules for its children.
_KEPT = 200


def keep_rules(rules: int) -> None:
    """Put the Landlock rules where every child finds them."""
    os.dup2(rules, _KEPT, inheritable=False)
    os.close(rules)


def _limit(config: dict[str, Any], memory_mb: int) -> None:
    memory = memory_mb * _MB
    limits = {
        "CORE": 0,
        "DATA": memory,
        "CPU": MAX_CPU_SECONDS,
        "FSIZE": config["disk_mb"] * _MB,
        "NOFILE": MAX_FILES,
        "MSGQUEUE": 0,
        "MEMLOCK": 0,
        "NICE": 0,
        "RTPRIO": 0,
    }
    if config["confine"] == "cage":  # shared mappings are no data, nor in a cgroup
        limits["AS"] = memory + ADDRESS_SLACK_MB * _MB
    for name, value in limits.items():
        number = getattr(resource, "RLIMIT_" + name, None)
        if number is None:
            continue
        # It may be lower already, and may not be raised again.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(number, (value, value))
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("900")  # short of memory, the kernel takes us, not PID 1
    except OSError:
        pass


def _lock(config: dict[str, Any]) -> None:
    """Give up all that code in the sandbox must not have, and say so."""
    control = socket.socket(fileno=os.dup(CONTROL))
    try:
        listener = -1
        if config["confine"] == "cage":
            landlock.enter(_KEPT)
            os.close(_KEPT)
        if config["confine"] != "none" and LINUX:
            seccomp.common().install()
        if config["confine"] == "cage":
            listener = seccomp.cage(os.getpid()).install(listen=True)
        if listener < 0:
            control.sendall(b"+")
            return
        fds = array.array("i", [listener])
        control.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
        os.close(listener)
    finally:
        control.close()
