"""Replays of our own runs, through whole sessions."""

from __future__ import annotations

import json
import sys

import pytest

from tests.plugin.conftest import a_task, summary_of, the_run


@pytest.fixture
def recorded(project: pytest.Pytester) -> str:
    """The folder of a run that the oracle played."""
    project.runpytest("--mint-model=oracle", "--mint-json=first.json")
    return str(the_run(project))


def replay(project: pytest.Pytester, folder: str, *args: str) -> pytest.RunResult:
    return project.runpytest(
        "--mint-model=oracle", f"--mint-replay={folder}", "--mint-json=out.json", *args
    )


def test_a_run_replays_to_the_same_numbers(
    project: pytest.Pytester, recorded: str
) -> None:
    result = replay(project, recorded)
    result.stdout.fnmatch_lines([f"mint: oracle (recorded in {recorded})*"])
    result.stdout.no_fnmatch_line("Drift*")
    assert summary_of(project) == summary_of(project, "first.json")


def test_a_changed_task_is_drift(project: pytest.Pytester, recorded: str) -> None:
    path = project.path / "tasks" / "reasoning" / "some.yaml"
    path.write_text(path.read_text().replace("what is 2 plus 3", "what is 1 plus 4"))
    result = replay(project, recorded)
    result.stdout.fnmatch_lines(["Drift: * not as recorded*"])


def test_a_task_that_was_not_recorded_is_missing(
    project: pytest.Pytester, recorded: str, write_tasks
) -> None:
    write_tasks("science", a_task("new"), file="new")
    result = replay(project, recorded)
    result.assert_outcomes(passed=3, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*science/new*not recorded: science/new in arm ef*"])


def test_another_model_is_refused(project: pytest.Pytester, recorded: str) -> None:
    result = project.runpytest("--mint-model=nop", f"--mint-replay={recorded}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: * is a run of 'oracle', not of 'nop'"])


def test_an_arm_that_was_not_recorded_is_refused(project: pytest.Pytester) -> None:
    project.runpytest("--mint-model=oracle", "--mint-arm=ef")
    result = replay(project, str(the_run(project)))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *in no arm 'nlf'*choose with --mint-arm*"])


def test_tools_run_again_where_asked(pytester: pytest.Pytester, write_tasks) -> None:
    code = "print(open('n.txt').read() if __import__('os').path.exists('n.txt') else 7)"
    call = {"tool": "python_interpreter", "arguments": {"code": code}}
    solution = [{"calls": [call]}, {"answer": "5"}]
    write_tasks(
        "reasoning", a_task("runs", tools=["python_interpreter"], solution=solution)
    )
    pytester.runpytest("--mint-model=oracle")
    run = the_run(pytester)
    lines = (run / "episodes.jsonl").read_text()
    (run / "episodes.jsonl").write_text(lines.replace('"output":"7"', '"output":"8"'))
    for tools, output in (("recorded", "8"), ("live", "7")):
        result = replay(pytester, str(run), f"--mint-replay-tools={tools}")
        result.assert_outcomes(passed=1)
        newest = max((pytester.path / ".mint" / "runs").iterdir())
        record = json.loads((newest / "episodes.jsonl").read_text())
        assert record["episodes"]["ef"]["turns"][0]["runs"][0]["output"] == output


def test_a_torn_last_line_is_left_out(project: pytest.Pytester, recorded: str) -> None:
    path = the_run(project) / "episodes.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    result = replay(project, recorded)
    assert summary_of(project)["coverage"] == 0.75
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_FSIZE acts on Linux only")
def test_a_full_disk_loses_nothing_and_says_so(
    project: pytest.Pytester,
) -> None:
    from pytest_mint.results.store import read_run

    project.makeconftest(
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "def pytest_collection_finish():\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))\n"
    )
    result = project.runpytest_subprocess(
        "--mint-model=oracle", "-p", "no:cacheprovider", "--color=no"
    )
    result.stdout.fnmatch_lines(["*3 passed*"])
    out = result.stdout.str()
    assert "cannot write" in out
    assert "File too large" in out
    del read_run
