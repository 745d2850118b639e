"""Tasks that are played in a world, natively and from code."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from typing import Any

import pytest

from pytest_mint.agents.base import Reply, ToolCall
from pytest_mint.agents.probes import probe
from pytest_mint.agents.recording import Recording
from pytest_mint.episode.environment import LiveEnvironment, RecordedEnvironment
from pytest_mint.episode.loop import play
from pytest_mint.lineup import Lineup
from pytest_mint.player import Player
from pytest_mint.settings import Settings
from pytest_mint.tools import find_tool
from pytest_mint.tools.world import action_tools
from tests.bundled import FOLDER, TASKS
from tests.episode.scripted import Scripted, cast_of, no_sandbox, played
from tests.sandbox.kinds import opened
from tests.tools.shop import GOAL, shop_task

TASK = shop_task()


def made(*calls: tuple[str, dict[str, Any]]) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(name, json.dumps(arguments), f"c{number}")
        for number, (name, arguments) in enumerate(calls)
    )


def move(thing: str, shelf: int) -> tuple[str, dict[str, Any]]:
    return "move", {"thing": thing, "shelf": shelf}


def acts(*calls: tuple[str, dict[str, Any]], said: str = "") -> Reply:
    return Reply(said, made(*calls))


def shelves(state: Any) -> dict[str, int]:
    return {row["name"]: row["shelf"] for row in state["things"]}


def turns(lines, task=TASK, arms=("ef",), **more):
    agent = Scripted(lines, nlf=more.pop("nlf", None))
    return agent, played(task, agent, arms, tools=action_tools(task), **more)


@pytest.fixture(scope="module", params=["unsafe", "cage"])
def sandbox(request):
    with opened(request.param) as found:
        yield found


class TestNative:
    def test_a_turn_of_calls_only_can_reach_the_goal(self):
        _, episodes = turns([acts(move("tin", 7)), acts(move("jar", 8))])
        turn = episodes["ef"].turns[1]
        assert episodes["ef"].success_turn == 2
        assert turn.proposal is None
        assert turn.verdict is not None
        assert turn.verdict.solved

    def test_after_a_turn_of_calls_only_the_agent_hears_no_verdict(self):
        agent, episodes = turns([acts(move("tin", 7))])
        first = episodes["ef"].turns[0]
        assert (first.verdict, first.heard) == (None, "4 turns left.")
        answers = [m["content"] for m in agent.prompt("ef", 2) if m["role"] == "tool"]
        assert answers == ["tin is on 7 now."]

    def test_claiming_it_is_no_solution_and_the_agent_hears_how_much_is_missing(self):
        _, episodes = turns([acts(move("tin", 7), said="<solution>Done.</solution>")])
        first = episodes["ef"].turns[0]
        assert first.verdict is not None
        assert (first.verdict.solved, first.verdict.score) == (False, 0.5)
        assert first.heard == (
            "Your answer is not right: 1 of 2 conditions of the goal not met\n\n"
            "4 turns left."
        )

    def test_calls_run_in_the_order_given_and_a_refused_one_stops_nothing(self):
        reply = acts(move("tin", 7), move("tin", 7), move("jar", 8))
        _, episodes = turns([reply])
        (turn,) = episodes["ef"].turns
        assert [run.ok for run in turn.runs] == [True, False, True]
        assert turn.runs[1].output == "Error: tin is on 7."
        assert episodes["ef"].success_turn == 1

    def test_the_goal_is_looked_at_after_the_turn_and_not_within_it(self):
        reply = acts(move("tin", 7), move("jar", 8), move("tin", 1))
        _, episodes = turns([reply], max_turns=1)
        assert episodes["ef"].outcome == "unsolved"

    def test_what_is_ruled_out_must_not_be_so(self):
        log = [{"said": "x"}] * 5
        _, episodes = turns(
            [acts(move("tin", 7), move("jar", 8)), "Done."],
            shop_task(start={"log": log}),
        )
        assert (
            "something is so that the task rules out" in episodes["ef"].turns[1].heard
        )
        assert episodes["ef"].outcome == "unsolved"

    def test_a_fact_has_to_be_reported_where_the_task_asks_for_it(self):
        lines = [acts(move("tin", 7), move("jar", 8)), "It is done.", "On shelf 8."]
        _, episodes = turns(lines, shop_task(must_include=["8"]))
        assert episodes["ef"].success_turn == 3
        first, second = episodes["ef"].turns[:2]
        assert first.heard == "4 turns left."
        assert "does not report what was asked for" in second.heard

    def test_a_reply_without_a_word_hears_no_verdict_either(self):
        _, episodes = turns([Reply("", label="empty")])
        assert "not right" not in episodes["ef"].turns[0].heard

    def test_the_agent_is_told_of_the_world_and_offered_its_actions(self):
        agent, _ = turns([acts(move("tin", 7))])
        assert "A shop with shelves." in agent.prompt("ef", 1)[0]["content"]
        names = [schema["function"]["name"] for schema in agent.asked[0].tools]
        assert names == [action.name for action in TASK.world_spec.actions]

    def test_a_state_may_be_compared_as_a_whole(self):
        whole = {
            "things": [
                {"name": "jar", "shelf": 2, "note": "blue"},
                {"name": "tin", "shelf": 7, "note": None},
            ]
        }
        task = shop_task(
            goal=[], forbidden=[], expected_output=whole, grader={"ignore": ["log"]}
        )
        _, episodes = turns([acts(move("tin", 6)), acts(move("tin", 7))], task)
        assert episodes["ef"].success_turn == 2

    def test_a_condition_that_cannot_be_told_is_missing_data_and_no_score(self):
        bad = {"sql": "SELECT json(name) FROM things", "expect": 1}
        whole = shop_task(goal=GOAL)
        broken = whole.model_copy(
            update={"goal": (whole.goal[0].model_copy(update=bad),)}
        )
        _, episodes = turns([acts(move("tin", 7))], broken)
        assert episodes["ef"].outcome == "grader_error"
        assert "goal.0.sql: malformed JSON" in episodes["ef"].error


class TestFork:
    def test_both_arms_begin_with_the_same_rows_and_go_their_own_ways(self):
        begun = [acts(move("tin", 5)), acts(move("jar", 6))]
        _, episodes = turns(
            [*begun, acts(move("tin", 1)), acts(("look", {}))],
            arms=("ef", "nlf"),
            nlf=[*begun, acts(("look", {})), acts(move("jar", 8), move("tin", 7))],
        )
        ef, nlf = episodes["ef"].turns, episodes["nlf"].turns
        assert '"tin", "shelf": 1}' in ef[3].runs[0].output
        assert '"jar", "shelf": 6}' in ef[3].runs[0].output
        assert '"tin", "shelf": 5}' in nlf[2].runs[0].output
        assert '"jar", "shelf": 6}' in nlf[2].runs[0].output
        assert episodes["ef"].outcome == "unsolved"
        assert episodes["nlf"].success_turn == 4

    def test_rows_are_identical_after_two_turns_of_actions(self):
        async def run():
            tools = action_tools(TASK)
            one = LiveEnvironment(TASK, tools, no_sandbox, native=True)
            await one.run(1, made(move("tin", 5)))
            await one.run(2, made(move("jar", 6)))
            two = await one.fork("nlf")
            same = [await one.state(), await two.state()]
            await two.run(3, made(move("jar", 9)))
            await one.run(3, made(move("tin", 4)))
            ended = [shelves(await each.state()) for each in (one, two)]
            for each in (one, two):
                await each.close()
            return same, ended

        same, ended = asyncio.run(run())
        assert same[0] == same[1]
        assert ended == [{"tin": 4, "jar": 6}, {"tin": 5, "jar": 9}]


class TestText:
    def play(self, sandbox, *lines, arms=("ef",), **more):
        return turns(lines, arms=arms, native=False, sandbox=lambda: sandbox, **more)

    def test_code_acts_and_that_is_what_counts(self, sandbox):
        cell = "<execute>print(move('tin', shelf=7))\nmove('jar', 8)</execute>"
        agent, episodes = self.play(sandbox, cell)
        (turn,) = episodes["ef"].turns
        assert episodes["ef"].success_turn == 1
        assert turn.runs[0].output.startswith("tin is on 7 now.")
        ran = [(run.tool, json.loads(run.arguments)) for run in turn.runs[1:]]
        assert ran == [move("tin", 7), move("jar", 8)]
        assert (
            "- move(thing, shelf, note=...): Does it."
            in (agent.prompt("ef", 1)[0]["content"])
        )

    def test_a_refused_action_is_an_error_in_the_code(self, sandbox):
        cell = (
            "<execute>try:\n    move('cup', 3)\nexcept Exception as e:\n"
            "    print('no:', e)</execute>"
        )
        _, episodes = self.play(sandbox, cell)
        assert "no: There is no cup, {so}." in episodes["ef"].turns[0].heard

    def test_text_that_does_nothing_is_told_so(self, sandbox):
        _, episodes = self.play(sandbox, "I moved both.")
        assert "Nothing was run" in episodes["ef"].turns[0].heard

    def test_variables_and_rows_are_forked_together(self, sandbox):
        begun = ["<execute>n = 5; move('tin', n)</execute>", "<execute>n</execute>"]
        look = "<execute>print(n, look())</execute>"
        change = "<execute>n = 6; move('tin', n)</execute>"
        _, episodes = self.play(
            sandbox, *begun, change, look, arms=("ef", "nlf"), nlf=[*begun, look]
        )
        ef, nlf = episodes["ef"].turns[3].heard, episodes["nlf"].turns[2].heard
        assert "6 Things" in ef
        assert '"tin", "shelf": 6' in ef
        assert "5 Things" in nlf
        assert '"tin", "shelf": 5' in nlf


class TestReplay:
    @pytest.mark.parametrize("native", [True, False])
    def test_a_recorded_world_comes_out_as_recorded_and_needs_no_sandbox(
        self, native, tmp_path
    ):
        lines = [
            acts(move("tin", 5), move("cup", 1)),
            acts(move("tin", 7)),
            acts(move("jar", 8)),
        ]
        if not native:
            lines = [
                "<execute>move('tin', 5)\nmove('cup', 1)</execute>",
                "<execute>move('tin', 7)</execute>",
                "<execute>move('jar', 8)</execute>",
            ]
        with opened("unsafe") as real:
            _, then = turns(
                lines, arms=("ef", "nlf"), native=native, sandbox=lambda: real
            )
        recorded = {(TASK.key, arm): episode for arm, episode in then.items()}
        recording = Recording("scripted", recorded, forks=True, native_tools=native)
        cast = cast_of(
            recording,
            tools=action_tools(TASK),
            native=native,
            environment=lambda task, tools, arm, native, trial: RecordedEnvironment(
                recording, task, arm
            ),
        )
        now = asyncio.run(play(TASK, cast, ("ef", "nlf"))).episodes
        for arm, episode in now.items():
            assert (episode.outcome, episode.success_turn) == ("solved", 3)
            for was, turn in zip(then[arm].turns, episode.turns, strict=True):
                assert turn.runs == was.runs
                assert not turn.drift


BUNDLED = [task for task in TASKS if task.category == "decision_making"]


@pytest.mark.parametrize("protocol", ["tools", "text"])
def test_the_oracle_solves_the_bundled_tasks_and_nop_none(protocol, tmp_path):
    def outcomes(name):
        settings = Settings(model=name, protocol=protocol, sandbox="unsafe")
        with closing(Player(Lineup(settings, tmp_path))) as player:
            return [(task, player.take(task)[0].episodes) for task in BUNDLED]

    assert len(BUNDLED) >= 3
    for task, episodes in outcomes("oracle"):
        turns = {arm: one.success_turn for arm, one in episodes.items()}
        assert turns == dict.fromkeys(("ef", "nlf"), len(task.solution)), task.key
    for _, episodes in outcomes("nop"):
        assert {one.outcome for one in episodes.values()} == {"unsolved"}
    for task, episodes in outcomes("parrot"):
        turns = {arm: one.success_turn for arm, one in episodes.items()}
        assert turns == {"ef": None, "nlf": 5}, task.key


def test_the_probe_repeats_the_actions_of_a_hint_in_one_turn(tmp_path):
    told = {
        "vague": "Look.",
        "specific": "The jar goes to 8.",
        "direct": "Do:\n```json\n"
        + "\n".join(
            json.dumps({"name": name, "arguments": arguments})
            for name, arguments in (move("tin", 7), move("jar", 8))
        )
        + "\n```\n",
    }
    task = shop_task(hints=told)
    episodes = played(task, probe("parrot"), tools=action_tools(task))
    assert episodes["nlf"].success_turn == 5
    assert len(episodes["nlf"].turns[4].runs) == 2


@pytest.mark.parametrize(("protocol", "name"), [("tools", ""), ("text", "unsafe")])
def test_actions_need_a_sandbox_only_where_code_calls_them(protocol, name, tmp_path):
    file = FOLDER / "decision_making" / "rotas.yaml"
    settings = Settings(
        model="oracle", protocol=protocol, sandbox="unsafe", tasks=(file,)
    )
    assert Lineup(settings, tmp_path).sandbox_name() == name


def test_the_interpreter_is_there_beside_the_actions_where_a_task_names_it():
    task = shop_task(tools=["python_interpreter"])
    tools = (find_tool("python_interpreter"), *action_tools(task))
    code = ToolCall("python_interpreter", '{"code": "3 + 4"}', "p")
    lines = [Reply("", (code, *made(move("tin", 7), move("jar", 8))))]
    with opened("unsafe") as real:
        episodes = played(
            task, Scripted(lines), ["ef"], tools=tools, sandbox=lambda: real
        )
    assert episodes["ef"].turns[0].runs[0].output == "7"
    assert episodes["ef"].success_turn == 1
