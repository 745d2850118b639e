"""The published results of the original benchmark, and one's own beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from pytest_mint.errors import UserError
from pytest_mint.results.plan import Results
from pytest_mint.results.rates import Share, hur, success_at
from pytest_mint.settings import did_you_mean
from pytest_mint.words import MAX_K

OPTION = "--mint-compare-published"


@dataclass(frozen=True)
class Study:
    """What was published of no model in particular; shares from 0 to 1.

    Attributes:
        source: where all the numbers are from.
        tasks: how many there are, by category.
        human_agreement: how often people agreed.
        hints_cost: the hints' part of what a run costs.
    """

    source: str
    tasks: Mapping[str, int]
    human_agreement: float
    hints_cost: float

    @property
    def total(self) -> int:
        """How many tasks the published rates are over."""
        return sum(self.tasks.values())


@dataclass(frozen=True)
class Published:
    """What was published of a model; rates from 0 to 1, None where there is none.

    Attributes:
        name: the model.
        turn1: solved in one turn.
        ef, nlf: solved in five turns, without and with hints.
        gain: ``nlf`` less ``ef``.
        hur: the human utility rate. It does not follow from ``gain``: see ``implied``.
        by_turn: ``ef`` after each of turns 1 to 5, or empty.
        by_category: ``nlf`` by category, or empty.
        study: what it is a part of.
    """

    name: str
    turn1: float
    ef: float
    nlf: float
    gain: float
    hur: float | None
    by_turn: tuple[float, ...]
    by_category: Mapping[str, float]
    study: Study

    @property
    def implied(self) -> float:
        """The share of failed tasks that ``gain`` comes to, which HUR should be near.

        Both are counted over the tasks that fail without hints. They differ only by
        the tasks that hints made worse, which take from the gain and not from HUR.
        """
        return self.gain / (1 - self.ef)


@dataclass(frozen=True)
class Beside:
    """A published number and one's own, 0 to 1; ``tasks`` are what one's own is of."""

    published: float | None
    own: float | None
    tasks: int = 0

    @property
    def difference(self) -> float | None:
        """One's own less the published; None where one of them is not there."""
        if self.own is None or self.published is None:
            return None
        return self.own - self.published


@dataclass(frozen=True)
class Comparison:
    """A model's published results, and one's own beside them.

    One's own are over the tasks that were graded: in the arm of a rate, and in both
    arms for ``gain``; ``hur`` is of those of them that failed without hints. After
    fewer than five turns there is nothing to compare with a rate of five.

    Attributes:
        published: all that was published.
        scheduled: how many tasks one's own session was to play.
        turn1, ef, nlf, gain, hur, by_turn, by_category: as in :class:`Published`.
    """

    published: Published
    scheduled: int
    turn1: Beside
    ef: Beside
    nlf: Beside
    gain: Beside
    hur: Beside
    by_turn: tuple[Beside, ...] = ()
    by_category: Mapping[str, Beside] = field(default_factory=dict)

    @property
    def subset(self) -> bool:
        """Whether one's own numbers are over fewer tasks than the published."""
        return self.scheduled < self.published.study.total


def names() -> tuple[str, ...]:
    """The models of which results were published."""
    return tuple(_table()["models"])


def study() -> Study:
    """What was published of no model in particular."""
    table = _table()
    return Study(
        source=table["source"],
        tasks=dict(table["tasks"]),
        human_agreement=_rate(table["human_agreement"]),
        hints_cost=_rate(table["hints_cost"]),
    )


def published(name: str) -> Published:
    """What was published of a model.

    Raises:
        UserError: nothing was; names the models that have results.
    """
    table = _table()
    if name not in table["models"]:
        raise UserError(
            f"{OPTION}={name}: no results of this model were published; expected one "
            f"of {', '.join(names())}{did_you_mean(name.lower(), names())}"
        )
    found = table["models"][name]
    return Published(
        name=name,
        turn1=_rate(found["turn1"]),
        ef=_rate(found["ef"]),
        nlf=_rate(found["nlf"]),
        gain=_rate(found["gain"]),
        hur=_rate(found["hur"]) if "hur" in found else None,
        by_turn=tuple(_rate(value) for value in found.get("by_turn", ())),
        by_category={
            category: _rate(value)
            for category, value in found.get("by_category", {}).items()
        },
        study=study(),
    )


def compare(results: Results, name: str) -> Comparison:
    """One's own results beside the published ones of a model.

    Raises:
        UserError: nothing was published of it.
    """
    theirs = published(name)
    five = results.plan.max_turns >= MAX_K
    found = hur(results)
    return Comparison(
        published=theirs,
        scheduled=len(results.plan.scheduled),
        turn1=_at(results, "ef", 1, theirs.turn1),
        ef=_at(results, "ef", MAX_K, theirs.ef),
        nlf=_at(results, "nlf", MAX_K, theirs.nlf),
        gain=_beside(
            theirs.gain, found.difference.rate if five else None, found.graded
        ),
        hur=_beside(theirs.hur, found.rate if five else None, found.failed_ef),
        by_turn=tuple(
            _at(results, "ef", k, rate) for k, rate in enumerate(theirs.by_turn, 1)
        ),
        by_category={
            category: _at(results, "nlf", MAX_K, rate, category)
            for category, rate in theirs.by_category.items()
        },
    )


def beside(results: Results, name: str) -> dict[str, Any]:
    """The comparison as builtins, for the summary.

    Each number is ``{"published", "own", "difference", "tasks"}``, rates from 0 to 1
    and None where there is none; ``tasks`` is how many one's own is of.

    Raises:
        UserError: nothing was published of the model.
    """
    found = compare(results, name)
    theirs = found.published
    return {
        "model": theirs.name,
        "source": theirs.study.source,
        "tasks": {"published": theirs.study.total, "own": found.scheduled},
        "subset": found.subset,
        "success_at_1": _data(found.turn1),
        "success_at_5": _data(found.ef),
        "success_at_5_with_hints": _data(found.nlf),
        "gain_by_hints": _data(found.gain),
        "hur": _data(found.hur),
        "hur_that_the_published_gain_implies": theirs.implied,
        "by_turn": [_data(one) for one in found.by_turn],
        "with_hints_by_category": {
            category: _data(one) for category, one in found.by_category.items()
        },
    }


def _at(
    results: Results, arm: str, k: int, rate: float, category: str | None = None
) -> Beside:
    share = success_at(results, arm, k, category)
    # A rate repeats after the last turn, which is not what was published.
    reached = share if k <= results.plan.max_turns else Share(0, 0)
    return _beside(rate, reached.rate, reached.total)


def _beside(theirs: float | None, own: float | None, tasks: int) -> Beside:
    return Beside(theirs, own, 0 if own is None else tasks)


def _data(one: Beside) -> dict[str, float | int | None]:
    return {
        "published": one.published,
        "own": one.own,
        "difference": one.difference,
        "tasks": one.tasks,
    }


def _rate(percent: float) -> float:
    return round(percent / 100, 6)  # 0.562, not 0.5620000000000001


@cache
def _table() -> dict[str, Any]:
    import yaml

    text = resources.files(__package__).joinpath("published.yaml").read_text("utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return table
