"""--mint-limit: an even sample, the same each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from pytest_mint.choosing import sample
from tests.bundled import TASKS
from tests.plugin.conftest import a_task, summary_of


@pytest.fixture
def many(pytester: pytest.Pytester, write_tasks: Callable[..., object]):
    write_tasks("reasoning", *(a_task(f"r{n}") for n in range(9)))
    write_tasks("science", *(a_task(f"s{n}") for n in range(4)))
    story = {"expected_output": None, "rubric": "Is it good?", "checks": []}
    write_tasks("creative_writing", *(a_task(f"c{n}", **story) for n in range(5)))
    return pytester


def played(project: pytest.Pytester, *args: str) -> list[str]:
    result = project.runpytest("--mint-model=nop", "-v", *args)
    return sorted(
        line.split("[")[1].split("]")[0]
        for line in result.outlines
        if "test_mint[" in line and " UNSOLVED" in line
    )


def test_the_sample_is_even_over_what_can_be_played(many: pytest.Pytester) -> None:
    found = played(many, "--mint-limit=6")
    # Nobody judges here, so creative_writing is not worth a place.
    categories = Counter(key.split("/")[0] for key in found)
    assert categories == {"reasoning": 3, "science": 3}
    assert played(many, "--mint-limit=6") == found
    assert set(played(many, "--mint-limit=4")) < set(found)


def test_a_category_that_is_used_up_leaves_its_places(many: pytest.Pytester) -> None:
    categories = Counter(k.split("/")[0] for k in played(many, "--mint-limit=11"))
    assert categories == {"reasoning": 7, "science": 4}
    assert len(played(many, "--mint-limit=99")) == 13


def test_the_limit_is_of_what_was_selected(many: pytest.Pytester) -> None:
    found = played(many, "--mint-limit=3", "-k", "science")
    assert len(found) == 3
    assert all(key.startswith("science/") for key in found)


def test_what_is_left_out_is_deselected_and_in_no_count(many: pytest.Pytester) -> None:
    result = many.runpytest(
        "--mint-model=nop", "--mint-limit=2", "--mint-json=out.json"
    )
    result.stdout.fnmatch_lines(["mint: at most 2 of 18 tasks, *"])
    result.stdout.fnmatch_lines(["*2 failed, 16 deselected*"])
    found = summary_of(many)
    assert (found["collected"], found["scheduled"]) == (2, 2)


def test_tests_that_share_a_task_stay_together(many: pytest.Pytester) -> None:
    (many.path / "tasks" / "test_mint.py").write_text(
        "def test_one(mint_episode): pass\ndef test_two(mint_episode): pass\n"
    )
    result = many.runpytest("--mint-model=nop", "--mint-limit=2")
    result.assert_outcomes(passed=4, deselected=32)


def test_every_worker_takes_the_same_sample(many: pytest.Pytester) -> None:
    args = ("--mint-model=nop", "--mint-limit=5", "--mint-json=out.json")
    seen = []
    for workers in ("-n0", "-n2"):
        many.runpytest_subprocess(*args, workers)
        seen.append(summary_of(many)["arms"])
    assert seen[0] == seen[1]
    assert seen[0]["ef"]["tasks"] == 5


@pytest.mark.parametrize("limit", [1, 5, 8, 13, 24])
def test_a_sample_of_the_bundled_tasks(limit: int) -> None:
    found = sample(TASKS, limit)
    assert len(found) == limit
    counts = Counter(key.split("/")[0] for key in found)
    assert max(counts.values()) <= -(-limit // 8)
    assert found == sample(reversed(TASKS), limit)


def test_a_new_task_moves_none_of_the_others() -> None:
    fewer = sample(TASKS[1:], 8)
    assert len(fewer & sample(TASKS, 8)) >= 7
