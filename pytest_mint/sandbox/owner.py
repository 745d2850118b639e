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
    host, boot = _machine()
    return f"{host}.{boot}.{os.getpid()}.{_started(os.getpid())}"


def is_dead(owner: str) -> bool:
    """Whether the owner was a process of this machine and is gone."""
    parts = owner.split(".")
    if len(parts) != 4:
        return False
    host, boot, pid, started = parts
    if host != _machine()[0] or not pid.isdigit() or not started:
        return False
    return boot != _machine()[1] or _started(int(pid)) != started


@cache
def _machine() -> tuple[str, str]:
    name = re.sub(r"[^A-Za-z0-9]", "", socket.gethostname())[:20]
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    except OSError:
        boot = "0"
    return name, boot


def _started(pid: int) -> str:
    """When a process started, in ticks since the boot; empty if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]
