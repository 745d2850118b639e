"""Ending processes, and knowing that none is left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable

#: After this long a child that is not gone has left others behind: look for them.
_PROMPT_SECONDS = 0.02


def alone() -> bool:
    """Whether all processes we can see are ours: we are the first of a container."""
    return os.getpid() == 1


def kill_all(known: Iterable[int], seconds: float = 2.0) -> bool:
    """Kill every process below this one; whether none is left.

    As the first process of a container we may signal everything. Elsewhere we are the
    foster parent of all orphans (a child subreaper), so that whatever was forked in
    the sandbox hangs below us in the process tree.
    """
    started = time.monotonic()
    if alone():
        _kill(-1)
    else:
        for pid in known:
            _kill_group(pid)
    pause = 0.0001
    while reap():
        passed = time.monotonic() - started
        if passed > seconds:
            return False
        if alone():
            _kill(-1)
        elif passed > _PROMPT_SECONDS:
            for pid in below([os.getpid()]):
                _kill(pid)
        time.sleep(pause)
        pause = min(2 * pause, 0.005)
    return True


def kill_others(spared: set[int], seconds: float = 1.0) -> bool:
    """Kill all processes below this one but some interpreters and what they forked.

    Returns:
        Whether only those are left.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        kept = spared.union(below(spared))
        doomed = [pid for pid in below([os.getpid()]) if pid not in kept]
        if not doomed:
            reap()
            return True
        for pid in doomed:
            _kill(pid)
        reap()
        time.sleep(0.0005)
    return False


def below(roots: Iterable[int]) -> list[int]:
    """All living processes below some, zombies left out; empty without /proc."""
    children: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state not in "ZX":
            children.setdefault(int(parent), []).append(int(name))
    found: list[int] = []
    waiting = list(roots)
    while waiting:
        for pid in children.get(waiting.pop(), []):
            found.append(pid)
            waiting.append(pid)
    return found


def reap() -> bool:
    """Bury the children that ended; whether there are more."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return False
    return True


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # it leads no group yet
        _kill(leader)
