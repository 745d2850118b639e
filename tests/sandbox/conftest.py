"""The sandbox fixture: every test that uses it runs in each kind there is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_mint.sandbox.base import Interpreter, Sandbox
from tests.sandbox.kinds import opened

KINDS = ("cage", "unsafe", "docker")


@pytest.fixture(scope="module", params=KINDS)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with opened(request.param) as found:
        yield found


@pytest.fixture
def interpreter(sandbox: Sandbox) -> Iterator[Interpreter]:
    found = sandbox.open(seed=7)
    yield found
    found.close()
