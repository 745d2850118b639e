"""Tasks whose functions are called, natively and from code."""

from __future__ import annotations

import pytest

from pytest_mint.agents.base import Reply
from pytest_mint.agents.probes import probe
from pytest_mint.episode.environment import MAX_CALLS
from pytest_mint.tools.functions import function_tools
from tests.bundled import TASKS
from tests.episode.scripted import Scripted, call, played
from tests.graders.kinds import calls_task
from tests.sandbox.kinds import opened

SEND = {
    "name": "send",
    "parameters": {
        "type": "object",
        "properties": {
            "to": {"type": "string", "enum": ["ann", "bob"]},
            "cents": {"type": "integer"},
        },
        "required": ["to", "cents"],
    },
    "answers": [
        {"arguments": {"to": "bob", "cents": 5}, "error": "Bob takes no coins."},
        {"result": {"status": "sent"}},
    ],
}
TASK = calls_task([SEND], [{"name": "send", "arguments": {"to": "ann", "cents": 5}}])
RIGHT, OTHER = '{"to": "ann", "cents": 5}', '{"to": "ann", "cents": 6}'
DONE = "<solution>Done.</solution>"


@pytest.fixture(scope="module")
def sandbox():
    with opened("unsafe") as found:
        yield found


def turns(lines, **more):
    agent = Scripted(lines)
    tools = function_tools(TASK)
    return agent, played(TASK, agent, ["ef"], tools=tools, **more)["ef"]


def send(arguments, text=""):
    return Reply(text, (call(arguments, name="send"),))


class TestNative:
    def test_the_calls_are_answered_and_graded(self):
        agent, episode = turns([send(RIGHT), DONE])
        assert episode.success_turn == 2
        (said,) = [m for m in agent.prompt("ef", 2) if m["role"] == "tool"]
        assert said["content"] == '{"status": "sent"}'
        (schema,) = agent.asked[0].tools
        assert schema["function"]["name"] == "send"

    def test_calls_and_answer_may_come_in_one_turn(self):
        _, episode = turns([send(RIGHT, DONE)])
        assert episode.success_turn == 1

    def test_a_wrong_call_counts_until_the_verdict_and_no_longer(self):
        _, episode = turns([send(OTHER), DONE, send(RIGHT, DONE)])
        assert episode.success_turn == 3
        wrong = episode.turns[1].verdict
        assert wrong is not None
        assert "unexpected arguments: cents" in wrong.reason

    def test_a_call_that_failed_is_told_and_does_not_count(self):
        bad = send('{"to": "bob", "cents": 5}')
        agent, episode = turns(
            [bad, send('{"to": "eve", "cents": 1}'), send(RIGHT, DONE)]
        )
        assert episode.success_turn == 3
        told = [m["content"] for m in agent.prompt("ef", 3) if m["role"] == "tool"]
        assert told[0] == "Error: Bob takes no coins."
        assert "must be one of ann, bob" in told[1]


class TestText:
    def code(self, sandbox, *lines):
        return turns(lines, native=False, sandbox=lambda: sandbox)

    def test_code_calls_the_functions_and_that_is_graded(self, sandbox):
        cell = "<execute>print(send('ann', cents=5))</execute>"
        agent, episode = self.code(sandbox, cell, DONE)
        assert episode.success_turn == 2
        heard = agent.prompt("ef", 2)[-1]["content"]
        assert heard.startswith('Output:\n{"status": "sent"}\n\n')
        ran = [(run.tool, run.arguments) for run in episode.turns[0].runs]
        assert ran[1:] == [("send", RIGHT)]

    def test_a_call_that_failed_in_code_does_not_count(self, sandbox):
        cell = (
            "<execute>try:\n    send('bob', 5)\nexcept Exception as e:\n"
            "    print(e)\nsend('ann', 5)</execute>"
        )
        _, episode = self.code(sandbox, cell + DONE)
        assert episode.success_turn == 1
        ok = [run.ok for run in episode.turns[0].runs]
        assert ok == [True, False, True]
        assert episode.turns[0].runs[1].output == "Error: Bob takes no coins."

    def test_code_that_calls_without_end_is_stopped(self, sandbox):
        cell = "<execute>for n in range(10_000): send('ann', n)</execute>"
        _, episode = self.code(sandbox, cell + DONE)
        first = episode.turns[0]
        assert len(first.runs) == 1 + MAX_CALLS
        assert "may make 500 calls" in first.runs[0].output
        assert first.verdict is not None
        assert not first.verdict.solved

    def test_the_agent_is_told_what_the_functions_want(self, sandbox):
        agent, _ = self.code(sandbox, DONE)
        rules = agent.prompt("ef", 1)[0]["content"]
        assert "- send(to, cents): Does it." in rules
        assert '"enum": ["ann", "bob"]' in rules


BUNDLED = [task for task in TASKS if task.category == "tool_use"]


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("task", BUNDLED, ids=lambda task: task.key)
def test_the_oracle_solves_the_bundled_tasks_and_nop_none(task, native, sandbox):
    def outcomes(name):
        tools = function_tools(task)
        found = played(
            task, probe(name), tools=tools, native=native, sandbox=lambda: sandbox
        )
        return {arm: (one.outcome, one.success_turn) for arm, one in found.items()}

    solved = ("solved", len(task.solution))
    assert outcomes("oracle") == {"ef": solved, "nlf": solved}
    assert {outcome for outcome, _ in outcomes("nop").values()} == {"unsolved"}
    assert outcomes("parrot") == {"ef": ("unsolved", None), "nlf": ("solved", 5)}
