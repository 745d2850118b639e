"""``pytest-mint init``: the one test that plays all tasks of a folder."""

from __future__ import annotations

import argparse

from pytest_mint.errors import UserError

TEST_FILE = "test_mint.py"
TEST = "def test_mint(mint_episode):\n    mint_episode.assert_solved()\n"


def run(options: argparse.Namespace) -> int:
    """Write the test into ``options.folder``.

    Raises:
        UserError: it is there already.
    """
    path = options.folder / TEST_FILE
    if path.exists():
        raise UserError(f"{path} is there already")
    options.folder.mkdir(parents=True, exist_ok=True)
    path.write_text(TEST, encoding="utf-8")
    print(f"wrote {path}; add {options.folder} to testpaths, then:")
    print("  pytest --mint-model=oracle")
    return 0
