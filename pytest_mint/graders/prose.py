"""Which number a sentence answers with.

The rules are those of a careful reader. The value of an equation is its right side; a
bracket with words in it is an aside; "which is", "since" and "because" begin an
explanation; "so" and "therefore" a conclusion. What is left has to be one value:
ranges, bounds, lists and alternatives are not answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_mint.graders.clauses import (
    Clause,
    clauses_of,
    has_number,
    is_bare,
    right_side,
    sentences_of,
    without_asides,
)
from pytest_mint.graders.numerals import kanji_to_digits, runs_of_words, vocabulary
from pytest_mint.graders.plain import plain
from pytest_mint.graders.reader import evaluate
from pytest_mint.graders.runs import (
    VERBS,
    is_exponent_of_word,
    is_plain,
    refuse_variables,
    run_end,
    scaled,
    without_dash,
)
from pytest_mint.graders.tokens import Token, Unreadable, tokens
from pytest_mint.graders.units import MONEY, Unit, parse_unit

#: Characters of an answer; a number and a sentence around it need fewer.
MAX_ANSWER = 2_000

_HEDGES = re.compile(
    r"\b(?:either\b.{0,60}\bor|maybe|perhaps|possibly|probably|might be|could be"
    r"|not sure|unsure"
    r"|i guess|my guess|can(?:no|')t be determined|cannot determine)\b",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:wait|actually|correction|sorry|oops|hmm|mistake|instead|scratch that)\b"
    r"|(?:^|[.!?]\s+)no[,.]",
    re.IGNORECASE,
)
_CONCLUSION = vocabulary("so thus therefore hence then altogether finally overall")
_CONCLUSION_VERBS = vocabulary("giving making leaving yielding meaning totaling")
_REASONS = vocabulary("because since which where as given using rounded")
_INTRODUCTIONS = vocabulary(
    "because since if when given as with for after in on at by from using"
)
#: "Step 3" and "part 2" have a number in them, and no value.
_LABELS = vocabulary("step part case question problem exercise figure table equation")
_EQUALS = vocabulary("is are was were be equals")
_NEARLY = vocabulary("about approximately around roughly exactly only just then $ €")
_NEGATIONS = vocabulary("not isn't aren't wasn't never")
_SKIPPED = vocabulary("not instead rather unlike")
_BOUNDS = vocabulary("between exceeds exceeding")
_BOUND_PAIRS = vocabulary(
    "at least, at most, more than, less than, fewer than, greater than, "
    "larger than, smaller than, up to, no more, not exceeding, from between",
    ", ",
)


@dataclass(frozen=True)
class Quantity:
    """A number as the answer gives it.

    ``percent`` says that a percent sign stood after it; ``value`` is then already
    divided by 100. ``unit`` is None where no known unit stands beside it.
    """

    value: Fraction
    unit: tuple[tuple[str, int], ...] | None = None
    percent: bool = False


def read_quantities(
    text: str, locale: str = "", first_sentence: bool = False
) -> list[Quantity]:
    """The values that a text answers with; it is right if all of them are.

    Args:
        text: the answer, as found in the reply.
        locale: how numbers are written, "" if nothing is known.
        first_sentence: whether the answer stands at the beginning ("the answer is …")
            and what follows may explain it.

    Raises:
        Unreadable: there is no number, or no single one.
    """
    if len(text) > MAX_ANSWER:
        raise Unreadable("the answer is too long")
    readable = kanji_to_digits(plain(text))
    if _HEDGES.search(readable):
        raise Unreadable("the answer is hedged")
    found = tokens(readable, locale)
    sentences = [s for s in sentences_of(found) if has_number(s)]
    if not sentences:
        return _words(readable)
    if first_sentence:
        after = sentences[1][0].start if len(sentences) > 1 else sentences[0][-1].end
        if _TAKEN_BACK.search(readable, after - 1):
            raise Unreadable("the answer is taken back")
        sentences = sentences[:1]
    elif _concludes(sentences[-1]):
        sentences = sentences[-1:]
    quantities = [q for s in sentences for q in _Sentence(readable, s).quantities()]
    if not quantities:
        raise Unreadable("the answer is not a number")
    return quantities


def _words(readable: str) -> list[Quantity]:
    """Number words count where there is no digit, and "one" only as an answer."""
    if any(char.isdigit() for char in readable):
        raise Unreadable("the answer is not a number")
    found = []
    for start, end, value in runs_of_words(readable):
        before = readable[:start].split()
        verb = before[-1].lower() if before else ""
        if not before or verb in VERBS or verb[-1:] in ":=" or value not in (0, 1, 2):
            percent = readable[end:].lstrip(" -").lower().startswith("percent")
            found.append(Quantity(value / 100 if percent else value, None, percent))
    if not found:
        raise Unreadable("the answer is not a number")
    return found


def _concludes(sentence: Sequence[Token]) -> bool:
    """Whether a sentence draws the conclusion from those before it."""
    first = sentence[0].text.lower() if sentence[0].kind == "word" else ""
    if first in _CONCLUSION:
        return True
    equal = [n for n, token in enumerate(sentence) if token.kind == "equal"]
    # "x = 5" beside "y = 7" is a second answer, "12 + 5 = 17" a result.
    return bool(equal) and any(t.kind == "op" for t in sentence[: equal[-1]])


class _Sentence:
    """One sentence of the answer, to be read clause by clause."""

    def __init__(self, text: str, found: Sequence[Token]) -> None:
        self._text = text
        self._found = without_asides(list(found))
        self._dollar_is_money = text.count("$") % 2 == 1

    def quantities(self) -> list[Quantity]:
        values: list[Quantity] = []
        introduced = False
        for clause in clauses_of(self._found):
            first = clause.first_word()
            if first in _SKIPPED or not has_number(clause.parts):
                continue
            if values and (clause.lead in _REASONS or first in _REASONS):
                break
            found = self._clause(clause)
            if not found:
                continue
            concludes = first in _CONCLUSION or first in _CONCLUSION_VERBS
            if introduced or concludes or clause.lead in _CONCLUSION:
                values = []
            elif values and is_bare(clause):
                raise Unreadable("the answer holds several numbers")
            introduced = not values and (
                first in _INTRODUCTIONS or clause.lead in _INTRODUCTIONS
            )
            values += found
        return values

    def _clause(self, clause: Clause) -> list[Quantity]:
        part = right_side(clause.parts)
        if any(token.kind == "bad" for token in part):
            raise Unreadable("the answer is not one number")
        values: list[Quantity] = []
        at = last = 0
        while at < len(part):
            end = run_end(part, at)
            if end == at:
                at += 1
                continue
            quantity = self._quantity(part, at, end)
            if quantity is not None:
                if _is_stated(part[last:at]):
                    values.clear()
                values.append(quantity)
                last = end
            at = end
        return values

    def _quantity(self, part: list[Token], start: int, end: int) -> Quantity | None:
        before, run, after = part[:start], part[start:end], part[end:]
        if is_exponent_of_word(before) or _is_denied(before):
            return None
        run = without_dash(before, run)
        value, at = scaled(evaluate(run), run, after, self._money(before, run))
        unit = self._unit_after(at)
        is_measured = unit is not None or at > run[-1].end
        refuse_variables(before, run, after, is_measured)
        percent = run[-1].text == "%" and is_plain(run)
        if unit == {"%": 1} and not percent:
            percent, unit, value = True, None, value / 100
        unit = unit or self._money(before, run)
        known = tuple(sorted(unit.items())) if unit else None
        return Quantity(value, known, percent)

    def _money(self, before: list[Token], run: list[Token]) -> Unit | None:
        marks = [t for t in (*before[-1:], *run) if t.kind in ("money", "word")]
        for mark in marks:
            if mark.text == "$" and not self._dollar_is_money:
                continue
            unit, _ = parse_unit(mark.text, 0)
            if unit is not None and MONEY.issuperset(unit):
                return unit
        return None

    def _unit_after(self, at: int) -> Unit | None:
        text = self._text
        while at < len(text) and text[at] in " $)":
            at += 1
        return parse_unit(text, at)[0]


def _is_stated(between: list[Token]) -> bool:
    """Whether a verb gives the value that follows to all that was said before.

    "3 tickets cost, at 14 each, 42" leaves three values, "the price of 3 tickets is
    42" one; "x is 5 when y is 3" leaves two.
    """
    words = [t.text.lower() for t in between if t.kind in ("word", "money")]
    while words and words[-1] in _NEARLY:
        words.pop()
    return bool(words) and words[-1] in _EQUALS and _INTRODUCTIONS.isdisjoint(words)


def _is_denied(before: list[Token]) -> bool:
    """Whether the words before a number say that it is not the answer.

    Raises:
        Unreadable: they make a bound or a range of it.
    """
    words = [token.text.lower() for token in before if token.kind == "word"]
    if words and (words[-1] in _BOUNDS or " ".join(words[-2:]) in _BOUND_PAIRS):
        raise Unreadable("the answer is a bound, not a value")
    if words and words[-1] in _LABELS and before[-1].kind == "word":
        return True
    return not _NEGATIONS.isdisjoint(words[-2:])
