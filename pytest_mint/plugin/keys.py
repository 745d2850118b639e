"""From the id of a test back to the task that it plays."""

from __future__ import annotations

import re
from collections.abc import Container

from pytest_mint.words import CATEGORIES

_KEY = re.compile(rf"\[(?:.*-)?((?:{'|'.join(CATEGORIES)})/[^\]]*)\]$")


def key_of(test: str) -> str:
    """The part of a test's id that names its task, with whatever parameters follow.

    Args:
        test: a node id such as ``tasks/test_mint.py::test_mint[coding/merge]``.
    """
    found = _KEY.search(test)
    return found[1] if found else test


def task_of(test: str, tasks: Container[str]) -> str | None:
    """The key of the test's task, None if it is none of these."""
    key = key_of(test)
    while key not in tasks:
        key, dash, _ = key.rpartition("-")
        if not dash:
            return None
    return key
