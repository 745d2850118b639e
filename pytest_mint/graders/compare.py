"""Typed comparison of JSON-like values, with the paths where they differ.

null is not absent, true is not 1, {} is not [], "5" is not 5. Numbers are compared by
value (2 = 2.0) and exactly, except that noise of floats (0.1 + 0.2) is no difference.
A path is the keys joined by dots, positions in lists left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeGuard

from pytest_mint.graders.letters import normal
from pytest_mint.graders.matching import maximum_matching

#: What floats may be apart, absolute and as a share of the larger one.
NOISE = Fraction(1, 10**9)

#: Deeper values than this are not compared but different.
MAX_DEPTH = 64

Kind = Literal["different", "missing", "unexpected"]


@dataclass(frozen=True)
class Difference:
    """One place where the values differ; the path of the whole is ""."""

    path: str
    kind: Kind


@dataclass(frozen=True)
class AnyOf:
    """An expected value of which several forms are right; None may be left out."""

    options: tuple[Any, ...]


@dataclass(frozen=True)
class Rules:
    """What does not count.

    Attributes:
        ignore: paths that are not compared, with all below them.
        unordered: paths of lists whose order does not count; copies do.

    A path is written as keys joined by dots; ``*`` stands for any one key. Positions
    in lists may be left out or written (``orders.0.at``, ``orders[0].at``,
    ``orders[].at``).
    """

    ignore: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()

    def ignored(self, path: _Path) -> bool:
        """Whether what is at this path does not count."""
        return path.is_named_by(self._ignore)

    def free_order(self, path: _Path) -> bool:
        """Whether the order of the list at this path does not count."""
        return path.is_named_by(self._unordered)

    @cached_property
    def _ignore(self) -> re.Pattern[str]:
        return _pattern(self.ignore)

    @cached_property
    def _unordered(self) -> re.Pattern[str]:
        return _pattern(self.unordered)


@dataclass(frozen=True)
class _Path:
    """Where a value is: by keys alone, and with the positions in lists."""

    keys: str = ""
    full: str = ""
    depth: int = 0

    def key(self, name: str) -> _Path:
        return _Path(_join(self.keys, name), _join(self.full, name), self.depth + 1)

    def position(self, index: int) -> _Path:
        return _Path(self.keys, _join(self.full, str(index)), self.depth + 1)

    def is_named_by(self, pattern: re.Pattern[str]) -> bool:
        return any(pattern.fullmatch(form) for form in (self.keys, self.full))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _pattern(paths: Iterable[str]) -> re.Pattern[str]:
    """Our own few marks only: the rest of a task's path is plain text."""
    return re.compile("|".join(map(_one_pattern, paths)) or r"(?!)")


def _one_pattern(path: str) -> str:
    path = re.sub(r"\[(\d+)\]", r".\1", path).replace("[]", ".*").lstrip(".")
    return re.escape(path).replace(r"\*", r"[^.]*")


def differences(
    expected: Any, observed: Any, rules: Rules | None = None
) -> list[Difference]:
    """Where ``observed`` is not as expected; empty if the two are the same."""
    return list(_differences(expected, observed, rules or Rules(), _Path()))


def conditions(expected: Any, rules: Rules | None = None) -> int:
    """How many single values are asked for: the leaves, ignored ones left out."""
    return _conditions(expected, rules or Rules(), _Path())


def _conditions(expected: Any, rules: Rules, path: _Path) -> int:
    if rules.ignored(path):
        return 0
    if path.depth > MAX_DEPTH or not expected:
        return 1
    if isinstance(expected, Mapping):
        return sum(
            _conditions(value, rules, path.key(_text(key)))
            for key, value in expected.items()
        )
    if isinstance(expected, (list, tuple)):
        return sum(
            _conditions(value, rules, path.position(index))
            for index, value in enumerate(expected)
        )
    return 1


def _differences(
    expected: Any, observed: Any, rules: Rules, path: _Path
) -> Iterable[Difference]:
    if rules.ignored(path):
        return []
    here = [Difference(path.keys, "different")]
    if path.depth > MAX_DEPTH:
        return here
    if isinstance(expected, AnyOf):
        fits = any(
            not list(_differences(option, observed, rules, path))
            for option in expected.options
        )
        return [] if fits else here
    if isinstance(expected, Mapping) and isinstance(observed, Mapping):
        return _of_objects(expected, observed, rules, path)
    if _is_list(expected) and _is_list(observed):
        if rules.free_order(path):
            return [] if _same_items(expected, observed, rules, path) else here
        return _of_lists(expected, observed, rules, path)
    return [] if same_scalar(expected, observed) else here


def _of_objects(
    expected: Mapping[Any, Any], observed: Mapping[Any, Any], rules: Rules, path: _Path
) -> Iterable[Difference]:
    wanted = {_text(key): value for key, value in expected.items()}
    given = {_text(key): value for key, value in observed.items()}
    found: list[Difference] = []
    for key, value in wanted.items():
        below = path.key(key)
        if key in given:
            found += _differences(value, given[key], rules, below)
        elif not (_may_be_absent(value) or rules.ignored(below)):
            found.append(Difference(below.keys, "missing"))
    for key in given:
        below = path.key(key)
        if key not in wanted and not rules.ignored(below):
            found.append(Difference(below.keys, "unexpected"))
    return found


def _of_lists(
    expected: list[Any], observed: list[Any], rules: Rules, path: _Path
) -> Iterable[Difference]:
    if len(expected) != len(observed):
        return [Difference(path.keys, "different")]
    found: list[Difference] = []
    for index, (wanted, given) in enumerate(zip(expected, observed, strict=True)):
        found += _differences(wanted, given, rules, path.position(index))
    return found


def _same_items(
    expected: list[Any], observed: list[Any], rules: Rules, path: _Path
) -> bool:
    if len(expected) != len(observed):
        return False
    fits = [
        [
            index
            for index, given in enumerate(observed)
            if not list(_differences(wanted, given, rules, path.position(index)))
        ]
        for wanted in expected
    ]
    return len(maximum_matching(fits)) == len(expected)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _may_be_absent(value: Any) -> bool:
    return isinstance(value, AnyOf) and None in value.options


def _text(key: Any) -> str:
    """JSON keys are text: 1 and "1" are one key."""
    return key if isinstance(key, str) else str(key)


def same_scalar(expected: Any, observed: Any) -> bool:
    """Whether two values that are no containers are the same, type included."""
    if isinstance(expected, bool) or isinstance(observed, bool):
        return expected is observed
    if _is_number(expected) and _is_number(observed):
        return _same_number(expected, observed)
    if isinstance(expected, str) and isinstance(observed, str):
        return expected == observed or normal(expected, "NFC") == normal(
            observed, "NFC"
        )
    return type(expected) is type(observed) and bool(expected == observed)


def _is_number(value: Any) -> TypeGuard[int | float | Decimal]:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _same_number(
    expected: int | float | Decimal, observed: int | float | Decimal
) -> bool:
    if not (_is_finite(expected) and _is_finite(observed)):
        return expected == observed
    a, b = _exact(expected), _exact(observed)
    if a == b:
        return True
    if a.denominator == 1 and b.denominator == 1:
        return False  # whole numbers are ids and counts: every digit counts
    return abs(a - b) <= NOISE * max(Fraction(1), abs(a), abs(b))


def _is_finite(value: int | float | Decimal) -> bool:
    # A long int or Decimal must not pass through float, where it overflows.
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) or value.is_finite()


def _exact(value: int | float | Decimal) -> Fraction:
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
