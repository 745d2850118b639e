"""The machine-readable summary of a session, schema 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from pytest_mint.results.gates import Decision
from pytest_mint.results.plan import Results
from pytest_mint.results.rates import (
    Share,
    coverage,
    hur,
    solved_later,
    success_at,
    tokens,
)
from pytest_mint.words import CATEGORIES, MAX_K

SCHEMA = 1


def summary(
    results: Results, *, model: str, decisions: Sequence[Decision] = ()
) -> dict[str, Any]:
    """All numbers of a session as builtins.

    Rates are from 0 to 1, and None where nothing is counted; ``tasks`` counts graded
    ones; ``success_at`` and ``intervals`` have one entry for each of turns 1 to 5.
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
        "hur": _hur(results),
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
        "tokens": {role: asdict(used) for role, used in tokens(results).items()},
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


def _hur(results: Results) -> dict[str, Any]:
    found = hur(results)
    return {
        "failed_ef": found.failed_ef,
        "rescued": found.rescued,
        "hurt": found.hurt,
        "rate": found.rate,
        "interval": _list(found.interval),
        "by_level": dict(found.by_level),
    }


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
