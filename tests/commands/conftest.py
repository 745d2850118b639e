"""Every command runs in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("MINT_SANDBOX", "MINT_GRADING", "MINT_DOCKER_IMAGE"):
        monkeypatch.delenv(name, raising=False)
