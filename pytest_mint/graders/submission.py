"""What of a reply is handed in: the whole of it, or its last ``<solution>`` block."""

from __future__ import annotations

import re

from pytest_mint.graders.answer import MAX_REPLY, read_answer, without_thoughts


def submission(text: str) -> str:
    """The text that is judged, without thoughts and without white space at its ends.

    Of a reply longer than ``MAX_REPLY`` only an answer that is marked as one is read.
    """
    if len(text) > MAX_REPLY:
        return read_answer(text).text
    text = without_thoughts(text)
    solutions = blocks(text, "solution")
    return (solutions[-1] if solutions else text).strip()


def blocks(text: str, name: str) -> list[str]:
    """What stands between ``<name>`` and ``</name>``, in one pass."""
    found: list[str] = []
    opened = -1
    for tag in re.finditer(rf"<(/?){name}>", text, re.IGNORECASE):
        if not tag[1]:
            opened = tag.end()
        elif opened >= 0:
            found.append(text[opened : tag.start()])
            opened = -1
    return found


def nothing_in(text: str) -> str:
    """The reason for a reply of which :func:`submission` left nothing."""
    if len(text) > MAX_REPLY:
        return "the reply is too long, and no answer in it is marked as one"
    return "the reply is empty"
