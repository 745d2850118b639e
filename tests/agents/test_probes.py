from __future__ import annotations

import asyncio
import json

import pytest

from pytest_mint.agents.base import Request, ToolCall
from pytest_mint.agents.probes import PROBES, probe
from pytest_mint.choosing import sample, why_not
from pytest_mint.lineup import Lineup
from pytest_mint.player import Player
from pytest_mint.settings import Settings
from pytest_mint.tasks.load import bundled_folder, load_tasks
from pytest_mint.words import HINT_MARK
from tests.episode.scripted import WEIGH, played, sum_task
from tests.tools.shop import shop_task

SOLUTION = [
    {"calls": [{"tool": "weigh", "arguments": {"what": "tin", "deep": [True, None]}}]},
    {"answer": "42"},
]


def say(name, task, turn=1, heard="Go.", native=True):
    tools = (WEIGH.schema,) if native else ()
    messages = ({"role": "user", "content": heard},)
    return asyncio.run(probe(name).reply(Request(task, "ef", turn, messages, tools)))


class TestOracle:
    def test_plays_the_solution_turn_by_turn_and_then_its_last_again(self):
        task = sum_task(solution=SOLUTION)
        replies = [say("oracle", task, turn) for turn in (1, 2, 3)]
        assert [reply.text for reply in replies] == [
            "",
            *["<solution>42</solution>"] * 2,
        ]
        (call,) = replies[0].calls
        assert (call.name, call.id) == ("weigh", "call_1")
        assert json.loads(call.arguments) == {"what": "tin", "deep": [True, None]}

    def test_writes_calls_as_code_where_it_has_no_tools(self):
        task = sum_task(solution=SOLUTION)
        reply = say("oracle", task, native=False)
        assert reply.calls == ()
        assert reply.text == (
            "<execute>\nprint(weigh(**{'what': 'tin', 'deep': [True, None]}))\n"
            "</execute>"
        )

    def test_writes_a_cell_as_its_code(self):
        cell = {"tool": "python_interpreter", "arguments": {"code": "6 * 7"}}
        task = sum_task(solution=[{"calls": [cell], "answer": "42"}])
        text = say("oracle", task, native=False).text
        assert text == "<execute>\n6 * 7\n</execute>\n<solution>42</solution>"
        (call,) = say("oracle", task).calls
        assert call == ToolCall("python_interpreter", '{"code": "6 * 7"}', "call_1")

    @pytest.mark.parametrize("native", [True, False])
    def test_solves_at_the_turn_of_its_solution(self, native):
        solution = [{"calls": [{"tool": "weigh", "arguments": {"what": "tin"}}]}]
        task = sum_task(solution=[*solution, {"answer": "42"}])
        # in text the call is a cell; the sandbox is needed only to run it
        episodes = played(task, probe("oracle"), tools=[WEIGH], native=True)
        assert [e.success_turn for e in episodes.values()] == [2, 2]

    def test_says_so_where_there_is_no_solution(self):
        assert "no solution" in say("oracle", sum_task()).text


class TestParrot:
    @pytest.mark.parametrize(
        ("hint", "submitted"),
        [
            ('The word is "yes".', "yes"),
            ("It is “so” and then «no».", "no"),
            ("Write `x = 1`.", "x = 1"),
            ("Do this:\n```python\nprint(1)\n```\nNow.", "print(1)"),
            ("The answer is forty two.", "forty two"),
            ("The Answer is: 42", "42"),
            ("Add 40 to 2, which is 1,042.50.", "1,042.50"),
            ("It is −7", "−7"),
            ("Think harder", "Think harder"),
        ],
    )
    def test_submits_the_most_obvious_thing_in_the_hint(self, hint, submitted):
        heard = f"Your answer is wrong.\n\n3 turns left.\n\nHint: {hint}"
        text = say("parrot", sum_task(), heard=heard).text
        assert text == f"<solution>{submitted}</solution>"

    def test_waits_for_a_hint_and_submits_no_number_from_elsewhere(self):
        assert say("parrot", sum_task(), heard="3 turns left.").text == (
            "I am waiting for a hint."
        )

    def test_repeats_the_actions_of_a_hint_in_a_world(self):
        hint = (
            'First:\n```json\n{"name": "move", "arguments": '
            '{"thing": "tin", "shelf": 7}}\n{"name": "look"}\n```\n'
        )
        heard = f"{HINT_MARK}{hint}"
        reply = say("parrot", shop_task(), heard=heard)
        assert [(call.name, call.id) for call in reply.calls] == [
            ("move", "call_1"),
            ("look", "call_2"),
        ]
        assert json.loads(reply.calls[0].arguments) == {"thing": "tin", "shelf": 7}
        assert reply.text == ""
        assert say("parrot", shop_task(), heard=heard, native=False).text == (
            "<execute>\nprint(move(**{'thing': 'tin', 'shelf': 7}))\n</execute>\n"
            "<execute>\nprint(look(**{}))\n</execute>"
        )
        listed = heard.replace("}}\n", "}},\n").replace("json\n", "json\n[")
        again = say("parrot", shop_task(), heard=listed.replace("\n```\n", "]\n```\n"))
        assert again.calls == reply.calls

    @pytest.mark.parametrize(
        "hint", ["Move it.", "```\nmove it\n```", "```\n[1]\n```", "```\n{}\n```"]
    )
    def test_hands_something_in_where_a_hint_names_no_action(self, hint):
        reply = say("parrot", shop_task(), heard=f"{HINT_MARK}{hint}")
        assert reply.calls == ()
        assert reply.text.startswith("<solution>")

    def test_measures_what_the_hints_give_away(self):
        telling = {"vague": "Look.", "specific": "Add.", "direct": "It is 42."}
        episodes = played(sum_task(hints=telling), probe("parrot"))
        assert episodes["ef"].outcome == "unsolved"
        assert episodes["nlf"].success_turn == 5
        shy = {**telling, "direct": "Add 40 and 2."}
        assert played(sum_task(hints=shy), probe("parrot"))["nlf"].outcome == "unsolved"


@pytest.mark.parametrize("name", PROBES)
def test_a_probe_has_its_name_and_can_be_closed(name):
    agent = probe(name)
    assert agent.name == name
    asyncio.run(agent.close())


ALL = [
    task for task in load_tasks([bundled_folder()]) if not why_not(task, judged=True)
]
#: tests/test_tasks.py and tests/tools/test_solutions.py see to each of them.
BUNDLED = [task for task in ALL if task.key in sample(ALL, 48)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What the oracle and nop did on an even sample of the bundled tasks."""
    found = {}
    for name in ("oracle", "nop"):
        settings = Settings(model=name, sandbox="unsafe")
        player = Player(Lineup(settings, tmp_path_factory.mktemp("root")))
        try:
            player.prefetch([(task, "") for task in BUNDLED])
            found[name] = {task.key: player.take(task)[0] for task in BUNDLED}
        finally:
            player.close()
    return found


@pytest.mark.parametrize("task", BUNDLED, ids=lambda task: task.key)
def test_the_oracle_solves_a_bundled_task_at_the_turn_of_its_solution(task, results):
    for episode in results["oracle"][task.key].episodes.values():
        # The good sample of a judged task is handed in at once.
        turn = 1 if task.samples else len(task.solution)
        assert episode.success_turn == turn, episode.turns


WITHOUT_A_JUDGE = [task for task in BUNDLED if not why_not(task)]


@pytest.mark.parametrize("task", WITHOUT_A_JUDGE, ids=lambda task: task.key)
def test_nop_solves_no_bundled_task(task, results):
    episodes = results["nop"][task.key].episodes
    assert episodes
    for episode in episodes.values():
        assert episode.outcome == "unsolved"
