from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binomtest, multinomial

from pytest_mint.results.paired import can_tell, mcnemar, paired_difference

Z = 1.959963984540054

COUNTS = st.tuples(st.integers(0, 300), st.integers(0, 300), st.integers(0, 900))


@pytest.mark.parametrize("better", [0, 1, 2, 5, 6, 13, 40, 301])
@pytest.mark.parametrize("worse", [0, 1, 3, 6, 12, 41, 280])
def test_mcnemar_is_the_binomial_test_of_the_discordant_pairs(better, worse):
    n = better + worse
    expected = binomtest(better, n, 0.5).pvalue if n else 1.0
    assert mcnemar(better, worse) == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 900), st.integers(0, 900))
def test_mcnemar_agrees_with_scipy_and_with_its_mirror(better, worse):
    p = mcnemar(better, worse)
    assert 0 <= p <= 1
    assert p == mcnemar(worse, better)
    if better + worse:
        expected = binomtest(better, better + worse, 0.5).pvalue
        assert p == pytest.approx(expected, rel=1e-8, abs=1e-300)


def test_mcnemar_takes_thousands_of_pairs():
    assert mcnemar(3000, 3000) == 1.0
    assert mcnemar(9000, 0) == 0.0
    assert mcnemar(2500, 2600) == pytest.approx(binomtest(2500, 5100, 0.5).pvalue)


def test_fewer_than_six_discordant_pairs_cannot_tell():
    for n in range(12):
        best = min(mcnemar(better, n - better) for better in range(n + 1))
        for better in range(n + 1):
            assert can_tell(better, n - better) == (best < 0.05), n


@pytest.mark.parametrize(
    ("better", "worse", "total", "digits", "low", "high"),
    [
        # M. W. Fagerland, S. Lydersen, P. Laake, Statistics in Medicine 33 (2014),
        # 2850-2875: airway reactivity before and after a stem cell transplantation.
        (1, 7, 21, 3, -0.517, -0.026),
        # The R package PropCIs 0.3: scoreci.mp(0, 7, 14).
        (7, 0, 14, 6, 0.177034, 0.732008),
    ],
)
def test_the_interval_is_the_published_one(better, worse, total, digits, low, high):
    found = paired_difference(better, worse, total)
    assert found is not None
    assert (round(found[0], digits), round(found[1], digits)) == (low, high)


@pytest.mark.parametrize("total", [1, 2, 5, 30, 598])
def test_the_edges_are_those_of_the_formula_solved_by_hand(total):
    z2 = Z * Z
    none = z2 / (total + z2)  # n d = z sqrt(n d (1 - d))
    assert paired_difference(0, 0, total) == pytest.approx((-none, none))
    all_ = (total - z2) / (total + z2)  # n (1 - d) = z sqrt(n (1 - d**2))
    assert paired_difference(total, 0, total) == (pytest.approx(all_), 1.0)
    assert paired_difference(0, total, total) == (-1.0, pytest.approx(-all_))


def test_there_is_no_interval_of_nothing_and_none_of_the_impossible():
    assert paired_difference(0, 0, 0) is None
    with pytest.raises(ValueError, match="3 better and 2 worse of 4 pairs"):
        paired_difference(3, 2, 4)
    with pytest.raises(ValueError, match="-1 worse"):
        paired_difference(1, -1, 4)


def score(better: int, worse: int, total: int, difference: float) -> float:
    """The score statistic, its share of worse pairs found by maximising."""

    def against(q: float) -> float:
        shares = (q + difference, q, 1 - 2 * q - difference)
        counts = (better, worse, total - better - worse)
        return -sum(
            count * math.log(max(share, 1e-300))
            for count, share in zip(counts, shares, strict=True)
            if count
        )

    ends = (max(0.0, -difference), (1 - difference) / 2)
    q = minimize_scalar(
        against, bounds=ends, method="bounded", options={"xatol": 1e-12}
    ).x
    variance = total * (2 * q + difference * (1 - difference))
    return (better - worse - total * difference) / math.sqrt(variance)


@pytest.mark.parametrize(
    ("better", "worse", "total"),
    [
        (1, 7, 21),
        (5, 5, 10),
        (40, 20, 160),
        (1, 0, 40),
        (0, 9, 12),
        (13, 2, 15),
        (63, 40, 586),
        (1, 1, 5000),
        (2100, 1900, 5980),
    ],
)
def test_at_both_ends_the_score_is_the_normal_quantile(better, worse, total):
    found = paired_difference(better, worse, total)
    assert found is not None
    low, high = found
    assert score(better, worse, total, low) == pytest.approx(Z, abs=1e-4)
    assert score(better, worse, total, high) == pytest.approx(-Z, abs=1e-4)


@given(COUNTS)
def test_the_interval_holds_the_estimate_and_has_a_mirror(counts):
    better, worse, alike = counts
    total = better + worse + alike
    found = paired_difference(better, worse, total)
    if found is None:
        assert total == 0
        return
    low, high = found
    assert -1 <= low <= (better - worse) / total <= high <= 1
    assert low < high
    assert paired_difference(worse, better, total) == (-high, -low)


@given(COUNTS)
def test_zero_is_outside_exactly_where_the_asymptotic_mcnemar_rejects(counts):
    better, worse, alike = counts
    found = paired_difference(better, worse, better + worse + alike)
    if found is None or better == worse:
        return
    statistic = (better - worse) / math.sqrt(better + worse)
    assert (found[0] > 0) == (statistic > Z)
    assert (found[1] < 0) == (statistic < -Z)


@pytest.mark.parametrize("total", [20, 40])
@pytest.mark.parametrize(
    ("p_better", "p_worse"), [(0.1, 0.1), (0.2, 0.1), (0.3, 0.05), (0.05, 0.25)]
)
def test_the_interval_holds_the_truth_about_95_times_in_100(total, p_better, p_worse):
    covered = 0.0
    law = multinomial(total, (p_better, p_worse, 1 - p_better - p_worse))
    for better in range(total + 1):
        for worse in range(total + 1 - better):
            found = paired_difference(better, worse, total)
            assert found is not None
            if found[0] <= p_better - p_worse <= found[1]:
                covered += law.pmf((better, worse, total - better - worse))
    assert 0.93 <= covered <= 0.97
