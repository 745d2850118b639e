"""The shared grading cases, for tests that run one after the other."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from pytest_mint.graders.cases import Case, grade_case, read_cases
from tests.needs import need, pack

HINTS = {"vague": "Look again.", "specific": "One step is off.", "direct": "As above."}


def load_cases(name: str, categories: Collection[str]) -> list[Any]:
    """The cases of ``grading`` or ``choices`` in these categories, one param each.

    Where the data are missing there is one param, whose case is None: the test skips
    or fails by ``need``.
    """
    folder = pack()
    path = folder.parent / "cases" / f"{name}.jsonl" if folder else None
    if path is None or not path.exists():
        return [pytest.param(None, id="no-cases")]
    chosen = [case for case in read_cases(path) if case.category in categories]
    return [pytest.param(case, id=case.id) for case in chosen]


def assert_right(case: Case | None, sandbox: Any = None) -> None:
    """The case gets the verdict that it must get."""
    if case is None:
        need(pack(), "the pack of recorded episodes, with the grading cases beside it")
        pytest.fail("the pack is here, the grading cases beside it are not")
    graded = grade_case(case, sandbox=(lambda: sandbox) if sandbox else None)
    assert graded.agrees, f"{case.right} expected, {graded.got}: {graded.reason}"
