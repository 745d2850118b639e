"""Who may import whom, and what a session that does not use the plugin has to load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import run_python

ROOT = Path(__file__).parent.parent

#: All that pytest loads at its start because of us.
AT_START = {
    "difflib",
    "pytest_mint",
    "pytest_mint.errors",
    "pytest_mint.options",
    "pytest_mint.plugin",
    "pytest_mint.plugin.options",
    "pytest_mint.settings",
    "pytest_mint.words",
}


def test_nothing_imports_upwards_and_only_the_plugin_knows_pytest():
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    command = "import sys; from importlinter.cli import lint_imports_command as main"
    done = subprocess.run(
        [sys.executable, "-c", f"{command}; main(['--no-cache'])"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_every_room_is_in_the_plan_of_layers():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    plan = text.partition("layers = [")[2].partition("]")[0]
    package = ROOT / "pytest_mint"
    rooms = {path.stem for path in package.glob("*.py")} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }
    absent = {room for room in rooms if f"pytest_mint.{room}" not in plan}
    assert absent == {"__init__"}


def brought_in(statement: str) -> set[str]:
    """The modules that an import brings in beyond those of pytest."""
    code = (
        "import sys, pytest; before = set(sys.modules)\n"
        f"{statement}\n"
        "print(*(set(sys.modules) - before), sep='\\n')"
    )
    return set(run_python(code).split())


def test_the_plugin_brings_in_nothing_heavy():
    assert brought_in("import pytest_mint.plugin") - AT_START == set()


def test_the_package_brings_in_itself_only():
    assert brought_in("import pytest_mint") == {"pytest_mint"}


def test_resolving_settings_brings_in_nothing_more():
    resolve = "from pytest_mint.settings import resolve; resolve({'model': 'nop'})"
    assert brought_in(f"import pytest_mint.plugin; {resolve}") - AT_START == set()


@pytest.mark.parametrize(
    "module",
    ["player", "api", "cli", "episode.loop", "agents.probes", "graders", "sandbox"],
)
def test_heavy_packages_are_loaded_at_their_first_use(module):
    heavy = {"openai", "sympy", "docker", "rouge_score", "nltk", "mwclient", "numpy"}
    assert brought_in(f"import pytest_mint.{module}") & heavy == set()


def test_the_library_part_is_typed():
    assert (ROOT / "pytest_mint" / "py.typed").exists()
