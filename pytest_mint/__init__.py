"""Multi-turn LLM benchmark tasks as pytest tests.

The library part is loaded at its first use, because pytest imports this package at
the start of every session.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mint.api import (
        MINTEvalResult,
        compute_hur,
        compute_k_turn_success,
        evaluate_multi_turn,
    )
    from pytest_mint.tasks.load import load_tasks
    from pytest_mint.tasks.model import Task

__version__ = "0.1.0"
__all__ = [
    "MINTEvalResult",
    "Task",
    "compute_hur",
    "compute_k_turn_success",
    "evaluate_multi_turn",
    "load_tasks",
]

_HOMES = {
    "Task": "pytest_mint.tasks.model",
    "load_tasks": "pytest_mint.tasks.load",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "pytest_mint.api")), name)
