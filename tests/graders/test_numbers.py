"""Numbers: how they may be written, and what is not one."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.verdict import Verdict
from pytest_mint.tasks.model import Task
from tests.graders.cases import HINTS
from tests.graders.numbers_right import RIGHT
from tests.graders.numbers_wrong import WRONG


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
        ("5 m per customer", "m", True),
        ("5 deg C", "degC", True),
        ("5 g", "g per serving", True),
        ("5 g per serving", "g per serving", True),
        ("5 kg", "g per serving", False),
        ("$5", "dollars per ticket", True),
        ("5 mm per year", "mm/yr", True),
        ("5 cm/year", "mm/yr", False),
        ("5 Celsius", "degC", True),
        ("5 °F", "degC", False),
        ("5 C", "degC", True),
        ("5 degrees", "degC", True),
        ("5 F", "degC", False),
        ("5 pounds", "GBP", True),
        ("5 kg", "GBP", False),
        ("5 N-m", "N*m", True),
        ("5 N m", "N m", True),
        ("5 N·m", "N·m", True),
        ("5 kW-h", "kWh", False),
        ("5 s^-1", "1/s", True),
        ("5 /s", "1/s", True),
        ("5 per second", "1/s", True),
        ("5 Hz", "1/s", False),
        ("5 days", "days", True),
        ("5 hours", "days", False),
        ("5 people", "people", True),
        ("5 kg", "people", False),
        ("5 km/hr", "km/h", True),
        ("5 km per hour", "km/h", True),
        ("5 kilometers per hour", "km/h", True),
        ("5 meters/second", "m/s", True),
        ("5 m/s/s", "m/s^2", True),
        ("5 g/mol", "g/mol", True),
        ("5 grams per mole", "g/mol", True),
        ("5 kJ mol^-1", "kJ/mol", True),
        ("5 cm²", "cm^2", True),
        ("5 cm2", "cm^2", True),
        ("5 sq cm", "cm^2", True),
        ("5 cubic centimeters", "cm^3", True),
        ("5 mL", "mL", True),
        ("5 ml", "mL", True),
        ("5 L", "mL", False),
        ("5 years", "yr", True),
        ("5 °", "degrees", True),
        ("5\\%", "%", True),
        ("5 percent", "percent", True),
        ("5 atm", "kPa", False),
        ("5 µF", "uF", True),
        ("5 ohms", "Ω", True),
        ("5 Ω", "ohm", True),
        ("5 eV", "J", False),
        ("5 m long", "m", True),
        ("5 m in total", "m", True),
        ("5 \\mu m", "μm", True),
        ("5 \\mu\\text{m}", "μm", True),
        ("5 dollars", "$", True),
        ("5 USD", "$", True),
        ("5 euros", "€", True),
        ("5 yen", "JPY", True),
        ("5円", "JPY", True),
        ("5ドル", "JPY", False),
        ("5 km", "kilometers", True),
        ("5 mol/L", "M", True),
        ("x = 5 m", "m", True),
        ("10 m / 2 = 5 m", "m", True),
        ("5 (m/s)", "m/s", True),
        ("5 [m/s]", "m/s", True),
        ("v = 5 km/h", "m/s", False),
        ("5 meters", "feet", False),
        ("5 lbs", "kg", False),
        ("The speed is 5 m/s, or 18 km/h.", "m/s", False),
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
