"""Framed JSON over a socket, from the host's side."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from pathlib import Path
from typing import Any

from pytest_mint.errors import SandboxError
from pytest_mint.sandbox.worker.frames import MAX_FRAME, Inbox, pack

_SEND_SECONDS = 60.0
_CHUNK = 1 << 18
_DIAGNOSTICS = 4000
#: A child's largest frame and what it printed besides, written in JSON.
_MAX_REPLY = 4 * MAX_FRAME
_MUX_HEADER = struct.Struct(">BxxxI")
_STDOUT = 1


class Channel:
    """A duplex stream of messages.

    Args:
        stream: a connected socket.
        multiplexed: whether the engine's eight-byte headers stand between, with the
            worker's standard error as a second stream.
        errors: a file that holds the worker's standard error otherwise.
    """

    def __init__(
        self,
        stream: socket.socket,
        multiplexed: bool = False,
        errors: Path | None = None,
    ) -> None:
        self._stream = stream
        self._errors = errors
        self._multiplexed = multiplexed
        self._raw = bytearray()
        self._inbox = Inbox(_MAX_REPLY)
        self._told = ""

    def send(self, message: Any) -> None:
        """Send a message.

        Raises:
            SandboxError: the worker is gone or does not read.
        """
        self._stream.settimeout(_SEND_SECONDS)
        try:
            self._stream.sendall(pack(message))
        except OSError as problem:
            raise SandboxError(f"the sandbox does not read: {problem}") from problem

    def receive(self, seconds: float) -> dict[str, Any]:
        """The next message.

        Raises:
            SandboxError: the worker is gone, sends nonsense, or is silent for so long.
        """
        deadline = time.monotonic() + seconds
        while True:
            try:
                message = self._inbox.take()
            except ValueError as problem:
                raise SandboxError(f"the sandbox sent {problem}") from problem
            if message is not None:
                return message
            self._fill(deadline)

    def _fill(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError("no reply in time")
            self._stream.settimeout(left)
            data = self._stream.recv(_CHUNK)
        except TimeoutError as problem:
            raise SandboxError(f"the sandbox does not answer: {problem}") from problem
        except OSError:  # reset: it did not even read all that was sent
            data = b""
        if not data:
            told = self._diagnostics()
            raise SandboxError("the sandbox ended" + (f": {told}" if told else ""))
        if not self._multiplexed:
            self._inbox.feed(data)
            return
        self._raw += data
        self._demultiplex()

    def _demultiplex(self) -> None:
        while len(self._raw) >= _MUX_HEADER.size:
            kind, size = _MUX_HEADER.unpack_from(self._raw)
            end = _MUX_HEADER.size + size
            if len(self._raw) < end:
                return
            piece = bytes(self._raw[_MUX_HEADER.size : end])
            del self._raw[:end]
            if kind == _STDOUT:
                self._inbox.feed(piece)
            else:
                text = piece.decode("utf-8", "replace")
                self._told = (self._told + text)[-_DIAGNOSTICS:]

    def _diagnostics(self) -> str:
        """What the worker said on its standard error."""
        if self._errors is not None and self._errors.exists():
            self._told = self._errors.read_text("utf-8", "replace")[-_DIAGNOSTICS:]
        return self._told.strip()

    def close(self) -> None:
        """Hang up: the worker cleans up and ends."""
        with contextlib.suppress(OSError):
            self._stream.shutdown(socket.SHUT_RDWR)
        self._stream.close()
