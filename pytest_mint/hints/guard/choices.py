"""Whether a text tells one option of several, or whether something is true.

Single letters and words such as "true" stand in many an innocent sentence. They count
where they are presented as the answer, where they are all that is said, and, of
options, where the right one is the only one that is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_mint.errors import GraderError
from pytest_mint.graders.booleans import truth_values
from pytest_mint.graders.numerals import vocabulary
from pytest_mint.graders.options import options_of
from pytest_mint.graders.wording import wording
from pytest_mint.hints.guard.said import Said, said_by
from pytest_mint.tasks.model import Task

_VERBS = r"(?:is|be|must be|should be|has to be|would be|=|:)"
_LETTERS = "abcdefghij"
_SPOKEN = "alpha bravo charlie delta echo foxtrot golf hotel india juliett"
_PLACES = "first second third fourth fifth sixth seventh eighth ninth tenth"
_SPOKEN_OF = dict(zip(_LETTERS, _SPOKEN.split(), strict=True))
_LETTER_OF = {
    **dict(zip(_SPOKEN.split(), _LETTERS, strict=True)),
    **dict(zip(_PLACES.split(), _LETTERS, strict=True)),
}
_NAME = "|".join(_LETTER_OF)


def option_told(task: Task, said: Said) -> str:
    """How a text tells the right option, as a reason; "" if it does not."""
    try:
        options = options_of(task)
    except GraderError:
        return ""
    right = str(task.expected_output).strip().strip("()").lower()
    if right not in options:
        return ""
    if said.reading.letters:
        told = f"answeris{right}" in said.reading.text
        return f"it names the option {right.upper()}" if told else ""
    text = said.reading.text
    named, denied = _named(text, options)
    others = set(options) - {right}
    if right in named - denied and (_presents(text, right) or not named & others):
        return f"it names the option {right.upper()}"
    if len(others) > 1 and others <= denied and right not in denied:
        return f"it rules out every option but {right.upper()}"
    return _text_told(task, right, options, said)


def _named(text: str, options: Mapping[str, str]) -> tuple[set[str], set[str]]:
    """The letters that stand for options, and those of them that are ruled out."""
    named: set[str] = set()
    denied: set[str] = set()
    at = 0
    for mark in _LETTER.finditer(text):
        letter = next(filter(None, mark.groups())).lower()
        letter = _LETTER_OF.get(letter, letter)
        if letter not in options:
            continue
        named.add(letter)
        start = max(at, mark.start() - 60)
        at = mark.end()
        if _DENIED_BEFORE.search(text[start : mark.start()]) or _DENIED_AFTER.match(
            text[mark.end() : mark.end() + 80]
        ):
            denied.add(letter)
    return named, denied


_LETTER = re.compile(
    r"(?i:\b(?:options?|choices?|letters?|answers?(?: (?:is|must be|should be))?)"
    rf"\b[\s:(*\"'`]{{1,4}}(?:({_NAME})|([A-Ja-j]))(?![\w'’]))"
    rf"|(?i:\b({_NAME}) (?:option|choice|answer)\b)"
    r"|(?<![\w(])[(\[*\"'`]{1,3}([A-Ja-j])[)\]*\"'`]{1,3}(?!\w)"
    r"|(?<![\w'’(])([A-J])\)(?!\w)"
    # A capital by itself; A is an article more often than not.
    r"|(?<![\w'’(.\[])([B-HJ])(?![\w'’(=^])"
    r"|(?<![\w'’(.\[])(A)(?=\s?(?:,|and\b|or\b|nor\b)\s?[(\[]?[B-J]\b)"
    r"|(?:(?<=\bis )|(?<=\band )|(?<=\bor )|(?<=\bnor )|(?<=\b[Nn]ot ))"
    r"(A)(?=[.,;:!?)]|\s*$|\s+(?:is|are|can)\b)"
)
_DENIED_BEFORE = re.compile(
    r"\b(?:not|isn't|isn’t|neither|nor|never|rather than|instead of|except|rules? out"
    r"|ruled out|eliminate|discard|exclude|forget|strike)\b(?:[^.!?\n]{0,10}"
    r"|(?:[\s(]*[A-Za-z]\b[),]?(?:\s*(?:and|or|nor)\b)?){0,8}[\s(]*)$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^[)\]*\"'`]{0,3}(?:(?:,| and| or|, and)\s*[(\[]?[A-Ja-j]\b[)\]]?){0,8}\s+"
    r"(?:is|are|can be|must be|cannot be|can't be)\s+"
    r"(?:all\s+|both\s+|clearly\s+)?(?:wrong|false|incorrect|impossible|out\b|ruled out"
    r"|not\b|too\b|eliminated|excluded|right$)|^\W{0,3}(?:cannot|can't) be\b",
    re.IGNORECASE,
)


def _presents(text: str, letter: str) -> bool:
    names = "|".join((letter, _SPOKEN_OF.get(letter, letter)))
    around = rf"[\s(\[*\"'`]{{0,4}}(?:{names})(?![\w'’])"
    before = re.compile(
        r"\b(?:answer|solution|right one|correct (?:one|option|choice)|it|that)\s+"
        rf"{_VERBS}\s*(?:option|choice)?{around}"
        rf"|\b(?:choose|pick|select|take|go (?:for|with)|tick|mark|submit|answer)\s+"
        rf"(?:option |choice |with )?{around}"
        rf"|\b(?:option|choice)?{around}[)\]*\"'`]{{0,3}}\s+"
        r"(?:is|must be)\s+(?:the\s+)?(?:right|correct|answer|true|one)",
        re.IGNORECASE,
    )
    return before.search(text) is not None


def _text_told(task: Task, right: str, options: Mapping[str, str], said: Said) -> str:
    """Whether the text of the right option is said, and that of no other."""
    stem = task.input
    for text in options.values():
        stem = stem.replace(text, " ", 1)
    known = said_by(stem)
    reason = f"it names what option {right.upper()} says"
    if not _says(said, options[right]) or _says(known, options[right]):
        return ""
    others = [text for letter, text in options.items() if letter != right]
    return "" if any(_says(said, text) for text in others) else reason


def _says(said: Said, option: str) -> bool:
    """An option of one short word says too little to be told by it."""
    option = _ARTICLE.sub("", option.strip().rstrip("."))
    if len(wording(option)) == 1 and not any(c.isdigit() for c in option):
        return len(option) > 3 and said.includes(option)
    return said.includes(option)


_ARTICLE = re.compile(r"^(?:an?|the)\s+", re.IGNORECASE)


# True and false


def truth_told(expected: bool, said: Said) -> str:
    """How a text tells whether the answer is true, as a reason; "" if it does not."""
    word = "true" if expected else "false"
    if said.reading.letters:
        return ""
    text = said.reading.text
    whole = text.strip()
    if (
        len(whole) < 20
        and _ALONE.fullmatch(whole)
        and truth_values(whole) == {expected}
    ):
        return f"it says {word}"
    leading = _LEADING.match(whole)
    if leading and (leading[1].lower() in _TRUE) is expected:
        return f"it says {word}"
    for found in _VERDICT.finditer(text):
        if _SUPPOSED.search(text[max(0, found.start() - 40) : found.start()]):
            continue
        is_true = found[2].lower() in _TRUE
        if (is_true is not bool(found[1])) is expected:
            return f"it says that the answer is {word}"
    return ""


_TRUE = vocabulary(
    "true yes correct right affirmative holds stands valid oui ja sí si sim vrai wahr "
    "richtig verdadero vero verdadeiro positive да はい"
)
_FALSE = vocabulary(
    "false no incorrect wrong untrue negative fails invalid non nein faux falsch falso "
    "não nee нет いいえ"
)
_WORDS = "|".join(sorted(_TRUE | _FALSE, key=len, reverse=True))
_ALONE = re.compile(r"[\s*_`\"'(.]*(?:true|false|yes|no|t|f)[\s*_`\"').!]*", re.I)
_LEADING = re.compile(
    r"[\s*_`\"'(]*(yes|no|true|false)[*_`\"')]*\s*(?:[,.!:;–—-]|$)", re.I
)
_SUBJECT = (
    r"(?:answer|statement|claim|it|this|that|theorem|conjecture|assertion|proposition"
    r"|conclusion|result)"
)
_VERDICT = re.compile(
    rf"\b{_SUBJECT}\s+(?:(?:therefore|thus|really|indeed|always|simply)\s+)?"
    r"(?:is|are|must be|should be|has to be|will be|would be|turns out(?: to be)?"
    r"|does|=|:)?\s*"
    r"(?:(?:therefore|thus|really|indeed|always|simply|just|in fact|definitely)\s+)?"
    rf"(not\s+|n't\s+|never\s+)?[\s*_`\"'(]{{0,3}}({_WORDS})(?![\w-])"
    r"(?!\s+(?:or|that|that|only|if|\w+ing)\b)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|whether|suppose|assume|assuming|unless|when|were|ask|check|see)\b"
    r"[^.!?:;\n]*$",
    re.IGNORECASE,
)
