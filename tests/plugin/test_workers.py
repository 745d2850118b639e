"""Sessions with xdist: the same answers at any number of workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import a_task, at_turn, summary_of


@pytest.fixture
def many(pytester: pytest.Pytester, write_tasks) -> pytest.Pytester:
    """Twenty tasks, solved at turns 1 to 5 or never."""
    write_tasks(
        "reasoning", *(a_task(f"r{n:02}", **at_turn(1 + n % 7)) for n in range(14))
    )
    write_tasks(
        "science", *(a_task(f"s{n:02}", **at_turn(1 + n % 3)) for n in range(6))
    )
    return pytester


def played(project: pytest.Pytester, *args: str) -> tuple[Any, dict[str, Any]]:
    result = project.runpytest_subprocess(
        "--mint-model=parrot", "--mint-json=out.json", *args
    )
    return result, summary_of(project)


def test_the_numbers_are_the_same_with_any_number_of_workers(
    many: pytest.Pytester,
) -> None:
    alone, expected = played(many, "-n0", "--mint-model=oracle")
    alone.stdout.fnmatch_lines(["*4 failed, 16 passed*"])
    for args in (["-n8"], ["-n3", "--dist=worksteal"], ["-p", "no:xdist"]):
        result, summary = played(many, *args, "--mint-model=oracle")
        assert summary == expected, args
        assert result.ret == alone.ret


def test_two_workers_give_the_same_gates(many: pytest.Pytester) -> None:
    result, summary = played(
        many, "-n2", "--mint-model=oracle", "--mint-gate=success@5>=0.8"
    )
    assert result.ret == 0
    assert summary["gates"][0]["state"] == "PASS"
    result.stdout.fnmatch_lines(["*16 passed, 4 unsolved*"])


def test_dist_each_is_refused(many: pytest.Pytester) -> None:
    result = many.runpytest_subprocess("--mint-model=nop", "-n2", "--dist=each")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--dist=each would play every task on every worker*"])


def test_fewer_calls_than_workers_are_refused(many: pytest.Pytester) -> None:
    result = many.runpytest_subprocess(
        "--mint-model=nop", "-n4", "--mint-concurrency=2"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--mint-concurrency=2 is less than the 4 workers*"])


KILLER = """
import os, signal

def pytest_runtest_setup(item):
    if "r04" in item.name and os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_worker_loses_one_task_and_says_so(many: pytest.Pytester) -> None:
    many.makeconftest(KILLER)
    result, summary = played(many, "-n2", "--mint-model=nop")
    assert len(summary["missing"]) == 2  # both arms of the task that was running
    assert {one["outcome"] for one in summary["missing"]} == {"cancelled"}
    assert summary["missing"][0]["reason"].startswith("worker 'gw0' crashed")
    assert summary["arms"]["ef"]["tasks"] == 19
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*reasoning/r04 (ef, nlf): cancelled: worker 'gw0'*"])


def test_with_gates_a_killed_worker_is_missing_data(many: pytest.Pytester) -> None:
    many.makeconftest(KILLER)
    result, summary = played(
        many, "-n2", "--mint-model=oracle", "--mint-gate=success@5>=0.7"
    )
    assert summary["gates"][0]["state"] == "PASS"  # 15 or 16 of 20
    assert result.ret == 0


def test_maxfail_stops_and_the_rest_is_missing(many: pytest.Pytester) -> None:
    for args in (["-x"], ["--maxfail=2", "-n2"]):
        result, summary = played(many, "--mint-model=nop", *args)
        assert result.ret in (1, 2)
        assert summary["interrupted"] is True
        assert summary["missing"][0]["outcome"] == "cancelled"
        assert summary["scheduled"] == 20
        result.stdout.fnmatch_lines(["incomplete: *"])


def test_last_failed_plays_what_failed(many: pytest.Pytester) -> None:
    many.runpytest_subprocess("--mint-model=oracle")
    for args in ([], ["-n2"]):
        result, summary = played(many, "--lf", "--mint-model=oracle", *args)
        assert summary["collected"] == 4
        result.assert_outcomes(failed=4)


SLOW = """
import asyncio
from pytest_mint.agents.probes import Probe

async def reply(self, request, real=Probe.reply):
    await asyncio.sleep(0.4 if request.task.id < "r04" else 60)
    return await real(self, request)

Probe.reply = reply
"""


@pytest.mark.parametrize("args", [[], ["-n2"]])
def test_ctrl_c_keeps_what_was_played(many: pytest.Pytester, args: list[str]) -> None:
    many.makeconftest(SLOW)
    command = [sys.executable, "-m", "pytest", "--mint-model=oracle", "-v", *args]
    process = subprocess.Popen(
        [*command, "--mint-json=out.json"],
        cwd=many.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        wait_for_lines(many.path, 2)
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert "incomplete: " in output
    summary = summary_of(many)
    assert summary["interrupted"] is True
    assert summary["arms"]["ef"]["tasks"] >= 2
    assert summary["coverage"] < 1


def wait_for_lines(folder: Path, count: int) -> None:
    """Wait until so many episodes are in the run."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        files = list(folder.glob(".mint/runs/*/episodes.jsonl"))
        if files and files[0].read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.05)
    raise AssertionError("no episode was played in a minute")
