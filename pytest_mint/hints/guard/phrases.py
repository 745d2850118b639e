"""Whether a text holds the wording of an answer: a name, a sentence, a sample."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction

from pytest_mint.graders.text import rouge_l
from pytest_mint.graders.wording import wording
from pytest_mint.hints.guard.said import Said, leaves, not_in, said_by
from pytest_mint.tasks.graderspec import TextSpec
from pytest_mint.tasks.model import Task

#: So many words side by side are no accident.
RUN = 6
#: Lines of a sample that have fewer words say too little.
TELLING_LINE = 4


def phrase_said(forms: Sequence[str], question: str, said: Said) -> str:
    """How a text says a short answer, as a reason; "" if it does not.

    A form that the question names as well, as one of those to choose from, is told
    only where it is all that is said or is presented as the answer.
    """
    for form in forms:
        if not said.includes(form):
            continue
        if not said_by(question).includes(form) or _presents(said, form):
            return f"it says the answer {form!r}"
    return ""


def _presents(said: Said, form: str) -> bool:
    wanted = " ".join(wording(form))
    if said.words.strip() == wanted:
        return True
    begun = ("answer is", "answer must be", "answer should be", "it is", "it must be")
    ended = ("is the answer", "is right", "is correct", "is the right answer")
    presented = [f" {begin} {wanted} " for begin in begun]
    presented += [f" {begin} the {wanted} " for begin in begun]
    presented += [f" {wanted} {end} " for end in ended]
    return any(one in said.words for one in presented)


def text_said(task: Task, said: Said) -> str:
    """How a text says the answer of a retrieval task; "" if it does not.

    Where the task names facts that the answer must include, those that are not in the
    question are what must not be told: most of them are as good as all.
    """
    spec = task.grader
    assert isinstance(spec, TextSpec)
    fresh = not_in([task.input], task.must_include)
    if not fresh:
        near = _holds_wording(task, said)
        return "it says what the answer says" if near else ""
    named = [fact for fact in fresh if said.includes(fact)]
    if len(named) == len(fresh) or (
        len(named) > 1 and 3 * len(named) >= 2 * len(fresh)
    ):
        return f"it says {_listed(named)}"
    if named and 2 * len(named) >= len(fresh) and _is_near(task, spec, said):
        return "it says what the answer says"
    return ""


def _holds_wording(task: Task, said: Said) -> bool:
    spec = task.grader
    assert isinstance(spec, TextSpec)
    if any(said.includes(one) for one in _wordings(task)):
        return True
    new = {word for one in _wordings(task) for word in wording(one) if len(word) > 3}
    new -= set(wording(task.input))
    told = new & set(said.words.split())
    return bool(told) and 2 * len(told) >= len(new) and _is_near(task, spec, said)


def _is_near(task: Task, spec: TextSpec, said: Said) -> bool:
    """Whether a sentence, or two of them, would pass for the answer."""
    if said.reading.letters:
        return False
    threshold = Fraction(str(spec.threshold))
    parts = [sentence.reading.text for sentence in said.sentences]
    parts += [f"{one} {other}" for one, other in itertools.pairwise(parts)]
    references = _wordings(task)
    return any(rouge_l(part, references, spec) >= threshold for part in parts)


def _wordings(task: Task) -> list[str]:
    expected = task.expected_output
    found = list(expected) if isinstance(expected, (list, tuple)) else [expected]
    found += [form.answer for form in task.accept]
    return [one for one in found if isinstance(one, str) and wording(one)]


def _listed(facts: Sequence[str]) -> str:
    return " and ".join(repr(fact) for fact in facts[:3])


def sample_said(task: Task, said: Said) -> str:
    """Whether a text holds a piece of the good sample of a judged task."""
    good = task.samples.get("good")
    if good is None or said.reading.letters:
        return ""
    for line in good.text.splitlines():
        words = wording(line)
        if len(words) >= TELLING_LINE and f" {' '.join(words)} " in said.words:
            return "it holds a line of a good answer"
    known = said_by(task.input).words
    for run in _runs(wording(good.text)):
        if run in said.words and run not in known:
            return "it holds a piece of a good answer"
    values = not_in([task.input], _values_of(good.text))
    if values and all(said.names(value) for value in values):
        return "it holds the values of a good answer"
    return ""


def _runs(words: Sequence[str]) -> Iterator[str]:
    for at in range(len(words) - RUN + 1):
        yield f" {' '.join(words[at : at + RUN])} "


def _values_of(text: str) -> list[str | int | float]:
    """The values of a sample that is a JSON object; none of a text."""
    if not text.lstrip().startswith("{"):
        return []
    try:
        return list(leaves(json.loads(text)))
    except (ValueError, RecursionError):
        return []
