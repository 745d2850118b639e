from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.report.plain import columns, fit, pad, plain

ANY_TEXT = st.text(st.characters(exclude_categories=()))
CONTROLS = st.text(st.sampled_from("\x1b\x9b\x9d\x07\x9c[]0;31mAbc\\ \n"), max_size=30)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[1;1Hcleared", "cleared"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x1b(Bafter", "after"),
        ("\x1bcafter", "after"),
        ("open\x1b", "open"),
        ("open\x1b[", "open"),
        ("open\x1b]0;never closed", "open"),
        ("a\r\nb\tc\x0bd", "a b c d"),
        ("a\u2028b\u00a0c", "a b c"),
        ("NUL\0 bell\a back\b", "NUL bell back"),
        ("left\u202eright\u200b\ufeff", "leftright"),
        ("lone \ud800", "lone"),
        ("  many   spaces ", "many spaces"),
        ("é ß 漢字 ✓", "é ß 漢字 ✓"),
    ],
)
def test_escapes_and_what_cannot_be_seen_are_removed(text, shown):
    assert plain(text) == shown


@given(ANY_TEXT | CONTROLS)
def test_nothing_but_printable_text_on_one_line_is_left(text):
    shown = plain(text)
    kinds = {unicodedata.category(char) for char in shown.replace(" ", "")}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
    assert plain(shown) == shown
    shown.encode()


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("ｗ", 2), ("", 0)]
)
def test_columns_are_those_of_a_terminal(text, width):
    assert columns(text) == width


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abc..."),
        ("漢字漢字", 8, "漢字漢字"),
        ("漢字漢字漢", 8, "漢字..."),
        ("ab cdefg", 6, "ab..."),
    ],
)
def test_what_is_too_long_is_cut(text, width, shown):
    assert fit(text, width) == shown


@given(ANY_TEXT, st.integers(3, 40))
def test_padded_text_has_exactly_the_width(text, width):
    assert columns(pad(plain(text), width)) == width
