"""How a live wiki is asked: politely, again where that helps, and never for ever."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from types import SimpleNamespace
from typing import Any

import mwclient.sleep
import pytest

from pytest_mint.errors import ProviderError
from pytest_mint.tools import mediawiki
from pytest_mint.tools.base import ToolError

PAGE = {"query": {"pages": [{"title": "Sun", "ns": 0, "extract": "A star."}]}}
OK = (200, {}, json.dumps(PAGE))
CRASHED = json.dumps({"error": {"code": "internal_api_error_X", "info": "why"}})
WITHOUT_TEXT = json.dumps({"query": {"pages": [{"title": "Sun", "ns": 0}]}})
BUSY = (429, {"Retry-After": "7"}, "slow down")


class Wiki(ThreadingHTTPServer):
    """Answers with what ``script`` holds, the last item for ever."""

    script: list[tuple[int, dict[str, str], str]]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = [OK]
        self.agents: list[str] = []
        self.queries: list[str] = []
        self.inside = self.most_inside = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/w/api.php"


class Handler(BaseHTTPRequestHandler):
    server: Wiki

    def do_GET(self) -> None:
        wiki = self.server
        with wiki.lock:
            wiki.inside += 1
            wiki.most_inside = max(wiki.most_inside, wiki.inside)
            status, headers, body = wiki.script[0]
            del wiki.script[: len(wiki.script) > 1]
            wiki.agents.append(self.headers["User-Agent"])
            wiki.queries.append(self.path)
        raw = body.encode()
        sleep(0.005)  # long enough to meet another request, were there one
        with wiki.lock:
            wiki.inside -= 1
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(raw))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    server = Wiki()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    mediawiki.close()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that would have been waited, by us and by the client."""
    waited: list[float] = []
    monkeypatch.setattr(mediawiki, "sleep", waited.append)
    monkeypatch.setattr(mwclient.sleep, "time", SimpleNamespace(sleep=waited.append))
    return waited


def _long(waits: list[float]) -> list[float]:
    return [seconds for seconds in waits if seconds != mediawiki.PAUSE]


def test_the_agent_string_says_who_asks(wiki):
    mediawiki.find_live("Sun", wiki.url)
    assert all(agent.startswith("pytest-mint/") for agent in wiki.agents)
    assert all("https://" in agent for agent in wiki.agents)


def test_every_request_comes_after_a_pause(wiki, waits):
    mediawiki.find_live("Sun", wiki.url)
    assert waits == [mediawiki.PAUSE] * len(wiki.queries)


def test_a_wiki_that_is_busy_is_asked_again_when_it_says(wiki, waits):
    wiki.script = [BUSY, BUSY, OK]
    found = mediawiki.find_live("Sun", wiki.url)
    assert found.article is not None
    assert found.article.text == "A star."
    assert _long(waits) == [7, 7]


@pytest.mark.parametrize("given", ["", "soon", "-3"])
def test_a_wiki_that_does_not_say_when_is_given_more_and_more_time(wiki, waits, given):
    wiki.script = [(429, {"Retry-After": given}, "")] * 3 + [OK]
    mediawiki.find_live("Sun", wiki.url)
    assert _long(waits) == [1, 2, 4]


def test_a_wiki_cannot_make_us_wait_for_ever(wiki, waits):
    wiki.script = [(429, {"Retry-After": "86400"}, "")]
    with pytest.raises(ProviderError, match="too many requests"):
        mediawiki.find_live("Sun", wiki.url)
    assert _long(waits) == [mediawiki.LONGEST_WAIT] * mediawiki.RETRIES
    assert len(wiki.queries) == mediawiki.RETRIES + 1


@pytest.mark.parametrize("code", ["ratelimited", "maxlag", "readonly"])
def test_a_polite_refusal_in_the_answer_is_asked_again(wiki, code):
    refusal = json.dumps({"error": {"code": code, "info": "later"}})
    wiki.script = [(200, {}, refusal), OK]
    assert mediawiki.find_live("Sun", wiki.url).article is not None


def test_a_server_error_is_asked_again_and_then_missing_data(wiki):
    wiki.script = [(503, {}, "down")]
    with pytest.raises(ProviderError, match="503"):
        mediawiki.find_live("Sun", wiki.url)
    assert len(wiki.queries) == mediawiki.RETRIES + 1


def test_one_server_error_does_no_harm(wiki):
    wiki.script = [(502, {}, ""), OK]
    assert mediawiki.find_live("Sun", wiki.url).article is not None


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((403, {}, "agent refused"), "403"),
        ((404, {}, ""), "404"),
        ((200, {}, "<html>captive portal</html>"), "gave no answer"),
        ((200, {}, CRASHED), "internal_api_error_X"),
        ((200, {}, WITHOUT_TEXT), "TextExtracts"),
    ],
)  # fmt: skip
def test_a_wiki_that_cannot_answer_is_missing_data(wiki, answer, told):
    wiki.script = [answer]
    with pytest.raises(ProviderError, match=told):
        mediawiki.find_live("Sun", wiki.url)


def test_a_wiki_that_is_not_there_is_missing_data(wiki):
    wiki.shutdown()
    wiki.server_close()
    with pytest.raises(ProviderError, match="gave no answer"):
        mediawiki.find_live("Sun", wiki.url)


def test_a_query_that_the_wiki_refuses_is_the_agents_to_mend(wiki):
    error = {"code": "cirrussearch-too-long", "info": "The query is too long."}
    wiki.script = [(200, {}, json.dumps({"error": error}))]
    with pytest.raises(ToolError, match=r"refused the query: The query is too long\."):
        mediawiki.find_live("Sun", wiki.url)


def test_the_suggestion_of_the_wiki_is_passed_on(wiki):
    missing = json.dumps({"query": {"pages": [{"title": "Snu", "missing": True}]}})
    none = json.dumps({"query": {"searchinfo": {"suggestion": "sun"}}})
    wiki.script = [(200, {}, missing), (200, {}, none)]
    assert mediawiki.find_live("Snu", wiki.url).suggestion == "sun"


def test_one_request_at_a_time_reaches_the_wiki(wiki):
    threads = [
        threading.Thread(target=mediawiki.find_live, args=("Sun", wiki.url))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wiki.queries) == 16
    assert wiki.most_inside == 1


def test_live_is_the_english_wikipedia(monkeypatch):
    asked = []
    monkeypatch.setattr(mediawiki, "_ask", lambda url, **rest: asked.append(url) or {})
    mediawiki.find_live("Sun", "live")
    assert set(asked) == {"https://en.wikipedia.org/w/api.php"}
