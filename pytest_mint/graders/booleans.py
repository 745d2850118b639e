"""True or false, yes or no."""

from __future__ import annotations

import re

from pytest_mint.errors import GraderError
from pytest_mint.graders.numbers import NO_ANSWER, SEVERAL, answer_of
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.tasks.model import Task

MAX_ANSWER = 1_000

_WORDS = {
    "true": True,
    "yes": True,
    "はい": True,
    "false": False,
    "no": False,
    "いいえ": False,
}
_FOUND = re.compile(r"(\bnot\s+|n't\s+)?(\b(?:true|false|yes|no)\b|はい|いいえ)")


def grade_boolean(task: Task, proposal: Proposal) -> Verdict:
    """Compare the truth value in a reply with the expected one.

    Raises:
        GraderError: the expected output is no truth value.
    """
    expected = _expected(task)
    answer = answer_of(task, proposal)
    if not answer.text:
        return wrong(NO_ANSWER, answer.rule)
    found = truth_values(answer.text)
    if not found:
        return wrong("not true or false", answer.rule)
    if answer.several or len(found) > 1:
        return wrong(SEVERAL, answer.rule)
    if found == {expected}:
        return right(answer.rule)
    return wrong("wrong", answer.rule)


def truth_values(text: str) -> set[bool]:
    """All truth values that a short text states."""
    if len(text) > MAX_ANSWER:
        return set()
    text = text.strip().strip("*`$.\"'()[] ").casefold()
    if text in ("t", "f"):
        return {text == "t"}
    values = set()
    for match in _FOUND.finditer(text):
        negated, word = match.groups()
        if word == "no" and (match.start() or not _stands_alone(text[2:])):
            continue  # "there is no x" and "no x is" say nothing of truth
        values.add(_WORDS[word] is not bool(negated))
    return values


def _stands_alone(rest: str) -> bool:
    return not rest or (not rest[0].isalnum() and rest[:1] != " ")


def _expected(task: Task) -> bool:
    value = task.expected_output
    if isinstance(value, bool):
        return value
    found = _WORDS.get(str(value).strip().casefold())
    if found is None:
        raise GraderError(f"{task.key}: expected_output {value!r} is not true or false")
    return found
