"""Which number a sentence answers with.

The rules are those of a careful reader. The value of an equation is its right side; a
bracket with words in it is an aside; "which is", "since" and "because" begin an
explanation; "so" and "therefore" a conclusion. What is left has to be one value:
ranges, bounds, lists and alternatives are not answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pytest_mint.graders.numerals import (
    MONEY_SCALES,
    SCALES,
    kanji_to_digits,
    runs_of_words,
)
from pytest_mint.graders.plain import plain, vocabulary
from pytest_mint.graders.reader import evaluate
from pytest_mint.graders.tokens import Token, Unreadable, tokens
from pytest_mint.graders.units import MONEY, Unit, parse_unit

#: Characters of an answer; a number and a sentence around it need fewer.
MAX_ANSWER = 2_000

_STARTERS = ("number", "const", "open", "root", "frac", "money")
_HEDGES = re.compile(
    r"\b(?:either|maybe|perhaps|possibly|probably|might|not sure|unsure|could be"
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
_NEGATIONS = vocabulary("not isn't aren't wasn't never")
_SKIPPED = vocabulary("not instead rather unlike")
_BOUNDS = vocabulary("between exceeds exceeding")
_BOUND_PAIRS = vocabulary(
    "at least, at most, more than, less than, fewer than, greater than, "
    "larger than, smaller than, up to, no more, not exceeding, from between",
    ", ",
)
_VERBS = vocabulary(
    "is are was were be equals equal of to at gives get gets becomes by : -"
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


@dataclass
class _Clause:
    """A part of a sentence, and the word or mark that stood before it."""

    lead: str
    parts: list[Token] = field(default_factory=list)

    def first_word(self) -> str:
        first = self.parts[0] if self.parts else None
        return first.text.lower() if first is not None and first.kind == "word" else ""


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
    sentences = [s for s in _sentences(found) if _has_number(s)]
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
    for start, value in runs_of_words(readable):
        before = readable[:start].split()
        verb = before[-1].lower() if before else ""
        if not before or verb in _VERBS or verb[-1:] in ":=" or value not in (0, 1, 2):
            found.append(Quantity(value))
    if not found:
        raise Unreadable("the answer is not a number")
    return found


def _sentences(found: Iterable[Token]) -> list[list[Token]]:
    sentences: list[list[Token]] = [[]]
    for token in found:
        if token.kind == "stop":
            sentences.append([])
        else:
            sentences[-1].append(token)
    return [sentence for sentence in sentences if sentence]


def _has_number(part: Sequence[Token]) -> bool:
    return any(t.kind in ("number", "const", "bad") for t in part)


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
        self._found = _without_asides(list(found))
        self._dollar_is_money = text.count("$") % 2 == 1

    def quantities(self) -> list[Quantity]:
        values: list[Quantity] = []
        introduced = False
        for clause in _clauses(self._found):
            first = clause.first_word()
            if first in _SKIPPED or not _has_number(clause.parts):
                continue
            if values and (clause.lead in _REASONS or first in _REASONS):
                break
            found = self._clause(clause)
            if not found:
                continue
            concludes = first in _CONCLUSION or first in _CONCLUSION_VERBS
            if introduced or concludes or clause.lead in _CONCLUSION:
                values = []
            elif values and _is_bare(clause):
                raise Unreadable("the answer holds several numbers")
            introduced = not values and (
                first in _INTRODUCTIONS or clause.lead in _INTRODUCTIONS
            )
            values += found
        return values

    def _clause(self, clause: _Clause) -> list[Quantity]:
        part = _right_side(clause.parts)
        if any(token.kind == "bad" for token in part):
            raise Unreadable("the answer is not one number")
        values = []
        at = 0
        while at < len(part):
            end = _run_end(part, at)
            if end == at:
                at += 1
                continue
            quantity = self._quantity(part, at, end)
            if quantity is not None:
                values.append(quantity)
            at = end
        return values

    def _quantity(self, part: list[Token], start: int, end: int) -> Quantity | None:
        before, after = part[:start], part[end:]
        run = part[start:end]
        if _is_exponent_of_word(before):
            return None
        words = [t.text.lower() for t in before if t.kind == "word"]
        if _NEGATIONS.intersection(words[-2:]):
            return None
        if words[-1:] and (
            words[-1] in _BOUNDS or " ".join(words[-2:]) in _BOUND_PAIRS
        ):
            raise Unreadable("the answer is a bound, not a value")
        run = _without_dash(before, run)
        _refuse_variables(before, run, after)
        value = evaluate(run)
        percent = run[-1].text == "%" and _is_plain(run)
        value, rest = _scaled(value, run, after, self._money(before, run))
        unit = self._unit(before, run, rest)
        if unit == {"%": 1} and not percent:
            percent, unit, value = True, None, value / 100
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

    def _unit(self, before: list[Token], run: list[Token], at: int) -> Unit | None:
        text = self._text
        while at < len(text) and text[at] in " $)":
            at += 1
        unit, _ = parse_unit(text, at)
        return unit or self._money(before, run)


def _without_asides(found: list[Token]) -> list[Token]:
    """Drop brackets that hold words; unwrap one that holds the answer itself."""
    spans = _brackets(found)
    worded = [
        (start, end)
        for start, end in spans
        if any(t.kind in ("word", "equal") for t in found[start + 1 : end])
    ]
    inside = {n for start, end in worded for n in range(start, end + 1)}
    if not _has_number([t for n, t in enumerate(found) if n not in inside]):
        edges = {n for span in worded for n in span}
        return [t for n, t in enumerate(found) if n not in edges]
    for start, end in worded:
        aside = found[start + 1 : end]
        if _has_number(aside) and aside[0].text.lower() == "or":
            raise Unreadable("the answer holds several numbers")
    return [t for n, t in enumerate(found) if n not in inside]


def _brackets(found: list[Token]) -> list[tuple[int, int]]:
    """The outermost pairs of brackets."""
    spans: list[tuple[int, int]] = []
    stack: list[int] = []
    for n, token in enumerate(found):
        if token.kind == "open":
            stack.append(n)
        elif token.kind == "close" and stack:
            start = stack.pop()
            if not stack:
                spans.append((start, n))
    return spans


def _clauses(found: Sequence[Token]) -> list[_Clause]:
    clauses = [_Clause("")]
    depth = 0
    for token in found:
        depth += (token.kind == "open") - (token.kind == "close")
        word = token.text.lower() if token.kind == "word" else ""
        if depth <= 0 and token.kind == "comma":
            clauses.append(_Clause(","))
        elif depth <= 0 and word in ("and", "or", ":", "but", "because", "since", "so"):
            clauses.append(_Clause(word))
        else:
            clauses[-1].parts.append(token)
    return _joined_leads(clauses)


def _joined_leads(clauses: list[_Clause]) -> list[_Clause]:
    """ ", so 12" is led by "so", not by the comma before it."""
    kept: list[_Clause] = []
    for clause in clauses:
        if kept and not kept[-1].parts and clause.lead not in ("and", "or", ","):
            kept.pop()
        kept.append(clause)
    return kept


def _is_bare(clause: _Clause) -> bool:
    """A number and no word before it, as the items of a list are."""
    return (
        clause.lead in (",", "and", "or")
        and clause.parts[0].kind != "word"
        and (not any(token.kind == "equal" for token in clause.parts))
    )


def _right_side(parts: list[Token]) -> list[Token]:
    sides: list[list[Token]] = [[]]
    depth = 0
    for token in parts:
        depth += (token.kind == "open") - (token.kind == "close")
        if token.kind == "equal" and depth <= 0:
            sides.append([])
        else:
            sides[-1].append(token)
    if len(sides) > 1 and not _has_number(sides[-1]):
        # "75 = the total" has its value on the left, "2x = y" has none.
        plain_words = all(t.kind == "word" and len(t.text) > 1 for t in sides[-1])
        return sides[-2] if plain_words else []
    return sides[-1]


def _run_end(part: list[Token], start: int) -> int:
    """Where the expression that begins at ``start`` ends; ``start`` if none does."""
    at = start
    while at < len(part) and part[at].kind == "op" and part[at].text in "+-":
        at += 1
    if not _begins(part, at):
        return start
    first = at
    while at < len(part):
        token = part[at]
        if token.kind == "open":
            at = _group_end(part, at)
        elif token.kind == "number" and at > first and _ends_factor(part[at - 1]):
            if not _is_mixed(part, at):
                break
            at += 1
        elif token.kind in _STARTERS:
            if token.kind == "money" and not _begins(part, at + 1):
                break
            at += 1
        elif token.kind == "op" and token.text in "!%":
            at += 1
        elif token.kind == "op" and _begins(part, _after_signs(part, at + 1)):
            at = _after_signs(part, at + 1)
        else:
            break
    return at if any(t.kind in ("number", "const") for t in part[first:at]) else start


def _begins(part: list[Token], at: int) -> bool:
    if at >= len(part) or part[at].kind not in _STARTERS:
        return False
    return part[at].kind != "money" or _begins(part, _after_signs(part, at + 1))


def _after_signs(part: list[Token], at: int) -> int:
    while at < len(part) and part[at].kind == "op" and part[at].text in "+-":
        at += 1
    return at


def _group_end(part: list[Token], start: int) -> int:
    depth = 0
    for at in range(start, len(part)):
        token = part[at]
        depth += (token.kind == "open") - (token.kind == "close")
        if token.kind == "comma":
            raise Unreadable("the answer holds several numbers")
        if not depth:
            return at + 1
    raise Unreadable("a bracket does not close")


def _ends_factor(token: Token) -> bool:
    return token.kind in ("number", "const", "close") or token.text in "!%"


def _is_mixed(part: list[Token], at: int) -> bool:
    """Whether ``1/2`` follows a whole number, as in ``1 1/2``."""
    slash = part[at + 1 : at + 3]
    return (
        part[at - 1].kind == "number"
        and part[at - 1].text.isdigit()
        and len(slash) == 2
        and slash[0].text == "/"
        and slash[1].kind == "number"
    )


def _is_plain(run: list[Token]) -> bool:
    """One signed number and no arithmetic."""
    signs = _after_signs(run, 0)
    return all(t.kind != "op" or t.text in "!%" for t in run[signs:])


def _is_exponent_of_word(before: list[Token]) -> bool:
    """The 2 of m^2 or x^2 is part of the word."""
    return len(before) > 1 and before[-1].text == "^" and before[-2].kind == "word"


def _without_dash(before: list[Token], run: list[Token]) -> list[Token]:
    """ "Total - 5" has a dash in it, "the total is - 5" a minus sign."""
    if run[0].kind != "op" or not before or before[-1].kind != "word":
        return run
    word, sign, value = before[-1], run[0], run[1]
    spaced = word.end < sign.start and sign.end < value.start
    if spaced and len(word.text) > 1 and word.text.lower() not in _VERBS:
        return run[1:]
    return run


def _refuse_variables(
    before: list[Token], run: list[Token], after: list[Token]
) -> None:
    """An expression with a variable in it has no value, whatever numbers it holds."""
    variable = Unreadable("the answer is not a number")
    previous = before[-1] if before else None
    if previous is not None and previous.kind == "op" and previous.text in "*/^":
        raise variable
    if run[0].kind == "op" and previous is not None and _is_variable(previous):
        raise variable
    if not after:
        return
    follower = after[0]
    if follower.kind == "op":
        if follower.text in "+*^":
            raise variable
        if len(after) > 1 and _is_variable(after[1]):
            raise variable
    if follower.kind == "word" and _is_factor(run[-1], follower):
        raise variable


def _is_variable(token: Token) -> bool:
    if token.kind != "word":
        return False
    return token.text.endswith(")") or (
        len(token.text) == 1 and token.text.isalpha() and token.text not in "aI"
    )


def _is_factor(number: Token, word: Token) -> bool:
    """``2y`` and ``3 n`` are products, ``2 kg`` and ``3 apples`` are not."""
    if parse_unit(word.text, 0)[0] is not None or not word.text.isascii():
        return False
    if word.text in MONEY_SCALES or word.text.lower() in SCALES:
        return False
    if number.touches(word):
        return len(word.text) < 3 and word.text[:1].isalnum()
    return _is_variable(word)


def _scaled(
    value: Fraction, run: list[Token], after: list[Token], money: Unit | None
) -> tuple[Fraction, int]:
    """The value times "million" and the like, and where the text goes on."""
    end = run[-1].end
    for token in after:
        if token.kind == "money":
            continue
        word = token.text.lower() if token.kind == "word" else ""
        if word in SCALES:
            value *= SCALES[word]
        elif token.text in MONEY_SCALES and (money or token.text == "k"):
            value *= MONEY_SCALES[token.text]
            return value, token.end
        else:
            break
        end = token.end
    return value, end
