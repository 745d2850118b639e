"""Sessions with tasks that a model judges, against real endpoints on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import pytest_mint.agents.chat
import pytest_mint.agents.preflight
import pytest_mint.graders.judge_model
import pytest_mint.graders.judged  # noqa: F401 (kept over inner sessions)
from tests.agents.server import Answer, Seen, Server, closed_port, failed, ok, serve
from tests.plugin.conftest import HINTS, summary_of, the_run

POEM = "<solution>The lake holds still.</solution>"


def judged(name: str, **fields: Any) -> dict[str, Any]:
    good = {"text": "A heron counts the reeds.", "score": 4}
    given = {"id": name, "input": f"Task {name}: write a line.", "hints": HINTS}
    rubric = {"rubric": "4: good. 0: bad.", "samples": {"good": good}}
    return {**given, **rubric, **fields}


def is_ping(seen: Seen) -> bool:
    return bool(seen.body["messages"][-1]["content"] == "ping")


def judging(reply: str) -> Callable[[Seen], Answer]:
    return lambda seen: ok("pong" if is_ping(seen) else reply)


@pytest.fixture
def agent() -> Iterator[Server]:
    with serve(lambda seen: ok("pong" if is_ping(seen) else POEM)) as server:
        yield server


@pytest.fixture
def play(
    pytester: pytest.Pytester, write_tasks: Callable[..., Any], agent: Server
) -> Callable[..., pytest.RunResult]:
    """Play these tasks of creative_writing with the agent and perhaps a judge."""

    def run(judge: str, *tasks: dict[str, Any], args: Any = ()) -> pytest.RunResult:
        write_tasks("creative_writing", *tasks)
        named = ["--mint-judge-model=referee", f"--mint-judge-base-url={judge}"]
        return pytester.runpytest_subprocess(
            "--mint-model=tester",
            f"--mint-base-url={agent.url}",
            "--mint-json=out.json",
            *(named if judge else []),
            *args,
        )

    return run


def test_a_task_with_a_rubric_is_judged(pytester, play) -> None:
    with serve(judging("Score: 4")) as judge:
        result = play(judge.url, judged("a"), judged("b"))
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["mint: tester *judge: referee*"])
    asked = [seen.body for seen in judge.seen if not is_ping(seen)]
    assert [body["temperature"] for body in asked] == [0, 0]
    assert all("The lake holds still." in str(body) for body in asked)
    items = summary_of(pytester)["cost"]["items"]
    for role in ("judge", "agent"):
        assert (items[role]["prompt"], items[role]["completion"]) == (2 * 11, 2 * 7)
    kept = json.loads((the_run(pytester) / "run.json").read_text())
    assert kept["judge"]["model"] == "referee"
    assert kept["judge"]["base_url"] == judge.url
    assert kept["settings"]["judge_model"] == "referee"
    (journal,) = (the_run(pytester) / "journal").iterdir()
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    texts = [event["text"] for event in events if event.get("role") == "judge"]
    assert texts == ["Score: 4", "Score: 4"]


def test_a_low_score_is_unsolved_and_told_without_the_rubric(pytester, play, agent):
    with serve(judging("Score: 2")) as judge:
        play(judge.url, judged("a"), args=["--mint-arm=ef"]).assert_outcomes(failed=1)
    heard = [seen.body["messages"][-1]["content"] for seen in agent.seen]
    assert "Your answer is not right: the judge asks for more" in heard[2]
    assert len([seen for seen in judge.seen if not is_ping(seen)]) == 5
    assert summary_of(pytester)["arms"]["ef"]["solved"] == 0


@pytest.mark.parametrize("n", ["-n0", "-n2"])
def test_calls_of_agent_and_judge_are_bounded_together(play, agent, n) -> None:
    """The two servers together; each alone shows too little."""
    tasks = [judged(f"t{number}") for number in range(8)]
    with serve(lambda seen: agent.script(seen)) as both:

        def answer(seen: Seen) -> Answer:
            judge = "<submission" in str(seen.body)
            text = "Score: 4" if judge else POEM
            body = ok("pong" if is_ping(seen) else text).body
            return Answer(body, delay=0.0 if is_ping(seen) else 0.05)

        both.script = answer
        agent.script = lambda seen: ok("unused")
        result = play(
            both.url,
            *tasks,
            args=[f"--mint-base-url={both.url}", "--mint-concurrency=2", n],
        )
    result.assert_outcomes(passed=8)
    assert both.peak <= 2


def test_without_a_judge_such_tasks_are_not_applicable(pytester, play) -> None:
    checked = judged("checked", rubric="", checks=[{"check": "no_comma"}], samples={})
    result = play("", judged("a"), checked, args=["-rs"])
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*not applicable: needs a judge*"])
    assert summary_of(pytester)["not_applicable"] == {"a judge": 1}


def test_checks_come_before_the_judge(play) -> None:
    strict = judged("a", checks=[{"check": "starts_with", "text": "Dear"}])
    with serve(judging("Score: 4")) as judge:
        play(judge.url, strict, args=["--mint-arm=ef"]).assert_outcomes(failed=1)
    assert all(map(is_ping, judge.seen))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (failed(400, "no such thing"), "the judge referee did not answer: 400"),
        (ok("Lovely!"), "the judge gave no usable score"),
    ],
)
def test_a_judge_without_a_score_is_missing_data(pytester, play, answer, told) -> None:
    with serve(lambda seen: ok("pong") if is_ping(seen) else answer) as judge:
        result = play(judge.url, judged("a"), args=["--mint-arm=ef"])
    result.assert_outcomes(errors=1)
    (missing,) = summary_of(pytester)["missing"]
    assert missing["outcome"] == "grader_error"
    assert told in missing["reason"]


def test_the_preflight_asks_the_judge_too(pytester, play) -> None:
    url = f"http://127.0.0.1:{closed_port()}/v1"
    result = play(url, judged("a"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "ERROR: --mint-judge-model=referee: cannot talk to*--mint-judge-base-url*"
    result.stderr.fnmatch_lines([told])
    assert not (pytester.path / ".mint").exists()


def test_an_unknown_judge_is_told(play) -> None:
    result = play("", judged("a"), args=["--mint-judge-model=nobody-knows"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "ERROR: --mint-judge-model=nobody-knows: no endpoint*--mint-judge-base-url*"
    result.stderr.fnmatch_lines([told])


def test_a_judge_of_the_agents_family_is_warned_of(play, agent) -> None:
    with serve(judging("Score: 4")) as judge:
        args = [
            "--mint-judge-model=tester-2",
            f"--mint-judge-base-url={judge.url}",
        ]
        result = play("", judged("a"), args=args)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["mint: warning: the judge tester-2 * one family*"])


class TestProbes:
    @pytest.fixture(autouse=True)
    def _tasks(self, write_tasks) -> None:
        check = [{"check": "ends_with", "text": "reeds."}]
        write_tasks("instruction_following", judged("a", checks=check))

    def test_the_oracle_hands_in_the_good_sample_and_asks_no_judge(self, pytester):
        url = f"--mint-judge-base-url=http://127.0.0.1:{closed_port()}/v1"
        for args in ([], ["--mint-judge-model=referee", url]):
            result = pytester.runpytest("--mint-model=oracle", *args)
            result.assert_outcomes(passed=1)
            result.stdout.fnmatch_lines(["mint: 1 task with a rubric: the oracle*"])

    def test_nop_needs_a_judge(self, pytester) -> None:
        pytester.runpytest("--mint-model=nop").assert_outcomes(skipped=1)
        with serve(judging("Score: 0")) as judge:
            args = ["--mint-judge-model=r", f"--mint-judge-base-url={judge.url}"]
            result = pytester.runpytest("--mint-model=nop", *args)
        result.assert_outcomes(failed=1)

    def test_judged_tasks_are_not_for_the_parrot(self, pytester) -> None:
        with serve(judging("Score: 4")) as judge:
            args = ["--mint-judge-model=r", f"--mint-judge-base-url={judge.url}"]
            result = pytester.runpytest("--mint-model=parrot", "-rs", *args)
        result.assert_outcomes(skipped=1)
        result.stdout.fnmatch_lines(["*needs an agent that writes*"])
