"""System call filters: one for every sandbox, one more for the cage.

Filters only add up: the engine's own stays in force below ours. Both are short
programs for the kernel's packet filter; each rule stands alone and ends the program
when the call is the one it is about.
"""

from __future__ import annotations

import array
import ctypes
import errno
import os
import socket
import struct

from pytest_mint.sandbox.worker.kernel import PR_SET_SECCOMP, libc
from pytest_mint.sandbox.worker.syscalls import CAGE, NEVER, SELF_ONLY, SPECIAL

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

_ALLOW = 0x7FFF0000
_ASK_SUPERVISOR = 0x7FC00000
_FAIL = 0x00050000
_KILL = 0x80000000

_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000
_CLONE_THREAD = 0x00010000
_PLAIN_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)

_SET_MODE_FILTER = 1
_NEW_LISTENER = 1 << 3


class Unsupported(Exception):
    """This machine has no such filter."""


class Filter:
    """A filter in the making; the call's number stays loaded between the rules."""

    def __init__(self) -> None:
        machines = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
        machine = os.uname().machine
        if machine not in machines:
            raise Unsupported(f"no system call numbers for {machine}")
        self._column, architecture = machines[machine]
        self._code = [
            (_LOAD, 0, 0, 4),
            (_EQUAL, 1, 0, architecture),
            (_RETURN, 0, 0, _KILL),
            (_LOAD, 0, 0, 0),
        ]
        if self._column == 0:
            self._code += [(_AT_LEAST, 0, 1, _X32), self._fail(errno.ENOSYS)]

    def number(self, name: str) -> int | None:
        """The number of a call on this machine, None where it has none."""
        for table in (SPECIAL, NEVER, SELF_ONLY, CAGE):
            if name in table:
                return table[name][self._column]
        raise KeyError(name)

    def deny(self, name: str, error: int = errno.EPERM) -> None:
        """Let a call fail."""
        self._rule(name, [self._fail(error)])

    def deny_bits(self, name: str, argument: int, bits: int) -> None:
        """Let a call fail when one of these bits is set in an argument."""
        self._rule(
            name,
            [
                self._argument(argument),
                (_ANY_BIT, 0, 1, bits),
                self._fail(errno.EPERM),
                (_RETURN, 0, 0, _ALLOW),
            ],
        )

    def only(self, name: str, argument: int, values: tuple[int, ...]) -> None:
        """Let a call fail unless an argument is one of these values."""
        rule = [self._argument(argument)]
        for value in values:
            rule += [(_EQUAL, 0, 1, value & 0xFFFFFFFF), (_RETURN, 0, 0, _ALLOW)]
        self._rule(name, [*rule, self._fail(errno.EPERM)])

    def only_own_priority(self) -> None:
        """Of processes, groups and users, let a process change its own priority."""
        self._rule(
            "setpriority",
            [
                self._argument(0),
                (_EQUAL, 0, 3, os.PRIO_PROCESS),
                self._argument(1),
                (_EQUAL, 0, 1, 0),
                (_RETURN, 0, 0, _ALLOW),
                self._fail(errno.EPERM),
            ],
        )

    def ask_unless_bits(self, name: str, argument: int, bits: int) -> None:
        """Leave a call to the supervisor unless one of these bits is set."""
        self._rule(
            name,
            [
                self._argument(argument),
                (_ANY_BIT, 0, 1, bits),
                (_RETURN, 0, 0, _ALLOW),
                (_RETURN, 0, 0, _ASK_SUPERVISOR),
            ],
        )

    def keep_death_signal(self) -> None:
        """Nobody outlives the supervisor: the signal may be set, never unset."""
        self._rule(
            "prctl",
            [
                self._argument(0),
                (_EQUAL, 1, 0, 1),
                (_RETURN, 0, 0, _ALLOW),
                self._argument(1),
                (_EQUAL, 0, 1, 9),
                (_RETURN, 0, 0, _ALLOW),
                self._fail(errno.EPERM),
            ],
        )

    def install(self, listen: bool = False) -> int:
        """Put the filter in force for this process, for good.

        Returns:
            A descriptor on which the supervisor hears the calls left to it, -1
            without ``listen``.

        Raises:
            OSError: the kernel refused.
        """
        code = [*self._code, (_RETURN, 0, 0, _ALLOW)]
        text = b"".join(struct.pack("HBBI", *line) for line in code)
        buffer = ctypes.create_string_buffer(text, len(text))
        header = struct.pack("HxxxxxxP", len(code), ctypes.addressof(buffer))
        program = ctypes.create_string_buffer(header, len(header))
        if listen:
            found = libc.syscall(
                self.number("seccomp"), _SET_MODE_FILTER, _NEW_LISTENER, program
            )
        else:
            found = libc.prctl(PR_SET_SECCOMP, 2, program, 0, 0)
        if found < 0:
            raise OSError(ctypes.get_errno(), "seccomp")
        return int(found) if listen else -1

    def _rule(self, name: str, lines: list[tuple[int, int, int, int]]) -> None:
        number = self.number(name)
        if number is not None:
            self._code += [(_EQUAL, 0, len(lines), number), *lines]

    @staticmethod
    def _argument(index: int) -> tuple[int, int, int, int]:
        return (_LOAD, 0, 0, 16 + 8 * index)  # the low half; both machines are little

    @staticmethod
    def _fail(error: int) -> tuple[int, int, int, int]:
        return (_RETURN, 0, 0, _FAIL | error)


def common() -> Filter:
    """The filter of every sandbox."""
    rules = Filter()
    for name in NEVER:
        rules.deny(name)
    # glibc falls back to clone, whose flags a filter can read.
    rules.deny("clone3", errno.ENOSYS)
    for name in SELF_ONLY:
        rules.only(name, 0, (0,))
    rules.only_own_priority()
    rules.deny_bits("clone", 0, _NEW_NAMESPACES)
    rules.only("socket", 0, _PLAIN_FAMILIES)
    rules.keep_death_signal()
    return rules


def cage(process: int) -> Filter:
    """The cage's additional filter, for the process of this id.

    Threads are allowed, signals to oneself too; a new process is left to the
    supervisor, which says yes only while it forks an interpreter itself.
    """
    rules = Filter()
    for name in CAGE:
        rules.deny(name)
    rules.ask_unless_bits("clone", 0, _CLONE_THREAD)
    for name in ("kill", "tgkill"):
        rules.only(name, 0, (process,))
    return rules


class Listener:
    """The supervisor's end of a filter that asks."""

    _RECEIVE, _SEND = 0xC0502100, 0xC0182101
    _CONTINUE = 1

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def answer(self, allow: bool) -> bool:
        """Answer the one call that waits; whether it was let through."""
        import fcntl

        request = array.array("B", bytes(80))
        try:
            fcntl.ioctl(self.fd, self._RECEIVE, request, True)
            (number,) = struct.unpack_from("=Q", request)
            verdict = (0, self._CONTINUE) if allow else (-errno.EPERM, 0)
            fcntl.ioctl(self.fd, self._SEND, struct.pack("=QqiI", number, 0, *verdict))
        except OSError:  # the caller died meanwhile
            return False
        return allow

    def close(self) -> None:
        """Every further call of that kind fails."""
        os.close(self.fd)
