from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.records import (
    Episode,
    Hint,
    Judgement,
    TaskResult,
    Tokens,
    ToolRun,
    Turn,
    from_data,
    to_data,
)
from pytest_mint.words import ARMS, LEVELS, MISSING, VALID

# A lone surrogate survives JSON; two that make a pair come back as one character.
TEXT = st.text().filter(
    lambda text: (
        text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
        == text.encode("utf-16", "ignore").decode("utf-16")
    )
)
TOKENS = st.builds(Tokens, st.integers(0), st.integers(0))
SCORE = st.floats(0, 1)
TURNS = st.builds(
    Turn,
    number=st.integers(1, 50),
    text=TEXT,
    runs=st.lists(
        st.builds(ToolRun, TEXT, TEXT, TEXT, st.booleans(), TEXT), max_size=2
    ).map(tuple),
    proposal=st.none() | TEXT,
    verdict=st.none() | st.builds(Judgement, st.booleans(), SCORE, TEXT, TEXT, TOKENS),
    label=st.sampled_from(["", "empty", "refused", "cut", "invalid"]),
    heard=TEXT,
    hint=st.none() | st.builds(Hint, TEXT, st.sampled_from(["", *LEVELS]), TOKENS),
    tokens=TOKENS,
    seconds=st.floats(0, 1e6),
    shared=st.booleans(),
    drift=TEXT,
)
MESSAGE = st.fixed_dictionaries({"role": TEXT, "content": TEXT})
EPISODES = st.builds(
    Episode,
    arm=st.sampled_from(ARMS),
    outcome=st.sampled_from(VALID + MISSING),
    success_turn=st.none() | st.integers(1, 50),
    error=TEXT,
    opening=st.lists(MESSAGE, max_size=2).map(tuple),
    turns=st.lists(TURNS, max_size=2).map(tuple),
    seconds=st.floats(0, 1e6),
)
RESULTS = st.builds(
    TaskResult,
    task=TEXT,
    category=TEXT,
    dataset=TEXT,
    trial=st.integers(1, 9),
    digest=TEXT,
    episodes=st.dictionaries(st.sampled_from(ARMS), EPISODES),
)


@given(RESULTS)
def test_records_survive_json(result):
    assert from_data(json.loads(json.dumps(to_data(result)))) == result


@given(RESULTS)
def test_data_are_builtins_only(result):
    def walk(value: Any) -> None:
        assert type(value) in (dict, list, str, int, float, bool, type(None))
        for inner in value.values() if isinstance(value, dict) else ():
            walk(inner)
        for inner in value if isinstance(value, list) else ():
            walk(inner)

    walk(to_data(result))


def test_fields_that_hold_their_default_are_left_out():
    result = TaskResult("c/t", "c", episodes={"ef": Episode("ef", "solved", 1)})
    assert to_data(result) == {
        "task": "c/t",
        "category": "c",
        "episodes": {"ef": {"arm": "ef", "outcome": "solved", "success_turn": 1}},
    }


@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "\udc80\x1b[0m"], ids=ascii)
def test_lone_surrogates_and_nul_survive(text):
    turn = Turn(1, text, (ToolRun(text, text, text),), text, heard=text)
    result = TaskResult("c/t", "c", episodes={"ef": Episode("ef", "solved", 1, text)})
    episode = Episode("ef", "unsolved", turns=(turn,))
    for one in (result, TaskResult("c/t", "c", episodes={"ef": episode})):
        assert from_data(json.loads(json.dumps(to_data(one)))) == one


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"task": "c/t"},
        {"task": "c/t", "category": "c", "more": 1},
        {"task": "c/t", "category": "c", "episodes": {"ef": {"arm": "ef"}}},
        {
            "task": "c/t",
            "category": "c",
            "episodes": {"ef": {"arm": "ef", "outcome": "x", "turns": [{}]}},
        },
    ],
)
def test_other_data_are_refused(data):
    with pytest.raises((KeyError, TypeError)):
        from_data(data)


@pytest.mark.parametrize("outcome", VALID + MISSING)
def test_an_outcome_is_the_agents_own_or_missing_data(outcome):
    episode = Episode("ef", outcome)
    assert episode.missing == (outcome in MISSING)
    assert episode.solved == (outcome == "solved")


def test_tokens_add_up_by_kind():
    assert Tokens(1, 2) + Tokens(30, 40) == Tokens(31, 42)
