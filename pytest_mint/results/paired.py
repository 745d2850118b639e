"""Two ways to play the same tasks: only tasks that ended differently tell them apart.

A pair is a task graded both ways; it is discordant if only one way solved it. Of the
discordant pairs, ``better`` are those that the way in question solved, such as arm
``nlf``, and ``worse`` those that the other did, such as arm ``ef``.
"""

from __future__ import annotations

import math

from pytest_mint.results.intervals import Z95, Interval

#: With fewer discordant pairs no outcome is significant at 5 %.
LEAST_DISCORDANT = 6

# Halvings of an interval of at most 2: the ends are right to 2e-18, below a float's
# own precision.
_HALVINGS = 60


def mcnemar(better: int, worse: int) -> float:
    """The exact two-sided p-value for "they differ by chance only".

    Q. McNemar, "Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12 (1947), 153-157, in its exact form:
    of n discordant pairs each falls either way with probability 1/2, so p is twice the
    lower tail of the binomial distribution up to the smaller of the two counts, and at
    most 1.

    Args:
        better: pairs that only the way in question solved, from 0.
        worse: pairs that only the other way solved, from 0.

    Returns:
        From 0 to 1; 1 where no pair is discordant.
    """
    discordant = better + worse
    ways, tail = 1, 0  # to choose so many of the discordant pairs, and their sum
    for chosen in range(min(better, worse) + 1):
        tail += ways
        ways = ways * (discordant - chosen) // (chosen + 1)
    # In integers up to here: floats overflow from 1024 pairs on.
    return min(1.0, 2 * tail / (1 << discordant))


def can_tell(better: int, worse: int) -> bool:
    """Whether any split of so many discordant pairs could be significant at 5 %.

    The smallest p-value of :func:`mcnemar` is that of a split n to 0, which is
    2 / 2**n: 0.0625 for 5 pairs and 0.031 for 6. With fewer than 6 discordant pairs
    the result says nothing, however many tasks were played.
    """
    return better + worse >= LEAST_DISCORDANT


def paired_difference(better: int, worse: int, total: int) -> Interval | None:
    """The 95 % score interval of the rate of the way in question less the other's.

    T. Tango, "Equivalence test and confidence interval for the difference in
    proportions for the paired-sample design", Statistics in Medicine 17 (1998),
    891-908. The interval holds every difference d that the score test does not reject:

    ::

        |better - worse - n d| <= z sqrt(n (2 q + d (1 - d)))

    where n is ``total`` and q the likeliest share of worse pairs if d is the
    difference. It excludes 0 exactly where McNemar's test without continuity
    correction, and not the exact one, rejects at 5 %.

    Args:
        better: pairs that only the way in question solved, from 0.
        worse: pairs that only the other way solved, from 0.
        total: all pairs, those included that ended the same both ways.

    Returns:
        Both ends, from -1 to 1; None for a total of 0.

    Raises:
        ValueError: a count is negative, or more pairs are discordant than there are.
    """
    if min(better, worse) < 0 or better + worse > total:
        raise ValueError(f"{better} better and {worse} worse of {total} pairs")
    if total == 0:
        return None
    # Seen from the other way, the upper end is the lower one.
    return _lower(better, worse, total), -_lower(worse, better, total)


def _lower(better: int, worse: int, total: int) -> float:
    """The smallest difference that is not rejected, found by halving.

    The statistic falls with the difference, from at least z at -1 to 0 at the
    estimate.
    """
    low, high = -1.0, (better - worse) / total
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        variance = total * _spread(better, worse, total, middle)
        # Not as a quotient: the variance is 0 at the ends of the range.
        if better - worse - total * middle >= Z95 * math.sqrt(variance):
            low = middle
        else:
            high = middle
    return low


def _spread(better: int, worse: int, total: int, difference: float) -> float:
    """The variance of one pair, ``2 q + d (1 - d)``.

    q is the larger root of ``2 n q**2 + b q + c = 0`` (Tango 1998, equation 25).
    """
    b = (2 * total - better + worse) * difference - better - worse
    c = -worse * difference * (1 - difference)
    root = math.sqrt(max(b * b - 8 * total * c, 0))
    # Of the two ways to write the root, the one that subtracts nothing alike.
    q = (root - b) / (4 * total) if b <= 0 else -2 * c / (b + root)
    return max(2 * q + difference * (1 - difference), 0)
