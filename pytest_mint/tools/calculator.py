"""A calculator, exact and decimal: numbers, equations, derivatives, integrals.

The text is read here, by a grammar of its own; what it means is worked out by sympy in
a process of the sandbox that sees nothing of the episode. No part is ever evaluated as
Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_mint.errors import SandboxError
from pytest_mint.sandbox.base import CallResult, Limits
from pytest_mint.tools.base import Context, Tool, ToolError
from pytest_mint.tools.calculator_grammar import NotClear, read

LIMITS = Limits(seconds=10, memory_mb=512)

#: What works a tree out, in the order in which one needs the other.
_MODULES = ("calculator_functions", "calculator_algebra")
_PROGRAM = """
import sys, types
for name, text in {sources!r}:
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), module.__dict__)
calculate = module.calculate
"""


@lru_cache(maxsize=1)
def program() -> str:
    """What the sandbox runs: our modules as they stand, under their own names."""
    folder = Path(__file__).parent
    sources = [
        (f"{__package__}.{name}", (folder / f"{name}.py").read_text(encoding="utf-8"))
        for name in _MODULES
    ]
    return _PROGRAM.format(sources=sources)


def _run(arguments: Mapping[str, Any], context: Context) -> str:
    expression = str(arguments["expression"])
    try:
        tree = read(expression)
    except NotClear as problem:
        raise ToolError(str(problem)) from None
    result = context.sandbox().call(program(), "calculate", [tree], LIMITS)
    return _told(result)


def _told(result: CallResult) -> str:
    if result.status == "error":  # sympy is missing, or our own program is wrong
        raise SandboxError(f"the calculator cannot run: {result.error[-500:]}")
    if result.status in ("timeout", "memory", "output", "died"):
        raise ToolError(
            f"this takes more than {LIMITS.seconds:g} seconds or {LIMITS.memory_mb} "
            "MB; ask for something smaller, or in steps"
        )
    value = result.value if isinstance(result.value, dict) else {}
    if text := value.get("text"):
        return str(text)
    raise ToolError(str(value.get("error", "there is no result")))


TOOL = Tool(
    name="calculator",
    description=(
        "Calculate exactly and as a decimal. Give one expression, equation or list of "
        "equations, without units:\n"
        "- numbers: 2^10/3, (1.5 + 2)*4e-3, sqrt(2), 5!, 15% of 80, 17 % 5 (remainder)"
        ", sin(30°) (angles are radians but for °), log10(x), log(x, base); log(x) is "
        "natural; round(x, 2), floor, gcd, lcm, ncr, max, mean, factorint, isprime\n"
        "- equations: x^2 = 5x - 6, cos(x) = x, x + y = 3, x - y = 1; with letters for "
        "constants solve(a*x + b = 0, x)\n"
        "- calculus: diff(x^3, x), integrate(x^2, x, 0, 1), limit(sin(x)/x, x, 0), "
        "sum(1/k^2, k, 1, oo)\n"
        "- algebra: simplify(...), expand(...), factor(...)\n"
        "A variable is one letter, perhaps with a number: x, x1, x_max. pi, e, i and "
        "oo are known."
    ),
    parameters={
        "type": "object",
        "properties": {
            "expression": {
                "type": "string",
                "description": "what to calculate, such as 1000 * 1.05^20",
            }
        },
        "required": ["expression"],
        "additionalProperties": False,
    },
    run=_run,
)
