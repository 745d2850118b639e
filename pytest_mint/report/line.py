"""A line of a report."""

from __future__ import annotations

import textwrap
from typing import NamedTuple


class Line(NamedTuple):
    """Text and how to show it: a markup of pytest's terminal writer, or none."""

    text: str
    markup: str = ""


def wrapped(text: str, width: int, markup: str = "") -> list[Line]:
    """The text in lines of at most ``width`` columns, all but the first set in."""
    broken = textwrap.wrap(
        text, width, subsequent_indent="     ", break_on_hyphens=False
    )
    return [Line(line, markup) for line in broken]
