"""Containers whose owner is gone.

A running worker ends when its owner does. A container that was created and never
started cannot: if its owner is killed in between, the next session removes it.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from pytest_mint.sandbox.owner import is_dead

if TYPE_CHECKING:
    from docker import APIClient

LABEL = "org.pytest-mint.owner"

#: Of containers of other machines only the age is known, in seconds.
MAX_AGE = 24 * 3600


def reap(client: APIClient) -> int:
    """Remove the containers of dead owners; how many there were."""
    from docker.errors import DockerException

    removed = 0
    try:
        found = client.containers(all=True, filters={"label": LABEL})
    except DockerException:
        return 0  # creating one will say why
    for container in found:
        owner = (container.get("Labels") or {}).get(LABEL, "")
        old = time.time() - float(container.get("Created") or 0) > MAX_AGE
        if is_dead(owner) or old:
            with contextlib.suppress(DockerException):  # another one was faster
                client.remove_container(container["Id"], force=True, v=True)
                removed += 1
    return removed
