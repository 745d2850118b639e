"""Options, ini keys and variables, as a user meets them."""

from __future__ import annotations

import json

import pytest

from pytest_mint.options import OPTIONS
from tests.plugin.conftest import a_task, the_run


def settings_of_the_run(project: pytest.Pytester) -> dict[str, object]:
    settings: dict[str, object] = json.loads(
        (the_run(project) / "run.json").read_text()
    )["settings"]
    return settings


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.flag)
def test_every_option_is_in_the_help(option, help_text: str) -> None:
    assert option.flag in help_text
    assert f"{option.ini} (" in help_text


@pytest.fixture(scope="module")
def help_text() -> str:
    import subprocess
    import sys

    command = [sys.executable, "-m", "pytest", "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--mint-arm=efx"], "--mint-arm=efx: expected one of both, ef, nlf; did you"),
        (["--mint-max-turns=0"], "--mint-max-turns=0: expected a whole number from 1"),
        (["--mint-max-turns=two"], "--mint-max-turns=two: expected a whole number"),
        (["--mint-grading=fair"], "--mint-grading=fair: expected one of strict, faith"),
        (["--mint-protocol=xml"], "--mint-protocol=xml: expected one of auto, tools"),
        (["--mint-sandbox=jail"], "--mint-sandbox=jail: expected one of auto, docker"),
        (["--mint-concurrency=0"], "--mint-concurrency=0: expected a whole number"),
        (["--mint-max-retries=-1"], "--mint-max-retries=-1: expected a whole number"),
        (["--mint-timeout=0"], "--mint-timeout=0: expected a number from 1"),
        (["--mint-episode-timeout=x"], "--mint-episode-timeout=x: expected a number"),
        (["--mint-temperature=3"], "--mint-temperature=3: expected a number from 0"),
        (["--mint-max-tokens=0"], "--mint-max-tokens=0: expected a whole number"),
        (["--mint-replay-tools=live"], "--mint-replay-tools=live needs --mint-replay"),
        (["--mint-limit=0"], "--mint-limit=0: expected a whole number from 1 to"),
        (["--mint-hint-level=hint"], "--mint-hint-level=hint: expected one of ladder,"),
        (["--mint-hints-from-turn=0"], "--mint-hints-from-turn=0: expected a whole"),
        (["--mint-hints-from-turn=5"], "--mint-hints-from-turn=5 leaves none of 5 tu"),
        (["--mint-controls=sugar"], "--mint-controls=sugar: expected one of placebo,"),
        (["--mint-controls=placebo", "--mint-arm=ef"], "--mint-controls needs both"),
        (["--mint-feedback-base-url=u"], "--mint-feedback-base-url needs --mint-feed"),
        (["--mint-feedback-model=x-9"], "--mint-feedback-model=x-9: no endpoint is"),
        (["--mint-feedback-model=m", "--mint-replay=d"], "*hints that were recorded*"),
        (["--mint-price=free"], "--mint-price*no =*"),
        (["--mint-price=m=one/2"], "--mint-price*'one' is no price*"),
        (["--mint-compare-published=gtp-4"], "--mint-compare-published*mean*gpt-4*"),
        (["--mint-gate=sucess@3>=1"], "sucess@3>=1*did you mean*success"),
        (["--mint-gate=success@9>=1"], "success@9>=1*"),
        (["--mint-replay=nowhere"], "nowhere: no run there*"),
        (["--mint-model=gpt5-unknown"], "gpt5-unknown*--mint-base-url*"),
    ],
)
def test_a_wrong_value_stops_the_session_with_one_sentence(
    project: pytest.Pytester, args: list[str], told: str
) -> None:
    result = project.runpytest("--mint-model=nop", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{told}*"])
    result.stderr.no_fnmatch_line("*Traceback*")
    assert not (project.path / ".mint").exists()


def test_the_command_line_wins_over_environment_and_ini(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makeini("[pytest]\nmint_model = nop\nmint_arm = ef\nmint_max_turns = 2\n")
    monkeypatch.setenv("MINT_ARM", "nlf")
    monkeypatch.setenv("MINT_MAX_TURNS", "3")
    result = project.runpytest("--mint-max-turns=4")
    settings = settings_of_the_run(project)
    assert settings["model"] == "nop"
    assert settings["arm"] == "nlf"
    assert settings["max_turns"] == 4
    result.stdout.fnmatch_lines(["unsolved after 4 turns (nlf)"])


def test_a_wrong_variable_is_named(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINT_ARM", "all")
    result = project.runpytest("--mint-model=nop")
    result.stderr.fnmatch_lines(["ERROR: MINT_ARM=all: expected one of*"])


def test_a_wrong_variable_is_told_even_without_a_model(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINT_MAX_TURNS", "many")
    result = project.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: MINT_MAX_TURNS=many: *"])


def test_tasks_are_those_of_the_option_and_more_are_added(
    project: pytest.Pytester,
) -> None:
    own = project.path / "own.yaml"
    own.write_text(json.dumps([{**a_task("mine"), "category": "science"}]))
    more = project.path / "more.yaml"
    more.write_text(json.dumps([{**a_task("extra"), "category": "science"}]))
    result = project.runpytest(
        "--mint-model=oracle", f"--mint-tasks={own}", f"--mint-add-tasks={more}", "-v"
    )
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*science/mine*", "*science/extra*"])


def test_tasks_of_the_ini_file_are_relative_to_it(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nmint_tasks = own\n")
    (project.path / "own" / "science").mkdir(parents=True)
    (project.path / "own" / "science" / "a.yaml").write_text(
        json.dumps([a_task("mine")])
    )
    result = project.runpytest("--mint-model=oracle")
    result.assert_outcomes(passed=1)


def test_an_added_task_must_not_be_there_already(project: pytest.Pytester) -> None:
    more = project.path / "more.yaml"
    more.write_text(json.dumps([{**a_task("first"), "category": "reasoning"}]))
    result = project.runpytest("--mint-model=nop", f"--mint-add-tasks={more}")
    result.stderr.fnmatch_lines(
        ["ERROR: --mint-add-tasks: reasoning/first is there already; ids*"]
    )


def test_an_empty_task_folder_is_an_error(project: pytest.Pytester) -> None:
    (project.path / "none").mkdir()
    result = project.runpytest("--mint-model=nop", "--mint-tasks=none")
    result.stdout.fnmatch_lines(["*none: no task files in this folder*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_one_arm_alone(project: pytest.Pytester) -> None:
    result = project.runpytest(
        "--mint-model=oracle", "--mint-arm=ef", "--mint-json=out.json"
    )
    summary = json.loads((project.path / "out.json").read_text())
    assert list(summary["arms"]) == ["ef"]
    result.stdout.no_fnmatch_line("*with hints*")


def test_text_protocol_talks_in_tags(project: pytest.Pytester) -> None:
    from pytest_mint.results.store import read_run

    project.runpytest("--mint-model=oracle", "--mint-protocol=text")
    header, results = read_run(the_run(project))
    first = next(iter(results)).episodes["ef"]
    assert header["protocol"] == "text"
    assert first.turns[0].text == "<solution>5</solution>"


def test_the_run_goes_where_it_is_told(project: pytest.Pytester) -> None:
    project.runpytest("--mint-model=nop", "--mint-run-dir=kept/runs")
    assert len(list((project.path / "kept" / "runs").glob("*/run.json"))) == 1
    assert not (project.path / ".mint").exists()


def test_a_folder_that_cannot_be_written_stops_before_anything_is_paid(
    project: pytest.Pytester,
) -> None:
    (project.path / "file").write_text("")
    result = project.runpytest("--mint-model=nop", "--mint-run-dir=file/runs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: cannot write a run below *--mint-run-dir*"])


def test_a_sandbox_that_is_not_here_stops_a_session_that_needs_one(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    args = ("--pyargs", "pytest_mint.bench", "--mint-model=nop", "-k", "coding")
    result = pytester.runpytest(*args, "--mint-sandbox=docker")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *docker*"])
    assert not (pytester.path / ".mint").exists()


def test_a_session_without_code_needs_no_sandbox(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    result = project.runpytest("--mint-model=oracle", "--mint-sandbox=docker")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.no_fnmatch_line("*sandbox:*")


def test_the_header_names_the_sandbox(pytester: pytest.Pytester) -> None:
    args = ("--pyargs", "pytest_mint.bench", "--mint-model=nop", "-k", "debugging")
    result = pytester.runpytest(*args, "--mint-sandbox=unsafe")
    result.stdout.fnmatch_lines(["mint: nop (probe) *· sandbox: unsafe"])
