"""The dispatch: which grader judges, and what becomes of errors."""

from __future__ import annotations

import pytest

import pytest_mint.graders as graders
from pytest_mint.errors import GraderError, SandboxError
from pytest_mint.graders import Proposal, grade
from pytest_mint.tasks.graderspec import KINDS
from tests.graders.test_numbers import number_task


def test_every_kind_has_a_grader():
    kinds = {kind for kinds in KINDS.values() for kind in kinds}
    assert kinds == set(graders._GRADERS)


def test_a_grader_that_is_not_there_yet_is_named(monkeypatch):
    monkeypatch.setitem(graders._GRADERS, "number", ("no_such_module", "grade"))
    with pytest.raises(GraderError, match="'number' cannot be graded"):
        grade(number_task(5), Proposal("5"))


def test_an_unexpected_error_names_the_task(monkeypatch):
    def broken(task, proposal):
        raise KeyError("lost")

    monkeypatch.setattr("pytest_mint.graders.numbers.grade_number", broken)
    with pytest.raises(GraderError, match=r"reasoning/a-number .*KeyError.*lost"):
        grade(number_task(5), Proposal("5"))


def test_missing_data_stay_what_they_are(monkeypatch):
    def broken(task, proposal):
        raise SandboxError("no engine")

    monkeypatch.setattr("pytest_mint.graders.numbers.grade_number", broken)
    with pytest.raises(SandboxError, match="no engine"):
        grade(number_task(5), Proposal("5"))


def test_the_rule_that_found_the_answer_is_kept():
    assert grade(number_task(5), Proposal("\\boxed{5}")).rule == "boxed"
    assert grade(number_task(5), Proposal("x" * 1000)).rule == "none"
