from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_mint.agents.base import Reply, Request
from pytest_mint.agents.recording import Recording
from pytest_mint.episode.environment import RecordedEnvironment
from pytest_mint.episode.loop import play
from pytest_mint.errors import ProviderError, UserError
from pytest_mint.hints.teacher import Moment, RecordedTeacher
from pytest_mint.records import Episode, Hint, Tokens, Turn
from pytest_mint.replay import open_recording
from pytest_mint.results.store import create_run, read_run
from pytest_mint.settings import Settings
from tests.episode.scripted import WEIGH, Scripted, call, cast_of, sum_task
from tests.needs import need, pack

TASK = sum_task()
WRONG, RIGHT = "<solution>7</solution>", "<solution>42</solution>"
OPENING = ({"role": "user", "content": "40 + 2?"},)


def recording(*turns: Turn, outcome: str = "unsolved", arm: str = "ef") -> Recording:
    episode = Episode(arm, outcome, opening=OPENING, turns=turns)
    return Recording("m", {(TASK.key, arm): episode}, forks=False, native_tools=True)


def ask(agent: Recording, turn: int, *, arm: str = "ef", heard: str = "") -> Reply:
    messages = OPENING if turn == 1 else (*OPENING, {"role": "user", "content": heard})
    return asyncio.run(agent.reply(Request(TASK, arm, turn, messages)))


class TestReply:
    def test_is_what_was_recorded(self):
        turn = Turn(1, "hm", label="cut", tokens=Tokens(3, 4), seconds=2.5)
        reply = ask(recording(turn), 1)
        assert reply == Reply("hm", label="cut", tokens=Tokens(3, 4), seconds=2.5)

    def test_a_task_that_was_not_recorded_is_named(self):
        with pytest.raises(
            ProviderError, match=r"^not recorded: reasoning/sum in arm "
        ):
            ask(recording(Turn(1, "x")), 1, arm="nlf")

    @pytest.mark.parametrize("outcome", ["unsolved", "provider_error"])
    def test_after_the_end_there_is_none(self, outcome):
        agent = recording(Turn(1, "x"), outcome=outcome)
        with pytest.raises(ProviderError, match=f"ends after turn 1 .{outcome} there"):
            ask(agent, 2)

    def test_an_overflow_happens_again(self):
        agent = recording(Turn(1, "x", heard="h"), outcome="context_overflow")
        assert ask(agent, 1, heard="h").label == ""
        assert ask(agent, 2, heard="h").label == "context_overflow"


class TestDrift:
    @pytest.mark.parametrize(
        ("heard", "now", "told"),
        [
            ("3 left", "3 left", ""),
            ("3 left", "4 left", "character 0: recorded '3 left', now '4 left'"),
            ("a long way", "a short way", "character 2: recorded 'long"),
            ("abc", "abcdef", "character 3: recorded '', now 'def'"),
            ("abcdef", "abc", "character 3: recorded 'def', now ''"),
        ],
    )
    def test_what_was_heard_is_compared(self, heard, now, told):
        agent = recording(Turn(1, "x", heard=heard), Turn(2, "y"))
        drift = ask(agent, 2, heard=now).drift
        assert told in drift
        assert bool(drift) == bool(told)
        assert not drift or drift.startswith("the message after turn 1 differs at ")

    def test_another_opening_is_told(self):
        agent = recording(Turn(1, "x"))
        other = ({"role": "user", "content": "41 + 2?"},)
        reply = asyncio.run(agent.reply(Request(TASK, "ef", 1, other)))
        assert reply.drift == "the opening differs"
        assert ask(agent, 1).drift == ""

    def test_a_recording_without_an_opening_has_none(self):
        episode = Episode("ef", "unsolved", turns=(Turn(1, "x"),))
        agent = Recording(
            "m", {(TASK.key, "ef"): episode}, forks=True, native_tools=True
        )
        assert ask(agent, 1).drift == ""


def test_the_teacher_says_what_was_said():
    agent = recording(Turn(1, "x", hint=Hint("add")), Turn(2, "y"), arm="nlf")
    teacher = RecordedTeacher(agent)
    hints = [
        asyncio.run(teacher.hint(Moment(TASK, "nlf", turn, ""))) for turn in (1, 2, 3)
    ]
    assert hints == [Hint("add"), None, None]


SCRIPTS = {
    "solved": {"lines": [WRONG, RIGHT]},
    "rescued": {"lines": [WRONG], "nlf": [WRONG, WRONG, WRONG, RIGHT]},
    "calls": {"lines": [Reply("", (call('{"what": "tin"}'),)), WRONG]},
    "no ids": {"lines": [Reply("", (call('{"what": "tin"}', id=""),) * 2), RIGHT]},
    "empty": {"lines": [Reply("", label="empty")]},
    "overflow": {"lines": [WRONG, Reply("", label="context_overflow")]},
    "odd": {"lines": ["\ud800 \x00", RIGHT]},
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda name: name.replace(" ", "-"))
def test_a_run_of_ours_replays_to_the_same_result_without_drift(tmp_path, script):
    agent = Scripted(**SCRIPTS[script])
    first = asyncio.run(play(TASK, cast_of(agent, tools=[WEIGH]), ["ef", "nlf"]))
    run = create_run(
        tmp_path, "scripted", {"model": "scripted", "judge_model": "umpire"}
    )
    run.note(protocol="tools")
    run.append(first)
    run.finish()

    recorded = open_recording(Settings(model="scripted", replay=run.path))
    assert recorded is not None
    assert (recorded.forks, recorded.native_tools) == (True, True)
    assert (recorded.teacher, recorded.judge) == ("", "umpire")
    cast = cast_of(
        recorded,
        tools=[WEIGH],
        teachers={"nlf": RecordedTeacher(recorded)},
        environment=lambda task, tools, arm, native, trial: RecordedEnvironment(
            recorded, task, arm
        ),
    )
    again = asyncio.run(play(TASK, cast, ["ef", "nlf"]))
    assert _timeless(again.episodes) == _timeless(first.episodes)
    assert not any(t.drift for e in again.episodes.values() for t in e.turns)


def _timeless(episodes):
    """The episodes without the time that this machine took for them."""
    return {
        arm: replace(
            one,
            seconds=0.0,
            turns=tuple(replace(t, seconds=0.0, tool_seconds=0.0) for t in one.turns),
        )
        for arm, one in episodes.items()
    }


class TestOpening:
    def test_without_a_replay_there_is_none(self):
        assert open_recording(Settings(model="m")) is None

    def test_a_folder_that_is_no_run_is_refused(self, tmp_path):
        with pytest.raises(UserError, match="no run there"):
            open_recording(Settings(model="m", replay=tmp_path))

    def test_a_run_of_another_model_is_refused(self, tmp_path):
        run = self.run(tmp_path, arm="ef")
        with pytest.raises(UserError, match="is a run of 'm', not of 'other'"):
            open_recording(Settings(model="other", replay=run))

    def test_an_arm_that_was_not_recorded_is_refused(self, tmp_path):
        run = self.run(tmp_path, arm="ef")
        with pytest.raises(UserError, match=r"no arm 'nlf' .*only in ef; choose with"):
            open_recording(Settings(model="m", replay=run))
        settings = Settings(model="m", replay=run, arm="ef")
        assert open_recording(settings) is not None

    def test_a_run_without_episodes_is_refused(self, tmp_path):
        run = create_run(tmp_path, "m", {"model": "m"})
        run.finish()
        with pytest.raises(UserError, match="only in none"):
            open_recording(Settings(model="m", replay=run.path))

    def test_a_run_that_names_no_model_is_refused(self, tmp_path):
        run = create_run(tmp_path, "m", {})
        run.finish()
        with pytest.raises(UserError, match="is a run of"):
            open_recording(Settings(model="m", replay=run.path))

    def test_a_benchmark_is_played_apart_and_in_text(self):
        source = need(pack(), "the pack of the MINT benchmark (MINT_PACK)")
        recorded = open_recording(Settings(model="claude-2", replay=source))
        assert recorded is not None
        assert (recorded.forks, recorded.native_tools) == (False, False)

    def test_hints_were_recorded_with_five_turns_only(self):
        source = need(pack(), "the pack of the MINT benchmark (MINT_PACK)")
        settings = Settings(model="claude-2", replay=source, max_turns=3)
        with pytest.raises(UserError, match=r"no arm 'nlf' with 3 turns, only in ef"):
            open_recording(settings)

    @staticmethod
    def run(folder: Path, arm: str) -> Path:
        result = asyncio.run(play(TASK, cast_of(Scripted([RIGHT])), [arm]))
        run = create_run(folder, "m", {"model": "m"})
        run.append(result)
        run.finish()
        _, results = read_run(run.path)
        assert len(list(results)) == 1
        return run.path
