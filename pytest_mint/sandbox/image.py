"""The image that containers are made of.

Its name ends in the digest of the Dockerfile: another file, another image. Where a
registry can be reached the engine builds it; elsewhere it is put together from the
running interpreter, under the same name.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mint.errors import UserError
from pytest_mint.sandbox import engine

if TYPE_CHECKING:
    from docker import APIClient

REPOSITORY = "pytest-mint-sandbox"
PYTHON_LABEL = "org.pytest-mint.python"


def dockerfile() -> Path:
    """The Dockerfile: part of the installed package, or of the checkout."""
    here = Path(__file__)
    for path in (here.with_name("Dockerfile"), here.parents[2] / "docker/Dockerfile"):
        if path.exists():
            return path
    raise UserError("this installation has no Dockerfile: install pytest-mint again")


def default_name() -> str:
    """The name and tag of the bundled image."""
    digest = hashlib.sha256(dockerfile().read_bytes()).hexdigest()
    return f"{REPOSITORY}:{digest[:12]}"


def inspect(client: APIClient, name: str) -> dict[str, Any] | None:
    """What the engine knows about an image, None if it does not have it."""
    from docker.errors import ImageNotFound

    try:
        found: dict[str, Any] = client.inspect_image(name)
    except ImageNotFound:
        return None
    return found


def python_version(found: dict[str, Any]) -> str:
    """The Python of an image, as far as the image tells."""
    config = found.get("Config") or {}
    labels = config.get("Labels") or {}
    if PYTHON_LABEL in labels:
        return str(labels[PYTHON_LABEL])
    variables = dict(one.split("=", 1) for one in config.get("Env") or () if "=" in one)
    return str(variables.get("PYTHON_VERSION", ""))


def build(name: str = "") -> str:
    """Let the engine build the image; it pulls the base image if it has to.

    Returns:
        The image's name.

    Raises:
        UserError: no engine answers, or the build failed; with its last lines.
    """
    name = name or default_name()
    client = engine.connect()
    said: list[str] = []
    try:
        with dockerfile().open("rb") as file:
            for line in client.build(fileobj=file, tag=name, rm=True, decode=True):
                if "error" in line:
                    told = "".join(said[-10:])
                    raise UserError(
                        f"the image was not built: {line['error']}\n{told}"
                        "without a registry: pytest-mint image build --from-host"
                    )
                said.append(str(line.get("stream", "")))
    finally:
        client.close()
    return name


def build_from_host(name: str = "") -> str:
    """Put the image together from the running interpreter, without any download.

    Linux only: the standard library, the shared libraries that it needs, and numpy,
    sympy and mpmath where they are installed.

    Returns:
        The image's name.

    Raises:
        UserError: no engine answers, or this interpreter cannot be copied.
    """
    from docker.errors import DockerException

    from pytest_mint.sandbox import rootfs

    name = name or default_name()
    repository, _, tag = name.partition(":")
    client = engine.connect()
    try:
        with tempfile.TemporaryFile() as file:
            version = rootfs.write(file)
            file.seek(0)
            told = client.import_image_from_data(
                file,
                repository=repository,
                tag=tag,
                changes=[f"LABEL {PYTHON_LABEL}={version}", "USER 65534:65534"],
            )
        # Podman 4 gives every imported image the tag "latest".
        identity = json.loads(told.strip().splitlines()[-1])["status"]
        client.tag(identity, repository, tag)
    except DockerException as problem:
        raise UserError(f"the image was not made: {problem}") from problem
    finally:
        client.close()
    return name


def main() -> None:
    """Make the bundled image from this interpreter unless the engine has it."""
    client = engine.connect()
    try:
        found = inspect(client, default_name())
    finally:
        client.close()
    if found is None:
        build_from_host()


if __name__ == "__main__":
    main()
