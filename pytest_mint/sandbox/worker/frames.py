"""Framed JSON: how host, supervisor and child talk.

A frame is four bytes of length, big-endian, and that much ASCII JSON.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

HEADER = struct.Struct(">I")
MAX_FRAME = 16 << 20

# Bound here, because code in a child may replace what the modules offer.
_read, _write = os.read, os.write
_to_text = json.JSONEncoder().encode
_from_text = json.JSONDecoder().decode


def pack(message: Any) -> bytes:
    """The frame of a JSON value."""
    body = _to_text(message).encode("ascii")
    return HEADER.pack(len(body)) + body


class Inbox:
    """Bytes come in as they arrive, whole messages go out."""

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._bytes = bytearray()
        self._limit = limit

    def feed(self, data: bytes) -> None:
        """Take what was read."""
        self._bytes += data

    def take(self) -> dict[str, Any] | None:
        """The next message, None while it is incomplete.

        Raises:
            ValueError: the bytes are no frame, or one above the limit.
        """
        if len(self._bytes) < HEADER.size:
            return None
        (size,) = HEADER.unpack_from(self._bytes)
        if size > self._limit:
            raise ValueError(f"a frame of {size} bytes")
        end = HEADER.size + size
        if len(self._bytes) < end:
            return None
        body = bytes(self._bytes[HEADER.size : end])
        del self._bytes[:end]
        return parse(body)


def too_deep(value: Any, levels: int = 300) -> bool:
    """Whether JSON data are nested so deeply that the next reader may give up."""
    layer = [value]
    while layer and levels:
        levels -= 1
        below: list[Any] = []
        for one in layer:
            if isinstance(one, dict):
                below += one.values()
            elif isinstance(one, list):
                below += one
        layer = below
    return bool(layer)


def parse(body: bytes) -> dict[str, Any]:
    """The message of a frame's body; ValueError if it is not a JSON object."""
    try:
        message = _from_text(body.decode("ascii"))
    except RecursionError:
        raise ValueError("a frame nested too deeply") from None
    if not isinstance(message, dict):
        raise ValueError("a frame that is not an object")
    return message


def read_exactly(fd: int, size: int) -> bytes:
    """Read ``size`` bytes; EOFError when the stream ends before."""
    parts = bytearray()
    while len(parts) < size:
        piece = _read(fd, size - len(parts))
        if not piece:
            raise EOFError
        parts += piece
    return bytes(parts)


def read_frame(fd: int) -> dict[str, Any]:
    """Read one message, waiting for it."""
    (size,) = HEADER.unpack(read_exactly(fd, HEADER.size))
    if size > MAX_FRAME:
        raise ValueError(f"a frame of {size} bytes")
    return parse(read_exactly(fd, size))


def write_all(fd: int, data: bytes) -> None:
    """Write all of it, however often that takes."""
    view = memoryview(data)
    while view:
        view = view[_write(fd, view) :]
