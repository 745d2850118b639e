from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_mint.agents.base import Reply, ToolCall
from pytest_mint.errors import SandboxError
from pytest_mint.sandbox import open_sandbox
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.tools import find_tool
from pytest_mint.tools.base import MAX_OUTPUT, Tool
from tests.episode.scripted import (
    HINTS,
    WEIGH,
    Scripted,
    call,
    played,
    sum_task,
)

RIGHT = "<solution>42</solution>"
WRONG = "<solution>7</solution>"
TIN = '{"what": "tin"}'


def first(task, agent, **more):
    (episode,) = played(task, agent, ["ef"], **more).values()
    return episode


class TestNative:
    def test_a_reply_without_calls_is_a_proposal_as_a_whole(self):
        episode = first(sum_task(), Scripted(["It must be 42."]))
        assert episode.turns[0].proposal == "It must be 42."
        assert episode.success_turn == 1

    def test_beside_calls_only_the_solution_counts(self):
        reply = Reply("I think 42, let me weigh it.", (call(TIN),))
        episode = first(sum_task(), Scripted([reply]), tools=[WEIGH], max_turns=1)
        assert episode.turns[0].proposal is None
        assert episode.outcome == "unsolved"

    def test_calls_run_before_the_solution_beside_them_is_graded(self):
        seen: list[int] = []

        def grade(task, proposal):
            from pytest_mint.graders import grade

            seen.append(len(proposal.runs))
            return grade(task, proposal)

        reply = Reply(RIGHT, (call(TIN),))
        episode = first(sum_task(), Scripted([reply]), tools=[WEIGH], grade=grade)
        assert episode.success_turn == 1
        assert seen == [1]

    def test_calls_since_the_last_verdict_are_graded(self):
        seen: list[list[str]] = []

        def grade(task, proposal):
            from pytest_mint.graders import grade

            seen.append([run.arguments for run in proposal.runs])
            return grade(task, proposal)

        lines = [
            Reply("", (call(TIN),)),
            Reply(WRONG, (call('{"what": "iron"}'),)),
            Reply(WRONG, (call('{"what": "lead"}'),)),
            RIGHT,
        ]
        first(sum_task(), Scripted(lines), tools=[WEIGH], grade=grade)
        assert seen == [[TIN, '{"what": "iron"}'], ['{"what": "lead"}'], []]

    def test_the_last_of_several_solutions_counts(self):
        text = f"{WRONG} no, {RIGHT}"
        reply = Reply(text, (call(TIN),))
        episode = first(sum_task(), Scripted([reply]), tools=[WEIGH])
        assert episode.success_turn == 1

    def test_schemas_are_offered_and_the_prompt_explains_no_tags_for_code(self):
        agent = Scripted([RIGHT])
        first(sum_task(), agent, tools=[WEIGH])
        assert agent.asked[0].tools == (WEIGH.schema,)
        assert "<execute>" not in agent.asked[0].messages[0]["content"]

    def test_results_answer_the_calls_in_their_order(self):
        reply = Reply("", (call(TIN, id="x"), call('{"what": "air"}', id="y")))
        agent = Scripted([reply, RIGHT])
        episode = first(sum_task(), agent, tools=[WEIGH])
        spoken, *answers, heard = agent.prompt("ef", 2)[2:]
        assert [c["id"] for c in spoken["tool_calls"]] == ["x", "y"]
        assert spoken["content"] is None
        assert [(a["role"], a["tool_call_id"]) for a in answers] == [
            ("tool", "x"),
            ("tool", "y"),
        ]
        assert answers[0]["content"] == "tin: 21 kg"
        assert answers[1]["content"].startswith("Error: air cannot be weighed")
        assert heard["role"] == "user"
        assert [run.ok for run in episode.turns[0].runs] == [True, False]

    @pytest.mark.parametrize(
        "ids", [("", ""), ("a", "a"), ("a", ""), ("", "a")], ids=str
    )
    def test_every_call_is_answered_whatever_ids_the_endpoint_gave(self, ids):
        calls = tuple(call(f'{{"what": "{n}"}}', id=one) for n, one in enumerate(ids))
        agent = Scripted([Reply("", calls), RIGHT])
        first(sum_task(), agent, tools=[WEIGH])
        spoken, *answers, _ = agent.prompt("ef", 2)[2:]
        given = [c["id"] for c in spoken["tool_calls"]]
        assert given == [answer["tool_call_id"] for answer in answers]
        assert len(set(given)) == len(given) == 2
        assert all(given)
        assert [a["content"] for a in answers] == ["0: 21 kg", "1: 21 kg"]

    @pytest.mark.parametrize(
        ("bad", "told"),
        [
            (call('{"what": '), "no valid JSON"),
            (call("[1]"), "must be a JSON object"),
            (call("null"), "must be a JSON object"),
            (call("{}"), "'what' is missing"),
            (call(""), "'what' is missing"),
            (call('{"what": 3}'), "'what' must be of type string"),
            (call('{"what": "tin", "how": 1}'), "no argument 'how'"),
            (call(TIN, name="wiegh"), "no tool 'wiegh'; the tools are weigh"),
            (call("\ud800"), "no valid JSON"),
            (call("\x00"), "no valid JSON"),
            (call("9" * 5000), "no valid JSON"),
            (call("[" * 100_000), "no valid JSON"),
            (call('"' + "x" * 300_000 + '"'), "longer than"),
        ],
        ids=lambda value: value[:20] if isinstance(value, str) else "",
    )
    def test_a_bad_call_is_answered_and_the_agent_can_go_on(self, bad, told):
        agent = Scripted([Reply("", (bad,)), RIGHT])
        episode = first(sum_task(), agent, tools=[WEIGH])
        (run,) = episode.turns[0].runs
        assert not run.ok
        assert run.output.startswith("Error: ")
        assert told in run.output
        assert len(run.output) < 300
        assert episode.success_turn == 2

    def test_without_tools_a_call_hears_that_there_are_none(self):
        agent = Scripted([Reply("", (call(TIN),)), RIGHT])
        episode = first(sum_task(), agent)
        assert "the tools are none" in episode.turns[0].runs[0].output

    def test_long_results_are_cut_in_the_middle(self):
        big = Tool("weigh", "", WEIGH.parameters, lambda a, c: "<" + "x" * 10**6 + ">")
        agent = Scripted([Reply("", (call(TIN),)), RIGHT])
        output = first(sum_task(), agent, tools=[big]).turns[0].runs[0].output
        assert output[0] + output[-1] == "<>"
        assert "characters cut" in output
        assert len(output) < MAX_OUTPUT + 100


class TestText:
    def test_only_tags_are_read(self):
        agent = Scripted(["The answer is 42.", RIGHT])
        episode = first(sum_task(), agent, native=False)
        assert episode.turns[0].proposal is None
        assert "<solution>" in episode.turns[0].heard
        assert "Nothing was run" in episode.turns[0].heard
        assert episode.success_turn == 2

    def test_no_schemas_are_offered_and_the_functions_are_listed(self):
        agent = Scripted([RIGHT])
        tools = [find_tool("python_interpreter"), WEIGH]
        first(sum_task(), agent, native=False, tools=tools)
        rules = agent.asked[0].messages[0]["content"]
        assert agent.asked[0].tools == ()
        assert "- weigh(what): Weigh a thing." in rules
        assert "<execute>" in rules

    def test_native_calls_that_were_not_offered_leave_no_call_without_an_answer(self):
        agent = Scripted([Reply("hm", (call(TIN),)), RIGHT])
        episode = first(sum_task(), agent, native=False, tools=[WEIGH])
        assert episode.turns[0].runs == ()
        assert not any("tool_calls" in m for m in agent.prompt("ef", 2))
        assert episode.success_turn == 2

    def test_tags_may_be_written_in_capitals(self):
        episode = first(sum_task(), Scripted(["<SOLUTION>42</Solution>"]), native=False)
        assert episode.success_turn == 1


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A real one without protection: what runs in it is written here."""
    with_code = open_sandbox("unsafe", size=1)
    yield with_code
    with_code.close()


class TestCells:
    """Code in a real interpreter."""

    TOOLS = (find_tool("python_interpreter"), WEIGH)

    def play(self, sandbox, lines, arms=("ef",), nlf=None, native=False):
        agent = Scripted(lines, nlf=nlf)
        episodes = played(
            sum_task(),
            agent,
            arms,
            native=native,
            tools=self.TOOLS,
            sandbox=lambda: sandbox,
        )
        return agent, episodes

    def test_cells_share_their_variables_and_their_output_is_heard(self, sandbox):
        cells = ["<execute>a = 40</execute> <execute>a + 1</execute>"]
        _, episodes = self.play(
            sandbox, [*cells, "<execute>print(a + 2)</execute>", RIGHT]
        )
        turns = episodes["ef"].turns
        assert turns[0].heard == (
            "Output:\n[executed, no output]\n\nOutput:\n41\n\n4 turns left."
        )
        assert turns[1].heard == "Output:\n42\n\n3 turns left."
        assert [run.tool for run in turns[0].runs] == ["python_interpreter"] * 2

    def test_native_cells_answer_their_calls(self, sandbox):
        code = ToolCall("python_interpreter", '{"code": "6 * 7"}', "c1")
        agent, _ = self.play(sandbox, [Reply("", (code,)), RIGHT], native=True)
        answer = agent.prompt("ef", 2)[-2]
        assert answer == {"role": "tool", "tool_call_id": "c1", "content": "42"}

    def test_code_can_call_the_other_tools(self, sandbox):
        code = "<execute>print(weigh('tin'), weigh(what='tin'))</execute>"
        _, episodes = self.play(sandbox, [code, RIGHT])
        assert episodes["ef"].turns[0].runs[0].output == "tin: 21 kg tin: 21 kg"

    @pytest.mark.parametrize(
        ("code", "told"),
        [
            ("weigh('air')", "name something solid"),
            ("weigh()", "'what' is missing"),
            ("weigh('tin', 2)", "expected weigh(what), not 2 arguments"),
            ("weigh('tin', how='x')", "no argument 'how'"),
            ("weigh('tin', what='air')", "'what' stands there twice"),
            ("weigh(3)", "must be of type string"),
            ("1 / 0", "ZeroDivisionError"),
            ("x = '\ud800'", "surrogates not allowed"),
            ("x = '\x00'", "null"),
            ("def", "SyntaxError"),
        ],
        ids=ascii,
    )
    def test_what_goes_wrong_in_a_cell_is_heard(self, sandbox, code, told):
        _, episodes = self.play(sandbox, [f"<execute>{code}</execute>", RIGHT])
        turn = episodes["ef"].turns[0]
        assert not turn.runs[0].ok
        assert told in turn.heard
        assert episodes["ef"].success_turn == 2

    def test_both_arms_go_on_with_the_variables_of_the_fork(self, sandbox):
        lines = ["<execute>n = [1]</execute>", "<execute>n.append(2)</execute>"]
        more = "<execute>n.append(3); print(n)</execute>"
        _, episodes = self.play(
            sandbox,
            [*lines, more, more, RIGHT],
            ("ef", "nlf"),
            nlf=[*lines, more, RIGHT],
        )
        assert episodes["ef"].turns[3].runs[0].output == "[1, 2, 3, 3]"
        assert episodes["nlf"].turns[2].runs[0].output == "[1, 2, 3]"
        assert f"Hint: {HINTS['vague']}" in episodes["nlf"].turns[1].heard

    def test_a_program_with_tags_inside_a_solution_is_not_run(self, sandbox):
        text = "<solution><execute>print(42)</execute> 42</solution>"
        _, episodes = self.play(sandbox, [text])
        assert episodes["ef"].turns[0].runs == ()

    def test_repetitions_differ_in_the_seed_and_one_repetition_does_not(self, sandbox):
        from pytest_mint.episode.environment import LiveEnvironment

        def number(trial: int) -> str:
            import asyncio

            async def run() -> str:
                room = LiveEnvironment(
                    sum_task(), self.TOOLS, lambda: sandbox, native=False, trial=trial
                )
                cell = ToolCall("python_interpreter", "import random; random.random()")
                try:
                    return (await room.run(1, [cell]))[0].output
                finally:
                    await room.close()

            return asyncio.run(run())

        assert number(1) == number(1) != number(2)


def test_a_sandbox_that_fails_while_files_are_brought_is_missing_data():
    class Full:
        closed = False

        def open(self, functions, seed):
            return self

        def put(self, path, data):
            raise SandboxError("the engine is gone")

        def close(self):
            self.closed = True

    room = Full()
    reply = Reply("", (ToolCall("python_interpreter", '{"code": "1"}', "a"),))
    episode = first(
        sum_task(files={"a.txt": "x"}),
        Scripted([reply]),
        tools=[find_tool("python_interpreter")],
        sandbox=lambda: room,
    )
    assert (episode.outcome, episode.error) == ("sandbox_error", "the engine is gone")
    assert room.closed


def test_the_sandbox_is_not_opened_where_nothing_runs():
    def refuse():
        raise AssertionError("opened")

    first(sum_task(), Scripted([WRONG]), tools=[WEIGH], sandbox=refuse)


class TestFiles:
    """What a task brings lies in the working folder, and both arms have their own."""

    def play(self, sandbox, files, lines):
        task = sum_task(files=files)
        tools = [find_tool("python_interpreter")]
        agent = Scripted(lines)
        return played(task, agent, native=False, tools=tools, sandbox=lambda: sandbox)

    def test_are_there_at_the_first_cell(self, sandbox):
        code = "<execute>print(open('deep/a.txt', encoding='utf-8').read())</execute>"
        episodes = self.play(sandbox, {"deep/a.txt": "zwölf"}, [code, RIGHT])
        assert episodes["ef"].turns[0].runs[0].output == "zwölf"

    def test_of_a_path_that_leaves_the_folder_are_the_tasks_fault(self, sandbox):
        code = "<execute>1</execute>"
        episodes = self.play(sandbox, {"../a.txt": "x"}, [code, RIGHT])
        assert {e.outcome for e in episodes.values()} == {"grader_error"}
        assert "reasoning/sum: files: " in episodes["ef"].error
