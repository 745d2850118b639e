"""The supervisor's part in forking an interpreter.

The interpreter forks itself; the supervisor gives it the streams of the second, lets
the forks through where a filter asks, and learns from the kernel, not from the
interpreter, which process is at the other end.
"""

from __future__ import annotations

import array
import os
import select
import socket
import struct
import time

from pytest_mint.sandbox.worker.child import Child, Streams
from pytest_mint.sandbox.worker.frames import pack
from pytest_mint.sandbox.worker.kernel import LINUX
from pytest_mint.sandbox.worker.seccomp import Listener
from pytest_mint.sandbox.worker.watch import discard_stale

SECONDS = 10.0
#: The second is forked by a process between, so that it outlives the first.
FORKS = 2

_CREDENTIALS = struct.Struct("3i")  # process, user, group


def second(first: Child, folder: str) -> Child | None:
    """Let an interpreter fork; None if it does not, whatever the reason.

    Args:
        folder: the working folder of the second; it copies the files itself.
    """
    if not LINUX:  # nobody else attests who is at the other end
        return None
    discard_stale(first)
    streams = Streams()
    streams.ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    theirs = (streams.theirs.fileno(), streams.out_end, streams.err_end)
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", theirs))
    try:
        first.control.sendmsg([pack({"fork": folder})], [rights])
        sent = True
    except OSError:
        sent = False
    streams.close_theirs()
    pid = _wait(first, streams.ours) if sent else 0
    if not pid:
        streams.close_ours()
        return None
    streams.ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    listener = first.listener and Listener(os.dup(first.listener.fd))
    return Child(pid, streams.ours, streams.named(), listener, folder)


def _wait(first: Child, control: socket.socket) -> int:
    """The second's process, when both have answered; 0 if one of them does not."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(first.control, select.POLLIN)
    if first.listener is not None:
        poll.register(first.listener.fd, select.POLLIN)
    allowed = FORKS
    found = 0
    first_is_well = False
    deadline = time.monotonic() + SECONDS
    while not (found and first_is_well):
        left = deadline - time.monotonic()
        events = poll.poll(left * 1000) if left > 0 else []
        if not events:
            return 0
        for fd, _ in events:
            if fd == control.fileno():
                found = _sender(control)
                if found in (0, first.pid):
                    return 0
                poll.unregister(control)
            elif fd == first.control.fileno():
                first_is_well = _says_ok(first)
                if not first_is_well:
                    return 0
                poll.unregister(first.control)
            elif first.listener is not None:
                allowed -= first.listener.answer(allow=allowed > 0)
    return found


def _sender(control: socket.socket) -> int:
    """The process that wrote the first byte, as the kernel attests it."""
    data, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS) and data:
            return int(_CREDENTIALS.unpack(content[: _CREDENTIALS.size])[0])
    return 0


def _says_ok(first: Child) -> bool:
    try:
        first.inbox.feed(first.control.recv(1 << 16))
        message = first.inbox.take()
    except (OSError, ValueError):
        return False
    return message is not None and message.get("status") == "ok"
