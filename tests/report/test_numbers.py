from __future__ import annotations

import pytest

from pytest_mint.report.numbers import amount, count, duration, percent, points, span


@pytest.mark.parametrize(
    ("rate", "text"),
    [(None, "-"), (0.0, "0.0"), (0.5858, "58.6"), (0.99951, "100.0"), (1.0, "100.0")],
)
def test_percent(rate, text):
    assert percent(rate) == text


@pytest.mark.parametrize(
    ("change", "text"), [(None, "-"), (0.0, "+0.0"), (0.137, "+13.7"), (1.0, "+100.0")]
)
def test_points(change, text):
    assert points(change) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (None, "-"),
        ((0.551, 0.629), "55-63"),
        ((0.97, 1.0), "97-100"),
        ((0, 1), "0-100"),
    ],
)
def test_span(interval, text):
    assert span(interval) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0 k"),
        (34_120, "34.1 k"),
        (1_900_000, "1.9 M"),
        (2_000_000_000, "2.0 G"),
    ],
)
def test_amount(number, text):
    assert amount(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1, "0 s"),
        (0.4, "0 s"),
        (12.3, "12 s"),
        (59.6, "1 min 00 s"),
        (110, "1 min 50 s"),
        (372, "6 min 12 s"),
        (3599.7, "1 h 00 min"),
        (7500, "2 h 05 min"),
    ],
)
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_count():
    assert [count(n, "task") for n in (0, 1, 2)] == ["0 tasks", "1 task", "2 tasks"]
