"""The original MINT benchmark's rules for its own tasks, faults included.

They exist to reproduce published numbers; ``strict`` is what to measure with. Each
quirk is named where it is repeated. Source: the benchmark's reasoning tasks as
published on 2024-06-04, and for numbers the rule that the records were made with
before that day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from pytest_mint.errors import GraderError
from pytest_mint.graders.literals import Unknown, value_of
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.tasks.model import Task

#: Which form of the 5 % rule for numbers: ``recorded`` made the published records and
#: can never pass a negative reference; ``fixed`` came in June 2024.
Era = Literal["recorded", "fixed"]

#: Longer numbers are compared as text; ``float`` needs no limit for right answers.
MAX_NUMBER = 5_000
#: Longer texts never were an expression.
MAX_EXPRESSION = 2_000
#: Longer texts never were a number with a unit; the patterns for those backtrack.
MAX_QUANTITY = 400

RULE = "faithful"


def grade_faithful(task: Task, proposal: Proposal, era: Era = "recorded") -> Verdict:
    """Judge an imported reasoning task as the original would have.

    Args:
        task: imported, with its ``dataset``.
        proposal: the content of the ``<solution>`` blocks.
        era: which of the original's two rules for numbers.

    Raises:
        GraderError: the dataset has no such rule.
    """
    rules: dict[str, Callable[[Task, str], bool]] = {
        "gsm8k": partial(_number_or_text, era=era),
        "math": partial(_number_or_text, era=era),
        "hotpotqa": partial(_number_or_text, era=era),
        "mmlu": _option,
        "theoremqa": _theoremqa,
    }
    rule = rules.get(task.dataset)
    if rule is None:
        raise GraderError(
            f"{task.key}: no original rule for dataset {task.dataset!r}; "
            f"expected one of {', '.join(rules)}"
        )
    return right(RULE) if rule(task, proposal.text) else wrong("wrong", RULE)


# Quirk: years, counts and names are all compared as numbers within 5 %, and a
# reference anywhere in the answer's text passes ("2" in a column of 12s).
def _number_or_text(task: Task, text: str, era: Era) -> bool:
    reference = str(task.expected_output).strip().lower()
    answer = text.lower().strip()
    want, got = _float(reference), _float(answer)
    if want is None or got is None:
        return reference in answer
    margin = 0.05 * (want if era == "recorded" else abs(want))
    return abs(want - got) <= margin


def _float(text: str) -> float | None:
    if len(text) > MAX_NUMBER:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _option(task: Task, text: str) -> bool:
    reference = str(task.expected_output).strip().lower()
    answer = text.lower().strip()
    # Quirk: only the letter a is ever looked for.
    if "a)" in answer or "a )" in answer:
        answer = "a"
    if _digits_or_text(reference, answer):
        return True
    options = cut_options(task.input)
    if reference not in options:
        raise GraderError(f"{task.key}: option {reference!r} is not among its options")
    correct = options[reference]
    for value in _rivals(list(options.values()), correct):
        if _digits_or_text(value, answer) or value in answer:
            return False
    return _digits_or_text(correct, answer) or correct in answer


def _rivals(values: list[str], correct: str) -> list[str]:
    """The wrong options. Quirk: the original removes from the list it walks along, so
    the option after each removed one is not looked at and stays."""
    position = 0
    while position < len(values):
        value = values[position]
        if value in correct:
            values.remove(value)  # the first equal one, and the next is passed over
        position += 1
    return values


def _digits_or_text(reference: str, answer: str) -> bool:
    if reference.isdigit() and answer.isdigit():
        want, got = _float(reference), _float(answer)
        return want is not None and got is not None and abs(want - got) <= 0.05 * want
    return reference in answer


def cut_options(question: str) -> dict[str, str]:
    """The options as the original parsed them. Quirk: their text ends at the first
    closing bracket."""
    options = {}
    for part in question.split("Options: ")[-1].split(" , "):
        pieces = part.strip("[]' ").split(")")
        if len(pieces) < 2:
            raise GraderError(
                "the question's options cannot be read as the original did"
            )
        text = pieces[1].lower().strip(".")
        for question_end in (". Which option is correct?", ". Which one is correct?"):
            text = text.replace(question_end, "")
        options[pieces[0].lower().strip()] = text.strip()
    return options


_NUMBER = r"[-+]?(?:[\d,]*\.*\d+)"
_UNIT_AFTER = re.compile(rf"({_NUMBER}) [^0-9 ]+$")
_UNIT_BEFORE = re.compile(rf"[^0-9 ]+ ({_NUMBER})$")
_MARK_AFTER = re.compile(rf"({_NUMBER})[^\d]{{1,2}}$")
_MARK_BEFORE = re.compile(r"[^-+\d]{1,2}((?:[\d,]*\.*\d+))$")
_GROUPED = re.compile(r"[-+]?(\d{1,3}(,\d{3})*|(\d+))(\.\d+)?$")
_LETTER = re.compile(r"\([a-d]\)")


def _theoremqa(task: Task, text: str) -> bool:
    cleaned = _cleaned(text)
    if len(cleaned) > MAX_EXPRESSION:
        return False
    try:
        found = value_of(cleaned)
    except Unknown:
        return False
    return _equals(found, task.expected_output, task.grader.kind)


def _cleaned(text: str) -> str:
    """The answer as the expression that the original evaluated."""
    for mark in "=≈":
        if mark in text:
            text = text.split(mark)[-1].strip()
    for mark in "`$°":
        text = text.replace(mark, "")
    if text in ("true", "yes"):
        text = "True"
    elif text in ("false", "no"):
        text = "False"
    if "True" in text:
        text = "True"
    elif "False" in text:
        text = "False"
    if "approximately" in text:
        text = text.replace("approximately", "").strip()
    text = text.split(" or ")[0]
    if len(text) <= MAX_QUANTITY:
        text = _bare_number(text)
    lone = text.lower().strip() if len(text) < MAX_QUANTITY else ""
    for letter in "abcd":
        if f"{letter})" in text or f"{letter} )" in text or lone == letter:
            text = f"({letter})"
    if letters := _LETTER.search(text):
        text = f'"{letters[0]}"'
    return text or "0"


def _bare_number(text: str) -> str:
    for pattern in (_UNIT_AFTER, _UNIT_BEFORE, _MARK_AFTER, _MARK_BEFORE):
        if match := pattern.match(text):
            text = match[1]
    # Quirk: a power of ten became a call of a module that was never imported.
    text = re.sub(r"10\^(-?\d+)", r"math.pow(10, \1)", text)
    text = text.replace(" x ", "*").replace(" × ", "*")
    return text.replace(",", "") if _GROUPED.match(text) else text


def _equals(found: Any, expected: Any, kind: str) -> bool:
    if kind in ("boolean", "option"):
        return bool(found == f"({expected})" or found == expected)
    if kind == "list":
        return _same_numbers(found, expected)
    return isinstance(found, (int, float)) and _same_number(found, expected)


def _same_number(found: float, expected: Any) -> bool:
    """Quirk: 4 % for floats, and rounding before whole numbers are compared."""
    if isinstance(expected, float):
        margin = abs(expected) * 0.04
        return expected - margin <= found <= expected + margin
    try:
        return bool(round(found) == expected)
    except (ValueError, OverflowError):
        return False


def _same_numbers(found: Any, expected: list[Any]) -> bool:
    """Quirk: lists are sorted, so the order never counts."""
    if not isinstance(found, list) or len(found) != len(expected):
        return False
    if not all(isinstance(element, (int, float)) for element in found):
        return False
    pairs = zip(sorted(found), sorted(expected), strict=True)
    return all(_same_number(got, want) for got, want in pairs)
