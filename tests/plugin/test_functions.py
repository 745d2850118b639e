"""Sessions with tasks whose functions are called, against an endpoint on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import pytest_mint.agents.chat
import pytest_mint.agents.preflight
import pytest_mint.graders.calls  # noqa: F401 (kept over inner sessions)
from tests.agents.server import Answer, Seen, ok, serve
from tests.plugin.conftest import HINTS, the_run

PARAMETERS = {
    "type": "object",
    "properties": {"room": {"type": "string"}, "nights": {"type": "integer"}},
    "required": ["room", "nights"],
}
TASK = {
    "id": "book-a-room",
    "input": "Book room A for two nights.",
    "hints": HINTS,
    "functions": [
        {
            "name": "book",
            "description": "Book a room.",
            "parameters": PARAMETERS,
            "answers": [{"result": {"status": "booked"}}],
        }
    ],
    "expected_output": [{"name": "book", "arguments": {"room": "A", "nights": 2}}],
}


def books(nights: int) -> Answer:
    arguments = json.dumps({"room": "A", "nights": nights})
    function = {"name": "book", "arguments": arguments}
    call = {"id": "c1", "type": "function", "function": function}
    return ok(None, tool_calls=[call])


def played(
    pytester: pytest.Pytester,
    answers: Callable[[int], Answer],
    *args: str,
) -> tuple[pytest.RunResult, list[Seen]]:
    """The session, and what the endpoint was asked at each turn."""

    def answer(seen: Seen) -> Answer:
        messages = seen.body["messages"]
        return answers(sum(m["role"] == "assistant" for m in messages))

    with serve(answer) as server:
        result = pytester.runpytest(
            "--mint-model=tester", f"--mint-base-url={server.url}", *args
        )
    asked = [seen for seen in server.seen if len(seen.body["messages"]) > 1]
    return result, asked


@pytest.fixture(autouse=True)
def _task(write_tasks: Callable[..., Any]) -> None:
    write_tasks("tool_use", TASK)


def test_native_calls_are_answered_and_graded(pytester: pytest.Pytester) -> None:
    result, asked = played(
        pytester,
        lambda turn: books(2) if turn == 0 else ok("It is booked."),
        "--mint-protocol=tools",
    )
    result.assert_outcomes(passed=1)
    assert asked[0].body["tools"][0]["function"]["parameters"] == PARAMETERS
    told = asked[1].body["messages"][-2]
    assert (told["role"], told["content"]) == ("tool", '{"status": "booked"}')


def test_a_wrong_call_is_told_and_can_be_mended(pytester: pytest.Pytester) -> None:
    replies = [books(3), ok("Done."), books(2), ok("Done.")]
    result, asked = played(
        pytester,
        lambda turn: replies[min(turn, 3)],
        "--mint-protocol=tools",
        "--mint-arm=ef",
    )
    result.assert_outcomes(passed=1)
    heard = asked[2].body["messages"][-1]["content"]
    assert "call 1, book, has unexpected arguments: nights" in heard
    assert "2" not in heard.partition("nights")[0].replace("call 1", "")


def test_calls_that_code_makes_are_kept_and_graded(pytester: pytest.Pytester) -> None:
    cell = (
        "<execute>print(book(room='A', nights=2))</execute> <solution>Done.</solution>"
    )
    result, asked = played(
        pytester, lambda turn: ok(cell), "--mint-sandbox=unsafe", "--mint-protocol=text"
    )
    result.assert_outcomes(passed=1)
    assert "tools" not in asked[0].body
    (line,) = (the_run(pytester) / "episodes.jsonl").read_text().splitlines()
    (turn,) = json.loads(line)["episodes"]["ef"]["turns"]
    assert [run["tool"] for run in turn["runs"]] == ["python_interpreter", "book"]


def test_a_run_with_functions_is_played_again(pytester: pytest.Pytester) -> None:
    cell = "<execute>book(room='A', nights=2)</execute> <solution>Done.</solution>"
    played(
        pytester, lambda turn: ok(cell), "--mint-sandbox=unsafe", "--mint-protocol=text"
    )
    run = the_run(pytester)
    again = pytester.runpytest("--mint-model=tester", f"--mint-replay={run}")
    again.assert_outcomes(passed=1)
    again.stdout.no_fnmatch_line("*Drift*")
