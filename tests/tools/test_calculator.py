from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mint.errors import SandboxError
from pytest_mint.sandbox.base import CallResult, Sandbox
from pytest_mint.tools import calculator
from pytest_mint.tools.base import ToolError
from pytest_mint.tools.calculator import TOOL
from pytest_mint.tools.calculator_algebra import CONSTANTS, calculate
from pytest_mint.tools.calculator_functions import BINDERS, FUNCTIONS, MAX_DIGITS
from pytest_mint.tools.calculator_grammar import CONSTANTS as KNOWN_CONSTANTS
from pytest_mint.tools.calculator_grammar import FUNCTIONS as KNOWN_FUNCTIONS
from pytest_mint.tools.calculator_grammar import NotClear, read
from tests.tools.context import context
from tests.tools.sandbox import opened

THIRD = "0.333333333333333"
MORE = "[there may be more solutions]"


def _result(text: str) -> str:
    """The result in this process; our own texts only."""
    result = calculate(read(text))
    return result.get("text") or f"error: {result['error']}"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("2^10", "1024"),
        ("0.1 + 0.2", "0.3"),
        ("3.70", "3.7"),
        ("1/4", "0.25"),
        ("1/3", "exact: 1/3\ndecimal: 0.333333333333333"),
        ("10/5", "2"),
        ("3×4−2", "10"),
        ("1,250 * 3", "3750"),
        ("1e-20", "1e-20"),
        ("15% of 80", "12"),
        ("80 * (1 - 20%)", "64"),
        ("17 % 5", "2"),
        ("-7 mod 3", "2"),
        ("mod(-7, 3)", "2"),
        ("2^1000000 % 7", "2"),
        ("3^(10^30) % 1000", "1"),
        ("5!", "120"),
        ("-2^2", "-4"),
        ("2^3^2", "512"),
        ("0^0", "1"),
        ("sqrt(2)", "exact: sqrt(2)\ndecimal: 1.4142135623731"),
        ("sqrt(8)", "exact: 2*sqrt(2)\ndecimal: 2.82842712474619"),
        ("√16", "4"),
        ("2^0.5 = sqrt(2)", "true"),
        ("sin(30°)", "0.5"),
        ("cos(pi)", "-1"),
        ("degrees(pi/2)", "90"),
        ("arctan(1)", "exact: pi/4\ndecimal: 0.785398163397448"),
        ("ln(e^3)", "3"),
        ("log(100, 10)", "2"),
        ("log10(1000)", "3"),
        ("log2(8)", "3"),
        ("log(e)", "1"),
        ("cbrt(-8)", "-2"),
        ("root(27, 3)", "3"),
        ("abs(-3.5)", "3.5"),
        ("floor(-2.5)", "-3"),
        ("ceil(2.1)", "3"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(2.345, 2)", "2.35"),
        ("round(1234, -2)", "1200"),
        ("gcd(12, 18)", "6"),
        ("lcm(4, 6)", "12"),
        ("max(1, 2, 3)", "3"),
        ("min(2, 1/2)", "0.5"),
        ("mean(1, 2, 3, 4)", "2.5"),
        ("sum(1, 2, 3)", "6"),
        ("product(2, 3, 4)", "24"),
        ("ncr(5, 2)", "10"),
        ("ncr(2, 5)", "0"),
        ("npr(5, 2)", "20"),
        ("binomial(50, 25)", "126410606437752"),
        ("factorint(360)", "2^3 * 3^2 * 5"),
        ("isprime(97)", "true"),
        ("isprime(91)", "false"),
        ("sqrt(-1)", "I"),
        ("(2+3i)*(1-i)", "5 + I"),
        ("e^(i*pi)", "-1"),
        ("-2i", "-2*I"),
        ("(1-i)/3", f"exact: 1/3 - I/3\ndecimal: {THIRD} - {THIRD}*I"),
        ("7 % (-4)", "-1"),
        ("2^5 % (-7)", "-3"),
        ("10 % 7 % 2", "1"),
        ("gamma(5)", "24"),
        ("-oo", "-infinity"),
        ("1 + 2oo", "infinity"),
        ("160 * ln(2) / (22.3 * ln((412 - 31)/(96 - 31)))",
         "exact: 1600*log(2)/(223*log(381/65))\ndecimal: 2.81227056675501"),
        ("(1.50*4186 + 0.70*900) * (86 - 11) / (0.62*1250) / 60",
         "exact: 6909/620\ndecimal: 11.1435483870968"),
        ("(1 + 1/10^6)^(10^6)", "about 2.71828046931938"),
        ("0.5^1000", "about 9.33263618503219e-302"),
        ("2, 1/3", "2\n1/3 = 0.333333333333333"),
    ],
)  # fmt: skip
def test_numbers(text, result):
    assert _result(text) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("x^2 - 5x + 6 = 0", "x = 2\nx = 3"),
        ("2x + 1 = 4", "x = 1.5"),
        ("x² = 2", "x = -sqrt(2) = -1.4142135623731\nx = sqrt(2) = 1.4142135623731"),
        ("solve(x^2 = 4, x)", "x = -2\nx = 2"),
        ("solve(x^2 - 4)", "x = -2\nx = 2"),
        ("solve(a*x + b = 0, x)", "x = -b/a"),
        ("x + y = 3, x - y = 1", "x = 2, y = 1"),
        ("solve((x + y = 3, x - y = 1), (x, y))", "x = 2, y = 1"),
        ("x + y = 3, x*y = 2", "x = 1, y = 2\nx = 2, y = 1"),
        ("cos(x) = x", f"x = about 0.739085133215161\n{MORE}"),
        ("sin(x) = 1", f"x = pi/2 = 1.5707963267949\n{MORE}"),
        ("x^5 + ln(x) = 3", f"x = about 1.22817409828162\n{MORE}"),
        ("exp(x) + x = 0", "x = -LambertW(1) = -0.567143290409784"),
        ("x^7 = 3 + cos(x)", f"x = about 1.18963173567163\n{MORE}"),
        ("x^2 < 4", "(-2 < x) & (x < 2)"),
        ("x = x + 1", "false"),
        ("x = x", "true"),
        ("x = x, 1 = 1", "true\ntrue"),
        ("solve(x = x, x)", "true for all values"),
        ("0*x = 0, y = 1", "y = 1"),
        ("x^2 >= 0", "true for all values"),
        ("x^2 < 0", "no solution"),
        ("x + y = 1, x + y = 2", "no solution"),
        ("2^10 = 1024", "true"),
        ("1 > 2", "false"),
        ("sqrt(8) = 2*sqrt(2)", "true"),
        ("sqrt(8) != 2*sqrt(2)", "false"),
        ("diff(x^3, x)", "3*x**2"),
        ("diff(x^3)", "3*x**2"),
        ("diff(x^3, x, 2)", "6*x"),
        ("integrate(x^2, x)", "x**3/3"),
        ("integrate(x^2, x, 0, 2)", "exact: 8/3\ndecimal: 2.66666666666667"),
        ("integrate(x^2, (x, 0, 3))", "9"),
        ("integrate(exp(-x^2), x, -oo, oo)",
         "exact: sqrt(pi)\ndecimal: 1.77245385090552"),
        ("limit(sin(x)/x, x, 0)", "1"),
        ("sum(k, k, 1, 100)", "5050"),
        ("sum(i, i, 1, 100)", "5050"),
        ("sum(k, k, 1, 10^9)", "500000000500000000"),
        ("sum(1/k^2, k, 1, oo)", "exact: pi**2/6\ndecimal: 1.64493406684823"),
        ("product(k, k, 1, 5)", "120"),
        ("simplify((x^2 - 1)/(x - 1))", "x + 1"),
        ("expand((x + 1)^3)", "x**3 + 3*x**2 + 3*x + 1"),
        ("factor(x^2 - 1)", "(x - 1)*(x + 1)"),
        ("3x + 2x", "5*x"),
    ],
)  # fmt: skip
def test_algebra_and_calculus(text, result):
    assert _result(text) == result


def test_a_quintic_without_a_formula_has_its_roots_as_decimals():
    first, *others = _result("x^5 - x - 1 = 0").splitlines()
    assert first == "x = CRootOf(x**5 - x - 1, 0) = 1.16730397826142"
    assert len(others) == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("9**9**9", "the number has 369693100 digits; at most 4000"),
        ("9^(9^(9^9))", "digits; at most 4000"),
        ("9^9^9^9^9^9", "digits; at most 4000"),
        ("10^4001", "the number has 4001 digits"),
        ("2^-10^9", "digits; at most 4000"),
        ("(1/3)^(10^20)", "digits; at most 4000"),
        ("10^3000 * 10^3000", "the number has 6000 digits"),
        ("1e4001", "at most 4000 digits"),
        ("1e99999999999", "at most 4000 digits"),
        ("100000!", "the number has 456573 digits"),
        ("(10^400)!", "digits; at most 4000"),
        ("3!" + "^9" * 3, "digits; at most 4000"),
        ("gamma(10^7)", "digits; at most 4000"),
        ("lcm(10^3000 + 1, 10^3000 + 3)", "digits; at most 4000"),
        ("product(10^3000, 10^3000)", "the number has 6000 digits"),
        ("product(k, k, 1, 3000)", "digits; at most 4000"),
        ("npr(10^5, 10^5)", "digits; at most 4000"),
        ("binomial(10^6, 5*10^5)", "the number has 301027 digits"),
        ("binomial(10^7, 2)", "from 0 to 10^6"),
        ("x^20000", "powers of a variable go up to 10000"),
        ("expand((x + 1)^1000)", "powers up to 100 can be expanded"),
        ("factorint(10^50)", "below 10^40"),
        ("1/0", "division by zero"),
        ("0/0", "division by zero"),
        ("5 % 0", "division by zero"),
        ("mod(5, 0)", "division by zero"),
        ("0^-1", "division by zero"),
        ("1/(x - x)", "division by zero"),
        ("log(0)", "the logarithm of 0 is not defined"),
        ("tan(90°)", "the result is not defined"),
        ("oo - oo", "the result is not defined"),
        ("(-3)!", "a factorial of a negative number"),
        ("x + y = 3", "say for which variable; there are: x, y"),
        ("diff(x*y)", "say for which variable; there are: x, y"),
        ("diff(3, 4)", "4 is no variable"),
        ("diff(x, x, 21)", "a number from 1 to 20"),
        ("solve(x = 1, 2)", "2 is neither an equation nor a variable"),
        ("integrate(x^x, x)", "there is no closed form"),
        ("integrate(x, x, 0)", "integrate takes f, x or f, x, from, to"),
        ("x < y, x > 1", "inequalities can be solved for one variable"),
        ("sqrt(1, 2)", "sqrt takes 1 arguments, not 2"),
        ("log(1, 2, 3)", "log takes 1 to 2 arguments, not 3"),
        ("(x = 1) + 2", "a list or an equation cannot be part of a formula"),
        ("max(x = 1, 2)", "a list or an equation cannot be part of a formula"),
        ("cos(x) = 2*y, sin(y) = x", "no solution in closed form"),
        ("exp(x) = abs(x) + sin(x)^2 - 9, x > 1", "sympy"),
        ("integrate(x^x, x, 0, 1)", "neither a closed form nor a number"),
        ("expand((x + y + z + a + b)^14)", "ask for less of it"),
        ("max(x, i)", "sympy cannot work this out"),
        ("sum(k, k, 5, 1)", "from 5 to 1 there is nothing"),
        ("sum(k, k, 0.5, 3)", "expected whole numbers or oo"),
        ("round(x)", "round takes a number"),
        ("isprime(2.5)", "isprime takes a whole number"),
    ],
)
def test_what_cannot_be_worked_out_is_told_in_words(text, told):
    result = _result(text)
    assert result.startswith("error: ")
    assert told in result


def test_the_largest_number_is_told_in_full():
    assert _result(f"10^{MAX_DIGITS}") == "1" + "0" * MAX_DIGITS


def test_grammar_and_algebra_know_the_same_names():
    assert {*FUNCTIONS, *BINDERS, "solve"} == KNOWN_FUNCTIONS
    assert set(CONSTANTS) == KNOWN_CONSTANTS


NUMBER = st.integers(-50, 50).map(str)
FORMULA = st.recursive(
    NUMBER,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(
            lambda t: f"({''.join(t)})"
        ),
        inner.map(lambda one: f"(-{one})"),
    ),
    max_leaves=12,
)


@given(FORMULA)
@settings(deadline=None)
def test_whole_numbers_are_worked_out_as_python_does(text):
    assert _result(text) == str(eval(text))


@given(st.text("0123456789+-*/^%!(),=<>xyei.√²° ", max_size=12))
@settings(deadline=None, max_examples=60)
def test_any_short_formula_has_a_result_or_an_error(text):
    try:
        tree = read(text)
    except NotClear:
        return
    assert set(calculate(tree)) in ({"text"}, {"error"})


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with opened() as one:
        yield one


@pytest.fixture
def tool(sandbox: Sandbox):
    there = context(sandbox=lambda: sandbox)
    return lambda expression: TOOL.run({"expression": expression}, there)


def test_the_sandbox_works_it_out(tool):
    assert tool("x² - 5x + 6 = 0") == "x = 2\nx = 3"


def test_a_number_that_is_too_large_is_refused_at_once(tool):
    tool("1")  # the worker is up
    begin = time.monotonic()
    with pytest.raises(ToolError, match="the number has 369693100 digits"):
        tool("9**9**9")
    # A tenth of that where nothing else runs.
    assert time.monotonic() - begin < 5


def test_what_is_not_clear_never_reaches_the_sandbox():
    with pytest.raises(ToolError, match=r"write a/\(b\*c\)"):
        TOOL.run({"expression": "1/2x"}, context())


def test_what_takes_too_long_is_the_agents_to_make_smaller(sandbox, monkeypatch):
    monkeypatch.setattr(calculator, "LIMITS", calculator.Limits(seconds=0.5))
    with pytest.raises(ToolError, match=r"takes more than 0\.5 seconds or 512 MB"):
        TOOL.run(
            {"expression": "sum(1/k, k, 1, 10^7)"}, context(sandbox=lambda: sandbox)
        )


@pytest.mark.parametrize("status", ["timeout", "memory", "output", "died"])
def test_every_way_of_taking_too_much_is_the_agents_to_mend(status):
    with pytest.raises(ToolError, match="ask for something smaller"):
        calculator._told(CallResult(status))


def test_a_program_that_does_not_run_is_missing_data():
    result = CallResult("error", error="ModuleNotFoundError: No module named 'sympy'")
    with pytest.raises(SandboxError, match=r"the calculator cannot run: .*sympy"):
        calculator._told(result)


def test_the_episodes_variables_are_neither_seen_nor_changed(sandbox, tool):
    interpreter = sandbox.open()
    try:
        interpreter.execute("x = 5; sympy = None")
        assert tool("x + 1") == "x + 1"
        assert interpreter.execute("x").value == "5"
    finally:
        interpreter.close()
