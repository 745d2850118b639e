"""Data and engines that some tests need, and what happens where they are missing."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest


def need(path: str | Path | None, what: str) -> Path:
    """The path if it is there; otherwise skip, or fail under MINT_REQUIRE_E2E=1."""
    if path is not None and Path(path).exists():
        return Path(path)
    where = f" at {path}" if path is not None else ""
    _lack(f"{what} is not here{where}")


def need_module(name: str, install: str) -> None:
    """Skip where a package is missing, or fail under MINT_REQUIRE_E2E=1."""
    if find_spec(name) is None:
        _lack(f"{name} is not installed: {install}")


def _lack(reason: str) -> NoReturn:
    if os.environ.get("MINT_REQUIRE_E2E") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def pack() -> Path | None:
    """The folder of the recorded MINT episodes, if the environment names one."""
    named = os.environ.get("MINT_PACK")
    return Path(named) if named else None
