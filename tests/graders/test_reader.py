"""Closed expressions: their value, and the limits on what they may cost."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from pytest_mint.graders.plain import plain
from pytest_mint.graders.reader import MAX_BITS, evaluate
from pytest_mint.graders.tokens import MAX_TOKENS, Unreadable, tokens


def value(text: str) -> Fraction:
    return evaluate(tokens(plain(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/3 + 1/6", Fraction(1, 2)),
        ("2 + 3*4 - 5", 9),
        ("2^3^2", 512),
        ("-2^2", -4),
        ("2^-1", Fraction(1, 2)),
        ("(-1)^3", -1),
        ("(-1)^(10^300)", 1),
        ("1^(10^300)", 1),
        ("0^0", 1),
        ("0^5", 0),
        ("4^(1/2)", 2),
        ("√(4/9)", Fraction(2, 3)),
        ("√0", 0),
        (r"\sqrt[3]{-8}", -2),
        (r"\frac{\frac{1}{2}}{3}", Fraction(1, 6)),
        ("3 1/2", Fraction(7, 2)),
        (r"3\frac{1}{2}", Fraction(7, 2)),
        (r"3\frac{3}{2}", Fraction(9, 2)),
        ("2(3)(4)", 24),
        ("50%", Fraction(1, 2)),
        ("5!", 120),
        ("0!", 1),
        ("--5", 5),
        ("1e300 * 1e-300", 1),
    ],
)
def test_rational_values_are_exact(text, expected):
    found = value(text)
    if "^(1/2)" in text or "[3]" in text:
        assert abs(found - expected) < Fraction(1, 10**50)
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("√2", "1.4142135623730950488016887242096980785696718753769"),
        ("π", "3.1415926535897932384626433832795028841971693993751"),
        ("e^2", "7.3890560989306502272304274605750078131803155705518"),
        ("2^0.5", "1.4142135623730950488016887242096980785696718753769"),
    ],
)
def test_irrational_values_are_close(text, digits):
    expected = Fraction(digits)
    assert abs(value(text) / expected - 1) < Fraction(1, 10 ** (len(digits) - 4))


def test_a_power_too_large_to_be_exact_is_close():
    exact = Decimal("1.0001") ** 10_000  # in the default context of 28 digits
    assert abs(value("1.0001^10000") / Fraction(exact) - 1) < Fraction(1, 10**24)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 2",
        "1 +",
        "* 2",
        "(1",
        "()",
        "√",
        r"\frac{1}",
        "-" * 9 + "5",
        "(" * 30 + "1" + ")" * 30,
        "√" * 60 + "2",
        "2^" * 60 + "1",
        "1/0",
        "0^-1",
        "√-4",
        "(-2)^0.5",
        r"\sqrt[0]{2}",
        r"\sqrt[4]{-1}",
        "151!",
        "2.5!",
        "(-1)!",
        "9^9^9",
        "((9^9)^9999)^9999",
        f"2^{MAX_BITS} * 2^{MAX_BITS}",
        "10^399 * 10^399 * 10^399 * 10^399",
        "1e401",
        "3!!",
        "1" * 401,
        "1 " * (MAX_TOKENS + 1),
        "2^(10^50)",
        "e^(e^(e^(e^e)))",
    ],
)
def test_what_has_no_value_within_the_limits_is_unreadable(text):
    with pytest.raises(Unreadable):
        value(text)
