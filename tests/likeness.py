"""How alike two texts are."""

from __future__ import annotations

from collections.abc import Iterable

#: Inputs that are more alike than this, of 100, are one task.
ALIKE = 85


def alike(one: set[str], two: set[str]) -> float:
    """Token-set similarity, 0 to 100: shared words against the smaller set's text.

    Each set is written out as its words; the words that both have, and those of the
    smaller one, are compared as 2 * common / (length + length).
    """
    common, smaller = _length(one & two), min(_length(one), _length(two))
    return 200 * common / (common + smaller)


def _length(words: Iterable[str]) -> int:
    return sum(len(word) + 1 for word in words)
