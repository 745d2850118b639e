from __future__ import annotations

import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mint.tools import web_scraper
from pytest_mint.tools.base import ToolError
from pytest_mint.tools.sources import Sources
from pytest_mint.tools.web_fetch import Page
from pytest_mint.tools.web_scraper import TOOL, main_text
from tests.tools.context import context

HALL = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>The hall</title><script>var x = "never";</script></head><body>
<nav><a href="/">Home</a> <a href="/days">Days</a></nav>
<main><h1>The machine hall</h1>
<p>Three machines raised the brine, one after the other, for the salt works.</p>
<table><tr><th>Name</th><th>Built</th></tr><tr><td>Hesper</td><td>1896</td></tr></table>
<p>More on <a href="/days.html">the days</a> on which they run, café included.</p>
</main><footer>Society of Friends</footer></body></html>"""


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    (tmp_path / "hall.html").write_text(HALL, encoding="utf-8")
    (tmp_path / "index.html").write_text("<p>The front page.", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no page", encoding="utf-8")
    (tmp_path / ".hidden.html").write_text("<p>hidden", encoding="utf-8")
    below = tmp_path / "town" / "index.html"
    below.parent.mkdir()
    below.write_text("<p>The town.", encoding="utf-8")
    (tmp_path.parent / "outside.html").write_text("<p>outside", encoding="utf-8")
    return tmp_path


@pytest.fixture
def read(pages: Path, monkeypatch: pytest.MonkeyPatch):
    def no_socket(*args, **more):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "getaddrinfo", no_socket)
    monkeypatch.setattr(socket, "create_connection", no_socket)
    there = context(sources=Sources(pages=(pages,)))
    return lambda url, **more: TOOL.run({"url": url, **more}, there)


def test_a_bundled_page_gives_its_main_text_with_tables_and_links(read):
    text = read("http://pages.test/hall.html")
    assert text.startswith("# The machine hall")
    assert "| Hesper | 1896 |" in text
    assert "[the days](http://pages.test/days.html)" in text
    assert "café" in text
    assert "never" not in text
    assert "Society of Friends" not in text
    assert "Home" not in text


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://pages.test", "The front page."),
        ("http://pages.test/", "The front page."),
        ("https://pages.test/index.html", "The front page."),
        ("http://PAGES.test/hall", "machine hall"),
        ("http://pages.test/hall.html?a=b#c", "machine hall"),
        ("http://pages.test/town", "The town."),
        ("http://pages.test/town/", "The town."),
        (" http://pages.test/town/index.html\n", "The town."),
    ],
)
def test_a_bundled_page_is_found_as_a_server_would(read, url, told):
    assert told in read(url)


@pytest.mark.parametrize(
    "path",
    [
        "absent.html",
        "notes.txt",
        "../outside.html",
        "..%2foutside.html",
        "%2e%2e/outside",
        "town/../../outside.html",
        ".hidden.html",
        "town//index.html",
        "%00",
        "hall.html%00.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
    ],
)
def test_what_is_no_bundled_page_is_not_found(read, path):
    with pytest.raises(ToolError, match="404 Not Found"):
        read(f"http://pages.test/{path}")


@pytest.mark.parametrize("url", ["http://example.org/", "http://pages.test:8080/"])
def test_without_a_list_only_bundled_pages_may_be_read(read, url):
    with pytest.raises(
        ToolError, match=r"may not be read; hosts that may: pages\.test"
    ):
        read(url)


def test_a_url_in_the_input_of_a_task_does_not_allow_itself():
    there = context(sources=Sources(pages=()))
    there.task.__dict__["input"] = "Read http://example.org/"
    with pytest.raises(ToolError, match="may not be read"):
        TOOL.run({"url": "http://example.org/"}, there)


def test_the_hosts_of_the_task_and_of_the_option_may_be_read(monkeypatch):
    asked = []

    def fetch(url, hosts):
        asked.append(sorted(hosts))
        return Page(url, "text/plain", "", b"text")

    monkeypatch.setattr(web_scraper, "fetch", fetch)
    there = context(hosts=("a.org",), sources=Sources(web_allow=("b.org:8080",)))
    assert TOOL.run({"url": "http://a.org/"}, there) == "text"
    assert asked == [["a.org", "b.org:8080"]]


def test_a_long_page_comes_in_parts(read, pages):
    paragraphs = "".join(f"<p>Paragraph {n}. {'word ' * 60}</p>" for n in range(60))
    (pages / "long.html").write_text(f"<main>{paragraphs}</main>", encoding="utf-8")
    assert "Paragraph 0." in read("http://pages.test/long")
    assert "Paragraph 59." in read("http://pages.test/long", part=4)
    with pytest.raises(
        ToolError, match=r"part 9 of http://pages\.test/long: expected 1"
    ):
        read("http://pages.test/long", part=9)


def _page(body: bytes, kind: str = "text/html", charset: str = "") -> Page:
    return Page("http://a.org/", kind, charset, body)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (_page("naïve".encode(), "text/plain"), "naïve"),
        (_page("naïve".encode("latin-1"), "text/plain", "iso-8859-1"), "naïve"),
        (_page(b"na\xefve", "text/plain"), "naïve"),
        (_page(b"na\xefve", "text/plain", "utf-8"), "na\N{REPLACEMENT CHARACTER}ve"),
        (_page(b"<meta charset=koi8-r><p>\xcd\xc9\xd2"), "мир"),
        (
            _page(b'<?xml version="1.0" encoding="utf-8"?><html><p>Old</p></html>'),
            "Old",
        ),
        (_page("naïve".encode(), "text/plain", "no-such-charset"), "naïve"),
        (_page(b'{"a": 1}', "application/json"), '{"a": 1}'),
        (_page(b"<a/>", "application/atom+xml"), "<a/>"),
        (_page(b"a,b", "text/csv"), "a,b"),
        (_page(b"<p>Short"), "Short"),
        (_page("<p>Größe".encode("latin-1"), charset="latin-1"), "Größe"),
        (_page(b""), ""),
        (_page(b"\x00\x01"), ""),
    ],
)
def test_text_is_read_as_the_server_says_or_as_well_as_can_be(page, text):
    assert main_text(page) == text


FRAGMENTS = [
    "<p>",
    "</p>",
    "<a href='http://[::1'>",
    "<table>",
    "<td>",
    "<h1>",
    "<meta charset=x>",
    "&#55296;",
    "<!doctype html>",
    "<base href='//['>",
    "<li>",
    "<title>",
    "<!--",
    "]]>",
    "\x00",
]


@given(
    st.lists(
        st.one_of(
            st.sampled_from(FRAGMENTS),
            st.text(max_size=20),
        ),
        max_size=20,
    )
)
@settings(deadline=None, max_examples=50)  # the first one pays for the import
def test_any_page_gives_text_or_none(pieces):
    raw = "".join(pieces).encode("utf-8", "surrogatepass")
    assert isinstance(main_text(_page(raw)), str)


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "application/zip"])
def test_what_is_no_text_is_refused(kind):
    with pytest.raises(ToolError, match=f"is {kind}; only pages of text can be read"):
        main_text(_page(b"%PDF", kind))


def test_a_page_without_text_says_so(read, pages):
    (pages / "empty.html").write_text("<html><body></body></html>", encoding="utf-8")
    with pytest.raises(ToolError, match="has no text"):
        read("http://pages.test/empty")


@pytest.mark.parametrize(
    "unit", ["<div>", "<p>a b c.", "<table><tr><td>", "<ul><li>x", "<!--", "&amp;", "<"]
)
def test_a_hostile_page_gives_text_or_none_and_does_no_harm(unit):
    page = f"<html><body>{unit * (100_000 // len(unit))}"
    assert isinstance(main_text(_page(page.encode())), str)


def test_the_bundled_pages_have_text():
    folder = Sources().pages[0]
    for file in folder.rglob("*.html"):
        name = file.relative_to(folder).as_posix()
        assert TOOL.run({"url": f"http://pages.test/{name}"}, context())
