"""Calling a command as the shell does."""

from __future__ import annotations

import pytest

from pytest_mint.cli import main


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says that cannot be done: one line, exit code 2."""
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("pytest-mint: ")
    assert told.err.count("\n") == 1
    return told.err
