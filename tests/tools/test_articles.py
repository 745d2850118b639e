from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.errors import UserError
from pytest_mint.tools.articles import Article, Library, fold, load_library

LAKES = Library(
    [
        Article("Lake Aru", "Lake Aru is the deepest lake.\n\nIts fish is eel."),
        Article("Lake Boro", "Lake Boro is shallow. Ferries cross it."),
        Article("Eel", "The eel is a long fish.\n\nEels live in lakes and in rivers."),
        Article("Ferry", "A ferry is a ship that crosses water on a line."),
        Article("Crème brûlée", "A dessert of cream under burnt sugar."),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("deepest lake", "Lake Aru"),
        ("ferries", "Lake Boro"),  # the word as it stands in the text
        ("eels", "Eel"),  # a plural finds the singular
        ("ship line", "Ferry"),
        ("long fish in a river", "Eel"),
        ("SUGAR!", "Crème brûlée"),
        ("creme", "Crème brûlée"),
    ],
)
def test_the_best_article_comes_first(query, best):
    assert LAKES.search(query, 3)[0].title == best


def test_a_word_of_the_title_outweighs_words_of_the_text():
    library = Library(
        [Article("Salt", "White."), Article("Sea", "Salt and salt water.")]
    )
    assert [one.title for one in library.search("salt", 5)] == ["Salt", "Sea"]


def test_a_rare_word_outweighs_a_common_one():
    library = Library(
        [Article(f"Town {n}", "river river river") for n in range(9)]
        + [Article("Town X", "river glacier")]
    )
    assert library.search("river glacier", 1)[0].title == "Town X"


def test_a_word_weighs_more_in_a_short_article():
    library = Library([Article("A", "salt " + "water " * 50), Article("B", "salt")])
    assert [one.title for one in library.search("salt", 5)] == ["B", "A"]


def test_equals_come_in_the_order_of_their_titles():
    titles = ["c", "a", "b"]
    library = Library([Article(title, "same words") for title in titles])
    assert [one.title for one in library.search("words", 5)] == ["a", "b", "c"]


@pytest.mark.parametrize("query", ["", "?!", "quasar", "   "])
def test_what_no_article_has_finds_none(query):
    assert LAKES.search(query, 5) == []


def test_no_more_than_the_limit_is_found():
    assert len(LAKES.search("lake fish water", 2)) == 2


@pytest.mark.parametrize("title", ["lake aru", "LAKE ARU", "Lake_Aru", " Lake  Aru. "])
def test_a_title_is_found_however_it_is_written(title):
    article = LAKES.get(title)
    assert article is not None
    assert article.title == "Lake Aru"


def test_accents_do_not_matter_in_a_title():
    assert LAKES.get("creme brulee") is LAKES.articles[4]


@pytest.mark.parametrize(
    ("typo", "title"), [("Lake Arru", "Lake Aru"), ("fery", "Ferry"), ("quasar", "")]
)
def test_a_similar_title_is_suggested_only_where_it_is_close(typo, title):
    assert LAKES.similar_title(typo) == title


def test_the_summary_is_the_first_paragraph_that_is_no_heading():
    article = Article("A", "## Facts\n\nFirst\nparagraph.\n\nSecond.")
    assert article.summary == "First paragraph."


@pytest.mark.parametrize("text", ["", "# Only\n\n## headings"])
def test_an_article_without_a_paragraph_has_no_summary(text):
    assert Article("A", text).summary == ""


@given(st.lists(st.text(max_size=40), max_size=8), st.text(max_size=40))
def test_any_text_can_be_indexed_and_asked_for(texts, query):
    library = Library(Article(f"t{n}", text) for n, text in enumerate(texts))
    found = library.search(query, 3)
    assert found == library.search(query, 3)
    assert len(found) == len(set(found)) <= 3


@given(st.text())
def test_folding_a_title_twice_changes_nothing_more(title):
    assert fold(fold(title)) == fold(title)


def test_articles_are_read_from_folders_and_the_first_folder_wins(tmp_path):
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for folder, word in ((mine, "new"), (theirs, "old")):
        folder.mkdir()
        (folder / "iron.md").write_text(
            f"# Iron\n\nThe {word} text.\n", encoding="utf-8"
        )
    (theirs / "tin.md").write_text("# Tin\nSoft.", encoding="utf-8")
    (theirs / "notes.txt").write_text("no article", encoding="utf-8")
    library = load_library([mine, theirs, tmp_path / "absent"])
    assert {one.title: one.text for one in library.articles} == {
        "Iron": "The new text.",
        "Tin": "Soft.",
    }


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"Iron\n\nText.", "the first line is 'Iron'; expected '# Title'"),
        (b"", "the first line is ''"),
        (b"# \nText", "the first line is '# '"),
        (b"# Iron\n\xff", "is no UTF-8"),
    ],
)
def test_a_file_that_is_no_article_is_named(tmp_path, content, told):
    (tmp_path / "iron.md").write_bytes(content)
    with pytest.raises(UserError, match=r"iron\.md") as caught:
        load_library([tmp_path])
    assert told in str(caught.value)


def test_two_articles_of_one_title_are_named(tmp_path):
    (tmp_path / "a.md").write_text("# The Moon\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("# the moon!\n", encoding="utf-8")
    with pytest.raises(
        UserError, match=r"b\.md: the title 'the moon!' is taken by a\.md"
    ):
        load_library([tmp_path])


def test_600_articles_are_indexed_fast_enough_to_do_it_in_every_process():
    """The bound is five times what it takes, for machines under load."""
    words = [f"word{n % 977}" for n in range(400)]
    articles = [Article(f"Title {n}", " ".join(words)) for n in range(600)]
    begin = time.process_time()
    Library(articles)
    assert time.process_time() - begin < 0.5
