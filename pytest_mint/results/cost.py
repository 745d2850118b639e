"""What a session took: tokens, seconds and money, of roles, hints and controls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from pytest_mint.records import NOTHING, Spent, Tokens
from pytest_mint.results.plan import Results
from pytest_mint.results.prices import Price, cost
from pytest_mint.results.rates import hur
from pytest_mint.results.rows import ROLES
from pytest_mint.words import CONTROLS

#: The price of a role's tokens; None or no entry: nobody knows it.
Prices = Mapping[str, Price | None]

_FREE = Decimal(0)


@dataclass(frozen=True)
class Item:
    """A line of the bill; ``money`` in US dollars, None where a price is not known."""

    spent: Spent
    money: Decimal | None


@dataclass(frozen=True)
class Bill:
    """What a session took.

    Attributes:
        items: by role, and a control's under its own name; only what was used.
        hinting: US dollars that arm ``nlf`` took of its own: the teacher, and the turns
            and judgings after the first hint. None where a price is not known.
        additional: how many tasks more were solved with hints than without, over those
            graded in both arms; None where no task was.
    """

    items: Mapping[str, Item] = field(default_factory=dict)
    hinting: Decimal | None = None
    additional: int | None = None

    @property
    def total(self) -> Decimal | None:
        """US dollars in all, None where a price is not known."""
        return _sum(item.money for item in self.items.values())

    @property
    def hints_share(self) -> float | None:
        """The teacher's part of what agent, teacher and judge took, 0 to 1.

        None where a price is not known or nothing was paid. Controls are left out: they
        measure, and are no part of playing with hints.
        """
        played = [item.money for name, item in self.items.items() if name in ROLES]
        whole = _sum(played)
        teacher = self.items.get("hints")
        if not whole or teacher is None or teacher.money is None:
            return None
        return float(teacher.money / whole)

    @property
    def per_additional_task(self) -> Decimal | None:
        """US dollars of hinting for each task more that was solved.

        None where a price is not known or hints solved no task more.
        """
        if self.hinting is None or not self.additional or self.additional < 0:
            return None
        return self.hinting / self.additional


def bill(results: Results, prices: Prices) -> Bill:
    """The bill of a session; what missing episodes used is on it as well.

    Args:
        results: what was played.
        prices: by role: ``agent``, ``hints``, ``judge``.
    """
    spent: dict[tuple[str, str], Spent] = {}
    for row in results.rows:
        for place, one in row.spent.items():
            spent[place] = spent.get(place, NOTHING) + one
    names = [*ROLES, *CONTROLS]
    items = {name: _item(name, spent, prices) for name in names}
    own = [_money(r, one, prices) for (arm, r), one in spent.items() if arm == "nlf"]
    found = hur(results)
    return Bill(
        {name: item for name, item in items.items() if item.spent != NOTHING},
        hinting=_sum(own) if own else None,
        additional=found.rescued - found.hurt if found.graded else None,
    )


def _item(name: str, spent: Mapping[tuple[str, str], Spent], prices: Prices) -> Item:
    """What a role took outside the controls, or a control in all its roles."""
    mine = [
        (role, one)
        for (arm, role), one in spent.items()
        if name == (arm if arm in CONTROLS else role)
    ]
    return Item(
        sum((one for _, one in mine), NOTHING),
        _sum(_money(role, one, prices) for role, one in mine),
    )


def _money(role: str, spent: Spent, prices: Prices) -> Decimal | None:
    if spent.tokens == Tokens():
        return _FREE
    price = prices.get(role)
    return None if price is None else cost(price, spent.tokens)


def _sum(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """The sum, None if one of them is not known: a part of a bill is no bill."""
    whole = _FREE
    for amount in amounts:
        if amount is None:
            return None
        whole += amount
    return whole
