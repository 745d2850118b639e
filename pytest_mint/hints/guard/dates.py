"""Dates and times as people write them, in the words that :func:`wording` makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from pytest_mint.graders.wording import wording
from pytest_mint.hints.guard.spelled import in_english

_DATE = re.compile(r"\d{4}-(\d\d)-(\d\d)")
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")


def _table(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_MONTHS = _table(
    "january february march april may june july august september october november "
    "december"
)
_ORDINALS = _table(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
    "twentieth"
)


@lru_cache(maxsize=256)
def date_forms(text: str) -> frozenset[str]:
    """The ways to write a date that is given as YYYY-MM-DD; none for other texts."""
    date = _DATE.fullmatch(text)
    if date is None or not (1 <= int(date[1]) <= 12 and 1 <= int(date[2]) <= 31):
        return frozenset()
    month, day = int(date[1]), int(date[2])
    forms: list[str] = []
    for name in (_MONTHS[month - 1], _MONTHS[month - 1][:3]):
        for number in _days(day):
            forms += [f"{number} {name}", f"{number} of {name}"]
            forms += [f"{name} {number}", f"{name} the {number}"]
    return _as_words(forms)


@lru_cache(maxsize=256)
def time_forms(text: str) -> frozenset[str]:
    """The ways to write a time that is given as HH:MM; none for other texts."""
    time = _TIME.fullmatch(text)
    if time is None:
        return frozenset()
    hour, minute = int(time[1]), int(time[2])
    here, following = (hour - 1) % 12 + 1, hour % 12 + 1
    half = "pm" if hour >= 12 else "am"
    forms: list[str] = []
    for now, then in ((f"{here}", f"{following}"), (_word(here), _word(following))):
        forms += {
            0: [f"{now} o'clock", f"{now} {half}", f"{now}{half}"],
            15: [f"quarter past {now}", f"{now} fifteen"],
            30: [f"half past {now}", f"{now} thirty"],
            45: [f"quarter to {then}", f"{now} forty five"],
        }.get(minute, [])
    return _as_words(forms)


@lru_cache(maxsize=256)
def in_digits(text: str) -> re.Pattern[str]:
    """Finds a date without its year or a time of the day in digits: 21/5, 8:45."""
    if date := _DATE.fullmatch(text):
        month, day = int(date[1]), int(date[2])
        form = f"0?{day}[./-]0?{month}|0?{month}[./-]0?{day}"
        return re.compile(rf"(?<![\d./-])(?:\d{{4}}[./-])?(?:{form})(?!\d)")
    if time := _TIME.fullmatch(text):
        hour = int(time[1])
        form = f"0?(?:{hour}|{(hour - 1) % 12 + 1})[.:]{time[2]}"
        return re.compile(rf"(?<![\d.:]){form}(?!\d)")
    return re.compile("(?!)")


def _days(day: int) -> Iterator[str]:
    yield str(day)
    yield f"{day:02d}"
    yield from (f"{day}{ending}" for ending in ("st", "nd", "rd", "th"))
    yield _word(day)
    if day <= 20:
        yield _ORDINALS[day - 1]
    else:
        ten, one = ("twenty", "thirty")[day // 10 - 2], day % 10
        yield f"{ten} {_ORDINALS[one - 1]}" if one else "thirtieth"


def _word(number: int) -> str:
    return in_english(Decimal(number))


def _as_words(forms: list[str]) -> frozenset[str]:
    return frozenset(" ".join(wording(form)) for form in forms)
