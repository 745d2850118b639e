"""How numbers are written in reports."""

from __future__ import annotations

from pytest_mint.results.intervals import Interval

NOTHING = "-"  # where nothing was counted


def percent(rate: float | None) -> str:
    """``58.6`` for 0.586."""
    return NOTHING if rate is None else f"{100 * rate:.1f}"


def points(change: float | None) -> str:
    """``+13.7`` for 0.137."""
    return NOTHING if change is None else f"{100 * change:+.1f}"


def p_value(p: float) -> str:
    """``0.042``; ``<0.001`` where that is all that matters."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def span(interval: Interval | None) -> str:
    """``55-63``, in whole percents."""
    if interval is None:
        return NOTHING
    return f"{100 * interval[0]:.0f}-{100 * interval[1]:.0f}"


def amount(number: int) -> str:
    """``912``, ``34.1 k``, ``1.9 M``."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return str(number)


def duration(seconds: float) -> str:
    """``12 s``, ``1 min 50 s``, ``2 h 05 min``."""
    whole = round(max(seconds, 0))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    minutes = round(whole / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min"


def count(number: int, noun: str) -> str:
    """``1 task``, ``3 tasks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
