"""What the tools of knowledge read: articles, pages, an encyclopedia, the web."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pytest_mint.settings import Settings
from pytest_mint.tasks.load import bundled_folder


def _bundled(name: str) -> tuple[Path, ...]:
    return (bundled_folder() / name,)


@dataclass(frozen=True)
class Sources:
    """Where ``wikipedia_search`` and ``web_scraper`` look things up.

    Attributes:
        articles: folders of the offline encyclopedia, ``*.md`` whose first line is
            ``# Title``; of two articles with one title the first folder's counts.
        pages: folders of the web pages that are served without a network.
        wikipedia: ``offline``, ``live``, or the URL of an ``api.php``.
        web_allow: hosts that any task may read, beside its own field ``hosts``.
    """

    articles: tuple[Path, ...] = field(default_factory=lambda: _bundled("articles"))
    pages: tuple[Path, ...] = field(default_factory=lambda: _bundled("pages"))
    wikipedia: str = "offline"
    web_allow: tuple[str, ...] = ()


def find_sources(settings: Settings) -> Sources:
    """The sources of a run.

    Task files of the user's own bring folders ``articles`` and ``pages``, in the
    folder that was given or the next two above it; what they bring stands before the
    bundled folders.
    """
    given = (*settings.tasks, *settings.add_tasks)
    return Sources(
        articles=_beside(given, "articles") + _bundled("articles"),
        pages=_beside(given, "pages") + _bundled("pages"),
        wikipedia=settings.wikipedia,
        web_allow=settings.web_allow,
    )


def _beside(paths: tuple[Path, ...], name: str) -> tuple[Path, ...]:
    found = []
    for path in map(Path.resolve, paths):
        around = (path, path.parent, path.parent.parent)
        found += [folder / name for folder in around if (folder / name).is_dir()][:1]
    return tuple(dict.fromkeys(found))
