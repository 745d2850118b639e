"""What the teacher that is a model is asked, and how its reply becomes a hint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import Any

import yaml

from pytest_mint.agents.base import Message
from pytest_mint.graders.judge_prompt import nonce_of
from pytest_mint.hints.teacher import Moment
from pytest_mint.tasks.model import Task
from pytest_mint.tools.base import shorten

#: The longest hint, in words.
MAX_WORDS = 120
#: The longest message and the longest conversation that a teacher is shown, in
#: characters. The opening and the last messages matter most.
MAX_MESSAGE = 6_000
MAX_CONVERSATION = 40_000

_SPEAKERS = {"system": "RULES", "user": "ENVIRONMENT", "assistant": "STUDENT"}
_THOUGHT = re.compile(r"^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"^[\s*_#]*hint\b[\s*_]*[:：][\s*_]*", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)")


@cache
def prompts() -> dict[str, Any]:
    """The prompts by name, and their ``version``."""
    text = resources.files(__package__).joinpath("prompts.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def ask(moment: Moment) -> list[Message]:
    """The messages that ask for a hint."""
    conversation = _conversation(moment.messages)
    nonce = nonce_of(moment.task.input, conversation)
    asked = Template(prompts()["moment"]).substitute(
        nonce=nonce,
        conversation=conversation,
        reference=reference(moment.task),
        level=prompts()["levels"][moment.level or "unlevelled"].strip(),
    )
    rules = Template(prompts()["system"]).substitute(words=MAX_WORDS, nonce=nonce)
    return [{"role": "system", "content": rules}, {"role": "user", "content": asked}]


def ask_again(text: str, reason: str) -> list[Message]:
    """What follows a hint that gave the answer away."""
    again = Template(prompts()["again"]).substitute(reason=reason)
    return [
        {"role": "assistant", "content": text},
        {"role": "user", "content": again},
    ]


def hint_in(text: str) -> str:
    """The hint in a teacher's reply: one paragraph of at most ``MAX_WORDS`` words.

    A longer one ends with the last whole sentence that fits.
    """
    text = _LABEL.sub("", _THOUGHT.sub("", text).strip())
    text = re.sub(r"\n\s*\n", "\n", text).strip().strip('"“”').strip()
    words = list(re.finditer(r"\S+", text))
    if len(words) <= MAX_WORDS:
        return text
    cut = text[: words[MAX_WORDS - 1].end()]
    ends = [found.end() for found in _SENTENCE_END.finditer(cut)]
    return cut[: ends[-1]] if ends else cut


def reference(task: Task) -> str:
    """What is right, in words: the answer, the program, the actions, or the rubric."""
    return "\n".join(_reference(task))


def _reference(task: Task) -> Iterator[str]:
    if task.expected_output is not None:
        yield f"Expected output: {_shown(task.expected_output)}"
    if task.must_include:
        yield f"The answer has to name: {_shown(task.must_include)}"
    if task.reference:
        yield f"A program that passes all tests:\n{task.reference}"
    for goal in task.goal:
        yield f"Goal: {goal.why or goal.sql}"
    if task.goal:
        calls = [call for turn in task.solution for call in turn.calls]
        for call in calls:
            yield f"A right action: {call.tool} {_shown(call.arguments)}"
    if task.rubric:
        yield f"Rubric:\n{task.rubric}"
    if task.checks:
        yield f"Checks: {_shown(task.checks)}"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _conversation(messages: Sequence[Message]) -> str:
    parts = [_message(message) for message in messages]
    opening, rest = parts[:2], parts[2:]
    room = MAX_CONVERSATION - sum(map(len, opening))
    kept: list[str] = []
    for part in reversed(rest):
        room -= len(part)
        if room < 0:
            kept.append("[earlier turns are left out here]")
            break
        kept.append(part)
    return "\n\n".join([*opening, *reversed(kept)])


def _message(message: Message) -> str:
    speaker = _SPEAKERS.get(str(message["role"]), "TOOL")
    said = [shorten(str(message.get("content") or ""), MAX_MESSAGE)]
    for call in message.get("tool_calls", ()):
        function = call["function"]
        arguments = shorten(function["arguments"], MAX_MESSAGE)
        said.append(f"[calls {function['name']} {arguments}]")
    return f"{speaker}: " + "\n".join(part for part in said if part)
