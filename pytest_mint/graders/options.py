"""One option of several, by its letter, its full text or its value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from pytest_mint.errors import GraderError
from pytest_mint.graders.numbers import NO_ANSWER, SEVERAL, answer_of
from pytest_mint.graders.plain import plain
from pytest_mint.graders.prose import Quantity, read_quantities
from pytest_mint.graders.tokens import Unreadable
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.tasks.graderspec import OptionSpec
from pytest_mint.tasks.model import Task

#: Characters of an answer that are read; an option and its text need fewer.
MAX_ANSWER = 2_000
#: Lines of it; some models repeat theirs.
MAX_LINES = 20
#: Labels in a line.
MAX_LABELS = 20

_INTRODUCTION = re.compile(r"(?:options|choices)\s*:\s*", re.IGNORECASE)
_EPILOGUE = re.compile(
    r"\s*\.?\s*(?:output format required.*|which (?:option|one) is correct\?)\s*$",
    re.IGNORECASE | re.DOTALL,
)
#: ``C)``, ``c )``, ``(C)``, ``[c]``; not the x of "f(x)" or "(S, +, x)".
_LABEL = re.compile(r"(?<![\w(\[\\])[(\[]?\s?([A-Za-z])\s?[)\]]")
_LEADING = re.compile(r"\s*(?:option|choice|answer)?\s*([A-Za-z])\s?[.:](?:\s|$)", re.I)
_BARE = re.compile(
    r"(?:option|choice|answer)?\s*([A-Za-z])"
    r"(?:\s*(?:,|/|&|\bor\b|\band\b)\s*(?:option\s+)?([A-Za-z]))?",
    re.IGNORECASE,
)
#: "D - this", where "this" has to be the text of D.
_HEAD = re.compile(r"([A-Z])\s?[-–—,]?\s")
#: Up to the last verb, after which a sentence names its option.
_VERB = re.compile(r".*(?:\b(?:is|are|was|were|be)\b|:)\s", re.DOTALL)
_SPOKEN = re.compile(
    r"\b(?:is|be|choose|pick|select|option|choice)\s*:?\s+([A-Z])(?![\w'])(?!\s+[a-z])"
)
_MACRO = re.compile(r"\\(?:text|textbf|mathrm|mathbf|boxed)\s*\{([^{}]*)\}")
_NOT = re.compile(r"\b(?:not|isn't|rather than|instead of)\s*(?:option\s*)?$", re.I)


def grade_option(task: Task, proposal: Proposal) -> Verdict:
    """Compare the option that a reply names with the expected one.

    Naming two different options is wrong, whichever they are.

    Raises:
        GraderError: the task has no options to choose from.
    """
    options = options_of(task)
    expected = str(task.expected_output).strip().strip("()").lower()
    if expected not in options:
        raise GraderError(f"{task.key}: option {expected!r} is not among its options")
    answer = answer_of(task, proposal)
    if not answer.text:
        return wrong(NO_ANSWER, answer.rule)
    if answer.several or len(answer.text) > MAX_ANSWER:
        return wrong(SEVERAL, answer.rule)
    named = named_options(answer.text, options)
    if not named:
        return wrong("no option was named", answer.rule)
    read = ", ".join(sorted(named))
    if len(named) > 1:
        return wrong(SEVERAL, answer.rule, read=read)
    if named == {expected}:
        return right(answer.rule, read=read)
    return wrong("wrong", answer.rule, read=read)


def options_of(task: Task) -> Mapping[str, str]:
    """The options by lower-case letter, from the task or out of its question."""
    spec = task.grader
    assert isinstance(spec, OptionSpec)
    if spec.options:
        return {letter.lower(): text for letter, text in spec.options.items()}
    found = parse_options(task.input)
    if len(found) < 2:
        raise GraderError(f"{task.key}: no options in the question and none given")
    return found


def parse_options(question: str) -> dict[str, str]:
    """The options of a question that ends ``Options: A ) this , B ) that``."""
    introductions = list(_INTRODUCTION.finditer(question))
    rest = question[introductions[-1].end() :] if introductions else question
    rest = _EPILOGUE.sub("", rest)
    marks: list[tuple[str, int, int]] = []
    at = 0
    for letter in "abcdefghijklmnopqrstuvwxyz":
        # In order of the alphabet, so that "(b)" inside an option's text is no label.
        mark = re.compile(
            rf"(?:^|[,;\n])\s*\(?{letter}\s?[).:](?=\s)", re.IGNORECASE
        ).search(rest, at)
        if mark is None:
            break
        marks.append((letter, mark.start(), mark.end()))
        at = mark.end()
    stops = [start for _, start, _ in [*marks, ("", len(rest), 0)]][1:]
    return {
        letter: rest[end:stop].strip()
        for (letter, _, end), stop in zip(marks, stops, strict=True)
    }


def named_options(text: str, options: Mapping[str, str]) -> set[str]:
    """The letters of the options that an answer names, less those it rules out."""
    choices = _choices(tuple(options.items()))
    if whole := choices.by_text(text):
        return whole
    named: set[str] = set()
    ruled_out: set[str] = set()
    lines = [line.strip() for line in _readable(text).splitlines()]
    for line in list(dict.fromkeys(filter(None, lines)))[:MAX_LINES]:
        labels = _labels(line, choices)
        out = {letter for letter, label in labels if _is_denied(line, label)}
        kept = [(letter, label) for letter, label in labels if letter not in out]
        ruled_out |= out
        named |= (
            choices.by_text(line)
            or _by_letter(line, kept, choices)
            or choices.by_value(line)
            or _by_end(line, choices)
        )
    return named - ruled_out


@lru_cache(maxsize=256)
def _choices(options: tuple[tuple[str, str], ...]) -> _Choices:
    return _Choices(dict(options))


def _readable(text: str) -> str:
    """Without the macros and marks that may stand around a letter."""
    text = _MACRO.sub(r" \1 ", text)
    return re.sub(r"[*`]{1,2}|</?solution>|\$", " ", text)


def _by_end(line: str, choices: _Choices) -> set[str]:
    verb = _VERB.match(line)
    return choices.by_text(line[verb.end() :]) if verb else set()


class _Choices:
    """The options of one question, ready to be compared with."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.letters = frozenset(options)
        self._keys = {letter: _key(text) for letter, text in options.items()}
        self._values = {letter: _value(text) for letter, text in options.items()}

    def is_text(self, letter: str, text: str) -> bool:
        """Whether this is the text of that option."""
        return bool(key := _key(text)) and key == self._keys.get(letter)

    def by_text(self, text: str) -> set[str]:
        """The one option whose full text this is, if it is one."""
        key = _key(text)
        same = {letter for letter, other in self._keys.items() if key and key == other}
        return same if len(same) == 1 else set()

    def by_value(self, text: str) -> set[str]:
        """The one option whose value this is, if it is one."""
        value = _value(text)
        if value is None:
            return set()
        same = {
            letter
            for letter, other in self._values.items()
            if other is not None and _equal(value, other)
        }
        return same if len(same) == 1 else set()

    def with_text(self, letter: str, rest: str) -> set[str]:
        """The letter, and the option whose text or value stands behind it."""
        return {letter} | (self.by_text(rest) or self.by_value(rest))


def _labels(line: str, choices: _Choices) -> list[tuple[str, re.Match[str]]]:
    found = ((label[1].lower(), label) for label in _LABEL.finditer(line))
    known = ((letter, label) for letter, label in found if letter in choices.letters)
    return list(islice(known, MAX_LABELS))


def _is_denied(line: str, label: re.Match[str]) -> bool:
    return _NOT.search(line[max(0, label.start() - 24) : label.start()]) is not None


def _by_letter(
    line: str, labels: list[tuple[str, re.Match[str]]], choices: _Choices
) -> set[str]:
    head = _HEAD.match(line)
    if head and choices.is_text(head[1].lower(), line[head.end() :]):
        return {head[1].lower()}
    leading = _LEADING.match(line)
    if leading and leading[1].lower() in choices.letters:
        return choices.with_text(leading[1].lower(), line[leading.end() :])
    if labels:
        letter, label = labels[0]
        rest = line[label.end() :]
        if label.start() == 0 and choices.is_text(letter, rest):
            return {letter}
        return choices.with_text(letter, rest) | {letter for letter, _ in labels}
    bare = _BARE.fullmatch(line.strip(" .!()[]"))
    if bare is not None:
        letters = {letter.lower() for letter in bare.groups() if letter}
        if letters <= choices.letters:
            return letters
    spoken = {match[1].lower() for match in _SPOKEN.finditer(line)}
    return spoken if spoken <= choices.letters else set()


def _value(text: str) -> Quantity | None:
    try:
        found = read_quantities(text)
    except Unreadable:
        return None
    return found[0] if len({q.value for q in found}) == 1 else None


def _equal(answer: Quantity, option: Quantity) -> bool:
    if answer.unit and option.unit and answer.unit != option.unit:
        return False
    return answer.value == option.value


def _key(text: str) -> str:
    """What is left of a text for comparison: letters, digits and signs."""
    if len(text) > MAX_ANSWER:
        return ""
    readable = plain(text).casefold()
    return re.sub(r"[\s.,;:!?\"'()_\\]+", "", readable)
