from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.tools.calculator_grammar import MAX_CHARS, NotClear, Tree, read

TWO, THREE, X = ("number", "2"), ("number", "3"), ("name", "x")


def _product(*factors: Tree) -> Tree:
    return ("product", tuple(("*", factor) for factor in factors))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("2", TWO),
        (" .5 ", ("number", ".5")),
        ("2.", TWO),
        ("2.;", TWO),
        ("1.5e-3", ("number", "1.5e-3")),
        ("2+3", ("sum", (TWO, THREE))),
        ("2-3", ("sum", (TWO, ("negative", THREE)))),
        ("2*3", _product(TWO, THREE)),
        ("2/3", ("product", (("*", TWO), ("/", THREE)))),
        ("2%3", ("product", (("*", TWO), ("%", THREE)))),
        ("2 mod 3", ("product", (("*", TWO), ("%", THREE)))),
        ("2^3", ("power", TWO, THREE)),
        ("2**3", ("power", TWO, THREE)),
        ("-2^2", ("negative", ("power", TWO, TWO))),
        ("2^-3", ("power", TWO, ("negative", THREE))),
        ("2^3^2", ("power", TWO, ("power", THREE, TWO))),
        ("--2", TWO),
        ("+-+2", ("negative", TWO)),
        ("3!", ("call", "factorial", (THREE,))),
        ("2^3!", ("power", TWO, ("call", "factorial", (THREE,)))),
        ("3x", _product(THREE, X)),
        ("2(3)", _product(TWO, THREE)),
        ("(2)(3)", _product(TWO, THREE)),
        ("2√3", _product(TWO, ("call", "sqrt", (THREE,)))),
        ("x²", ("power", X, TWO)),
        ("2x²", _product(TWO, ("power", X, TWO))),
        ("x⁻²", ("power", X, ("number", "-2"))),
        ("x²y", _product(("power", X, TWO), ("name", "y"))),
        ("2 × 3", _product(TWO, THREE)),
        ("2·3", _product(TWO, THREE)),
        ("2÷3", ("product", (("*", TWO), ("/", THREE)))),
        ("2−3", ("sum", (TWO, ("negative", THREE)))),
        ("２＋３", ("sum", (TWO, THREE))),
        ("[2+3]", ("sum", (TWO, THREE))),
        ("π", ("name", "pi")),
        ("2π", _product(TWO, ("name", "pi"))),
        ("30°", ("call", "radians", (("number", "30"),))),
        ("1,250,000", ("number", "1250000")),
        ("1,250.75", ("number", "1250.75")),
        ("Sqrt(2)", ("call", "sqrt", (TWO,))),
        ("max(2,3)", ("call", "max", (TWO, THREE))),
        ("max(1,250)", ("call", "max", (("number", "1"), ("number", "250")))),
        ("x₁", ("name", "x1")),
        ("x_max", ("name", "x_max")),
        ("lambda", ("name", "lambda")),
        ("gamma", ("name", "gamma")),
        ("gamma(3)", ("call", "gamma", (THREE,))),
        ("x = 2", ("relation", "=", X, TWO)),
        ("x == 2", ("relation", "=", X, TWO)),
        ("x ≤ 2", ("relation", "<=", X, TWO)),
        ("x ≠ 2", ("relation", "!=", X, TWO)),
        (
            "x=2, x=3",
            ("list", (("relation", "=", X, TWO), ("relation", "=", X, THREE))),
        ),
        ("sum(x, (x, 2, 3))", ("call", "sum", (X, ("list", (X, TWO, THREE))))),
    ],
)
def test_what_is_clear_is_read(text, tree):
    assert read(text) == tree


@pytest.mark.parametrize("text", ["20%", "20 %", "(20)%", "20%)", "20%+1", "20%*3"])
def test_a_percent_sign_before_no_operand_is_a_hundredth(text):
    hundredth = (("*", ("number", "20")), ("/", ("number", "100")))
    assert str(hundredth) in str(
        read(text.replace(")", "") if "(" not in text else text)
    )


def test_percent_of_is_a_product():
    assert read("15% of 80")[1][1] == ("*", ("number", "80"))


REFUSED = {
    "": "missing before the end",
    "2+": "missing before the end",
    "(2": "closing bracket is missing before the end",
    "2)": "')' is not expected here",
    "()": "missing before ')'",
    "2 3": "a sign is missing between '2' and '3'",
    "x 3": "a sign is missing between 'x' and '3'",
    "2 x 3": "a sign is missing between 'x' and '3'",
    "1/2x": "write a/(b*c) or (a/b)*c",
    "6/2(1+2)": "write a/(b*c) or (a/b)*c",
    "e^2x": "write x^2*y or x^(2*y)",
    "20% - 5": "write (20%) - 5 or mod(20, -5)",
    "3!!": "n!! is not clear",
    "sin x": "sin needs brackets: sin(...)",
    "ln": "ln needs brackets",
    "xy": "a product of variables needs a sign: x*y",
    "sinn(2)": "there is no 'sinn'",
    "eval(1)": "there is no 'eval'",
    "f(2)": "f(...) is not clear: write f*(...)",
    "pi(2)": None,
    "1<x<2": "one of = < > <= >= at a time",
    "|x|": "write abs(...)",
    "$5": "leave out currencies",
    "5 €": "leave out currencies",
    "2 ½": "cannot read",
    "x'": "cannot read",
    '"a"': "cannot read",
    "x.y": "cannot read",
    "x[0]": "(...) is not clear",
    "a:=1": "cannot read",
    "2;3": "cannot read",
    "lambda: 1": "cannot read",
    "__import__('os')": "cannot read",
    "().__class__": "cannot read",
    "x if x else y": "there is no 'if'",
    "(" * 200: "more than 50 levels",
    "2^" * 200 + "2": "more than 50 levels",
    "√" * 200 + "2": "more than 50 levels",
    "sqrt(" * 120: "more than 50 levels",
    "1" * (MAX_CHARS + 1): "has 1001 characters; at most 1000",
}


@pytest.mark.parametrize("text", [text for text, told in REFUSED.items() if told])
def test_what_is_not_clear_is_refused_with_what_to_write(text):
    with pytest.raises(NotClear) as caught:
        read(text)
    assert REFUSED[text] in str(caught.value)
    assert len(str(caught.value)) < 300


def test_many_signs_and_terms_need_no_depth():
    assert read("-" * 900 + "2") == TWO
    assert len(read("+".join("2" * 400))[1]) == 400


def _depth(tree: object) -> int:
    if not isinstance(tree, tuple):
        return 0
    return 1 + max(map(_depth, tree), default=0)


SIGNS = [*"0123456789.,+-*/^%!°√²()=<>xyei π", "sqrt(", "sum(", "mod", " of "]


@given(st.lists(st.sampled_from(SIGNS), max_size=60).map("".join))
def test_any_formula_is_read_or_refused_and_no_tree_is_deep(text):
    try:
        tree = read(text)
    except NotClear:
        return
    assert _depth(tree) < 400


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        told = read(text)
    except NotClear as problem:
        told = str(problem)
    assert told
