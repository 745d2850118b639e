"""Containers: workers on any engine, with nothing but a Python inside.

What holds the code is the engine's: no network, a read-only root, sized tmpfs, no
capability, nobody's user id, limits on processes, memory and time. Our filter of
system calls is stacked on top, because engines differ in what theirs leaves open.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pytest_mint.errors import SandboxError, UserError
from pytest_mint.sandbox import engine, image, reaper
from pytest_mint.sandbox.channel import Channel
from pytest_mint.sandbox.owner import me
from pytest_mint.sandbox.pooled import PooledSandbox
from pytest_mint.sandbox.worker_client import (
    ENVIRONMENT,
    IDLE_SECONDS,
    Worker,
    boot_program,
)

if TYPE_CHECKING:
    from docker import APIClient

ROOT = "/mint"
MEMORY_MB = 1024
CONTAINER_MEMORY_MB = 2048
FOLDER_MB = 64
PROCESSES = 64
FILES = 256
_NOBODY = "65534:65534"
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def open_docker(name: str, size: int, preload: Sequence[str]) -> PooledSandbox:
    """A sandbox of containers; none is started before it is needed.

    Args:
        name: of the image; the bundled one when empty.

    Raises:
        UserError: no engine answers, or it has no such image. It is never pulled.
    """
    name = name or image.default_name()
    address = engine.find()
    client = engine.connect(address)
    try:
        found = image.inspect(client, name)
        version = client.version()
    finally:
        client.close()
    if found is None:
        raise UserError(
            f"the container engine at {address} has no image {name}: make it with "
            "`pytest-mint image build`, or without a registry with "
            "`pytest-mint image build --from-host`"
        )
    about = {
        "image": name,
        "image_id": str(found["Id"]),
        "python": image.python_version(found),
        "engine": f"{_product(version)} {version.get('Version', '')}".strip(),
    }
    begin = functools.partial(start, address, str(found["Id"]), preload)
    return PooledSandbox("docker", begin, size, about)


def _product(version: dict[str, Any]) -> str:
    names = [str(one.get("Name", "")) for one in version.get("Components") or ()]
    return "Podman" if any("Podman" in name for name in names) else "Docker"


def start(address: str, image_id: str, preload: Sequence[str] = ()) -> Worker:
    """Start a worker in a container of its own.

    Raises:
        SandboxError: the engine does not start it.
    """
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        client = engine.connect(address)
    except UserError as problem:  # it answered before
        raise SandboxError(str(problem)) from problem
    _reap_once(client, address)
    identity = ""
    try:
        podman = _product(client.version()) == "Podman"
        identity = client.create_container(image_id, **_options(client, podman))["Id"]
        # Attached before it starts: nothing that it says can be missed, and when our
        # end closes, for whatever reason, the engine closes its standard input.
        stream = client.attach_socket(
            identity, {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        )
        client.start(identity)
    except (DockerException, RequestException, OSError) as problem:
        _remove(client, identity)
        client.close()
        raise SandboxError(f"no container: {problem}") from problem
    except BaseException:
        _remove(client, identity)
        client.close()
        raise
    connection = getattr(stream, "_sock", stream)
    return Worker(
        Channel(connection, multiplexed=True),
        _config(preload),
        _ender(client, identity, stream),
    )


def _ender(client: APIClient, identity: str, stream: Any) -> Callable[[bool], None]:
    """How a container ends: by itself when the stream closes, or by force."""

    def end(kill: bool) -> None:
        # The response owns the stream; closed by itself, it would warn when collected.
        getattr(stream, "_response", stream).close()
        stream.close()
        if kill:
            _remove(client, identity)
        client.close()

    return end


def _remove(client: APIClient, identity: str) -> None:
    """Remove a container that may be gone, with an engine that may be gone, too."""
    if identity:
        with contextlib.suppress(Exception):
            client.remove_container(identity, force=True, v=True)


def _options(client: APIClient, podman: bool) -> dict[str, Any]:
    return {
        "entrypoint": ["python3"],
        "command": ["-s", "-B", "-c", boot_program()],
        "stdin_open": True,
        "tty": False,
        "user": _NOBODY,
        "working_dir": "/",
        # The image's own settings of Python must not reach the worker.
        "environment": {**ENVIRONMENT, "PYTHONPATH": "", "PYTHONSTARTUP": ""},
        "hostname": "sandbox",
        "labels": {reaper.LABEL: me()},
        "stop_signal": "SIGKILL",
        "host_config": client.create_host_config(**_limits(podman)),
    }


def _limits(podman: bool) -> dict[str, Any]:
    # Podman knows no nr_inodes. The folders are ours alone: where an image has one of
    # that name, engines take over its mode, and nobody could not write.
    inodes = "" if podman else ",nr_inodes=4096"
    folder = f"rw,nosuid,nodev,noexec,mode=1777{inodes},size="
    memory = f"{CONTAINER_MEMORY_MB}m"
    # Podman makes these writable beside a read-only root, where nobody would clean up.
    shut = "ro,nosuid,nodev,noexec,mode=755,size=64k"
    more = {"/run": shut, "/var/tmp": shut} if podman else {}  # noqa: S108
    return {
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "mem_limit": memory,
        "memswap_limit": memory,
        "pids_limit": PROCESSES,
        "nano_cpus": 1_000_000_000,
        "tmpfs": {
            ROOT: f"{folder}{FOLDER_MB}m",
            "/tmp": f"{folder}{FOLDER_MB}m",  # noqa: S108 - the container's own
            "/dev/shm": f"{folder}16m",  # noqa: S108
            **more,
        },
        "ipc_mode": "private",
        "init": False,  # the worker is the first process: code cannot signal it
        "auto_remove": True,
        "log_config": {"Type": "none"},
        "ulimits": [
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "nofile", "Soft": FILES, "Hard": FILES},
            {"Name": "nproc", "Soft": 4096, "Hard": 4096},
        ],
    }


def _config(preload: Sequence[str]) -> dict[str, Any]:
    return {
        "root": ROOT,
        "wipe": [ROOT, "/tmp", "/dev/shm", "/dev/mqueue"],  # noqa: S108
        "confine": "engine",
        "memory_mb": MEMORY_MB,
        "disk_mb": FOLDER_MB,
        "site": [],
        "preload": list(preload),
        "environment": _ENVIRONMENT,
        "idle_seconds": IDLE_SECONDS,
    }


_reaping = threading.Lock()
_reaped: set[str] = set()


def _reap_once(client: APIClient, address: str) -> None:
    """Before the first container of this process, remove those of dead ones."""
    with _reaping:
        if address in _reaped:
            return
        _reaped.add(address)
    reaper.reap(client)
