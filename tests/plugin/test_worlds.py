"""Sessions with tasks that are played in a world, in one process and in workers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

import pytest_mint.graders.state
import pytest_mint.tools.world  # noqa: F401 (kept over inner sessions)
from tests.graders.cases import HINTS
from tests.plugin.conftest import summary_of
from tests.tools.shop import FORBIDDEN, GOAL, shop


def _task(name: str, *shelves: int) -> dict[str, Any]:
    moves = zip(("tin", "jar"), shelves, strict=False)
    calls = [
        {"tool": "move", "arguments": {"thing": thing, "shelf": shelf}}
        for thing, shelf in moves
    ]
    return {
        "id": name,
        "input": f"Task {name}: tidy up.",
        "hints": HINTS,
        "world": "shop",
        "goal": GOAL,
        "forbidden": FORBIDDEN,
        "solution": [{"calls": [{"tool": "look"}]}, {"calls": calls}],
    }


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_worlds_of_a_project_are_played_in(
    pytester: pytest.Pytester, write_tasks: Callable[..., Any], workers: tuple[str, ...]
) -> None:
    write_tasks("decision_making", _task("both", 7, 8), _task("one", 7))
    (pytester.path / "tasks" / "worlds").mkdir()
    file = pytester.path / "tasks" / "worlds" / "shop.yaml"
    file.write_text(yaml.safe_dump(shop(), sort_keys=False), "utf-8")
    result = pytester.runpytest(
        *("--mint-model", "oracle", "--mint-json", "out.json"), *workers
    )
    result.assert_outcomes(passed=1, failed=1)
    found = json.dumps(summary_of(pytester))
    assert "grader_error" not in found


def test_a_wrong_world_is_told_before_anything_is_played(
    pytester: pytest.Pytester, write_tasks: Callable[..., Any]
) -> None:
    write_tasks("decision_making", _task("both", 7, 8))
    (pytester.path / "tasks" / "worlds").mkdir()
    file = pytester.path / "tasks" / "worlds" / "shop.yaml"
    file.write_text(yaml.safe_dump(shop(name="store")), "utf-8")
    result = pytester.runpytest("--mint-model", "oracle")
    assert result.ret != 0
    told = "\n".join([*result.outlines, *result.errlines])
    assert f"{file}: name: 'store': expected shop, as the file is called" in told
