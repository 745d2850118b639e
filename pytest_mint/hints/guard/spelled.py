"""A number in the words of several languages, as letters without accents.

The other way round, from any text to numbers, would need a grammar for each language;
here the number is known, and what has to be looked for can be written out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

from pytest_mint.graders.letters import normal
from pytest_mint.hints.guard.languages import LANGUAGES, english, sinic

#: The largest whole number that is written out.
LARGEST = 999_999

#: Words of these languages that are words of English hints as well.
_ENGLISH = frozenset(
    ("once", "elf", "on", "six", "due", "cent", "bin", "mil", "null", "zero", "um")
)


def folded_words(text: str) -> str:
    """The words of a text without accents, case and marks, one blank between them."""
    apart = unicodedata.normalize("NFKD", normal(text, "NFKC").casefold())
    bare = "".join(char for char in apart if not unicodedata.combining(char))
    return " ".join(re.findall(r"[^\W\d_]+", bare.replace("ß", "ss")))


def is_spelled(value: Decimal, words: str) -> bool:
    """Whether folded words hold this number in the words of one of the languages."""
    padded = f" {words} "
    return any(f" {form} " in padded for form in _forms(value)) or any(
        form in words for form in _in_characters(value)
    )


def in_english(value: Decimal) -> str:
    """A number in English words, or "" where it is too large."""
    return _with_decimals(value, english, "point")


@lru_cache(maxsize=256)
def _forms(value: Decimal) -> frozenset[str]:
    found = set()
    for point, spell in LANGUAGES:
        form = folded_words(_with_decimals(value, spell, point))
        found |= {form, form.replace(" ", "")}
        if form.startswith(("einhundert", "eintausend")):
            found.add(form[3:])
    return frozenset(found - _ENGLISH - {""})


@lru_cache(maxsize=256)
def _in_characters(value: Decimal) -> frozenset[str]:
    """In Chinese and Japanese characters and in Hangul; one alone says too little."""
    if value != value.to_integral_value() or not 0 < value <= LARGEST:
        return frozenset()
    number = int(value)
    found = {
        sinic(number, "一二三四五六七八九", "十百千", "万", with_one=with_one)
        for with_one in (False, True)
    }
    found.add(sinic(number, "일이삼사오육칠팔구", "십백천", "만", with_one=False))
    return frozenset(form for form in found if len(form) > 1)


def _with_decimals(value: Decimal, spell: Callable[[int], str], point: str) -> str:
    whole, _, digits = f"{abs(value):f}".partition(".")
    if int(whole) > LARGEST or len(digits) > 6:
        return ""
    said = spell(int(whole))
    if digits := digits.rstrip("0"):
        said += f" {point} " + " ".join(spell(int(digit)) for digit in digits)
    return said
