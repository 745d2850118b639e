"""The functions of the calculator, and the bounds within which they are worked out.

Its text is sent to the sandbox, so it stands alone: the standard library and sympy.
"""

from __future__ import annotations

import math
from typing import Any

import sympy
from sympy import Integer, Rational, Symbol

#: Digits of the largest exact number.
MAX_DIGITS = 4_000


class Refused(Exception):
    """What cannot be worked out, and what to do instead."""


def checked(value: Any) -> Any:
    """The value, unless it is a number with too many digits."""
    if isinstance(value, Rational):
        bits = max(value.p.bit_length(), value.q.bit_length())
        check_digits((bits - 1) * math.log10(2))
    return value


def check_digits(digits: float) -> None:
    """Refuse a number before it is worked out."""
    if digits > MAX_DIGITS:
        told = f"{digits:.0f}" if digits < 1e9 else f"more than 10^{_log10(digits):.0f}"
        raise Refused(
            f"the number has {told} digits; at most {MAX_DIGITS} are worked out. "
            "Work with its logarithm, or with a remainder such as a^b % m"
        )


def _log10(number: float) -> float:
    return math.floor(math.log10(number)) if math.isfinite(number) else 308


def power(base: Any, exponent: Any) -> Any:
    """``base**exponent``, a decimal number where a fraction would become too long.

    Raises:
        Refused: it is not defined, or too large.
    """
    if base == 0 and exponent.is_negative:
        raise Refused("division by zero")
    if exponent.is_number and abs(exponent) > 10**4 and not base.is_number:
        raise Refused(f"powers of a variable go up to {10**4}")
    if isinstance(base, Rational) and exponent.is_real and base not in (0, 1, -1):
        digits = _digits_of_power(base, exponent)
        if digits > MAX_DIGITS and not base.is_Integer and digits < 10**15:
            return sympy.Float(sympy.N(base, 40) ** exponent, 15)
        check_digits(digits)
    return checked(base**exponent)


def _digits_of_power(base: Any, exponent: Any) -> float:
    if abs(exponent) >= 10**300:  # beyond what a float holds
        return math.inf
    return math.log10(max(abs(base.p), base.q)) * float(abs(exponent))


def is_relation(value: Any) -> bool:
    """Whether it is an equation or inequality that is neither true nor false yet."""
    return isinstance(value, sympy.core.relational.Relational)


def check_count(name: str, count: int, low: int, high: int) -> None:
    """Refuse too few or too many arguments."""
    if not low <= count <= high:
        expected = str(low) if low == high else f"{low} to {high}"
        if high >= MANY:
            expected = f"at least {low}"
        raise Refused(f"{name} takes {expected} arguments, not {count}")


def variable_of(value: Any) -> Any:
    """The value, if it is a variable."""
    if not isinstance(value, Symbol):
        raise Refused(f"{value} is no variable")
    return value


def only_variable(value: Any) -> Any:
    """The variable of a formula that has one."""
    free = sorted(value.free_symbols, key=str)
    if len(free) != 1:
        told = ", ".join(map(str, free)) or "none"
        raise Refused(f"say for which variable; there are: {told}")
    return free[0]


def _diff(f: Any, *where: Any) -> Any:
    variable = variable_of(where[0]) if where else only_variable(f)
    times = where[1] if len(where) > 1 else Integer(1)
    if not (isinstance(times, Integer) and 1 <= times <= 20):
        raise Refused("how often to differentiate: expected a number from 1 to 20")
    return sympy.simplify(sympy.diff(f, variable, int(times)))


def _integrate(f: Any, *where: Any) -> Any:
    variable = variable_of(where[0]) if where else only_variable(f)
    if len(where) == 2:
        raise Refused("integrate takes f, x or f, x, from, to")
    limits = (variable, *where[1:]) if len(where) > 1 else variable
    result = sympy.integrate(f, limits)
    if result.has(sympy.Integral) and (len(where) < 2 or result.free_symbols):
        raise Refused("there is no closed form that sympy finds")
    return result


def _limit(f: Any, variable: Any, point: Any) -> Any:
    return sympy.limit(f, variable_of(variable), point)


def _add_up(f: Any, *where: Any) -> Any:
    if len(where) == 3 and isinstance(where[0], Symbol):
        return _over_range(sympy.Sum, f, where)
    return sympy.Add(f, *where)


def _multiply_up(f: Any, *where: Any) -> Any:
    if len(where) == 3 and isinstance(where[0], Symbol):
        return _over_range(sympy.Product, f, where)
    return sympy.Mul(f, *where)


def _over_range(kind: Any, f: Any, where: tuple[Any, ...]) -> Any:
    variable, start, end = where
    for bound in (start, end):
        if bound.is_number and not (bound.is_Integer or bound.is_infinite):
            raise Refused(f"from {start} to {end}: expected whole numbers or oo")
    if start.is_number and end.is_number and start > end:
        raise Refused(f"from {start} to {end} there is nothing to take together")
    return kind(f, (variable, start, end)).doit()


def _factorial(n: Any) -> Any:
    if isinstance(n, Integer) and n > 0:
        check_digits(_log10_factorial(n) if n < 10**300 else math.inf)
    if n.is_negative:
        raise Refused("a factorial of a negative number is not defined")
    return sympy.factorial(n)


def _gamma(x: Any) -> Any:
    if x.is_number and x.is_real and x > 1:
        check_digits(_log10_factorial(x) if x < 10**300 else math.inf)
    return sympy.gamma(x)


def _log10_factorial(n: Any) -> float:
    return math.lgamma(float(n) + 1) / math.log(10)


def _binomial(n: Any, k: Any) -> Any:
    if not all(isinstance(v, Integer) and 0 <= v <= 10**6 for v in (n, k)):
        raise Refused("binomial takes two whole numbers from 0 to 10^6")
    if k <= n:
        parts = _log10_factorial(k) + _log10_factorial(n - k)
        check_digits(_log10_factorial(n) - parts)
    return sympy.binomial(n, k)


def _expand(x: Any) -> Any:
    for part in x.atoms(sympy.Pow):
        if isinstance(part.exp, Integer) and part.exp > 100:
            raise Refused("powers up to 100 can be expanded")
    return sympy.expand(x)


def _log(x: Any, base: Any = None) -> Any:
    if x == 0:
        raise Refused("the logarithm of 0 is not defined")
    return sympy.log(x) if base is None else sympy.log(x, base)


def _round(x: Any, places: Any = Integer(0)) -> Any:  # noqa: B008 (immutable)
    """Half away from zero, as people do it."""
    if not (x.is_real and isinstance(places, Integer) and abs(places) <= 100):
        raise Refused("round takes a number and how many places, -100 to 100")
    scale = Integer(10) ** places
    return sympy.sign(x) * sympy.floor(abs(x) * scale + Rational(1, 2)) / scale


def _whole(name: str, x: Any) -> int:
    if not isinstance(x, Integer) or abs(x) >= 10**40:
        raise Refused(f"{name} takes a whole number below 10^40")
    return int(x)


def _factorint(x: Any) -> list[str]:
    parts = sympy.factorint(_whole("factorint", x))
    return [" * ".join(f"{p}^{n}" if n > 1 else str(p) for p, n in parts.items())]


def _mod(a: Any, b: Any) -> Any:
    if b == 0:
        raise Refused("division by zero")
    return a % b


MANY = 1000
_OF_SYMPY = """acos acosh asin asinh atan atanh conjugate cos cosh cot csc erf floor
im re sec sign sin sinh tan tanh""".split()  # noqa: SIM905
#: The function and how many arguments it takes. Those of the first table have a
#: variable among them.
BINDERS: dict[str, tuple[Any, int, int]] = {
    "derivative": (_diff, 1, 3),
    "diff": (_diff, 1, 3),
    "integral": (_integrate, 1, 4),
    "integrate": (_integrate, 1, 4),
    "limit": (_limit, 3, 3),
    "product": (_multiply_up, 1, MANY),
    "sum": (_add_up, 1, MANY),
}
FUNCTIONS: dict[str, tuple[Any, int, int]] = {
    "abs": (sympy.Abs, 1, 1),
    "atan2": (sympy.atan2, 2, 2),
    "binomial": (_binomial, 2, 2),
    "cbrt": (lambda x: sympy.real_root(x, 3), 1, 1),
    "ceil": (sympy.ceiling, 1, 1),
    "ceiling": (sympy.ceiling, 1, 1),
    "degrees": (lambda x: x * 180 / sympy.pi, 1, 1),
    "exp": (lambda x: power(sympy.E, x), 1, 1),
    "expand": (_expand, 1, 1),
    "factor": (sympy.factor, 1, 1),
    "factorial": (_factorial, 1, 1),
    "factorint": (_factorint, 1, 1),
    "gamma": (_gamma, 1, 1),
    "gcd": (sympy.gcd, 2, 2),
    "isprime": (lambda x: sympy.sympify(sympy.isprime(_whole("isprime", x))), 1, 1),
    "lcm": (sympy.lcm, 2, 2),
    "ln": (_log, 1, 1),
    "log": (_log, 1, 2),
    "log10": (lambda x: _log(x, Integer(10)), 1, 1),
    "log2": (lambda x: _log(x, Integer(2)), 1, 1),
    "max": (sympy.Max, 1, MANY),
    "mean": (lambda *xs: sympy.Add(*xs) / len(xs), 1, MANY),
    "min": (sympy.Min, 1, MANY),
    "mod": (_mod, 2, 2),
    "ncr": (_binomial, 2, 2),
    "npr": (lambda n, k: _binomial(n, k) * _factorial(k), 2, 2),
    "radians": (lambda x: x * sympy.pi / 180, 1, 1),
    "root": (lambda x, n: power(x, 1 / n), 2, 2),
    "round": (_round, 1, 2),
    "simplify": (sympy.simplify, 1, 1),
    "sqrt": (sympy.sqrt, 1, 1),
    **{name: (getattr(sympy, name), 1, 1) for name in _OF_SYMPY},
    **{
        f"arc{name}": (getattr(sympy, f"a{name}"), 1, 1)
        for name in ("cos", "sin", "tan")
    },
}
