"""What holds for every number and every text."""

from __future__ import annotations

import signal
import sys
import threading
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.answer import read_answer, without_thoughts
from pytest_mint.graders.numerals import number_in_words
from pytest_mint.graders.prose import read_quantities
from pytest_mint.graders.verdict import Verdict
from pytest_mint.tasks.mint_rows import task_from_row
from pytest_mint.tasks.model import Task
from tests.graders.cases import HINTS
from tests.graders.test_numbers import number_task

MARKS = st.text(st.sampled_from("0123456789.,-+*/^!%()[]{}$\\ \n=<>|_'xe√π½²万one"))
TEXTS = st.one_of(st.text(), MARKS)
#: Pieces that a careless reader would spend quadratic time on.
HOSTILE = (
    "{|}|(|)|[|1|1,|1/|9**|-|$|**|a)|x|\\frac{|\\boxed{|\\sqrt{|<think>|</think>|"
    "<solution>|</solution>|<solution></solution>|answer|answer to |answer is |"
    "The answer is 1\n|one|1 |\n|\\|±|½|\u0301|\x00"
)
PIECES = st.sampled_from(HOSTILE.split("|"))
DECIMALS = st.decimals(
    allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=4
)
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def value(text: str, locale: str = "") -> Fraction:
    (quantity,) = read_quantities(text, locale)
    return quantity.value


@given(DECIMALS)
def test_a_decimal_is_read_back_in_every_way_of_writing(number):
    written = f"{number:.4f}"
    grouped = f"{number:,.4f}"
    continental = grouped.translate(str.maketrans(",.", ".,"))
    for text in (
        written,
        grouped,
        grouped.replace(",", " "),
        grouped.replace(",", "'"),
        grouped.replace(",", "\u202f"),
        grouped.replace(",", "{,}"),
        grouped.replace(",", "\\,"),
        written.replace("-", "−"),
        written.translate(FULL_WIDTH),
        written.translate(ARABIC),
        f"The answer is {written}.",
        f"x = {written}",
        f"**{written}**",
        f"({written})",
        f"\\text{{{written}}}",
        f"{written} apples",
        f"{written} kg",
        f"{written}e0",
        f"{written} × 10^0",
    ):
        assert value(text) == Fraction(number), text
    assert value(continental, "de") == Fraction(number)
    assert value(written.replace(".", ","), "fr") == Fraction(number)


@given(DECIMALS)
def test_money_and_percent_are_read_back(number):
    written = f"{number:,.4f}"
    assert value(f"€{written}") == Fraction(number)
    assert value(f"{written}%") == Fraction(number) / 100
    assert value(f"{written} million") == Fraction(number) * 10**6


@given(st.integers(-999, 999), st.integers(1, 999), st.integers(1, 999))
def test_fractions_and_mixed_numbers_are_read_back(whole, above, below):
    fraction = Fraction(above, below)
    assert value(f"{above}/{below}") == fraction
    assert value(f"\\frac{{{above}}}{{{below}}}") == fraction
    if whole and fraction < 1:
        sign = -1 if whole < 0 else 1
        assert value(f"{whole} {above}/{below}") == whole + sign * fraction
        assert value(f"{whole}\\frac{{{above}}}{{{below}}}") == whole + sign * fraction


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)
)
def test_a_float_is_read_back_as_python_prints_it(number):
    assert value(repr(number)) == Fraction(Decimal(repr(number)))


@given(st.integers(0, 999_999))
def test_number_words_are_read_back(number):
    assert number_in_words(in_words(number).split()) == number
    assert value(in_words(number).replace("ty ", "ty-")) == number


@given(
    st.recursive(
        st.integers(1, 20).map(str),
        lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        ),
        max_leaves=6,
    )
)
def test_arithmetic_has_the_value_that_python_gives(expression):
    assert value(expression) == eval(expression)


@given(TEXTS)
def test_any_text_gets_a_verdict(text):
    for task in TASKS:
        assert isinstance(grade(task, Proposal(text)), Verdict)
        assert isinstance(grade(task, Proposal(text), mode="faithful"), Verdict)


@settings(deadline=None, max_examples=60)
@given(PIECES, st.sampled_from([390, 1990, 1 << 20]), st.booleans())
def test_any_long_text_gets_a_verdict(piece, length, closes):
    text = piece * (length // len(piece)) + ("\nThe answer is 3." if closes else "")
    for task in TASKS:
        assert isinstance(grade(task, Proposal(text)), Verdict)
        assert isinstance(grade(task, Proposal(text), mode="faithful"), Verdict)


@given(TEXTS)
def test_what_is_outside_think_blocks_is_part_of_the_text(text):
    kept = without_thoughts(text)
    assert len(kept) <= len(text)
    assert read_answer(f"<think>{text}").text == read_answer("<think>").text or (
        "</think" in text.lower() or "</thought" in text.lower()
    )


@pytest.mark.parametrize("text", ["(" * 100_000, "9" * 1_000_000, "√" * 100_000])
def test_grading_leaves_the_process_as_it_was(text):
    before = (
        sys.getrecursionlimit(),
        threading.active_count(),
        signal.getsignal(signal.SIGALRM),
        signal.getitimer(signal.ITIMER_REAL),
    )
    for task in TASKS:
        grade(task, Proposal(text))
    assert before == (
        sys.getrecursionlimit(),
        threading.active_count(),
        signal.getsignal(signal.SIGALRM),
        signal.getitimer(signal.ITIMER_REAL),
    )


ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen"
)
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"


def in_words(number: int) -> str:
    if number < 20:
        return ONES.split()[number]
    if number < 100:
        tens, rest = TENS.split()[number // 10], number % 10
        return f"{tens} {in_words(rest)}" if rest else tens
    unit, name, joint = (100, "hundred", " and ")
    if number >= 1000:
        unit, name, joint = (1000, "thousand", " ")
    rest = number % unit
    head = f"{in_words(number // unit)} {name}"
    return head + joint + in_words(rest) if rest else head


def task_of_kind(kind: str, expected: object, **grader: object) -> Task:
    return Task.model_validate(
        {
            "id": kind,
            "category": "reasoning",
            "input": "Which?",
            "expected_output": expected,
            "hints": HINTS,
            "grader": {"kind": kind, **grader},
        }
    )


def imported(dataset: str, reference: object, **more: object) -> Task:
    prompt = "Which? Options: A ) 1 , B ) 2 , C ) 3"
    row = {"dataset": dataset, "id": 1, "prompt": prompt, "reference": reference}
    return task_from_row({**row, **more})


TASKS = (
    number_task(7),
    number_task(7, unit="km"),
    task_of_kind("option", "a", options={"a": "1", "b": "x + 1"}),
    task_of_kind("short", "Matt Flynn"),
    task_of_kind("list", [1, 2]),
    task_of_kind("boolean", True),
    imported("math", "7.0"),
    imported("mmlu", "a"),
    imported("hotpotqa", "yes"),
    imported("theoremqa", 7, answer_type="integer"),
    imported("theoremqa", [1, 2], answer_type="list of integer"),
    imported("theoremqa", True, answer_type="bool"),
)
