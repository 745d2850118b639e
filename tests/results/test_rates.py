from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from pytest_mint.results.intervals import wilson
from pytest_mint.results.plan import Results
from pytest_mint.results.rates import (
    Difference,
    Share,
    coverage,
    gain,
    hur,
    mean_turns,
    net_of,
    solved_later,
    success_at,
)
from pytest_mint.words import MISSING
from tests.results.build import result, results_of, sample

# Counted by hand from the list in build.sample.
TABLE = [
    # arm, category, solved by turn 1..5, graded, missing
    ("ef", None, (2, 3, 4, 5, 6), 12, 2),
    ("ef", "reasoning", (1, 2, 3, 3, 3), 5, 0),
    ("ef", "coding", (0, 0, 0, 1, 2), 5, 1),
    ("ef", "science", (1, 1, 1, 1, 1), 2, 1),
    ("ef", "tool_use", (0, 0, 0, 0, 0), 0, 0),
    ("nlf", None, (2, 4, 6, 8, 9), 11, 2),
    ("nlf", "reasoning", (1, 2, 3, 4, 4), 5, 0),
    ("nlf", "coding", (1, 1, 2, 3, 4), 5, 1),
    ("nlf", "science", (0, 1, 1, 1, 1), 1, 1),
]


@pytest.mark.parametrize(("arm", "category", "hits", "graded", "missing"), TABLE)
def test_success_at_k_is_what_was_counted_by_hand(arm, category, hits, graded, missing):
    found = [success_at(sample(), arm, k, category) for k in range(1, 6)]
    assert found == [Share(n, graded, missing) for n in hits]


@pytest.mark.parametrize(
    ("category", "failed", "rescued", "hurt", "missing", "levels"),
    [
        (None, 5, 4, 1, 3, {"vague": 1, "specific": 1, "direct": 1, "none": 1}),
        ("reasoning", 2, 1, 0, 0, {"vague": 0, "specific": 1, "direct": 0}),
        ("coding", 2, 2, 1, 2, {"vague": 1, "specific": 0, "direct": 1}),
        ("science", 1, 1, 0, 1, {"vague": 0, "specific": 0, "direct": 0, "none": 1}),
        ("tool_use", 0, 0, 0, 0, {"vague": 0, "specific": 0, "direct": 0}),
    ],
)
def test_hur_is_what_was_counted_by_hand(
    category, failed, rescued, hurt, missing, levels
):
    found = hur(sample(), category)
    assert (found.failed_ef, found.rescued, found.hurt) == (failed, rescued, hurt)
    assert found.missing == missing
    assert found.by_level == levels
    assert found.rate == (rescued / failed if failed else None)


@pytest.mark.parametrize(
    ("category", "hits", "total"),
    [(None, 11, 14), ("reasoning", 5, 5), ("coding", 4, 6), ("science", 2, 3)],
)
def test_a_task_is_covered_when_each_of_its_arms_was_graded(category, hits, total):
    assert coverage(sample(), category) == Share(hits, total)


def test_the_gain_is_between_two_turns():
    assert gain(sample(), "ef") == 4 / 12
    assert gain(sample(), "nlf") == 7 / 11
    assert gain(sample(), "ef", first=3) == 2 / 12
    assert gain(sample(), "ef", category="coding") == 2 / 5
    assert gain(sample(), "ef", category="tool_use") is None


def test_mean_turns_are_over_graded_tasks():
    # ef: 1+3+5+5+2 + 5+5+5+4+5 + 5+1; nlf: 1+3+4+5+2 + 3+5+5+4+1 + 2
    assert mean_turns(sample(), "ef") == 46 / 12
    assert mean_turns(sample(), "nlf") == 35 / 11
    assert mean_turns(results_of([]), "ef") is None


def test_a_dataset_is_counted_apart():
    played = [
        result("reasoning/gsm8k-1", {"ef": 1, "nlf": 1}, dataset="gsm8k"),
        result("reasoning/gsm8k-2", {"ef": "unsolved", "nlf": 3}, dataset="gsm8k"),
        result("reasoning/math-1", {"ef": "unsolved", "nlf": 5}, dataset="math"),
    ]
    results = results_of(played)
    assert success_at(results, "ef", 5, dataset="gsm8k") == Share(1, 2)
    assert hur(results, dataset="gsm8k").rescued == 1


def test_a_success_after_turn_five_is_a_failure_of_a_five_turn_episode():
    played = [
        result("coding/a", {"ef": 6, "nlf": 5}, turns=8),
        result("coding/b", {"ef": 5, "nlf": 7}, turns=8),
        result("coding/c", {"ef": "unsolved", "nlf": 6}, turns=8),
        result("coding/d", {"ef": 6, "nlf": "unsolved"}, turns=8),
    ]
    results = results_of(played, max_turns=8)
    assert success_at(results, "ef", 5) == Share(1, 4)
    assert (solved_later(results, "ef"), solved_later(results, "nlf")) == (2, 2)
    found = hur(results)
    assert (found.failed_ef, found.rescued, found.hurt) == (3, 1, 1)


def test_with_fewer_turns_the_later_k_repeat_the_last():
    played = [
        result("coding/a", {"ef": 3}, turns=3),
        result("coding/b", {"ef": "unsolved"}, turns=3),
    ]
    results = results_of(played, max_turns=3)
    assert [success_at(results, "ef", k).hits for k in (3, 4, 5)] == [1, 1, 1]


@pytest.mark.parametrize("total", [1, 2, 3, 10, 97, 598, 5980])
@pytest.mark.parametrize("share", [0, 0.01, 0.3, 0.5, 0.77, 1])
def test_wilson_agrees_with_scipy(total, share):
    hits = round(share * total)
    low, high = binomtest(hits, total).proportion_ci(method="wilson")
    assert wilson(hits, total) == pytest.approx((low, high), abs=1e-12)


def test_there_is_no_interval_of_nothing():
    assert wilson(0, 0) is None
    assert Share(0, 0).interval is None


ENDS = st.sampled_from([1, 2, 3, 4, 5, 7, "unsolved", "limit", *MISSING])
ARMS = st.one_of(
    st.fixed_dictionaries({"ef": ENDS, "nlf": ENDS}),
    st.fixed_dictionaries({"ef": ENDS}),
)


@given(st.lists(ARMS, max_size=12), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_rates_are_monotone_in_k_and_do_not_depend_on_order(ends, chance):
    played = [result(f"coding/t{n}", arms, turns=7) for n, arms in enumerate(ends)]
    results = results_of(played, max_turns=7)
    rows = list(results.rows)
    chance.shuffle(rows)
    shuffled = Results(results.plan, tuple(rows))
    for arm in ("ef", "nlf"):
        shares = [success_at(results, arm, k) for k in range(1, 6)]
        assert shares == [success_at(shuffled, arm, k) for k in range(1, 6)]
        hits = [share.hits for share in shares]
        assert hits == sorted(hits)
        assert 0 <= hits[-1] <= shares[-1].total
        assert len({(share.total, share.missing) for share in shares}) == 1
    assert hur(results) == hur(shuffled)
    assert coverage(results) == coverage(shuffled)


@given(st.lists(ARMS, max_size=12))
def test_what_hints_change_is_rescued_less_hurt(ends):
    graded = [arms for arms in ends if not set(arms.values()) & set(MISSING)]
    both = [arms for arms in graded if len(arms) == 2]
    played = [result(f"coding/t{n}", arms, turns=7) for n, arms in enumerate(both)]
    results = results_of(played)
    found = hur(results)
    ef, nlf = (success_at(results, arm, 5) for arm in ("ef", "nlf"))
    assert nlf.hits - ef.hits == found.rescued - found.hurt
    assert found.failed_ef == ef.total - ef.hits
    assert sum(found.by_level.values()) == found.rescued


def test_a_thousand_shuffles_of_the_sample_count_the_same():
    results, chance = sample(), random.Random(7)
    expected = hur(results)
    for _ in range(1000):
        rows = list(results.rows)
        chance.shuffle(rows)
        assert hur(Results(results.plan, tuple(rows))) == expected


def test_hints_that_give_the_answer_are_shown_apart():
    found = hur(sample())
    assert found.without_direct == Share(3, 5)
    assert (found.graded, found.difference.total) == (10, 10)
    assert (found.difference.better, found.difference.worse) == (4, 1)
    assert found.difference.rate == 0.3
    assert not found.difference.tells  # five tasks that ended differently


def test_there_is_no_difference_of_nothing():
    found = hur(results_of([])).difference
    assert (found.rate, found.interval, found.p) == (None, None, 1.0)


def test_a_control_is_taken_off_hur_over_the_tasks_graded_in_all_arms():
    ends = [
        # ef, nlf, placebo
        ("unsolved", 3, "unsolved"),
        ("unsolved", 3, 3),
        ("unsolved", 4, "unsolved"),
        ("unsolved", "unsolved", 4),
        ("unsolved", "unsolved", "unsolved"),
        ("unsolved", 3, "provider_error"),  # not graded in the control
        ("unsolved", "feedback_error", 3),  # not graded with hints
        (2, 2, 2),  # not failed
        (3, "unsolved", 3),
    ]
    arms = ("ef", "nlf", "placebo")
    played = [
        result(f"coding/t{n}", dict(zip(arms, end, strict=True)))
        for n, end in enumerate(ends)
    ]
    played.append(result("coding/no-control", {"ef": "unsolved", "nlf": 3}))
    found = net_of(results_of(played), "placebo")
    assert found.control == Share(2, 5, missing=1)
    assert found.difference == Difference(better=2, worse=1, total=5)
    assert found.difference.rate == 0.2
