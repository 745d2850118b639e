"""The context of a tool under test."""

from __future__ import annotations

from typing import Any, NoReturn

from pytest_mint.errors import SandboxError
from pytest_mint.tasks.model import Task
from pytest_mint.tools.base import Context


def context(hosts: tuple[str, ...] = (), **fields: Any) -> Context:
    """A context of a task that may read these hosts; no interpreter unless given."""
    task = Task.model_validate(
        {
            "id": "example",
            "category": "reasoning",
            "input": "How many?",
            "expected_output": 7,
            "hints": {"vague": "a", "specific": "b", "direct": "c"},
            "hosts": hosts,
        }
    )
    return Context(task, **{"interpreter": _none, **fields})


def _none() -> NoReturn:
    raise SandboxError("no interpreter in this test")
