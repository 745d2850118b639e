from __future__ import annotations

import pytest

from pytest_mint.agents.base import Reply
from pytest_mint.agents.recording import Recording
from pytest_mint.episode.environment import RecordedEnvironment
from pytest_mint.records import Episode, Hint, ToolRun, Turn
from pytest_mint.tasks import mint_protocol as protocol
from pytest_mint.tools.python_interpreter import NO_OUTPUT
from tests.episode.scripted import Scripted, mint_task, played

RIGHT = "So <solution> 42 </solution>."
WRONG = "<solution>7</solution>"
CODE = "<execute>\n40 + 2\n</execute>"


class Echo:
    """An environment whose every result is the code it was given."""

    async def run(self, turn, calls):
        return tuple(
            ToolRun(c.name, c.arguments, f"ran {c.arguments}", True, c.id)
            for c in calls
        )

    async def close(self):
        pass


def play_one(lines, arms=("ef",), **more):
    agent = Scripted(lines, native_tools=False)
    given = {"environment": lambda *_: Echo(), **more}
    return agent, played(mint_task(), agent, arms, **given)


def test_two_proposals_are_all_there_is():
    agent, episodes = play_one([WRONG])
    assert episodes["ef"].outcome == "unsolved"
    assert agent.turns_asked("ef") == [1, 2]


def test_an_episode_of_one_turn_has_one_proposal():
    agent, episodes = play_one([WRONG], max_turns=1)
    assert episodes["ef"].outcome == "unsolved"
    assert agent.turns_asked("ef") == [1]


def test_the_second_proposal_may_come_at_any_turn():
    _, episodes = play_one([WRONG, CODE, CODE, CODE, RIGHT])
    assert episodes["ef"].success_turn == 5


def test_a_solution_wins_over_code_in_one_reply():
    _, episodes = play_one([f"{CODE} {WRONG}", RIGHT])
    turn = episodes["ef"].turns[0]
    assert turn.runs == ()
    assert turn.proposal == "7"
    assert turn.verdict is not None


@pytest.mark.parametrize("text", ["<solution>42", "<solution></solution>"])
def test_a_solution_that_cannot_be_read_costs_a_proposal(text):
    agent, episodes = play_one([text, text, RIGHT])
    assert episodes["ef"].outcome == "unsolved"
    assert agent.turns_asked("ef") == [1, 2]
    turn = episodes["ef"].turns[0]
    assert turn.proposal is None
    assert turn.verdict is None
    assert turn.heard == protocol.heard(protocol.NOT_UNDERSTOOD, 4, 1)


def test_a_reply_that_is_neither_costs_a_turn_only():
    _, episodes = play_one(["It is 42.", "<execute>1", RIGHT])
    assert episodes["ef"].success_turn == 3
    for turn, left in zip(episodes["ef"].turns, (4, 3), strict=False):
        assert turn.heard == protocol.heard(protocol.NOT_UNDERSTOOD, left, 2)


def test_an_empty_reply_leaves_no_message_behind():
    agent, _ = play_one([Reply("", label="empty"), RIGHT])
    roles = [message["role"] for message in agent.prompt("ef", 2)]
    assert roles == ["user", "user"]


def test_a_reply_is_kept_as_the_original_wrote_it_down():
    agent, _ = play_one([CODE, RIGHT])
    said = agent.prompt("ef", 2)[1]
    assert said == {"role": "assistant", "content": f"Assistant:\n{CODE}\n"}


def test_an_observation_is_heard_word_for_word():
    agent, _ = play_one([CODE, WRONG, CODE, CODE, WRONG])
    heard = [m["content"] for m in agent.prompt("ef", 5) if m["role"] == "user"][1:]
    assert heard[0] == (
        "Observation:\nran 40 + 2\n"
        "You have 4 steps left and 2 chances to propose solution left.\n"
    )
    assert heard[1] == (
        "Observation:\nYour answer is wrong.\n"
        "You have 3 steps left and 1 chances to propose solution left.\n"
    )
    assert heard[3] == (
        "Observation:\nran 40 + 2\n"
        "You have 1 steps left and 1 chances to propose solution left.\n"
        "You should take the last step to propose a solution.\n"
    )


def test_the_arms_are_played_apart_with_a_frame_each():
    agent = Scripted([CODE], native_tools=False)

    class Expert:
        async def hint(self, moment):
            assert moment.level == ""
            return Hint("add them")

    episodes = played(
        mint_task(),
        agent,
        environment=lambda *_: Echo(),
        teachers={"nlf": Expert()},
    )
    assert agent.turns_asked("ef") == agent.turns_asked("nlf") == [1, 2, 3, 4, 5]
    for arm, words in (("ef", "Solve this."), ("nlf", "an expert helps")):
        opening = agent.prompt(arm, 1)
        assert [m["role"] for m in opening] == ["user"]
        assert words in opening[0]["content"]
        assert opening[0]["content"].endswith("What is 40 + 2?\n")
    # hints come from turn 1 on
    nlf = episodes["nlf"].turns
    assert all(t.heard.endswith("\nExpert feedback:\nadd them\n") for t in nlf[:-1])
    assert not any(turn.shared for turn in nlf)


def test_calls_are_never_native():
    agent, _ = play_one([CODE, RIGHT])
    assert all(request.tools == () for request in agent.asked)


def test_code_that_the_recording_did_not_run_is_answered_with_nothing():
    recorded = Episode("ef", "unsolved", turns=(Turn(1, "no code"), Turn(2, RIGHT)))
    task = mint_task()
    recording = Recording(
        "m", {(task.key, "ef"): recorded}, forks=False, native_tools=False
    )
    agent = Scripted([CODE, RIGHT], native_tools=False)
    (episode,) = played(
        task,
        agent,
        ["ef"],
        environment=lambda *_: RecordedEnvironment(recording, task, "ef"),
    ).values()
    assert episode.turns[0].heard == protocol.heard("", 4, 2)
    assert episode.success_turn == 2


@pytest.mark.parametrize(
    ("printed", "observed"),
    [
        (NO_OUTPUT, "[Executed Successfully with No Output]"),
        ("42", "42"),
        ("x" * 2000, "x" * 2000),
        ("x" * 2001, "x" * 2000 + "...\n[Output Truncated]"),
        ("x" * 2000 + "...\n[Output Truncated]",) * 2,
    ],
)
def test_output_is_told_as_the_original_told_it(printed, observed):
    class Prints(Echo):
        async def run(self, turn, calls):
            return tuple(ToolRun(c.name, c.arguments, printed) for c in calls)

    _, episodes = play_one([CODE], environment=lambda *_: Prints())
    heard = episodes["ef"].turns[0].heard
    assert heard.startswith(f"Observation:\n{observed}\nYou have 4 steps left")
