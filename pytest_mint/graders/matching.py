"""Maximum matching between two lists, given which items fit together."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


def maximum_matching(fits: Sequence[Sequence[int]]) -> dict[int, int]:
    """Match as many left items as can be, each with a right item of its own.

    A greedy choice can take the only partner of a later item; augmenting paths
    (Kuhn 1955), searched breadth first so that no depth limits them, cannot.

    Args:
        fits: for each left item the right items that it fits.

    Returns:
        Left item to right item.
    """
    left_of: dict[int, int] = {}
    for start in range(len(fits)):
        _augment(start, fits, left_of)
    return {left: right for right, left in left_of.items()}


def _augment(
    start: int, fits: Sequence[Sequence[int]], left_of: dict[int, int]
) -> None:
    came_from: dict[int, int] = {}  # right item -> the left item that reached it
    waiting = deque([start])
    while waiting:
        left = waiting.popleft()
        for right in fits[left]:
            if right in came_from:
                continue
            came_from[right] = left
            if right in left_of:
                waiting.append(left_of[right])
                continue
            _flip(right, start, came_from, left_of)
            return


def _flip(
    right: int, start: int, came_from: dict[int, int], left_of: dict[int, int]
) -> None:
    """Give every right item on the path to the left item that reached it."""
    partner = {left: taken for taken, left in left_of.items()}
    while True:
        left = came_from[right]
        left_of[right] = left
        if left == start:
            return
        right = partner[left]
