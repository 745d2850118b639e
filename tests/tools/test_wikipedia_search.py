from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.tools.base import ToolError
from pytest_mint.tools.sources import Sources
from pytest_mint.tools.wikipedia_search import SUMMARY, TOOL, _cut
from tests.tools.context import context

ARTICLES = {
    "Mercury (planet)": "Mercury is the planet closest to the Sun.",
    "Mercury (metal)": "Mercury is a liquid metal.",
    "Thermometer": "A thermometer measures temperature.\n\nOld ones hold mercury.",
    "Venus (planet)": "Venus is the second planet.",
    "Sun": "The Sun is a star.",
    "Sun (newspaper)": "The Sun is a newspaper.",
    "Long tale": "\n\n".join(f"Paragraph {n}. " + "word " * 90 for n in range(40)),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, (title, text) in enumerate(ARTICLES.items()):
        file = tmp_path / f"{number}.md"
        file.write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def search(folder):
    there = context(sources=Sources(articles=(folder,)))
    return lambda query, **more: TOOL.run({"query": query, **more}, there)


def test_a_title_gives_the_article(search):
    text = search("thermometer")
    assert text.startswith("# Thermometer\n\nA thermometer measures temperature.")
    assert "Old ones hold mercury." in text


def test_the_only_article_of_a_name_is_found_without_its_bracket(search):
    assert search("venus").startswith("# Venus (planet)\n")


def test_a_name_of_several_articles_lists_them(search):
    assert search("Mercury") == (
        "'Mercury' may mean one of these:\n"
        "1. Mercury (planet): Mercury is the planet closest to the Sun.\n"
        "2. Mercury (metal): Mercury is a liquid metal.\n"
        "Search for one of these titles to read it."
    )


def test_an_article_names_its_namesakes_first(search):
    assert "Other articles: Sun (newspaper); " in search("Sun")


def test_words_give_titles_with_summaries(search):
    text = search("closest to a star")
    told = "There is no article with the title 'closest to a star'. The closest are:"
    assert text.startswith(told)
    assert "1. Mercury (planet): Mercury is the planet closest to the Sun." in text


def test_a_misspelt_title_is_answered_with_the_right_one(search):
    assert search("Thermomter") == (
        "There is no article about 'Thermomter'. Did you mean 'Thermometer'?"
    )


def test_what_nobody_wrote_about_says_so(search):
    assert search("qwxyz") == (
        "There is no article about 'qwxyz'. Try fewer or more general words."
    )


def test_a_long_article_comes_in_parts(search):
    first, last = search("Long tale"), search("Long tale", part=4)
    assert "[part 1 of 4; for the next give part=2]" in first
    assert "[part 4 of 4]" in last
    assert "Paragraph 0." in first
    assert "Paragraph 39." in last


@pytest.mark.parametrize("part", [5, 10**9])
def test_a_part_that_is_not_there_says_how_many_there_are(search, part):
    with pytest.raises(ToolError, match=r"expected 1 to 4; it has 4 parts"):
        search("Long tale", part=part)


@pytest.mark.parametrize("query", ["", "  \n "])
def test_an_empty_query_is_refused(search, query):
    with pytest.raises(ToolError, match="the query is empty"):
        search(query)


def test_a_query_that_is_too_long_is_refused(search):
    with pytest.raises(ToolError, match="the query has 301 characters; at most 300"):
        search("x" * 301)


@given(st.text(max_size=300))
def test_any_query_gets_a_text(query):
    there = context(sources=Sources(articles=()))
    if query.split():
        assert TOOL.run({"query": query}, there)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Short one.", "Short one."),
        ("One sentence of some length, " + "a " * 60 + "b. " + "c " * 200, "b."),
        ("word " * 100, "word ..."),
    ],
)
def test_a_summary_ends_with_a_sentence_or_with_dots(text, cut):
    assert _cut(text).endswith(cut)
    assert len(_cut(text)) <= SUMMARY + 4


def test_a_summary_without_blanks_is_cut_all_the_same():
    assert len(_cut("x" * 1000)) <= SUMMARY + 4


def test_the_schema_names_the_one_thing_it_needs():
    assert TOOL.signature == "wikipedia_search(query, part=...)"
