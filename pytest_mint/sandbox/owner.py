"""Who started something, so that others can tell whether it is still wanted.

An owner is written ``host.boot.pid.start``: a process id alone is used again.
"""

from __future__ import annotations

import os
import re
import socket
from functools import cache
from pathlib import Path


def me() -> str:
    """This process."""
    return f"{_machine()}.{os.getpid()}.{_started(os.getpid())}"


@cache
def _machine() -> str:
    name = re.sub(r"[^A-Za-z0-9]", "", socket.gethostname())[:20]
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    except OSError:
        boot = "0"
    return f"{name}.{boot}"


def _started(pid: int) -> str:
    """When a process started, in ticks since the boot; empty if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]


def is_dead(owner: str) -> bool:
    """Whether the owner was a process of this machine and is gone."""
    machine, _, rest = owner.rpartition(".")
    machine, _, pid = machine.rpartition(".")
    if machine != _machine() or not pid.isdigit() or not rest:
        return False
    return _started(int(pid)) != rest
