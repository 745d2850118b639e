"""What hints were worth: HUR whole and in parts, the test of the pair, the controls."""

from __future__ import annotations

from pytest_mint.report.line import Line, wrapped
from pytest_mint.report.numbers import count, p_value, percent, points, span
from pytest_mint.report.plain import pad
from pytest_mint.results.paired import LEAST_DISCORDANT
from pytest_mint.results.plan import Results
from pytest_mint.results.rates import Difference, Hur, hur, net_of
from pytest_mint.results.summary import categories
from pytest_mint.words import CONTROLS, NO_HINT

_COLUMNS = (
    ("failed", 8),
    ("rescued", 9),
    ("direct", 8),
    ("hurt", 6),
    ("HUR", 7),
    ("95 %", 8),
    ("p", 8),
)
_NARROWEST = 12
#: Stands for a p-value where no split of so few could be significant.
_FEW = "few"


def lines(results: Results, width: int) -> list[Line]:
    """The block on hints, nothing where both arms were not played."""
    if not {"ef", "nlf"} <= set(results.plan.played_arms):
        return []
    found = hur(results)
    return [
        *_rate(found, width),
        *_levels(found, width),
        *_difference(found.difference, width),
        *_controls(results, width),
        *_leaks(results, width),
    ]


def by_category(results: Results, width: int) -> list[Line]:
    """A row for each category, nothing where there is only one."""
    names = categories(results, "nlf")
    if "ef" not in results.plan.played_arms or len(names) < 2:
        return []
    rows = [(f"  {name}", hur(results, name)) for name in names]
    rows.append(("  all", hur(results)))
    title = "hints by category"
    room = width - sum(size for _, size in _COLUMNS)
    longest = max(len(name) for name, _ in [(title, None), *rows])
    first = max(min(longest, room), _NARROWEST)
    head = "".join(f"{name:>{size}}" for name, size in _COLUMNS)
    table = [Line(pad(title, first) + head)]
    table += [Line(pad(name, first) + _cells(found)) for name, found in rows]
    table[-1] = table[-1]._replace(markup="bold")
    if any(not found.difference.tells for _, found in rows):
        note = (
            f"     {_FEW}: the arms ended differently in fewer than {LEAST_DISCORDANT} "
            "tasks, and no split of so few can be told from chance"
        )
        table += wrapped(note, width)
    return table


def _cells(found: Hur) -> str:
    values = (
        str(found.failed_ef),
        str(found.rescued),
        str(found.by_level.get("direct", 0)),
        str(found.hurt),
        percent(found.rate),
        span(found.interval),
        p_value(found.difference.p) if found.difference.tells else _FEW,
    )
    pairs = zip(_COLUMNS, values, strict=True)
    return "".join(f"{value:>{size}}" for (_, size), value in pairs)


def _rate(found: Hur, width: int) -> list[Line]:
    worse = f"{found.hurt} made worse"
    if found.rate is None:
        return wrapped(f"HUR  -  (no task failed without hints; {worse})", width)
    text = (
        f"HUR  {percent(found.rate)} %  ({found.rescued} of {found.failed_ef} tasks "
        f"that fail without hints, 95 % {span(found.interval)}; {worse})"
    )
    return wrapped(text, width)


def _levels(found: Hur, width: int) -> list[Line]:
    named = {**found.by_level, "before any hint": found.by_level.get(NO_HINT, 0)}
    levels = [f"{level} {n}" for level, n in named.items() if n and level != NO_HINT]
    if not levels:
        return []
    shown = wrapped(f"     by level that was enough: {', '.join(levels)}", width)
    if found.by_level.get("direct"):
        rest = found.without_direct
        text = (
            f"     without direct hints, which give the answer: {percent(rest.rate)} % "
            f"({rest.hits} of {rest.total}, 95 % {span(rest.interval)})"
        )
        shown += wrapped(text, width)
    return shown


def _difference(found: Difference, width: int) -> list[Line]:
    if not found.total:
        return []
    text = f"Hints change success@5 by {points(found.rate)} points ({_tested(found)})"
    return wrapped(text, width)


def _tested(found: Difference) -> str:
    """Interval and test, or why there is no saying."""
    ends = found.interval
    interval = f"95 % {points(ends[0])} to {points(ends[1])}; " if ends else ""
    differ = f"{found.better} better, {found.worse} worse"
    if not found.tells:
        return f"{interval}{differ}: too few to say anything"
    return f"{interval}{differ}; exact McNemar p = {p_value(found.p)}"


def _controls(results: Results, width: int) -> list[Line]:
    shown: list[Line] = []
    for control in CONTROLS:
        if control not in results.plan.played_arms:
            continue
        found = net_of(results, control)
        own = found.control
        if own.rate is None:
            shown += wrapped(
                f"Control {control}: no failed task was graded in it", width
            )
            continue
        text = (
            f"Control {control}: rescues {percent(own.rate)} % ({own.hits} of "
            f"{count(own.total, 'task')}); HUR net of it "
            f"{points(found.difference.rate)} points ({_tested(found.difference)})"
        )
        shown += wrapped(text, width)
    return shown


def _leaks(results: Results, width: int) -> list[Line]:
    leaks = sum(row.leaks for row in results.rows)
    if not leaks:
        return []
    replaced = sum(row.replaced for row in results.rows)
    text = (
        f"Leaks: {count(leaks, 'hint')} of the teacher gave the answer away and "
        f"{'was' if leaks == 1 else 'were'} not handed on; "
        f"{replaced} replaced by the task's own"
    )
    return wrapped(text, width, "yellow")
