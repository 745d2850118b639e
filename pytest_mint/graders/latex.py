"""LaTeX as plain text."""

from __future__ import annotations

import re
from fractions import Fraction

_TEXT_MACRO = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|mbox|operatorname"
    r"|boldsymbol|boxed|underline)\s*\{([^{}]*)\}"
)
_QUANTITY = re.compile(r"\\(?:SI|qty)\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_NUM = re.compile(r"\\num\s*\{([^{}]*)\}")
_REPEATING = re.compile(r"(\d{0,30})\.(\d{0,30})\\(?:overline|bar)\s*\{(\d{1,30})\}")
_SHORT_FRACTION = re.compile(r"\\(?:[dtc]?|nice|s)frac\s*(\d)\s*(?=[\d{])")
_FRACTION_ARGUMENT = re.compile(r"(\\(?:[dtc]?|nice|s)frac\{\d\})\s*(\d)")
_FRACTION = re.compile(r"\\(?:[dtc]?|nice|s)frac(?![A-Za-z])")
_ROOT_DIGIT = re.compile(r"\\sqrt\s*(\d)")
_ROOT_DEGREE = re.compile(r"\\sqrt\s*\[(\d{1,2})\]")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SPACING = re.compile(r"\\[,;: ]")
_DEGREE_SIGN = re.compile(r"\^\s*\{?\s*\\(?:circ|degree)\s*\}?|\\degree")
_COMMANDS = {
    "times": "*",
    "cdot": "*",
    "ast": "*",
    "div": "/",
    "over": "/",
    "pi": "π",
    "approx": "=",
    "simeq": "=",
    "sim": "=",
    "equiv": "=",
    "to": "=",
    "rightarrow": "=",
    "Rightarrow": "=",
    "implies": "=",
    "pm": "±",
    "mp": "±",
    "le": "<",
    "leq": "<",
    "lt": "<",
    "ge": ">",
    "geq": ">",
    "gt": ">",
    "ne": "≠",
    "neq": "≠",
    "infty": "∞",
    "sqrt": "√",
    "mu": "μ",
    "Omega": "Ω",
    "circ": "°",
    "ldots": " ",
    "dots": " ",
    "cdots": " ",
}
_DROPPED = re.compile(
    "left|right|displaystyle|textstyle|[bB]ig[lr]?|q?quad|angle|limits|bf|rm|it"
)


def without_latex(text: str) -> str:
    """The text with its LaTeX undone, but for fractions and roots.

    ``\\frac{a}{b}`` and ``\\sqrt[3]{a}`` (as ``\\root3{a}``) stay for the scanner.
    """
    text = text.replace("{,}", ",").replace("\\$", "$").replace("\\%", "%")
    text = (
        text.replace("\\!", "")
        .replace("\\*", "*")
        .replace("\\_", "_")
        .replace("\\#", "#")
    )
    if "\\" not in text:
        return text
    for _ in range(4):  # macros in macros, innermost first
        text, count = _TEXT_MACRO.subn(r" \1 ", text)
        if not count:
            break
    text = _QUANTITY.sub(r" \1 \2 ", _NUM.sub(r" \1 ", text))
    text = _DEGREE_SIGN.sub("°", text)
    text = _REPEATING.sub(_repeating, text)
    text = _SPACING.sub(" ", text)
    text = _SHORT_FRACTION.sub(r"\\frac{\1}", text)
    text = _FRACTION_ARGUMENT.sub(r"\1{\2}", text)
    text = _FRACTION.sub(" \\\\frac", text)
    text = _ROOT_DEGREE.sub(r"\\root\1", text)
    text = _ROOT_DIGIT.sub(r"\\sqrt{\1}", text)
    text = re.sub(r"\\[()\[\]]", " ", text)
    return _COMMAND.sub(_command, text)


def _command(command: re.Match[str]) -> str:
    name = command[1]
    if _DROPPED.fullmatch(name):
        return "" if command.string[command.end() :][:1] in "([)]" else " "
    if name == "frac" or name.startswith("root"):
        return command[0]
    return _COMMANDS.get(name, f" {name} ")


def _repeating(match: re.Match[str]) -> str:
    """``0.1\\overline{6}`` as the fraction that it is."""
    whole, fixed, again = match.groups()
    scale = 10 ** len(fixed)
    period = 10 ** len(again) - 1
    value = Fraction(int((whole or "0") + fixed), scale)
    value += Fraction(int(again), scale * period)
    return f"({value.numerator}/{value.denominator})"
