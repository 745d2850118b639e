"""A short exact answer: a name, a year, yes or no."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from pytest_mint.graders.numbers import NO_ANSWER, SEVERAL, answer_of
from pytest_mint.graders.numerals import vocabulary
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.tasks.model import Task

#: Characters of an answer that can be short at all.
MAX_ANSWER = 1_000
#: Words that may stand around the reference in a short answer.
MAX_EXTRA = 5
#: Words of a sentence whose only number may be the answer.
MAX_SENTENCE = 25

_ARTICLES = frozenset(("a", "an", "the"))
#: A word before the reference that makes another thing of it.
_TURNS = vocabulary(
    "not no never neither nor than vice deputy assistant former ex non isn't "
    "except unlike anti"
)
_JOINS = frozenset(("and", "or"))
_YES_NO = {"yes": True, "no": False}


def grade_short(task: Task, proposal: Proposal) -> Verdict:
    """Compare a short answer with the reference and the accepted forms.

    Equal after NFKC, casefold and dropping punctuation and articles; or a short answer
    that holds the whole reference and says nothing else of its kind.
    """
    answer = answer_of(task, proposal)
    if not answer.text:
        return wrong(NO_ANSWER, answer.rule)
    if answer.several:
        return wrong(SEVERAL, answer.rule)
    if len(answer.text) > MAX_ANSWER:
        return wrong("the answer is too long for a short one", answer.rule)
    lines = [words_of(line) for line in answer.text.splitlines()]
    lines = [list(line) for line in dict.fromkeys(map(tuple, lines)) if line]
    forms = [str(task.expected_output), *(str(form.answer) for form in task.accept)]
    for form in forms:
        if _matches(lines, words_of(form)):
            return right(answer.rule)
    return wrong("wrong", answer.rule)


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"</?solution>", " ", text)
    text = re.sub("['’]", "", text)
    words = re.findall(r"[^\W_]+", text)
    kept = [word for word in words if word not in _ARTICLES]
    return kept or words


def _matches(lines: list[list[str]], reference: list[str]) -> bool:
    words = [word for line in lines for word in line]
    if not words or not reference:
        return False
    if words == reference:
        return True
    if len(reference) == 1 and reference[0] in _YES_NO:
        return _says(lines, reference[0])
    if len(reference) == 1 and reference[0].isdecimal():
        numbers = {word for word in words if word.isdecimal()}
        short = len(words) <= MAX_SENTENCE
        return numbers == set(reference) and short and not _TURNS.intersection(words)
    return _holds(words, reference)


def _says(lines: list[list[str]], reference: str) -> bool:
    """Yes and no are the first word, and no line takes it back."""
    firsts = {line[0] for line in lines if line[0] in _YES_NO}
    return firsts == {reference} and lines[0][0] == reference


def _holds(words: Sequence[str], reference: Sequence[str]) -> bool:
    if len(words) - len(reference) > MAX_EXTRA:
        return False
    for start in range(len(words) - len(reference) + 1):
        if list(words[start : start + len(reference)]) != list(reference):
            continue
        before = words[start - 1] if start else ""
        after = "".join(words[start + len(reference) :][:1])
        negated = _TURNS.intersection(words[:start]) - {"no"}
        return before not in _JOINS and after not in _JOINS and not negated
    return False
