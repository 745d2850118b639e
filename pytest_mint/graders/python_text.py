"""Calls and values that a model wrote in Python's syntax, read and never run.

``ast.parse`` recurses, warns and concatenates; so the text first has to pass a list
of allowed tokens in an order that keeps the tree shallow: no operators, no chains, no
prefixes, no escapes but the usual ones.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from dataclasses import dataclass
from typing import Any

from pytest_mint.graders.json_text import MAX_DEPTH, DuplicateKey, NotJson

MAX_CHARS = 8_192

_ESCAPE = r"\\(?:[\\\"'abfnrtv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})"
_TOKEN = re.compile(
    rf"""
    (?P<value>"(?:[^"\\\n\0]|{_ESCAPE})*"|'(?:[^'\\\n\0]|{_ESCAPE})*'
    |-?(?:0|[1-9]\d{{0,399}})(?:\.\d{{1,100}})?(?:[eE][+-]?\d{{1,3}})?(?![\w.]))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*){{0,4}})(?![\w."'])
    |(?P<open>[\[({{])|(?P<close>[\])}}])|(?P<mark>[,:=])|(?P<blank>\s+)
    """,
    re.VERBOSE | re.ASCII,
)
_WORDS = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}


@dataclass(frozen=True)
class PythonCall:
    """``name(key=value, ...)``."""

    name: str
    arguments: dict[str, Any]


def read_python(text: str) -> Any:
    """The value of a text: literals, and calls with keyword arguments.

    Single quotes, trailing commas and comma-joined calls are allowed, JSON's ``true``
    and ``null`` too.

    Raises:
        NotJson: it is anything else.
    """
    text = text.strip()
    _check(text)
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise NotJson(f"neither JSON nor a Python literal: {error}") from None
    return _value(tree.body)


def _check(text: str) -> None:
    if not text or len(text) > MAX_CHARS:
        raise NotJson("empty or too long")
    position, depth, last, last_name = 0, 0, "", False
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise NotJson(f"unexpected character at {position}")
        position = token.end()
        kind = token.lastgroup or ""
        if keyword.iskeyword(token[0]) and token[0] not in _WORDS:
            raise NotJson(f"{token[0]} at {token.start()} is no literal")
        if kind == "blank":
            continue
        begins = kind in ("value", "name", "open")
        calls = last_name and token[0] == "("
        if begins and last in ("value", "name", "close") and not calls:
            # Two values side by side are no literal; a name may only be called.
            raise NotJson(f"unexpected {token[0][:20]!r} at {token.start()}")
        depth += (kind == "open") - (kind == "close")
        if depth > MAX_DEPTH:
            raise NotJson("nested too deep")
        last, last_name = kind, kind == "name" and token[0] not in _WORDS


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, float) and not math.isfinite(node.value):
            raise NotJson("a number is too large")
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(node.operand)
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return -number
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return _pairs([(_key(key), item) for key, item in _items(node)])
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    if isinstance(node, ast.Call):
        return _call(node)
    raise NotJson(f"{type(node).__name__} is no literal")


def _items(node: ast.Dict) -> list[tuple[ast.expr | None, ast.expr]]:
    return list(zip(node.keys, node.values, strict=True))


def _key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise NotJson("a key is no text")


def _call(node: ast.Call) -> PythonCall:
    if node.args:
        raise NotJson("an argument has no name")
    name = ast.unparse(node.func)
    pairs = [(keyword.arg or "", keyword.value) for keyword in node.keywords]
    return PythonCall(name, _pairs(pairs))


def _pairs(pairs: list[tuple[str, ast.expr]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, item in pairs:
        if key in found:
            raise DuplicateKey(key)
        found[key] = _value(item)
    return found
