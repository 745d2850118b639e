"""The offline encyclopedia: articles in a folder, found by title or by their words.

The ranking is BM25 (Robertson and Zaragoza, *The Probabilistic Relevance Framework*,
2009, eq. 3.15) with ``k1`` and ``b`` at their customary values; a word of the title
weighs as much as :data:`TITLE_WEIGHT` words of the text. It depends on nothing but
the files: same folder, same answer.
"""

from __future__ import annotations

import difflib
import heapq
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pytest_mint.errors import UserError

K1, B = 1.2, 0.75
TITLE_WEIGHT = 4

_WORD = re.compile(r"[^\W_]+")
_QUALIFIER = re.compile(r"\s*\([^()]*\)$")
_GAPS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Article:
    """One article; its text begins below the title."""

    title: str
    text: str

    @cached_property
    def summary(self) -> str:
        """The first paragraph that is no heading."""
        for block in self.text.split("\n\n"):
            if block.strip() and not block.lstrip().startswith("#"):
                return " ".join(block.split())
        return ""


def fold(title: str) -> str:
    """A title as it is compared: without case, accents and punctuation."""
    return _GAPS.sub(" ", _plain(title)).strip()


class Library:
    """Articles and the index over them. Read-only once built: safe for threads."""

    def __init__(self, articles: Iterable[Article]) -> None:
        self.articles = tuple(articles)
        self._by_title = {fold(one.title): one for one in self.articles}
        self._namesakes: dict[str, list[Article]] = defaultdict(list)
        for one in self.articles:
            if bare := _QUALIFIER.sub("", one.title):
                self._namesakes[fold(bare)].append(one)
        self._counts = [
            Counter(_words(one.text) + TITLE_WEIGHT * _words(one.title))
            for one in self.articles
        ]
        lengths = [counts.total() for counts in self._counts]
        mean = sum(lengths) / len(lengths) if lengths else 1
        self._length_norms = [K1 * (1 - B + B * n / mean) for n in lengths]

    def get(self, title: str) -> Article | None:
        """The article with this title."""
        return self._by_title.get(fold(title))

    def namesakes(self, title: str) -> tuple[Article, ...]:
        """All articles of this title, whatever stands in brackets after it."""
        return tuple(self._namesakes.get(fold(title), ()))

    def search(self, query: str, limit: int) -> list[Article]:
        """The articles that fit a query, best first; equals in the order of titles."""
        scores: dict[int, float] = defaultdict(float)
        for word in sorted({_singular(word) for word in _words(query)}):
            found = self._occurrences(word)
            without = len(self.articles) - len(found)
            rarity = math.log(1 + (without + 0.5) / (len(found) + 0.5))
            for number, count in found:
                norm = self._length_norms[number]
                scores[number] += rarity * count * (K1 + 1) / (count + norm)
        best = heapq.nsmallest(
            limit, scores, key=lambda n: (-scores[n], self.articles[n].title)
        )
        return [self.articles[number] for number in best]

    def _occurrences(self, word: str) -> list[tuple[int, int]]:
        """The articles with this word or its plural, and how often they have it.

        A look at every article is faster than an inverted index would be built: some
        hundred articles are asked a few times in a run.
        """
        plural = word + "s"
        counted = (
            (number, counts[word] + counts[plural])
            for number, counts in enumerate(self._counts)
        )
        return [pair for pair in counted if pair[1]]

    def similar_title(self, title: str) -> str:
        """The title most like this one, or nothing where none is close."""
        close = difflib.get_close_matches(fold(title), self._by_title, 1, 0.75)
        return self._by_title[close[0]].title if close else ""


def load_library(folders: Iterable[Path]) -> Library:
    """The articles of these folders, ``*.md`` with a first line ``# Title``.

    Of two articles with the same title the one of the earlier folder counts.

    Raises:
        UserError: a file has no title or is no UTF-8, or two of a folder share a title.
    """
    chosen: dict[str, Article] = {}
    for folder in folders:
        here: dict[str, Path] = {}
        for file in sorted(folder.glob("*.md")):
            article = _read(file)
            key = fold(article.title)
            if key in here:
                raise UserError(
                    f"{file}: the title {article.title!r} is taken by {here[key].name}"
                )
            here[key] = file
            chosen.setdefault(key, article)
    return Library(chosen.values())


def _read(file: Path) -> Article:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{file}: is no UTF-8; save the file as UTF-8") from None
    first, _, rest = text.partition("\n")
    title = first.removeprefix("# ").strip()
    if title == first.strip() or not fold(title):
        raise UserError(f"{file}: the first line is {first!r}; expected '# Title'")
    return Article(title, rest.strip())


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c for c in parts if not unicodedata.combining(c)).casefold()


def _words(text: str) -> list[str]:
    return _WORD.findall(_plain(text))


def _singular(word: str) -> str:
    return word[:-1] if word[-1] == "s" and len(word) > 3 else word
