"""What checks count in a text: words, sentences, paragraphs, phrases and the like."""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_mint.graders.letters import CHARACTER, LETTER, LETTERS

#: Marks inside a word that do not end it; a comma or colon only between digits.
_INNER = r"['\-‐‑._@&/·]|(?<=\d)[,:](?=\d)"
_WORD = re.compile(rf"{CHARACTER}|{LETTERS}(?:(?:{_INNER}){LETTERS})*(?:[+#]+(?!\w))?")
_A_LETTER = re.compile(LETTER)
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_BULLET = re.compile(r"\s*[-*•]\s")
_HIGHLIGHT = re.compile(
    r"(?<![\w*\\])(\*{1,3})(?=[^\s*])[^*\n]{0,2000}?(?<![\s\\])\1(?![\w*])"
)
_STOP = re.compile(r"([.!?…]+|[。！？．｡]+)([\"'”’»)\]」』》]*)")
_TITLES = frozenset(
    ("dr", "mr", "mrs", "ms", "mx", "prof", "st", "rev", "hon", "capt", "lt", "vs")
)
_ABBREVIATION = re.compile(r"(?:\w\.)+\w")  # e.g, p.m, U.S.A
_LIST_NUMBER = re.compile(r"\s*\d{1,3}")


@lru_cache(maxsize=16)  # one text meets several checks
def words(text: str) -> tuple[str, ...]:
    """The words of a text, in its order.

    ``don't``, ``well-kept`` and ``3.50`` are one each, and so is one character of a
    script without blanks between words.
    """
    return tuple(_WORD.findall(text))


def lines(text: str) -> list[str]:
    """The lines that are not blank, without white space at their ends."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def paragraphs(text: str) -> list[str]:
    """Blocks of lines with blank lines between them."""
    text = text.replace("\r\n", "\n").strip()
    return _BLANK_LINES.split(text) if text else []


def bullets(text: str) -> int:
    """How many lines begin with a bullet mark and a blank."""
    return sum(1 for line in text.splitlines() if _BULLET.match(line))


def highlights(text: str) -> int:
    """How many pieces are emphasised in Markdown; ``2*3*4`` has none."""
    return sum(1 for _ in _HIGHLIGHT.finditer(text))


def sentences(text: str) -> list[str]:
    """The sentences; a last piece without a stop is one."""
    found: list[str] = []
    start = 0
    for match in _STOP.finditer(text):
        if _ends_sentence(text, start, match):
            found.append(text[start : match.end()])
            start = match.end()
    found.append(text[start:])
    return [piece.strip() for piece in found if _WORD.search(piece)]


def _ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    if stop[1][0] in "。！？．｡" or stop.end() == len(text):
        return True
    if not text[stop.end()].isspace():
        return False  # 3.50, example.org, and the dots of e.g.
    following = text[stop.end() : stop.end() + 40].lstrip()
    if stop[2] and following[:1].islower():
        return False  # "Go!" she said.
    if stop[1] != ".":
        return True
    sentence = text[max(start, stop.start() - 40) : stop.start()]
    last = (sentence.split() or [""])[-1].lstrip("\"'([*")
    if last.casefold() in _TITLES:
        return False
    if last.isupper() and (len(last) == 1 or "." in last) and last != "I":
        return False  # an initial, J. or J.R.R.
    if _ABBREVIATION.fullmatch(last):  # "at 5 p.m. He left" ends one
        return following[:1].isupper() and last.casefold() not in ("e.g", "i.e")
    return not _LIST_NUMBER.fullmatch(sentence.rpartition("\n")[2])


def occurrences(text: str, phrase: str) -> int:
    """How often a phrase stands in a text as whole words, whatever its case.

    No letter or digit touches it, except next to a character of a script without
    blanks; white space in it stands for any white space. Nothing in it is a pattern.
    """
    return sum(1 for _ in _phrase(phrase).finditer(text.casefold()))


@lru_cache(maxsize=512)
def _phrase(phrase: str) -> re.Pattern[str]:
    phrase = " ".join(phrase.casefold().split())
    body = re.escape(phrase).replace(r"\ ", r"\s+")
    if _A_LETTER.match(phrase[:1]):
        body = rf"(?<!{LETTER})" + body
    if _A_LETTER.match(phrase[-1:]):
        body += rf"(?!{LETTER})"
    return re.compile(body)
