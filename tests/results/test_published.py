"""The rates of the original benchmark's recorded episodes, counted again."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_mint.records import Episode, Hint, TaskResult, Turn
from pytest_mint.results.plan import Results
from pytest_mint.results.rates import hur, success_at
from tests import needs
from tests.needs import need
from tests.results.build import results_of

ARMS = {"ef": "ef", "ef+nlf": "nlf"}
PUBLISHED = {"ef": "k5", "nlf": "ef+nlf"}
CATEGORY = {
    "reasoning": "reasoning",
    "code_generation": "coding",
    "decision_making": "decision_making",
}
MODELS = (
    "claude-2",
    "gpt-4-0613",
    "gpt-3.5-turbo-0613",
    "Llama-2-70b-chat-hf",
    "CodeLlama-34b-Instruct-hf",
    "Mistral-7B-Instruct-v0.1",
    "Meta-Llama-3-70B-Instruct",
)


@cache
def pack() -> Path:
    return need(needs.pack(), "the pack of recorded episodes (set MINT_PACK to it)")


@cache
def published(model: str) -> dict[str, Any]:
    data = json.loads((pack() / "published.json").read_text(encoding="utf-8"))
    return data["models"][model]


@cache
def recorded(model: str) -> Results:
    played: dict[str, TaskResult] = {}
    with gzip.open(pack() / "episodes" / f"{model}.jsonl.gz", "rt") as file:
        for line in file:
            episode = json.loads(line)
            if episode["arm"] not in ARMS:
                continue
            category = CATEGORY[episode["family"]]
            key = f"{category}/{episode['dataset']}-{episode['id']}"
            one = TaskResult(key, category, episode["dataset"], episodes={})
            one = played.setdefault(key, one)
            one.episodes[ARMS[episode["arm"]]] = as_episode(episode)  # type: ignore[index]
    return results_of(list(played.values()))


def as_episode(data: dict[str, Any]) -> Episode:
    turns = tuple(
        Turn(number, turn["a"], hint=Hint(turn["fb"]) if turn.get("fb") else None)
        for number, turn in enumerate(data["turns"], 1)
    )
    arm = ARMS[data["arm"]]
    if data["success"]:
        return Episode(arm, "solved", success_turn=data["n_turns"], turns=turns)
    failed = data["terminate_reason"] == "error"
    return Episode(arm, "context_overflow" if failed else "unsolved", turns=turns)


def arms_of(model: str) -> tuple[str, ...]:
    return recorded(model).plan.played_arms


@pytest.mark.parametrize("model", MODELS)
def test_success_rates_are_the_published_ones(model):
    results, rates = recorded(model), published(model)["success_rate"]
    for arm in arms_of(model):
        for name, (hits, total, percent) in rates[PUBLISHED[arm]].items():
            category = CATEGORY.get(name)
            dataset = None if category or name == "overall" else name
            share = success_at(results, arm, 5, category, dataset)
            assert (share.hits, share.total, share.missing) == (hits, total, 0), name
            assert share.rate is not None
            assert round(100 * share.rate, 2) == percent


@pytest.mark.parametrize("model", MODELS)
def test_success_at_each_turn_is_the_published_one(model):
    curves = published(model)["success_at_k_from_single_max5_run"]
    for arm in arms_of(model):
        for k in range(1, 6):
            share = success_at(recorded(model), arm, k)
            hits, total, _ = curves[PUBLISHED[arm]][f"k{k}"]
            assert (share.hits, share.total) == (hits, total)


@pytest.mark.parametrize("model", MODELS[:-1])  # the last was not played with hints
def test_rescued_and_hurt_tasks_are_the_published_ones(model):
    for name, expected in published(model)["ef_to_nlf"].items():
        category = CATEGORY.get(name)
        dataset = None if category or name == "overall" else name
        found = hur(recorded(model), category, dataset)
        assert found.failed_ef == expected["ef_failed"], name
        assert found.rescued == expected["rescued"], name
        assert found.hurt == expected["regressed"], name
        unheard = expected["rescued_on_turn_1_before_any_feedback"]
        assert found.by_level.get("none", 0) == unheard, name
        assert found.by_level.get("unlabelled", 0) == found.rescued - unheard, name
