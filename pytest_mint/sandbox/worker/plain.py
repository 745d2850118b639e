"""Plain Python values as JSON and back, without losing their types.

JSON knows no tuple, no set, no key but text. A container therefore travels as a pair
of its type's name and its items, and only values of exactly these types travel at
all: a subclass may compare equal to everything, its items may not.
"""

from __future__ import annotations

from typing import Any

MAX_DEPTH = 100
MAX_ITEMS = 1_000_000
#: Above this, decimal digits are slow, and refused by newer Pythons.
BIG = 1 << 1024

_ATOMS = (str, bool, float, type(None))


class NotPlain(ValueError):
    """A value of another type, nested too deeply, or far too large."""


def encode(value: Any) -> Any:
    """The value as JSON data.

    Raises:
        NotPlain: a part of it is not exactly int, float, str, bool, None, list,
            tuple, dict or set.
    """
    return _encode(value, MAX_DEPTH, [MAX_ITEMS])


def _encode(value: Any, depth: int, left: list[int]) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is int:
        return value if -BIG < value < BIG else ["int", hex(value)]
    if kind not in (list, tuple, set, dict):
        raise NotPlain(f"a value of type {kind.__name__}")
    left[0] -= len(value)
    if depth == 0 or left[0] < 0:
        raise NotPlain("a value nested too deeply or with too many items")
    if kind is dict:
        items = [
            [_encode(key, depth - 1, left), _encode(item, depth - 1, left)]
            for key, item in value.items()
        ]
    else:
        items = [_encode(item, depth - 1, left) for item in value]
    return [kind.__name__, items]


def decode(data: Any) -> Any:
    """The value of :func:`encode`'s data.

    Raises:
        NotPlain: the data were not made by ``encode``.
    """
    if not isinstance(data, list):
        if isinstance(data, dict):
            raise NotPlain("an object")
        return data
    try:
        name, items = data
        if name == "int":
            return int(items, 16)
        if not isinstance(items, list):
            raise TypeError
        if name == "dict":
            return {decode(key): decode(item) for key, item in items}
        kind = {"list": list, "tuple": tuple, "set": set}[name]
        return kind([decode(item) for item in items])
    except (TypeError, ValueError, KeyError, RecursionError):
        raise NotPlain("data of no known form") from None
