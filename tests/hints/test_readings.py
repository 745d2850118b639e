"""What a text is read as, and the numbers, measures and dates that are found in it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from pytest_mint.hints.guard.dates import date_forms, time_forms
from pytest_mint.hints.guard.disguise import Reading, readings
from pytest_mint.hints.guard.figures import figures
from pytest_mint.hints.guard.measures import measures, units_asked
from pytest_mint.hints.guard.said import Said, leaves
from pytest_mint.hints.guard.spelled import folded_words, in_english, is_spelled


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("1\u200b8", "18"),
        ("1\u20e38\u20e3", "18"),
        ("Веssеl", "Bessel"),
        ("Бессель", "Бессель"),
        ("l8 and I2O", "18 and 120"),
        ("B12, lO and Oil", "B12, lO and Oil"),
        ("**1**_8_", "18"),
        ("<b>1</b>8", "18"),
        ("O l d  H e s p e r", "Old Hesper"),
        ("\\u0031\\x38 %31%38 &#49;&#56;", "18 18 18"),
        ("\\ud800", ""),
        ("MTg= b2xk aXQgaXMgMTIw", "18\nold\nit is 120\n"),
        ("TVRnPQ==", "MTg=\n18"),
        ("313230", "120"),
        ("0x31 0x38", "18"),
        ("49 50 48", "120"),
        ("0b1111000 and 0o170", "120\n120"),
        ("1111000 in binary", "120"),
        ("021", "120"),
        ("rvtugrra", "eighteen"),
        ("Take it.\nEnd.\nNow.", "ten"),
        ("Two ends; now.", "ten"),
    ],
)
def test_a_disguise_is_undone(text: str, reading: str) -> None:
    found = {one.text for one in readings(text)}
    assert reading in found or (not reading and "\ud800" not in "".join(found))


def test_what_is_turned_round_needs_four_characters_unless_it_is_told() -> None:
    def least(text: str) -> int:
        (found,) = [one for one in readings(text) if one.how == "written backwards"]
        return found.least

    assert least("A net of steps.") == 4
    assert least("Read it backwards: net") == 1


def test_a_word_that_happens_to_decode_is_a_word() -> None:
    decoded = [one.text for one in readings("with that area") if "base64" in one.how]
    assert not [text for text in decoded if text.strip()]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", "1234.5"),
        ("1,5", "1.5"),
        ("3,5,8", "5"),
        (".25", "0.25"),
        ("25 %", "0.25"),
        ("1.2e2", "120"),
        ("2.3 thousand", "2300"),
        ("nineteen thirty-four", "1934"),
        ("eleven point one four", "11.14"),
        ("eleven point fourteen", "11.14"),
        ("ten dozen", "120"),
        ("between eighteen and forty", "18"),
        ("one two zero", "120"),
        ("1 1 . 1 4", "11.14"),
        ("the first digit is 1, the last one 8", "18"),
        ("XVIII", "18"),
        ("mcmxxxiv", "1934"),
        ("(4 + 5) * 3", "27"),
        ("f(x) = 2, (4 * 5)", "20"),
        ("((4 * 5)", "20"),
        ("4 * 5)", "20"),
        ("2³·15", "120"),
        ("5 days of 24 hours", "120"),
        ("half of 36", "18"),
        ("two thirds of 27", "18"),
        ("between 17 and 19", "18"),
        ("the number after 17", "18"),
        ("one less than nineteen", "18"),
        ("the square root of 324", "18"),
        ("the product of 3 and 6", "18"),
        ("subtract 2 from 20", "18"),
        ("20 percent of 90", "18"),
    ],
)
def test_a_number_is_found(text: str, value: str) -> None:
    assert Fraction(value) in {figure.value for figure in figures(text)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("P18", "18"),
        ("v1.18", "18"),
        ("1, 8", "18"),
        ("between 10 and 26", "18"),
        ("IIX and MIX", "8"),
        ("the second one", "1"),
        ("ten ninths point", "10"),
        ("point half", "0"),
        ("9^9^9", "387420489"),
        ("9" * 50, "9"),
    ],
)
def test_what_is_no_such_number_is_not_found(text: str, value: str) -> None:
    assert Fraction(value) not in {figure.value for figure in figures(text)}


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("2 h", "min", "120"),
        ("1 h 30 min", "min", "90"),
        ("an hour and a half", "min", "90"),
        ("three quarters of an hour", "min", "45"),
        ("2:05 hours", "min", "125"),
        ("0.281 cm/yr", "mm/yr", "2.81"),
        ("5/0 h", "min", "300"),
    ],
)
def test_a_measure_is_converted(text: str, unit: str, value: str) -> None:
    assert Fraction(value) in set(measures(text, (unit,)))


@pytest.mark.parametrize(
    ("text", "unit"), [("2 kg", "min"), ("2 lx", "min"), ("2 m^9", "min"), ("2", "min")]
)
def test_what_does_not_compare_is_not_converted(text: str, unit: str) -> None:
    assert not list(measures(text, (unit,)))


def test_units_are_read_off_the_question() -> None:
    assert units_asked("", "How many minutes? Answer in hours, in all.") == (
        "minutes",
        "hours",
    )
    assert units_asked("kg", "In hours?") == ("kg",)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("18", "achtzehn, dix-huit, dieciocho, diciotto, dezoito, achttien, on sekiz"),
        ("120", "hundertzwanzig, cent vingt, ciento veinte, сто двадцать, 百二十"),
        ("97", "quatre-vingt-dix-sept, siebenundneunzig, novantasette, 九十七"),
        ("80", "quatre-vingts, ottanta"),
        ("100", "cien, cem, hundert, honderd, cento, yüz"),
        ("200", "deux cents, duecento, doscientos"),
        ("71", "soixante et onze"),
        ("61", "soixante et un"),
        ("60", "soixante"),
        ("1120", "mille cent vingt, millecentoventi, duizend honderdtwintig, 千百二十"),
        ("21", "veintiuno, ventuno, vinte e um, eenentwintig"),
        ("28", "ventotto"),
        ("2000", "duemila, zweitausend, tweeduizend"),
        ("11.14", "elf Komma eins vier, onze virgule un quatre"),
    ],
)
def test_a_number_is_known_in_other_languages(value: str, words: str) -> None:
    missed = [
        form
        for form in words.split(", ")
        if not is_spelled(Decimal(value), folded_words(form))
        and not is_spelled(Decimal(value), folded_words(form.replace(" ", "")))
    ]
    assert not missed


def test_english_words_are_not_taken_for_others() -> None:
    words = folded_words("once on six due cents, a bin and an elf")
    assert not [n for n in range(1, 1001) if is_spelled(Decimal(n), words)]


def test_a_number_that_is_too_large_is_not_written_out() -> None:
    assert in_english(Decimal(1_000_000)) == ""
    assert not is_spelled(Decimal("0.5"), "half")


@pytest.mark.parametrize("day", range(1, 32))
def test_every_day_is_written_in_words(day: int) -> None:
    assert any(form.endswith(" may") for form in date_forms(f"2027-05-{day:02d}"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2027-05-21", "the twenty-first of May"),
        ("2027-05-30", "May the thirtieth"),
        ("2027-05-21", "21/5"),
        ("2027-05-21", "05/21/2027"),
        ("20:45", "a quarter to nine"),
        ("20:45", "8:45 pm"),
        ("09:00", "9 o'clock"),
        ("09:07", "9.07"),
        ("wed-night", "Wednesday night"),
        ("☂", "an ☂"),
    ],
)
def test_a_value_is_named(value: str, text: str) -> None:
    assert Said(Reading(text)).names(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2027-13-21", "21 May"),
        ("20:61", "8"),
        ("20:45", "the quarter"),
        ("K-2", "K 3"),
        ("wed-night", "a night on Wednesday"),
    ],
)
def test_another_value_is_not_named(value: str, text: str) -> None:
    assert not Said(Reading(text)).names(value)


def test_only_dates_and_times_have_forms() -> None:
    assert not date_forms("20:45")
    assert not time_forms("2027-05-21")


def test_leaves_are_what_can_be_named() -> None:
    value = {"a": [1, True, None, " ", float("inf")], "b": ("x",)}
    assert list(leaves(value)) == [1, "x"]


def test_first_letters_name_words_but_no_short_ones() -> None:
    initials = Said(Reading("oldhesperten", least=5, letters=True))
    assert initials.includes("Old Hesper")
    assert not initials.states(Decimal(10))
    assert not initials.figures
