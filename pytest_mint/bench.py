"""The test of all bundled tasks: ``pytest --pyargs pytest_mint.bench``."""

from __future__ import annotations

from typing import Any


def test_mint(mint_episode: Any) -> None:
    """One task of the benchmark; with gates, unsolved is no failure."""
    mint_episode.assert_solved()
