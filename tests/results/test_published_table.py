from __future__ import annotations

import json

import pytest

from pytest_mint.errors import UserError
from pytest_mint.results.published import (
    Beside,
    beside,
    compare,
    names,
    published,
    study,
)
from pytest_mint.words import CATEGORIES
from tests.programs import run_python
from tests.results.build import result, results_of, sample

TABLE = [
    ("gpt-4", 56.2, 68.7, 74.3, 5.6, 65.8),
    ("gpt-3.5-turbo", 38.4, 52.1, 61.8, 9.7, 48.3),
    ("claude-2", 47.6, 61.3, 68.9, 7.6, 57.2),
    ("llama-2-70b", 28.3, 39.7, 48.2, 8.5, 35.6),
    ("codellama-34b", 35.1, 48.6, 55.4, 6.8, None),
    ("mistral-7b", 22.7, 33.4, 42.1, 8.7, None),
]


def test_every_model_is_in_the_table():
    assert names() == tuple(row[0] for row in TABLE)


@pytest.mark.parametrize(("name", "turn1", "ef", "nlf", "gain", "hur"), TABLE)
def test_the_numbers_are_the_published_ones(name, turn1, ef, nlf, gain, hur):
    found = published(name)
    rates = (found.turn1, found.ef, found.nlf, found.gain)
    assert rates == tuple(round(x / 100, 6) for x in (turn1, ef, nlf, gain))
    assert found.hur == (None if hur is None else round(hur / 100, 6))
    assert found.nlf - found.ef == pytest.approx(found.gain)


def test_gpt_4_also_has_a_curve_and_categories():
    found = published("gpt-4")
    assert found.by_turn == (0.562, 0.631, 0.668, 0.682, 0.687)
    assert (found.by_turn[0], found.by_turn[-1]) == (found.turn1, found.ef)
    assert tuple(found.by_category) == CATEGORIES
    assert list(found.by_category.values()) == [
        0.713,
        0.824,
        0.587,
        0.792,
        0.681,
        0.645,
        0.853,
        0.76,
    ]
    assert published("claude-2").by_turn == ()
    assert published("claude-2").by_category == {}


def test_the_study_has_598_tasks_and_a_source():
    assert study().total == 598
    assert tuple(study().tasks) == CATEGORIES
    assert (study().human_agreement, study().hints_cost) == (0.923, 0.4)
    assert "2309.10691" in study().source


@pytest.mark.parametrize("name", [row[0] for row in TABLE if row[-1]])
def test_hur_as_published_is_far_from_what_the_gain_implies(name):
    found = published(name)
    assert found.hur is not None
    assert found.hur > 2 * found.implied


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("gpt-5", "; did you mean 'gpt-4'?"),
        ("GPT-4", "; did you mean 'gpt-4'?"),
        ("claude2", "; did you mean 'claude-2'?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_a_model_without_published_results_is_named(name, hint):
    with pytest.raises(UserError) as caught:
        published(name)
    assert str(caught.value) == (
        f"--mint-compare-published={name}: no results of this model were published; "
        "expected one of gpt-4, gpt-3.5-turbo, claude-2, llama-2-70b, codellama-34b, "
        f"mistral-7b{hint}"
    )


def test_ones_own_numbers_are_over_the_tasks_graded():
    # The counts are those of the tables in test_rates.
    found = compare(sample(), "gpt-4")
    assert found.turn1 == Beside(0.562, 2 / 12, 12)
    assert found.ef == Beside(0.687, 6 / 12, 12)
    assert found.nlf == Beside(0.743, 9 / 11, 11)
    assert found.gain == Beside(0.056, (4 - 1) / 10, 10)
    assert found.hur == Beside(0.658, 4 / 5, 5)
    assert [one.own for one in found.by_turn] == [n / 12 for n in (2, 3, 4, 5, 6)]
    assert found.by_category["coding"] == Beside(0.824, 4 / 5, 5)
    assert found.by_category["tool_use"] == Beside(0.853, None)
    assert found.ef.difference == pytest.approx(-0.187)
    assert found.by_category["tool_use"].difference is None
    assert compare(sample(), "mistral-7b").hur == Beside(None, 4 / 5, 5)
    assert compare(sample(), "mistral-7b").hur.difference is None


def test_one_arm_has_nothing_to_say_of_hints():
    found = compare(results_of([result("coding/a", {"ef": 2})]), "gpt-4")
    assert found.ef.own == 1.0
    for one in (found.nlf, found.gain, found.hur, *found.by_category.values()):
        assert (one.own, one.tasks) == (None, 0)


def test_three_turns_are_not_compared_with_five():
    played = [result("coding/a", {"ef": "unsolved", "nlf": 3}, turns=3)]
    found = compare(results_of(played, max_turns=3), "gpt-4")
    assert [one.own for one in found.by_turn] == [0, 0, 0, None, None]
    assert found.turn1.own == 0
    for one in (found.ef, found.nlf, found.gain, found.hur):
        assert (one.own, one.tasks) == (None, 0)


@pytest.mark.parametrize(("tasks", "subset"), [(1, True), (597, True), (598, False)])
def test_fewer_tasks_than_published_are_a_subset(tasks, subset):
    unplayed = {f"coding/{n}": ("ef",) for n in range(tasks)}
    assert compare(results_of([], unplayed), "gpt-4").subset == subset


def test_the_comparison_is_plain_data():
    found = beside(sample(), "gpt-4")
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["model"] == "gpt-4"
    assert found["source"] == study().source
    assert found["tasks"] == {"published": 598, "own": 14}
    assert found["subset"] is True
    assert found["success_at_5"] == {
        "published": 0.687,
        "own": 0.5,
        "difference": 0.5 - 0.687,
        "tasks": 12,
    }
    assert found["hur_that_the_published_gain_implies"] == pytest.approx(
        0.179, abs=1e-3
    )
    assert len(found["by_turn"]) == 5
    assert tuple(found["with_hints_by_category"]) == CATEGORIES
    none = found["with_hints_by_category"]["tool_use"]
    assert none == {"published": 0.853, "own": None, "difference": None, "tasks": 0}


def test_a_model_without_a_curve_has_none_in_the_data():
    found = beside(sample(), "codellama-34b")
    assert found["by_turn"] == []
    assert found["with_hints_by_category"] == {}
    assert found["hur"]["published"] is None


def test_the_table_is_read_only_where_it_is_asked_for():
    code = (
        "import sys; import pytest_mint.results.published\nprint('yaml' in sys.modules)"
    )
    assert run_python(code).strip() == "False"
