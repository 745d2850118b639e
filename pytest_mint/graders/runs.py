"""The expressions in a clause: where one begins and ends, and what stands around it."""

from __future__ import annotations

from fractions import Fraction

from pytest_mint.graders.numerals import MONEY_SCALES, SCALES, vocabulary
from pytest_mint.graders.tokens import Token, Unreadable
from pytest_mint.graders.units import Unit

_STARTERS = ("number", "const", "open", "root", "frac", "money")
#: Words after which a spaced dash is a minus sign.
VERBS = vocabulary(
    "is are was were be equals equal of to at gives get gets becomes by : -"
)
_FUNCTIONS = vocabulary(
    "sin cos tan sec csc cot sinh cosh tanh arcsin arccos arctan log ln lg exp lim"
)


def run_end(part: list[Token], start: int) -> int:
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
            # "3/4 (0.75)" says the same twice, "2(3 + 4)" is a product.
            is_product = at == first or part[at - 1].touches(token)
            if not is_product and _ends_factor(part[at - 1]):
                break
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
        elif token.kind == "op" and _begins(part, after_signs(part, at + 1)):
            at = after_signs(part, at + 1)
        else:
            break
    return at if any(t.kind in ("number", "const") for t in part[first:at]) else start


def _begins(part: list[Token], at: int) -> bool:
    """Whether a factor begins here, with a currency sign before it or without."""
    while at < len(part) and part[at].kind == "money":
        at = after_signs(part, at + 1)
    return at < len(part) and part[at].kind in _STARTERS


def after_signs(part: list[Token], at: int) -> int:
    """The place after any plus and minus signs."""
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


def is_plain(run: list[Token]) -> bool:
    """One signed number and no arithmetic."""
    signs = after_signs(run, 0)
    return all(t.kind != "op" or t.text in "!%" for t in run[signs:])


def is_exponent_of_word(before: list[Token]) -> bool:
    """The 2 of m^2 or x^2 is part of the word."""
    return len(before) > 1 and before[-1].text == "^" and before[-2].kind == "word"


def without_dash(before: list[Token], run: list[Token]) -> list[Token]:
    """ "Total - 5" has a dash in it, "the total is - 5" a minus sign."""
    if run[0].kind != "op" or not before or before[-1].kind != "word":
        return run
    word, sign, value = before[-1], run[0], run[1]
    spaced = word.end < sign.start and sign.end < value.start
    if spaced and len(word.text) > 1 and word.text.lower() not in VERBS:
        return run[1:]
    return run


def refuse_variables(
    before: list[Token], run: list[Token], after: list[Token], is_measured: bool
) -> None:
    """An expression with a variable in it has no value, whatever numbers it holds.

    Raises:
        Unreadable: there is one beside the run; ``is_measured`` says that what follows
            it is a known unit or scale.
    """
    variable = Unreadable("the answer is not a number")
    previous = before[-1] if before else None
    if previous is not None and previous.kind == "op" and previous.text in "*/^":
        raise variable
    if previous is not None and previous.text in _FUNCTIONS:
        raise variable
    if run[0].kind == "op" and previous is not None and _is_variable(previous):
        raise variable
    if not after:
        return
    follower = after[0]
    if follower.kind == "op" and not (follower.text == "/" and is_measured):
        if follower.text in "+*^":
            raise variable
        if len(after) > 1 and _is_variable(after[1]):
            raise variable
    if follower.kind == "word" and not is_measured and _is_factor(run[-1], follower):
        raise variable


def _is_variable(token: Token) -> bool:
    if token.kind != "word":
        return False
    return token.text.endswith(")") or (
        len(token.text) == 1 and token.text.isalpha() and token.text not in "aI"
    )


def _is_factor(number: Token, word: Token) -> bool:
    """``2y``, ``3 n`` and ``4sec`` are products, ``3 apples`` are not."""
    text = word.text
    if not text[:1].isalnum() or not text.isascii():
        return False
    if text.lower() in SCALES:
        return False
    if text.rstrip("(") in _FUNCTIONS:
        return True
    return _is_variable(word) or (number.touches(word) and len(text) < 3)


def scaled(
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
