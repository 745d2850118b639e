"""Numbers: how they may be written, and what is not one."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.verdict import Verdict
from pytest_mint.tasks.model import Task
from tests.graders.cases import HINTS

MILLION = 1_000_000


def number_task(expected: Any, **grader: Any) -> Task:
    if not {"tolerance", "rel_tol"} & grader.keys():
        grader["tolerance"] = "0.01" if float(expected) == 0 else None
        size = abs(float(expected))
        if size:
            grader["tolerance"] = str(min(0.01, size / 10))
    return Task.model_validate(
        {
            "id": "a-number",
            "category": "reasoning",
            "input": "How many?",
            "expected_output": expected,
            "hints": HINTS,
            "grader": grader,
        }
    )


def judge(reply: str, expected: Any, **grader: Any) -> Verdict:
    return grade(number_task(expected, **grader), Proposal(reply))


RIGHT = [
    # thousands and decimal marks
    ("1,234", 1234),
    ("1 234", 1234),
    ("1\u00a0234\u00a0567", 1234567),
    ("1\u202f234,5", 1234.5),
    ("1'234'567.5", 1234567.5),
    ("1’234", 1234),
    ("12,34,567", 1234567),
    ("1,23,45,678.50", 12345678.5),
    ("1.234.567", 1234567),
    ("1.234.567,89", 1234567.89),
    ("1,234,567.89", 1234567.89),
    ("1_000_000", MILLION),
    ("3,5", 3.5),
    ("0,125", 0.125),
    ("$1{,}234$", 1234),
    (r"1,\!234", 1234),
    (r"1\ 234", 1234),
    ("007", 7),
    (".25", 0.25),
    ("-.5", -0.5),
    ("+5", 5),
    ("5.", 5),
    ("5.0", 5),
    # digits of the world
    ("４２", 42),
    ("٤٢", 42),
    ("١٬٢٣٤٫٥", 1234.5),
    ("۴۲", 42),
    ("४२", 42),
    ("𝟒𝟐", 42),
    ("三千二百", 3200),
    ("二〇二四", 2024),
    ("3億5000万", 350 * MILLION),
    ("1.5万", 15000),
    ("答えは四十二です", 42),
    ("答え：百", 100),
    # minus
    ("−5", -5),
    ("–5", -5),
    ("－５", -5),
    ("the result is - 5", -5),
    ("-(5)", -5),
    (r"$-\frac{1}{2}$", -0.5),
    # money and units
    ("$5", 5),
    ("-$5", -5),
    ("$-5", -5),
    ("€ 5,50", 5.5),
    ("5 €", 5),
    ("USD 1,200", 1200),
    ("Rs. 500", 500),
    ("¥5000", 5000),
    ("5000円です", 5000),
    ("$1.2M", 1_200_000),
    ("$3bn", 3000 * MILLION),
    ("£2.5k", 2500),
    ("5kg", 5),
    ("5 kilograms", 5),
    ("60 km/h", 60),
    ("3 m^2", 3),
    ("3 m²", 3),
    ("9.8 m s^-2", 9.8),
    ("25°", 25),
    ("25 °C", 25),
    (r"52^\circ", 52),
    ("12 apples", 12),
    ("12 square units", 12),
    ("5 customers per week", 5),
    (r"16\,\text{cm}", 16),
    (r"\(16\ \mathrm{cm}\)", 16),
    # percent
    ("50%", 0.5),
    (r"50\%", 0.5),
    ("12.5 percent", 0.125),
    ("50 ％", 0.5),
    # powers of ten
    ("3.2e5", 320000),
    ("3.2E+5", 320000),
    ("3.2 x 10^5", 320000),
    ("3.2 × 10⁵", 320000),
    ("3.2*10^5", 320000),
    (r"3.2 \times 10^{5}", 320000),
    (r"3.2 \cdot 10^5", 320000),
    ("3.2 · 10^(5)", 320000),
    ("10^6", MILLION),
    ("2 × 10⁻¹", 0.2),
    # fractions and mixed numbers
    ("3/4", 0.75),
    ("¾", 0.75),
    ("1½", 1.5),
    ("1 1/2", 1.5),
    ("-1 1/2", -1.5),
    ("2 3/4 cups", 2.75),
    (r"\frac{3}{4}", 0.75),
    (r"\dfrac{3}{4}", 0.75),
    (r"\frac34", 0.75),
    (r"\frac{3}4", 0.75),
    (r"1\frac{1}{2}", 1.5),
    (r"\frac{\pi}{2}", 1.5707963),
    ("0.333...", 0.333),
    (r"0.1\overline{6}", "0.16666667"),
    # closed expressions
    ("2 + 3 * 4", 14),
    ("(2 + 3) * 4", 20),
    ("(2+3)(4)", 20),
    ("2^3^2", 512),
    ("-2^2", -4),
    ("2**10", 1024),
    ("2 ** 10", 1024),
    ("7!", 5040),
    ("10!/8!", 90),
    ("√16", 4),
    ("√(9+16)", 5),
    ("sqrt(2)", 1.41421356),
    (r"2\sqrt{3}", 3.46410162),
    (r"\sqrt[3]{27}", 3),
    ("8^(1/3)", 2),
    ("cbrt(27)", 3),
    ("2π", 6.28318531),
    ("3pi/4", 2.35619449),
    (r"3\pi", 9.42477796),
    ("e^2", 7.3890561),
    ("e", 2.718281828),
    ("2 - (3 - 4)", 3),
    ("6 ÷ 4", 1.5),
    # scale words and number words
    ("1.5 million", 1_500_000),
    ("2 hundred thousand", 200_000),
    ("3 dozen", 36),
    ("two lakh", 200_000),
    ("forty-two", 42),
    ("one hundred and five", 105),
    ("two thousand twenty-four", 2024),
    ("three quarters", 0.75),
    ("two and a half", 2.5),
    ("minus seven", -7),
    ("Zero", 0),
    ("The answer is one.", 1),
    # sentences
    ("The total is 42.", 42),
    ("There are 42 of them, all told.", 42),
    ("x = 7", 7),
    ("x=-7", -7),
    ("12 * 12 = 144", 144),
    ("12 × 12 = 144 square feet", 144),
    ("a + b = 2 + 3 = 5", 5),
    ("about 3.14", 3.14),
    ("~3.14", 3.14),
    ("≈ 3.14", 3.14),
    ("1/3 ≈ 0.3333", "0.33333"),
    ("The answer is 42, since 6 * 7 = 42.", 42),
    ("The answer is 42, which is 6 times 7.", 42),
    ("Since there are 3 rows of 4, the total is 12.", 12),
    ("There are 3 rows of 4, so 12 in total.", 12),
    ("3 rows of 4. Therefore, there are 12.", 12),
    ("30 + 12 = 42\nThat is all.", 42),
    ("42\n42", 42),
    ("298 K (25 °C)", 298),
    ("42 (rounded to the nearest integer)", 42),
    ("It is 17, not 15.", 17),
    ("**42**", 42),
    ("*42*", 42),
    ("`42`", 42),
    ("# 42", 42),
    ("[42]", 42),
    ("{42}", 42),
    ('"42"', 42),
    ("Answer: <b>42</b>", 42),
    ("Final answer:\n* 42 boxes", 42),
    ("The 4-week total is 42.", 42),
    ("On the 2nd day it was 42.", 42),
    ("H2O has 42 of them", 42),
    ("f(3) = 42", 42),
    ("The area of triangle ABC is 42.", 42),
    ("x^2 = 42", 42),
    (r"\boxed{x = 7 \text{ or so}}", 7),
]

WRONG = [
    # not a number
    ("", 0),
    ("none", 0),
    ("nothing at all", 0),
    ("No one knows.", 1),
    ("There is no answer.", 0),
    ("NaN", 0),
    ("inf", 0),
    ("∞", 0),
    ("1e400", 7),
    ("-1e999", 7),
    ("two or three", 2),
    ("2:30", 2.5),
    ("2:30", 2),
    ("12_8", 12),
    (r"12_{8}", 12),
    ("2024-05-01", 2018),
    ("1/2/2024", 0.5),
    ("1.2.3", 1.2),
    ("0x1F", 31),
    # several values
    ("3 apples and 4 pears", 7),
    ("3 apples and 4 pears", 3),
    ("5 or 6", 5),
    ("either 5 or 6", 6),
    ("5, 6", 5),
    ("5, 5", 5),
    ("3,3,3", 3),
    ("(40, 40)", 40),
    ("[1, 2]", 1),
    ("5 and 6", 5),
    ("x = 5, y = 7", 7),
    ("x = 5 or x = 7", 7),
    ("x = 5 (or -5)", 5),
    ("x = 5\ny = 7", 7),
    ("±5", 5),
    (r"\pm 5", 5),
    ("5 ± 1", 5),
    ("27\n18", 18),
    ("27 18", 27),
    # ranges, bounds, hedges
    ("10-12", 11),
    ("10–12", 11),
    ("10~12", 11),
    ("10 to 12", 10),
    ("between 10 and 12", 12),
    ("from 10 to 12", 12),
    ("at least 5", 5),
    ("at most 5", 5),
    ("more than 5", 5),
    ("up to 5", 5),
    ("> 5", 5),
    ("x >= 5", 5),
    (r"x \geq 5", 5),
    ("not 5", 5),
    ("The answer is not 5.", 5),
    ("maybe 5", 5),
    ("It might be 5.", 5),
    ("probably 5", 5),
    ("The answer is 5. Wait, it is 6.", 5),
    # half-read numbers
    ("50", 5),
    ("5", 50),
    ("33.14", 3.14),
    ("3/4", 3),
    ("1 1/2", 5.5),
    ("3π", 3),
    (r"2\sqrt{3}", 2),
    ("1.5 × 10^3", 1.5),
    ("1.5 × 10^3", 3),
    ("1.5 million", 1.5),
    ("m^2", 2),
    ("x^2", 2),
    ("20%", 20),
    ("0.2", 20),
    ("1,234", 1.234),
    # variables
    ("2y", 2),
    ("7x + 8", 8),
    ("3 n", 3),
    ("x + 3", 3),
    ("4*tan(t)", 4),
    ("4sec^2θ", 4),
    ("5 - x", 5),
    ("3i", 3),
    ("2ab", 2),
    ("sin(30)", 30),
    ("5/x", 5),
    # off by more than the tolerance
    ("100001", 100000),
    ("2.02", 2),
    ("-3", 3),
    ("3", -3),
    # beyond the limits
    ("9**9**9", 7),
    ("151!", 7),
    ("1/0", 0),
    ("0^-1", 0),
    ("(-8)^0.5", 2),
    ("(" * 60 + "7" + ")" * 60, 7),
    ("1" * 500, 7),
    ("7" + "+0" * 500, 7),
    ("__import__('os').system('true')", 0),
    ("[1 for _ in range(10)]", 10),
    ("lambda: 7", 8),
]


@pytest.mark.parametrize(("reply", "expected"), RIGHT)
def test_a_number_is_read_as_written(reply, expected):
    verdict = judge(reply, expected)
    assert verdict.solved, verdict


@pytest.mark.parametrize(("reply", "expected"), WRONG)
def test_what_is_not_that_number_is_wrong(reply, expected):
    verdict = judge(reply, expected)
    assert not verdict.solved, verdict


@pytest.mark.parametrize(
    ("reply", "expected", "grader", "solved"),
    [
        ("1.234", 1234, {"locale": "de"}, True),
        ("1.234", 1.234, {"locale": "de"}, False),
        ("1.234,5", 1234.5, {"locale": "de"}, True),
        ("1,5", 1.5, {"locale": "de"}, True),
        ("1,234", 1.234, {"locale": "fr"}, True),
        ("1 234,5", 1234.5, {"locale": "fr"}, True),
        ("1,234", 1234, {"locale": "en"}, True),
        ("1,5", 1.5, {"locale": "en"}, False),
        ("1,234円", 1234, {"locale": "ja"}, True),
    ],
)
def test_the_locale_decides_what_the_marks_leave_open(reply, expected, grader, solved):
    assert judge(reply, expected, **grader).solved is solved


@pytest.mark.parametrize(
    ("reply", "unit", "solved"),
    [
        ("5", "km", True),
        ("5 km", "km", True),
        ("5 kilometers", "km", True),
        ("5 Kilometres", "km", True),
        ("5km", "km", True),
        ("5 m", "km", False),
        ("5000 m", "km", False),
        ("5 chairs", "km", True),
        ("5 %", "km", False),
        ("5 m/s^2", "m/s^2", True),
        ("5 m/s²", "m/s^2", True),
        ("5 m s^{-2}", "m/s^2", True),
        (r"5\ \text{m/s}^2", "m/s^2", True),
        ("5 meters per second squared", "m/s^2", True),
        ("5 m/s", "m/s^2", False),
        ("5 km/h", "m/s", False),
        ("5 mph", "mi/h", True),
        ("5 J/(mol K)", "J/(mol·K)", True),
        ("5 J/mol", "J/(mol·K)", False),
        ("5 square meters", "m^2", True),
        ("5 sq in", "in^2", True),
        ("5 cm^3", "m^3", False),
        ("5 °C", "degC", True),
        ("5 degrees Celsius", "degC", True),
        ("5 K", "degC", False),
        ("5°", "deg", True),
        ("5 rad", "deg", False),
        ("$5", "USD", True),
        ("5 dollars", "USD", True),
        ("€5", "USD", False),
        (r"\$5", "EUR", False),
        ("$5$", "EUR", True),
        ("5 eur", "EUR", True),
        ("5 mg", "Mg", False),
        ("5 ms", "m", False),
        ("5 in total", "kg", True),
        ("5%", "%", True),
        ("5", "%", True),
        ("5 percent", "%", True),
        ("0.05", "%", False),
        ("5 g", "kg", False),
        ("5 hours", "h", True),
        ("5 minutes", "h", False),
        ("5 µm", "μm", True),
        ("5 M", "mol/L", True),
    ],
)
def test_another_known_unit_is_wrong(reply, unit, solved):
    verdict = judge(reply, 5, unit=unit)
    assert verdict.solved is solved, verdict


def test_a_wrong_unit_is_named_as_such():
    assert judge("5 m", 5, unit="km").reason == "wrong unit"


@pytest.mark.parametrize(
    ("reply", "expected", "tolerance", "solved"),
    [
        ("0.31", 0.3, "0.01", True),
        ("2.01", 2.0, "0.01", True),
        ("1.99", 2.0, "0.01", True),
        ("2.010000000000000000001", 2.0, "0.01", False),
        ("9007199254740993", 9007199254740993, "0.01", True),
        ("9007199254740992", 9007199254740993, "0.01", False),
        ("12.0", 12, "0", True),
        ("12.0000001", 12, "0", False),
        ("1/3", "0.3333333333", "0.0001", True),
    ],
)
def test_comparison_is_of_written_decimals(reply, expected, tolerance, solved):
    assert judge(reply, expected, tolerance=tolerance).solved is solved


@pytest.mark.parametrize(("reply", "solved"), [("1.01e-6", True), ("1.02e-6", False)])
def test_relative_tolerance_is_a_share_of_the_expected_value(reply, solved):
    assert judge(reply, 1e-6, rel_tol="0.01").solved is solved


def test_no_reason_gives_the_answer_away():
    for reply in ("41", "no idea", "40 or 44", "1e999", ""):
        assert "42" not in judge(reply, 42).reason


def test_the_report_sees_what_was_read():
    assert judge("It is 41.5", 42).details["read"] == "41.5"
