"""What a process prints, kept within bounds."""

from __future__ import annotations

#: So that a reply with both streams fits into a frame, however it is escaped.
MAX_KEPT = 2 << 20


class Kept:
    """The first and the last half of a stream; how much fell out is counted."""

    def __init__(self, limit: int) -> None:
        self._half = max(1, min(limit, MAX_KEPT) // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        """Take what was printed."""
        self.total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def text(self) -> str:
        """What was kept, with a note where something was cut."""
        tail = bytes(self._tail[-self._half :])
        cut = self.total - len(self._head) - len(tail)
        note = b"\n... [%d bytes cut] ...\n" % cut if cut > 0 else b""
        return (bytes(self._head) + note + tail).decode("utf-8", "backslashreplace")


def shortened(text: str, limit: int) -> str:
    """The first ``limit`` characters, and how many followed."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}... [{len(text) - limit} characters cut]"
