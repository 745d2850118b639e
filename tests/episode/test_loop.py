from __future__ import annotations

import asyncio
import json
import time

import pytest

from pytest_mint.agents.base import Reply
from pytest_mint.episode.loop import play
from pytest_mint.errors import (
    FeedbackError,
    GraderError,
    Missing,
    ProviderError,
    SandboxError,
)
from pytest_mint.graders import grade
from pytest_mint.hints.teacher import Ladder, Moment
from pytest_mint.records import (
    NOTHING,
    Hint,
    Spent,
    TaskResult,
    Tokens,
    from_data,
    to_data,
)
from tests.episode.scripted import (
    HINTS,
    WEIGH,
    Scripted,
    call,
    cast_of,
    played,
    sum_task,
)

WRONG = "<solution>7</solution>"
RIGHT = "<solution>42</solution>"


def test_a_right_answer_ends_both_arms_at_its_turn():
    agent = Scripted([WRONG, RIGHT])
    episodes = played(sum_task(), agent)
    assert {arm: e.outcome for arm, e in episodes.items()} == {
        "ef": "solved",
        "nlf": "solved",
    }
    assert [e.success_turn for e in episodes.values()] == [2, 2]
    assert episodes["nlf"].arm == "nlf"
    assert episodes["ef"].turns == episodes["nlf"].turns


@pytest.mark.parametrize("turns", [1, 5, 7])
def test_an_unsolved_episode_takes_all_its_turns_and_no_more(turns):
    agent = Scripted([WRONG])
    (episode,) = played(sum_task(), agent, ["ef"], max_turns=turns).values()
    assert episode.outcome == "unsolved"
    assert episode.success_turn is None
    assert [turn.number for turn in episode.turns] == list(range(1, turns + 1))
    assert episode.turns[-1].heard == ""
    assert agent.turns_asked("ef") == list(range(1, turns + 1))


@pytest.mark.parametrize("turn", [1, 2, 3, 5])
def test_the_success_turn_is_the_turn_of_the_right_answer(turn):
    agent = Scripted([*[WRONG] * (turn - 1), RIGHT])
    (episode,) = played(sum_task(), agent, ["ef"]).values()
    assert (episode.outcome, episode.success_turn) == ("solved", turn)


class TestFork:
    def test_turns_before_the_first_hint_are_asked_for_once(self):
        agent = Scripted([WRONG])
        episodes = played(sum_task(), agent)
        assert agent.turns_asked("ef") == [1, 2, 3, 4, 5]
        assert agent.turns_asked("nlf") == [3, 4, 5]
        for episode in episodes.values():
            shared = [turn.number for turn in episode.turns if turn.shared]
            assert shared == [1, 2]

    def test_the_arms_differ_in_the_hint_only(self):
        agent = Scripted([WRONG])
        played(sum_task(), agent)
        ef, nlf = agent.prompt("ef", 3), agent.prompt("nlf", 3)
        assert ef[:-1] == nlf[:-1]
        assert nlf[-1]["role"] == ef[-1]["role"] == "user"
        hint = f"\n\nHint: {HINTS['vague']}"
        assert nlf[-1]["content"] == ef[-1]["content"] + hint

    def test_without_turns_after_the_fork_nothing_is_asked_twice(self):
        agent = Scripted([WRONG])
        episodes = played(sum_task(), agent, max_turns=2)
        assert agent.turns_asked("ef") == [1, 2]
        assert agent.turns_asked("nlf") == []
        assert {e.outcome for e in episodes.values()} == {"unsolved"}

    def test_a_hint_rescues_one_arm_only(self):
        agent = Scripted([WRONG], nlf=[WRONG, WRONG, RIGHT])
        episodes = played(sum_task(), agent)
        assert episodes["ef"].outcome == "unsolved"
        assert episodes["nlf"].success_turn == 3

    def test_agents_that_do_not_fork_are_asked_for_every_turn_of_both_arms(self):
        agent = Scripted([WRONG], forks=False)
        played(sum_task(), agent)
        assert agent.turns_asked("ef") == agent.turns_asked("nlf") == [1, 2, 3, 4, 5]

    @pytest.mark.parametrize(
        ("lines", "log"),
        [
            ([RIGHT], ["open", "close"]),
            ([WRONG], ["open", "fork", "close", "close"]),
            ([ProviderError("down")], ["open", "close"]),
            ([WRONG, WRONG, KeyError("bug")], ["open", "fork", "close", "close"]),
            ([KeyError("bug")], ["open", "close"]),
        ],
    )
    def test_every_environment_is_closed_once(self, lines, log):
        noted: list[str] = []
        bug = any(isinstance(line, KeyError) for line in lines)
        try:
            played(sum_task(), Scripted(lines), log=noted)
        except KeyError:
            assert bug
        assert noted == log

    def test_a_sandbox_that_cannot_fork_costs_the_second_arm_only(self):
        noted: list[str] = []
        agent = Scripted([WRONG, WRONG, RIGHT])
        error = SandboxError("no second interpreter")
        episodes = played(sum_task(), agent, log=noted, fork_error=error)
        assert episodes["ef"].success_turn == 3
        assert episodes["nlf"].outcome == "sandbox_error"
        assert episodes["nlf"].error == "no second interpreter"
        assert len(episodes["nlf"].turns) == 2
        assert noted == ["open", "close"]


class TestHints:
    @staticmethod
    def levels(max_turns):
        agent = Scripted([WRONG])
        episode = played(sum_task(), agent, max_turns=max_turns)["nlf"]
        return {turn.number: turn.hint.level for turn in episode.turns if turn.hint}

    def test_the_ladder_begins_after_turn_two(self):
        assert self.levels(5) == {2: "vague", 3: "specific", 4: "direct"}

    def test_direct_is_repeated_in_longer_episodes(self):
        assert self.levels(7) == {
            2: "vague",
            3: "specific",
            4: "direct",
            5: "direct",
            6: "direct",
        }

    def test_the_hint_is_the_last_paragraph_of_what_is_heard(self):
        agent = Scripted([WRONG])
        episode = played(sum_task(), agent)["nlf"]
        for number, level in [(2, "vague"), (3, "specific"), (4, "direct")]:
            heard = episode.turns[number - 1].heard
            assert heard.split("\n\n")[-1] == f"Hint: {HINTS[level]}"
            assert agent.prompt("nlf", number + 1)[-1]["content"] == heard

    def test_arm_ef_hears_none(self):
        agent = Scripted([WRONG])
        played(sum_task(), agent)
        told = [m["content"] for m in agent.prompt("ef", 5)]
        assert not [text for text in told if "Hint:" in text]

    def test_a_turn_of_tool_calls_climbs_the_ladder_too(self):
        calls = Reply("", (call('{"what": "tin"}'),))
        agent = Scripted([calls])
        episode = played(sum_task(), agent, tools=[WEIGH])["nlf"]
        assert [t.hint.level for t in episode.turns if t.hint] == [
            "vague",
            "specific",
            "direct",
        ]


def test_a_ladder_without_the_rung_is_missing_data():
    task = sum_task(rules="mint-bench", hints=None)
    with pytest.raises(FeedbackError, match="reasoning/sum has no hint of level 'va"):
        asyncio.run(Ladder().hint(Moment(task, "nlf", 2, "vague")))


class TestHeard:
    def test_a_wrong_answer_is_called_wrong_and_the_turns_are_counted(self):
        agent = Scripted([WRONG])
        (episode,) = played(sum_task(), agent, ["ef"]).values()
        left = [turn.heard.split("\n\n") for turn in episode.turns[:-1]]
        assert [said[-1] for said in left] == [
            "4 turns left.",
            "3 turns left.",
            "2 turns left.",
            "1 turn left: hand in your answer now.",
        ]
        assert all("not right" in said[0] or "wrong" in said[0] for said in left)
        assert not any("42" in turn.heard for turn in episode.turns)

    def test_after_calls_only_the_turns_left_are_heard(self):
        agent = Scripted([Reply("", (call('{"what": "tin"}'),)), RIGHT])
        (episode,) = played(sum_task(), agent, ["ef"], tools=[WEIGH]).values()
        assert episode.success_turn == 2
        assert episode.turns[0].heard == "4 turns left."
        assert episode.turns[0].verdict is None

    @pytest.mark.parametrize(
        ("label", "words"),
        [
            ("empty", "Your reply was empty."),
            ("refused", "You did not answer the task."),
            ("cut", "Your reply was cut off"),
            ("invalid", "Your reply could not be read."),
        ],
    )
    @pytest.mark.parametrize("native", [True, False])
    def test_the_agent_hears_what_was_wrong_with_its_reply(self, label, words, native):
        agent = Scripted([Reply("", label=label), RIGHT])
        (episode,) = played(sum_task(), agent, ["ef"], native=native).values()
        assert episode.success_turn == 2
        assert episode.turns[0].label == label
        assert episode.turns[0].heard.startswith(words)

    def test_no_message_of_the_agent_is_without_content(self):
        agent = Scripted([Reply("", label="empty"), RIGHT])
        played(sum_task(), agent, ["ef"])
        assert agent.prompt("ef", 2)[-2]["content"]


class TestOutcome:
    @pytest.mark.parametrize(
        ("label", "outcome"),
        [
            ("empty", "empty"),
            ("refused", "refused"),
            ("cut", "unsolved"),
            ("invalid", "unsolved"),
            ("", "unsolved"),
        ],
    )
    def test_the_label_of_the_last_turn_is_the_outcome(self, label, outcome):
        agent = Scripted([WRONG, Reply("", label=label)])
        (episode,) = played(sum_task(), agent, ["ef"], max_turns=2).values()
        assert episode.outcome == outcome

    def test_a_label_before_the_last_turn_is_no_outcome(self):
        agent = Scripted([Reply("", label="refused"), WRONG])
        (episode,) = played(sum_task(), agent, ["ef"], max_turns=2).values()
        assert episode.outcome == "unsolved"

    @pytest.mark.parametrize("turn", [1, 2, 4])
    def test_a_conversation_that_is_too_long_ends_as_the_agents_own(self, turn):
        over = Reply("", label="context_overflow")
        agent = Scripted([*[WRONG] * (turn - 1), over])
        for episode in played(sum_task(), agent).values():
            assert episode.outcome == "context_overflow"
            assert not episode.missing
            assert len(episode.turns) == turn - 1

    def test_models_and_tools_that_take_too_long_end_it_at_the_limit(self):
        agent = Scripted([Reply(WRONG, seconds=6.0)])
        (episode,) = played(sum_task(), agent, ["ef"], seconds=10).values()
        assert episode.outcome == "limit"
        assert not episode.missing
        assert len(episode.turns) == 2
        assert "10 s" in episode.error
        assert episode.seconds >= 12

    def test_the_time_of_grading_is_not_the_agents(self):
        def slow(task, proposal):
            time.sleep(1.1)
            return grade(task, proposal)

        agent = Scripted([WRONG])
        (episode,) = played(
            sum_task(), agent, ["ef"], seconds=1, grade=slow, max_turns=2
        ).values()
        assert episode.outcome == "unsolved"

    def test_an_answer_given_after_the_limit_still_counts(self):
        agent = Scripted([Reply(RIGHT, seconds=60.0)])
        (episode,) = played(sum_task(), agent, ["ef"], seconds=10).values()
        assert episode.outcome == "solved"


class TestMissing:
    @pytest.mark.parametrize(
        "error", [ProviderError("500"), SandboxError("gone")], ids=lambda e: e.outcome
    )
    def test_one_arm_is_missing_and_the_other_is_graded(self, error):
        agent = Scripted([WRONG, WRONG, RIGHT], nlf=[WRONG, WRONG, error])
        episodes = played(sum_task(), agent)
        assert episodes["ef"].success_turn == 3
        assert episodes["nlf"].outcome == error.outcome
        assert episodes["nlf"].error == str(error)
        assert episodes["nlf"].success_turn is None
        assert len(episodes["nlf"].turns) == 2

    def test_a_teacher_without_a_hint_is_missing_data_of_its_arm(self):
        class Silent:
            async def hint(self, moment):
                raise FeedbackError("nothing to say")

        agent = Scripted([WRONG, WRONG, RIGHT])
        episodes = played(sum_task(), agent, teachers={"nlf": Silent()})
        assert episodes["ef"].success_turn == 3
        assert episodes["nlf"].outcome == "feedback_error"
        assert agent.turns_asked("nlf") == []

    @pytest.mark.parametrize("turn", [1, 3])
    def test_what_a_judge_took_before_it_broke_is_counted_once(self, turn):
        lost = Spent(Tokens(9, 1), 2.0)

        def breaking(task, proposal):
            if "crash" in proposal.text:
                raise GraderError("no verdict", lost)
            return grade(task, proposal)

        agent = Scripted([*[WRONG] * (turn - 1), "crash"])
        episodes = played(sum_task(), agent, grade=breaking)
        assert {one.outcome for one in episodes.values()} == {"grader_error"}
        taken = [one.lost for one in episodes.values()]
        assert taken == ([lost, NOTHING] if turn == 1 else [lost, lost])

    def test_a_grader_that_breaks_is_missing_data_of_its_arm(self):
        def picky(task, proposal):
            if "crash" in proposal.text:
                raise GraderError("the reference is broken")
            return grade(task, proposal)

        agent = Scripted([WRONG, WRONG, RIGHT], nlf=[WRONG, WRONG, "crash"])
        episodes = played(sum_task(), agent, grade=picky)
        assert episodes["ef"].success_turn == 3
        assert episodes["nlf"].outcome == "grader_error"

    @pytest.mark.parametrize("turn", [1, 2])
    def test_before_the_fork_both_arms_are_missing(self, turn):
        agent = Scripted([*[WRONG] * (turn - 1), ProviderError("down")])
        episodes = played(sum_task(), agent)
        assert {e.outcome for e in episodes.values()} == {"provider_error"}
        assert len(agent.asked) == turn

    def test_an_error_that_is_a_bug_is_not_called_missing_data(self):
        with pytest.raises(ZeroDivisionError):
            played(sum_task(), Scripted([ZeroDivisionError("bug")]))


class TestJournal:
    def test_a_reply_is_noted_before_anything_is_done_with_it(self):
        events: list[dict] = []

        def grading(task, proposal):
            assert events[-1]["text"] == WRONG
            raise GraderError("stop here")

        agent = Scripted([Reply(WRONG, tokens=Tokens(5, 7), meta={"model": "m-1"})])
        played(sum_task(), agent, grade=grading, journal=events.append)
        assert json.loads(json.dumps(events)) == [
            {
                "task": "reasoning/sum",
                "arm": "ef",
                "trial": 1,
                "turn": 1,
                "text": WRONG,
                "calls": [],
                "label": "",
                "tokens": {"prompt": 5, "completion": 7, "cached": 0},
                "retries": 0,
                "meta": {"model": "m-1"},
            }
        ]

    def test_shared_turns_are_noted_once(self):
        events: list[dict] = []
        played(sum_task(), Scripted([WRONG]), journal=events.append)
        noted = [(event["arm"], event["turn"]) for event in events]
        assert sorted(noted) == [
            *(("ef", turn) for turn in (1, 2, 3, 4, 5)),
            *(("nlf", turn) for turn in (3, 4, 5)),
        ]


@pytest.mark.parametrize(
    "text",
    ["half \ud800 a pair", "nul \x00 in it", "\x1b[31mred", "<solution>\udfff"],
    ids=ascii,
)
def test_odd_characters_of_a_reply_survive_the_disk(text):
    calls = (call(json.dumps({"what": text})),)
    agent = Scripted([text, Reply(text, calls), RIGHT])
    episodes = played(sum_task(), agent, tools=[WEIGH])
    result = TaskResult("reasoning/sum", "reasoning", episodes=episodes)
    again = from_data(json.loads(json.dumps(to_data(result))))
    assert again == result
    assert again.episodes["ef"].turns[0].text == text


def test_the_task_that_was_played_is_named_with_its_digest():
    task = sum_task(dataset="made-up")
    result = asyncio.run(play(task, cast_of(Scripted([RIGHT])), ["ef"], trial=3))
    assert (result.task, result.category) == ("reasoning/sum", "reasoning")
    assert (result.dataset, result.trial) == ("made-up", 3)
    assert result.digest == task.digest
    assert list(result.episodes) == ["ef"]


def test_missing_is_what_the_loop_catches_and_nothing_else():
    class Odd(Missing):
        outcome = "budget_stop"

    (episode,) = played(sum_task(), Scripted([Odd("spent")]), ["ef"]).values()
    assert (episode.outcome, episode.error) == ("budget_stop", "spent")


def test_a_hint_is_kept_with_its_turn():
    agent = Scripted([WRONG])
    turn = played(sum_task(), agent)["nlf"].turns[1]
    assert turn.hint == Hint(HINTS["vague"], "vague")
