"""Whether a value that a program returned is the expected one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import Any

ABSOLUTE = 1e-6
RELATIVE = 1e-9


def same_value(got: Any, expected: Any) -> bool:
    """Compare plain values.

    Lists and tuples are one kind, numbers too, except that a boolean is none. Where a
    float is involved, a difference of ``ABSOLUTE`` or of ``RELATIVE`` times the larger
    number is none.

    Args:
        got: plain values only, as the sandbox hands them over.
        expected: what the task says.
    """
    if isinstance(expected, bool) or isinstance(got, bool):
        return isinstance(expected, bool) and got is expected
    if isinstance(expected, (int, float)):
        return isinstance(got, (int, float)) and _same_number(got, expected)
    if isinstance(expected, Mapping):
        return isinstance(got, Mapping) and _same_mapping(got, expected)
    if isinstance(expected, Set):
        return isinstance(got, Set) and _same_set(got, expected)
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        return (
            isinstance(got, (list, tuple))
            and len(got) == len(expected)
            and all(map(same_value, got, expected))
        )
    return type(got) is type(expected) and bool(got == expected)


def _same_number(got: float, expected: float) -> bool:
    if isinstance(got, int) and isinstance(expected, int):
        return got == expected
    if got == expected or (got != got and expected != expected):
        return True
    try:
        return math.isclose(got, expected, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except OverflowError:  # an integer that no float can hold
        return False


def _same_mapping(got: Mapping[Any, Any], expected: Mapping[Any, Any]) -> bool:
    if len(got) != len(expected):
        return False
    left = dict(got)
    for key, value in expected.items():
        found = next((one for one in left if same_value(one, key)), _MISSING)
        if found is _MISSING or not same_value(left.pop(found), value):
            return False
    return True


def _same_set(got: Set[Any], expected: Set[Any]) -> bool:
    if len(got) != len(expected):
        return False
    left = list(got)
    for item in expected:
        found = next((n for n, one in enumerate(left) if same_value(one, item)), -1)
        if found < 0:
            return False
        del left[found]
    return True


_MISSING = object()
