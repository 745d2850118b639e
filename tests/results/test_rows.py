from __future__ import annotations

import dataclasses

import pytest

from pytest_mint.records import (
    Episode,
    Hint,
    Judgement,
    Spent,
    TaskResult,
    Tokens,
    Turn,
    from_data,
    to_data,
)
from pytest_mint.results.rows import Played, row_of
from tests.results.build import episode, result


def test_a_row_keeps_how_each_arm_ended():
    row = row_of(result("coding/a", {"ef": "limit", "nlf": 3}, dataset="mbpp"))
    assert (row.task, row.category, row.dataset) == ("coding/a", "coding", "mbpp")
    assert row.arms == {"ef": Played("limit", None, 5), "nlf": Played("solved", 3, 3)}


@pytest.mark.parametrize(
    ("end", "hints", "level"),
    [
        (2, {2: "vague"}, "none"),  # solved before the hint could be heard
        (3, {2: "vague", 3: "specific"}, "vague"),
        (4, {2: "vague", 3: "specific"}, "specific"),
        (5, {2: "vague"}, "vague"),
        (3, {2: ""}, "unlabelled"),
        (2, {1: ""}, "unlabelled"),
        (1, {1: ""}, "none"),
        ("unsolved", {2: "vague"}, ""),
        ("provider_error", {}, ""),
    ],
)
def test_the_level_is_that_of_the_last_hint_before_success(end, hints, level):
    assert row_of(result("coding/a", {"nlf": end}, hints=hints)).level == level


def test_a_hint_after_the_success_is_not_what_was_enough():
    turns = tuple(
        Turn(number, "a", hint=Hint("b", level))
        for number, level in enumerate(("vague", "specific"), 1)
    )
    played = {"nlf": Episode("nlf", "solved", success_turn=2, turns=turns)}
    assert row_of(TaskResult("coding/a", "coding", episodes=played)).level == "vague"


def test_shared_turns_are_counted_once_and_every_hint_is():
    row = row_of(result("coding/a", {"ef": "unsolved", "nlf": "unsolved"}))
    # Turns 1 and 2 once, 3 to 5 in both arms; hints after turns 2, 3 and 4.
    assert {place: spent.tokens for place, spent in row.spent.items()} == {
        ("ef", "agent"): Tokens(500, 50),
        ("nlf", "agent"): Tokens(300, 30),
        ("nlf", "hints"): Tokens(60, 6),
    }


def test_turns_of_arms_played_apart_are_all_counted():
    def apart(arm):
        one = episode(arm, "unsolved", hints={})
        turns = tuple(dataclasses.replace(turn, shared=False) for turn in one.turns)
        return dataclasses.replace(one, turns=turns)

    both = TaskResult(
        "coding/a", "coding", episodes={a: apart(a) for a in ("ef", "nlf")}
    )
    spent = row_of(both).spent
    assert {place: one.tokens for place, one in spent.items()} == {
        ("ef", "agent"): Tokens(500, 50),
        ("nlf", "agent"): Tokens(500, 50),
    }


def test_the_judge_is_paid_once_for_a_shared_turn():
    verdict = Judgement(False, 0.5, "short", tokens=Tokens(7, 3), seconds=1.5)
    turn = Turn(1, "a story", verdict=verdict, shared=True)
    played = {arm: Episode(arm, "unsolved", turns=(turn,)) for arm in ("ef", "nlf")}
    kept = from_data(to_data(TaskResult("coding/a", "coding", episodes=played)))
    assert row_of(kept).spent == {("ef", "judge"): Spent(Tokens(7, 3), 1.5)}


def test_drifted_replies_are_counted_once_where_shared():
    shared = Turn(1, "a", shared=True, drift="other prompt")
    own = Turn(2, "b", drift="other prompt")
    played = {
        arm: Episode(arm, "unsolved", turns=(shared, own)) for arm in ("ef", "nlf")
    }
    assert row_of(TaskResult("coding/a", "coding", episodes=played)).drift == 3


def test_a_long_error_is_cut():
    played = {"ef": Episode("ef", "provider_error", error="x" * 10_000)}
    row = row_of(TaskResult("coding/a", "coding", episodes=played))
    assert len(row.arms["ef"].error) == 500


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (Episode("ef", "won"), r"coding/a \(ef\): outcome 'won' is none of solved"),
        (Episode("ef", "solved"), r"coding/a \(ef\): solved, but at no turn"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(bad, says):
    with pytest.raises(ValueError, match=says):
        row_of(TaskResult("coding/a", "coding", episodes={"ef": bad}))


def test_seconds_of_tools_are_not_the_agents():
    turn = Turn(1, "a", tokens=Tokens(5, 1), seconds=3.0, tool_seconds=1.0)
    played = {"ef": Episode("ef", "unsolved", turns=(turn,))}
    assert row_of(TaskResult("coding/a", "coding", episodes=played)).spent == {
        ("ef", "agent"): Spent(Tokens(5, 1), 2.0),
        ("ef", "tools"): Spent(seconds=1.0),
    }


def test_leaks_and_replaced_hints_are_counted():
    hints = (Hint("a", "vague", leaks=1), Hint("b", "specific", leaks=2, replaced=True))
    turns = tuple(Turn(number, "x", hint=hint) for number, hint in enumerate(hints, 1))
    played = {"nlf": Episode("nlf", "unsolved", turns=turns)}
    row = row_of(TaskResult("coding/a", "coding", episodes=played))
    assert (row.leaks, row.replaced) == (3, 1)


def test_the_run_file_names_the_level_that_was_enough():
    played = result("coding/a", {"ef": "unsolved", "nlf": 4})
    data = to_data(played)
    assert data["sufficient_level"] == "specific"
    assert from_data(data) == played
    assert "sufficient_level" not in to_data(result("coding/a", {"ef": 1}))


@pytest.mark.parametrize(
    ("outcome", "role"), [("feedback_error", "hints"), ("grader_error", "judge")]
)
def test_what_was_paid_for_nothing_is_counted(outcome, role):
    lost = Spent(Tokens(60, 4), 1.5)
    played = {"nlf": Episode("nlf", outcome, error="x", lost=lost)}
    kept = from_data(to_data(TaskResult("coding/a", "coding", episodes=played)))
    assert row_of(kept).spent == {("nlf", role): lost}
