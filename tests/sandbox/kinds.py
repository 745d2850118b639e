"""The sandboxes that the tests run in, each opened once for a test module."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest

from pytest_mint.errors import UserError
from pytest_mint.sandbox import cage, container, engine, image, open_sandbox
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.sandbox.worker_client import Worker


def missing(reason: str) -> NoReturn:
    """Skip the test, or let it fail under MINT_REQUIRE_E2E=1."""
    if os.environ.get("MINT_REQUIRE_E2E") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@contextmanager
def opened(kind: str, size: int = 2) -> Iterator[Sandbox]:
    """A sandbox of this kind, if there is one here."""
    try:
        sandbox = open_sandbox(kind, size=size)
    except UserError as problem:
        missing(str(problem))
    try:
        yield sandbox
    finally:
        sandbox.close()


def started(kind: str) -> Worker:
    """One worker of this kind, for tests of the worker itself."""
    if kind != "docker":
        return cage.start("none" if kind == "unsafe" else kind)
    try:
        address = engine.find()
        client = engine.connect(address)
        try:
            found = image.inspect(client, image.default_name())
        finally:
            client.close()
    except UserError as problem:
        missing(str(problem))
    if found is None:
        missing(f"the engine has no image {image.default_name()}")
    return container.start(address, str(found["Id"]))
