from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.tools.base import ToolError
from pytest_mint.tools.parts import PART, choose_part, split

PIECES = st.lists(
    st.sampled_from(["word ", "\n", "\n\n", "x" * 3500, "y" * 7000, ". "]), max_size=60
)


@given(PIECES)
def test_parts_hold_the_whole_text_and_no_part_is_long_or_empty(pieces):
    text = "".join(pieces).strip()
    parts = split(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(len(part) <= PART for part in parts)
    assert all(parts) or parts == [""]
    assert len(parts) <= 1 + 2 * len(text) // PART


def test_a_text_is_cut_between_paragraphs_rather_than_in_them():
    text = "a" * 4000 + "\n\n" + "b b " * 400 + "\n" + "c" * 4000
    assert split(text)[0] == "a" * 4000


def test_a_text_of_one_part_has_no_footer():
    assert choose_part("x" * PART, 1, "it") == "x" * PART


def test_a_footer_says_how_to_read_on():
    text = "x" * PART + "y"
    assert choose_part(text, 1, "it").endswith(
        "\n\n[part 1 of 2; for the next give part=2]"
    )
    assert choose_part(text, 2, "it") == "y\n\n[part 2 of 2]"


@pytest.mark.parametrize("part", [0, -1])
def test_parts_are_counted_from_one(part):
    with pytest.raises(ToolError, match="expected 1 to 1"):
        choose_part("text", part, "it")


def test_a_part_beyond_the_last_is_refused():
    with pytest.raises(
        ToolError, match=r"part 2 of 'A': expected 1 to 1; it has 1 part$"
    ):
        choose_part("text", 2, "'A'")
