from __future__ import annotations

import textwrap
from decimal import Decimal

import pytest

from pytest_mint.records import Episode, Hint, TaskResult, Turn
from pytest_mint.report.plain import columns
from pytest_mint.report.text import heading, lines
from pytest_mint.results.gates import decide, parse_gate
from pytest_mint.results.plan import Results
from pytest_mint.results.prices import Price
from pytest_mint.words import CATEGORIES
from tests.results.build import result, results_of, sample

PRICES = {
    "agent": Price(Decimal(1), Decimal(2), Decimal(1), "test"),
    "hints": Price(Decimal(10), Decimal(20), Decimal(10), "test"),
}


def shown(results, gates=(), **options) -> str:
    decisions = [decide(parse_gate(gate), results) for gate in gates]
    found = lines(results, decisions, **options)
    return "\n".join(line.text for line in found)


def markups(results, gates=(), **options) -> dict[str, str]:
    decisions = [decide(parse_gate(gate), results) for gate in gates]
    return {line.text: line.markup for line in lines(results, decisions, **options)}


def test_the_section_of_the_sample():
    gates = ["success@3>=0.6", "hur>=0.58", "nlf:success@5>=60%", "science:hur>0.9"]
    found = shown(sample(), gates, run_dir=".mint/runs/x", prices=PRICES, seconds=372)
    assert found == textwrap.dedent(
        """\
        subset: 14 of 16; 2 need a judge

        success@k, ef            tasks     @1     @2     @3     @4     @5   gain
          reasoning                  5   20.0   40.0   60.0   60.0   60.0  +40.0
          coding                   5/6    0.0    0.0    0.0   20.0   40.0  +40.0
          science                  2/3   50.0   50.0   50.0   50.0   50.0   +0.0
          all                    12/14   16.7   25.0   33.3   41.7   50.0  +33.3
             95 % interval               5-45   9-53  14-61  19-68  25-75

        success@k, with hints    tasks     @1     @2     @3     @4     @5   gain
          reasoning                  5   20.0   40.0   60.0   80.0   80.0  +60.0
          coding                   5/6   20.0   20.0   40.0   60.0   80.0  +60.0
          science                  1/2    0.0  100.0  100.0  100.0  100.0 +100.0
          all                    11/13   18.2   36.4   54.5   72.7   81.8  +63.6
             95 % interval               5-48  15-65  28-79  43-90  52-95

        HUR  80.0 %  (4 of 5 tasks that fail without hints, 95 % 38-96; 1 made worse)
             by level that was enough: vague 1, specific 1, direct 1, before any hint 1
             without direct hints, which give the answer: 60.0 % (3 of 5, 95 % 23-88)
        Hints change success@5 by +30.0 points (95 % -15.3 to +64.0; 4 better, 1 worse:
             too few to say anything)

        hints by category  failed  rescued  direct  hurt    HUR    95 %       p
          reasoning             2        1       0     0   50.0    9-91     few
          coding                2        2       1     1  100.0  34-100     few
          science               1        1       0     0  100.0  21-100     few
          all                   5        4       1     1   80.0   38-96     few
             few: the arms ended differently in fewer than 6 tasks, and no split of so
             few can be told from chance

        Turns 4 and 5 add 16.7 points; turn 5 alone 8.3.

        cost                in   cached      out          time       USD
          agent          6.2 k        -      620           0 s    0.0074
          hints            300        -       30           0 s    0.0036
        Cost 0.0110 USD · hints 33 % · 0.0018 USD of hinting for each of 3 more tasks
             solved
        Took 6 min 12 s

        Coverage 78.6 % (11 of 14 scheduled tasks graded)
        Mean turns: ef 3.83, with hints 3.18
        Missing 3 of 14 tasks:
          coding/c5 (ef): provider_error: provider_error here
          coding/c6 (nlf): grader_error: grader_error here
          science/s3 (ef, nlf): cancelled: not played

        gate success@3>=0.6       FAIL           33.3 (worst 28.6, best 42.9)
        gate hur>=0.58            INCONCLUSIVE   80.0 (worst 57.1, best 87.5)
             3 tasks without a result could turn it
        gate nlf:success@5>=60%   PASS           81.8 (worst 69.2, best 84.6)
        gate science:hur>0.9      INCONCLUSIVE   100.0 (worst 50.0, best 100.0)
             1 task without a result could turn it

        Run: .mint/runs/x"""
    )


def test_where_no_model_was_asked_there_is_no_bill():
    free = [TaskResult("coding/a", "coding", episodes={"ef": Episode("ef", "limit")})]
    found = shown(results_of(free), seconds=12)
    assert "Took 12 s" in found
    assert "cost" not in found.lower()


def test_the_tokens_of_a_replay_are_called_recorded():
    found = shown(sample(), prices=PRICES, replayed=True)
    assert "\nrecorded            in   cached" in found


def test_controls_stand_beside_hur_and_have_no_table():
    played = [
        result(f"coding/t{n}", {"ef": "unsolved", "nlf": 3, "placebo": "unsolved"})
        for n in range(8)
    ]
    played += [result("coding/p", {"ef": "unsolved", "nlf": "limit", "placebo": 3})]
    found = shown(results_of(played), prices=PRICES)
    assert "success@k, placebo" not in found
    unwrapped = found.replace("\n     ", " ")
    assert "Control placebo: rescues 11.1 % (1 of 9 tasks); HUR net of it" in unwrapped
    assert "net of it +77.8 points (95 % " in unwrapped
    assert "exact McNemar p = 0.039)" in unwrapped
    assert "  placebo " in found  # on the bill


def test_a_control_that_was_never_graded_says_so():
    ends = {"ef": "unsolved", "nlf": 3, "placebo": "sandbox_error"}
    found = shown(results_of([result("coding/a", ends)]))
    assert "Control placebo: no failed task was graded in it" in found


def test_leaks_are_counted():
    hint = Hint("h", "vague", leaks=2, replaced=True)
    turns = (Turn(1, "a", hint=hint), Turn(2, "b"))
    played = {"ef": Episode("ef", "limit"), "nlf": Episode("nlf", "limit", turns=turns)}
    found = shown(results_of([TaskResult("coding/a", "coding", episodes=played)]))
    assert "Leaks: 2 hints of the teacher gave the answer away" in found
    assert "1 replaced" in found.replace("\n     ", " ")


def test_published_numbers_stand_beside_ones_own():
    assert "published" not in shown(sample())
    assert "gpt-4" in shown(sample(), compared="gpt-4")


def test_what_matters_is_coloured():
    gates = ["success@3>=0.6", "hur>=0.58", "nlf:success@5>=60%"]
    found = markups(sample(), gates, problems=["the disk is full"])
    colours = {text.split("  ")[0]: markup for text, markup in found.items() if markup}
    assert colours == {
        "": "bold",  # the rows of all tasks
        "Coverage 78.6 % (11 of 14 scheduled tasks graded)": "yellow",
        "Missing 3 of 14 tasks:": "red",
        "gate success@3>=0.6": "red",
        "gate hur>=0.58": "yellow",
        "gate nlf:success@5>=60%": "green",
        "the disk is full": "red",
    }


def test_one_arm_has_one_table_and_no_hur():
    found = shown(results_of([result("coding/a", {"ef": 2})]))
    assert found == textwrap.dedent(
        """\
        success@k, ef    tasks     @1     @2     @3     @4     @5   gain
          coding             1    0.0  100.0  100.0  100.0  100.0 +100.0
          all                1    0.0  100.0  100.0  100.0  100.0 +100.0
             95 % interval       0-79 21-100 21-100 21-100 21-100

        Turns 4 and 5 add 0.0 points; turn 5 alone 0.0.

        cost                in   cached      out          time       USD
          agent            200        -       20           0 s  unpriced
        Cost unknown: no price for agent; set one with --mint-price
             NAME=PROMPT/COMPLETION

        Coverage 100.0 % (1 of 1 scheduled task graded)
        Mean turns: ef 2.00"""
    )


def test_nothing_graded_has_dashes_and_no_rates():
    found = shown(results_of([], {"coding/a": ("ef", "nlf")}), ["success@1>=0"])
    assert "  coding                   0/1      -      -      -      -      -" in found
    assert "HUR  -  (no task failed without hints; 0 made worse)" in found
    assert "Coverage 0.0 % (0 of 1 scheduled task graded)" in found
    assert "gate success@1>=0   INCONCLUSIVE   -\n     nothing was graded" in found
    assert "Turns" not in found
    assert "Mean turns" not in found


def test_nothing_scheduled_is_said():
    found = shown(results_of([], not_applicable={"coding/a": "a sandbox"}))
    assert found == "subset: 0 of 1; 1 needs a sandbox\n\nNothing was scheduled."


def test_reasons_of_a_subset_are_counted():
    not_applicable = {f"decision_making/w{n}": "the simulator" for n in range(134)}
    not_applicable["science/x"] = "a judge"
    played = [result("coding/a", {"ef": 1})]
    found = shown(results_of(played, not_applicable=not_applicable))
    assert found.startswith("subset: 1 of 136; 134 need the simulator, 1 needs a judge")


def test_datasets_have_a_table_of_their_own():
    played = [
        result("reasoning/m", {"ef": 1, "nlf": 1}, dataset="math"),
        result("reasoning/g", {"ef": "unsolved", "nlf": 3}, dataset="gsm8k"),
        result("reasoning/x", {"ef": "unsolved", "nlf": 3}),
    ]
    found = shown(results_of(played)).splitlines()
    at = found.index(next(line for line in found if "by dataset, with hints" in line))
    assert [line.split() for line in found[at + 1 : at + 4]] == [
        ["gsm8k", "1", "0.0", "0.0", "100.0", "100.0", "100.0", "+100.0"],
        ["math", "1", "100.0", "100.0", "100.0", "100.0", "100.0", "+0.0"],
        ["all", "3", "33.3", "33.3", "100.0", "100.0", "100.0", "+66.7"],
    ]


def test_hints_that_rescued_nothing_have_no_levels():
    played = [result("coding/a", {"ef": "unsolved", "nlf": "unsolved"})]
    found = shown(results_of(played))
    assert "HUR  0.0 %  (0 of 1 tasks that fail without hints, 95 % 0-79;" in found
    assert "by level" not in found


def test_hints_without_level_are_called_unlabelled():
    played = [result("coding/a", {"ef": "unsolved", "nlf": 3}, hints={1: "", 2: ""})]
    assert "by level that was enough: unlabelled 1\n" in shown(results_of(played))


@pytest.mark.parametrize(
    ("turns", "says"),
    [
        (1, "Episodes had at most 1 turn: the columns after @1 repeat it."),
        (3, "Episodes had at most 3 turns: the columns after @3 repeat it."),
        (4, "Turn 4 adds 50.0 points."),
        (4, "Episodes had at most 4 turns: the columns after @4 repeat it."),
        (5, "Turns 4 and 5 add 50.0 points; turn 5 alone 0.0."),
        (8, "Turns 4 and 5 add 50.0 points; turn 5 alone 0.0."),
        (8, "all rates count the first 5. Solved later: ef 1."),
    ],
)
def test_what_the_number_of_turns_means_is_said(turns, says):
    ends = [4, 6] if turns == 8 else [min(4, turns), "unsolved"]
    played = [
        result(f"coding/t{n}", {"ef": end}, turns=turns) for n, end in enumerate(ends)
    ]
    assert says in shown(results_of(played, max_turns=turns))


def test_turns_that_were_not_played_are_not_spoken_of():
    played = [result("coding/a", {"ef": 1}, turns=3)]
    assert "Turns 4" not in shown(results_of(played, max_turns=3))


def test_the_first_ten_missing_tasks_are_named():
    played = [result(f"coding/t{n:02}", {"ef": "sandbox_error"}) for n in range(13)]
    found = shown(results_of(played))
    assert "Missing 13 of 13 tasks:" in found
    assert "coding/t09 (ef): sandbox_error" in found
    assert "coding/t10" not in found
    assert "  and 3 more: see the run" in found


def test_an_interrupted_run_is_incomplete_and_names_errors_first():
    unplayed = {f"coding/t{n}": ("ef",) for n in range(20)}
    whole = results_of([result("coding/z", {"ef": "provider_error"})], unplayed)
    found = shown(Results(whole.plan, whole.rows, interrupted=True))
    assert found.startswith("incomplete: interrupted with 20 of 21 tasks not played")
    after = found[found.index("Missing 21 of 21 tasks:") :].splitlines()
    assert after[1] == "  coding/z (ef): provider_error: provider_error here"


def test_a_complete_run_is_not_called_incomplete():
    assert "incomplete" not in shown(sample())


def test_drift_is_counted():
    turns = (Turn(1, "a", drift="other"), Turn(2, "b", drift="other"), Turn(3, "c"))
    played = {"ef": Episode("ef", "unsolved", turns=turns)}
    found = shown(results_of([TaskResult("coding/a", "coding", episodes=played)]))
    assert "Drift: 2 prompts in 1 task not as recorded" in found


HOSTILE = "\x1b[31m\x1b]0;pwned\x07evil\r\n\u202e gate hur>=0.1   PASS \ud800" * 20


def test_text_of_others_cannot_draw_on_the_terminal():
    error = Episode("ef", "provider_error", error=HOSTILE)
    played = [
        TaskResult(f"coding/{HOSTILE}", "coding", HOSTILE, episodes={"ef": error})
    ]
    results = results_of(played, not_applicable={"science/a": HOSTILE})
    found = lines(results, problems=[HOSTILE], run_dir=HOSTILE)
    for text in [heading(HOSTILE), *(line.text for line in found)]:
        assert text.isprintable()
        text.encode()


def test_a_model_stands_in_the_heading():
    assert heading("claude-2") == "mint: claude-2"
    assert len(heading("m" * 500)) <= 66


@pytest.mark.parametrize("width", [66, 80, 120])
def test_every_line_fits(width):
    ends = [1, 2, 3, 4, 5, "unsolved", "sandbox_error", "provider_error"]
    played = [
        result(
            f"{category}/{'long-name-' * 6}{n}",
            {"ef": end, "nlf": ends[(n + 3) % 8]},
            dataset="a dataset with a very long name indeed" if n % 2 else "",
        )
        for category in CATEGORIES
        for n, end in enumerate(ends * 80)
    ]
    needs = {f"science/x{n}": f"a thing of kind {n % 9}" for n in range(90)}
    whole = results_of(played, not_applicable=needs)
    gates = [
        "instruction_following:nlf:success@3>=60.123456789012%",
        "information_retrieval:hur>=0.5",
        "success@1<=0.31",
    ]
    results = Results(whole.plan, whole.rows, interrupted=True)
    decisions = [decide(parse_gate(gate), results) for gate in gates]
    found = lines(results, decisions, width=width, problems=["word " * 99], seconds=9e4)
    assert max(columns(line.text) for line in found) <= width
    assert len(found) > 60
