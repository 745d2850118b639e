"""A real sandbox for the tools that need one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_mint.errors import UserError
from pytest_mint.sandbox import open_sandbox
from pytest_mint.sandbox.base import Sandbox


@contextmanager
def opened() -> Iterator[Sandbox]:
    """The sandbox that a user of this machine would get, with sympy loaded."""
    try:
        sandbox = open_sandbox("cage", size=2, preload=("sympy",))
    except UserError as reason:
        if os.environ.get("MINT_REQUIRE_E2E") == "1":
            raise
        pytest.skip(str(reason))
    try:
        yield sandbox
    finally:
        sandbox.close()
