"""What one reading of a text says: its words, its numbers, and values of any kind."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from pytest_mint.graders.letters import folded
from pytest_mint.graders.wording import MAX_CHARS, wording
from pytest_mint.hints.guard.dates import date_forms, in_digits, time_forms
from pytest_mint.hints.guard.disguise import Reading
from pytest_mint.hints.guard.figures import Figure, figures
from pytest_mint.hints.guard.spelled import folded_words, in_english, is_spelled

#: Numbers up to here, written as words, count things more often than they answer.
SMALL = 12

_NUMERIC = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")


@dataclass(frozen=True)
class Said:
    """A reading, taken apart once and asked many times."""

    reading: Reading

    @cached_property
    def words(self) -> str:
        """The words as ROUGE-L counts them, with a blank around each."""
        return f" {' '.join(wording(self.reading.text))} "

    @cached_property
    def plain_words(self) -> str:
        """The words without accents and marks."""
        return folded_words(self.reading.text)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The numbers, but for those that can be chance in this reading."""
        if self.reading.letters:
            return ()
        least = self.reading.least
        return tuple(
            figure
            for figure in figures(self.reading.text, with_sums=least == 1)
            if len(figure.source) >= least or least == 1
        )

    @cached_property
    def values(self) -> frozenset[Fraction]:
        """What the numbers are."""
        return frozenset(figure.value for figure in self.figures)

    @cached_property
    def sentences(self) -> tuple[Said, ...]:
        """Its sentences, each by itself."""
        parts = [part for part in _SENTENCE.split(self.reading.text) if part.strip()]
        how, least = self.reading.how, self.reading.least
        return tuple(Said(Reading(part, how, least)) for part in parts)

    def states(self, value: Decimal) -> bool:
        """Whether a number is stated exactly, in whatever form."""
        if self.reading.letters:
            return self._spells_out(in_english(value))
        return Fraction(value) in self.values or is_spelled(value, self.plain_words)

    def includes(self, phrase: str) -> bool:
        """Whether a phrase is there as whole words, or a number in whatever form."""
        if _NUMERIC.fullmatch(phrase.strip()):
            return self.states(Decimal(phrase.strip()))
        if self.reading.letters:
            return self._spells_out(phrase)
        if len(phrase) < self.reading.least:
            return False
        wanted = wording(phrase)
        if not wanted:
            folded_text = folded(self.reading.text, MAX_CHARS)
            return bool(phrase) and folded(phrase, MAX_CHARS) in folded_text
        return f" {' '.join(wanted)} " in self.words

    def names(self, value: Any) -> bool:
        """Whether an argument of a call is there: a date, a time, a name, a number."""
        if isinstance(value, (int, float)):
            return self.states(Decimal(str(value)))
        text = str(value)
        if self.includes(text) or self._names_loosely(text):
            return True
        if in_digits(text).search(self.reading.text):
            return True
        forms = date_forms(text) or time_forms(text)
        return any(f" {form} " in self.words for form in forms)

    def _spells_out(self, phrase: str) -> bool:
        letters = re.sub(r"[^a-z]", "", phrase.lower())
        return len(letters) >= self.reading.least and letters in self.reading.text

    def _names_loosely(self, name: str) -> bool:
        """``wed-night`` is named by "Wednesday night"."""
        parts = re.findall(r"[^\W_]+", name.lower())
        if len(parts) < 2 or any(len(part) < 3 for part in parts):
            return False
        pattern = r"\s+".join(rf"{re.escape(part)}[^\W\d_]*" for part in parts)
        return re.search(rf"(?<!\S){pattern}(?!\S)", self.words) is not None


@lru_cache(maxsize=256)
def said_by(text: str) -> Said:
    """What a text of ours says, such as the input of a task, as it stands."""
    return Said(Reading(text))


def leaves(value: Any) -> Iterator[str | int | float]:
    """The single values of a JSON value that can be named: no truth value, no null."""
    if isinstance(value, Mapping):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from leaves(one)
    elif isinstance(value, str):
        yield from (value,) if value.strip() else ()
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from (value,) if math.isfinite(value) else ()


def not_in(known: Iterable[str], values: Iterable[Any]) -> list[Any]:
    """The values that none of the texts names."""
    texts = [said_by(text) for text in known]
    return [value for value in values if not any(text.names(value) for text in texts)]


def as_json(value: Any) -> str:
    """A value of a task as text."""
    return json.dumps(value, ensure_ascii=False, default=str)
