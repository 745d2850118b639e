"""The teacher that is a model: guarded, retried, never silent."""

from __future__ import annotations

import asyncio
import json

import pytest

from pytest_mint.agents.base import Reply
from pytest_mint.errors import FeedbackError, ProviderError
from pytest_mint.hints.model import TeacherModel
from pytest_mint.hints.teacher import Moment
from pytest_mint.records import Hint, Spent, Tokens
from tests.episode.scripted import HINTS, mint_task, sum_task

USED = Tokens(10, 3)
LEAK = "It is forty-two."
FINE = "Look at the sign."


class Model:
    """Says one line after the other, and keeps what it was asked."""

    name = "teacher-1"
    native_tools = forks = False

    def __init__(self, *lines):
        self.lines = list(lines)
        self.asked = []

    async def reply(self, request):
        self.asked.append(request)
        line = self.lines.pop(0)
        if isinstance(line, Exception):
            raise line
        given = line if isinstance(line, Reply) else Reply(line)
        return Reply(given.text, label=given.label, tokens=USED, seconds=0.5)

    async def close(self):
        pass


def hinted(model, level="vague", task=None, journal=lambda event: None) -> Hint:
    moment = Moment(
        task or sum_task(),
        "nlf",
        2,
        level,
        (
            {"role": "system", "content": "The rules."},
            {"role": "user", "content": "What is 40 + 2?"},
            {"role": "assistant", "content": "<solution>38</solution>"},
            {"role": "user", "content": "Your answer is wrong.\n\n3 turns left."},
        ),
    )
    return asyncio.run(TeacherModel(model, journal).hint(moment))


@pytest.mark.parametrize("level", ["vague", "specific", "direct", ""])
def test_a_harmless_hint_is_handed_on(level: str) -> None:
    model = Model(FINE)
    assert hinted(model, level) == Hint(FINE, level, USED, 0.5)
    assert len(model.asked) == 1


@pytest.mark.parametrize("level", ["vague", "specific"])
def test_a_leak_is_asked_for_again_with_the_reason(level: str) -> None:
    model = Model(LEAK, FINE)
    assert hinted(model, level) == Hint(FINE, level, USED + USED, 1.0, leaks=1)
    first, again = (request.messages for request in model.asked)
    assert again[: len(first)] == first
    assert again[-2] == {"role": "assistant", "content": LEAK}
    assert "42" in again[-1]["content"]


@pytest.mark.parametrize("level", ["vague", "specific"])
def test_after_two_leaks_the_tasks_own_hint_is_given(level: str) -> None:
    model = Model(LEAK, LEAK)
    assert hinted(model, level) == Hint(
        HINTS[level], level, USED + USED, 1.0, leaks=2, replaced=True
    )


def test_a_direct_hint_may_give_the_answer() -> None:
    assert hinted(Model(LEAK), "direct").text == LEAK


def test_two_leaks_about_a_task_without_hints_are_missing_data() -> None:
    with pytest.raises(FeedbackError, match=r"gave the answer away twice \(.*42"):
        hinted(Model(LEAK, LEAK), "", mint_task())


@pytest.mark.parametrize(
    "empty",
    ["", " \n", "<think>what now</think>", "Hint:", Reply("", label="refused")],
    ids=repr,
)
def test_an_empty_hint_is_retried(empty) -> None:
    model = Model(empty, empty, FINE)
    assert hinted(model) == Hint(FINE, "vague", USED + USED + USED, 1.5)
    assert len({request.messages for request in map(_frozen, model.asked)}) == 1


class _frozen:
    def __init__(self, request):
        self.messages = json.dumps(request.messages)


def test_a_silent_teacher_is_missing_data() -> None:
    with pytest.raises(FeedbackError, match=r"teacher-1 gave an empty hint 3 times$"):
        hinted(Model("", "", ""))
    with pytest.raises(FeedbackError, match=r"3 times \(refused\)"):
        hinted(Model(*[Reply("", label="refused")] * 3))


def test_a_teacher_that_does_not_answer_is_missing_data() -> None:
    with pytest.raises(FeedbackError, match="teacher-1 did not answer: 529 six times"):
        hinted(Model(ProviderError("529 six times")))


def test_what_a_failed_teacher_took_is_told() -> None:
    with pytest.raises(FeedbackError) as silent:
        hinted(Model("", "", ""))
    assert silent.value.spent == Spent(USED + USED + USED, 1.5)
    with pytest.raises(FeedbackError) as leaky:
        hinted(Model("", LEAK, ProviderError("down")))
    assert leaky.value.spent == Spent(USED + USED, 1.0)


def test_a_conversation_too_long_for_the_teacher_is_missing_data() -> None:
    with pytest.raises(FeedbackError, match="teacher-1 cannot read a conv"):
        hinted(Model(Reply("", label="context_overflow")))


def test_every_reply_is_noted_before_it_is_used() -> None:
    events = []
    hinted(Model(LEAK, FINE), journal=events.append)
    assert json.loads(json.dumps(events)) == [
        {
            "role": "teacher",
            "task": "reasoning/sum",
            "arm": "nlf",
            "turn": 2,
            "level": "vague",
            "text": text,
            "label": "",
            "tokens": {"prompt": 10, "completion": 3, "cached": 0},
            "retries": 0,
            "meta": {},
        }
        for text in (LEAK, FINE)
    ]
