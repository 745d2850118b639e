from __future__ import annotations

import pytest

from pytest_mint.report.progress import progress


@pytest.mark.parametrize(
    ("done", "total", "solved", "graded", "seconds", "text"),
    [
        (0, 598, 0, 0, 0.0, "0/598 · solved -"),
        (0, 598, 0, 0, 12.0, "0/598 · solved -"),
        (245, 598, 149, 244, 79.0, "245/598 · solved 61 % · 3.1/s · 1 min 54 s left"),
        (3, 10, 0, 0, 90.0, "3/10 · solved - · 2.0/min · 3 min 30 s left"),
        (1, 1000, 1, 1, 10.0, "1/1000 · solved 100 % · 6.0/min · 2 h 46 min left"),
        (598, 598, 366, 597, 372.0, "598/598 · solved 61 % · 1.6/s"),
        (1, 2, 1, 1, 0.0, "1/2 · solved 100 %"),
    ],
)
def test_the_line_follows_from_counts_and_seconds(
    done, total, solved, graded, seconds, text
):
    shown = progress(done, total, solved=solved, graded=graded, seconds=seconds)
    assert shown == text
