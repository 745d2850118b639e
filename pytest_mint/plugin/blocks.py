"""Which xdist worker plays which tests: one contiguous block each.

A worker starts its episodes ahead of their tests, so it must know early which tests
are its own, and nobody may take one away that has started and been paid for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise


def deal(keys: Sequence[str], workers: int) -> list[range]:
    """Contiguous blocks of nearly the same size, one for each worker.

    Neighbours with the same key are never parted: they are tests of one episode.

    Args:
        keys: one per test, in order.
        workers: at least 1.
    """
    ends = [0]
    for _, group in groupby(range(len(keys)), key=lambda place: keys[place]):
        ends.append(list(group)[-1] + 1)
    cuts = [
        min(ends, key=lambda end: abs(end - len(keys) * worker / workers))
        for worker in range(workers + 1)
    ]
    return [range(start, end) for start, end in pairwise(cuts)]


def share(total: int, workers: int, place: int) -> int:
    """How much of ``total`` belongs to the worker at this place; the sum is total."""
    return total // workers + (place < total % workers)
