"""Multi-turn LLM benchmark tasks as pytest tests."""

from __future__ import annotations

__version__ = "0.1.0"
