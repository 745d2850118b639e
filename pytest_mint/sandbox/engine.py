"""Finding a container engine: Docker by environment, context or socket, or Podman."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mint.errors import UserError

if TYPE_CHECKING:
    from docker import APIClient

_PROBE_SECONDS = 2.0
TIMEOUT_SECONDS = 60


def connect(address: str = "") -> APIClient:
    """A client of the engine, of its own connection.

    Args:
        address: as ``find`` returned it; looked for when empty.

    Raises:
        UserError: no engine answers.
    """
    address = address or find()
    if address.startswith("unix://") and not _answers(Path(address[7:])):
        raise UserError(f"no container engine answers at {address}")
    import docker
    from docker.errors import DockerException

    try:
        if address == os.environ.get("DOCKER_HOST"):  # with its certificates
            return docker.from_env(version="auto", timeout=TIMEOUT_SECONDS).api
        return docker.APIClient(
            base_url=address,
            tls=_context_certificates(address),
            version="auto",
            timeout=TIMEOUT_SECONDS,
        )
    except DockerException as problem:
        raise UserError(
            f"no container engine answers at {address}: {problem}"
        ) from problem


def find() -> str:
    """The address of the engine that the user's tools would talk to.

    ``DOCKER_HOST`` decides, then the chosen context, then the usual sockets.

    Raises:
        UserError: there is none.
    """
    if chosen := os.environ.get("DOCKER_HOST"):
        return chosen
    if chosen := _context_address():
        return chosen
    places = _sockets()
    for path in places:
        if _answers(path):
            return f"unix://{path}"
    looked = ", ".join(map(str, places))
    raise UserError(f"no container engine answers (DOCKER_HOST is not set; {looked})")


def _sockets() -> list[Path]:
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{_user()}")
    return [
        Path("/var/run/docker.sock"),
        runtime / "docker.sock",
        Path.home() / ".docker/run/docker.sock",
        runtime / "podman/podman.sock",
        Path("/run/podman/podman.sock"),
    ]


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _answers(path: Path) -> bool:
    """Whether somebody listens; asked before the client's slow import."""
    if not path.exists() or not hasattr(socket, "AF_UNIX"):
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PROBE_SECONDS)
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def _context_name() -> str:
    if named := os.environ.get("DOCKER_CONTEXT"):
        return named
    folder = Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        return str(config.get("currentContext", ""))
    except (OSError, ValueError, AttributeError):
        return ""


def _context() -> Any:
    """The chosen context, None where it is the default one."""
    name = _context_name()
    if name in ("", "default"):
        return None
    from docker.context import ContextAPI

    found = ContextAPI.get_context(name)
    if found is None:
        raise UserError(f"there is no docker context {name!r}; see docker context ls")
    return found


def _context_address() -> str:
    found = _context()
    return str(found.Host) if found is not None else ""


def _context_certificates(address: str) -> Any:
    found = _context()
    if found is None or found.Host != address or not found.TLSConfig:
        return False
    return found.TLSConfig
