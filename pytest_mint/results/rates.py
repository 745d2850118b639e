"""Success@k, the human utility rate, coverage: pure functions over results.

Whatever was played, the rates are those of a five-turn episode: a success at turn 6
or later is none, and with fewer turns the later k repeat the last turn's value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_mint.results.intervals import Interval, wilson
from pytest_mint.results.paired import can_tell, mcnemar, paired_difference
from pytest_mint.results.plan import Cell, Results
from pytest_mint.words import DIRECT, LEVELS, MAX_K


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
        graded: tasks graded in both arms.
        missing: tasks scheduled in both arms and not graded in both.
    """

    failed_ef: int
    rescued: int
    hurt: int
    by_level: Mapping[str, int]
    graded: int = 0
    missing: int = 0

    @property
    def rate(self) -> float | None:
        """From 0 to 1; None where no task failed without hints."""
        return self.rescued / self.failed_ef if self.failed_ef else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the rate."""
        return wilson(self.rescued, self.failed_ef)

    @property
    def without_direct(self) -> Share:
        """The rate without what ``direct`` hints rescued, which give the answer."""
        return Share(self.rescued - self.by_level.get(DIRECT, 0), self.failed_ef)

    @property
    def difference(self) -> Difference:
        """What hints change, over all tasks graded in both arms."""
        return Difference(self.rescued, self.hurt, self.graded)


@dataclass(frozen=True)
class Difference:
    """Two ways to play the same tasks: where they ended differently.

    Attributes:
        better: tasks that only the first way solved.
        worse: tasks that only the second way solved.
        total: tasks graded both ways.
    """

    better: int
    worse: int
    total: int

    @property
    def rate(self) -> float | None:
        """The change of the rate, -1 to 1; None where nothing was graded."""
        return (self.better - self.worse) / self.total if self.total else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the change."""
        return paired_difference(self.better, self.worse, self.total)

    @property
    def p(self) -> float:
        """Two-sided, by the exact McNemar test."""
        return mcnemar(self.better, self.worse)

    @property
    def tells(self) -> bool:
        """Whether so many tasks can tell anything at all, whichever way they ended."""
        return can_tell(self.better, self.worse)


@dataclass(frozen=True)
class Net:
    """HUR against a control, over the tasks that fail in ``ef`` and are graded in all.

    Attributes:
        control: the control's own rescues of these tasks.
        difference: rescued by hints and not by the control, and the other way round.
    """

    control: Share
    difference: Difference


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
    results: Results,
    category: str | None = None,
    dataset: str | None = None,
    arm: str = "nlf",
) -> tuple[tuple[Cell, Cell], ...]:
    """The cells (ef, ``arm``) of the tasks scheduled in both arms."""
    hinted = {cell.task: cell for cell in results.of(arm, category, dataset)}
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
    levels = Counter(cell.level for cell in rescued)
    return Hur(
        failed_ef=sum(not ef.solved for ef, _ in graded),
        rescued=len(rescued),
        hurt=sum(ef.solved and not nlf.solved for ef, nlf in graded),
        by_level={**dict.fromkeys(LEVELS, 0), **levels},
        graded=len(graded),
        missing=len(both) - len(graded),
    )


def net_of(results: Results, control: str) -> Net:
    """What is left of HUR when a control's rescues are taken off.

    A rescue that a hint without content brings as well is owed to being asked again.
    """
    controls = {cell.task: cell for cell in results.of(control)}
    failed = [
        (nlf, controls[ef.task])
        for ef, nlf in pairs(results)
        if ef.graded and nlf.graded and not ef.solved and ef.task in controls
    ]
    graded = [(nlf, other) for nlf, other in failed if other.graded]
    return Net(
        Share(
            sum(other.solved for _, other in graded),
            len(graded),
            len(failed) - len(graded),
        ),
        Difference(
            better=sum(nlf.solved and not other.solved for nlf, other in graded),
            worse=sum(other.solved and not nlf.solved for nlf, other in graded),
            total=len(graded),
        ),
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
