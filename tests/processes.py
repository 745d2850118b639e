"""Whether other processes are there, and waiting until something is so."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether it is so within this time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return condition()


def alive(pid: int) -> bool:
    """Whether there is such a process; one that nobody buries does not live."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
