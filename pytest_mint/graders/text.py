"""Texts: ROUGE-L against the accepted wordings.

Lin, "ROUGE: A Package for Automatic Evaluation of Summaries" (2004), with recall R =
lcs/m and precision P = lcs/n for a reference of m tokens and an answer of n. Their
F1 is 2·lcs/(m + n), so that the threshold is decided with whole numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_mint.errors import GraderError
from pytest_mint.graders.answer import MAX_REPLY, read_answer
from pytest_mint.graders.submission import submission
from pytest_mint.graders.verdict import Proposal, Verdict, right, wrong
from pytest_mint.graders.wording import Tokenizer, says, wording
from pytest_mint.tasks.graderspec import TextSpec

if TYPE_CHECKING:
    from pytest_mint.tasks.model import Task

#: With ``measure: recall`` length costs nothing, so that a reply could hold every
#: word there is: longer than this many times the reference, it is wrong.
MAX_RECALL_LENGTH = 20


def grade_text(task: Task, proposal: Proposal) -> Verdict:
    """Grade a short text.

    Right if the reply as handed in, or the answer that it marks, is near enough to
    one accepted wording and holds what ``must_include`` and ``must_not_include`` ask.
    The reason never says more than "wrong".

    Raises:
        GraderError: the task has no usable reference.
    """
    spec = task.grader
    if not isinstance(spec, TextSpec):
        raise GraderError(f"{task.key} is not graded as a text")
    references = _references(task)
    best, rule = Fraction(0), "none"
    for candidate, found_by in _candidates(proposal.text):
        score = rouge_l(candidate, references, spec)
        fits = says(candidate, task.must_include, task.must_not_include)
        if fits and score >= _threshold(spec):
            return right(found_by, rouge_l=float(score))
        if score >= best:
            best, rule = score, found_by
    return wrong("wrong", rule, rouge_l=float(best))


def rouge_l(answer: str, references: Iterable[str], spec: TextSpec) -> Fraction:
    """The best ROUGE-L of an answer over the references, exactly.

    An answer that cannot reach the threshold, because it is too long or has too few
    of the words, counts as 0 and costs nothing.
    """
    from rouge_score.rouge_scorer import RougeScorer

    tokenizer = Tokenizer(spec.stemmer)
    scorer = RougeScorer(["rougeL"], tokenizer=tokenizer)
    given = tokenizer.tokenize(answer)
    best = Fraction(0)
    for reference in references:
        wanted = tokenizer.tokenize(reference)
        # No common subsequence is longer than the words in common.
        common = (Counter(wanted) & Counter(given)).total()
        if _score(spec, common, wanted, given) < _threshold(spec):
            continue
        recall = scorer.score(reference, answer)["rougeL"].recall
        # It is lcs/m as a float: the whole number comes back exactly.
        lcs = round(recall * len(wanted))
        best = max(best, _score(spec, lcs, wanted, given))
    return best


def _score(spec: TextSpec, lcs: int, wanted: list[str], given: list[str]) -> Fraction:
    if spec.measure == "fmeasure":
        return Fraction(2 * lcs, len(wanted) + len(given))
    if len(given) > MAX_RECALL_LENGTH * len(wanted):
        return Fraction(0)
    return Fraction(lcs, len(wanted))


def _threshold(spec: TextSpec) -> Fraction:
    return Fraction(str(spec.threshold))


def _references(task: Task) -> list[str]:
    expected = task.expected_output
    found = list(expected) if isinstance(expected, (list, tuple)) else [expected]
    found += [form.answer for form in task.accept]
    if not found:
        raise GraderError(f"{task.key}: expected_output is empty; give a text")
    for given in found:
        if not isinstance(given, str) or not wording(given):
            raise GraderError(
                f"{task.key}: the reference {given!r} has no word or number to "
                "compare with; expected_output and accept need a text"
            )
    return found


def _candidates(reply: str) -> list[tuple[str, str]]:
    """What may be the answer, and the rule that found it."""
    marked = read_answer(reply)
    if marked.several:
        return []
    found = []
    if len(reply) <= MAX_REPLY:
        by = "solution" if marked.rule == "solution" else "whole"
        found.append((submission(reply), by))
    if marked.rule in ("solution", "boxed", "final_line"):
        found.append((marked.text, marked.rule))
    return found
