"""Gates: conditions on the results that decide the exit code.

::

    [category:][ef:|nlf:]success@k    k from 1 to 5
    [category:]hur
    [category:]coverage

followed by ``>=``, ``>``, ``<=`` or ``<`` and a number, ``0.6`` or ``60%``.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

from pytest_mint.errors import UserError
from pytest_mint.results.intervals import wilson
from pytest_mint.results.plan import Cell, Plan, Results
from pytest_mint.results.rates import Share, coverage, pairs, success_at
from pytest_mint.words import ARMS, CATEGORIES, MAX_K

State = Literal["PASS", "FAIL", "INCONCLUSIVE"]

_COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}
_RATES = (*(f"success@{k}" for k in range(1, MAX_K + 1)), "hur", "coverage")
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(%?)")


@dataclass(frozen=True)
class Gate:
    """One condition.

    Attributes:
        text: as the user wrote it.
        rate: ``success``, ``hur`` or ``coverage``.
        k: the turn of ``success``, else 0.
        arm: of ``success``; empty for the arm of the verdict.
        category: empty for all.
    """

    text: str
    rate: str
    comparison: str
    threshold: Fraction
    k: int = 0
    arm: str = ""
    category: str = ""

    def holds(self, value: Fraction) -> bool:
        """Whether this value would meet the condition."""
        return _COMPARISONS[self.comparison](value, self.threshold)


@dataclass(frozen=True)
class Decision:
    """What became of a gate.

    Attributes:
        state: ``PASS`` and ``FAIL`` hold whatever the missing data would have been.
        value: of the rate as measured, 0 to 1; None if nothing was.
        worst, best: of the rate if all missing tasks had ended in the worst or in the
            best way; None where that is unknown.
        why: a sentence, if the gate is INCONCLUSIVE.
    """

    gate: Gate
    state: State
    value: float | None = None
    worst: float | None = None
    best: float | None = None
    why: str = ""


def parse_gate(text: str) -> Gate:
    """Reads a gate.

    Raises:
        UserError: names the gate, the part that is wrong and what is allowed.
    """
    found = re.search(r"[<>=!~≥≤]+", text)
    if not found:
        raise _error(text, "no comparison", f"one of {', '.join(_COMPARISONS)}")
    left, sign, right = (
        text[: found.start()].strip(),
        found.group(),
        text[found.end() :].strip(),
    )
    if sign not in _COMPARISONS:
        meant = {"=": ">=", "==": ">=", "=>": ">=", "≥": ">=", "=<": "<=", "≤": "<="}
        raise _error(
            text,
            f"unknown comparison {sign!r}",
            f"one of {', '.join(_COMPARISONS)}",
            meant.get(sign, ""),
        )
    threshold = _threshold(text, right)
    *prefixes, rate = (part.strip() for part in left.split(":"))
    name, k = _rate(text, rate)
    category, arm = _prefixes(text, prefixes)
    if arm and name != "success":
        raise _error(
            text,
            f"{name} has no arm, it is over both",
            "only a category in front of it",
            f"{category}:{name}" if category else name,
        )
    return Gate(text.strip(), name, sign, threshold, k, arm, category)


def _threshold(text: str, number: str) -> Fraction:
    found = _NUMBER.fullmatch(number)
    allowed = "a number from 0 to 1, or from 0% to 100%"
    if not found:
        raise _error(text, f"{number!r} is no threshold", allowed)
    # By way of Decimal the threshold is exactly what was written: 0.6 is 3/5.
    value = Fraction(Decimal(found[1])) / (100 if found[2] else 1)
    if value > 1:
        meant = f"{found[1]}%" if not found[2] and value <= 100 else ""
        raise _error(text, f"{number!r} is above 1", allowed, meant)
    return value


def _rate(text: str, rate: str) -> tuple[str, int]:
    if rate in ("hur", "coverage"):
        return rate, 0
    if rate in _RATES:
        return "success", int(rate[-1])
    allowed = f"success@1 to success@{MAX_K}, hur or coverage"
    if re.fullmatch(r"success@[0-9]+", rate):
        k = rate.partition("@")[2]
        raise _error(text, f"k is {k}, an episode has turns 1 to {MAX_K}", allowed)
    raise _error(text, f"unknown rate {rate!r}", allowed, _near(rate, _RATES))


def _prefixes(text: str, prefixes: list[str]) -> tuple[str, str]:
    category = arm = ""
    for prefix in prefixes:
        if prefix in ARMS and not arm:
            arm = prefix
        elif prefix in CATEGORIES and not category and not arm:
            category = prefix
        elif prefix in (*ARMS, *CATEGORIES):
            raise _error(
                text,
                f"{prefix!r} is one prefix too many or in the wrong place",
                "[category:][ef:|nlf:] in this order, each once",
            )
        else:
            raise _error(
                text,
                f"unknown prefix {prefix!r}",
                f"an arm ({', '.join(ARMS)}) or a category ({', '.join(CATEGORIES)})",
                _near(prefix, (*ARMS, *CATEGORIES)),
            )
    return category, arm


def _near(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    return "".join(get_close_matches(word.lower(), known, n=1))


def _error(text: str, problem: str, allowed: str, meant: str = "") -> UserError:
    hint = f"; did you mean {meant!r}?" if meant else ""
    return UserError(f"gate {text!r}: {problem}; expected {allowed}{hint}")


def decide(gate: Gate, results: Results) -> Decision:
    """Whether a gate holds, now and whatever the missing data would have been."""
    if why := _undecidable(gate, results):
        return Decision(gate, "INCONCLUSIVE", why=why)
    ends = _ends(gate, results)
    if ends.value is None or ends.worst is None or ends.best is None:
        return Decision(gate, "INCONCLUSIVE", why=ends.empty)
    value, worst, best = float(ends.value), float(ends.worst), float(ends.best)
    at_worst, at_best = gate.holds(ends.worst), gate.holds(ends.best)
    if at_worst == at_best:
        return Decision(gate, "PASS" if at_worst else "FAIL", value, worst, best)
    why = f"{ends.missing} without a result could turn it"
    return Decision(gate, "INCONCLUSIVE", value, worst, best, why)


def gate_arm(gate: Gate, plan: Plan) -> str:
    """The arm that a gate on ``success`` speaks of."""
    return gate.arm or plan.verdict_arm


def gate_size(gate: Gate, plan: Plan) -> int:
    """How many tasks are scheduled of those that a gate speaks of."""
    arm = gate_arm(gate, plan)
    return sum(
        arm in plan.arms[one.key] or gate.rate != "success"
        for one in plan.scheduled
        if gate.category in ("", one.category)
    )


def noise(gate: Gate, n: int) -> float | None:
    """The change of a rate over ``n`` tasks that chance alone explains.

    Half the width of the 95 % interval around the threshold, 0 to 1. None for the
    rates whose number of tasks is not known before (hur) or that are no sample
    (coverage), and for ``n`` = 0.
    """
    if gate.rate != "success":
        return None
    interval = wilson(float(gate.threshold) * n, n)
    return (interval[1] - interval[0]) / 2 if interval else None


def _undecidable(gate: Gate, results: Results) -> str:
    plan = results.plan
    of_category = f" of {gate.category}" if gate.category else ""
    if not any(gate.category in ("", one.category) for one in plan.scheduled):
        return f"no task{of_category} is scheduled"
    if gate.rate == "success" and not gate_size(gate, plan):
        return f"arm {gate_arm(gate, plan)} was not played{of_category}"
    if gate.rate == "hur" and not pairs(results, gate.category or None):
        return f"hur needs both arms, and no task{of_category} has both"
    return ""


class _Ends(NamedTuple):
    """A rate as measured and at both ends of what it may be."""

    value: Fraction | None
    worst: Fraction | None
    best: Fraction | None
    missing: str = ""  # how many tasks lie between the ends
    empty: str = ""  # why there is no value


def _ends(gate: Gate, results: Results) -> _Ends:
    category = gate.category or None
    if gate.rate == "coverage":
        # What is missing is what coverage counts, so nothing is left open.
        share = coverage(results, category)
        known = _ratio(share.hits, share.total)
        return _Ends(known, known, known)
    if gate.rate == "hur":
        return _hur_ends(results, category)
    arm = gate_arm(gate, results.plan)
    return _success_ends(success_at(results, arm, gate.k, category))


def _success_ends(share: Share) -> _Ends:
    everything = share.total + share.missing
    return _Ends(
        value=_ratio(share.hits, share.total),
        worst=_ratio(share.hits, everything),
        best=_ratio(share.hits + share.missing, everything),
        missing=_tasks(share.missing),
        empty="nothing was graded",
    )


def _hur_ends(results: Results, category: str | None) -> _Ends:
    """The ends of rescued / failed, when any missing arm may turn out either way.

    A task whose ``ef`` is missing may leave the denominator altogether (solved), so
    the worst and the best way are not simply "failed" and "solved":

    ======  =======  ================  ================
    ef      nlf      worst             best
    ======  =======  ================  ================
    failed  missing  not rescued       rescued
    missing solved   no failure        rescued
    missing failed   not rescued       no failure
    missing missing  not rescued       rescued
    ======  =======  ================  ================
    """
    count = Counter((_state(ef), _state(nlf)) for ef, nlf in pairs(results, category))
    rescued = count["failed", "solved"]
    failed = rescued + count["failed", "failed"]
    either = count["failed", "missing"] + count["missing", "missing"]
    lowering, raising = count["missing", "failed"], count["missing", "solved"]
    if not failed:
        graded = sum(n for states, n in count.items() if "missing" not in states)
        empty = "no task failed without hints" if graded else "nothing was graded"
        return _Ends(None, None, None, empty=empty)
    return _Ends(
        value=_ratio(rescued, failed),
        worst=_ratio(rescued, failed + either + lowering),
        best=_ratio(rescued + either + raising, failed + either + raising),
        missing=_tasks(either + lowering + raising),
    )


def _state(cell: Cell) -> str:
    if not cell.graded:
        return "missing"
    return "solved" if cell.solved else "failed"


def _ratio(hits: int, total: int) -> Fraction | None:
    return Fraction(hits, total) if total else None


def _tasks(n: int) -> str:
    return "1 task" if n == 1 else f"{n} tasks"
