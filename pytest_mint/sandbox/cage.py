"""The cage: a worker in a process of this machine, locked in by the kernel.

Landlock, system call filters and limits; no engine, no namespaces, no privilege, on
Linux for x86_64 and aarch64. ``unsafe`` is the same process without the lock.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_mint.errors import SandboxError
from pytest_mint.sandbox.channel import Channel
from pytest_mint.sandbox.owner import is_dead, me
from pytest_mint.sandbox.worker_client import (
    ENVIRONMENT,
    IDLE_SECONDS,
    Worker,
    boot_program,
)

#: The packages that programs may import besides the standard library, where they are
#: installed: the same in every kind of sandbox. The rest of this environment stays
#: out of sight, because tasks with their answers may be part of it.
PACKAGES = ("numpy", "numpy.libs", "sympy", "mpmath")

MEMORY_MB = 1024
DISK_MB = 64
_PREFIX = "pytest-mint-"
_END_SECONDS = 5.0
_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")


def why_not() -> str:
    """Why there can be no cage on this machine; empty if there can."""
    if not sys.platform.startswith("linux"):
        return f"the cage needs Linux, this is {sys.platform}"
    machine = os.uname().machine
    if machine not in ("x86_64", "aarch64"):
        return f"the cage knows x86_64 and aarch64, not {machine}"
    from pytest_mint.sandbox.worker.landlock import version

    if version() == 0:
        return "the cage needs a kernel with Landlock (Linux 5.13, and switched on)"
    return ""


def start(confine: str, preload: Sequence[str] = ()) -> Worker:
    """Start a worker in a process of its own.

    Args:
        confine: "cage", or "none" for no protection beyond limits and a group.
        preload: modules to import once for all.

    Raises:
        SandboxError: it did not start.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{me()}-"))
    root, site = folder / "files", folder / "site"
    root.mkdir()
    packages = _link_packages(site)
    ours, theirs = socket.socketpair()
    told = folder / "errors"
    errors = told.open("wb")
    try:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-s", "-S", "-B", "-c", boot_program()],
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=errors,
            env=ENVIRONMENT,
            cwd=root,
            start_new_session=True,
        )
    except OSError as problem:
        ours.close()
        shutil.rmtree(folder, ignore_errors=True)
        raise SandboxError(f"no process for the sandbox: {problem}") from problem
    finally:
        theirs.close()
        errors.close()

    def end(kill: bool) -> None:
        _end(process, kill)
        shutil.rmtree(folder, ignore_errors=True)

    config = _config(folder, root, site, packages, confine, preload)
    return Worker(Channel(ours, errors=told), config, end)


def _config(
    folder: Path,
    root: Path,
    site: Path,
    packages: list[str],
    confine: str,
    preload: Sequence[str],
) -> dict[str, Any]:
    return {
        "root": str(root),
        "wipe": [str(root)],
        "remove": str(folder),
        "confine": confine,
        "memory_mb": MEMORY_MB,
        "disk_mb": DISK_MB,
        "readable": [*_standard_library(), *packages, str(site)],
        "site": [str(site)],
        "preload": list(preload),
        "environment": {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        },
        "idle_seconds": IDLE_SECONDS,
    }


def _link_packages(site: Path) -> list[str]:
    """Make a folder with links to the packages; the folders that they point to."""
    site.mkdir()
    found = []
    for key in ("purelib", "platlib"):
        for name in PACKAGES:
            package = Path(sysconfig.get_path(key)) / name
            link = site / name
            if package.is_dir() and not link.exists():
                link.symlink_to(package)
                found.append(str(package.resolve()))
    return found


def _standard_library() -> list[str]:
    """What an interpreter reads, without the folders of installed packages."""
    found = ["/etc/localtime", "/etc/ld.so.cache", "/usr/share/zoneinfo"]
    for folder in map(Path, _SYSTEM_LIBRARIES):
        found += _without_packages(folder)
    for key in ("stdlib", "platstdlib"):
        found += _without_packages(Path(sysconfig.get_path(key)))
    base = Path(sys.base_prefix) / "lib"
    found += [str(path) for path in base.glob("libpython*")]
    return found


def _without_packages(folder: Path) -> list[str]:
    """The entries of a folder of libraries, those of Python packages opened up."""
    try:
        entries = list(folder.iterdir())
    except OSError:
        return []
    found = []
    for entry in entries:
        if entry.name in ("site-packages", "dist-packages"):
            continue
        if entry.name.startswith("python") and entry.is_dir():
            found += _without_packages(entry)
        else:
            found.append(str(entry))
    return found


def _end(process: subprocess.Popen[bytes], kill: bool) -> None:
    """The worker ends when its stream does; one that does not is killed."""
    try:
        process.wait(0.5 if kill else _END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def sweep() -> int:
    """Remove the folders of workers whose owner did not live to do it."""
    removed = 0
    for folder in Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        owner = folder.name[len(_PREFIX) :].rpartition("-")[0]
        if is_dead(owner):
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed
