from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.agents.base import Reply, ToolCall
from pytest_mint.episode.our_rules import OurRules
from pytest_mint.tasks import mint_protocol

#: Enough unclosed tags that a search from each of them would take minutes.
MANY = 100_000

PIECES = st.lists(
    st.sampled_from(
        ["<execute>", "</execute>", "<solution>", "</solution>", "<EXECUTE>", "x", "\n"]
    ),
    max_size=12,
).map("".join)


def read(text: str, *calls: ToolCall, native: bool = False):
    return OurRules(5).read(Reply(text, calls), native)


@pytest.mark.parametrize(
    ("text", "cells", "proposal"),
    [
        ("<execute>1</execute>", ["1"], None),
        ("<execute>1</execute><execute>\n2\n</execute>", ["1", "2"], None),
        ("<Execute>1</EXECUTE>", ["1"], None),
        ("<execute>1", [], None),
        ("1</execute>", [], None),
        ("<solution>a</solution>", [], "<solution>a</solution>"),
        ("<solution>a</solution><solution>b</solution>", [], "<solution>b</solution>"),
        ("<solution>a", [], None),
        (
            "<execute>1</execute><solution>a</solution><execute>2</execute>",
            ["1", "2"],
            "<solution>a</solution>",
        ),
        (
            "<solution><execute>1</execute></solution>",
            [],
            "<solution><execute>1</execute></solution>",
        ),
        ("<execute><execute>1</execute>", ["<execute>1"], None),
        ("<execute></execute>", [""], None),
    ],
)
def test_tagged_text_is_read(text, cells, proposal):
    action = read(text)
    assert [call.arguments for call in action.calls] == cells
    assert action.proposal == proposal
    assert action.proposes == (proposal is not None)
    assert action.understood == bool(cells or proposal)


@given(PIECES)
def test_blocks_are_those_of_the_plain_pattern(text):
    """Up to the first end, as the pattern says it that is too slow to be used."""
    flags = re.DOTALL | re.IGNORECASE
    solutions = re.findall("<solution>(.*?)</solution>", text, flags)
    rest = re.sub("<solution>(.*?)</solution>", "", text, flags=flags)
    cells = re.findall("<execute>(.*?)</execute>", rest, flags)
    action = read(text)
    assert [call.arguments for call in action.calls] == [cell.strip() for cell in cells]
    assert action.proposes == bool(solutions)
    if solutions:
        assert action.proposal == f"<solution>{solutions[-1]}</solution>"


@given(PIECES)
def test_the_originals_blocks_are_those_of_the_plain_pattern(text):
    for tag, found in (
        ("execute", mint_protocol.code_in(text)),
        ("solution", mint_protocol.solution_in(text)),
    ):
        plain = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert found == "\n".join(block.strip() for block in plain)


@pytest.mark.parametrize("tag", ["<execute>", "<solution>", "</solution>"])
@pytest.mark.parametrize("native", [True, False])
def test_tags_without_an_end_cost_one_pass(tag, native):
    assert not read(tag * MANY, native=native).calls
    assert mint_protocol.code_in(tag * MANY) == ""
    assert mint_protocol.solution_in(tag * MANY) == ""


@pytest.mark.parametrize("text", ["", " \n "])
def test_silence_hands_nothing_in(text):
    assert read(text, native=True).proposal is None
    assert read(text).proposal is None
