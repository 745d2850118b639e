"""The value of a closed expression, with a limit on everything that can grow.

Numbers are exact fractions; roots and powers that are not rational are taken to 60
digits. The limits are checked before the arithmetic, so that no text costs more than
a few milliseconds: depth of nesting, size of every intermediate result, factorials.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, DecimalException
from fractions import Fraction
from math import factorial, isqrt

from pytest_mint.graders.tokens import Token, Unreadable

#: Size of any intermediate numerator or denominator, in bits; 10^400 has 1329.
MAX_BITS = 4096
MAX_DEPTH = 24
MAX_FACTORIAL = 150

_CONTEXT = Context(prec=60, Emax=100_000, Emin=-100_000)
_FACTORS = ("const", "open", "root", "frac")
_SLASHED = ("number", "op", "number")
_STACKED = ("frac", "open", "number", "close", "open", "number", "close")


def evaluate(run: Sequence[Token]) -> Fraction:
    """The value of an expression.

    Args:
        run: its tokens and nothing else.

    Raises:
        Unreadable: it is not a closed expression, or it is beyond the limits.
    """
    parser = _Parser([token for token in run if token.kind != "money"])
    value = parser.sum(0)
    if parser.peek() is not None:
        raise Unreadable("the answer is not one number")
    return value


class _Parser:
    """Recursive descent; every method takes the depth of nesting so far."""

    def __init__(self, run: Sequence[Token]) -> None:
        self._run = list(run)
        self._at = 0

    def peek(self) -> Token | None:
        return self._run[self._at] if self._at < len(self._run) else None

    def _take(self, operators: str) -> str:
        token = self.peek()
        if token is None or token.kind != "op" or token.text not in operators:
            return ""
        self._at += 1
        return token.text

    def sum(self, depth: int) -> Fraction:
        if depth > MAX_DEPTH:
            raise Unreadable("the answer is nested too deeply")
        value = self._product(depth)
        while operator := self._take("+-"):
            other = self._product(depth)
            value = _bounded(value + other if operator == "+" else value - other)
        return value

    def _product(self, depth: int) -> Fraction:
        value = self._signed(depth)
        while True:
            if operator := self._take("*/"):
                other = self._signed(depth)
                value = (
                    _multiply(value, other) if operator == "*" else _over(value, other)
                )
            elif self._is_implicit():
                value = _multiply(value, self._power(depth))
            else:
                return value

    def _is_implicit(self) -> bool:
        """Two factors side by side; two plain numbers are never a product."""
        token = self.peek()
        return token is not None and token.kind in _FACTORS

    def _signed(self, depth: int) -> Fraction:
        sign = 1
        for _ in range(8):
            operator = self._take("+-")
            if not operator:
                return sign * self._power(depth)
            sign = -sign if operator == "-" else sign
        raise Unreadable("the answer has too many signs")

    def _power(self, depth: int) -> Fraction:
        if depth > MAX_DEPTH:
            raise Unreadable("the answer is nested too deeply")
        base = self._postfix(depth)
        if not self._take("^"):
            return base
        sign = -1 if self._take("+-") == "-" else 1
        return _raise(base, sign * self._power(depth + 1))

    def _postfix(self, depth: int) -> Fraction:
        value = self._atom(depth)
        while operator := self._take("!%"):
            value = _factorial(value) if operator == "!" else value / 100
        return value

    def _atom(self, depth: int) -> Fraction:
        token = self.peek()
        if token is None:
            raise Unreadable("the answer is not a whole expression")
        self._at += 1
        if token.kind == "number":
            assert token.value is not None
            return self._mixed(token.value, token)
        if token.kind == "const":
            assert token.value is not None
            return token.value
        if token.kind == "open":
            return self._group(depth)
        if token.kind == "root":
            return _root(self._argument(depth), token.degree)
        if token.kind == "frac":
            above = self._argument(depth)
            return _over(above, self._argument(depth))
        raise Unreadable("the answer is not a number")

    def _group(self, depth: int) -> Fraction:
        value = self.sum(depth + 1)
        closing = self.peek()
        if closing is None or closing.kind != "close":
            raise Unreadable("a bracket does not close")
        self._at += 1
        return value

    def _argument(self, depth: int) -> Fraction:
        token = self.peek()
        if token is not None and token.kind == "open":
            self._at += 1
            return self._group(depth)
        if depth > MAX_DEPTH:
            raise Unreadable("the answer is nested too deeply")
        return self._atom(depth + 1)

    def _mixed(self, whole: Fraction, token: Token) -> Fraction:
        """``1 1/2`` and ``1 \\frac{1}{2}``: a whole number and a proper fraction."""
        if not token.text.isdigit():
            return whole
        for shape in (_SLASHED, _STACKED):
            part = self._run[self._at : self._at + len(shape)]
            if tuple(piece.kind for piece in part) != shape or part[1].text in "+-*^":
                continue
            above, below = (piece.value for piece in part if piece.kind == "number")
            if above and below and above < below:
                self._at += len(shape)
                return whole + above / below
        return whole


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _bounded(value: Fraction) -> Fraction:
    if _bits(value) > MAX_BITS:
        raise Unreadable("the answer is out of range")
    return value


def _multiply(left: Fraction, right: Fraction) -> Fraction:
    if _bits(left) + _bits(right) > 2 * MAX_BITS:
        raise Unreadable("the answer is out of range")
    return _bounded(left * right)


def _over(above: Fraction, below: Fraction) -> Fraction:
    if not below:
        raise Unreadable("the answer divides by zero")
    return _multiply(above, 1 / below)


def _factorial(value: Fraction) -> Fraction:
    if value.denominator != 1 or not 0 <= value <= MAX_FACTORIAL:
        raise Unreadable("the answer is out of range")
    return Fraction(factorial(int(value)))


def _raise(base: Fraction, exponent: Fraction) -> Fraction:
    if not base:
        if exponent < 0:
            raise Unreadable("the answer divides by zero")
        return Fraction(0 if exponent else 1)
    if exponent.denominator != 1:
        if base < 0:
            raise Unreadable("the answer is not a real number")
        return _decimal_power(base, exponent)
    if abs(base) == 1:
        return base if exponent.numerator % 2 else Fraction(1)
    if abs(exponent) * _bits(base) > MAX_BITS:
        return _decimal_power(base, exponent)
    power: Fraction = base**exponent.numerator
    return _bounded(power)


def _decimal_power(base: Fraction, exponent: Fraction) -> Fraction:
    try:
        power = _CONTEXT.multiply(_CONTEXT.ln(_decimal(abs(base))), _decimal(exponent))
        if not -900 < power < 900:
            raise Unreadable("the answer is out of range")
        value = Fraction(_CONTEXT.exp(power))
    except DecimalException:
        raise Unreadable("the answer is out of range") from None
    odd = exponent.denominator == 1 and exponent.numerator % 2
    return _bounded(-value if base < 0 and odd else value)


def _root(value: Fraction, degree: int) -> Fraction:
    if not value:
        return value
    if degree == 2 and value > 0:
        above, below = isqrt(value.numerator), isqrt(value.denominator)
        if above**2 == value.numerator and below**2 == value.denominator:
            return Fraction(above, below)
    if value < 0:
        if degree % 2 == 0:
            raise Unreadable("the answer is not a real number")
        return -_root(-value, degree)
    if not degree:
        raise Unreadable("the answer is not a number")
    return _decimal_power(value, Fraction(1, degree))


def _decimal(value: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))
