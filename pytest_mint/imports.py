"""Imports that are made ahead, on the main thread, with their warnings silenced.

Episodes run in the background while a test waits for them, and a test session may turn
warnings into errors, for all threads at once: a library that warns when it is first
imported would end the episode that happened to need it first.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module

#: What is imported at its first use, by the tool, the kind of grader or the agent that
#: uses it. Nobody pays for what no task of the run needs.
AHEAD = {
    "chat": ("openai", "aiohttp"),
    "text": ("rouge_score.rouge_scorer",),
    "web_scraper": ("trafilatura",),
    "wikipedia_search": ("mwclient",),
}


def import_ahead(users: Iterable[str]) -> None:
    """Import what these will need; a package that is absent is told of at its use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for user in users:
            for module in AHEAD.get(user, ()):
                with suppress(ImportError):
                    import_module(module)
