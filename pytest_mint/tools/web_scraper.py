"""Web pages as text: bundled ones without a network, others from an allow-list."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pytest_mint.tools.base import Context, Tool, ToolError
from pytest_mint.tools.parts import PARAMETER, choose_part
from pytest_mint.tools.web_address import PAGES_HOST, PORTS, Target, read_url
from pytest_mint.tools.web_fetch import Page, fetch

SUFFIXES = ("", ".html", "/index.html")

_NAME = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*")
_HTML = ("text/html", "application/xhtml+xml")
_CHARSET = re.compile(rb"""<meta[^>]+charset=["']?([A-Za-z0-9_-]+)""", re.IGNORECASE)
_TEXT = re.compile(r"text/.+|application/(?:.+\+)?(?:json|xml)")


def read_page(url: str, folders: tuple[Path, ...], hosts: Collection[str]) -> Page:
    """The page at a URL, bundled or fetched.

    Raises:
        ToolError: there is none, or it may not be read.
        ProviderError: a host that may be read cannot be reached.
    """
    target = read_url(url)
    if target.host == PAGES_HOST and target.port == PORTS[target.scheme]:
        return _bundled(target, folders)
    return fetch(url, hosts)


def _bundled(target: Target, folders: tuple[Path, ...]) -> Page:
    path = unquote(target.path.partition("?")[0]).strip("/") or "index"
    if _NAME.fullmatch(path):
        for folder in folders:
            for suffix in SUFFIXES:
                file = folder / (path + suffix)
                if file.is_file() and file.suffix == ".html":
                    return Page(target.url, "text/html", "utf-8", file.read_bytes())
    raise ToolError(f"{target.url}: 404 Not Found")


def main_text(page: Page) -> str:
    """The text of a page without navigation and the like, as Markdown.

    Raises:
        ToolError: it is no text.
    """
    if page.kind not in _HTML:
        if not _TEXT.fullmatch(page.kind):
            raise ToolError(
                f"{page.url}: is {page.kind}; only pages of text can be read"
            )
        return _decode(page).strip()
    source = _decode(page)
    if "<html" not in source.lower():
        source = f"<html>{source}"  # may be left out, but trafilatura asks for it
    trafilatura = _trafilatura()
    text = trafilatura.extract(
        source,
        url=page.url,
        output_format="markdown",
        include_tables=True,
        include_links=True,
        include_comments=False,
        favor_recall=True,
    )
    return str(text or trafilatura.html2txt(source)).strip()


@lru_cache(maxsize=1)
def _trafilatura() -> Any:
    with warnings.catch_warnings():
        # It tries to import support for SOCKS, which warns that there is none.
        warnings.simplefilter("ignore")
        return import_module("trafilatura")


def _decode(page: Page) -> str:
    """The text in the charset that the server says, else the page, else the bytes."""
    declared = _CHARSET.search(page.body[:1024]) if page.kind in _HTML else None
    charset = page.charset or (declared[1].decode() if declared else "")
    try:
        return page.body.decode(charset or "utf-8", "replace" if charset else "strict")
    except LookupError:  # a charset that nobody knows
        return page.body.decode(errors="replace")
    except UnicodeDecodeError:
        return page.body.decode("cp1252", "replace")  # what browsers take


def _run(arguments: Mapping[str, Any], context: Context) -> str:
    url = str(arguments["url"]).strip()
    hosts = {*context.task.hosts, *context.sources.web_allow}
    page = read_page(url, context.sources.pages, hosts)
    text = main_text(page)
    if not text:
        raise ToolError(f"{page.url}: has no text")
    return choose_part(text, int(arguments.get("part", 1)), page.url)


TOOL = Tool(
    name="web_scraper",
    description=(
        "Read a web page: you get its main text as Markdown, with tables and links, "
        "without navigation. Only certain hosts may be read; an error names them. "
        "Long pages come in parts."
    ),
    parameters={
        "type": "object",
        "properties": {
            "url": {
                "type": "string",
                "description": "the page's address, beginning with http:// or https://",
            },
            "part": PARAMETER,
        },
        "required": ["url"],
        "additionalProperties": False,
    },
    run=_run,
)
