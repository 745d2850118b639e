"""The value of a Python literal or a little arithmetic, without running anything.

Stands in for the ``eval`` of the original benchmark: what its recorded answers
evaluated to, and nothing that could do more.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

MAX_TEXT = 2_000
MAX_NESTING = 40
MAX_BITS = 4_096

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
#: ``5if`` parses with a warning, and no answer was ever written like that.
_STUCK_KEYWORD = re.compile(r"\d(?:and|else|for|if|in|is|or|not)")


class Unknown(ValueError):
    """The text is no literal and no arithmetic of numbers, or it is too large."""


def value_of(text: str) -> Any:
    """The value: a number, truth value, text or list; tuples and sets become lists.

    Raises:
        Unknown: the text is anything else.
    """
    text = text.strip(" \t")
    if len(text) > MAX_TEXT or _nesting(text) > MAX_NESTING:
        raise Unknown("the text is too long or nested too deeply")
    if "\\" in text or "\0" in text or _STUCK_KEYWORD.search(text):
        raise Unknown("the text is no expression")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Unknown("the text is no expression") from None
    try:
        value = _value(tree.body, 0)
    except (ArithmeticError, TypeError):
        raise Unknown("the text has no value") from None
    if isinstance(value, (set, tuple)):
        value = list(value)
        if value and isinstance(value[0], complex):
            value = [element.real for element in value]
    return value.real if isinstance(value, complex) else value


def _nesting(text: str) -> int:
    depth = deepest = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _value(node: ast.expr, depth: int) -> Any:
    if depth > 2 * MAX_NESTING:
        raise Unknown("the text is nested too deeply")
    if isinstance(node, ast.Constant):
        return _bounded(node.value)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        elements = [_value(element, depth + 1) for element in node.elts]
        kinds = {ast.List: list, ast.Tuple: tuple, ast.Set: set}
        return kinds[type(node)](elements)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _number(_value(node.operand, depth + 1))
        return -value if isinstance(node.op, ast.USub) else +value
    if isinstance(node, ast.BinOp):
        left = _number(_value(node.left, depth + 1))
        right = _number(_value(node.right, depth + 1))
        if isinstance(node.op, ast.Pow):
            return _power(left, right)
        if (apply := _OPERATORS.get(type(node.op))) is not None:
            return _bounded(apply(left, right))
    raise Unknown("the text is no arithmetic of numbers")


def _number(value: Any) -> Any:
    if not isinstance(value, (int, float, complex)):
        raise Unknown("the text is no arithmetic of numbers")
    return value


def _power(base: Any, exponent: Any) -> Any:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and abs(exponent) * base.bit_length() > MAX_BITS:
        raise Unknown("the value is too large")
    return base**exponent


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise Unknown("the value is too large")
    return value
