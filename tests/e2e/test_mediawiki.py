"""wikipedia_search against a MediaWiki of its own, set up by ``.ci/mediawiki``."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_mint.errors import ProviderError
from pytest_mint.tools import mediawiki
from pytest_mint.tools.base import Context, ToolError
from pytest_mint.tools.parts import PART
from pytest_mint.tools.sources import Sources
from pytest_mint.tools.wikipedia_search import TOOL
from tests.needs import need
from tests.tools.context import context


def _folder() -> Path:
    if given := os.environ.get("MINT_MEDIAWIKI"):
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "pytest-mint" / "mediawiki"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def wiki() -> Iterator[str]:
    """The URL of the wiki's api.php."""
    folder = _folder()
    need(folder / "state", "the MediaWiki that .ci/mediawiki sets up")
    port = _free_port()
    address = f"127.0.0.1:{port}"
    server = subprocess.Popen(
        ["php", "-S", address, "-t", "/usr/share/mediawiki"],
        env={**os.environ, "MW_CONFIG_FILE": str(folder / "LocalSettings.php")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        yield f"http://{address}/api.php"
    finally:
        mediawiki.close()
        server.terminate()
        server.wait()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("PHP's server did not come up within 20 seconds")


@pytest.fixture
def live(wiki: str) -> Context:
    return context(sources=Sources(wikipedia=wiki))


def _search(live: Context, query: str, **more: int) -> str:
    return TOOL.run({"query": query, **more}, live)


def test_a_title_gives_the_article_as_plain_text(live):
    text = _search(live, "Alan Turing")
    assert text.startswith("# Alan Turing\n")
    assert "== Questions ==" in text
    assert "messages with a person and with a machine" in text
    assert "'''" not in text
    assert "[[" not in text


@pytest.mark.parametrize("query", ["alan turing", "ALAN  TURING", "[[alan_Turing]]"])
def test_a_title_is_found_however_it_is_written(live, query):
    assert _search(live, query).startswith("# Alan Turing\n")


def test_an_article_names_others_that_mention_it(live):
    assert "Other articles: Bletchley Park" in _search(live, "Alan Turing")


def test_a_redirect_is_followed(live):
    assert _search(live, "UK").startswith("# United Kingdom\n")


def test_a_title_with_accents_is_found(live):
    assert "760 metres" in _search(live, "São Paulo")


def test_an_ambiguous_title_lists_what_it_may_mean(live):
    text = _search(live, "Mercury")
    assert text.startswith("'Mercury' may mean one of these:\n")
    assert "Mercury (element): Mercury is a chemical element" in text
    assert "Mercury (planet): Mercury is the smallest planet" in text
    assert "(mythology)" not in text  # the page links to it, but nobody has written it


def test_words_give_titles_with_summaries_to_choose_from(live):
    text = _search(live, "liquid temperature expands")
    assert text.startswith("There is no article with the title")
    assert "1. Thermometer: A thermometer measures temperature." in text


def test_words_that_no_article_has_say_so(live):
    text = _search(live, "zyxwvut")
    assert text.startswith("There is no article about 'zyxwvut'.")


@pytest.mark.parametrize(
    "query",
    [
        "#",
        "|",
        "Earth|Sun",
        "<b>Sun</b>",
        "Talk:Sun",
        "Special:Export",
        "../../etc/passwd",
        "a" * 300,
        "insource:/(a+)+$/",
        "Sun\x00Moon",
    ],
)
def test_a_query_of_signs_gives_text_or_an_error_for_the_agent(live, query):
    """Each is one query to the wiki, never a second title or a page of its own."""
    try:
        text = _search(live, query)
    except ToolError as error:
        text = str(error)
    assert text.startswith(("There is no article", "the wiki refused the query: "))


def test_a_long_article_comes_in_parts_that_make_up_the_whole(live):
    first = _search(live, "Lighthouses of the coast")
    second = _search(live, "Lighthouses of the coast", part=2)
    assert "[part 1 of 2; for the next give part=2]" in first
    assert "[part 2 of 2]" in second
    assert len(first) < PART + 300
    for number in range(1, 49):
        told = f"Lighthouse number {number} stands"
        assert (told in first) != (told in second)


def test_a_part_that_is_not_there_is_the_agents_mistake(live):
    with pytest.raises(ToolError, match="expected 1 to 1"):
        _search(live, "Sun", part=2)


def test_a_page_that_is_no_api_is_missing_data(wiki):
    broken = context(
        sources=Sources(wikipedia=wiki.replace("api.php", "README/api.php"))
    )
    with pytest.raises(ProviderError, match="README"):
        _search(broken, "Sun")
