"""How many answers a second are graded, and how many wrongly, beside two peers.

    MINT_PACK=... python benchmarks/grading.py [--math-verify PYTHON]

Our graders run over every recorded answer of the pack; rouge-score alone runs over the
texts that our text grader gets; Math-Verify, if an interpreter that has it is named,
runs over the number cases beside the pack and over the recorded number answers. Wrong
verdicts are counted on the cases. The slowest single answer stands beside the rate,
because a limit on every text is the point of our reader. Asserts nothing: a shared
machine keeps no time.
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
#: Run by the other interpreter: answers from standard input, seconds and verdicts out.
PEER = """
import json, sys, time
from math_verify import parse, verify
found = []
for gold, text in json.load(sys.stdin):
    began = time.perf_counter()
    try:
        right = bool(verify(parse(str(gold)), parse(text)))
    except Exception as problem:
        right = type(problem).__name__
    found.append((right, time.perf_counter() - began))
json.dump(found, sys.stdout)
"""


def recorded(pack: Path) -> dict[str, list[tuple[Task, str]]]:
    """The recorded answers by the kind of their task, programs left out."""
    with (pack / "tasks.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    tasks = {(row["dataset"], row["id"]): task_from_row(row) for row in rows}
    found = defaultdict(list)
    with gzip.open(pack / "answers.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            task = tasks[row["dataset"], row["id"]]
            if task.category == "reasoning":
                found[task.grader.kind].append((task, row["answer"]))
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


def ours(pack: Path) -> None:
    for kind, pairs in recorded(pack).items():
        for mode in ("strict", "faithful"):
            rate, slowest = timed(
                lambda p, m=mode: grade(p[0], Proposal(p[1]), m), pairs
            )
            line(f"{kind}, {mode}", len(pairs), rate, slowest)


def rouge(pack: Path) -> None:
    """Our text grader and the scorer that it uses, over recorded short answers."""
    from rouge_score.rouge_scorer import RougeScorer

    pairs = [(task.expected_output, text) for task, text in recorded(pack)["short"]]
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


def math_verify(python: str, pack: Path) -> None:
    cases = cases_of_ours()
    numbers = recorded(pack)["number"][::5]
    pairs = [(case.task["answer"], case.response) for case in cases]
    pairs += [(task.expected_output, text) for task, text in numbers]
    run = subprocess.run(
        [python, "-c", PEER],
        input=json.dumps(pairs),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(run.stdout)
    on_cases = found[: len(cases)]
    wrong = sum(
        right != case.right for (right, _), case in zip(on_cases, cases, strict=True)
    )
    seconds = [spent for _, spent in found]
    line(
        "Math-Verify",
        len(found),
        len(found) / sum(seconds),
        max(seconds) * 1000,
        f"{wrong} of {len(cases)} cases wrong",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--math-verify", metavar="PYTHON")
    chosen = parser.parse_args()
    pack = Path(os.environ.get("MINT_PACK", ""))
    if not (pack / "answers.jsonl.gz").exists():
        sys.exit("MINT_PACK must name the folder of the recorded episodes")
    print(f"{'':<32}{'answers':>8}{'a second':>12}{'slowest ms':>12}")
    ours(pack)
    rouge(pack)
    cases = cases_of_ours()
    judged = [(task_of(case), Proposal(case.response)) for case in cases]
    rate, slowest = timed(lambda p: grade(*p), judged)
    wrong = sum(
        grade(*pair).solved != case.right
        for pair, case in zip(judged, cases, strict=True)
    )
    line("number cases", len(cases), rate, slowest, f"{wrong} of {len(cases)} wrong")
    task = recorded(pack)["number"][0][0]
    for name, text in HOSTILE.items():
        rate, slowest = timed(lambda t: grade(task, Proposal(t)), [text])
        line(f"number: {name}", 1, rate, slowest)
    if chosen.math_verify:
        math_verify(chosen.math_verify, pack)


if __name__ == "__main__":
    main()
