"""The table of success@1 to success@5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_mint.report.line import Line
from pytest_mint.report.numbers import percent, points, span
from pytest_mint.report.plain import columns, pad, plain
from pytest_mint.results.plan import Results
from pytest_mint.results.rates import Share, gain
from pytest_mint.results.summary import shares
from pytest_mint.words import MAX_K

_TASKS, _RATE = 9, 7  # columns
_REST = _TASKS + (MAX_K + 1) * _RATE
_NARROWEST = 12  # what names keep on a terminal that is too narrow


class Part(NamedTuple):
    """A row of the table: all tasks, or those of one category or dataset."""

    name: str
    category: str | None = None
    dataset: str | None = None


class Table(NamedTuple):
    """What a table is about."""

    arm: str
    title: str
    parts: Sequence[Part]


def tables(results: Results, wanted: Sequence[Table], width: int) -> list[list[Line]]:
    """Tables whose columns stand below each other."""
    texts = [table.title for table in wanted]
    texts += [_name(part) for table in wanted for part in table.parts]
    longest = max(map(columns, texts), default=0)
    first = max(min(longest, width - _REST), _NARROWEST)
    return [_table(results, *table, first) for table in wanted]


def _name(part: Part) -> str:
    return f"  {plain(part.name)}"


def _table(
    results: Results, arm: str, title: str, parts: Sequence[Part], first: int
) -> list[Line]:
    """One row for each part, and one for all with its 95 % interval.

    ``tasks`` counts graded ones; where some are missing it reads graded/scheduled.
    """
    head = "".join(f"{f'@{k}':>{_RATE}}" for k in range(1, MAX_K + 1))
    lines = [Line(f"{pad(title, first)}{'tasks':>{_TASKS}}{head}{'gain':>{_RATE}}")]
    for part in parts:
        lines.append(Line(pad(_name(part), first) + _numbers(results, arm, part)))
    overall = shares(results, arm)
    spans = "".join(f"{span(share.interval):>{_RATE}}" for share in overall)
    lines.append(Line(pad("  all", first) + _numbers(results, arm, Part("")), "bold"))
    lines.append(Line(pad("     95 % interval", first + _TASKS) + spans))
    return lines


def _numbers(results: Results, arm: str, part: Part) -> str:
    row = shares(results, arm, part.category, part.dataset)
    added = gain(results, arm, category=part.category, dataset=part.dataset)
    rates = "".join(f"{percent(share.rate):>{_RATE}}" for share in row)
    return f"{_tasks(row[0]):>{_TASKS}}{rates}{points(added):>{_RATE}}"


def _tasks(share: Share) -> str:
    if not share.missing:
        return str(share.total)
    return f"{share.total}/{share.total + share.missing}"
