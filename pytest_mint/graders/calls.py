"""Function calls: the ones made against the ones asked for, by JSON Schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mint.errors import GraderError
from pytest_mint.graders.arguments import expected_arguments, settled
from pytest_mint.graders.compare import Difference, Rules, differences
from pytest_mint.graders.letters import shown
from pytest_mint.graders.matching import maximum_matching
from pytest_mint.graders.submission import nothing_in, submission
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.graders.wording import says
from pytest_mint.graders.written_calls import WrittenCall, calls_in, native_call
from pytest_mint.tasks.graderspec import CallsSpec
from pytest_mint.tasks.model import TOOLS

if TYPE_CHECKING:
    from pytest_mint.tasks.model import Task

#: More calls than this in one proposal are not compared but wrong.
MAX_CALLS = 200
#: A reason names no more problems than this.
NAMED = 3


@dataclass(frozen=True)
class ExpectedCall:
    """One call asked for; its arguments with defaults filled in."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class _Made:
    """A call made, beside the calls asked for.

    Attributes:
        number: its place among the calls that count, from 1.
        differs: for each expected call of the same name, where the arguments differ.
    """

    number: int
    call: WrittenCall
    differs: Mapping[int, Sequence[Difference]]

    @property
    def fits(self) -> list[int]:
        return [index for index, found in self.differs.items() if not found]


def grade_calls(task: Task, proposal: Proposal) -> Verdict:
    """Grade the calls since the last wrong verdict.

    Native calls count; where there are none, those written in the reply's text do.
    Calls that were answered with an error are not counted, nor are the task's tools,
    and the functions that it declares free may be called or not.

    Raises:
        GraderError: the calls that the task asks for are no calls.
    """
    spec = task.grader
    if not isinstance(spec, CallsSpec):
        raise GraderError(f"{task.key} is not graded by its calls")
    schemas = {function.name: function.parameters for function in task.functions}
    wordings = [task.expected_output, *(form.answer for form in task.accept)]
    alternatives = [_expected(task, wanted, schemas) for wanted in wordings]
    reply = submission(proposal.text)
    made, rule = _made(proposal, reply, schemas)
    format_ok = all(call.format_ok for call in made)
    if not proposal.runs and not made and not reply:
        return wrong(nothing_in(proposal.text), "none")
    if len(made) > MAX_CALLS:
        return wrong(f"more than {MAX_CALLS} calls", rule, format_ok=format_ok)
    verdicts = [_compare(task, wanted, made, schemas) for wanted in alternatives]
    score, problems = min(verdicts, key=lambda verdict: (len(verdict[1]), -verdict[0]))
    if problems:
        return wrong(_reason(problems), rule, score, format_ok=format_ok)
    if not says(reply, task.must_include, task.must_not_include):
        reason = "the reply does not say what was asked for"
        return wrong(reason, rule, format_ok=format_ok)
    return right(rule, format_ok=format_ok)


def _expected(
    task: Task, wanted: Any, schemas: Mapping[str, Mapping[str, Any]]
) -> list[ExpectedCall]:
    if not isinstance(wanted, (list, tuple)):
        raise GraderError(f"{task.key}: expected a list of calls, not {wanted!r}")
    return [_expected_call(task, call, schemas) for call in wanted]


def _expected_call(
    task: Task, call: Any, schemas: Mapping[str, Mapping[str, Any]]
) -> ExpectedCall:
    name = call.get("name") if isinstance(call, Mapping) else None
    arguments = call.get("arguments", {}) if isinstance(call, Mapping) else None
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        raise GraderError(
            f"{task.key}: {call!r} is no call; expected a name and an object arguments"
        )
    if name not in schemas:
        raise GraderError(f"{task.key}: expected {name!r} is none of its functions")
    try:
        return ExpectedCall(name, expected_arguments(arguments, schemas[name]))
    except ValueError as problem:
        raise GraderError(f"{task.key}: {name}: {problem}") from None


def _made(
    proposal: Proposal, reply: str, schemas: Mapping[str, Any]
) -> tuple[list[WrittenCall], str]:
    counted = [
        native_call(run.tool, run.arguments)
        for run in proposal.runs
        if run.ok and (run.tool in schemas or run.tool not in TOOLS)
    ]
    return (counted, "runs") if counted else (calls_in(reply), "text")


def _compare(
    task: Task,
    expected: Sequence[ExpectedCall],
    made: Sequence[WrittenCall],
    schemas: Mapping[str, Mapping[str, Any]],
) -> tuple[float, list[str]]:
    """The share of the calls that fit, and the problems; none if all is right."""
    spec = task.grader
    assert isinstance(spec, CallsSpec)
    rules = Rules(unordered=spec.unordered)
    calls = [
        _Made(number, call, _differs(call, expected, schemas, rules))
        for number, call in enumerate(made, start=1)
    ]
    may_be_extra = {*spec.allow_extra, *task.free}
    strict = [one for one in calls if one.call.name not in may_be_extra]
    matched = maximum_matching([one.fits for one in calls])
    placed = maximum_matching([one.fits for one in strict])
    # A matching that covers all expected calls and one that covers all calls which
    # may not be extra give one that covers both (Mendelsohn and Dulmage 1958).
    left_over = [one for at, one in enumerate(strict) if at not in placed]
    missing = len(expected) - len(matched)
    share = len(matched) / max(len(expected), len(matched) + len(left_over), 1)
    if left_over or missing:
        return share, _problems(left_over, missing, expected, schemas)
    if spec.ordered and not _in_order(calls, len(expected), may_be_extra):
        return 0.0, ["the calls are right, their order is not"]
    return share, []


def _differs(
    call: WrittenCall,
    expected: Sequence[ExpectedCall],
    schemas: Mapping[str, Mapping[str, Any]],
    rules: Rules,
) -> dict[int, list[Difference]]:
    if call.arguments is None or call.name not in schemas:
        return {}
    given = settled(call.arguments, schemas[call.name])
    return {
        index: differences(wanted.arguments, given, rules)
        for index, wanted in enumerate(expected)
        if wanted.name == call.name
    }


def _in_order(
    calls: Sequence[_Made], expected: int, may_be_extra: Iterable[str]
) -> bool:
    """Whether the calls, read from first to last, can be the expected ones in order."""
    reached = {0}  # how many expected calls may have been seen so far
    for one in calls:
        forward = {seen + 1 for seen in reached if seen in one.fits}
        reached = forward | reached if one.call.name in may_be_extra else forward
    return expected in reached


def _problems(
    left_over: Sequence[_Made],
    missing: int,
    expected: Sequence[ExpectedCall],
    schemas: Mapping[str, Any],
) -> list[str]:
    found = []
    for one in left_over:
        problem, near = _problem(one, schemas)
        found.append(problem)
        missing -= near
    if missing > 0:
        found.append("a call is missing" if missing == 1 else "calls are missing")
    return found


def _problem(one: _Made, schemas: Mapping[str, Any]) -> tuple[str, bool]:
    """What is wrong with a call, and whether it stands for an expected one."""
    name = shown(one.call.name)
    label = f"call {one.number}, {name},"
    if one.call.name not in schemas:
        return f"call {one.number}: there is no function {name}", False
    if one.call.arguments is None:
        return f"{label} cannot be read: {one.call.problem}", False
    if not one.differs or one.fits:
        return f"{label} was not expected", False
    nearest = min(one.differs.values(), key=len)
    return f"{label} {_of_arguments(nearest)}", True


def _of_arguments(found: Sequence[Difference]) -> str:
    """Which arguments are wrong. A missing one is not named: that would tell it."""
    named = sorted({shown(one.path) for one in found if one.kind != "missing"})
    parts = []
    if named:
        parts.append(f"has unexpected arguments: {', '.join(named[:5])}")
    if any(one.kind == "missing" for one in found):
        parts.append("lacks an argument")
    return " and ".join(parts)


def _reason(problems: Sequence[str]) -> str:
    more = len(problems) - NAMED
    return "; ".join(problems[:NAMED]) + (f"; and {more} more" if more > 0 else "")
