"""The words of a text as ROUGE-L counts them, the same for every script.

rouge-score's own tokenizer keeps a-z and 0-9 only: nothing is left of Japanese, "dé"
equals "dû", and -5 equals 5.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Any

from pytest_mint.graders.letters import CHARACTER, LETTER, LETTERS, folded

#: Read no further: no reply that long can be near a reference.
MAX_CHARS = 20_000
MAX_WORDS = 20_000

# A number with its sign and per cent sign; what follows must not go on as a word. A
# sign counts where nothing stands before it, so that 2019-2020 is no subtraction.
_NUMBER = (
    r"(?:(?<![\w)\]])-)?(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d+)?"
    rf"(?:\ ?[%‰])?(?!{LETTER})"
)
_WORD = re.compile(
    rf"(?P<number>{_NUMBER})"
    rf"|{LETTERS}(?:[+]{{1,2}}|\#)?(?!{LETTER})"  # c++ and c# are not c
    rf"|{CHARACTER}"
    r"|[$€£¥₹₩₽¢]"
)


def wording(text: str) -> list[str]:
    """Words, numbers, and the characters of scripts without blanks.

    NFKC and case folding first. A number is one token in one form (``1,000.50`` is
    ``1000.5``), its minus and per cent signs are part of it; other punctuation only
    separates.
    """
    found = islice(_WORD.finditer(folded(text, MAX_CHARS)), MAX_WORDS)
    return [_number(m[0]) if m["number"] else m[0] for m in found]


def _number(written: str) -> str:
    bare = written.replace(",", "").replace(" ", "")
    sign = bare[-1] if bare[-1] in "%‰" else ""
    bare = bare.removesuffix(sign)
    if "." in bare:
        bare = bare.rstrip("0").rstrip(".")
    return bare + sign


def says(text: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    """Whether a text holds all phrases of the one list and none of the other."""
    return all(includes(text, phrase) for phrase in include) and not any(
        includes(text, phrase) for phrase in exclude
    )


def includes(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text, as whole words side by side.

    10 is not in 100 and "art" is not in "party", but 1000 is in "1,000 yen". A phrase
    without any word (an emoji) is looked for as it is.
    """
    wanted = wording(phrase)
    if not wanted:
        return folded(phrase, MAX_CHARS) in folded(text, MAX_CHARS)
    # No token holds a blank, so that whole words match whole words only.
    return f" {' '.join(wanted)} " in f" {' '.join(wording(text))} "


class Tokenizer:
    """The wording as rouge-score asks for it, stemmed if the task says so."""

    def __init__(self, stemmer: str = "") -> None:
        self._stem = _english() if stemmer == "en" else None

    def tokenize(self, text: str) -> list[str]:
        """The words of a text."""
        found = wording(text)
        if self._stem is None:
            return found
        # Short words are left alone, as rouge-score does.
        return [self._stem(word) if len(word) > 3 else word for word in found]


@lru_cache(maxsize=1)  # rouge-score brings nltk, which has no types
def _english() -> Any:
    from nltk.stem import porter  # type: ignore[import-untyped]

    return porter.PorterStemmer().stem
