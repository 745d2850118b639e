"""One option of several, by its letter, its full text or its value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from pytest_mint.errors import GraderError
from pytest_mint.graders.numbers import NO_ANSWER, SEVERAL, answer_of
from pytest_mint.graders.plain import plain
from pytest_mint.graders.prose import Quantity, read_quantities
from pytest_mint.graders.tokens import Unreadable
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.tasks.graderspec import OptionSpec
from pytest_mint.tasks.model import Task

#: Characters of an answer that are read; an option and its text need fewer.
MAX_ANSWER = 4_000
#: Lines of it; some models repeat theirs.
MAX_LINES = 40

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
    ends = [start for _, start, _ in marks[1:]] + [len(rest)]
    return {
        letter: rest[end:stop].strip()
        for (letter, _, end), stop in zip(marks, ends, strict=True)
    }


def named_options(text: str, options: Mapping[str, str]) -> set[str]:
    """The letters of the options that an answer names, less those it rules out."""
    named: set[str] = set()
    ruled_out: set[str] = set()
    whole = _by_text(text, options)
    lines = [line for line in _readable(text).splitlines() if line.strip(" .$*")]
    for line in [text] if whole else dict.fromkeys(lines[:MAX_LINES]):
        named |= _named_in_line(line.strip(), options)
        ruled_out |= {
            label[1].lower()
            for label in _LABEL.finditer(line)
            if _NOT.search(line[: label.start()])
        }
    return named - ruled_out


def _readable(text: str) -> str:
    """Without the macros and marks that may stand around a letter."""
    text = _MACRO.sub(r" \1 ", text)
    return re.sub(r"[*`]{1,2}|</?solution>|\$", " ", text)


def _named_in_line(line: str, options: Mapping[str, str]) -> set[str]:
    by_text = _by_text(line, options)
    if by_text:
        return {by_text}
    return _by_letter(line, options) or _by_value(line, options)


def _by_letter(line: str, options: Mapping[str, str]) -> set[str]:
    head, _, rest = line.partition(" ")
    if head.isupper() and _same_text(rest, options.get(head.lower(), "")):
        return {head.lower()}
    leading = _LEADING.match(line)
    if leading and leading[1].lower() in options:
        return _with_text(leading[1].lower(), line[leading.end() :], options)
    labels = [label for label in _LABEL.finditer(line) if label[1].lower() in options]
    labels = [label for label in labels if not _NOT.search(line[: label.start()])]
    if labels:
        letter, rest = labels[0][1].lower(), line[labels[0].end() :]
        named = _with_text(letter, rest, options)
        if labels[0].start() == 0 and _same_text(rest, options[letter]):
            return named
        return named | {label[1].lower() for label in labels}
    bare = _BARE.fullmatch(line.strip(" .!()[]"))
    if bare is not None:
        letters = {letter.lower() for letter in bare.groups() if letter}
        if letters <= set(options):
            return letters
    spoken = {match[1].lower() for match in _SPOKEN.finditer(line)}
    return spoken if spoken <= set(options) else set()


def _with_text(letter: str, rest: str, options: Mapping[str, str]) -> set[str]:
    """The letter, and the option whose text or value stands behind it if another."""
    other = _by_text(rest, options)
    return {letter, other} if other else {letter} | _by_value(rest, options)


def _by_text(text: str, options: Mapping[str, str]) -> str:
    """The one option whose full text this is, or ""."""
    same = [letter for letter, option in options.items() if _same_text(text, option)]
    return same[0] if len(same) == 1 else ""


def _by_value(text: str, options: Mapping[str, str]) -> set[str]:
    """The one option whose value this is, if it is one."""
    value = _value(text)
    if value is None:
        return set()
    same = {
        letter
        for letter, option in options.items()
        if (other := _value(option)) is not None and _equal(value, other)
    }
    return same if len(same) == 1 else set()


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


def _same_text(text: str, option: str) -> bool:
    key = _key(text)
    return bool(key) and key == _key(option)


def _key(text: str) -> str:
    """What is left of a text for comparison: letters, digits and signs."""
    if len(text) > MAX_ANSWER:
        return ""
    readable = unicodedata.normalize("NFKC", plain(text)).casefold()
    return re.sub(r"[\s.,;:!?\"'()_\\]+", "", readable)
