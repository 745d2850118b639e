from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.errors import GraderError
from pytest_mint.graders.state import compare_states, grade_state
from pytest_mint.graders.verdict import Proposal
from tests.graders.kinds import state_task
from tests.tools.shop import FORBIDDEN, GOAL, shop_task


def same(expected, observed, **rules):
    return not compare_states({"x": observed}, {"x": expected}, **rules).found


@pytest.mark.parametrize(
    ("expected", "observed", "verdict"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (False, None, False),
        ("", None, False),
        ("1", 1, False),
        (None, None, True),
        (0.1 + 0.2, 0.3, True),
        (1e-10, 0, True),
        (0.001, 0.002, False),
        (1.5, 1.5000001, False),
        (9007199254740993, 9007199254740992, False),
        (9007199254740993, 9007199254740992.0, False),
        (10**17, 1e17, True),
        (Decimal("0.30"), 0.3, True),
        (Decimal("1e399"), 10**399, True),
        (5, 10**399, False),
        (0.5, Decimal("-1e399"), False),
        (Decimal("NaN"), 1, False),
        (float("nan"), float("nan"), False),
        (float("inf"), float("inf"), True),
        (float("inf"), 5, False),
        ([], {}, False),
        ([], None, False),
        ([1, 2], (1, 2), True),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ({"a": {}}, {"a": {}}, True),
        ({1: "a"}, {"1": "a"}, True),
        ("café", "cafe\u0301", True),
        ("a ", "a", False),
        ("A", "a", False),
        ({"a": [{"b": 1}]}, {"a": [{"b": True}]}, False),
    ],
)
def test_values_are_compared_with_their_types(expected, observed, verdict):
    assert same(expected, observed) is verdict


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        ("orders.*.at", True),
        ("orders.at", True),
        ("orders[].at", True),
        ("orders", True),
        ("orders[0].at", True),
        ("orders.0.at", True),
        ("orders[1].at", False),
        ("at", False),
        ("orders.a", False),
        ("orders.*.", False),
        ("orders..t", False),
    ],
)
def test_ignored_path_covers_what_it_names_and_no_more(path, verdict):
    expected = {"orders": [{"id": 1, "at": "ten"}]}
    observed = {"orders": [{"id": 1, "at": "eleven"}]}
    result = compare_states(observed, expected, ignore=[path])
    assert (not result.found) is verdict


def test_star_stands_for_a_key_of_an_object():
    expected = {"by_id": {"o1": {"at": 1}, "o2": {"at": 1}}}
    observed = {"by_id": {"o1": {"at": 2}, "o2": {"at": 3}}}
    assert not compare_states(observed, expected, ignore=["by_id.*.at"]).found


def test_ignored_key_may_be_missing_or_extra():
    assert not compare_states({"a": 1}, {"a": 1, "log": []}, ignore=["log"]).found
    assert not compare_states({"a": 1, "log": []}, {"a": 1}, ignore=["log"]).found


@pytest.mark.parametrize(
    ("expected", "observed", "verdict"),
    [
        ([1, 2, 2], [2, 1, 2], True),
        ([1, 2, 2], [2, 1, 1], False),
        ([{"a": [1, 2]}, {"a": [3]}], [{"a": [3]}, {"a": [1, 2]}], True),
        ([{"a": [1, 2]}], [{"a": [2, 1]}], False),
        ([0.1 + 0.2, 1], [1, 0.3], True),
        ([True, 1], [1, True], True),
        ([True], [1], False),
    ],
)
def test_unordered_list_is_matched_copy_by_copy(expected, observed, verdict):
    assert same(expected, observed, unordered=["x"]) is verdict


def test_share_counts_single_values_and_what_should_not_be_there():
    expected = {"a": 1, "b": {"c": 2, "d": 3}, "e": []}
    assert compare_states({**expected, "a": 2}, expected).share == 0.75
    assert compare_states({**expected, "z": 1}, expected).share == 0.75
    assert compare_states({}, expected).share == pytest.approx(1 / 4)


def test_reason_names_the_place_and_not_the_value():
    task = state_task({"order": {"status": "cancelled", "fee": 3}, "n": 1})
    world = {"order": {"status": "pending"}, "n": 1, "admin": True}
    verdict = grade_state(task, Proposal("Done.", world=world))
    assert verdict.reason == (
        "order.status is not as asked for; order.fee is missing; "
        "admin should not be there"
    )


def test_task_without_a_state_to_compare_with_is_broken():
    task = state_task(None, goal=[{"sql": "SELECT 1", "expect": 1}])
    with pytest.raises(GraderError, match="no expected_output"):
        grade_state(task, Proposal("Done.", world={"x": 1}))


@pytest.mark.parametrize("world", [None, "dead", 3, []])
def test_world_that_gave_no_state_is_a_fault_of_the_run(world):
    with pytest.raises(GraderError, match="no state"):
        grade_state(state_task({"x": 1}), Proposal("Done.", world=world))


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("The refund is 10 dollars.", True),
        ("You get $10.00 back.", True),
        ("The refund is 100 dollars.", False),
        ("The refund is 10.50.", False),
        ("<think>10</think>Done.", False),
        ("", False),
    ],
)
def test_reply_reports_what_it_must_as_a_whole_number(reply, verdict):
    task = state_task({"x": 1}, must_include=["10"])
    assert grade_state(task, Proposal(reply, world={"x": 1})).solved is verdict


def test_state_nested_beyond_all_use_is_different_and_no_crash():
    deep: object = 1
    for _ in range(5000):
        deep = {"d": deep}
    assert compare_states({"x": deep}, {"x": deep}).found


def shop(tin=1, jar=2, said=0):
    """The rows of a shop."""
    things = [("tin", tin, None), ("jar", jar, "blue")]
    rows = [{"name": n, "shelf": shelf, "note": note} for n, shelf, note in things]
    return {"things": rows, "log": [{"said": "x"}] * said}


@pytest.mark.parametrize(
    ("sql", "expect", "verdict"),
    [
        ("SELECT 1", 1, True),
        ("SELECT 1", True, True),
        ("SELECT 1", 1.0, True),
        ("SELECT 1", "1", False),
        ("SELECT 0.1 + 0.2", 0.3, True),
        ("SELECT note FROM things", None, True),
        ("SELECT name FROM things WHERE 0", None, True),
        ("SELECT note FROM things", 0, False),
        ("SELECT 'tin '", "tin", False),
        ("SELECT twice FROM things", 2, True),
        ("SELECT shelf FROM things ORDER BY name", 2, True),
    ],
)
def test_a_condition_is_the_first_column_of_the_first_row(sql, expect, verdict):
    task = shop_task(goal=[{"sql": sql, "expect": expect}], forbidden=[])
    assert grade_state(task, Proposal("Done.", world=shop())).solved is verdict


@pytest.mark.parametrize(
    ("rows", "share", "reason"),
    [
        (shop(7, 8), 1.0, "right"),
        (shop(7), 0.5, "1 of 2 conditions of the goal not met"),
        (shop(), 0.0, "2 of 2 conditions of the goal not met"),
        (shop(7, 8, 6), 0.5, "something is so that the task rules out"),
        (
            shop(7, 2, 6),
            0.0,
            "1 of 2 conditions of the goal not met; "
            "something is so that the task rules out",
        ),
        (
            shop(said=6),
            0.0,
            "2 of 2 conditions of the goal not met; "
            "something is so that the task rules out",
        ),
    ],
)
def test_the_share_is_reported_and_the_agent_hears_no_condition(rows, share, reason):
    verdict = grade_state(shop_task(), Proposal("Done.", world=rows))
    assert (verdict.score, verdict.reason) == (share, reason)
    assert verdict.solved is (share == 1)


def test_whoever_reads_the_report_is_told_which_conditions_failed():
    verdict = grade_state(shop_task(), Proposal("Done.", world=shop(7, 2, 6)))
    assert dict(verdict.details) == {"unmet": ["jar 8"], "forbidden": ["haste"]}
    unnamed = {name: GOAL[0][name] for name in ("sql", "expect")}
    task = shop_task(goal=[unnamed], forbidden=FORBIDDEN)
    verdict = grade_state(task, Proposal("Done.", world=shop()))
    assert verdict.details["unmet"] == [GOAL[0]["sql"]]


@pytest.mark.parametrize(
    ("reply", "verdict"), [("On shelf 8.", True), ("On shelf 9.", False), ("", False)]
)
def test_a_reply_reports_what_it_must_beside_the_goal(reply, verdict):
    task = shop_task(must_include=["8"])
    assert grade_state(task, Proposal(reply, world=shop(7, 8))).solved is verdict


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (None, "no state"),
        ({"things": [{"name": "tin"}]}, "things.0: NOT NULL constraint failed"),
        ({"stock": [{"name": "tin"}]}, "stock.0: no such table"),
        ({"things": [{'a") VALUES (1); --': 1}]}, "things.0: table things has no"),
    ],
)
def test_rows_that_are_none_of_the_world_are_a_fault_of_the_run(rows, told):
    with pytest.raises(GraderError, match=told):
        grade_state(shop_task(), Proposal("Done.", world=rows))


def test_a_condition_that_sqlite_cannot_tell_is_no_score():
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT count(*) FROM log UNION ALL SELECT i + 1 "
        "FROM n WHERE i BETWEEN 1 AND 1000000000000) SELECT max(i) FROM n"
    )
    for sql, told in [
        (endless, "goal.0.sql: interrupted"),
        ("SELECT json(said) FROM log", "goal.0.sql: malformed JSON"),
    ]:
        task = shop_task(goal=[{"sql": sql, "expect": 1}])
        with pytest.raises(GraderError, match=told):
            grade_state(task, Proposal("Done.", world=shop(said=1)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner)
    ),
    max_leaves=12,
)
STATE = st.dictionaries(st.text(max_size=3), JSON, max_size=4)


@given(STATE)
def test_state_is_the_same_as_itself(state):
    assert compare_states(state, state).share == 1


@given(STATE, STATE)
def test_sameness_does_not_depend_on_the_side(one, other):
    there, back = compare_states(one, other), compare_states(other, one)
    assert bool(there.found) is bool(back.found)
    assert 0 <= there.share <= 1


@given(
    st.lists(JSON, max_size=5).flatmap(
        lambda a: st.tuples(st.just(a), st.permutations(a))
    )
)
def test_order_of_an_unordered_list_never_counts(lists):
    expected, observed = lists
    assert same(expected, observed, unordered=["x"])
