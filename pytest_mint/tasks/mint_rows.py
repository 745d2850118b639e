"""One row of the MINT benchmark's task list as a task of ours.

The rows keep the original's questions and references; what is chosen here is how an
answer is graded strictly. The original's own rules need no choice: they follow from
``dataset`` and the reference alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from pytest_mint.tasks.model import DEFAULT_TOLERANCE, Task

#: The original's limit for one program and its asserts, in seconds.
SCRIPT_SECONDS = 10.0
REASONING_TOOLS = ("python_interpreter", "wikipedia_search")

#: Questions whose answer is a set, so that any order of the list is right.
_ORDER_FREE = re.compile(r"\beigen ?values\b")


#: Other right answers to questions of hotpotqa, by id.
_ALIASES: Mapping[int, tuple[str, ...]] = {
    5: ("Max Martin, Savan Kotecha, Ilya Salmanzadeh",),
    10: ("Teach the Controversy",),
    15: ("Neveldine and Taylor", "Neveldine/Taylor"),
    36: ("Royce da 5'9\" and Eminem", "Eminem and Royce da 5'9\""),
}

#: Questions whose answer is a number of percent, with or without the sign.
_PERCENT = re.compile(r"\bas a percent(?:age)?\b|\bwhat percent", re.IGNORECASE)


def task_from_row(row: Mapping[str, Any]) -> Task:
    """The task of one row.

    Args:
        row: a line of the task list: ``dataset``, ``id``, ``prompt``, ``reference``
            and what the dataset adds; ``shown_prompt`` is the text the model saw
            where it differs from ``prompt``.

    Raises:
        ValueError: the dataset is unknown or the row breaks a rule of tasks.
        KeyError: a field is missing.
    """
    dataset = row["dataset"]
    if dataset not in _DATASETS:
        known = ", ".join(_DATASETS)
        raise ValueError(f"unknown dataset {dataset!r}; expected one of {known}")
    common = {
        "id": task_id(dataset, row["id"]),
        "input": row.get("shown_prompt") or row["prompt"],
        "dataset": dataset,
        "rules": "mint-bench",
    }
    return Task.model_validate({**common, **_DATASETS[dataset](row)})


def task_id(dataset: str, identity: int | str) -> str:
    """The id that a row's task has with us: ``gsm8k-12``."""
    slug = re.sub(r"[^a-z0-9._-]+", "-", str(identity).lower()).strip("-")
    return f"{dataset}-{slug}"


def _reasoning(grader: dict[str, Any], expected: Any) -> dict[str, Any]:
    return {
        "category": "reasoning",
        "tools": REASONING_TOOLS,
        "grader": grader,
        "expected_output": expected,
    }


def _number(row: Mapping[str, Any]) -> dict[str, Any]:
    expected = str(row["reference"]).strip()
    size = abs(Decimal(expected))
    tolerance = min(DEFAULT_TOLERANCE, size / 10) if size else DEFAULT_TOLERANCE
    unit = "%" if _PERCENT.search(row["prompt"]) else ""
    grader = {"kind": "number", "tolerance": tolerance, "unit": unit}
    return _reasoning(grader, expected)


def _short(row: Mapping[str, Any]) -> dict[str, Any]:
    why = "the reference says more than the question asks"
    accept = [{"answer": form, "why": why} for form in _ALIASES.get(row["id"], ())]
    return {**_reasoning({"kind": "short"}, row["reference"]), "accept": accept}


def _option(row: Mapping[str, Any]) -> dict[str, Any]:
    return _reasoning({"kind": "option"}, row["reference"])


def _theoremqa(row: Mapping[str, Any]) -> dict[str, Any]:
    kind, expected = row["answer_type"], row["reference"]
    grader: dict[str, Any]
    if kind == "integer":
        grader = {"kind": "number", "tolerance": Decimal(0)}
    elif kind == "float":
        grader = {"kind": "number", "rel_tol": Decimal("0.01")}
    elif kind == "bool":
        grader = {"kind": "boolean"}
    elif kind.lower() == "option":
        grader = {"kind": "option"}
    elif kind in ("list of integer", "list of float"):
        grader = {"kind": "list", "ordered": not _ORDER_FREE.search(row["prompt"])}
        if kind == "list of float":
            grader["rel_tol"] = Decimal("0.01")
    else:
        raise ValueError(f"unknown answer_type {kind!r}")
    return _reasoning(grader, expected)


def _coding(row: Mapping[str, Any], entry_point: str, prelude: str) -> dict[str, Any]:
    return {
        "category": "coding",
        "tools": ("python_interpreter",),
        "grader": {
            "kind": "code",
            "mode": "script",
            "script": row["reference"],
            "entry_point": entry_point,
            "prelude": prelude,
            "timeout_s": SCRIPT_SECONDS,
        },
    }


def _humaneval(row: Mapping[str, Any]) -> dict[str, Any]:
    # The question is the head of a program: an answer that repeats only the function
    # asked for may use the imports and helpers above it.
    entry_point, prompt = row["entry_point"], row["prompt"]
    head = prompt[: prompt.index(f"def {entry_point}(")].rstrip()
    return _coding(row, entry_point, f"{head}\n" if head else "")


def _mbpp(row: Mapping[str, Any]) -> dict[str, Any]:
    defined = re.findall(r"^def\s+(\w+)", row["code"], re.MULTILINE)
    called = set(re.findall(r"\w+", row["reference"]))
    entry_point = next((name for name in defined if name in called), "")
    task = _coding(row, entry_point, row.get("test_setup_code") or "")
    task["grader"]["challenge"] = "\n".join(row.get("challenge_test_list") or ())
    return task


def _alfworld(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "category": "decision_making",
        "grader": {"kind": "state"},
        "needs": "the ALFWorld simulator",
    }


_DATASETS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "gsm8k": _number,
    "math": _number,
    "hotpotqa": _short,
    "mmlu": _option,
    "theoremqa": _theoremqa,
    "humaneval": _humaneval,
    "mbpp": _mbpp,
    "alfworld": _alfworld,
}
