"""The interval of a share."""

from __future__ import annotations

import math

#: Two-sided 95 % quantile of the normal distribution.
Z95 = 1.959963984540054

Interval = tuple[float, float]


def wilson(hits: float, total: int, z: float = Z95) -> Interval | None:
    """The score interval of a binomial share, None for a total of 0.

    E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
    Inference", Journal of the American Statistical Association 22 (1927), 209-212,
    without continuity correction.

    Args:
        hits: from 0 to ``total``.
        total: how many were tried.
        z: normal quantile; 1.96 gives 95 %.
    """
    if total == 0:
        return None
    p, square = hits / total, z * z
    middle = p + square / (2 * total)
    spread = z * math.sqrt(p * (1 - p) / total + square / (4 * total * total))
    scale = 1 + square / total
    low = 0.0 if hits == 0 else (middle - spread) / scale
    high = 1.0 if hits == total else (middle + spread) / scale
    return low, high
