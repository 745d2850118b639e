"""A line of a report."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """Text and how to show it: a markup of pytest's terminal writer, or none."""

    text: str
    markup: str = ""
