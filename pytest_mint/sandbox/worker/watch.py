"""Waiting for a child: its reply, its output, its limits and its calls to the host."""

from __future__ import annotations

import os
import select
import signal
import time
from typing import Any

from pytest_mint.sandbox.worker import folders
from pytest_mint.sandbox.worker.child import Child
from pytest_mint.sandbox.worker.frames import pack, read_frame, too_deep, write_all
from pytest_mint.sandbox.worker.output import Kept

#: How much is read before code that prints on and on is stopped.
MAX_PRINTED = 32 << 20
#: How long an interrupted cell has to come back with its variables.
GRACE_SECONDS = 0.5
DISK_POLL_SECONDS = 0.05

_CHUNK = 1 << 16
_GONE = select.POLLHUP | select.POLLERR


class Ending:
    """How it ended: with a reply, or why without one."""

    def __init__(self, output_bytes: int) -> None:
        self.status = ""  # "" unless we stopped it
        self.note = ""
        self.reply: dict[str, Any] | None = None
        self.printed = {"stdout": Kept(output_bytes), "stderr": Kept(output_bytes)}


class Watch:
    """One piece of code running in a child, from its request to its reply.

    ``gentle`` interrupts first, so that an interpreter keeps its variables; without
    it the process is done with anyhow. ``quota`` is a folder and how many bytes may be
    in it.
    """

    def __init__(
        self,
        child: Child,
        request: bytes,
        limits: dict[str, Any],
        quota: tuple[str, int] | None = None,
        gentle: bool = False,
    ) -> None:
        self._child = child
        self._unsent = memoryview(request)
        self._quota = quota
        self._gentle = gentle
        self._deadline = time.monotonic() + float(limits["seconds"])
        self._next_disk_poll = time.monotonic() + DISK_POLL_SECONDS
        self._interrupted = False
        self._over = False
        self.ending = Ending(int(limits["output_bytes"]))
        self._poll = select.poll()
        self._poll.register(0, select.POLLIN)
        self._poll.register(child.control, select.POLLIN | select.POLLOUT)
        for fd in child.streams:
            self._poll.register(fd, select.POLLIN)
        if child.listener is not None:
            self._poll.register(child.listener.fd, select.POLLIN)

    def run(self) -> Ending:
        """Wait for the end.

        Raises:
            EOFError: the host went away.
        """
        discard_stale(self._child)
        while not self._over:
            self._check_time()
            self._check_disk()
            if not self._over:
                for fd, event in self._poll.poll(self._patience()):
                    self._on_event(fd, event)
        self._drain()
        return self.ending

    def _patience(self) -> float:
        left = (self._deadline - time.monotonic()) * 1000 + 1
        most = DISK_POLL_SECONDS * 1000 if self._quota else 60_000
        return max(0.0, min(left, most))

    def _check_time(self) -> None:
        if time.monotonic() < self._deadline:
            return
        self._stop(self.ending.status or "timeout")

    def _stop(self, status: str) -> None:
        """Interrupt, or give up on a process that was interrupted before."""
        self.ending.status = status
        if self._gentle and not self._interrupted:
            self._interrupted = True
            self._deadline = time.monotonic() + GRACE_SECONDS
            try:
                os.kill(self._child.pid, signal.SIGINT)
            except ProcessLookupError:
                self._over = True
            return
        self._over = True

    def _check_disk(self) -> None:
        if self._quota is None or time.monotonic() < self._next_disk_poll:
            return
        self._next_disk_poll = time.monotonic() + DISK_POLL_SECONDS
        if folders.exceeds(*self._quota):
            self.ending.status = "died"
            self.ending.note = "stopped: more files than the working folder may hold"
            self._over = True

    def _on_event(self, fd: int, event: int) -> None:
        if fd == 0:
            raise EOFError  # the host speaks only when asked
        if self._over:
            return
        if fd == self._child.control.fileno():
            self._on_control(event)
        elif fd in self._child.streams:
            self._on_output(fd)
        elif self._child.listener is not None:
            if event & select.POLLIN:
                self._child.listener.answer(allow=False)
            elif event & _GONE:
                self._poll.unregister(fd)

    def _on_control(self, event: int) -> None:
        control = self._child.control
        if event & select.POLLOUT and self._unsent:
            try:
                self._unsent = self._unsent[control.send(self._unsent) :]
            except BlockingIOError:
                pass
            except OSError:
                self._over = True
                return
            if not self._unsent:
                self._poll.modify(control, select.POLLIN)
        if not event & (select.POLLIN | _GONE):
            return
        try:
            data = control.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._over = True
            return
        self._child.inbox.feed(data)
        self._read_inbox()

    def _read_inbox(self) -> None:
        try:
            message = self._child.inbox.take()
        except ValueError as problem:
            self.ending.note = f"the process sent {problem}"
            self._over = True
            return
        if message is None:
            return
        if too_deep(message):
            self.ending.note = "the process sent a frame nested too deeply"
            self._over = True
            return
        if "function" in message:
            self._call_host(message)
            return
        self.ending.reply = message
        self._over = True

    def _call_host(self, message: dict[str, Any]) -> None:
        """Pass a call on to the host; its time is not the code's."""
        asked = time.monotonic()
        write_all(1, pack({"call": message}))
        answer = read_frame(0)
        self._deadline += time.monotonic() - asked
        self._unsent = memoryview(pack(answer))
        self._poll.modify(self._child.control, select.POLLIN | select.POLLOUT)

    def _on_output(self, fd: int) -> None:
        data = _read(fd)
        if data == b"":
            self._poll.unregister(fd)
            return
        if data is None:
            return
        kept = self.ending.printed[self._child.streams[fd]]
        kept.add(data)
        if kept.total > MAX_PRINTED and self.ending.status != "output":
            self._stop("output")

    def _drain(self) -> None:
        """Take what was printed before the reply and is still in the pipes."""
        for fd, name in self._child.streams.items():
            for _ in range(64):
                data = _read(fd)
                if not data:
                    break
                self.ending.printed[name].add(data)


def discard_stale(child: Child) -> None:
    """Forged replies and the output of what ran on in the background are not ours."""
    child.inbox = type(child.inbox)()
    for fd in (child.control.fileno(), *child.streams):
        for _ in range(1024):
            if not _read(fd):
                break


def _read(fd: int) -> bytes | None:
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""
