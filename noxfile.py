"""``nox``: the tests on every Python that is installed, and all checks."""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["lint", "unit"]


@nox.session
def lint(session: nox.Session) -> None:
    """Format, lint, types and layers."""
    session.install("--upgrade", "pip>=25.1")
    session.install("--group", "lint", "-e", ".")
    session.run("ruff", "format", "--check")
    session.run("ruff", "check")
    session.run("mypy")
    session.run("lint-imports")


@nox.session(python=["3.10", "3.11", "3.12", "3.13", "3.14"])
def unit(session: nox.Session) -> None:
    """All tests but those that need real engines or recordings."""
    session.install("-e", ".[test]")
    session.run("pytest", "--ignore=tests/e2e", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Which lines no test runs, workers and inner sessions included."""
    session.install("--upgrade", "pip>=25.1")
    session.install("--group", "dev", "-e", ".[test]")
    session.run("coverage", "run", "-m", "pytest", *session.posargs)
    session.run("coverage", "combine", success_codes=[0, 1])
    session.run("coverage", "report")
