"""Data and engines that some tests need, and what happens where they are missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def need(path: str | Path | None, what: str) -> Path:
    """The path if it is there; otherwise skip, or fail under MINT_REQUIRE_E2E=1."""
    if path is not None and Path(path).exists():
        return Path(path)
    where = f" at {path}" if path is not None else ""
    reason = f"{what} is not here{where}"
    if os.environ.get("MINT_REQUIRE_E2E") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def pack() -> Path | None:
    """The folder of the recorded MINT episodes, if the environment names one."""
    named = os.environ.get("MINT_PACK")
    return Path(named) if named else None
