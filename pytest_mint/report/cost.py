"""The bill of a session: tokens, seconds and money by role."""

from __future__ import annotations

from decimal import Decimal

from pytest_mint.records import Tokens
from pytest_mint.report.line import Line, wrapped
from pytest_mint.report.numbers import NOTHING, amount, count, duration
from pytest_mint.results.cost import Bill, Item
from pytest_mint.words import CONTROLS

_COLUMNS = (("in", 10), ("cached", 9), ("out", 9), ("time", 14), ("USD", 10))
_FIRST = 12


def lines(
    bill: Bill, *, seconds: float | None, replayed: bool, width: int
) -> list[Line]:
    """The bill, or how long it took where no model was asked.

    Args:
        seconds: how long the session took, None if it is not known.
        replayed: whether the tokens are those of a recording.
    """
    took = [] if seconds is None else [Line(f"Took {duration(seconds)}")]
    if not any(_asked(item) for item in bill.items.values()):
        return took
    title = "recorded" if replayed else "cost"
    head = "".join(f"{name:>{size}}" for name, size in _COLUMNS)
    table = [Line(f"{title:<{_FIRST}}{head}")]
    for name, item in bill.items.items():
        shown = f"  {name}"
        table.append(Line(f"{shown:<{_FIRST}}{_cells(item)}"))
    return [*table, *wrapped(_in_words(bill), width), *took]


def _asked(item: Item) -> bool:
    return item.spent.tokens != Tokens()


def _cells(item: Item) -> str:
    tokens = item.spent.tokens
    asked = _asked(item)
    values = (
        amount(tokens.prompt) if asked else NOTHING,
        amount(tokens.cached) if tokens.cached else NOTHING,
        amount(tokens.completion) if asked else NOTHING,
        duration(item.spent.seconds),
        usd(item.money) if asked else NOTHING,
    )
    pairs = zip(_COLUMNS, values, strict=True)
    return "".join(f"{value:>{size}}" for (_, size), value in pairs)


def _in_words(bill: Bill) -> str:
    total = bill.total
    if total is None:
        unpriced = [name for name, item in bill.items.items() if item.money is None]
        return (
            f"Cost unknown: no price for {', '.join(unpriced)}; "
            "set one with --mint-price NAME=PROMPT/COMPLETION"
        )
    parts = [f"Cost {usd(total)} USD"]
    if bill.hints_share is not None:
        controls = any(name in CONTROLS for name in bill.items)
        whole = " of agent, teacher and judge" if controls else ""
        parts.append(f"hints {100 * bill.hints_share:.0f} %{whole}")
    if (each := bill.per_additional_task) is not None and bill.hinting:
        more = count(bill.additional or 0, "more task")
        parts.append(f"{usd(each)} USD of hinting for each of {more} solved")
    return " · ".join(parts)


def usd(money: Decimal | None) -> str:
    """``7.12``, ``0.0042`` where it is little, ``unpriced`` where nobody knows."""
    if money is None:
        return "unpriced"
    if not money:
        return "0"
    return f"{money:.2f}" if abs(money) >= Decimal("0.1") else f"{money:.4f}"
