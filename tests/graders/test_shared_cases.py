"""The shared cases for numbers, each with the verdict it must get."""

from __future__ import annotations

import pytest

from tests.graders.cases import load_cases, verdict_of
from tests.needs import need, pack

CATEGORIES = ("reasoning", "science")


@pytest.mark.parametrize("case", load_cases("grading", CATEGORIES))
def test_grading_case(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_right(case)
    assert not list(tmp_path.iterdir()), "the answer was run"


@pytest.mark.parametrize("case", load_cases("choices", CATEGORIES))
def test_choice(case):
    assert_right(case)


def assert_right(case):
    if case is None:
        need(pack(), "the pack of recorded episodes, with the grading cases beside it")
        pytest.fail("the pack is here, the grading cases beside it are not")
    verdict = verdict_of(case)
    got = "error" if verdict is None else verdict.solved
    assert got == case["right"], f"{case['why']} {verdict}"
