"""What other projects' graders of numbers say, run by an interpreter that has them.

    PYTHON benchmarks/peers.py math-verify | lm-eval < pairs.json

Pairs of a reference and a reply come as JSON from standard input. For every grader of
the package, JSON on standard output has the verdict on each pair and its seconds. A
grader that fails gives the error's name in place of a verdict. Needs nothing of ours,
so that the package alone has to be there.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

Judge = Callable[[str, str], bool]


def math_verify() -> dict[str, Judge]:
    from math_verify import parse, verify

    return {"Math-Verify": lambda gold, reply: verify(parse(gold), parse(reply))}


def lm_eval() -> dict[str, Judge]:
    """The extractors of gsm8k as its task file sets them, and those of MATH.

    ``hendrycks_math`` looks for dollar signs in a reply and for a box in the reference
    only. The last line looks for a box in the reply as well, and takes the whole reply
    where there is none, which is the kindest use of the same functions.
    """
    import lm_eval.tasks
    import yaml
    from lm_eval.api import metrics  # noqa: F401 - fills the registry
    from lm_eval.tasks.hendrycks_math import utils as math

    path = Path(lm_eval.tasks.__file__).with_name("gsm8k") / "gsm8k.yaml"
    task = yaml.safe_load(path.read_text(encoding="utf-8"))
    judges = {f"lm-eval gsm8k {f['name']}": gsm8k(task, f) for f in task["filter_list"]}

    def as_its_task(gold: str, reply: str) -> bool:
        doc = {"solution": f"\\boxed{{{gold}}}"}
        return bool(math.process_results(doc, [reply])["exact_match"])

    def last_box(gold: str, reply: str) -> bool:
        box = math.last_boxed_only_string(reply)
        return math.is_equiv(math.remove_boxed(box) if box else reply, gold)

    judges["lm-eval hendrycks_math"] = as_its_task
    judges["lm-eval is_equiv of last box"] = last_box
    return judges


def gsm8k(task: dict, pipeline: dict) -> Judge:
    """One of the task's filters, then its metric with its own arguments."""
    from lm_eval.api.registry import get_filter, get_metric

    steps = []
    for given in pipeline["filter"]:
        arguments = {name: item for name, item in given.items() if name != "function"}
        steps.append(get_filter(given["function"])(**arguments))
    (metric,) = task["metric_list"]
    compare = get_metric(metric["metric"])
    named = ("metric", "aggregation", "higher_is_better")
    options = {name: item for name, item in metric.items() if name not in named}

    def judge(gold: str, reply: str) -> bool:
        found = [[reply]]
        for step in steps:
            found = step.apply(found, [{}])
        target = [f"#### {gold}"]
        score = compare(predictions=list(found), references=target, **options)
        return bool(score[metric["metric"]])

    return judge


def judged(judge: Judge, gold: str, reply: str) -> tuple[bool | str, float]:
    began = time.perf_counter()
    try:
        right: bool | str = judge(gold, reply)
    except Exception as problem:
        right = type(problem).__name__
    return right, time.perf_counter() - began


def main() -> None:
    judges = {"math-verify": math_verify, "lm-eval": lm_eval}[sys.argv[1]]
    pairs = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):  # some of them print warnings
        found = {
            name: [judged(judge, gold, reply) for gold, reply in pairs]
            for name, judge in judges().items()
        }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
