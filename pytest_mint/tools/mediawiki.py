"""A live wiki: Wikipedia's API, or that of any MediaWiki with TextExtracts.

A wiki that does not answer is no fault of the agent and nothing that it could mend,
so it raises ProviderError (missing data); a query that the wiki refuses is a ToolError.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from time import sleep
from typing import Any
from urllib.parse import urlsplit

from pytest_mint import __version__
from pytest_mint.errors import ProviderError
from pytest_mint.tools.articles import Article, fold
from pytest_mint.tools.base import ToolError
from pytest_mint.tools.wikipedia_search import RESULTS, SUMMARY, Found

LIVE = "https://en.wikipedia.org/w/api.php"
#: Names the program, as the wikis' policy on agent strings asks for.
AGENT = f"pytest-mint/{__version__} (https://pypi.org/project/pytest-mint)"
#: Seconds: until a request is given up, between two requests of this process, and the
#: longest that a wiki can make us wait before we ask again.
TIMEOUT, PAUSE, LONGEST_WAIT = 15, 0.1, 30
RETRIES = 3

_NOT_IN_TITLES = re.compile(r"[#<>\[\]|{}\x00-\x1f\x7f]")


def find_live(query: str, wiki: str) -> Found:
    """What a wiki says about a query.

    Args:
        query: a title, or words.
        wiki: ``live`` for the English Wikipedia, or the URL of an ``api.php``.

    Raises:
        ToolError: the wiki cannot search for this.
        ProviderError: it does not answer, or not as MediaWiki with TextExtracts does.
    """
    url = LIVE if wiki == "live" else wiki
    page = _page(url, query)
    if page is not None and "disambiguation" in page.get("pageprops", {}):
        return Found(ambiguous=True, others=_meanings(url, page["title"]))
    hits, suggestion = _search(url, query)
    if page is None:
        same = (hit.title for hit in hits if fold(hit.title) == fold(query))
        if title := next(same, ""):
            page = _page(url, title)
    if page is None:
        return Found(others=hits[:RESULTS], suggestion=suggestion)
    article = Article(page["title"], _extract(url, page))
    others = [hit for hit in hits if hit.title != article.title]
    return Found(article, others=tuple(others[:RESULTS]))


def _page(url: str, title: str) -> Mapping[str, Any] | None:
    if _NOT_IN_TITLES.search(title):
        return None
    answer = _ask(
        url,
        titles=title,
        redirects=1,
        prop="extracts|pageprops",
        explaintext=1,
        exlimit=1,
        exsectionformat="wiki",
        ppprop="disambiguation",
    )
    (page,) = answer.get("pages") or ({"missing": True},)
    absent = page.get("missing") or page.get("invalid") or page.get("ns", 0) != 0
    return None if absent else page


def _meanings(url: str, title: str) -> tuple[Article, ...]:
    """The articles that a disambiguation page links to."""
    answer = _ask(
        url,
        generator="links",
        titles=title,
        gplnamespace=0,
        gpllimit=20,
        **_SUMMARIES,
    )
    pages = [page for page in answer.get("pages", ()) if not page.get("missing")]
    return tuple(Article(page["title"], page.get("extract", "")) for page in pages)


def _search(url: str, query: str) -> tuple[tuple[Article, ...], str]:
    answer = _ask(
        url,
        generator="search",
        gsrsearch=query,
        gsrwhat="text",  # the search that MediaWiki has built in would take titles only
        gsrlimit=RESULTS + 1,
        gsrinfo="suggestion",
        gsrnamespace=0,
        **_SUMMARIES,
    )
    pages = sorted(answer.get("pages", ()), key=lambda page: page.get("index", 0))
    hits = tuple(Article(page["title"], page.get("extract", "")) for page in pages)
    return hits, str(answer.get("searchinfo", {}).get("suggestion", ""))


_SUMMARIES = {
    "prop": "extracts",
    "exintro": 1,
    "explaintext": 1,
    "exlimit": 20,
    "exchars": SUMMARY,
}


def _extract(url: str, page: Mapping[str, Any]) -> str:
    if "extract" not in page:
        raise ProviderError(
            f"{url}: gives no text of {page['title']!r}; wikipedia_search needs a "
            "MediaWiki with the extension TextExtracts"
        )
    return str(page["extract"])


_sites: dict[str, Any] = {}


def _site(url: str) -> Any:
    if url in _sites:
        return _sites[url]
    from mwclient import Site

    parts = urlsplit(url)
    path, _, _ = parts.path.rpartition("api.php")
    _sites[url] = Site(
        parts.netloc,
        path=path,
        scheme=parts.scheme,
        clients_useragent=AGENT,
        max_retries=RETRIES,
        retry_timeout=1,
        do_init=False,
        connection_options={"timeout": TIMEOUT},
    )
    return _sites[url]


#: One request at a time, as the wikis' etiquette asks for; a wait is everybody's.
_turnstile = threading.Lock()


class _NotNow(Exception):
    """The wiki is busy; ``seconds`` is how long it wants us to wait, if it says."""

    def __init__(self, seconds: float = 0) -> None:
        super().__init__()
        self.seconds = seconds


def _ask(url: str, **params: Any) -> Mapping[str, Any]:
    """The answer to a query, asked again where the wiki says "not now".

    The client itself asks again after broken connections, 5xx and database lag.
    """
    with _turnstile:
        for attempt in range(RETRIES + 1):
            sleep(PAUSE)
            try:
                return _ask_once(url, params)
            except _NotNow as busy:
                wait = busy.seconds or 2**attempt
            if attempt < RETRIES:
                sleep(wait)
    raise ProviderError(f"{url}: too many requests, and so after {RETRIES} retries")


def _ask_once(url: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
    from mwclient import errors
    from requests import exceptions

    try:
        answer = _site(url).get("query", formatversion=2, maxlag=5, **params)
        found: Mapping[str, Any] = answer.get("query", {})
        return found
    except errors.APIError as error:
        code = str(error.code)
        if code in ("ratelimited", "maxlag", "readonly"):
            raise _NotNow from None
        if code.startswith("internal_api_error"):
            raise ProviderError(f"{url}: {code}: {error.info}") from None
        raise ToolError(f"the wiki refused the query: {error.info}") from None
    except exceptions.HTTPError as error:
        if error.response is None or error.response.status_code != 429:
            raise ProviderError(f"{url}: {error}") from None
        given = error.response.headers.get("Retry-After", "")
        wait = float(given) if given.isdecimal() else 0
        raise _NotNow(min(wait, LONGEST_WAIT)) from None
    except (errors.MwClientError, exceptions.RequestException, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise ProviderError(f"{url}: gave no answer: {reason}") from None


def close() -> None:
    """Ends the connections that are kept open between queries."""
    for site in _sites.values():
        site.connection.close()
    _sites.clear()
