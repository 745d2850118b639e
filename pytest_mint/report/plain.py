"""Text from models, tasks and endpoints, made safe and measurable for a terminal."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate

# Escape sequences of terminals: CSI, those that carry a string, and two-byte ones.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
_SPACES = {"Zl", "Zp", "Zs"}


def plain(text: str) -> str:
    """One line of printable text: no escape sequence, control or format character."""
    return " ".join(visible(text).split())


def visible(text: str) -> str:
    """The same with its spaces as they are: for code, line by line."""
    return "".join(_shown(char) for char in _ESCAPES.sub("", text))


def _shown(char: str) -> str:
    kind = unicodedata.category(char)
    if kind in _SPACES or char in "\t\n\v\f\r":
        return " "
    return "" if kind in _UNSEEN else char


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fit(text: str, width: int) -> str:
    """The text in at most ``width`` columns, three dots where it is cut."""
    if columns(text) <= width:
        return text
    ends = accumulate(_columns(char) for char in text)
    kept = sum(end <= width - 3 for end in ends)
    return text[:kept].rstrip() + "..."


def pad(text: str, width: int) -> str:
    """The text in exactly ``width`` columns, cut or filled up at its right."""
    short = fit(text, width)
    return short + " " * (width - columns(short))
