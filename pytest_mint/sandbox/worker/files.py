"""Files of the working folder, as the file tool reads and writes them.

Every part of a path is opened below the one before, and none may be a link: code that
still runs cannot swap one in.
"""

from __future__ import annotations

import base64
import contextlib
import os
import stat
from typing import Any

MAX_FILE = 8 << 20
MAX_NAMES = 1000

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | getattr(os, "O_NOFOLLOW", 0)


def handle(top: str, message: dict[str, Any]) -> dict[str, Any]:
    """Answer a ``put``, ``get``, ``ls`` or ``remove``; errors are answers too."""
    try:
        return {"status": "ok", **_OPERATIONS[message["op"]](top, message)}
    except (OSError, ValueError) as problem:
        text = getattr(problem, "strerror", None) or str(problem)
        return {"status": "error", "kind": type(problem).__name__, "error": text}


def _parts(path: str) -> list[str]:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\0" in path:
        raise PermissionError("the path must stay below the working folder")
    return parts


def _folder(top: str, parts: list[str], create: bool = False) -> int:
    fd = os.open(top, _FOLDER)
    for part in parts:
        try:
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=fd)
            below = os.open(part, _FOLDER, dir_fd=fd)
        finally:
            os.close(fd)
        fd = below
    return fd


def _file(top: str, path: str, flags: int) -> int:
    parts = _parts(path)
    if not parts:
        raise IsADirectoryError("the path names no file")
    folder = _folder(top, parts[:-1], bool(flags & os.O_CREAT))
    try:
        # Without O_NONBLOCK a named pipe would hold us until somebody writes.
        safe = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(parts[-1], flags | safe, 0o600, dir_fd=folder)
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise PermissionError("not a regular file")
    return fd


def _put(top: str, message: dict[str, Any]) -> dict[str, Any]:
    data = base64.b64decode(message["data"])
    fd = _file(top, message["path"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
    return {}


def _get(top: str, message: dict[str, Any]) -> dict[str, Any]:
    with os.fdopen(_file(top, message["path"], os.O_RDONLY), "rb") as file:
        data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise OSError(f"the file has more than {MAX_FILE} bytes")
    return {"data": base64.b64encode(data).decode("ascii")}


def _ls(top: str, message: dict[str, Any]) -> dict[str, Any]:
    fd = _folder(top, _parts(message["path"]))
    try:
        with os.scandir(fd) as found:
            names = [
                entry.name + ("/" if entry.is_dir(follow_symlinks=False) else "")
                for entry in found
            ]
    finally:
        os.close(fd)
    if len(names) > MAX_NAMES:
        raise OSError(f"the folder has more than {MAX_NAMES} entries")
    return {"names": sorted(names)}


def _delete(top: str, message: dict[str, Any]) -> dict[str, Any]:
    parts = _parts(message["path"])
    if not parts:
        raise PermissionError("the working folder itself stays")
    folder = _folder(top, parts[:-1])
    try:
        mode = os.lstat(parts[-1], dir_fd=folder).st_mode
        remove = os.rmdir if stat.S_ISDIR(mode) else os.unlink
        remove(parts[-1], dir_fd=folder)
    finally:
        os.close(folder)
    return {}


_OPERATIONS = {"put": _put, "get": _get, "ls": _ls, "remove": _delete}
