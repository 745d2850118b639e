from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.errors import GraderError
from pytest_mint.graders.text import grade_text, rouge_l
from pytest_mint.graders.verdict import Proposal
from pytest_mint.graders.wording import includes, wording
from pytest_mint.tasks.graderspec import TextSpec
from tests.graders.kinds import state_task, text_task


def solved(expected, reply, *accept, **grader):
    return grade_text(text_task(expected, *accept, **grader), Proposal(reply)).solved


@pytest.mark.parametrize(
    ("expected", "reply", "verdict"),
    [
        ("Москва — столица России", "москва столица россии", True),
        ("हिन्दी भारत की भाषा है", "हिन्दी भारत की भाषा है", True),
        ("ພາສາລາວ", "ພາສາລາວ", True),
        ("ភាសាខ្មែរ", "ភាសាខ្មែរ", True),
        ("မြန်မာဘာသာ", "မြန်မာဘာသာ", True),
        ("서울은 한국의 수도", "서울은 한국의 수도", True),
        ("Αθήνα", "ΑΘΉΝΑ", True),
        ("大阪", "京都", False),
        ("東京タワー", "東京タワーです", True),
        ("Ｐａｒｉｓ", "Paris", True),
        ("１９９９", "1999", True),
        ("٢٠٢٤", "2024", True),
        ("résumé", "re\u0301sume\u0301", True),
        ("naïve", "naive", False),
        ("Straße", "STRASSE", True),
        ("C++", "C", False),
        ("C#", "C", False),
        ("C++", "c++", True),
        ("−7", "-7", True),
        ("−7", "7", False),
        ("12 %", "12%", True),
        ("12%", "12", False),
        ("3.50", "3.5", True),
        ("3.5", "35", False),
        ("1,234.50", "1234.5", True),
        ("2019-2020", "2019–2020", True),
        ("the “Grand” Hôtel", 'The "grand" hôtel', True),
        ("rock-and-roll", "rock and roll", True),
        ("one two three four", "one two", True),  # 2*2/(4+2)
        ("one two three four", "one five six", False),  # 2*1/7
        ("a b c", "a x y b z", True),  # 2*2/8, the edge
        ("a b c", "a x y b z w", False),  # 2*2/9
        ("Paris", "Paris paris", True),  # 2/3
        ("Paris", "Paris Paris Paris", True),  # 2/4, the edge
        ("Paris", "Paris " * 4, False),  # 2/5
        ("Paris", "<think>Paris</think>", False),
        ("Paris", "<think>London</think>Paris", True),
        ("Paris", "It may be London. <solution>Paris</solution>", True),
        ("Paris", "I looked at many pages.\nFinal answer: Paris", True),
        ("Paris", "<solution>Paris</solution><solution>Rome</solution>", False),
        ("Paris", "", False),
        ("Paris", "🗼", False),
        ("Paris", "\0\ud800", False),
    ],
)
def test_reply_is_compared_word_by_word_in_any_script(expected, reply, verdict):
    assert solved(expected, reply) is verdict


@pytest.mark.parametrize("broken", ["", "!!!", "🗼", None, 5, [], ["Paris", ""]])
def test_task_without_a_usable_reference_is_broken(broken):
    task = text_task("Paris").model_copy(update={"expected_output": broken})
    with pytest.raises(GraderError):
        grade_text(task, Proposal("Paris"))


def test_task_of_another_kind_is_refused():
    with pytest.raises(GraderError, match="not graded as a text"):
        grade_text(state_task({"x": 1}), Proposal("Paris"))


def test_two_answers_side_by_side_are_no_answer():
    reply = "<solution>Paris</solution> or <solution>Rome</solution>"
    assert not solved("Rome", reply)
    assert not solved("Paris", reply)


def test_answer_that_is_marked_counts_in_a_reply_of_any_length():
    assert solved("Paris", "word " * 200_000 + "<solution>Paris</solution>")
    assert not solved("Paris", "Paris " * 200_000)


def test_best_wording_counts():
    assert solved("The capital is Paris", "City of Light", "City of Light")


def test_threshold_of_the_task_is_met_at_its_edge_exactly():
    assert solved("a b c d e f g", "a b c", threshold=0.6)  # 2*3/10
    assert not solved("a b c d e f g", "a b c", threshold=0.61)


def test_recall_does_not_reward_a_reply_that_holds_every_word():
    assert solved("Paris", "It is the city of Paris", measure="recall")
    assert not solved("Paris", "word " * 30 + "Paris", measure="recall")


def test_stems_count_only_where_the_task_says_so():
    assert solved("cats running", "cat run", stemmer="en")
    assert not solved("cats running", "cat run")


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("The treaty was signed in 1648", True),
        ("The treaty was not signed in 1648", False),
        ("The treaty was signed in 1684", False),
        ("The treaty was signed in 1,648", True),
        ("The treaty was signed in 16480", False),
        ("No, not so.\nAnswer: The treaty was signed in 1648", True),
    ],
)
def test_what_rouge_lets_through_is_caught_by_required_words(reply, verdict):
    must = {"must_include": ["1648"], "must_not_include": ["not"]}
    assert solved("The treaty was signed in 1648", reply, **must) is verdict


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("a party", "art", False),
        ("The ART of war", "art of", True),
        ("100", "10", False),
        ("10.00 dollars", "10", True),
        ("10.5", "10", False),
        ("-10", "10", False),
        ("1,000 yen", "1000", True),
        ("C++ only", "C", False),
        ("ready 🚀", "🚀", True),
        ("ready", "🚀", False),
        ("東京都庁", "京都", True),
        ("", "x", False),
    ],
)
def test_phrase_is_found_as_whole_words(text, phrase, found):
    assert includes(text, phrase) is found


def test_reason_says_nothing_but_wrong():
    task = text_task("Paris", must_include=["Paris"])
    assert grade_text(task, Proposal("London")).reason == "wrong"


def test_tokens_are_the_same_however_a_number_is_written():
    assert wording("costs $1,000.50, up 5 %") == ["costs", "$", "1000.5", "up", "5%"]


def longest_common(one, other):
    row = [0] * (len(other) + 1)
    for a in one:
        above, row = row, [0]
        for j, b in enumerate(other):
            row.append(above[j] + 1 if a == b else max(row[j], above[j + 1]))
    return row[-1]


WORDS = st.lists(
    st.sampled_from(["a", "b", "c", "東", "1,000"]), min_size=1, max_size=9
)


@given(WORDS, WORDS)
def test_score_is_that_of_the_definition_wherever_it_can_pass(wanted, said):
    score = rouge_l(" ".join(said), [" ".join(wanted)], TextSpec())
    exact = Fraction(2 * longest_common(wanted, said), len(wanted) + len(said))
    assert (score >= Fraction(1, 2)) is (exact >= Fraction(1, 2))
    assert score in (0, exact)


@given(st.text(min_size=1, max_size=300).filter(wording))
def test_reference_itself_is_right(text):
    assert rouge_l(text, [text], TextSpec()) == 1


@given(st.text(max_size=2000), st.integers(1, 600))
def test_any_text_gets_a_verdict(text, times):
    verdict = grade_text(text_task("The capital is Paris"), Proposal(text * times))
    assert 0 <= verdict.score <= 1
