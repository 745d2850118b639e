from __future__ import annotations

import json

import pytest

from pytest_mint.results.plan import Results, plan_from_data, plan_to_data
from tests.results.build import result, results_of, sample


def test_a_plan_survives_json():
    plan = sample().plan
    assert plan_from_data(json.loads(json.dumps(plan_to_data(plan)))) == plan


def test_three_counts():
    plan = sample().plan
    assert len(plan.collected) == 16
    assert len(plan.not_applicable) == 2
    assert len(plan.scheduled) == 14


def test_only_scheduled_arms_are_cells():
    cells = sample().cells
    assert len(cells) == 13 * 2 + 1
    assert [cell.arm for cell in cells if cell.task == "science/s2"] == ["ef"]


def test_what_was_not_played_is_cancelled():
    planned = results_of([], {"coding/a": ("ef", "nlf"), "coding/b": ("ef",)}).plan
    cells = Results(planned, lost={"coding/b": "worker gw0 crashed"}).missing
    assert {cell.outcome for cell in cells} == {"cancelled"}
    assert [cell.error for cell in cells] == [
        "not played",
        "not played",
        "worker gw0 crashed",
    ]


def test_an_arm_without_a_row_is_missing_though_the_other_was_played():
    half = results_of([result("coding/a", {"ef": 1})])
    planned = results_of([], {"coding/a": ("ef", "nlf")}).plan
    (missing,) = Results(planned, half.rows).missing
    assert missing.arm == "nlf"


def test_of_several_rows_of_a_task_the_last_counts():
    first = results_of([result("coding/a", {"ef": "unsolved"})])
    second = results_of([result("coding/a", {"ef": 1})])
    (cell,) = Results(first.plan, first.rows + second.rows).cells
    assert cell.solved


@pytest.mark.parametrize("ends", [{"nlf": 1}, {"ef": 1, "nlf": 1}])
def test_a_row_that_was_not_scheduled_is_refused(ends):
    planned = results_of([], {"coding/a": ("ef",)}).plan
    rows = results_of([result("coding/a", ends)]).rows
    with pytest.raises(ValueError, match="'nlf'] was played but not scheduled"):
        Results(planned, rows)


def test_a_row_of_a_task_that_is_not_applicable_is_refused():
    planned = results_of([], not_applicable={"coding/a": "a judge"}).plan
    with pytest.raises(ValueError, match="coding/a"):
        Results(planned, results_of([result("coding/a", {"ef": 1})]).rows)
