from __future__ import annotations

import json
from decimal import Decimal

from pytest_mint.results.gates import decide, parse_gate
from pytest_mint.results.intervals import wilson
from pytest_mint.results.paired import paired_difference
from pytest_mint.results.plan import Results
from pytest_mint.results.prices import Price
from pytest_mint.results.summary import summary
from pytest_mint.words import CATEGORIES
from tests.results.build import result, results_of, sample


def intervals(hits, total):
    return [list(wilson(n, total)) for n in hits]


def test_the_summary_of_the_sample_is_what_was_counted_by_hand():
    results = sample()
    gates = [decide(parse_gate(text), results) for text in ("hur>=0.58", "coverage>0")]
    price = Price(Decimal(1), Decimal(2), Decimal("0.5"), "test")
    found = summary(
        results,
        model="claude-2",
        decisions=gates,
        prices={"agent": price, "hints": None},
    )
    by_category = found["hur"]["by_category"]
    assert {
        name: (hur["rescued"], hur["failed_ef"]) for name, hur in by_category.items()
    } == {
        "reasoning": (1, 2),
        "coding": (2, 2),
        "science": (1, 1),
    }
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found == {
        "schema": 1,
        "model": "claude-2",
        "interrupted": False,
        "max_turns": 5,
        "verdict_arm": "ef",
        "collected": 16,
        "not_applicable": {"a judge": 2},
        "scheduled": 14,
        "coverage": 11 / 14,
        "arms": {
            "ef": {
                "tasks": 12,
                "solved": 6,
                "success_at": [2 / 12, 3 / 12, 4 / 12, 5 / 12, 6 / 12],
                "intervals": intervals([2, 3, 4, 5, 6], 12),
                "solved_later": 0,
                "by_category": {
                    "reasoning": {
                        "tasks": 5,
                        "solved": 3,
                        "success_at": [0.2, 0.4, 0.6, 0.6, 0.6],
                    },
                    "coding": {
                        "tasks": 5,
                        "solved": 2,
                        "success_at": [0.0, 0.0, 0.0, 0.2, 0.4],
                    },
                    "science": {
                        "tasks": 2,
                        "solved": 1,
                        "success_at": [0.5, 0.5, 0.5, 0.5, 0.5],
                    },
                },
                "by_dataset": {},
            },
            "nlf": {
                "tasks": 11,
                "solved": 9,
                "success_at": [2 / 11, 4 / 11, 6 / 11, 8 / 11, 9 / 11],
                "intervals": intervals([2, 4, 6, 8, 9], 11),
                "solved_later": 0,
                "by_category": {
                    "reasoning": {
                        "tasks": 5,
                        "solved": 4,
                        "success_at": [0.2, 0.4, 0.6, 0.8, 0.8],
                    },
                    "coding": {
                        "tasks": 5,
                        "solved": 4,
                        "success_at": [0.2, 0.2, 0.4, 0.6, 0.8],
                    },
                    "science": {
                        "tasks": 1,
                        "solved": 1,
                        "success_at": [0.0, 1.0, 1.0, 1.0, 1.0],
                    },
                },
                "by_dataset": {},
            },
        },
        "hur": {
            "failed_ef": 5,
            "rescued": 4,
            "hurt": 1,
            "rate": 0.8,
            "interval": list(wilson(4, 5)),
            "by_level": {"vague": 1, "specific": 1, "direct": 1, "none": 1},
            "without_direct": 0.6,
            "difference": {
                "tasks": 10,
                "better": 4,
                "worse": 1,
                "rate": 0.3,
                "interval": list(paired_difference(4, 1, 10)),
                "p": 0.375,
                "tells": False,
            },
            "by_category": by_category,
        },
        "missing": [
            {
                "task": "coding/c5",
                "arm": "ef",
                "outcome": "provider_error",
                "reason": "provider_error here",
            },
            {
                "task": "coding/c6",
                "arm": "nlf",
                "outcome": "grader_error",
                "reason": "grader_error here",
            },
            {
                "task": "science/s3",
                "arm": "ef",
                "outcome": "cancelled",
                "reason": "not played",
            },
            {
                "task": "science/s3",
                "arm": "nlf",
                "outcome": "cancelled",
                "reason": "not played",
            },
        ],
        "gates": [
            {
                "gate": "hur>=0.58",
                "state": "INCONCLUSIVE",
                "value": 0.8,
                "worst": 4 / 7,
                "best": 0.875,
                "why": "3 tasks without a result could turn it",
            },
            {
                "gate": "coverage>0",
                "state": "PASS",
                "value": 11 / 14,
                "worst": 11 / 14,
                "best": 11 / 14,
                "why": "",
            },
        ],
        "controls": {},
        "hints": {"leaked": 0, "replaced": 0},
        "cost": {
            "items": {
                "agent": {
                    "prompt": 6200,
                    "completion": 620,
                    "cached": 0,
                    "seconds": 0.0,
                    "usd": 0.00744,
                },
                "hints": {
                    "prompt": 300,
                    "completion": 30,
                    "cached": 0,
                    "seconds": 0.0,
                    "usd": None,
                },
            },
            "usd": None,
            "hints_share": None,
            "hinting_usd": None,
            "additional": 3,
            "usd_per_additional_task": None,
            "prices": {
                "agent": {
                    "prompt": 1.0,
                    "completion": 2.0,
                    "cached": 0.5,
                    "source": "test",
                }
            },
        },
    }


def test_what_has_no_denominator_is_null():
    found = summary(results_of([], {"coding/a": ("ef", "nlf")}), model="m")
    arm = found["arms"]["nlf"]
    assert (arm["tasks"], arm["solved"], found["coverage"]) == (0, 0, 0)
    assert arm["success_at"] == arm["intervals"] == [None] * 5
    assert arm["by_category"]["coding"]["success_at"] == [None] * 5
    assert found["hur"]["rate"] is found["hur"]["interval"] is None
    assert summary(results_of([]), model="m")["coverage"] is None


def test_an_arm_that_was_not_scheduled_is_left_out():
    found = summary(results_of([result("coding/a", {"ef": 1})]), model="m")
    assert list(found["arms"]) == ["ef"]


def test_datasets_are_listed_by_name_and_unlabelled_hints_apart():
    hints = {1: "", 2: ""}
    played = [
        result("reasoning/m", {"ef": "empty", "nlf": 2}, dataset="math", hints=hints),
        result("coding/h", {"ef": 2, "nlf": 2}, dataset="humaneval", hints=hints),
    ]
    found = summary(results_of(played), model="m")
    assert list(found["arms"]["ef"]["by_dataset"]) == ["humaneval", "math"]
    assert found["arms"]["nlf"]["by_dataset"]["math"] == {
        "tasks": 1,
        "solved": 1,
        "success_at": [0.0, 1.0, 1.0, 1.0, 1.0],
    }
    assert found["hur"]["by_level"]["unlabelled"] == 1
    assert "none" not in found["hur"]["by_level"]


def test_categories_stand_in_the_order_of_the_vocabulary():
    played = [result(f"{name}/a", {"ef": 1}) for name in sorted(CATEGORIES)]
    found = summary(results_of(played), model="m")
    assert tuple(found["arms"]["ef"]["by_category"]) == CATEGORIES


def test_a_success_after_turn_five_is_counted_apart():
    played = [result("coding/a", {"ef": 6}, turns=8)]
    found = summary(results_of(played, max_turns=8), model="m")
    assert found["max_turns"] == 8
    assert found["arms"]["ef"]["solved"] == 0
    assert found["arms"]["ef"]["solved_later"] == 1


def test_a_lost_task_is_missing_with_its_reason():
    planned = results_of([], {"coding/a": ("ef",), "coding/b": ("ef",)}).plan
    results = Results(
        planned, interrupted=True, lost={"coding/b": "worker gw1 crashed"}
    )
    found = summary(results, model="m")
    assert found["interrupted"] is True
    assert [(one["task"], one["reason"]) for one in found["missing"]] == [
        ("coding/a", "not played"),
        ("coding/b", "worker gw1 crashed"),
    ]


def test_a_control_has_its_own_arm_and_its_net():
    ends = {"ef": "unsolved", "nlf": 3, "placebo": "unsolved"}
    found = summary(results_of([result("coding/a", ends)]), model="m")
    assert found["arms"]["placebo"]["solved"] == 0
    control = found["controls"]["placebo"]
    assert (control["failed_ef"], control["rescued"], control["rate"]) == (1, 0, 0.0)
    assert (control["net"]["better"], control["net"]["worse"]) == (1, 0)
    assert control["net"]["rate"] == 1.0


def test_published_numbers_are_there_where_they_were_asked_for():
    assert "published" not in summary(sample(), model="m")
    found = summary(sample(), model="m", compared="gpt-4")
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["published"]
