"""The working folders: emptying, measuring and copying them.

Whatever code left there is hostile: links to elsewhere, folders without rights, trees
thousands of levels deep. Nothing here follows a link or recurses.
"""

from __future__ import annotations

import os
import shutil
import time

MAX_ENTRIES = 20_000
MAX_LEVELS = 64
MAX_COPY = 1 << 30

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | getattr(os, "O_NOFOLLOW", 0)


def wipe(top: str, seconds: float = 2.0) -> bool:
    """Empty a folder.

    Returns:
        Whether it is empty now; also True where there is no such folder.
    """
    try:
        fd = os.open(top, _FOLDER)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    deadline = time.monotonic() + seconds
    try:
        while names := _names(fd):
            for name, is_folder in names:
                if time.monotonic() > deadline:
                    return False
                _remove(fd, name, is_folder)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def _names(fd: int) -> list[tuple[str, bool]]:
    with os.scandir(fd) as entries:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]


def _remove(top: int, name: str, is_folder: bool) -> None:
    """Remove an entry; a folder's folders move up to ``top`` and go in turn."""
    if not is_folder:
        os.unlink(name, dir_fd=top)
        return
    os.chmod(name, 0o700, dir_fd=top)
    fd = os.open(name, _FOLDER, dir_fd=top)
    try:
        for number, (inner, deeper) in enumerate(_names(fd)):
            if not deeper:
                os.unlink(inner, dir_fd=fd)
                continue
            os.chmod(inner, 0o700, dir_fd=fd)  # moving a folder writes to it
            above = f".wipe-{time.monotonic_ns():x}-{number:x}"
            os.rename(inner, above, src_dir_fd=fd, dst_dir_fd=top)
    finally:
        os.close(fd)
    os.rmdir(name, dir_fd=top)


def exceeds(top: str, limit: int) -> bool:
    """Whether a tree holds more bytes than ``limit``, too many files, or is too deep.

    The cage has no quota: this is polled instead.
    """
    size = entries = 0
    waiting = [(top, 0)]
    while waiting:
        folder, level = waiting.pop()
        if level > MAX_LEVELS:
            return True
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entries > MAX_ENTRIES or size > limit:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, level + 1))
        except OSError:
            continue  # gone, or without rights: nothing more can be put there
    return False


def copy(source: str, target: str) -> None:
    """Copy a working folder: files, folders and links, the rest is left out.

    Raises:
        OSError: it is too large, or something in it cannot be copied.
    """
    if exceeds(source, MAX_COPY):
        raise OSError(
            "the working folder is too large, too deep, or has too many files"
        )
    waiting = [(source, target)]
    while waiting:
        here, there = waiting.pop()
        os.makedirs(there, 0o700, exist_ok=True)
        with os.scandir(here) as entries:
            for entry in entries:
                place = os.path.join(there, entry.name)
                if entry.is_symlink():
                    os.symlink(os.readlink(entry.path), place)
                elif not os.access(entry.path, os.R_OK):
                    continue
                elif entry.is_dir():
                    waiting.append((entry.path, place))
                elif entry.is_file():  # its rights are not copied: the cage has none
                    shutil.copyfile(entry.path, place)
