"""Programs: judged by test cases that they never see, in the sandbox.

Every case has a process of its own. Arguments go in, the result comes out as plain
values and is compared here; the expected values never enter the sandbox, so a program
can forge what it reports and still has to know the answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mint.errors import GraderError
from pytest_mint.graders.program import Program, find_program
from pytest_mint.graders.values import same_value
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.sandbox.base import CellResult, Limits
from pytest_mint.words import Grading

if TYPE_CHECKING:
    from pytest_mint.sandbox.base import Sandbox
    from pytest_mint.tasks.graderspec import CodeSpec
    from pytest_mint.tasks.model import Case, Task

#: Printed text of a program that is judged by what it prints, in bytes.
MAX_PRINTED = 1 << 20

_ERROR_LINES = 6
_ERROR_CHARACTERS = 600
_VALUE_CHARACTERS = 200
_SHOWN_EXAMPLES = 3
_SHOWN_FAILURES = 10

#: What stands for a program's error in words.
_STOPPED = {
    "timeout": "ran out of time",
    "memory": "ran out of memory",
    "output": "printed too much",
}


@dataclass(frozen=True)
class _Run:
    """How one case went: what came out, in words, and the error if there was one."""

    passed: bool
    got: str
    error: str = ""


def grade_code(
    task: Task, proposal: Proposal, mode: Grading, sandbox: Sandbox
) -> Verdict:
    """Judge a program.

    Args:
        task: of category coding.
        proposal: the reply with the program in it.
        mode: ``faithful`` runs imported tasks as the original did: the text as it is,
            without prelude.
        sandbox: where it runs.

    Raises:
        GraderError: the task has nothing to judge by.
        SandboxError: the sandbox failed, whatever the program did.
    """
    spec = task.grader
    if spec.kind != "code":
        raise GraderError(f"{task.key} is not graded as code")
    if spec.mode == "script":
        return _grade_script(spec, proposal, mode, sandbox)
    if not task.tests:
        raise GraderError(f"{task.key} has no tests")
    name = spec.entry_point if spec.mode == "function" else ""
    program = find_program(proposal.text, name, sandbox)
    if program.rule == "none":
        return wrong(f"there is no function {name} in the reply", "none")
    runs = [_run_case(spec, program, case, sandbox) for case in task.tests]
    if "random" in program.text and all(run.passed for run in runs):  # by luck?
        runs = [_run_case(spec, program, case, sandbox, seed=1) for case in task.tests]
    passed = sum(run.passed for run in runs)
    if passed == len(runs):
        return right(program.rule, passed=passed, tests=len(runs))
    examples = [_run_case(spec, program, case, sandbox) for case in task.public]
    return wrong(
        _reason(spec, task.public, examples, runs),
        program.rule,
        passed / len(runs),
        passed=passed,
        tests=len(runs),
        failures=_failures(spec, task.tests, runs),
    )


def _run_case(
    spec: CodeSpec, program: Program, case: Case, sandbox: Sandbox, seed: int = 0
) -> _Run:
    if spec.mode == "stdio":
        return _run_stdio(spec, program, case, sandbox)
    limits = Limits(seconds=spec.timeout_s, memory_mb=spec.memory_mb)
    args = list(case.args or ())
    result = sandbox.call(program.text, spec.entry_point, args, limits, seed)
    if result.status != "ok":
        return _Run(False, _STOPPED.get(result.status, "failed"), result.error)
    if not result.plain:
        return _Run(False, _short(result.error or "returned no plain value"))
    if not spec.in_place:
        passed = same_value(result.value, case.expected)
        return _Run(passed, f"gave {_shown(result.value)}")
    changed = result.arguments[0] if result.arguments else None
    passed = same_value(changed, case.expected) and (
        result.value is None or same_value(result.value, case.expected)
    )
    return _Run(passed, f"left {_shown(changed)}")


def _run_stdio(spec: CodeSpec, program: Program, case: Case, sandbox: Sandbox) -> _Run:
    limits = Limits(spec.timeout_s, spec.memory_mb, MAX_PRINTED)
    result = sandbox.script(program.text, limits, stdin=case.stdin or "")
    if result.status != "ok" and not _left_on_purpose(result):
        return _Run(False, _STOPPED.get(result.status, "failed"), result.error)
    passed = _lines(result.stdout) == _lines(case.stdout or "")
    return _Run(passed, f"printed {_shown(result.stdout)}")


def _left_on_purpose(result: CellResult) -> bool:
    """Whether a script ended by ``sys.exit`` or with status 0: its output counts."""
    last = result.error.rpartition("\n")[2]
    return last.startswith("SystemExit") or last.endswith("exit status 0")


def _lines(printed: str) -> list[str]:
    """The lines without trailing space, and without empty ones at the end."""
    return [line.rstrip() for line in printed.rstrip().split("\n")]


# Imported benchmarks: the program and its asserts, in one process


def _grade_script(
    spec: CodeSpec, proposal: Proposal, mode: Grading, sandbox: Sandbox
) -> Verdict:
    if mode != "strict":
        program = Program(proposal.text, "raw")
    else:
        # What is handed in was marked as the solution: prose in it is a mistake.
        program = find_program(proposal.text, spec.entry_point)
    if program.rule == "none":
        name = spec.entry_point
        return wrong(f"there is no function {name} in the reply", "none")
    text = program.text
    if mode == "strict" and spec.prelude:
        text = f"{spec.prelude}\n{text}"
    script = spec.script
    if mode == "strict" and spec.challenge:
        script = f"{script}\n{spec.challenge}"
    limits = Limits(seconds=spec.timeout_s, memory_mb=spec.memory_mb)
    result = sandbox.script(f"{text}\n{script}", limits, module="builtins")
    if result.status == "ok":
        return right(program.rule)
    stopped = _STOPPED.get(result.status, "failed")
    last = result.error.rpartition("\n")[2]
    if last.startswith("AssertionError"):  # the line it names is a hidden test
        return wrong("a hidden test failed", program.rule, error=result.error)
    said = f"the tests {stopped}" + (f": {_short(last)}" if last else "")
    return wrong(said, program.rule, error=result.error)


# Words


def _reason(
    spec: CodeSpec,
    public: Sequence[Case],
    examples: Sequence[_Run],
    runs: Sequence[_Run],
) -> str:
    """What failed, without what the hidden tests expect."""
    failed = [
        (case, run)
        for case, run in zip(public, examples, strict=True)
        if not run.passed
    ]
    hidden = sum(not run.passed for run in runs)
    said = []
    if public:
        said.append(f"{len(failed)} of {len(public)} public examples failed")
    said.append(f"{hidden} of {len(runs)} hidden tests failed")
    lines = [", ".join(said)]
    for case, run in failed[:_SHOWN_EXAMPLES]:
        lines.append(f"{_asked(spec, case)} {run.got}, expected {_wanted(spec, case)}")
    bad = [run for run in itertools.chain(examples, runs) if not run.passed]
    error = next((run.error for run in bad if run.error), "")
    if error:
        lines.append(_tail(error))
    elif not failed and bad[0].got in _STOPPED.values():
        lines.append(f"a hidden test {bad[0].got}")
    return "\n".join(lines)


def _failures(
    spec: CodeSpec, tests: Sequence[Case], runs: Sequence[_Run]
) -> list[dict[str, str]]:
    """The hidden tests that failed, for the reader of the report only."""
    return [
        {
            "case": _asked(spec, case),
            "got": run.got,
            "expected": _wanted(spec, case),
            "error": _tail(run.error),
        }
        for case, run in zip(tests, runs, strict=True)
        if not run.passed
    ][:_SHOWN_FAILURES]


def _asked(spec: CodeSpec, case: Case) -> str:
    if spec.mode == "stdio":
        return f"for the input {_shown(case.stdin or '')} it"
    return f"{spec.entry_point}({', '.join(map(_shown, case.args or ()))})"


def _wanted(spec: CodeSpec, case: Case) -> str:
    return _shown(case.stdout if spec.mode == "stdio" else case.expected)


def _shown(value: Any) -> str:
    try:
        return _short(repr(value))
    except ValueError:  # an integer of more digits than Python writes
        return "a very long number"


def _short(text: str) -> str:
    if len(text) <= _VALUE_CHARACTERS:
        return text
    return f"{text[:_VALUE_CHARACTERS]}... ({len(text)} characters)"


def _tail(error: str) -> str:
    """The last lines of an error."""
    return "\n".join(error.split("\n")[-_ERROR_LINES:])[-_ERROR_CHARACTERS:]
