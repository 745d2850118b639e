"""The sandboxes that the tests run in, each opened once for a test module."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_mint.errors import UserError
from pytest_mint.sandbox import open_sandbox
from pytest_mint.sandbox.base import Sandbox


@contextmanager
def opened(kind: str, size: int = 2) -> Iterator[Sandbox]:
    """A sandbox of this kind; where there is none the test skips, or fails under
    MINT_REQUIRE_E2E=1."""
    try:
        sandbox = open_sandbox(kind, size=size)
    except UserError as problem:
        if os.environ.get("MINT_REQUIRE_E2E") == "1":
            pytest.fail(str(problem), pytrace=False)
        pytest.skip(str(problem))
    try:
        yield sandbox
    finally:
        sandbox.close()
