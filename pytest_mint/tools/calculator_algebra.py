"""Works the calculator's trees out with sympy, in the sandbox.

What it gives back are lines of text, or one line that says why there are none.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Integer, Rational, Symbol
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from pytest_mint.tools.calculator_functions import (
    BINDERS,
    FUNCTIONS,
    MAX_DIGITS,
    Refused,
    check_count,
    checked,
    is_relation,
    only_variable,
    power,
)

Tree = tuple[Any, ...]

#: Digits of a decimal number; characters of an exact fraction, and of a whole result.
DIGITS, MAX_FRACTION, MAX_TEXT = 15, 60, 4_100

CONSTANTS = {
    "pi": sympy.pi, "tau": 2 * sympy.pi, "e": sympy.E, "E": sympy.E, "I": sympy.I,
    "i": sympy.I, "phi": sympy.GoldenRatio, "oo": sympy.oo, "inf": sympy.oo,
    "infinity": sympy.oo,
}  # fmt: skip


def calculate(tree: Tree) -> dict[str, str]:
    """The result under ``text``, or under ``error`` why there is none."""
    try:
        value = _value(tree, frozenset())
        told = "\n".join(_tell(_solve((value,)) if is_relation(value) else value))
    except Refused as problem:
        return {"error": str(problem)}
    except Exception as problem:  # whatever sympy raises, the process ends here
        reason = str(problem) or type(problem).__name__
        return {"error": f"sympy cannot work this out: {reason}"[:300]}
    if len(told) > MAX_TEXT:
        return {"error": f"the result has {len(told)} characters; ask for less of it"}
    return {"text": told}


def _tell(value: Any) -> list[str]:
    """The lines that say a value: exact, and as a decimal where that is another."""
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return [" = ".join(_forms(item)) for item in value]
    forms = _forms(value)
    if len(forms) == 1:
        return forms
    return [f"exact: {forms[0]}", f"decimal: {forms[1]}"]


def _forms(value: Any) -> list[str]:
    if value in (sympy.true, sympy.false):
        return [str(value == sympy.true).lower()]
    if value.has(sympy.nan, sympy.zoo):
        raise Refused("the result is not defined (a division by zero or the like)")
    if value in (sympy.oo, -sympy.oo):
        return ["infinity" if value == sympy.oo else "-infinity"]
    if value.free_symbols or isinstance(value, Integer):
        return [str(value)]
    if value.has(sympy.I):
        value = sympy.expand_complex(value)
    decimal = _decimal(value)
    if value.is_Float:
        return [f"about {decimal}"]
    if decimal == str(value) or (value.is_Rational and Rational(decimal) == value):
        return [decimal]
    exact = str(value)
    if value.is_Rational and len(exact) > MAX_FRACTION:
        return [f"about {decimal}"]
    return [exact, decimal]


def _decimal(value: Any) -> str:
    number = sympy.N(value, DIGITS)
    if number.has(sympy.Integral, sympy.Sum, sympy.Product, sympy.Limit):
        raise Refused("sympy finds neither a closed form nor a number")
    real, imaginary = number.as_real_imag()
    if imaginary.is_zero:
        return _trimmed(real)
    size = _trimmed(abs(imaginary))
    times = "I" if size == "1" else f"{size}*I"
    if real.is_zero:
        return times if imaginary > 0 else f"-{times}"
    return f"{_trimmed(real)} {'+' if imaginary > 0 else '-'} {times}"


def _trimmed(number: Any) -> str:
    mantissa, e, exponent = str(number).partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + e + exponent


def _value(tree: Tree, bound: frozenset[str]) -> Any:
    """What a tree is worth; ``bound`` are the names that are variables in any case."""
    kind = tree[0]
    if kind == "number":
        return _number(tree[1])
    if kind == "name":
        name = tree[1]
        return Symbol(name) if name in bound else CONSTANTS.get(name, Symbol(name))
    if kind == "negative":
        return -_value(tree[1], bound)
    if kind == "sum":
        return checked(sympy.Add(*[_term(term, bound) for term in tree[1]]))
    if kind == "product":
        return _product(tree[1], bound)
    if kind == "power":
        return power(_term(tree[1], bound), _term(tree[2], bound))
    if kind == "relation":
        return _relation(tree[1], _term(tree[2], bound), _term(tree[3], bound))
    if kind == "list":
        items = tuple(_value(item, bound) for item in tree[1])
        return _solve(items) if any(map(is_relation, items)) else items
    return _call(tree[1], tree[2], bound)


def _term(tree: Tree, bound: frozenset[str]) -> Any:
    value = _value(tree, bound)
    if not isinstance(value, sympy.Expr):
        raise Refused("a list or an equation cannot be part of a formula")
    return value


def _number(text: str) -> Any:
    mantissa, _, exponent = text.lower().partition("e")
    if abs(int(exponent or 0)) > MAX_DIGITS:
        raise Refused(f"{text}: at most {MAX_DIGITS} digits")
    return Rational(mantissa) * Integer(10) ** int(exponent or 0)


def _product(factors: tuple[tuple[str, Tree], ...], bound: frozenset[str]) -> Any:
    (_, first), *rest = factors
    if len(rest) == 1 and rest[0][0] == "%":
        return _remainder(first, rest[0][1], bound)
    result = _term(first, bound)
    for sign, tree in rest:
        factor = _term(tree, bound)
        if sign == "*":
            result = checked(result * factor)
        elif factor == 0:
            raise Refused("division by zero")
        else:
            result = checked(result / factor if sign == "/" else result % factor)
    return result


def _remainder(left: Tree, right: Tree, bound: frozenset[str]) -> Any:
    """``a % m``; of a power it is known without the power itself."""
    modulus = _term(right, bound)
    if modulus == 0:
        raise Refused("division by zero")
    if left[0] == "power":
        base, exponent = _term(left[1], bound), _term(left[2], bound)
        whole = all(isinstance(v, Integer) for v in (base, exponent, modulus))
        if whole and exponent >= 0 and modulus > 0:
            return Integer(pow(int(base), int(exponent), int(modulus)))
        return power(base, exponent) % modulus
    return _term(left, bound) % modulus


def _relation(sign: str, left: Any, right: Any) -> Any:
    if not (left.free_symbols or right.free_symbols):
        left, right = sympy.simplify(left - right), 0  # sqrt(8) = 2*sqrt(2)
    return sympy.Rel(left, right, "==" if sign == "=" else sign)


def _call(name: str, trees: tuple[Tree, ...], bound: frozenset[str]) -> Any:
    flat = _flat(trees)
    # Of solve(x + i, x) and sum(i, i, 1, 9), i is a variable in the second only.
    names = frozenset(tree[1] for tree in flat[1:] if tree[0] == "name")
    bound_here = bound | (names - {"e", "E", "pi", "oo"})
    if name == "solve":
        check_count(name, len(flat), 1, 9)
        return _solve(tuple(_value(tree, bound_here) for tree in flat))
    if name in BINDERS:
        binder, low, high = BINDERS[name]
        check_count(name, len(flat), low, high)
        return checked(binder(*[_term(tree, bound_here) for tree in flat]))
    function, low, high = FUNCTIONS[name]
    check_count(name, len(flat), low, high)
    return checked(function(*[_term(tree, bound) for tree in flat]))


def _flat(trees: tuple[Tree, ...]) -> list[Tree]:
    """Arguments with lists among them opened: ``integrate(f, (x, 0, 1))``."""
    flat: list[Tree] = []
    for tree in trees:
        flat += _flat(tree[1]) if tree[0] == "list" else [tree]
    return flat


def _solve(items: tuple[Any, ...]) -> list[str]:
    """Of equations, inequalities and what shall be zero; then for which variables."""
    (first, *rest) = items
    unknown = [item for item in rest if isinstance(item, Symbol)]
    asked = (first, *[item for item in rest if not isinstance(item, Symbol)])
    for item in asked[1:]:
        if not (is_relation(item) or item in (sympy.true, sympy.false)):
            raise Refused(f"{item} is neither an equation nor a variable")
    if len(asked) == 1 and not unknown:
        unknown = [only_variable(first)]
    return _solve_all(asked, unknown)


def _solve_all(items: tuple[Any, ...], variables: list[Any]) -> list[str]:
    """Solutions as lines; equations without an unknown come as true or false."""
    if sympy.false in items:
        return ["no solution"]
    items = tuple(item for item in items if item != sympy.true)
    unknown = variables or sorted(
        set().union(*(i.free_symbols for i in items)), key=str
    )
    if not items or not unknown:
        return ["true for all values"]
    if any(is_relation(i) and not isinstance(i, sympy.Equality) for i in items):
        return _solve_inequalities(items, unknown)
    perhaps_more = any(item.has(TrigonometricFunction) for item in items)
    try:
        # Of a polynomial alone sympy also gives the roots that have no formula.
        alone = len(items) == len(unknown) == 1
        what = (items[0], unknown[0]) if alone else (items, unknown)
        found = sympy.solve(*what, dict=True)
    except NotImplementedError:
        found, perhaps_more = _solve_numerically(items, unknown), True
    told = [_solution(one, unknown) for one in found] or ["no solution"]
    if found and perhaps_more:
        told.append("[there may be more solutions]")
    return told


def _solution(found: dict[Any, Any], unknown: list[Any]) -> str:
    pairs = [" = ".join([str(s), *_forms(found[s])]) for s in unknown if s in found]
    return ", ".join(pairs) or "true for all values"


def _solve_inequalities(items: tuple[Any, ...], unknown: list[Any]) -> list[str]:
    if len(unknown) != 1:
        raise Refused("inequalities can be solved for one variable")
    variable = Symbol(unknown[0].name, real=True)
    real = [item.subs(unknown[0], variable) for item in items]
    result = sympy.reduce_inequalities(real, variable)
    told = {sympy.true: "true for all values", sympy.false: "no solution"}
    return [told.get(result, str(result))]


def _solve_numerically(
    items: tuple[Any, ...], unknown: list[Any]
) -> list[dict[Any, Any]]:
    if len(items) != 1 or len(unknown) != 1:
        raise Refused("sympy finds no solution in closed form")
    item = items[0]
    f = item.lhs - item.rhs if is_relation(item) else item
    for start in (1, 0.1, -1, 10, -10, 100):
        try:
            return [{unknown[0]: sympy.nsolve(f, unknown[0], start)}]
        except (ValueError, ZeroDivisionError, TypeError):
            continue
    raise Refused("sympy finds no solution, neither in closed form nor numerically")
