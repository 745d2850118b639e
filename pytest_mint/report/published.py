"""The published results of the original benchmark beside one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pytest_mint.report.line import Line, wrapped
from pytest_mint.report.numbers import NOTHING, count, percent, points
from pytest_mint.report.plain import pad
from pytest_mint.results.plan import Results
from pytest_mint.results.published import Beside, Comparison, compare
from pytest_mint.words import MAX_K

# Columns: 62 in all, so that the tables fit any terminal that the others fit.
_NAME, _PUBLISHED, _OWN, _DIFFERENCE, _TASKS = 25, 11, 7, 12, 7
_TURN = 7


def lines(results: Results, name: str, width: int) -> list[Line]:
    """The published numbers of a model, one's own, and the difference in points.

    ``tasks`` counts those that one's own number is over.

    Args:
        name: one of ``pytest_mint.results.published.names()``.
        width: columns of the terminal; below 62 the tables do not fit.

    Raises:
        UserError: nothing was published of the model.
    """
    found = compare(results, name)
    blocks = [
        [
            Line(f"Beside the published results of {name}", "bold"),
            *_subset(found, width),
        ],
        _overall(found),
        _by_turn(found.by_turn),
        _by_category(found.by_category),
        [*_turns(results, width), *_doubt(found, width), *_source(found, width)],
    ]
    shown = [block for block in blocks if block]
    return [
        line
        for number, block in enumerate(shown)
        for line in ([Line("")] if number else []) + block
    ]


def _subset(found: Comparison, width: int) -> list[Line]:
    if not found.subset:
        return []
    text = (
        f"subset: {count(found.scheduled, 'task')} scheduled, the published numbers "
        f"are over {found.published.study.total}"
    )
    return wrapped(text, width, "yellow")


def _overall(found: Comparison) -> list[Line]:
    return [
        _head("all tasks"),
        _row("success@1, ef", found.turn1),
        _row(f"success@{MAX_K}, ef", found.ef),
        _row(f"success@{MAX_K}, with hints", found.nlf),
        _row("gain by hints", found.gain, points),
        _row("HUR", found.hur),
    ]


def _by_turn(turns: Sequence[Beside]) -> list[Line]:
    if not turns:
        return []
    head = [f"@{k}" for k in range(1, len(turns) + 1)]
    rows = {
        "success@k, ef": head,
        "  published": [percent(one.published) for one in turns],
        "  own": [percent(one.own) for one in turns],
        "  difference": [points(one.difference) for one in turns],
    }
    return [
        Line(pad(name, _NAME) + "".join(f"{cell:>{_TURN}}" for cell in cells))
        for name, cells in rows.items()
    ]


def _by_category(categories: Mapping[str, Beside]) -> list[Line]:
    if not categories:
        return []
    rows = [_row(name, one) for name, one in categories.items()]
    return [_head(f"success@{MAX_K}, with hints"), *rows]


def _head(title: str) -> Line:
    return _cells(title, "published", "own", "difference", "tasks")


def _row(
    name: str, one: Beside, written: Callable[[float | None], str] = percent
) -> Line:
    return _cells(
        f"  {name}",
        written(one.published),
        written(one.own),
        points(one.difference),
        NOTHING if one.own is None else str(one.tasks),
    )


def _cells(name: str, published: str, own: str, difference: str, tasks: str) -> Line:
    return Line(
        f"{pad(name, _NAME)}{published:>{_PUBLISHED}}{own:>{_OWN}}"
        f"{difference:>{_DIFFERENCE}}{tasks:>{_TASKS}}"
    )


def _turns(results: Results, width: int) -> list[Line]:
    turns = results.plan.max_turns
    if turns >= MAX_K:
        return []
    text = (
        f"Episodes had at most {count(turns, 'turn')}: nothing of one's own is "
        f"comparable to {MAX_K} turns."
    )
    return wrapped(text, width)


def _doubt(found: Comparison, width: int) -> list[Line]:
    theirs = found.published
    if theirs.hur is None:
        return []
    text = (
        "HUR as published does not follow from the formula: "
        f"{percent(theirs.gain)} points gained of {percent(1 - theirs.ef)} failed are "
        f"{percent(theirs.implied)} %, not {percent(theirs.hur)} %."
    )
    return wrapped(text, width)


def _source(found: Comparison, width: int) -> list[Line]:
    return wrapped(f"Published: {found.published.study.source}", width)
