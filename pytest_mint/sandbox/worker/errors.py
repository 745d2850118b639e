"""An exception of model-written code as text: its own lines, and never too long."""

from __future__ import annotations

import traceback

from pytest_mint.sandbox.worker.output import shortened

#: How the loader names our own code.
OURS = "<sandbox>/"
MAX_TEXT = 16_000
MAX_FRAMES = 20


def describe(problem: BaseException) -> str:
    """The traceback without our own frames."""
    try:
        report = traceback.TracebackException(
            type(problem), problem, problem.__traceback__
        )
        _drop_ours(report, 10)
        return shortened("".join(report.format()).rstrip(), MAX_TEXT)
    except BaseException:  # its __str__ is the code's too
        return f"{type(problem).__name__}: <no text>"


def _drop_ours(report: traceback.TracebackException | None, levels: int) -> None:
    if report is None or levels == 0:
        return
    kept = [frame for frame in report.stack if not frame.filename.startswith(OURS)]
    if len(kept) > 2 * MAX_FRAMES:
        kept = kept[:MAX_FRAMES] + kept[-MAX_FRAMES:]
    report.stack = traceback.StackSummary.from_list(kept)
    _drop_ours(report.__cause__, levels - 1)
    _drop_ours(report.__context__, levels - 1)


def status_of(problem: BaseException) -> str:
    """The word for how it ended."""
    return "memory" if isinstance(problem, MemoryError) else "error"
