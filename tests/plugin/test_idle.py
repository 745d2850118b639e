"""An installed plugin that is not used must cost and change nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("asyncio", "docker", "openai", "pydantic", "rouge_score", "sympy", "yaml")


def test_starting_pytest_imports_nothing_heavy() -> None:
    code = (
        "import sys, pytest, _pytest.config; before = set(sys.modules);"
        "import pytest_mint.plugin; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    brought = done.stdout.split()
    assert not [name for name in brought if name.split(".")[0] in HEAVY]
    assert {name for name in brought if name.startswith("pytest_mint")} == {
        "pytest_mint",
        "pytest_mint.errors",
        "pytest_mint.options",
        "pytest_mint.plugin",
        "pytest_mint.plugin.options",
        "pytest_mint.settings",
        "pytest_mint.words",
    }


def test_an_idle_session_imports_no_more(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "def pytest_unconfigure():\n"
        "    import sys\n"
        "    print('LOADED', *[m for m in sys.modules if m.startswith('pytest_mint.')])"
    )
    pytester.makepyfile("def test_a(): pass")
    result = pytester.runpytest_subprocess("-p", "no:xdist")
    (line,) = [line for line in result.outlines if line.startswith("LOADED")]
    assert sorted(line.split()[1:]) == [
        "pytest_mint.errors",
        "pytest_mint.options",
        "pytest_mint.plugin",
        "pytest_mint.plugin.options",
        "pytest_mint.settings",
        "pytest_mint.words",
    ]


def test_blocking_the_plugin_is_possible(project: pytest.Pytester) -> None:
    result = project.runpytest_subprocess("-p", "no:mint", "--co", "-q")
    result.stdout.fnmatch_lines(["*test_mint.py::test_mint"])
