"""How many answers a second are graded, and how many wrongly, beside three peers.

    MINT_PACK=... python benchmarks/grading.py [--math-verify PYTHON] [--lm-eval PYTHON]

Our graders run over every recorded answer of the pack; rouge-score alone runs over the
texts that our text grader gets. Math-Verify and the extractors of the lm-evaluation-
harness, if interpreters that have them are named (``pip install math-verify``,
``pip install lm-eval``), run over the number cases beside the pack and over the
recorded number answers that were ruled right or wrong; the same two sets are graded
by us. Wrong verdicts are counted on both; a grader that fails is wrong, too. The
slowest single answer stands beside the rate, because a limit on every text is the
point of our reader. Asserts nothing: a shared machine keeps no time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.cases import Case, task_of
from pytest_mint.tasks.mint_rows import task_from_row
from pytest_mint.tasks.model import Task
from tests.graders.cases import load_cases
from tests.graders.kinds import text_task

NUMBERS = ("reasoning", "science")
HOSTILE = {
    "9**9**9": "The answer is 9**9**9",
    "1 MiB of {": "{" * (1 << 20),
    "1 MiB of <solution>": "<solution>" * ((1 << 20) // 10),
    "nested powers": "Answer: " + "(9^" * 90 + "9" + ")" * 90,
    "1 MiB of \\boxed{": "\\boxed{" * ((1 << 20) // 7),
}
PEERS = Path(__file__).with_name("peers.py")


@dataclass(frozen=True)
class Answer:
    """One recorded answer, and whether it was ruled right; None where it was not."""

    task: Task
    text: str
    reference: str
    right: bool | None


def recorded(pack: Path) -> dict[str, list[Answer]]:
    """The recorded answers by the kind of their task, programs left out."""
    with (pack / "tasks.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    tasks = {(row["dataset"], row["id"]): task_from_row(row) for row in rows}
    found = defaultdict(list)
    with gzip.open(pack / "answers.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            task = tasks[row["dataset"], row["id"]]
            if task.category == "reasoning":
                found[task.grader.kind].append(
                    Answer(
                        task, row["answer"], str(row["reference"]), row["adjudicated"]
                    )
                )
    return found


def timed(judge: Callable[[Any], object], items: Sequence[Any]) -> tuple[float, float]:
    """Judgements a second (median of five rounds) and the slowest one in ms."""
    rounds, slowest = [], 0.0
    for _ in range(5):
        began = time.perf_counter()
        for item in items:
            start = time.perf_counter()
            judge(item)
            slowest = max(slowest, time.perf_counter() - start)
        rounds.append(len(items) / (time.perf_counter() - began))
    return statistics.median(rounds), slowest * 1000


def line(name: str, count: int, rate: float, slowest: float, errors: str = "") -> None:
    print(f"{name:<32}{count:>8}{rate:>12,.0f}{slowest:>12.1f}   {errors}")


def ours(answers: dict[str, list[Answer]]) -> None:
    for kind, items in answers.items():
        for mode in ("strict", "faithful"):
            rate, slowest = timed(
                lambda a, m=mode: grade(a.task, Proposal(a.text), m), items
            )
            line(f"{kind}, {mode}", len(items), rate, slowest)


def rouge(answers: list[Answer]) -> None:
    """Our text grader and the scorer that it uses, over recorded short answers."""
    from rouge_score.rouge_scorer import RougeScorer

    pairs = [(answer.task.expected_output, answer.text) for answer in answers]
    scorer = RougeScorer(["rougeL"])
    rate, slowest = timed(lambda p: scorer.score(*p), pairs)
    line("rouge-score alone", len(pairs), rate, slowest)
    judged = [(text_task(wanted), Proposal(text)) for wanted, text in pairs]
    rate, slowest = timed(lambda p: grade(*p), judged)
    line("text", len(judged), rate, slowest)


def cases_of_ours() -> list[Case]:
    params = [p for name in ("grading", "choices") for p in load_cases(name, NUMBERS)]
    cases = [p.values[0] for p in params if p.values[0]]
    return [case for case in cases if case.right != "error"]


def numbers(cases: list[Case], answers: list[Answer], peers: dict[str, str]) -> None:
    """Ours and the peers over the number cases and the recorded numbers.

    Args:
        peers: the interpreter that has a peer, by the name that peers.py knows it by.
    """
    judged = [(task_of(case), Proposal(case.response)) for case in cases]
    judged += [(answer.task, Proposal(answer.text)) for answer in answers]
    wanted = [case.right for case in cases] + [answer.right for answer in answers]
    rate, slowest = timed(lambda p: grade(*p), judged)
    verdicts = [grade(*pair).solved for pair in judged]
    compared(len(cases), "ours", verdicts, wanted, rate, slowest)
    pairs = [(str(case.task["answer"]), case.response) for case in cases]
    pairs += [(answer.reference, answer.text) for answer in answers]
    for peer, python in peers.items():
        run = subprocess.run(
            [python, str(PEERS), peer],
            input=json.dumps(pairs),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        for name, found in json.loads(run.stdout).items():
            verdicts, seconds = zip(*found, strict=True)
            rate, slowest = len(found) / sum(seconds), max(seconds) * 1000
            compared(len(cases), name, verdicts, wanted, rate, slowest)


def compared(
    cases: int,
    name: str,
    verdicts: Sequence[bool | str],
    wanted: Sequence[bool],
    rate: float,
    slowest: float,
) -> None:
    """A line with the errors on the cases, which come first, and on the recordings."""
    pairs = zip(verdicts, wanted, strict=True)
    wrong = [verdict != right for verdict, right in pairs]
    shown = (
        f"{sum(wrong[:cases])} of {cases} cases, "
        f"{sum(wrong[cases:])} of {len(wrong) - cases} recorded"
    )
    if failed := sum(isinstance(verdict, str) for verdict in verdicts):
        shown += f"; failed {failed} times"
    line(name, len(wrong), rate, slowest, shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for peer in ("math-verify", "lm-eval"):
        parser.add_argument(f"--{peer}", metavar="PYTHON", dest=peer)
    chosen = vars(parser.parse_args())
    pack = Path(os.environ.get("MINT_PACK", ""))
    if not (pack / "answers.jsonl.gz").exists():
        sys.exit("MINT_PACK must name the folder of the recorded episodes")
    answers = recorded(pack)
    print(f"{'':<32}{'answers':>8}{'a second':>12}{'slowest ms':>12}   wrong verdicts")
    ours(answers)
    rouge(answers["short"])
    ruled = [answer for answer in answers["number"] if answer.right is not None]
    numbers(
        cases_of_ours(), ruled, {n: python for n, python in chosen.items() if python}
    )
    for name, text in HOSTILE.items():
        task = answers["number"][0].task
        rate, slowest = timed(lambda t, s=task: grade(s, Proposal(t)), [text])
        line(f"number: {name}", 1, rate, slowest)


if __name__ == "__main__":
    main()
