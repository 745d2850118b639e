"""JSON on disk: whole files replaced at once, and files of lines that only grow."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from pytest_mint.errors import UserError

# A crash can leave the end of a file filled with NUL bytes; JSON text has none.
_PADDING = b"\0 \t\r\n"


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Writes a JSON file so that a reader finds the old one or the new one, whole.

    A device or a pipe (``/dev/stdout``) is written to as it is.

    Raises:
        OSError: it cannot be written; what was there before is still there.
    """
    text = json.dumps(data, indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="ascii")
        return
    path = path.resolve()  # a link stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("w", encoding="ascii", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def to_line(data: Mapping[str, Any]) -> bytes:
    """One line of a file of JSON lines; ASCII, so that lone surrogates survive."""
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


class Lines:
    """A file that lines are added to, from any thread.

    What was added survives the death of the process, not that of the machine.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._file = path.open("ab", buffering=0)
        self._end = self._file.seek(0, os.SEEK_END)
        self._torn = _ends_torn(path)

    def add(self, line: bytes) -> None:
        """Adds a line, wholly or not at all.

        Raises:
            OSError: it could not be added.
        """
        with self._lock:
            if self._torn:
                line = b"\n" + line
            rest = memoryview(line)
            try:
                while rest:
                    rest = rest[self._file.write(rest) :]
            except OSError:
                self._torn = not self._cut_back()
                raise
            self._torn = False
            self._end += len(line)

    def _cut_back(self) -> bool:
        with suppress(OSError):
            self._file.truncate(self._end)
            return True
        return False

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _ends_torn(path: Path) -> bool:
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The values of a file of JSON lines, each with the number of its line from 1.

    The last line may be torn and is then left out: its writer died.

    Raises:
        OSError: the file cannot be read.
        UserError: a line that is not the last one is no JSON.
    """
    torn = ""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.strip(_PADDING)
            if not text:
                continue
            if torn:
                raise UserError(torn)
            try:
                value = json.loads(text.decode("utf-8"))
            except (ValueError, RecursionError) as problem:
                torn = f"{path}, line {number}: no JSON value ({problem})"
                continue
            yield number, value


class Journal:
    """A worker's own record of what happened, written before it is used.

    Losing it must not stop the episodes that are running, so a disk that takes no
    more is said once, by ``warn``, and later events are still tried.
    """

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        self._path = path
        self._warn = warn
        self._warned = False
        self._lines: Lines | None = None

    def write(self, event: Mapping[str, Any]) -> None:
        """Adds an event; it is with the operating system when this returns."""
        line = to_line(event)
        try:
            if self._lines is None:
                self._lines = Lines(self._path)
            self._lines.add(line)
        except OSError as problem:
            if not self._warned:
                self._warned = True
                self._warn(
                    f"cannot write the journal {self._path}: {problem.strerror}; "
                    "replies that are not reported yet are lost if this process dies"
                )

    def close(self) -> None:
        """Closes the file; a later event opens it again."""
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
