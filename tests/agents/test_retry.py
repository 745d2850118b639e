from __future__ import annotations

import random
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.agents.retry import (
    INVALID,
    LONGEST,
    TEXT_LIMIT,
    Failure,
    delay,
    is_retried,
    may_retry,
    retry_after,
    short,
    tell,
)

NOW = 1_700_000_000.0
AGAIN = Failure("503", "overloaded", 503, again=True)
SECONDS = st.floats(min_value=0, max_value=1e9)


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (429, "", True),
        (429, "rate_limit_exceeded", True),
        (429, "insufficient_quota", False),
        (429, "billing_hard_limit_reached", False),
        (408, "", True),
        (409, "", False),
        (400, "", False),
        (404, "", False),
        (499, "", False),
        (500, "", True),
        (529, "overloaded_error", True),
        (599, "", True),
        (600, "", False),
        (302, "", False),
    ],
)
def test_which_statuses_are_retried(status: int, code: str, expected: bool) -> None:
    assert is_retried(status, code) is expected


def test_the_number_of_retries_is_kept() -> None:
    assert may_retry([AGAIN] * 6, 6)
    assert not may_retry([AGAIN] * 7, 6)
    assert not may_retry([AGAIN], 0)


def test_a_final_failure_ends_it() -> None:
    assert not may_retry([AGAIN, Failure("404", status=404)], 6)


def test_unreadable_answers_are_retried_twice_only() -> None:
    invalid = Failure(INVALID, again=True)
    assert may_retry([invalid, AGAIN, invalid], 6)
    assert not may_retry([invalid, AGAIN, invalid, invalid], 6)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "20"}, 0.25),
        ({"retry-after-ms": "?", "retry-after": "20"}, 20.0),
        ({"retry-after": formatdate(NOW + 30, usegmt=True)}, 30.0),
        ({"retry-after": formatdate(NOW - 30, usegmt=True)}, 0.0),
        ({"retry-after": "Wed, 99 Oct 2015 07:28:00 GMT"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], expected: float | None) -> None:
    assert retry_after(headers, NOW) == expected


@given(st.text())
def test_any_retry_after_is_read(value: str) -> None:
    read = retry_after({"retry-after": value}, NOW)
    assert read is None or read >= 0


@given(st.integers(1, 10_000), st.none() | SECONDS, st.integers())
def test_no_wait_is_longer_than_a_minute(
    attempt: int, asked: float | None, seed: int
) -> None:
    waited = delay(attempt, asked, random.Random(seed))
    assert 0 <= waited <= LONGEST
    if asked is not None:
        assert waited >= min(asked, LONGEST)


@given(st.integers(1, 6), st.integers())
def test_the_jitter_is_full(attempt: int, seed: int) -> None:
    step = 2.0 ** (attempt - 1)
    drawn = random.Random(seed).uniform(0.0, step)
    assert delay(attempt, None, random.Random(seed)) == drawn


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        ([Failure("400", "bad")], "400: bad"),
        ([Failure("timeout")], "timeout"),
        ([Failure("529", "overloaded")] * 2, "529 twice: overloaded"),
        ([Failure("529", "overloaded")] * 6, "529 six times: overloaded"),
        ([Failure("529", "overloaded")] * 41, "529 41 times: overloaded"),
        (
            [Failure("429", "slow"), Failure("503", "busy"), Failure("429", "no")],
            "429 twice, 503 once: no",
        ),
    ],
)
def test_failures_are_told_in_one_line(failures: list[Failure], expected: str) -> None:
    assert tell(failures) == expected


@given(
    st.text(alphabet="ab-K\n", max_size=600),
    st.text(alphabet="abK", min_size=8, max_size=40),
    st.integers(0, 600),
)
def test_no_text_shows_the_key(text: str, key: str, at: int) -> None:
    said = short(text[:at] + key + text[at:], key)
    assert key not in said
    assert len(said) <= TEXT_LIMIT


@given(st.text(max_size=6000))
def test_a_text_becomes_one_printable_line(text: str) -> None:
    said = short(text)
    assert said.isprintable()
    assert len(said) <= TEXT_LIMIT
