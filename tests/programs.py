"""Programs of coding tasks, run in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pytest_mint.tasks.model import Task

#: Reads {"program", "entry_point", "cases"} and writes, as JSON, which cases passed and
#: the share of the program's lines that ran.
_DRIVER = r"""
import contextlib, io, json, sys

def lines_of(code):
    found = {line for *_, line in code.co_lines() if line}
    for const in code.co_consts:
        if hasattr(const, "co_lines"):
            found |= lines_of(const)
    return found

def trace(frame, event, arg):
    if frame.f_code.co_filename != "program":
        return None
    ran.add(frame.f_lineno)
    return trace

def passes(case):
    names = {"__name__": "__main__"}
    out = io.StringIO()
    sys.stdin = io.StringIO(case["stdin"] or "")
    try:
        with contextlib.redirect_stdout(out):
            exec(code, names)
            if not job["entry_point"]:
                lines = [line.rstrip() for line in out.getvalue().rstrip().split("\n")]
                asked = case["stdout"].rstrip().split("\n")
                return lines == [line.rstrip() for line in asked]
            got = names[job["entry_point"]](*case["args"])
            return json.dumps(got) == json.dumps(case["expected"])
    except Exception:
        return False

job = json.load(sys.stdin)
ran = set()
try:
    code = compile(job["program"], "program", "exec")
except SyntaxError:
    code, passed, share = None, [False] * len(job["cases"]), 0.0
else:
    sys.settrace(trace)
    passed = [passes(case) for case in job["cases"]]
    sys.settrace(None)
    share = len(ran & lines_of(code)) / len(lines_of(code))
print(json.dumps({"passed": passed, "covered": share}))
"""


@dataclass(frozen=True)
class Outcome:
    """Which cases passed, and the share of the program's lines that they ran."""

    passed: tuple[bool, ...]
    covered: float


def run_program(task: Task, program: str) -> Outcome:
    """Run a program on the hidden tests of a task that was written for it."""
    job = {
        "program": program,
        "entry_point": getattr(task.grader, "entry_point", ""),
        "cases": [case.model_dump(mode="json") for case in task.tests],
    }
    told = run_python(_DRIVER, stdin=json.dumps(job))
    outcome = json.loads(told)
    return Outcome(tuple(outcome["passed"]), outcome["covered"])


def run_python(code: str, folder: Path | None = None, stdin: str = "") -> str:
    """What a script prints; an AssertionError with its traceback if it fails."""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        cwd=folder,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
