"""Where the answer is in a reply.

In this order: the last ``<solution>`` block, the last closed ``\\boxed{...}``, what
follows the last "the answer is", and, for a short reply, the reply itself. A block is
narrowed by the rules after it, so a sentence inside ``<solution>`` is read like one.
Every step is a single pass over a text of bounded length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Rule = Literal["solution", "boxed", "final_line", "whole", "none"]

#: Characters of a reply that are looked at, counted from its end.
MAX_REPLY = 16_384
#: A reply up to this long, in characters, is its own answer.
SHORT_REPLY = 400

_THINK = re.compile(r"<(/?)(?:think|thinking|thought)>", re.IGNORECASE)
_SOLUTION = re.compile(r"<(/?)solution>", re.IGNORECASE)
_BRACES = re.compile(r"\\boxed\s{0,4}\{|\\.|[{}]", re.DOTALL)
_FINAL = re.compile(
    r"\b(?:answers?|antwort|antwoord|réponse|respuesta|resposta|risposta|ответ)\b"
    r"(?:(?:[ \t]?\([^()\n]{1,40}\))?[ \t*_]{0,8}"
    r"(?:\b(?:is|ist|est|es)\b(?:[ \t]{0,3}[:：])?|[:：=])"
    r"|[ \t]{1,3}to[ \t][^.:\n]{1,60}?(?:\bis\b(?:[ \t]{0,3}:)?|:))"
    r"|(?:答え?|解答|回答|उत्तर|答案|정답|답)[ \t*_]{0,8}(?:は|是|[:：=])"
    r"|^####(?!#)"
    r"|^[#*_ \t]{0,12}(?:the |my )?(?:final )?answer[*_ \t]{0,12}$",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"\s*(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?")
_SHOUT = re.compile(r"[^!/*^+]*!")
_MARKUP = " \t\r\n*_`#>$\\[]("
#: Two blocks with no more than this between them are candidates, not corrections.
_ALTERNATIVES = re.compile(r"[\s$.,;]*(?:or|and|and/or|,|;|/)[\s$]*", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """What a reply hands in.

    Attributes:
        text: the answer as it was written, without the marks around it.
        rule: which rule found it; ``none`` when no rule did.
        several: whether more than one answer was handed in side by side.
    """

    text: str
    rule: Rule
    several: bool = False


@dataclass(frozen=True)
class _Block:
    start: int
    end: int
    inner: str


def read_answer(text: str) -> Answer:
    """Find the answer of a reply.

    Args:
        text: the whole reply, of any length; only its last ``MAX_REPLY`` characters
            are read.
    """
    text = text.rstrip()
    cut = len(text) > MAX_REPLY
    text = without_thoughts(_tail(text))
    block, several = _last(_solutions(text), text)
    if block is not None:
        return Answer(_narrow(block.inner), "solution", several)
    block, several = _last(_boxes(text), text)
    if block is not None:
        return Answer(block.inner.strip(), "boxed", several)
    final = _after_marker(text)
    if final is not None:
        return Answer(final, "final_line")
    short = text.strip()
    if short and not cut and len(short) <= SHORT_REPLY:
        return Answer(short, "whole")
    return Answer("", "none")


def read_handed_in(text: str) -> Answer:
    """Find the answer in the content of a ``<solution>`` block.

    Imported proposals are such contents already: they are read like the inside of a
    block, whatever their length.
    """
    text = without_thoughts(_tail(text.rstrip()))
    block, several = _last(_solutions(text), text)
    if block is not None:
        return Answer(_narrow(block.inner), "solution", several)
    # A block within the block was opened and never closed.
    opened = [tag.end() for tag in _SOLUTION.finditer(text) if not tag[1]]
    return Answer(_narrow(text[opened[-1] if opened else 0 :]), "solution")


def without_thoughts(text: str) -> str:
    """The text outside think blocks.

    A block that never closes swallows the rest; a closing tag without an opening one
    (some chat templates open it in the prompt) swallows all before it.
    """
    kept: list[str] = []
    position, inside = 0, False
    for tag in _THINK.finditer(text):
        if not tag[1]:
            if not inside:
                kept.append(text[position : tag.start()])
            inside = True
        else:
            if not inside:
                kept.clear()
            inside = False
        position = tag.end()
    if not inside:
        kept.append(text[position:])
    return "".join(kept)


def _tail(text: str) -> str:
    if len(text) <= MAX_REPLY:
        return text
    # A think block that opens before the tail and does not close still counts.
    opened = text.rfind("<think>", 0, -MAX_REPLY)
    closed = text.rfind("</think>")
    mark = "<think>" if opened > closed else ""
    return mark + text[-MAX_REPLY:]


def _narrow(inner: str) -> str:
    boxes = _boxes(inner)
    if boxes:
        return boxes[-1].inner.strip()
    final = _after_marker(inner)
    return inner.strip() if final is None else final


def _last(blocks: list[_Block], text: str) -> tuple[_Block | None, bool]:
    if not blocks:
        return None, False
    if len(blocks) == 1:
        return blocks[0], False
    before, last = blocks[-2:]
    between = text[before.end : max(before.end, last.start)]
    differ = before.inner.strip() != last.inner.strip()
    joined = len(between) < 20 and _ALTERNATIVES.fullmatch(between) is not None
    return last, differ and joined


def _solutions(text: str) -> list[_Block]:
    found: list[_Block] = []
    opening: re.Match[str] | None = None
    for tag in _SOLUTION.finditer(text):
        if not tag[1]:
            opening = tag
        elif opening is not None:
            inner = text[opening.end() : tag.start()]
            found.append(_Block(opening.start(), tag.end(), inner))
            opening = None
    return found


def _boxes(text: str) -> list[_Block]:
    """The closed boxes by where they begin; an inner box comes after its outer one."""
    stack: list[tuple[bool, int, int]] = []
    found: list[tuple[int, int, int]] = []
    for mark in _BRACES.finditer(text):
        if mark[0] == "}":
            if stack:
                is_box, start, inner = stack.pop()
                if is_box:
                    found.append((start, mark.end(), inner))
        elif mark[0] == "{":
            stack.append((False, mark.start(), mark.end()))
        elif mark[0].endswith("{") and len(mark[0]) > 2:
            stack.append((True, mark.start(), mark.end()))
    # Only the last two matter, and nested boxes would make the slices quadratic.
    last = sorted(found)[-2:]
    return [_Block(start, end, text[inner : end - 1]) for start, end, inner in last]


def _after_marker(text: str) -> str | None:
    marker = None
    for marker in _FINAL.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    if marker is None:
        return None
    rest = text[marker.end() :]
    line, _, below = rest.partition("\n")
    if line.strip(_MARKUP):
        said = line.strip().lstrip("*_ ")
        # "The answer is 42!" is no factorial, "Answer: 5!" is one.
        return said[:-1] if marker[0][-1].isalpha() and _SHOUT.fullmatch(said) else said
    for next_line in below.splitlines():
        if next_line.strip(_MARKUP) and not next_line.startswith("```"):
            bullet = _BULLET.match(next_line)
            return next_line[bullet.end() if bullet else 0 :].strip()
    return ""
