"""Wikipedia, or what stands for it: bundled articles, a live wiki, a wiki of one's own.

A query that is a title gives the article, in parts where it is long; any other gives
the articles that fit best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_mint.tools.articles import Article, Library, load_library
from pytest_mint.tools.base import Context, Tool, ToolError
from pytest_mint.tools.parts import PARAMETER, choose_part

#: Articles that one search names.
RESULTS = 5
#: Characters of a query (as MediaWiki allows), and of a summary.
MAX_QUERY, SUMMARY = 300, 300


@dataclass(frozen=True)
class Found:
    """What an encyclopedia knows about a query.

    Attributes:
        article: the article of this title.
        ambiguous: whether there is no such article because the title means several
            things; ``others`` are those.
        others: other articles that fit, best first.
        suggestion: the query as it was perhaps meant.
    """

    article: Article | None = None
    ambiguous: bool = False
    others: tuple[Article, ...] = ()
    suggestion: str = ""


def find_offline(query: str, library: Library) -> Found:
    """What the articles of a library say about a query."""
    article, namesakes = library.get(query), library.namesakes(query)
    if article is None and len(namesakes) == 1:
        article = namesakes[0]
    if article is None and namesakes:
        return Found(ambiguous=True, others=namesakes)
    fitting = [*namesakes, *library.search(query, RESULTS + 1)]
    others = [one for one in dict.fromkeys(fitting) if one != article]
    suggestion = "" if article else library.similar_title(query)
    return Found(article, others=tuple(others[:RESULTS]), suggestion=suggestion)


def tell(query: str, found: Found, part: int = 1) -> str:
    """What the agent reads.

    Raises:
        ToolError: the article has no such part.
    """
    if found.article is not None:
        return _article(found.article, part, found.others)
    meant = f" Did you mean {found.suggestion!r}?" if found.suggestion else ""
    if not found.others:
        advice = "" if meant else " Try fewer or more general words."
        return f"There is no article about {query!r}.{meant}{advice}"
    if found.ambiguous:
        head = f"{query!r} may mean one of these:"
    else:
        head = f"There is no article with the title {query!r}.{meant} The closest are:"
    lines = [
        f"{place}. {one.title}: {_cut(one.summary)}"
        for place, one in enumerate(found.others, 1)
    ]
    return "\n".join([head, *lines, "Search for one of these titles to read it."])


def _article(article: Article, part: int, others: tuple[Article, ...]) -> str:
    text = choose_part(article.text, part, repr(article.title))
    told = f"# {article.title}\n\n{text}"
    if not others:
        return told
    return f"{told}\n\nOther articles: " + "; ".join(one.title for one in others)


def _cut(text: str) -> str:
    """The first sentences that fit in :data:`SUMMARY` characters, or what does."""
    text = " ".join(text.split())
    if len(text) <= SUMMARY:
        return text
    end = text.rfind(". ", 0, SUMMARY)
    if end > SUMMARY // 3:
        return text[: end + 1]
    end = text.rfind(" ", 0, SUMMARY)
    return text[: end if end > 0 else SUMMARY] + " ..."


@lru_cache(maxsize=8)
def _library(folders: tuple[Path, ...]) -> Library:
    return load_library(folders)


def _run(arguments: Mapping[str, Any], context: Context) -> str:
    query = " ".join(str(arguments["query"]).split())
    if not query:
        raise ToolError("the query is empty; give the title of an article or words")
    if len(query) > MAX_QUERY:
        raise ToolError(f"the query has {len(query)} characters; at most {MAX_QUERY}")
    sources = context.sources
    if sources.wikipedia == "offline":
        found = find_offline(query, _library(sources.articles))
    else:
        from pytest_mint.tools.mediawiki import find_live

        found = find_live(query, sources.wikipedia)
    return tell(query, found, int(arguments.get("part", 1)))


TOOL = Tool(
    name="wikipedia_search",
    description=(
        "Look something up in Wikipedia. With the exact title of an article you get "
        "its text; with other words you get the titles and summaries of the articles "
        "that fit best, to be read with a second call. Long articles come in parts."
    ),
    parameters={
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "maxLength": MAX_QUERY,
                "description": "the title of an article, or words to search for",
            },
            "part": PARAMETER,
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    run=_run,
)
