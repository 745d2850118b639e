"""--mint-model=local without its packages, or with an address of one's own."""

from __future__ import annotations

import pytest

import pytest_mint.agents.local as local
from tests.agents.server import ok, serve


@pytest.mark.parametrize(
    "args",
    [
        ["--mint-model=local"],
        ["--mint-model=nop", "--mint-feedback-model=local"],
        ["--mint-model=nop", "--mint-judge-model=local"],
    ],
)
def test_a_missing_package_stops_the_session_with_the_command(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    result = project.runpytest(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{local.INSTALL}"])
    result.stderr.no_fnmatch_line("*Traceback*")
    assert not (project.path / ".mint").exists()


def test_nothing_is_started_to_collect(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    result = project.runpytest("--mint-model=local", "--collect-only")
    assert result.ret == 0


def test_a_server_of_ones_own_is_asked_and_none_is_started(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    with serve(lambda seen: ok("<solution>5</solution>")) as server:
        result = project.runpytest(
            "--mint-model=local", f"--mint-base-url={server.url}"
        )
    result.assert_outcomes(passed=4)


def test_a_key_for_another_server_does_not_reach_it(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Served:
        def close(self) -> None:
            closed.append(True)

    closed: list[bool] = []
    monkeypatch.setenv("MINT_API_KEY", "sk-0123456789")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with serve(lambda seen: ok("<solution>5</solution>")) as server:
        Served.url = server.url
        monkeypatch.setattr(local, "start_local", Served)
        result = project.runpytest("--mint-model=local")
    result.assert_outcomes(passed=4)
    assert "0123456789" not in str([seen.headers for seen in server.seen])
    assert closed == [True]
