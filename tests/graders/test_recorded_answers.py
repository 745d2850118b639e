"""Both modes against the answers recorded by the original benchmark.

The recordings hold every distinct answer with the flag that the original gave and,
where it was ruled on by hand, the verdict that would have been right.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.faithful import grade_faithful
from pytest_mint.graders.verdict import Verdict
from pytest_mint.tasks.mint_rows import task_from_row
from pytest_mint.tasks.model import Task
from tests.needs import need, pack

Row = dict[str, Any]

#: Graded by running programs, or by a simulator.
OTHERS = ("humaneval", "mbpp", "alfworld")
#: Recorded partly before and partly after a change of the option rule.
STALE = {("theoremqa", id_) for id_ in (50, 51, 52)}
BY_HAND = ("alias", "same meaning")


@cache
def tasks() -> dict[tuple[str, Any], Task]:
    path = need(pack(), "the pack of recorded episodes") / "tasks.jsonl"
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {(row["dataset"], row["id"]): task_from_row(row) for row in rows}


@cache
def answers() -> list[Row]:
    path = need(pack(), "the pack of recorded episodes") / "answers.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["dataset"] not in OTHERS]


def strict(row: Row) -> Verdict:
    return grade(tasks()[row["dataset"], row["id"]], Proposal(row["answer"]))


def faithful(row: Row) -> Verdict:
    task = tasks()[row["dataset"], row["id"]]
    return grade(task, Proposal(row["answer"]), mode="faithful")


def assert_agreement(rows: list[Row], judged: str, least: float, mode: Any) -> None:
    differences = []
    for row in rows:
        verdict = mode(row)
        if verdict.solved != row[judged]:
            differences.append(
                f"{row['dataset']}-{row['id']} {row['answer'][:80]!r}, reference "
                f"{row['reference']!r}: {judged} {row[judged]} ({row['why']}), "
                f"graded {verdict.solved} ({verdict.reason})"
            )
    share = 1 - len(differences) / len(rows)
    assert share >= least, f"{share:.2%} of {len(rows)}\n" + "\n".join(differences)


@pytest.mark.parametrize(
    ("dataset", "least"),
    [("gsm8k", 0.995), ("math", 0.995), ("theoremqa", 0.995), ("mmlu", 0.995)],
)
def test_strict_agrees_with_what_was_ruled_right(dataset, least):
    rows = [row for row in answers() if row["dataset"] == dataset]
    ruled = [row for row in rows if row["adjudicated"] is not None]
    assert len(ruled) > 400
    assert_agreement(ruled, "adjudicated", least, strict)


def test_strict_agrees_on_short_answers_where_no_meaning_was_ruled_on():
    rows = [row for row in answers() if row["dataset"] == "hotpotqa"]
    ruled = [
        row
        for row in rows
        if row["adjudicated"] is not None and not row["why"].startswith(BY_HAND)
    ]
    assert len(ruled) > 400
    assert_agreement(ruled, "adjudicated", 0.98, strict)


@pytest.mark.parametrize("dataset", ["gsm8k", "math", "hotpotqa", "mmlu", "theoremqa"])
def test_faithful_gives_the_recorded_flag(dataset):
    rows = [
        row
        for row in answers()
        if row["dataset"] == dataset
        and row["flag"] != "mixed"
        and (dataset, row["id"]) not in STALE
    ]
    assert len(rows) > 500
    assert_agreement(rows, "flag", 0.999, faithful)


def test_the_fixed_era_gives_the_later_rule():
    rows = [
        row
        for row in answers()
        if row["dataset"] in ("gsm8k", "math", "hotpotqa")
        and isinstance(row["rule_now"], bool)
    ]
    differ = [row for row in rows if row["rule_now"] != row["rule_until_2024_06"]]
    assert differ, "no answer tells the two rules apart"

    def fixed(row: Row) -> Verdict:
        task = tasks()[row["dataset"], row["id"]]
        return grade_faithful(task, Proposal(row["answer"]), era="fixed")

    assert_agreement(rows, "rule_now", 1.0, fixed)


def faults() -> list[Any]:
    folder = pack()
    path = folder / "grader_faults.jsonl" if folder else None
    if path is None or not path.exists():
        return [pytest.param(None, id="no-recordings")]
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        pytest.param(row, id=f"{n}-{row['kind']}-{row['dataset']}-{row['id']}")
        for n, row in enumerate(rows)
        if row["dataset"] not in OTHERS
    ]


@pytest.mark.parametrize("fault", faults())
def test_a_fault_of_the_original_is_not_repeated(fault):
    if fault is None:
        need(pack(), "the pack of recorded episodes")
        pytest.fail("the pack is here, its list of faults is not")
    verdict = strict(fault)
    assert verdict.solved == fault["should_be"], f"{fault['why']}: {verdict}"


def test_every_row_of_the_task_list_is_a_task():
    found = tasks()
    assert len(found) == 586
    assert len({task.key for task in found.values()}) == 586
    assert Counter(task.category for task in found.values()) == {
        "reasoning": 316,
        "coding": 136,
        "decision_making": 134,
    }
