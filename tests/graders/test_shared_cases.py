"""The shared cases of all graders but the one of programs, each with its verdict."""

from __future__ import annotations

import pytest

from pytest_mint.words import CATEGORIES
from tests.graders.cases import assert_right, load_cases

#: Programs are judged where the sandboxes are.
IN_PROCESS = tuple(category for category in CATEGORIES if category != "coding")


@pytest.mark.parametrize("case", load_cases("grading", IN_PROCESS))
def test_grading_case(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_right(case)
    assert not list(tmp_path.iterdir()), "the answer was run"


@pytest.mark.parametrize("case", load_cases("choices", IN_PROCESS))
def test_choice(case):
    assert_right(case)
