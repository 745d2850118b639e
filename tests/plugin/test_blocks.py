"""Which worker gets which tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.plugin.blocks import deal, share
from pytest_mint.plugin.keys import key_of, task_of

KEYS = st.lists(st.integers(0, 5).map(str), max_size=60).map(sorted)


@given(KEYS, st.integers(1, 12))
def test_blocks_are_contiguous_and_whole(keys: list[str], workers: int) -> None:
    blocks = deal(keys, workers)
    assert len(blocks) == workers
    assert [n for block in blocks for n in block] == list(range(len(keys)))


@given(KEYS, st.integers(1, 12))
def test_tests_of_one_episode_are_never_parted(keys: list[str], workers: int) -> None:
    owners: dict[str, set[int]] = {}
    for owner, block in enumerate(deal(keys, workers)):
        for place in block:
            owners.setdefault(keys[place], set()).add(owner)
    assert all(len(of_one) == 1 for of_one in owners.values())


@given(st.integers(0, 1000), st.integers(1, 16))
def test_blocks_of_single_tests_differ_by_one_at_most(n: int, workers: int) -> None:
    sizes = [len(block) for block in deal([str(i) for i in range(n)], workers)]
    assert max(sizes) - min(sizes) <= 1


@given(st.integers(0, 1000), st.integers(1, 16))
def test_shares_add_up(total: int, workers: int) -> None:
    shares = [share(total, workers, place) for place in range(workers)]
    assert sum(shares) == total
    assert max(shares) - min(shares) <= 1


@pytest.mark.parametrize(
    ("test", "key"),
    [
        ("tasks/test_mint.py::test_mint[coding/merge]", "coding/merge"),
        ("a.py::T::test_x[coding/merge-fast-2]", "coding/merge-fast-2"),
        ("a.py::test_x[2-tool_use/refund]", "tool_use/refund"),
        ("a.py::test_other", "a.py::test_other"),
    ],
)
def test_the_key_is_in_the_id(test: str, key: str) -> None:
    assert key_of(test) == key


@pytest.mark.parametrize(
    ("test", "task"),
    [
        ("a.py::t[coding/merge]", "coding/merge"),
        ("a.py::t[coding/merge-x-1]", "coding/merge-x"),
        ("a.py::t[coding/merge-y]", "coding/merge"),
        ("a.py::t[coding/split]", None),
        ("a.py::t", None),
    ],
)
def test_the_task_is_the_longest_that_fits(test: str, task: str | None) -> None:
    assert task_of(test, {"coding/merge", "coding/merge-x"}) == task
