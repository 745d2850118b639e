"""What tasks look up, read as the tools read it."""

from __future__ import annotations

import re
from functools import cache

from pytest_mint.tasks.model import Task
from pytest_mint.tools.articles import Library, load_library
from pytest_mint.tools.web_address import PAGES_HOST
from pytest_mint.tools.web_scraper import main_text, read_page
from tests.bundled import FOLDER


@cache
def library() -> Library:
    """The bundled articles."""
    return load_library([FOLDER / "articles"])


def article(name: str) -> str:
    """The text of a bundled article."""
    return (FOLDER / "articles" / f"{name}.md").read_text("utf-8")


def title(name: str) -> str:
    """The title of a bundled article."""
    return article(name).splitlines()[0].removeprefix("# ")


def page(url: str) -> str:
    """The text of a bundled page."""
    return main_text(read_page(url, (FOLDER / "pages",), ()))


def pages_named(task: Task) -> list[str]:
    """The addresses of bundled pages that stand in the input."""
    found = re.findall(r"https?://[^\s,;]+", task.input)
    return [url.rstrip(".") for url in found if PAGES_HOST in url]


def queries(task: Task) -> list[str]:
    """What the reference agent looks up in the encyclopedia."""
    calls = [call for turn in task.solution for call in turn.calls]
    return [c.arguments["query"] for c in calls if c.tool == "wikipedia_search"]
