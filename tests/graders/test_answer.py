"""Where the answer is in a reply."""

from __future__ import annotations

import pytest

from pytest_mint.graders.answer import (
    MAX_REPLY,
    SHORT_REPLY,
    read_answer,
    read_handed_in,
    without_thoughts,
)

LONG = "Some working that leads nowhere. " * 40


@pytest.mark.parametrize(
    ("reply", "text", "rule"),
    [
        ("<solution>42</solution>", "42", "solution"),
        ("<solution> 42 </solution> and more words", "42", "solution"),
        ("<SOLUTION>42</SOLUTION>", "42", "solution"),
        ("<solution>1</solution> no: <solution>2</solution>", "2", "solution"),
        ("<solution>a<solution>b</solution>", "b", "solution"),
        ("<solution>\\boxed{42}</solution>", "42", "solution"),
        ("<solution>The answer is 42.</solution>", "42.", "solution"),
        ("<solution>42</solution> \\boxed{7}", "42", "solution"),
        ("<solution></solution>", "", "solution"),
        ("\\boxed{42}", "42", "boxed"),
        ("\\boxed {42}", "42", "boxed"),
        ("so \\boxed{\\frac{1}{2}}.", "\\frac{1}{2}", "boxed"),
        ("\\boxed{\\{1\\}}", "\\{1\\}", "boxed"),
        ("\\boxed{1} then \\boxed{2}", "2", "boxed"),
        ("\\boxed{x = \\boxed{2}}", "2", "boxed"),
        ("in \\boxed as asked: \\boxed{8}", "8", "boxed"),
        ("The answer is 7. \\boxed{8}", "8", "boxed"),
        ("The answer is 42.", "42.", "final_line"),
        ("the answer is: 42", "42", "final_line"),
        ("The answer is:\n\n$$42$$", "$$42$$", "final_line"),
        ("The answer is:\n$$\n42\n$$", "42", "final_line"),
        ("Final answer:\n```\n42\n```", "42", "final_line"),
        ("### Answer\n42", "42", "final_line"),
        ("**Final answer**\n\n42", "42", "final_line"),
        ("12 + 30\n#### 42", "42", "final_line"),
        ("The answer is 42!", "42", "final_line"),
        ("Answer: 5!", "5!", "final_line"),
        ("The answer is 10!/8!", "10!/8!", "final_line"),
        ("Final answer is 42", "42", "final_line"),
        ("Answer: 42", "42", "final_line"),
        ("**Answer:** 42", "42", "final_line"),
        ("**Final Answer**: **42**", "42**", "final_line"),
        ("The answer to the question is 42.", "42.", "final_line"),
        ("Answer (in km): 42", "42", "final_line"),
        ("Antwort: 1.234", "1.234", "final_line"),
        ("答え：42", "42", "final_line"),
        ("答えは42です", "42です", "final_line"),
        ("Answer: 1\nAnswer: 2", "2", "final_line"),
        ("Final answer:\n\n42\nBye", "42", "final_line"),
        ("Final answer:\n- 42 boxes", "42 boxes", "final_line"),
        (LONG + "\nAnswer: 42", "42", "final_line"),
        ("42", "42", "whole"),
        ("  42\n", "42", "whole"),
        (LONG, "", "none"),
        ("", "", "none"),
        ("\\boxed{42", "\\boxed{42", "whole"),
        (LONG + "\\boxed{42", "", "none"),
    ],
)
def test_the_rules_apply_in_their_order(reply, text, rule):
    answer = read_answer(reply)
    assert (answer.text, answer.rule) == (text, rule)


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("<think>1</think>2", "2"),
        ("1<think>2</think>3", "13"),
        ("<think>1</think>2<think>3</think>4", "24"),
        ("1</think>2", "2"),
        ("1<think>2", "1"),
        ("<think>1", ""),
        ("<Thinking>1</Thinking>2", "2"),
        ("<thought>1</thought>2", "2"),
        ("<think>use <think> tags</think>2", "2"),
        ("no block", "no block"),
    ],
)
def test_what_was_thought_is_not_said(reply, kept):
    assert without_thoughts(reply) == kept


def test_an_answer_in_a_think_block_is_none():
    assert read_answer("<think>The answer is 12.</think>").rule == "none"
    assert read_answer("<think>\\boxed{12}</think>13").text == "13"


@pytest.mark.parametrize(
    ("reply", "several"),
    [
        ("\\boxed{5} or \\boxed{7}", True),
        ("\\boxed{5}, \\boxed{7}", True),
        ("$\\boxed{5}$ and $\\boxed{7}$", True),
        ("\\boxed{5} or \\boxed{5}", False),
        ("First \\boxed{5}. I forgot the fee, so \\boxed{7}", False),
        ("<solution>5</solution> or <solution>7</solution>", True),
        ("<solution>5</solution> is wrong. <solution>7</solution>", False),
    ],
)
def test_answers_side_by_side_are_several(reply, several):
    assert read_answer(reply).several is several


def test_only_the_end_of_a_long_reply_is_read():
    padding = "x" * (MAX_REPLY + 1)
    assert read_answer("<solution>1</solution>" + padding).rule == "none"
    assert read_answer(padding + "<solution>1</solution>").text == "1"
    assert read_answer("<think>" + padding + "<solution>1</solution>").rule == "none"
    assert read_answer("<think>" + padding + "</think>The answer is 1").text == "1"


def test_a_reply_is_its_own_answer_only_while_it_is_short():
    assert read_answer("4" * SHORT_REPLY).rule == "whole"
    assert read_answer("4" * (SHORT_REPLY + 1)).rule == "none"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("42", "42"),
        ("The answer is 42", "42"),
        ("The answer is <solution> 42", "42"),
        ("$\\boxed{42}$", "42"),
        (LONG + "no marker", (LONG + "no marker").strip()),
    ],
)
def test_the_content_of_a_block_is_an_answer_of_any_length(content, text):
    answer = read_handed_in(content)
    assert (answer.text, answer.rule) == (text, "solution")
