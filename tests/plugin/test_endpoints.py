"""Sessions against a real endpoint on loopback."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import pytest_mint.agents.chat
import pytest_mint.agents.preflight  # noqa: F401 (kept over inner sessions)
from tests.agents.server import Answer, Seen, closed_port, failed, ok, said, serve
from tests.plugin.conftest import summary_of, the_run

KEY = "sk-secret-0123456789"


def turn_of(seen: Seen) -> int:
    return 1 + sum(m["role"] == "assistant" for m in seen.body["messages"])


def is_ping(seen: Seen) -> bool:
    return len(seen.body["messages"]) == 1


def solves_at(turn: int) -> Callable[[Seen], Answer]:
    def answer(seen: Seen) -> Answer:
        right = turn_of(seen) == turn
        return ok(f"<solution>{5 if right else 1}</solution>")

    return answer


def play(project: pytest.Pytester, url: str, *args: str) -> pytest.RunResult:
    return project.runpytest(
        "--mint-model=tester",
        f"--mint-base-url={url}",
        "--mint-json=out.json",
        *args,
    )


def test_a_model_is_played_over_http(project: pytest.Pytester) -> None:
    with serve(solves_at(4)) as server:
        result = play(project, server.url)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["mint: tester (custom, 16 calls in flight)*"])
    assert summary_of(project)["arms"]["ef"]["success_at"] == [0, 0, 0, 1, 1]


def test_turns_before_the_first_hint_are_paid_once(project: pytest.Pytester) -> None:
    with serve(solves_at(9)) as server:
        play(project, server.url, "-k", "first")
    turns = Counter(turn_of(seen) for seen in server.seen if not is_ping(seen))
    assert turns == {1: 1, 2: 1, 3: 2, 4: 2, 5: 2}
    told = [seen.body["messages"][-1]["content"] for seen in server.seen]
    hinted = [text for text in told if "\n\nHint: " in text]
    assert [text.split("Hint: ")[1] for text in hinted] == [
        "Add.",
        "Add both numbers.",
        "It is 5.",
    ]


def test_tokens_are_counted_by_role(project: pytest.Pytester) -> None:
    with serve(solves_at(1)) as server:
        play(project, server.url)
    used = summary_of(project)["cost"]["items"]["agent"]
    assert (used["prompt"], used["completion"]) == (4 * 11, 4 * 7)
    assert used["seconds"] > 0
    assert used["usd"] is None  # nobody knows what a server of one's own costs


@pytest.mark.parametrize("args", [[], ["-n2"]])
def test_calls_in_flight_are_bounded_in_the_whole_run(
    project: pytest.Pytester, args: list[str]
) -> None:
    def slow(seen: Seen) -> Answer:
        return ok("<solution>1</solution>") if is_ping(seen) else waiting

    waiting = said(json.loads(ok("<solution>1</solution>").body), delay=0.05)
    with serve(slow) as server:
        project.runpytest_subprocess(
            "--mint-model=tester",
            f"--mint-base-url={server.url}",
            "--mint-concurrency=2",
            *args,
        )
    assert server.peak == 2


def test_refusals_for_now_are_retried_and_the_rest_is_named(
    project: pytest.Pytester,
) -> None:
    failures: Counter[str] = Counter()

    def flaky(seen: Seen) -> Answer:
        if is_ping(seen):
            return ok("pong")
        task = seen.body["messages"][1]["content"].split()[1]
        failures[task] += 1
        if task.startswith("first") and failures[task] <= 2:
            return failed(429, "slow down", headers={"retry-after": "0.01"})
        if task.startswith("second"):
            return failed(400, "no such thing")
        return ok("<solution>5</solution>")

    with serve(flaky) as server:
        result = play(project, server.url, "--mint-max-retries=2")
    result.assert_outcomes(passed=3, errors=1)
    (missing,) = {m["reason"] for m in summary_of(project)["missing"]}
    assert "400" in missing
    assert failures["second:"] == 1  # never retried
    assert failures["first:"] == 3


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            failed(404, "model: tester not found", "model_not_found"),
            "*--mint-model=tester: * answers 404 *choose another model*--mint-replay*",
        ),
        (failed(401, "invalid key"), "*MINT_API_KEY*"),
    ],
)
def test_the_preflight_stops_the_session_with_one_sentence(
    project: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    answer: Answer,
    told: str,
) -> None:
    monkeypatch.setenv("MINT_API_KEY", KEY)
    with serve(answer) as server:
        began = time.monotonic()
        result = play(project, server.url)
        took = time.monotonic() - began
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {told}"])
    assert len(server.seen) == 1  # no retry
    assert took < 30
    assert KEY not in result.stderr.str() + result.stdout.str()
    assert not (project.path / ".mint").exists()


@pytest.mark.parametrize("args", [[], ["-n2"]])
def test_no_server_stops_the_session(project: pytest.Pytester, args: list[str]) -> None:
    result = play(project, f"http://127.0.0.1:{closed_port()}/v1", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *server running*"])


def test_nothing_is_asked_under_collect_only(project: pytest.Pytester) -> None:
    with serve(ok("pong")) as server:
        result = play(project, server.url, "--collect-only")
    assert result.ret == 0
    assert server.seen == []


def test_a_missing_key_names_its_variable(project: pytest.Pytester) -> None:
    result = project.runpytest("--mint-model=gpt-4o")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *OPENAI_API_KEY*"])


@pytest.mark.parametrize("args", [[], ["-n2"]])
def test_every_paid_reply_is_in_a_journal(
    project: pytest.Pytester, args: list[str]
) -> None:
    with serve(solves_at(2)) as server:
        project.runpytest_subprocess(
            "--mint-model=tester", f"--mint-base-url={server.url}", *args
        )
    lines = [
        json.loads(line)
        for path in (the_run(project) / "journal").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert Counter(line["turn"] for line in lines) == {1: 4, 2: 4}
    assert len([s for s in server.seen if not is_ping(s)]) == len(lines)


def test_the_key_is_nowhere_on_disk(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINT_API_KEY", KEY)
    with serve(solves_at(1)) as server:
        result = play(project, server.url)
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    written = [path for path in project.path.rglob("*") if path.is_file()]
    assert not [path for path in written if KEY.encode() in path.read_bytes()]
    assert KEY not in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (ok(None), "empty"),
        (ok(""), "empty"),
        (ok("<solution>5</solu\udc00tion> \x00"), "unsolved"),
        (ok(["<solution>", {"text": "5"}]), "unsolved"),
        (Answer(b"<html>busy</html>"), "provider_error"),
        (said({"choices": []}), "provider_error"),
    ],
)
def test_odd_replies_are_outcomes_and_never_tracebacks(
    project: pytest.Pytester, body: Answer, outcome: str
) -> None:
    with serve(lambda seen: ok("pong") if is_ping(seen) else body) as server:
        result = play(project, server.url, "-k", "first", "--mint-arm=ef")
    result.stdout.no_fnmatch_line("*Traceback*")
    summary: dict[str, Any] = summary_of(project)
    found = summary["missing"][0]["outcome"] if summary["missing"] else ""
    (run,) = (the_run(project) / "episodes.jsonl").read_text().splitlines()
    played = json.loads(run)["episodes"]["ef"]
    assert outcome in (found, played["outcome"])


def test_invalid_tool_calls_are_answered_and_the_episode_goes_on(
    pytester: pytest.Pytester, write_tasks
) -> None:
    from tests.plugin.conftest import a_task

    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "python_interpreter", "arguments": "{not json"},
    }

    def answer(seen: Seen) -> Answer:
        if turn_of(seen) == 1:
            return ok(None, tool_calls=[call])
        return ok("<solution>5</solution>")

    write_tasks("reasoning", a_task("calls", tools=["python_interpreter"]))
    with serve(answer) as server:
        result = play(pytester, server.url, "--mint-protocol=tools")
    result.assert_outcomes(passed=1)
    said_back = server.seen[-1].body["messages"][-2]
    assert said_back["role"] == "tool"
    assert "no valid JSON" in said_back["content"]
