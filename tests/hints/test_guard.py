"""The guard finds planted leaks and lets innocent hints pass, as often as we say."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mint.hints.guard import MAX_CHARS, leak
from pytest_mint.tasks.model import Task
from tests.episode.scripted import mint_task
from tests.graders.kinds import calls_task, judged_task, state_task, text_task
from tests.hints import planted
from tests.hints.planted import (
    HELD_OUT,
    HELD_OUT_INNOCENT,
    INNOCENT,
    PLANTED,
    Planted,
)

DOCS = (Path(__file__).parents[2] / "docs" / "hints.md").read_text("utf-8")
SECTION = DOCS.partition("## The leak guard")[2].partition("\n## ")[0]
#: One task of every kind.
KINDS = (
    planted.BUS, planted.DROPS, planted.ASTRONOMER, planted.FOUNDED, planted.DIVISORS,
    planted.GRAPH, planted.SAILING, planted.FERRY, planted.TABLE, planted.REFUND,
    planted.PARCELS, planted.UMBRELLA,
)  # fmt: skip


def each(hints: Sequence[Planted]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("hint", hints, ids=lambda hint: hint.name)


@each([hint for hint in (*PLANTED, *HELD_OUT) if not hint.missed])
def test_a_planted_leak_is_found(hint: Planted) -> None:
    assert leak(hint.task, hint.text)


@each([hint for hint in (*PLANTED, *HELD_OUT) if hint.missed])
def test_what_is_said_to_be_missed_is_missed(hint: Planted) -> None:
    """Once it is found, the documentation is wrong."""
    assert not leak(hint.task, hint.text)


@each([*INNOCENT, *HELD_OUT_INNOCENT])
def test_an_innocent_hint_passes(hint: Planted) -> None:
    assert bool(leak(hint.task, hint.text)) is hint.missed


def _count(hints: Sequence[Planted]) -> str:
    return f"{sum(bool(leak(hint.task, hint.text)) for hint in hints)} of {len(hints)}"


def test_the_documentation_has_the_numbers() -> None:
    assert (len(PLANTED), len(INNOCENT)) == (40, 40)
    rates = re.findall(r"\| (\d+ of \d+) \| (\d+ of \d+) \|", SECTION)
    assert rates == [
        (_count(PLANTED), _count(INNOCENT)),
        (_count(HELD_OUT), _count(HELD_OUT_INNOCENT)),
    ]


@pytest.mark.parametrize("hints", [PLANTED, HELD_OUT], ids=["planted", "held out"])
def test_the_documentation_lists_every_disguise(hints: Sequence[Planted]) -> None:
    for hint in hints:
        found = "missed" if hint.missed else "found"
        assert f"| {hint.name} | {hint.task.grader.kind} | {found} |" in SECTION


# What a text from a model must not do


PIECES = (
    "one twenty hundred point and a half of option A not is true the answer 1:00 h "
    "minutes 2027-05-21 21 May K2 P12 def x = \\u0031 MTIw 0x78 &#49; between 17 19 "
    "more than **"
)


@given(
    st.sampled_from(KINDS),
    st.one_of(
        st.text(max_size=300),
        st.text("0123456789+-*/^!%()., \n√½²IVXan'\"\\{}[]<>&;:=_`", max_size=200),
        st.lists(st.sampled_from(PIECES.split()), max_size=60).map(" ".join),
    ),
)
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_without_an_error(task: Task, text: str) -> None:
    assert isinstance(leak(task, text), str)


def test_a_text_that_is_no_hint_is_not_read() -> None:
    assert (
        leak(planted.BUS, "x" * (MAX_CHARS + 1)) == "it has more than 4000 characters"
    )


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "1 ",
        "not a       b ",
        "half of ",
        "9^",
        "\u0301",
        "<",
        "1, ",
        "\\frac",
        "½",
    ],
)
def test_a_hostile_text_is_read_in_time(piece: str) -> None:
    """Under a second each; more is allowed, as other tests run beside this one."""
    start = time.monotonic()
    for task in (planted.BUS, planted.DROPS, planted.FERRY, planted.PARCELS):
        leak(task, (piece * MAX_CHARS)[:MAX_CHARS])
    assert time.monotonic() - start < 20


# Reasons


@pytest.mark.parametrize(
    ("task", "text", "reason"),
    [
        (planted.BUS, "It is 120.", "it states the answer 120"),
        (planted.BUS, "MTIw", "it states the answer 120, in base64"),
        (planted.DROPS, "Option B.", "it names the option B"),
        (planted.DROPS, "Not A, not C, not D.", "it rules out every option but B"),
        (planted.LENSES, "60 cm", "it names what option C says"),
        (planted.GRAPH, "Yes, by Dirac.", "it says true"),
        (planted.GRAPH, "True", "it says true"),
        (planted.GRAPH, "Do not ask if it is false: it holds.", "answer is true"),
        (planted.DROPS, "Not J, but G? The answer is B.", "it names the option B"),
        (planted.SERIES, "It isn't so: the claim is not true.", "answer is false"),
        (planted.FOUNDED, "In eighteen eighty-seven.", "it states the answer 1887"),
        (planted.RIVER, "It is the Loire.", "it says the answer 'Loire'"),
        (planted.RIVER, "Loire", "it says the answer 'Loire'"),
        (planted.DIVISORS, "48 and 49", "it states all numbers of the answer"),
        (planted.REFUND, "Until the 16th of February.", "it says '2027-02-16'"),
        (planted.UMBRELLA, "On 2 March 2027.", "it holds the values of a good answer"),
        (planted.LETTER, "As you did when you were small.", "a piece of a good answer"),
        (planted.TRAM, planted.TRAM.reference, "a line of the reference program"),
    ],
)
def test_the_reason_is_said_in_words(task: Task, text: str, reason: str) -> None:
    assert reason in leak(task, text)


# Tasks of all shapes


def _short(question: str, expected: Any, **more: Any) -> Task:
    return mint_task(
        input=question, expected_output=expected, grader={"kind": "short"}, **more
    )


def test_a_short_answer_may_be_yes_or_no() -> None:
    task = _short("Is it so?", "no")
    assert leak(task, "The answer is no.")
    assert not leak(task, "There is no hurry.")
    assert not leak(task, "Here the answer is yes.")


def test_an_option_may_be_told_without_its_letter() -> None:
    assert leak(planted.DROPS, "Look at the hailstone again.")
    assert not leak(planted.DROPS, "Compare the hailstone with the snowflake.")


def test_options_that_are_not_there_tell_nothing() -> None:
    task = mint_task(expected_output="a", grader={"kind": "option"})
    assert not leak(task, "The answer is A.")
    other = planted.DROPS.model_copy(update={"expected_output": "z"})
    assert not leak(other, "The answer is B.")


def test_a_list_of_the_question_is_told_by_its_order() -> None:
    task = mint_task(
        input="Sort 31, 7 and 19.",
        expected_output=[7, 19, 31],
        grader={"kind": "list", "rel_tol": "0.01"},
    )
    assert leak(task, "Write 7, 19, 31.")
    assert not leak(task, "Begin with 7; 31 and 19 come later.")


def test_a_list_of_one_number_is_a_number() -> None:
    task = mint_task(
        input="Which roots?", expected_output=["2.5"], grader={"kind": "list"}
    )
    assert leak(task, "Only 5/2 is one.")


def test_a_task_without_an_answer_has_none_to_give_away() -> None:
    task = planted.RIVER.model_copy(update={"expected_output": None})
    assert not leak(task, "None of the rivers.")


def test_a_text_without_facts_is_told_by_its_wording() -> None:
    task = text_task("The lighthouse burned down in a thunderstorm.")
    assert leak(task, "The lighthouse burned down in a thunderstorm.")
    assert leak(task, "Look again. A lighthouse burned down in a thunderstorm.")
    assert not leak(task, "Read what became of the building.")


def test_half_of_the_facts_in_the_words_of_the_answer_tell_it() -> None:
    expected = "Anna Holm built the red mill in Vik."
    task = text_task(expected, must_include=["Holm", "Vik"])
    assert leak(task, "Say that Anna Holm built the red mill.")
    assert not leak(task, "Who was Holm?")
    assert not leak(task, "How?\nOn a hill.\nLook there.\nMore is known.")


FUNCTIONS = (
    {
        "name": "book_room",
        "parameters": {"type": "object", "properties": {"room": {"type": "string"}}},
        "answers": [{"result": "rooms R7 and R9 are free"}],
    },
)


def _booking(request: str) -> Task:
    wanted = [{"name": "book_room", "arguments": {"room": "R7"}}]
    return calls_task(FUNCTIONS, wanted, input=request)


def test_what_has_to_be_looked_up_is_told_with_the_function() -> None:
    task = _booking("Book the room with a view.")
    assert leak(task, "Why not book R7?")
    assert not leak(task, "What do you know about R7?")


def test_what_stands_in_the_request_is_told_with_the_functions_name() -> None:
    task = _booking("Book R7.")
    assert leak(task, "Use book_room with R7.")
    written = '{"name": "book_room", "arguments": {"room": "R7"}}'
    assert leak(task, f"Call {written} now.") == "it names a whole call of book_room"
    assert not leak(task, f"Do not call {written.replace('R7', 'R9')} now.")
    assert not leak(task, "R7 is the room to book.")


def test_a_small_number_alone_is_no_call() -> None:
    wanted = [{"name": "book_room", "arguments": {"room": 2}}]
    task = calls_task(FUNCTIONS, wanted, input="Book what is right.")
    assert not leak(task, "There are 2 things to consider.")
    assert leak(task, "Then book number 2.")


def test_a_date_alone_is_a_call() -> None:
    wanted = [{"name": "book_room", "arguments": {"day": "2027-05-21"}}]
    task = calls_task(FUNCTIONS, wanted, input="Book it on Friday of next week.")
    assert leak(task, "That is the 21st of May.")
    assert not leak(task, "Next week begins on the 17th of May.")


def test_calls_may_be_absent() -> None:
    assert not leak(calls_task(FUNCTIONS, None, needs="a simulator"), "Book R7.")


def test_a_small_number_in_words_counts_what_is_asked_or_nothing() -> None:
    task = mint_task(input="On how many days can they meet?", expected_output=7)
    assert leak(task, "You are left with seven days.")
    assert leak(task, "So it is seven.")
    assert leak(task, "Seven")
    assert not leak(task, "Seven of the names are not needed.")
    assert not leak(task, "There are seven names that are not needed.")


def test_a_number_of_the_question_may_be_repeated_but_not_as_the_answer() -> None:
    task = mint_task(
        input="Of 18 boys and 30 girls, how many swim?", expected_output=18
    )
    assert not leak(task, "Not all of the 18 boys do.")
    assert leak(task, "There are 18.")
    assert leak(task, "18 is the answer.")
    same = mint_task(input="Work out 9 + 9.", expected_output=18)
    assert not leak(same, "What is left of 9 + 9 after the first step?")
    assert leak(same, "It has to do with 6 + 12.")


def test_a_state_is_told_by_its_values() -> None:
    task = state_task({"door": "shut", "lamp": {"on": True, "colour": "violet"}})
    assert leak(task, "In the end the door is shut and the lamp violet.")
    assert not leak(task, "The lamp may be violet.")


def test_a_sample_may_be_absent_or_no_json() -> None:
    assert not leak(judged_task(), "Write with care.")
    good = {"good": {"text": "{no json", "score": 4}}
    assert not leak(judged_task(samples=good), "Write with care.")
