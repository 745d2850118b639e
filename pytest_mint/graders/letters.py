"""Letters, marks and words of every script, and text brought to one form."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Literal

#: Characters of the scripts that put no blanks between words: Thai, Lao, Burmese,
#: Khmer, kana and Chinese characters. One of them counts as a word.
SINGLE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f\ua9e0-\ua9ff"
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)


def _ranges(points: Iterable[int]) -> Iterator[str]:
    """The code points as ranges of a character class."""
    for _, group in groupby(enumerate(points), lambda pair: pair[1] - pair[0]):
        run = [point for _, point in group]
        yield f"{chr(run[0])}-{chr(run[-1])}"


_MARKS = [
    point
    for point in range(0x300, min(sys.maxunicode, 0x1EFFF))
    if unicodedata.category(chr(point)).startswith("M")
]
#: Combining marks. ``\w`` leaves them out and so would cut Hindi and Thai words; the
#: highest ones, variation selectors, belong to no word.
MARKS = "".join(_ranges(_MARKS))
_WITHIN = "".join(_ranges(p for p in _MARKS if not re.match(f"[{SINGLE}]", chr(p))))
_PURE = rf"[^\W_{SINGLE}]"

#: One letter, digit or mark of a script that has blanks between words.
LETTER = rf"(?:{_PURE}|[{_WITHIN}])"

#: As many of them as there are, beginning with a letter or digit.
LETTERS = rf"{_PURE}+(?:[{_WITHIN}]+{_PURE}*)*"

#: One character of the others, with its marks.
CHARACTER = rf"[{SINGLE}][{MARKS}]*"

# It begins with a plain class, so that the search skips ahead without backtracking.
_LONG_RUN = re.compile(rf"[{MARKS}][{MARKS}]{{29}}[{MARKS}]+")

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ＇", "'"),
        **dict.fromkeys("“”„‟＂", '"'),
        **dict.fromkeys("−﹣－", "-"),
        "，": ",",
    }
)


def normal(text: str, form: Literal["NFC", "NFKC"]) -> str:
    """The text in a Unicode normal form, in linear time.

    Python sorts a run of combining marks in quadratic time: 100,000 of them hold it
    for ten seconds. More than 30 in a row, the limit of the Stream-Safe Text Format
    (UAX #15), are in no language and are left out.
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _LONG_RUN.sub(lambda run: run[0][:30], text))


@lru_cache(maxsize=16)  # one text meets several checks
def plain_marks(text: str) -> str:
    """The text with curly quotes, full-width commas and minus signs made plain."""
    return normal(text, "NFC").translate(_PLAIN)


def folded(text: str, limit: int) -> str:
    """The text without differences of width, case, quotes and kinds of digits.

    Args:
        limit: how many characters of it, and of what comes out: one character may be
            eighteen when it is folded.
    """
    text = normal(text[:limit], "NFKC")[:limit].casefold()
    text = normal(text, "NFKC")[:limit].translate(_PLAIN)
    return text if text.isascii() else _OTHER_DIGIT.sub(_ascii_digit, text)


_OTHER_DIGIT = re.compile(r"[^\D0-9]")


def _ascii_digit(match: re.Match[str]) -> str:
    return str(unicodedata.decimal(match[0]))


def shown(text: str, limit: int = 60) -> str:
    """A piece of untrusted text, made fit for a one-line message."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else "�" for c in cut)


def is_comma(char: str) -> bool:
    """Whether a character is a comma, of whatever script."""
    is_mark = unicodedata.category(char).startswith("P")
    return is_mark and "COMMA" in unicodedata.name(char, "")
