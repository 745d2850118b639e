"""Conditions on a text that a program decides, by the names that task files use.

The tables in the documentation of task files say what each one means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mint.errors import GraderError
from pytest_mint.graders import counting
from pytest_mint.graders.json_text import NotJson, read_json
from pytest_mint.graders.letters import is_comma, plain_marks, shown

Parameters = Mapping[str, Any]
#: Empty where the condition holds, else what does not.
Problem = str

#: A longer text meets no check: none asks for one, and reading it would take time.
MAX_CHARS = 20_000

BOUND = ("at_least", "at_most", "exactly")

_FENCE = re.compile(r"```[A-Za-z]{0,20}[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)


@dataclass(frozen=True)
class Check:
    """One kind of condition.

    Attributes:
        test: from the text and the parameters to what is wrong, "" if nothing.
        required, optional: the names of its parameters.
        bound: whether it takes a bound: ``must``, ``may`` or not.
        as_written: whether curly quotes and the like are left as they are: in JSON
            they are no quotes, and no ends of a string either.
    """

    test: Callable[[str, Parameters], Problem]
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    bound: str = ""
    as_written: bool = False

    def allowed(self) -> tuple[str, ...]:
        """All parameter names."""
        return (*self.required, *self.optional, *(BOUND if self.bound else ()))


def run_check(item: Mapping[str, Any], text: str) -> tuple[bool, str]:
    """Whether a text meets one condition, and, where it does not, which one.

    Args:
        item: ``check`` and its parameters, as a task file has them.
        text: what was handed in.

    Raises:
        GraderError: the condition is not one of ours, or its parameters are not.
    """
    if problem := check_problem(item):
        raise GraderError(problem)
    name = item["check"]
    check, text = CHECKS[name], text.strip()
    if len(text) > MAX_CHARS:
        return False, f"{name}: the text is longer than {MAX_CHARS} characters"
    if not check.as_written:
        text, item = plain_marks(text), {key: _plain(item[key]) for key in item}
    found = check.test(text, item)
    return (False, f"{name}: {found}") if found else (True, "")


def check_problem(item: Mapping[str, Any]) -> str:
    """What is wrong with a check as a task file writes it; empty if nothing."""
    name = item.get("check")
    check = CHECKS.get(name) if isinstance(name, str) else None
    if check is None:
        return f"unknown check {name!r}; expected one of {', '.join(CHECKS)}"
    given = [key for key in item if key != "check"]
    if unknown := [key for key in given if key not in check.allowed()]:
        allowed = ", ".join(check.allowed()) or "no parameter"
        return f"{name}: unknown parameter {unknown[0]!r}; expected {allowed}"
    if missing := [key for key in check.required if key not in item]:
        return f"{name}: {missing[0]} is missing"
    for key in given:
        expected, fits = _TYPES[key]
        if not fits(item[key]):
            return f"{name}: {key} is {item[key]!r}; expected {expected}"
    bounds = [key for key in BOUND if key in item]
    if check.bound == "must" and not bounds:
        return f"{name}: expected one of {', '.join(BOUND)}"
    if "exactly" in bounds and len(bounds) > 1:
        return f"{name}: exactly stands alone"
    if item.get("at_least", 0) > item.get("at_most", item.get("at_least", 0)):
        return f"{name}: at_least is above at_most, so that no text would do"
    return ""


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return plain_marks(value)
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def _whole(lowest: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and value >= lowest


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(map(_text, value))


_TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(BOUND, ("a whole number from 0", _whole(0))),
    "word": ("a text", _text),
    "words": ("a list of texts", _texts),
    "text": ("a text", _text),
    "letters": ("a text", _text),
    "keys": ("a list of texts", _texts),
    "n": ("a whole number from 1", _whole(1)),
    "paragraphs": ("a whole number from 1", _whole(1)),
    "index": (
        "a whole number other than 0",
        lambda value: type(value) is int and value != 0,
    ),
}


def _bound_problem(count: int, what: str, bound: Parameters) -> Problem:
    """What is wrong with a count, in the words of the bound."""
    asked = {key: bound[key] for key in BOUND if key in bound}
    holds = (
        asked.get("at_least", count) <= count <= asked.get("at_most", count)
        and asked.get("exactly", count) == count
    )
    if holds:
        return ""
    wanted = " and ".join(f"{key.replace('_', ' ')} {asked[key]}" for key in asked)
    return f"{wanted} asked for, {count} {what} found"


def _counted(
    what: str, count: Callable[[str], int]
) -> Callable[[str, Parameters], Problem]:
    def test(text: str, given: Parameters) -> Problem:
        return _bound_problem(count(text), what, given)

    return test


def _each(
    what: str, pieces: Callable[[str], Iterable[str]]
) -> Callable[[str, Parameters], Problem]:
    def test(text: str, given: Parameters) -> Problem:
        for number, piece in enumerate(pieces(text), start=1):
            count = len(counting.words(piece))
            if problem := _bound_problem(count, f"words in {what} {number}", given):
                return problem
        return ""

    return test


def _include_word(text: str, given: Parameters) -> Problem:
    bound = given if any(key in given for key in BOUND) else {"at_least": 1}
    count = counting.occurrences(text, given["word"])
    return _bound_problem(count, f"of {shown(given['word'])!r}", bound)


def _avoid_words(text: str, given: Parameters) -> Problem:
    found = [word for word in given["words"] if counting.occurrences(text, word)]
    return f"{shown(found[0])!r} occurs" if found else ""


def _word_at(text: str, given: Parameters) -> Problem:
    found, index = counting.words(text), given["index"]
    at = index - 1 if index > 0 else len(found) + index
    fits = 0 <= at < len(found) and _same_words(found[at], given["word"])
    return "" if fits else f"word {index} is not {shown(given['word'])!r}"


def _nth_paragraph_first_word(text: str, given: Parameters) -> Problem:
    found, n = counting.paragraphs(text), given["n"]
    asked = given.get("paragraphs", len(found))
    if len(found) != asked:
        return f"{asked} paragraphs asked for, {len(found)} found"
    length = len(counting.words(given["word"]))
    first = counting.words(found[n - 1])[:length] if n <= len(found) else []
    if _same_words(" ".join(first), given["word"]):
        return ""
    return f"paragraph {n} does not begin with {shown(given['word'])!r}"


def _same_words(found: str, wanted: str) -> bool:
    one, other = (counting.words(text.casefold()) for text in (found, wanted))
    return bool(one) and one == other


def _acrostic(text: str, given: Parameters) -> Problem:
    found = "".join(
        next((letter for letter in line if letter.isalpha()), "?")
        for line in counting.lines(text)
    )
    wanted = "".join(given["word"].split())
    if found.casefold() == wanted.casefold():
        return ""
    return f"the lines spell {shown(found)!r}, not {shown(wanted)!r}"


def _starts_with(text: str, given: Parameters) -> Problem:
    return "" if text.startswith(given["text"].lstrip()) else _not("begin", given)


def _ends_with(text: str, given: Parameters) -> Problem:
    return "" if text.endswith(given["text"].rstrip()) else _not("end", given)


def _not(verb: str, given: Parameters) -> Problem:
    return f"the text does not {verb} with {shown(given['text'])!r}"


def _each_line_starts(text: str, given: Parameters) -> Problem:
    start = given["text"].lstrip()
    for number, line in enumerate(counting.lines(text), start=1):
        if not line.startswith(start.rstrip() if line == start.rstrip() else start):
            return f"line {number} does not begin with {shown(start)!r}"
    return ""


def _avoid_letters(text: str, given: Parameters) -> Problem:
    banned = set(given["letters"].casefold()) - {" "}
    found = sorted(banned & set(text.casefold()))
    return f"{shown(found[0])!r} occurs" if found else ""


def _all_caps(text: str, given: Parameters) -> Problem:
    if not any(letter.isalpha() for letter in text):
        return "there is no letter"
    return "there is a small letter" if any(map(str.islower, text)) else ""


def _all_lowercase(text: str, given: Parameters) -> Problem:
    if not any(letter.isalpha() for letter in text):
        return "there is no letter"
    return "there is a capital letter" if any(map(str.isupper, text)) else ""


def _no_comma(text: str, given: Parameters) -> Problem:
    return "there is a comma" if any(map(is_comma, set(text))) else ""


def _json_only(text: str, given: Parameters) -> Problem:
    fenced = _FENCE.fullmatch(text)
    try:
        value = read_json(fenced[1] if fenced else text)
    except NotJson as problem:
        return f"the text is not JSON: {problem}"
    if "keys" not in given:
        return ""
    if not isinstance(value, dict):
        return "the JSON value is no object"
    if set(value) != set(given["keys"]):
        return f"the keys are not exactly {', '.join(map(shown, given['keys']))}"
    return ""


def _size(pieces: Callable[[str], Sequence[str]]) -> Callable[[str], int]:
    return lambda text: len(pieces(text))


CHECKS: dict[str, Check] = {
    "word_count": Check(_counted("words", _size(counting.words)), bound="must"),
    "sentence_count": Check(
        _counted("sentences", _size(counting.sentences)), bound="must"
    ),
    "paragraph_count": Check(
        _counted("paragraphs", _size(counting.paragraphs)), bound="must"
    ),
    "line_count": Check(_counted("lines", _size(counting.lines)), bound="must"),
    "bullet_count": Check(_counted("bullets", counting.bullets), bound="must"),
    "highlighted_sections": Check(
        _counted("highlighted sections", counting.highlights), bound="must"
    ),
    "words_per_sentence": Check(_each("sentence", counting.sentences), bound="must"),
    "words_per_line": Check(_each("line", counting.lines), bound="must"),
    "include_word": Check(_include_word, ("word",), bound="may"),
    "avoid_words": Check(_avoid_words, ("words",)),
    "word_at": Check(_word_at, ("index", "word")),
    "nth_paragraph_first_word": Check(
        _nth_paragraph_first_word, ("n", "word"), ("paragraphs",)
    ),
    "acrostic": Check(_acrostic, ("word",)),
    "starts_with": Check(_starts_with, ("text",)),
    "ends_with": Check(_ends_with, ("text",)),
    "each_line_starts": Check(_each_line_starts, ("text",)),
    "avoid_letters": Check(_avoid_letters, ("letters",)),
    "all_caps": Check(_all_caps),
    "all_lowercase": Check(_all_lowercase),
    "no_comma": Check(_no_comma),
    "json_only": Check(_json_only, (), ("keys",), as_written=True),
}
