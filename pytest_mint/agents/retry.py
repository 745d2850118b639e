"""When a failed call is tried again, after how long, and how the end is told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from random import Random

#: No wait is longer, whatever the server asks for: six such waits outlast the limits
#: that are counted by the minute, and those counted by the day outlast any test run.
LONGEST = 60.0
#: The first wait is drawn from 0 to this many seconds, each further one from twice as
#: much.
FIRST = 1.0
#: A body that cannot be read is rarely an accident that passes.
INVALID = "invalid answer"
INVALID_RETRIES = 2
#: A quota that is used up does not come back in minutes.
FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
TEXT_LIMIT = 200
_TIMES = (
    "",
    "once",
    "twice",
    *(f"{n} times" for n in ("three", "four", "five", "six", "seven", "eight", "nine")),
)


@dataclass(frozen=True)
class Failure:
    """One attempt without an answer.

    Attributes:
        name: the status (``529``) or the kind of fault (``connection reset``).
        text: what the endpoint said, untrusted and unbounded; see :func:`short`.
        status: the HTTP status, 0 where there was none.
        code: the endpoint's own word for it (``insufficient_quota``).
        param: the parameter it complains about.
        again: whether another attempt may help.
        wait: how many seconds the server asks to wait.
    """

    name: str
    text: str = ""
    status: int = 0
    code: str = ""
    param: str = ""
    again: bool = False
    wait: float | None = None


def is_retried(status: int, code: str = "") -> bool:
    """Whether an answer of this HTTP status may be another one later."""
    if code in FINAL_CODES:
        return False
    return status in (408, 429) or 500 <= status <= 599


def may_retry(failures: Sequence[Failure], max_retries: int) -> bool:
    """Whether to try again after these failures of one call, oldest first."""
    if len(failures) > max_retries or not failures[-1].again:
        return False
    return sum(failure.name == INVALID for failure in failures) <= INVALID_RETRIES


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """How many seconds the server asks to wait, None if it does not say.

    Args:
        headers: of the response, with lower-case names or a case-blind mapping.
        now: seconds since the epoch, against which a date is read.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            seconds = _until(value, now)
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _until(date: str, now: float) -> float:
    try:
        return parsedate_to_datetime(date).timestamp() - now
    except (ValueError, TypeError, OverflowError, IndexError):
        return math.nan


def delay(attempt: int, asked: float | None, rng: Random) -> float:
    """Seconds to wait before the next attempt.

    Full jitter: evenly from 0 to the current step, which doubles with each attempt, so
    that clients which failed together do not come back together. What the server asks
    for is waited in full, and the jitter (of at most a second) comes on top.

    Args:
        attempt: how many attempts have failed, from 1.
        asked: what :func:`retry_after` read.
        rng: draws the jitter.
    """
    step = min(LONGEST, FIRST * 2.0 ** min(attempt - 1, 16))
    if asked is None:
        return rng.uniform(0.0, step)
    return min(LONGEST, asked + rng.uniform(0.0, min(step, 1.0)))


def tell(failures: Sequence[Failure], key: str = "") -> str:
    """All failures of one call in one line: ``529 six times: overloaded``.

    Args:
        failures: at least one, oldest first; the last one's text is quoted.
        key: is replaced wherever it appears.
    """
    counts = Counter(failure.name for failure in failures)
    parts = [
        name if len(failures) == 1 else f"{name} {_times(n)}"
        for name, n in counts.items()
    ]
    said = short(failures[-1].text, key)
    return short(", ".join(parts), key) + (f": {said}" if said else "")


def _times(n: int) -> str:
    return _TIMES[n] if n < len(_TIMES) else f"{n} times"


def short(text: str, key: str = "") -> str:
    """A stranger's text in one printable line of bounded length, without the key."""
    if key:  # before the cut, which could leave a part of it
        text = text.replace(key, "***")
    text = text[: 20 * TEXT_LIMIT]
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"
