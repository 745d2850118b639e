"""A project of a user: a few tasks, the two-line test, and a way to run pytest."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

# pytester forgets what an inner session imports; what is here already is kept, and
# saves every test some seconds.
import pytest_mint.graders.numbers
import pytest_mint.player
import pytest_mint.plugin.playing
import pytest_mint.plugin.watching
import pytest_mint.report.text  # noqa: F401

TEST = "def test_mint(mint_episode):\n    mint_episode.assert_solved()\n"
HINTS = {"vague": "Add.", "specific": "Add both numbers.", "direct": "It is 5."}


def a_task(name: str, expected: int = 5, **fields: Any) -> dict[str, Any]:
    """A task that the oracle solves at turn 1."""
    return {
        "id": name,
        "input": f"Task {name}: what is 2 plus 3? Give a number.",
        "expected_output": expected,
        "hints": HINTS,
        "solution": [{"answer": str(expected)}],
        **fields,
    }


def at_turn(turn: int, expected: int = 5) -> dict[str, Any]:
    """A solution that is right at this turn only."""
    wrong = [{"answer": "1"}] * (turn - 1)
    return {"solution": [*wrong, {"answer": str(expected)}]}


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("MINT_") or name == "PYTEST_ADDOPTS":
            monkeypatch.delenv(name)
    # The outer session may have imported a test of the same name from elsewhere.
    monkeypatch.delitem(sys.modules, "test_mint", raising=False)


@pytest.fixture
def write_tasks(pytester: pytest.Pytester) -> Callable[..., Path]:
    """Write tasks of a category: ``write_tasks("science", a_task("a"), file="b")``."""

    def write(category: str, *tasks: dict[str, Any], file: str = "some") -> Path:
        path = pytester.path / "tasks" / category / f"{file}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(list(tasks)), encoding="utf-8")
        return path

    (pytester.path / "tasks").mkdir()
    (pytester.path / "tasks" / "test_mint.py").write_text(TEST, encoding="utf-8")
    return write


@pytest.fixture
def project(
    pytester: pytest.Pytester, write_tasks: Callable[..., Path]
) -> pytest.Pytester:
    """Four tasks of two categories, solved by the oracle at turns 1, 2, 3 and never."""
    write_tasks(
        "reasoning",
        a_task("first"),
        a_task("second", **at_turn(2)),
        a_task("third", **at_turn(3)),
    )
    write_tasks("science", a_task("never", solution=[{"answer": "1"}]))
    return pytester


def summary_of(pytester: pytest.Pytester, name: str = "out.json") -> dict[str, Any]:
    """What --mint-json wrote."""
    data: dict[str, Any] = json.loads((pytester.path / name).read_text())
    return data


def the_run(pytester: pytest.Pytester) -> Path:
    """The folder of the only run."""
    (run,) = (pytester.path / ".mint" / "runs").iterdir()
    return run
