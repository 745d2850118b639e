"""The few calls to the kernel that Python has no name for."""

from __future__ import annotations

import ctypes
import sys

LINUX = sys.platform.startswith("linux")

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47

_CAPABILITIES_V3 = 0x20080522

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def prctl(option: int, value: int = 0) -> bool:
    """Set an attribute of this process; False where that is not possible."""
    if not LINUX:
        return False
    number = ctypes.c_ulong(value)
    return bool(libc.prctl(option, number, ctypes.c_ulong(0), 0, 0) == 0)


def drop_capabilities() -> bool:
    """Give up every capability, for this process and all that come from it.

    Root without capabilities is still the owner of root's files; that these are out
    of reach is Landlock's part.
    """
    for number in range(64):
        prctl(PR_CAPBSET_DROP, number)
    prctl(PR_CAP_AMBIENT, 4)  # clear all
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    return bool(libc.capset(ctypes.byref(header), ctypes.byref(nothing)) == 0)


def give_back_memory() -> None:
    """Return what importing left unused; every child would carry it along."""
    trim = getattr(libc, "malloc_trim", None)  # glibc only
    if trim is not None:
        trim(0)
