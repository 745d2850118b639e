"""Fixtures that tests and tasks share."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mint.plugin.options import settings_of

pytest_plugins = ["pytester"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves this project's own tests alone where a model plays the tasks.

    They would be deselected anyway, but every worker would import thousands of them,
    with packages that only tests need.
    """
    own = config.rootpath / "tests"
    return (
        True if settings_of(config).model and own in collection_path.parents else None
    )
