"""Where model-written code runs. Importing this package costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_mint.errors import UserError

if TYPE_CHECKING:
    from pytest_mint.sandbox.base import Sandbox

CHOICES = ("auto", "docker", "cage", "unsafe")


def open_sandbox(
    choice: str = "auto",
    image: str = "",
    size: int = 4,
    preload: Sequence[str] = (),
) -> Sandbox:
    """The sandbox that was asked for; nothing is started before it is used.

    Args:
        choice: ``docker``, ``cage``, ``unsafe`` (no protection), or ``auto``: docker
            if an engine answers and has the image, else the cage.
        image: of the containers; the bundled one when empty.
        size: how many idle workers are kept, and how many graders' calls run at once.
        preload: modules that every interpreter finds imported.

    Raises:
        UserError: there is no such sandbox on this machine.
    """
    if choice not in CHOICES:
        raise UserError(
            f"no sandbox is called {choice!r}; there are {', '.join(CHOICES)}"
        )
    if choice == "docker":
        return _docker(image, size, preload)
    if choice == "unsafe":
        return _local("none", size, preload)
    from pytest_mint.sandbox.cage import why_not

    no_docker = ""
    if choice == "auto":
        try:
            return _docker(image, size, preload)
        except UserError as problem:
            no_docker = str(problem)
    reason = why_not()
    if not reason:
        return _local("cage", size, preload)
    if choice == "cage":
        raise UserError(f"{reason}; use a container engine (--mint-sandbox docker)")
    raise UserError(
        f"nowhere to run code: {no_docker}, and {reason}; start a container engine, or "
        "choose --mint-sandbox unsafe if you trust the code"
    )


def _local(confine: str, size: int, preload: Sequence[str]) -> Sandbox:
    import os
    import platform

    from pytest_mint.sandbox import cage
    from pytest_mint.sandbox.pooled import PooledSandbox

    if not hasattr(os, "fork"):
        raise UserError(
            "code runs in containers only on this system: use --mint-sandbox docker"
        )
    cage.sweep()
    return PooledSandbox(
        "unsafe" if confine == "none" else "cage",
        lambda: cage.start(confine, preload),
        size,
        {"python": platform.python_version()},
    )


def _docker(image: str, size: int, preload: Sequence[str]) -> Sandbox:
    from pytest_mint.sandbox.container import open_docker

    return open_docker(image, size, preload)
