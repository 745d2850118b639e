"""The one line that a terminal shows while a session runs."""

from __future__ import annotations

from pytest_mint.report.numbers import NOTHING, duration


def progress(done: int, total: int, *, solved: int, graded: int, seconds: float) -> str:
    """``245/598 · solved 61 % · 3.1/s · 1 min 50 s left``

    Args:
        done: tasks that are finished, missing ones included.
        total: tasks scheduled.
        solved, graded: of the finished ones.
        seconds: since the first episode began.
    """
    share = f"{100 * solved / graded:.0f} %" if graded else NOTHING
    parts = [f"{done}/{total}", f"solved {share}"]
    if done and seconds > 0:
        parts.append(f"{_speed(done / seconds)}")
        if done < total:
            parts.append(f"{duration(seconds * (total - done) / done)} left")
    return " · ".join(parts)


def _speed(per_second: float) -> str:
    if per_second >= 0.95:
        return f"{per_second:.1f}/s"
    return f"{60 * per_second:.1f}/min"
