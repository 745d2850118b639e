from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mint.records import Episode, Hint, Judgement, TaskResult, ToolRun, Turn
from pytest_mint.report.episode import lines_of, told, trajectory, unsolved_lines

WRONG = Judgement(False, 0.0, "not the number asked for")
RUN = ToolRun("weigh", '{"what": "tin"}', "tin: 21 kg", True, "a")
CELL = ToolRun("python_interpreter", "6 * 7", "42")
OPENING = ({"role": "system", "content": "Rules."}, {"role": "user", "content": "?"})


TURNS = (Turn(1, "7", verdict=WRONG),)


def ef(outcome="unsolved", turns=TURNS, **more):
    return Episode("ef", outcome, opening=OPENING, turns=turns, **more)


def result(*episodes):
    return TaskResult(
        "reasoning/sum", "reasoning", episodes={one.arm: one for one in episodes}
    )


def nlf(level="vague", solved=True):
    turns = (
        Turn(1, "7", verdict=WRONG),
        Turn(2, "7", verdict=WRONG, hint=Hint("add", level)),
        Turn(3, "42"),
    )
    outcome, turn = ("solved", 3) if solved else ("unsolved", None)
    return Episode("nlf", outcome, turn, turns=turns)


class TestHeadline:
    def head(self, *episodes, arm="ef"):
        return unsolved_lines(result(*episodes), arm)[0]

    def test_counts_the_turns(self):
        assert self.head(ef()) == "unsolved after 1 turn (ef)"
        assert self.head(ef(turns=())) == "unsolved after 0 turns (ef)"

    @pytest.mark.parametrize("outcome", ["limit", "refused", "empty"])
    def test_names_the_outcome_and_why(self, outcome):
        assert self.head(ef(outcome, error="took\ntoo long")) == (
            f"{outcome} after 1 turn (ef): took too long"
        )

    def test_says_what_the_hints_did(self):
        assert self.head(ef(), nlf()).endswith(
            '(ef) · solved at turn 3 with the "vague" hint'
        )
        assert self.head(ef(), nlf(level="")).endswith("solved at turn 3 with hints")
        assert self.head(ef(), nlf(solved=False)) == "unsolved after 1 turn (ef)"

    def test_says_nothing_of_hints_in_the_arm_with_hints(self):
        lines = unsolved_lines(result(nlf(solved=False)), "nlf")
        assert lines[0] == "unsolved after 3 turns (nlf)"

    def test_a_success_that_came_too_late_is_called_unsolved(self):
        episode = replace(ef(), outcome="solved", success_turn=1)
        assert self.head(episode) == "unsolved after 1 turn (ef)"


class TestLines:
    @pytest.mark.parametrize(
        ("turn", "line"),
        [
            (Turn(1, "7", verdict=WRONG), "proposed: not the number asked for"),
            (Turn(1, "", (RUN, RUN, CELL)), "ran weigh, python_interpreter"),
            (
                Turn(1, "7", (RUN,), verdict=WRONG),
                "ran weigh, proposed: not the number asked for",
            ),
            (Turn(1, "", label="empty"), "empty"),
            (
                Turn(1, "x", verdict=WRONG, label="cut"),
                f"proposed: {WRONG.reason}, cut",
            ),
            (Turn(1, "hm"), "handed nothing in"),
        ],
    )
    def test_say_what_a_turn_did(self, turn, line):
        assert unsolved_lines(result(ef(turns=(turn,))), "ef")[1] == f"  1  {line}"

    def test_are_one_a_turn_and_bounded(self):
        reason = "\x1b[31mbad\x1b[0m\n" * 100
        turns = tuple(
            Turn(n, "x", verdict=replace(WRONG, reason=reason)) for n in (1, 2)
        )
        lines = unsolved_lines(result(ef(turns=turns)), "ef")
        assert len(lines) == 3
        assert all(len(line) < 180 for line in lines)
        assert "\x1b" not in "".join(lines)
        assert lines[1].endswith("...")

    def test_end_with_where_the_rest_is(self):
        lines = unsolved_lines(result(ef()), "ef", run_dir=".mint/runs/r")
        assert lines[-1] == (
            "  trajectory: .mint/runs/r  (pytest-mint show reasoning/sum)"
        )


class TestTrajectory:
    def test_is_the_conversation_as_chat_messages(self):
        turns = (
            Turn(1, "let me see", (RUN,), heard="4 turns left."),
            Turn(2, "<execute>6 * 7</execute>", (CELL,), heard="Output:\n42"),
            Turn(3, "42"),
        )
        function = {"name": "weigh", "arguments": '{"what": "tin"}'}
        call = {"id": "a", "type": "function", "function": function}
        assert trajectory(ef(turns=turns)) == [
            *OPENING,
            {"role": "assistant", "content": "let me see", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "tin: 21 kg"},
            {"role": "user", "content": "4 turns left."},
            {"role": "assistant", "content": "<execute>6 * 7</execute>"},
            {"role": "user", "content": "Output:\n42"},
            {"role": "assistant", "content": "42"},
        ]

    def test_is_the_opening_where_nothing_was_said(self):
        assert trajectory(ef("provider_error", turns=())) == list(OPENING)


class TestTold:
    def test_is_the_whole_conversation(self):
        turns = (Turn(1, "hm", (RUN,), heard="4 turns left."), Turn(2, "42"))
        episode = ef("solved", turns=turns, success_turn=2)
        assert told(episode).splitlines() == [
            "--- system",
            "Rules.",
            "--- user",
            "?",
            "--- assistant",
            "hm",
            '[calls weigh] {"what": "tin"}',
            "--- tool",
            "tin: 21 kg",
            "--- user",
            "4 turns left.",
            "--- assistant",
            "42",
            "=== solved in arm ef at turn 2",
        ]

    @pytest.mark.parametrize(
        "odd",
        [
            "\x1b]0;t\x07",
            "\x9b2J",
            "\x00",
            "\u202e",
            "\ud800",
            "\x1b[31m",
            "\r",
            "\x08",
        ],
        ids=ascii,
    )
    def test_holds_nothing_that_a_terminal_would_act_on(self, odd):
        run = ToolRun(odd + "n", odd + "a", odd + "o", True, "a")
        opening = ({"role": f"user{odd}", "content": odd + "c"},)
        turn = Turn(1, odd + "t", (run,), heard=odd + "h")
        episode = Episode("ef", "unsolved", opening=opening, turns=(turn,))
        text = told(episode)
        assert odd not in text
        assert not set(text) & set("\x1b\x9b\x07")
        text.encode("utf-8")


def test_lines_stay_lines_and_keep_their_indent():
    assert lines_of("if x:\n\ty = 1\r\n  z") == "if x:\n y = 1\n  z"
