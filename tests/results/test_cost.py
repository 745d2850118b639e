"""The bill, added up by hand."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.records import (
    Episode,
    Hint,
    Judgement,
    Spent,
    TaskResult,
    Tokens,
    Turn,
)
from pytest_mint.results.cost import Bill, Item, bill
from pytest_mint.results.prices import FREE, Price
from pytest_mint.words import ALL_ARMS
from tests.results.build import result, results_of, sample

MILLION = Decimal(1_000_000)


def price(prompt: str, completion: str, cached: str | None = None) -> Price:
    return Price(
        Decimal(prompt), Decimal(completion), Decimal(cached or prompt), "test"
    )


PRICES = {
    "agent": price("1", "2"),
    "hints": price("10", "20"),
    "judge": price("5", "5"),
}


def test_tokens_are_summed_by_role_over_all_that_was_played() -> None:
    found = bill(sample(), PRICES)
    # 81 turns, of them shared by both arms: r1 1, s2 0, c5 0, c6 0, each other task 2.
    assert found.items["agent"].spent.tokens == Tokens(6200, 620)
    assert found.items["agent"].money == (6200 * 1 + 620 * 2) / MILLION
    # Hints: r2 1, r3 2, r4 3, c1 1, c2 3, c3 3, c4 2; none for who ended by turn 2.
    assert found.items["hints"].spent.tokens == Tokens(15 * 20, 15 * 2)
    assert found.items["hints"].money == (300 * 10 + 30 * 20) / MILLION
    assert set(found.items) == {"agent", "hints"}
    assert found.total == Decimal("0.00744") + Decimal("0.0036")
    assert found.hints_share == pytest.approx(0.0036 / 0.01104)


def turn(number: int, **more) -> Turn:
    return Turn(number, "x", tokens=Tokens(100, 10, 40), seconds=2.0, **more)


def played() -> TaskResult:
    """Two shared turns and one of its own in each arm, each with a judging."""
    verdict = Judgement(False, 0.0, "no", tokens=Tokens(50, 5), seconds=0.5)
    shared = (turn(1, shared=True), turn(2, shared=True, tool_seconds=1.5))
    episodes = {}
    for arm in ALL_ARMS:
        hint = Hint("h", "vague", Tokens(20, 2), 0.25) if arm != "ef" else None
        second = dataclasses.replace(shared[1], hint=hint)
        own = turn(3, verdict=verdict)
        solved = arm in ("nlf", "swapped")
        episodes[arm] = Episode(
            arm,
            "solved" if solved else "unsolved",
            success_turn=3 if solved else None,
            turns=(shared[0], second, own),
        )
    return TaskResult("reasoning/a", "reasoning", episodes=episodes)


def test_a_control_has_its_own_name_and_is_no_part_of_the_roles() -> None:
    prices = {**PRICES, "agent": price("1", "2", "0.5")}
    found = bill(results_of([played()]), prices)
    agents_turn = (60 * 1 + 40 * Decimal("0.5") + 10 * 2) / MILLION
    hint, judging = (20 * 10 + 2 * 20) / MILLION, (50 * 5 + 5 * 5) / MILLION
    of_its_own = agents_turn + hint + judging
    assert found.items == {
        "agent": Item(Spent(Tokens(400, 40, 160), 6.5), 4 * agents_turn),
        "hints": Item(Spent(Tokens(20, 2), 0.25), hint),
        "judge": Item(Spent(Tokens(100, 10), 1.0), 2 * judging),
        "tools": Item(Spent(seconds=1.5), Decimal(0)),
        "placebo": Item(Spent(Tokens(170, 17, 40), 2.75), of_its_own),
        "swapped": Item(Spent(Tokens(170, 17, 40), 2.75), of_its_own),
    }
    assert found.hinting == of_its_own
    assert found.additional == 1
    assert found.per_additional_task == of_its_own
    whole = 4 * agents_turn + hint + 2 * judging
    assert found.hints_share == pytest.approx(float(hint / whole))
    assert found.total == whole + 2 * of_its_own


@pytest.mark.parametrize("unpriced", ["agent", "hints", "judge"])
def test_a_bill_with_an_unknown_price_has_no_sum(unpriced: str) -> None:
    found = bill(results_of([played()]), {**PRICES, unpriced: None})
    assert found.items[unpriced].money is None
    assert found.items["placebo"].money is None
    assert found.total is found.hints_share is found.hinting is None
    assert found.per_additional_task is None
    others = {"agent", "hints", "judge"} - {unpriced}
    assert all(found.items[role].money is not None for role in others)


def test_no_entry_is_an_unknown_price() -> None:
    assert bill(results_of([played()]), {}).total is None


def test_what_is_free_costs_nothing_and_has_no_share() -> None:
    found = bill(results_of([played()]), dict.fromkeys(PRICES, FREE))
    assert found.total == 0
    assert found.hints_share is None


@pytest.mark.parametrize(
    ("ends", "additional"),
    [
        ([{"ef": "unsolved", "nlf": 3}], 1),
        ([{"ef": 3, "nlf": "unsolved"}], -1),
        ([{"ef": 3, "nlf": 3}], 0),
        ([{"ef": "provider_error", "nlf": 3}], None),
        ([{"ef": 3}], None),
    ],
)
def test_money_for_a_task_needs_a_task_that_hints_solved(ends, additional) -> None:
    found = bill(
        results_of([result(f"coding/t{n}", arms) for n, arms in enumerate(ends)]),
        PRICES,
    )
    assert found.additional == additional
    paid = additional is not None and additional > 0
    assert (found.per_additional_task is not None) == paid


def test_an_empty_bill() -> None:
    assert bill(results_of([]), PRICES) == Bill()
    assert Bill().total == 0


@given(st.lists(st.sampled_from([1, 2, 3, 5, "unsolved", "limit"]), max_size=8))
def test_the_parts_are_the_whole(ends) -> None:
    results = results_of(
        [
            result(f"coding/t{n}", {"ef": end, "nlf": "unsolved", "placebo": 4})
            for n, end in enumerate(ends)
        ]
    )
    found = bill(results, PRICES)
    every = sum((i.spent.tokens for i in found.items.values()), Tokens())
    rows = [one.tokens for row in results.rows for one in row.spent.values()]
    assert every == sum(rows, Tokens())
