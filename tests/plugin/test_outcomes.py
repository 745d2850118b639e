"""Letters, words, failures, missing data and exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import pytest

from tests.bundled import TASKS
from tests.plugin.conftest import a_task, at_turn, summary_of, the_run


def test_letters_are_turns_and_u(project: pytest.Pytester) -> None:
    result = project.runpytest("--mint-model=oracle")
    result.stdout.fnmatch_lines(["tasks/test_mint.py 123U *"])
    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_words_name_the_turn(project: pytest.Pytester) -> None:
    result = project.runpytest("--mint-model=oracle", "-v")
    result.stdout.fnmatch_lines(
        ["*reasoning/second*SOLVED@2*", "*science/never*UNSOLVED*"]
    )


def test_an_unsolved_task_fails_with_what_happened_and_no_traceback(
    project: pytest.Pytester,
) -> None:
    result = project.runpytest("--mint-model=oracle", "-k", "never")
    result.stdout.fnmatch_lines(
        [
            "*test_mint?science/never?*",
            "unsolved after 5 turns (ef)",
            "  1  proposed: wrong",
            "  5  proposed: wrong",
            "  trajectory: .mint*(pytest-mint show science/never)",
        ]
    )
    result.stdout.no_fnmatch_line("*assert_solved*")


@pytest.mark.parametrize(
    ("gate", "state", "code"),
    [
        ("success@3>=0.75", "PASS", 0),
        ("success@3>75%", "FAIL", 1),
        ("success@1>=0.25", "PASS", 0),
        ("reasoning:success@3>=1", "PASS", 0),
        ("science:success@5>0", "FAIL", 1),
        ("nlf:success@5>=0.75", "PASS", 0),
        ("hur<=0.5", "PASS", 0),
        ("coverage>=1", "PASS", 0),
        ("coding:success@1>=0.1", "INCONCLUSIVE", 1),
    ],
)
def test_gates_decide_the_exit_code(
    project: pytest.Pytester, gate: str, state: str, code: int
) -> None:
    result = project.runpytest("--mint-model=oracle", f"--mint-gate={gate}")
    assert result.ret == code
    result.stdout.fnmatch_lines([f"gate {gate}*{state}*"])
    result.stdout.fnmatch_lines(["tasks/test_mint.py 123U *", "*3 passed, 1 unsolved*"])


def test_all_gates_must_hold(project: pytest.Pytester) -> None:
    result = project.runpytest(
        "--mint-model=oracle",
        "--mint-gate=success@5>=0.5",
        "--mint-gate=success@5>=0.9",
        "--mint-json=out.json",
    )
    assert result.ret == 1
    assert [g["state"] for g in summary_of(project)["gates"]] == ["PASS", "FAIL"]


def test_gates_come_from_the_ini_file(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nmint_gates =\n    success@3>=0.5\n    coverage>=1\n")
    result = project.runpytest("--mint-model=oracle")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["gate success@3>=0.5*PASS*", "gate coverage>=1*PASS*"])


def test_with_gates_r_u_shows_what_happened(project: pytest.Pytester) -> None:
    result = project.runpytest(
        "--mint-model=oracle", "--mint-gate=success@5>=0.5", "-rU"
    )
    result.stdout.fnmatch_lines(
        [
            "*test_mint?science/never?*",
            "unsolved after 5 turns (ef)",
            "  5  proposed: *",
        ]
    )


def test_runxfail_turns_unsolved_into_failures(project: pytest.Pytester) -> None:
    result = project.runpytest(
        "--mint-model=oracle", "--mint-gate=success@5>=0.5", "--runxfail"
    )
    result.assert_outcomes(passed=3, failed=1)


def test_other_failures_fail_whatever_the_gates(project: pytest.Pytester) -> None:
    (project.path / "tasks" / "test_more.py").write_text(
        "def test_more(mint_episode):\n    assert len(mint_episode.turns) == 1\n"
    )
    result = project.runpytest("--mint-model=oracle", "--mint-gate=success@5>=0.5")
    assert result.ret == 1
    result.assert_outcomes(passed=4, failed=3)


CONFTEST = """
import os
import subprocess
import sys
from contextlib import suppress

import pytest
from pytest_mint.agents import probes
from pytest_mint.errors import ProviderError

def oracle(request, real=probes._oracle):
    if request.task.id == "second":
        raise ProviderError("529 six times")
    return real(request)

probes._oracle = oracle
"""


@pytest.fixture
def outage(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> pytest.Pytester:
    """The project, with an agent that has no answer for one of the tasks."""
    from pytest_mint.agents import probes

    monkeypatch.setattr(probes, "_oracle", probes._oracle)  # put back afterwards
    project.makeconftest(CONFTEST)
    return project


def test_missing_data_is_an_error_and_no_score(outage: pytest.Pytester) -> None:
    result = outage.runpytest("--mint-model=oracle", "--mint-json=out.json")
    result.stdout.fnmatch_lines(["tasks/test_mint.py 1E3U *"])
    result.assert_outcomes(passed=2, failed=1, errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "provider_error in arm ef: 529 six times",
            "Missing 1 of 4 tasks:",
            "  reasoning/second (ef, nlf): provider_error: 529 six times",
        ]
    )
    summary = summary_of(outage)
    assert summary["coverage"] == 0.75
    assert summary["arms"]["ef"]["tasks"] == 3
    assert summary["arms"]["ef"]["success_at"][4] == pytest.approx(2 / 3)
    assert summary["missing"][0] == {
        "task": "reasoning/second",
        "arm": "ef",
        "outcome": "provider_error",
        "reason": "529 six times",
    }


@pytest.mark.parametrize(
    ("gate", "state", "code"),
    [
        ("success@3>=0.5", "PASS", 0),  # 2 of 4 even if the missing one is unsolved
        ("success@3>=0.75", "INCONCLUSIVE", 1),
        ("success@3>=0.8", "FAIL", 1),  # 3 of 4 even if it is solved
        ("coverage>=0.9", "FAIL", 1),
    ],
)
def test_gates_that_missing_data_could_turn_are_inconclusive(
    outage: pytest.Pytester, gate: str, state: str, code: int
) -> None:
    result = outage.runpytest("--mint-model=oracle", f"--mint-gate={gate}")
    result.stdout.fnmatch_lines([f"gate {gate}*{state}*"])
    assert result.ret == code


def test_a_fault_of_ours_is_shown_and_counted_as_missing(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_mint.agents import probes

    monkeypatch.setattr(probes, "_nop", lambda request: 1 / 0)
    result = project.runpytest("--mint-model=nop", "--mint-json=out.json")
    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines(["*ZeroDivisionError: division by zero"])
    assert summary_of(project)["coverage"] == 0


def test_an_unsolved_task_that_hints_rescue_says_so(
    pytester: pytest.Pytester, write_tasks
) -> None:
    write_tasks("reasoning", a_task("easy-hint"))
    result = pytester.runpytest("--mint-model=parrot", "--mint-json=out.json")
    result.stdout.fnmatch_lines(
        ['unsolved after 5 turns (ef) · solved at turn 5 with the "direct" hint']
    )
    found = summary_of(pytester)["hur"]
    assert (found["failed_ef"], found["rescued"], found["hurt"]) == (1, 1, 0)
    assert (found["rate"], found["without_direct"]) == (1.0, 0.0)
    assert found["by_level"] == {"vague": 0, "specific": 0, "direct": 1}


def test_the_summary_has_every_number(project: pytest.Pytester) -> None:
    project.runpytest("--mint-model=oracle", "--mint-json=out.json")
    summary = summary_of(project)
    assert summary["schema"] == 1
    assert summary["model"] == "oracle"
    assert (summary["collected"], summary["scheduled"]) == (4, 4)
    ef = summary["arms"]["ef"]
    assert (ef["tasks"], ef["solved"]) == (4, 3)
    assert ef["success_at"] == [0.25, 0.5, 0.75, 0.75, 0.75]
    assert len(ef["intervals"]) == 5
    assert ef["by_category"]["reasoning"]["success_at"][2] == 1
    assert summary["hur"]["failed_ef"] == 1
    assert summary["missing"] == []


def test_the_run_is_on_disk_with_whole_trajectories(project: pytest.Pytester) -> None:
    from pytest_mint.results.store import read_run

    project.runpytest("--mint-model=oracle")
    header, results = read_run(the_run(project))
    assert header["settings"]["model"] == "oracle"
    assert header["finished"]
    assert len(header["tasks"]) == 4
    by_task = {result.task: result for result in results}
    second = by_task["reasoning/second"].episodes["ef"]
    assert [turn.proposal for turn in second.turns] == [
        "<solution>1</solution>",
        "<solution>5</solution>",
    ]
    assert second.opening[1]["content"].startswith("Task second")


def test_junit_has_outcome_and_turn(project: pytest.Pytester) -> None:
    project.runpytest("--mint-model=oracle", "--junit-xml=j.xml", "-k", "second")
    xml = (project.path / "j.xml").read_text()
    assert 'name="mint_success_turn" value="2"' in xml
    assert 'name="mint_outcome" value="solved"' in xml


def test_colours_can_be_turned_off(project: pytest.Pytester) -> None:
    result = project.runpytest("--mint-model=oracle", "--color=no")
    assert "\x1b" not in result.stdout.str()


def test_turns_beyond_nine_have_a_letter_of_one_column(
    pytester: pytest.Pytester, write_tasks
) -> None:
    write_tasks("reasoning", a_task("late", **at_turn(11)))
    result = pytester.runpytest("--mint-model=oracle", "--mint-max-turns=12")
    result.stdout.fnmatch_lines(["tasks/test_mint.py + *"])


def test_nothing_is_played_or_written_under_collect_only(
    project: pytest.Pytester,
) -> None:
    result = project.runpytest("--mint-model=oracle", "--collect-only")
    assert result.ret == 0
    assert not (project.path / ".mint").exists()


def test_warnings_as_errors_end_no_episode(pytester: pytest.Pytester) -> None:
    """Libraries that warn when they are first imported are imported ahead."""
    result = pytester.runpytest_subprocess(
        *("--pyargs", "pytest_mint.bench", "--mint-model=oracle", "-Werror"),
        *("-k", "information_retrieval", "--mint-json=out.json"),
    )
    result.assert_outcomes(passed=3, deselected=len(TASKS) - 3)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_is_told_how_far_the_session_is(project: pytest.Pytester) -> None:
    import pty

    project.makeconftest(
        "import pytest_mint.plugin.watching as w\nw.PROGRESS_SECONDS = 0\n"
    )
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pytest", "--mint-model=oracle"]
    with subprocess.Popen(
        command, cwd=project.path, stdout=theirs, stderr=theirs, stdin=theirs
    ):
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # Linux says so at the end of a terminal
            while piece := os.read(ours, 65536):
                shown += piece
    os.close(ours)
    assert b"mint: 2/4 \xc2\xb7 solved 100 %" in shown
    assert b"4/4 \xc2\xb7 solved 75 %" in shown
