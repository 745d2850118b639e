from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.errors import GraderError
from pytest_mint.graders.checks import CHECKS, run_check
from pytest_mint.graders.counting import occurrences, sentences, words


def holds(check, said, **parameters):
    return run_check({"check": check, **parameters}, said)[0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("Don't stop", ["Don't", "stop"]),
        ("a well-kept 3.50 rule", ["a", "well-kept", "3.50", "rule"]),
        ("1,000 at 10:30", ["1,000", "at", "10:30"]),
        ("end.  Next", ["end", "Next"]),
        ("this — that", ["this", "that"]),
        ("this—that", ["this", "that"]),
        ("yes,no", ["yes", "no"]),
        ("C++ and C#", ["C++", "and", "C#"]),
        ("* bold_name *", ["bold_name"]),
        ("東京は日本", ["東", "京", "は", "日", "本"]),
        ("iPhone用", ["iPhone", "用"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("서울은 수도", ["서울은", "수도"]),
        ("cafe\u0301 noir", ["cafe\u0301", "noir"]),
        ("--- *** ---", []),
        ("rock ’n’ roll", ["rock", "n", "roll"]),
        ("a@b.org", ["a@b.org"]),
    ],
)
def test_words_are_those_a_reader_would_count(text, found):
    assert list(words(text)) == found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("One. Two. Three.", 3),
        ("One. Two", 2),
        ("Dr. Smith met Mrs. Jones.", 1),
        ("J. R. Okri wrote it.", 1),
        ("It costs 3.50 dollars. Fine.", 2),
        ("Really?! Yes!", 2),
        ("Wait... What?", 2),
        ("He said “Go!” and left.", 1),
        ("He said “Go.” She left.", 2),
        ("Use tools, e.g. a saw. Done.", 2),
        ("We met at 5 p.m. He left.", 2),
        ("We met at 5 p.m. and left.", 1),
        ("So did I. He left.", 2),
        ("J.R.R. Tolkien wrote it.", 1),
        ("See example.org for more.", 1),
        ("今日は晴れ。明日は雨。", 2),
        ("本当？はい！", 2),
        ("1. Buy milk.\n2. Go home.", 2),
        ("He said no. She left.", 2),
        ("...", 0),
        ("One (in brackets.) Two.", 2),
    ],
)
def test_sentences_are_those_a_reader_would_count(text, count):
    assert len(sentences(text)) == count


@pytest.mark.parametrize(
    ("text", "phrase", "count"),
    [
        ("Cat, cat and CAT", "cat", 3),
        ("concatenate", "cat", 0),
        ("cat2 2cat", "cat", 0),
        ("the cat's tail", "cat", 1),
        ("I like C++.", "C++", 1),
        ("a.b axb", "a.b", 1),
        ("(x|y)", "x|y", 1),
        ("New\nYork and new  york", "New York", 2),
        ("東京都庁", "京都", 1),
        ("straße", "STRASSE", 1),
        ("[a is open", "[a", 1),
        ("", "x", 0),
        ("aaa", "a", 0),
        ("a a a", "a a", 1),
        ("नमस्ते", "नम", 0),
    ],
)
def test_phrase_is_counted_whole_and_never_as_a_pattern(text, phrase, count):
    assert occurrences(text, phrase) == count


@pytest.mark.parametrize(
    ("check", "parameters", "text", "verdict"),
    [
        ("word_count", {"at_least": 2, "at_most": 3}, "one two", True),
        ("word_count", {"at_least": 2, "at_most": 3}, "one two three four", False),
        ("word_count", {"exactly": 0}, "", True),
        ("word_count", {"exactly": 2}, "東京", True),
        ("sentence_count", {"exactly": 2}, "One. Two!", True),
        ("paragraph_count", {"exactly": 2}, "\n\na\nb\n \n\nc\n", True),
        ("paragraph_count", {"exactly": 2}, "a\r\n\r\nb", True),
        ("paragraph_count", {"exactly": 2}, "a\nb", False),
        ("line_count", {"exactly": 2}, "a\n\n  \nb\n", True),
        ("bullet_count", {"exactly": 2}, "Items:\n- a\n  • b\n-c\n*d*", True),
        ("bullet_count", {"exactly": 0}, "---\n***", True),
        ("highlighted_sections", {"exactly": 2}, "*a* and **b c**", True),
        ("highlighted_sections", {"exactly": 1}, "***a***", True),
        ("highlighted_sections", {"exactly": 0}, "2 * 3 * 4, 2*3*4", True),
        ("highlighted_sections", {"exactly": 0}, "* a\n* b", True),
        ("highlighted_sections", {"exactly": 0}, "\\*not so\\*", True),
        ("highlighted_sections", {"exactly": 0}, "*over\ntwo lines*", True),
        ("highlighted_sections", {"exactly": 0}, "****", True),
        ("words_per_sentence", {"at_most": 3}, "One two three. Four.", True),
        ("words_per_sentence", {"at_most": 2}, "One two three. Four.", False),
        ("words_per_line", {"exactly": 2}, "a b\n\nc d", True),
        ("words_per_line", {"exactly": 2}, "a b\nc", False),
        ("include_word", {"word": "sea"}, "The SEA.", True),
        ("include_word", {"word": "sea"}, "seaside", False),
        ("include_word", {"word": "sea", "exactly": 2}, "sea, sea", True),
        ("include_word", {"word": "sea", "at_most": 1}, "sea, sea", False),
        ("include_word", {"word": "sea", "exactly": 0}, "no", True),
        ("include_word", {"word": "don't"}, "I don’t.", True),
        ("avoid_words", {"words": ["sea", "salt water"]}, "seas of salt", True),
        ("avoid_words", {"words": ["sea", "salt water"]}, "Salt  Water", False),
        ("word_at", {"index": 1, "word": "once"}, "«Once» upon", True),
        ("word_at", {"index": -1, "word": "end"}, "the end.", True),
        ("word_at", {"index": -2, "word": "the"}, "the end.", True),
        ("word_at", {"index": 5, "word": "end"}, "the end.", False),
        ("word_at", {"index": -5, "word": "end"}, "the end.", False),
        ("nth_paragraph_first_word", {"n": 2, "word": "so"}, "A.\n\n“So” it is", True),
        ("nth_paragraph_first_word", {"n": 2, "word": "so"}, "A.\n\nSome", False),
        ("nth_paragraph_first_word", {"n": 3, "word": "so"}, "A.\n\nSo", False),
        (
            "nth_paragraph_first_word",
            {"n": 1, "word": "a", "paragraphs": 3},
            "A.\n\nSo",
            False,
        ),
        ("acrostic", {"word": "SEA"}, "sun\n\n- every\n“Always”", True),
        ("acrostic", {"word": "SEA"}, "sun\nevery\nalways\nso", False),
        ("acrostic", {"word": "SEA"}, "sun\nevery", False),
        ("acrostic", {"word": "SEA"}, "sun\n123\nevery\nalways", False),
        ("starts_with", {"text": "Dear"}, "  Dear Ann", True),
        ("starts_with", {"text": "Dear"}, "dear Ann", False),
        ("starts_with", {"text": '"Dear'}, "“Dear Ann”", True),
        ("ends_with", {"text": "THE END"}, "so. THE END\n", True),
        ("ends_with", {"text": "THE END"}, "THE END.", False),
        ("each_line_starts", {"text": "> "}, "> a\n\n> b", True),
        ("each_line_starts", {"text": "> "}, "> a\nb", False),
        ("avoid_letters", {"letters": "e"}, "A tiny dog", True),
        ("avoid_letters", {"letters": "e"}, "EVE", False),
        ("avoid_letters", {"letters": "xyz"}, "lazy", False),
        ("all_caps", {}, "LOUD 123!", True),
        ("all_caps", {}, "Loud", False),
        ("all_caps", {}, "123", False),
        ("all_caps", {}, "ÉCLAIR", True),
        ("all_lowercase", {}, "quiet 1", True),
        ("all_lowercase", {}, "Quiet", False),
        ("all_lowercase", {}, "…", False),
        ("no_comma", {}, "a; b", True),
        ("no_comma", {}, "a，b", False),
        ("no_comma", {}, "a، b", False),
        ("no_comma", {}, "1,000", False),
        ("no_comma", {}, "ș ţ ʻokina", True),
        ("json_only", {}, '{"a": "“x”, y"}', True),
        ("json_only", {}, "{“a”: 1}", False),
        ("json_only", {}, "[1, 2]", True),
        ("json_only", {}, '```\n{"a": 1}\n```', True),
        ("json_only", {}, 'Here: {"a": 1}', False),
        ("json_only", {}, '{"a": 1, "a": 1}', False),
        ("json_only", {}, "", False),
        ("json_only", {}, "[" * 99_999, False),
        ("json_only", {"keys": ["a", "b"]}, '{"b": 1, "a": 2}', True),
        ("json_only", {"keys": ["a"]}, '{"b": 1, "a": 2}', False),
        ("json_only", {"keys": ["a"]}, "[1]", False),
    ],
)
def test_check_holds_as_the_documentation_says(check, parameters, text, verdict):
    assert holds(check, text, **parameters) is verdict


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"check": "no_such_rule"}, "unknown check 'no_such_rule'"),
        ({}, "unknown check None"),
        ({"check": ["word_count"]}, "unknown check"),
        ({"check": "word_count"}, "expected one of at_least, at_most, exactly"),
        ({"check": "word_count", "exactly": 1, "at_most": 2}, "exactly stands alone"),
        ({"check": "word_count", "at_least": 3, "at_most": 2}, "at_least is above"),
        ({"check": "word_count", "exactly": True}, "exactly is True"),
        ({"check": "word_count", "exactly": -1}, "exactly is -1"),
        ({"check": "word_count", "exact": 1}, "unknown parameter 'exact'"),
        ({"check": "no_comma", "exactly": 1}, "unknown parameter 'exactly'"),
        ({"check": "include_word"}, "word is missing"),
        ({"check": "include_word", "word": " "}, "word is ' '"),
        ({"check": "avoid_words", "words": "sea"}, "words is 'sea'"),
        ({"check": "avoid_words", "words": []}, "expected a list of texts"),
        ({"check": "word_at", "index": 0, "word": "a"}, "index is 0"),
        ({"check": "nth_paragraph_first_word", "n": 0, "word": "a"}, "n is 0"),
    ],
)
def test_check_that_is_none_of_ours_is_an_error_and_not_a_pass(item, message):
    with pytest.raises(GraderError, match=message):
        run_check(item, "anything")


@pytest.mark.parametrize(
    ("item", "text", "reason"),
    [
        (
            {"check": "word_count", "at_least": 3, "at_most": 5},
            "one two",
            "word_count: at least 3 and at most 5 asked for, 2 words found",
        ),
        (
            {"check": "words_per_line", "exactly": 2},
            "a b\nc",
            "words_per_line: exactly 2 asked for, 1 words in line 2 found",
        ),
        (
            {"check": "avoid_words", "words": ["sea"]},
            "a sea",
            "avoid_words: 'sea' occurs",
        ),
        ({"check": "no_comma"}, "a, b", "no_comma: there is a comma"),
        (
            {"check": "acrostic", "word": "ab"},
            "ant\ncat",
            "acrostic: the lines spell 'ac', not 'ab'",
        ),
    ],
)
def test_reason_names_the_constraint(item, text, reason):
    assert run_check(item, text) == (False, reason)


EXAMPLES = [
    {"check": "word_count", "at_least": 1},
    {"check": "sentence_count", "at_least": 1},
    {"check": "paragraph_count", "at_least": 1},
    {"check": "line_count", "at_least": 1},
    {"check": "bullet_count", "at_least": 1},
    {"check": "highlighted_sections", "at_least": 1},
    {"check": "words_per_sentence", "at_most": 9},
    {"check": "words_per_line", "at_most": 9},
    {"check": "include_word", "word": "a"},
    {"check": "avoid_words", "words": ["a", "b c"]},
    {"check": "word_at", "index": 2, "word": "a"},
    {"check": "nth_paragraph_first_word", "n": 2, "word": "a"},
    {"check": "acrostic", "word": "ab"},
    {"check": "starts_with", "text": "a"},
    {"check": "ends_with", "text": "a"},
    {"check": "each_line_starts", "text": "a"},
    {"check": "avoid_letters", "letters": "a"},
    {"check": "all_caps"},
    {"check": "all_lowercase"},
    {"check": "no_comma"},
    {"check": "json_only", "keys": ["a"]},
]


def test_every_check_has_an_example_here():
    assert [item["check"] for item in EXAMPLES] == list(CHECKS)


@given(
    st.sampled_from(EXAMPLES),
    st.text(max_size=200) | st.text("aA .!?\n*-,“」", max_size=200),
)
def test_any_text_meets_a_check_or_hears_why_not(item, text):
    ok, reason = run_check(item, text)
    assert ok is (reason == "")
    assert "\n" not in reason


@given(st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), max_size=20))
def test_as_many_words_are_counted_as_were_written(written):
    text = ", ".join(written)
    assert holds("word_count", text, exactly=len(written))
    assert all(holds("include_word", text, word=word) for word in written)
