"""Success@k, the human utility rate, coverage: pure functions over results.

Whatever was played, the rates are those of a five-turn episode: a success at turn 6
or later is none, and with fewer turns the later k repeat the last turn's value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_mint.records import Tokens
from pytest_mint.results.plan import Cell, Results
from pytest_mint.results.rows import ROLES
from pytest_mint.words import LEVELS, MAX_K

#: Two-sided 95 % quantile of the normal distribution.
Z95 = 1.959963984540054

Interval = tuple[float, float]


@dataclass(frozen=True)
class Share:
    """``hits`` of ``total``; ``missing`` more would belong to the total."""

    hits: int
    total: int
    missing: int = 0

    @property
    def rate(self) -> float | None:
        """From 0 to 1; None where nothing was graded."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the rate."""
        return wilson(self.hits, self.total)


@dataclass(frozen=True)
class Hur:
    """The human utility rate, over the tasks graded in both arms.

    Attributes:
        failed_ef: tasks not solved without hints.
        rescued: those of them that were solved with hints.
        hurt: tasks solved without hints and not with them.
        by_level: rescued tasks by the last hint before the success: the three
            levels, and ``unlabelled`` and ``none`` (no hint yet) if they occur.
        missing: tasks scheduled in both arms and not graded in both.
    """

    failed_ef: int
    rescued: int
    hurt: int
    by_level: Mapping[str, int]
    missing: int = 0

    @property
    def rate(self) -> float | None:
        """From 0 to 1; None where no task failed without hints."""
        return self.rescued / self.failed_ef if self.failed_ef else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the rate."""
        return wilson(self.rescued, self.failed_ef)


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


def success_at(
    results: Results,
    arm: str,
    k: int,
    category: str | None = None,
    dataset: str | None = None,
) -> Share:
    """The share of graded tasks that were solved by turn ``k``, from 1 to 5."""
    cells = results.of(arm, category, dataset)
    graded = [cell for cell in cells if cell.graded]
    hits = sum(cell.solved_by(k) for cell in graded)
    return Share(hits, len(graded), len(cells) - len(graded))


def solved_later(results: Results, arm: str) -> int:
    """How many tasks were solved after turn 5, and so count as unsolved."""
    return sum(
        cell.success_turn is not None and cell.success_turn > MAX_K
        for cell in results.of(arm)
    )


def gain(
    results: Results,
    arm: str,
    first: int = 1,
    last: int = MAX_K,
    category: str | None = None,
    dataset: str | None = None,
) -> float | None:
    """What the turns after ``first`` add to the rate, up to turn ``last``."""
    before = success_at(results, arm, first, category, dataset)
    after = success_at(results, arm, last, category, dataset)
    return (after.hits - before.hits) / after.total if after.total else None


def pairs(
    results: Results, category: str | None = None, dataset: str | None = None
) -> tuple[tuple[Cell, Cell], ...]:
    """The cells (ef, nlf) of the tasks scheduled in both arms."""
    hinted = {cell.task: cell for cell in results.of("nlf", category, dataset)}
    return tuple(
        (cell, hinted[cell.task])
        for cell in results.of("ef", category, dataset)
        if cell.task in hinted
    )


def hur(
    results: Results, category: str | None = None, dataset: str | None = None
) -> Hur:
    """Of the tasks that fail in arm ``ef``, how many arm ``nlf`` solves."""
    both = pairs(results, category, dataset)
    graded = [(ef, nlf) for ef, nlf in both if ef.graded and nlf.graded]
    rescued = [nlf for ef, nlf in graded if nlf.solved and not ef.solved]
    levels = Counter(cell.level or "none" for cell in rescued)
    return Hur(
        failed_ef=sum(not ef.solved for ef, _ in graded),
        rescued=len(rescued),
        hurt=sum(ef.solved and not nlf.solved for ef, nlf in graded),
        by_level={**dict.fromkeys(LEVELS, 0), **levels},
        missing=len(both) - len(graded),
    )


def coverage(results: Results, category: str | None = None) -> Share:
    """The share of scheduled tasks that were graded in every arm scheduled for them."""
    tasks = {
        one.key for one in results.plan.scheduled if category in (None, one.category)
    }
    lost = {cell.task for cell in results.missing} & tasks
    return Share(len(tasks) - len(lost), len(tasks))


def mean_turns(results: Results, arm: str) -> float | None:
    """Turns played per graded task."""
    turns = [cell.turns for cell in results.of(arm) if cell.graded]
    return sum(turns) / len(turns) if turns else None


def tokens(results: Results) -> dict[str, Tokens]:
    """Tokens by role; what missing episodes used is counted as well."""
    return {
        role: sum((row.tokens.get(role, Tokens()) for row in results.rows), Tokens())
        for role in ROLES
    }
