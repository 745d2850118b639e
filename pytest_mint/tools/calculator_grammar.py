"""What one can write to the calculator: text to a tree, nothing worked out yet.

The tree is made of tuples and strings, so that it can be sent to the sandbox where it
is worked out: ``("number", "2.5")``, ``("name", "x")``, ``("call", f, trees)``,
``("negative", tree)``, ``("power", tree, tree)``, ``("sum", trees)``, ``("product",
((sign, tree), ...))`` with the signs ``*``, ``/`` and ``%``, ``("relation", sign, tree,
tree)`` and ``("list", trees)``.

What a reader could take in two ways is refused, not guessed: ``1/2x``, ``e^2x``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

Tree = tuple[Any, ...]

MAX_CHARS, MAX_DEPTH = 1_000, 50

FUNCTIONS = frozenset(
    """abs acos acosh arccos arcsin arctan asin asinh atan atan2 atanh binomial cbrt
    ceil ceiling conjugate cos cosh cot csc degrees derivative diff erf exp
    expand factor factorial factorint floor gamma gcd im integral integrate
    isprime lcm limit ln log log10 log2 max mean min mod ncr npr product radians
    re root round sec sign simplify sin sinh solve sqrt sum tan tanh""".split()  # noqa: SIM905
)
CONSTANTS = frozenset(("pi", "e", "E", "I", "i", "inf", "infinity", "oo", "tau", "phi"))
GREEK = frozenset(
    """alpha beta gamma delta epsilon eta theta kappa lambda mu nu rho sigma
    omega""".split()  # noqa: SIM905
)

_SIGNS = str.maketrans(
    {
        "−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/",
        "∕": "/", "π": " pi ", "∞": " oo ", "≤": "<=", "≥": ">=", "≠": "!=", "’": "",
        "[": "(", "]": ")", "{": "(", "}": ")",
    }
)  # fmt: skip
_SUPERSCRIPT = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_NORMAL = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d_](?:\w*\w)?)"
    r"|(?P<raised>\^\^[+-]?\d+;)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/%^!°√(),=<>])"
    r")"
)
_VARIABLE = re.compile(r"[^\W\d_](?:\d+|_\w+)?")
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])")
_RELATIONS = {
    "=": "=",
    "==": "=",
    "!=": "!=",
    "<": "<",
    ">": ">",
    "<=": "<=",
    ">=": ">=",
}


class NotClear(ValueError):
    """The text cannot be read, or could be read in two ways; says what to write."""


def read(text: str) -> Tree:
    """The tree of a text.

    Raises:
        NotClear: it is no expression, equation or list of them.
    """
    if len(text) > MAX_CHARS:
        raise NotClear(
            f"the expression has {len(text)} characters; at most {MAX_CHARS}"
        )
    return _Reader(_tokens(_plain(text))).read()


def _plain(text: str) -> str:
    text = text.strip().rstrip(".;")
    text = _SUPERSCRIPT.sub(lambda m: f"^^{m[0].translate(_NORMAL)};", text)
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    # Commas inside a call separate its arguments.
    if not re.search(r"\w\s*\([^()]*,", text):
        text = _THOUSANDS.sub(lambda m: m[0].replace(",", ""), text)
    return text.rstrip()


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            rest = text[at:].lstrip()
            raise NotClear(f"cannot read {rest[:20]!r}; {_advice(rest[0])}")
        kind = str(found.lastgroup)
        tokens.append((kind, found[kind]))
        at = found.end()
    return tokens


def _advice(char: str) -> str:
    if char == "|":
        return "write abs(...) for an absolute value"
    if char in "$€£¥":
        return "leave out currencies and units"
    return "allowed are numbers, names, + - * / ^ % ! ( ) , = < >"


class _Reader:
    """A descent over the tokens; one method for each level of binding."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = [*tokens, ("end", "")]
        self._at = 0
        self._depth = 0

    def read(self) -> Tree:
        items = [self._relation()]
        while self._take(","):
            items.append(self._relation())
        if self._next != ("end", ""):
            raise NotClear(f"{self._next[1]!r} is not expected here")
        return items[0] if len(items) == 1 else ("list", tuple(items))

    @property
    def _next(self) -> tuple[str, str]:
        return self._tokens[self._at]

    def _take(self, *signs: str) -> str:
        kind, text = self._next
        if kind == "sign" and text in signs:
            self._at += 1
            return text
        return ""

    def _relation(self) -> Tree:
        left = self._sum()
        if not (sign := self._take(*_RELATIONS)):
            return left
        right = self._sum()
        if self._next[0] == "sign" and self._next[1] in _RELATIONS:
            raise NotClear("one of = < > <= >= at a time; write several with commas")
        return ("relation", _RELATIONS[sign], left, right)

    def _sum(self) -> Tree:
        terms = [self._term()]
        while sign := self._take("+", "-"):
            term = self._term()
            terms.append(("negative", term) if sign == "-" else term)
        return terms[0] if len(terms) == 1 else ("sum", tuple(terms))

    def _term(self) -> Tree:
        factors = [("*", self._factor())]
        while True:
            if sign := self._take("*", "/", "%"):
                factors.append((sign, self._factor()))
            elif self._next == ("name", "mod") and self._tokens[self._at + 1][1] != "(":
                self._at += 1
                factors.append(("%", self._factor()))
            elif self._starts_operand():
                self._check_juxtaposed(factors[-1][0])
                factors.append(("*", self._factor()))
            else:
                return (
                    factors[0][1] if len(factors) == 1 else ("product", tuple(factors))
                )

    def _starts_operand(self) -> bool:
        kind, text = self._next
        return kind in ("number", "name") or (kind == "sign" and text in "(√")

    def _check_juxtaposed(self, last_sign: str) -> None:
        """A product without a sign must have one reading only."""
        kind, here = self._next
        before = self._tokens[self._at - 1]
        if kind == "number":
            raise NotClear(f"a sign is missing between {before[1]!r} and {here!r}")
        if last_sign in "/%":
            raise NotClear(
                f"what is divided by before {here!r} is not clear: write a/(b*c) or "
                "(a/b)*c"
            )
        power = self._at > 1 and self._tokens[self._at - 2][1] in ("^", "**")
        if power and here not in "(√":
            raise NotClear(
                f"the exponent before {here!r} is not clear: write x^2*y or x^(2*y)"
            )

    def _factor(self) -> Tree:
        negative = False
        while sign := self._take("-", "+"):
            negative ^= sign == "-"
        self._go_deeper()
        tree = self._postfix()
        if self._take("^", "**"):
            tree = ("power", tree, self._factor())
        self._depth -= 1
        return ("negative", tree) if negative else tree

    def _go_deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotClear(f"more than {MAX_DEPTH} levels of brackets and powers")

    def _postfix(self) -> Tree:
        tree = self._primary()
        while True:
            if self._next[0] == "raised":
                exponent = ("number", self._next[1][2:-1])
                tree = ("power", tree, exponent)
                self._at += 1
            elif self._take("!"):
                if self._next == ("sign", "!"):
                    raise NotClear("write factorial(factorial(n)); n!! is not clear")
                tree = ("call", "factorial", (tree,))
            elif self._take("°"):
                tree = ("call", "radians", (tree,))
            elif self._is_percent():
                tree = ("product", (("*", tree), ("/", ("number", "100"))))
            else:
                return tree

    def _is_percent(self) -> bool:
        """``20%`` and ``20% of 80``, but not ``17 % 5``, a remainder."""
        if self._next != ("sign", "%"):
            return False
        kind, text = self._tokens[self._at + 1]
        if (kind, text) == ("name", "of"):
            self._tokens[self._at + 1] = ("sign", "*")
        elif kind in ("number", "name") or (kind == "sign" and text in "(√"):
            return False
        elif text == "-":
            raise NotClear("'% -' is not clear: write (20%) - 5 or mod(20, -5)")
        self._at += 1
        return True

    def _primary(self) -> Tree:
        kind, text = self._next
        self._at += 1
        if kind == "number":
            return ("number", text)
        if kind == "name":
            return self._name(text)
        if (kind, text) == ("sign", "√"):
            self._go_deeper()
            tree = ("call", "sqrt", (self._primary(),))
            self._depth -= 1
            return tree
        if (kind, text) == ("sign", "("):
            tree = self._relation()
            if self._next == ("sign", ","):
                return ("list", (tree, *self._arguments()))
            self._close()
            return tree
        what = repr(text) if text else "the end"
        raise NotClear(f"a number, a name or a bracket is missing before {what}")

    def _name(self, name: str) -> Tree:
        called = self._next == ("sign", "(")
        if name.lower() in FUNCTIONS and (called or name not in GREEK):
            if not called:
                raise NotClear(f"{name} needs brackets: {name}(...)")
            self._at += 1
            first = self._relation()
            return ("call", name.lower(), (first, *self._arguments()))
        known = name in CONSTANTS or name in GREEK
        if not known and not _VARIABLE.fullmatch(name):
            raise NotClear(
                f"there is no {name!r}; a variable is one letter, perhaps with a "
                "number (x, x1, x_max), and a product of variables needs a sign: x*y"
            )
        if called and not known:
            raise NotClear(f"{name}(...) is not clear: write {name}*(...)")
        return ("name", name)

    def _arguments(self) -> list[Tree]:
        """The rest of a list in brackets, up to and with its end."""
        rest = []
        while self._take(","):
            rest.append(self._relation())
        self._close()
        return rest

    def _close(self) -> None:
        if not self._take(")"):
            what = repr(self._next[1]) if self._next[1] else "the end"
            raise NotClear(f"a closing bracket is missing before {what}")
