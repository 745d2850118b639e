"""The machine-readable summary of a session, schema 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from pytest_mint.results.cost import Bill, Prices, bill
from pytest_mint.results.gates import Decision
from pytest_mint.results.plan import Results
from pytest_mint.results.prices import Price
from pytest_mint.results.published import beside
from pytest_mint.results.rates import (
    Difference,
    Hur,
    Net,
    Share,
    coverage,
    hur,
    net_of,
    solved_later,
    success_at,
)
from pytest_mint.words import CATEGORIES, CONTROLS, MAX_K

SCHEMA = 1


def summary(
    results: Results,
    *,
    model: str,
    decisions: Sequence[Decision] = (),
    prices: Prices | None = None,
    compared: str = "",
) -> dict[str, Any]:
    """All numbers of a session as builtins.

    Rates are from 0 to 1, and None where nothing is counted; ``tasks`` counts graded
    ones; ``success_at`` and ``intervals`` have one entry for each of turns 1 to 5.

    Args:
        decisions: what became of the gates.
        prices: of the tokens, by role.
        compared: a model of the published table, empty for none.
    """
    plan = results.plan
    return {
        "schema": SCHEMA,
        "model": model,
        "interrupted": results.interrupted,
        "max_turns": plan.max_turns,
        "verdict_arm": plan.verdict_arm,
        "collected": len(plan.collected),
        "not_applicable": dict(Counter(plan.not_applicable.values())),
        "scheduled": len(plan.scheduled),
        "coverage": coverage(results).rate,
        "arms": {arm: _arm(results, arm) for arm in plan.played_arms},
        "hur": {
            **_hur(hur(results)),
            "by_category": {
                category: _hur(hur(results, category))
                for category in categories(results, "nlf")
            },
        },
        "controls": {
            arm: _net(net_of(results, arm))
            for arm in CONTROLS
            if arm in plan.played_arms
        },
        "hints": {
            "leaked": sum(row.leaks for row in results.rows),
            "replaced": sum(row.replaced for row in results.rows),
        },
        "missing": [
            {
                "task": cell.task,
                "arm": cell.arm,
                "outcome": cell.outcome,
                "reason": cell.error,
            }
            for cell in results.missing
        ],
        "gates": [_gate(decision) for decision in decisions],
        "cost": _cost(bill(results, prices or {}), prices or {}),
        **({"published": beside(results, compared)} if compared else {}),
    }


def categories(results: Results, arm: str) -> tuple[str, ...]:
    """The categories that an arm has, in the order of the vocabulary."""
    present = {cell.category for cell in results.of(arm)}
    return tuple(category for category in CATEGORIES if category in present)


def datasets(results: Results, arm: str) -> tuple[str, ...]:
    """The imported datasets that an arm has, by name."""
    return tuple(sorted({cell.dataset for cell in results.of(arm)} - {""}))


def shares(
    results: Results,
    arm: str,
    category: str | None = None,
    dataset: str | None = None,
) -> tuple[Share, ...]:
    """Success@1 to success@5."""
    return tuple(
        success_at(results, arm, k, category, dataset) for k in range(1, MAX_K + 1)
    )


def _arm(results: Results, arm: str) -> dict[str, Any]:
    overall = shares(results, arm)
    return {
        **_part(overall),
        "intervals": [_list(share.interval) for share in overall],
        "solved_later": solved_later(results, arm),
        "by_category": {
            category: _part(shares(results, arm, category))
            for category in categories(results, arm)
        },
        "by_dataset": {
            dataset: _part(shares(results, arm, dataset=dataset))
            for dataset in datasets(results, arm)
        },
    }


def _part(shares: Sequence[Share]) -> dict[str, Any]:
    return {
        "tasks": shares[-1].total,
        "solved": shares[-1].hits,
        "success_at": [share.rate for share in shares],
    }


def _hur(found: Hur) -> dict[str, Any]:
    return {
        "failed_ef": found.failed_ef,
        "rescued": found.rescued,
        "hurt": found.hurt,
        "rate": found.rate,
        "interval": _list(found.interval),
        "by_level": dict(found.by_level),
        "without_direct": found.without_direct.rate,
        "difference": _difference(found.difference),
    }


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "tasks": found.total,
        "better": found.better,
        "worse": found.worse,
        "rate": found.rate,
        "interval": _list(found.interval),
        "p": found.p,
        "tells": found.tells,
    }


def _net(found: Net) -> dict[str, Any]:
    return {
        "failed_ef": found.control.total,
        "rescued": found.control.hits,
        "missing": found.control.missing,
        "rate": found.control.rate,
        "interval": _list(found.control.interval),
        "net": _difference(found.difference),
    }


def _cost(found: Bill, prices: Prices) -> dict[str, Any]:
    return {
        "items": {
            name: {
                **asdict(item.spent.tokens),
                "seconds": round(item.spent.seconds, 3),
                "usd": _usd(item.money),
            }
            for name, item in found.items.items()
        },
        "usd": _usd(found.total),
        "hints_share": found.hints_share,
        "hinting_usd": _usd(found.hinting),
        "additional": found.additional,
        "usd_per_additional_task": _usd(found.per_additional_task),
        "prices": {
            role: _price(price) for role, price in prices.items() if price is not None
        },
    }


def _price(price: Price) -> dict[str, Any]:
    return {
        "prompt": _usd(price.prompt),
        "completion": _usd(price.completion),
        "cached": _usd(price.cached),
        "source": price.source,
    }


def _usd(money: Decimal | None) -> float | None:
    return None if money is None else float(money)


def _gate(decision: Decision) -> dict[str, Any]:
    return {
        "gate": decision.gate.text,
        "state": decision.state,
        "value": decision.value,
        "worst": decision.worst,
        "best": decision.best,
        "why": decision.why,
    }


def _list(pair: Iterable[float] | None) -> list[float] | None:
    return list(pair) if pair else None
