"""Fixtures that tests and tasks share."""

from __future__ import annotations

pytest_plugins = ["pytester"]
