"""Landlock: which files a process may touch, decided by the process itself.

It needs no privilege, no namespace and no engine. What is not named here is out of
reach; only that a path exists, and its size, can still be learned.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from pytest_mint.sandbox.worker.kernel import libc

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446

_WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = (1, 2, 3, 4, 5)
_MAKE_DIR, _MAKE_REG, _MAKE_SYM, _REFER, _TRUNCATE = (7, 8, 12, 13, 14)


def _bits(*numbers: int) -> int:
    return sum(1 << number for number in numbers)


_READ = _bits(_READ_FILE, _READ_DIR)
_OWN = _READ | _bits(
    _WRITE_FILE, _REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG, _MAKE_SYM
)
_OWN |= _bits(_REFER, _TRUNCATE)
_DEVICE = _bits(_READ_FILE, _WRITE_FILE)
_OF_FILES = _bits(_READ_FILE, _WRITE_FILE, _TRUNCATE)

DEVICES = ("/dev/null", "/dev/urandom", "/dev/zero")


def version() -> int:
    """The kernel's Landlock version, 0 where there is none."""
    found = libc.syscall(_CREATE, None, ctypes.c_size_t(0), 1)
    return max(0, int(found))


def ruleset(readable: Iterable[str], writable: Iterable[str]) -> int:
    """A descriptor of the rules; paths that do not exist are left out.

    Raises:
        OSError: the kernel has no Landlock, or refused.
    """
    level = version()
    handled = _bits(*range(13))
    for needed, right in ((2, _REFER), (3, _TRUNCATE), (5, 15)):
        if level >= needed:
            handled |= 1 << right
    network = 3 if level >= 4 else 0  # bind and connect
    scoped = 3 if level >= 6 else 0  # abstract sockets and signals
    size = 8 if level < 4 else 16 if level < 6 else 24
    attributes = struct.pack("=QQQ", handled, network, scoped)[:size]
    fd = int(libc.syscall(_CREATE, attributes, ctypes.c_size_t(size), 0))
    if level < 1 or fd < 0:
        raise OSError(ctypes.get_errno(), "Landlock")
    for path in readable:
        _allow(fd, path, _READ & handled)
    for path in writable:
        _allow(fd, path, _OWN & handled)
    for path in DEVICES:
        _allow(fd, path, _DEVICE & handled)
    return fd


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= _OF_FILES
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, fd), 12)
        if libc.syscall(_ADD_RULE, ctypes.c_int(rules), 1, rule, 0) != 0:
            raise OSError(ctypes.get_errno(), "Landlock", path)
    finally:
        os.close(fd)


def enter(rules: int) -> None:
    """Put the rules in force for this process and all that come from it, for good."""
    if libc.syscall(_RESTRICT, ctypes.c_int(rules), 0) != 0:
        raise OSError(ctypes.get_errno(), "Landlock")
