"""A judge's reply read: the last label counts, and a score is whole and on the scale.

Nothing is clamped, rounded or guessed from words of praise: a reply without a usable
score is None, which is neither a pass nor a fail.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from pytest_mint.errors import GraderError
from pytest_mint.graders.answer import without_thoughts
from pytest_mint.graders.json_text import NotJson, read_json, values_in

Scale = Literal["0-4", "binary"]

#: The highest score of a scale; the lowest is 0.
TOP: Mapping[Scale, int] = {"0-4": 4, "binary": 1}

#: Characters of a judge's reply; it was asked to be brief.
MAX_REPLY = 32_768

LABELS = ("score", "rating", "grade", "verdict")

_MARKUP = r"[\s*_`\"']{0,8}"
_LABEL = re.compile(
    rf"\[\[(?P<box>[^\[\]\n]{{0,40}})\]\]"
    rf"|(?<!\w)(?:{'|'.join(LABELS)}){_MARKUP}(?:\([^()\n]{{0,30}}\){_MARKUP})?"
    r"[:=：](?=(?P<value>.{0,60}))",
    re.IGNORECASE | re.DOTALL,
)
# What stands after a label: a number, alone or as a share of the scale, and nothing
# that would make it a range, a choice or another number.
_NUMBER = re.compile(
    rf"\s?{_MARKUP}\[{{0,2}}(?P<sign>[-+−]?)(?P<digits>\d{{1,6}})(?:\.0{{1,6}})?"
    rf"\]{{0,2}}{_MARKUP}(?:(?:/|out of){_MARKUP}(?P<of>\d{{1,6}}))?"
    r"(?!\w|[.,]\d|[ *_]{0,4}(?:%|/|(?:-|–|—|to|or|and) ?\d))",
    re.IGNORECASE,
)
_WORD = re.compile(
    rf"\s?{_MARKUP}\[{{0,2}}(?P<word>pass|fail)\]{{0,2}}(?!\w)"
    r"(?![ *_]{0,4}(?:/|or|and|\|) ?(?:pass|fail))",
    re.IGNORECASE,
)


def read_score(reply: str, scale: Scale, nonce: str = "") -> int | None:
    """The score that a judge gave, or None if the reply has no usable one.

    A JSON object with the nonce of the question counts before all others, since a
    submission cannot know it. Otherwise the last label decides: an object with
    ``score``, ``rating``, ``grade`` or ``verdict``, ``[[3]]``, or ``Score: 3``.

    Args:
        reply: the judge's text; one longer than ``MAX_REPLY`` is of no use.
        scale: ``0-4``, or ``binary`` for PASS (1) and FAIL (0).
        nonce: what the question asked to be repeated; empty if nothing.
    """
    if len(reply) > MAX_REPLY:
        return None
    text = without_thoughts(reply)
    if nonce and nonce in text:
        # The object that was asked for is flat, so that it begins at the last brace.
        start = text.rfind("{", 0, text.rfind(nonce))
        for *_, value in values_in(text[max(0, start) :], _labelled):
            if value.get("nonce") == nonce:
                return _of_value(_label_of(value), scale)
    last = next(iter(deque(values_in(text, _labelled), maxlen=1)), None)
    label = _last_label(text, last[1] if last else 0)
    if label is not None:
        return _of_text(label, scale)
    return _of_value(_label_of(last[2]), scale) if last else None


def median(samples: Sequence[int | None]) -> int:
    """The median of the usable samples, the lower one of two.

    Raises:
        GraderError: the usable samples are no majority.
    """
    usable = sorted(score for score in samples if score is not None)
    if 2 * len(usable) <= len(samples):
        raise GraderError(
            f"the judge gave no usable score in {len(samples) - len(usable)} of "
            f"{len(samples)} samples"
        )
    return usable[(len(usable) - 1) // 2]


def _labelled(text: str) -> Mapping[str, Any]:
    """An object if it has a label; raises NotJson to have its inside looked at."""
    value = read_json(text)
    if not isinstance(value, Mapping) or _label_of(value) is None:
        raise NotJson("no label")
    return value


def _label_of(value: Mapping[str, Any]) -> Any:
    named = {key.casefold(): item for key, item in value.items()}
    return next((named[label] for label in LABELS if label in named), None)


def _last_label(text: str, after: int) -> str | None:
    """What stands after the last label in prose, from a place on."""
    found = None
    for match in _LABEL.finditer(text, after):
        found = match["value"] if match["box"] is None else match["box"]
    return found


def _of_value(value: Any, scale: Scale) -> int | None:
    """The score of a JSON value; true, NaN, 2.5 and "high" are none."""
    if isinstance(value, str):
        return _of_text(value, scale)
    if scale == "binary" or isinstance(value, bool):
        return None
    if isinstance(value, (int, Decimal)) and value == int(value):
        return _on_scale(int(value), scale)
    return None


def _of_text(text: str, scale: Scale) -> int | None:
    if scale == "binary":
        word = _WORD.match(text)
        return None if word is None else int(word["word"].casefold() == "pass")
    number = _NUMBER.match(text)
    if number is None or number["sign"] not in ("", "+"):
        return None
    if number["of"] is not None and int(number["of"]) != TOP[scale]:
        return None
    return _on_scale(int(number["digits"]), scale)


def _on_scale(score: int, scale: Scale) -> int | None:
    return score if 0 <= score <= TOP[scale] else None
