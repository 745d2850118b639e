"""The recorded MINT benchmark, replayed by whole sessions and compared with its flags.

Every answer is graded anew by the original's rules and every program is run again;
only the replies, the observations and the expert's feedback come from the recording.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_mint.records import Episode, TaskResult
from pytest_mint.results.store import read_run
from tests.needs import need, pack

#: All four with MINT_LONG=1, as .ci/long has it.
MODELS = ("claude-2", "gpt-4-0613", "gpt-3.5-turbo-0613", "Llama-2-70b-chat-hf")
MODELS = MODELS if os.environ.get("MINT_LONG") == "1" else MODELS[:2]
RUNS = {"ef": "ef", "ef+nlf": "nlf"}
HOUSEHOLD = "alfworld"
#: More workers than cores only cost time; one model shows that they change nothing.
WORKERS = {model: "-n8" if model == "claude-2" else "-n2" for model in MODELS}

#: Records whose flag cannot be had again: by model, task and arm. These two questions
#: were changed after the runs, and with them what counts as right.
CHANGED = "the question and its reference were changed after this run"
UNREPRODUCIBLE = {
    ("gpt-4-0613", "theoremqa-50", "ef"): CHANGED,
    ("gpt-4-0613", "theoremqa-50", "nlf"): CHANGED,
    ("gpt-3.5-turbo-0613", "theoremqa-52", "ef"): CHANGED,
    ("gpt-3.5-turbo-0613", "theoremqa-52", "nlf"): CHANGED,
    ("Llama-2-70b-chat-hf", "theoremqa-50", "nlf"): CHANGED,
    ("Llama-2-70b-chat-hf", "theoremqa-52", "nlf"): CHANGED,
}


@dataclass(frozen=True)
class Session:
    """What a session left behind."""

    code: int
    output: str
    summary: dict[str, Any]
    results: dict[str, TaskResult]


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Play a model's recordings once per set of arguments."""
    folder = need(pack(), "the pack of recorded MINT episodes (MINT_PACK)")

    @cache
    def session(model: str, *args: str) -> Session:
        path = tmp_path_factory.mktemp("session")
        command = [sys.executable, "-m", "pytest", "--pyargs", "pytest_mint.bench"]
        command += [f"--mint-model={model}", f"--mint-replay={folder}", "-q"]
        command += ["--mint-json=out.json", "--mint-gate=coverage>=0", *args]
        done = subprocess.run(command, cwd=path, capture_output=True, text=True)
        (run,) = (path / ".mint" / "runs").iterdir()
        _, results = read_run(run)
        return Session(
            done.returncode,
            done.stdout + done.stderr,
            json.loads((path / "out.json").read_text()),
            {result.task.split("/")[1]: result for result in results},
        )

    return session


def recorded(model: str) -> dict[tuple[str, str], dict[str, Any]]:
    """What was recorded, by task and arm, household tasks left out."""
    path = need(pack(), "the pack of recorded MINT episodes (MINT_PACK)")
    with gzip.open(path / "episodes" / f"{model}.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    return {
        (f"{row['dataset']}-{row['id']}", RUNS[row["arm"]]): row
        for row in rows
        if row["arm"] in RUNS and row["dataset"] != HOUSEHOLD
    }


def published(model: str) -> dict[str, Any]:
    path = need(pack(), "the pack of recorded MINT episodes (MINT_PACK)")
    data: dict[str, Any] = json.loads((path / "published.json").read_text())
    found: dict[str, Any] = data["models"][model]
    return found


def known(model: str, arm: str) -> Counter[str]:
    """How many records of a dataset cannot be had again."""
    return Counter(
        task.rpartition("-")[0]
        for who, task, where in UNREPRODUCIBLE
        if (who, where) == (model, arm)
    )


@pytest.mark.parametrize("model", MODELS)
def test_all_that_can_be_played_is_played(play: Any, model: str) -> None:
    session = play(model, "--mint-grading=faithful", WORKERS[model])
    assert session.code == 0, session.output
    assert session.summary["collected"] == 586
    assert session.summary["not_applicable"] == {"the ALFWorld simulator": 134}
    assert session.summary["scheduled"] == 452
    assert session.summary["coverage"] == 1


@pytest.mark.parametrize("model", MODELS)
def test_every_recorded_flag_is_reproduced(play: Any, model: str) -> None:
    session = play(model, "--mint-grading=faithful", WORKERS[model])
    records = recorded(model)
    assert len(records) == 2 * 452
    different = {}
    for (task, arm), row in records.items():
        episode = session.results[task].episodes[arm]
        if flag_and_turns(episode) != (row["success"], row["n_turns"]):
            different[model, task, arm] = flag_and_turns(episode)
    assert different.keys() == {key for key in UNREPRODUCIBLE if key[0] == model}


def flag_and_turns(episode: Episode) -> tuple[bool, int]:
    return episode.solved, len(episode.turns)


def test_few_records_are_given_up() -> None:
    assert len(UNREPRODUCIBLE) <= 10


@pytest.mark.parametrize("arm", ["ef", "nlf"])
@pytest.mark.parametrize("model", MODELS)
def test_rates_are_the_published_ones(play: Any, model: str, arm: str) -> None:
    session = play(model, "--mint-grading=faithful", WORKERS[model])
    rates = published(model)["success_rate"]["k5" if arm == "ef" else "ef+nlf"]
    given_up = known(model, arm)
    for dataset, part in session.summary["arms"][arm]["by_dataset"].items():
        successes, tasks, percent = rates[dataset]
        more = given_up[dataset]  # all of them are right by today's reference
        assert (part["solved"], part["tasks"]) == (successes + more, tasks), dataset
        if not more:
            assert round(100 * part["success_at"][4], 2) == percent


@pytest.mark.parametrize("model", MODELS)
def test_rescued_and_hurt_are_the_published_ones(play: Any, model: str) -> None:
    session = play(model, "--mint-grading=faithful", WORKERS[model])
    pairs: dict[str, Counter[str]] = {}
    for result in session.results.values():
        ef, nlf = result.episodes["ef"].solved, result.episodes["nlf"].solved
        counts = pairs.setdefault(result.dataset, Counter())
        counts["ef_failed"] += not ef
        counts["rescued"] += nlf and not ef
        counts["regressed"] += ef and not nlf
    for dataset, counts in pairs.items():
        if known(model, "ef")[dataset] or known(model, "nlf")[dataset]:
            continue
        expected = published(model)["ef_to_nlf"][dataset]
        assert dict(counts) == {name: expected[name] for name in counts}, dataset
    hur = session.summary["hur"]
    assert hur["rescued"] == sum(counts["rescued"] for counts in pairs.values())
    assert hur["hurt"] == sum(counts["regressed"] for counts in pairs.values())


def test_the_numbers_do_not_depend_on_the_workers(play: Any) -> None:
    eight = play("claude-2", "--mint-grading=faithful", "-n8").summary
    assert play("claude-2", "--mint-grading=faithful", "-n0").summary == eight


def test_strict_grading_of_the_same_recordings(play: Any) -> None:
    """What the recording cannot answer any more is missing, never wrong."""
    session = play("claude-2", "-n2")
    assert session.summary["scheduled"] == 452
    missing = session.summary["missing"]
    assert {one["outcome"] for one in missing} == {"provider_error"}
    assert all("the recording ends" in one["reason"] for one in missing)
    ef = session.summary["arms"]["ef"]
    assert ef["tasks"] == 452 - sum(one["arm"] == "ef" for one in missing)
    for task, row in recorded("claude-2").items():
        episode = session.results[task[0]].episodes[task[1]]
        assert len(episode.turns) <= row["n_turns"]
        if episode.missing:
            assert row["success"]  # right by the original's rule only


def test_a_model_that_was_not_recorded_is_told(tmp_path: Path) -> None:
    folder = need(pack(), "the pack of recorded MINT episodes (MINT_PACK)")
    command = [sys.executable, "-m", "pytest", "--pyargs", "pytest_mint.bench"]
    command += ["--mint-model=claude-9", f"--mint-replay={folder}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "no recording of 'claude-9'; it has CodeLlama-34b" in done.stderr
