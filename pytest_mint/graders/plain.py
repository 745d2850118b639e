"""Mathematical prose as plain text: LaTeX, Markdown and the world's digits undone.

What comes out uses ASCII digits, ``+ - * / ^ ! % ( )``, ``=`` for every kind of
equality, ``√ π °`` and words. Nothing is evaluated here.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction


def vocabulary(words: str, separator: str | None = None) -> frozenset[str]:
    """A set of words written as one text."""
    return frozenset(words.split(separator))


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,20}>")

_TEXT_MACRO = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|mbox|operatorname"
    r"|boldsymbol|boxed|underline)\s*\{([^{}]*)\}"
)
_REPEATING = re.compile(r"(\d{0,30})\.(\d{0,30})\\(?:overline|bar)\s*\{(\d{1,30})\}")
_SHORT_FRACTION = re.compile(r"\\[dtc]?frac\s*(\d)\s*(?=[\d{])")
_FRACTION_ARGUMENT = re.compile(r"(\\[dtc]?frac\{\d\})\s*(\d)")
_FRACTION = re.compile(r"\\[dtc]?frac(?![A-Za-z])")
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
_DROPPED = vocabulary(
    "left right displaystyle textstyle big Big bigl bigr Bigl Bigr quad qquad "
    "angle limits bf rm it"
)

_SIGNS = str.maketrans(
    {
        "−": "-",
        "‒": "-",
        "﹣": "-",
        "‐": "-",
        "‑": "-",
        "×": "*",
        "·": "*",
        "⋅": "*",
        "∙": "*",
        "÷": "/",
        "⁄": "/",
        "∕": "/",
        "≈": "=",
        "≃": "=",
        "≅": "=",
        "≡": "=",
        "≒": "=",
        "→": "=",
        "⇒": "=",
        "∓": "±",
        "≤": "<",
        "≥": ">",
        "≦": "<",
        "≧": ">",
        "{": "(",
        "}": ")",
        "[": "(",
        "]": ")",
        "【": "(",
        "】": ")",
        "「": " ",
        "」": " ",
        "、": ", ",
        "。": ". ",
        "٫": ".",
        "٬": "'",
        "،": ", ",
        "’": "'",
        "˚": "°",
        "º": "°",
        "〇": "零",
        "`": " ",
    }
)
_RANGE = re.compile(r"(?<=[\d%])[–—~〜](?=\d)")
_DASH = re.compile("[–—―]")
_WAVE = re.compile("[~〜]")
_COMPARISON = re.compile(r"[<>]=|(?<![\d)])!=")
_ARROW = re.compile(r"=?=+>?|:=|->")
_TEN_TO = re.compile(r"(\d\s?[x*]\s?10)(-\d{1,4})(?!\d)")
_STARS = re.compile(r"\*\*")
_ITALIC = re.compile(r"(?:(?<=^)|(?<=[A-Za-z:] ))\*(?=\S)([^*\n]{1,40})\*(?![\w(*])")
_LINE_BULLET = re.compile(r"^[ \t]*(?:[-*+•][ \t]+|#{1,6}[ \t]+|>[ \t]+)", re.MULTILINE)
_LINE_NUMBER = re.compile(r"^[ \t]*\d{1,2}[.)][ \t]+(?=\D)", re.MULTILINE)


def plain(text: str) -> str:
    """The text with all notation brought to one form.

    Args:
        text: already cut to a bounded length; every step is linear in it.
    """
    text = _TAG.sub(" ", text)
    text = _unlatex(text)
    text = _SUPERSCRIPT_RUN.sub(_caret, text)
    text = _vulgar_fractions(text)
    # One character may become eighteen.
    text = _ascii_digits(unicodedata.normalize("NFKC", text)[: 2 * len(text) + 20])
    text = text.translate(_SIGNS)
    text = _RANGE.sub(" to ", text)
    text = _WAVE.sub("=", _DASH.sub("-", text))
    text = _unmark(text)
    text = _TEN_TO.sub(r"\1^(\2)", text)
    return _ARROW.sub("=", _COMPARISON.sub("≠", text))


def _caret(run: re.Match[str]) -> str:
    return f"^({run[0].translate(_SUPERSCRIPTS)})"


def _vulgar_fractions(text: str) -> str:
    """``1½`` must not become ``11/2``, as plain normalisation would have it."""

    def written_out(char: str) -> str:
        if not unicodedata.decomposition(char).startswith("<fraction>"):
            return char
        value = Fraction(unicodedata.numeric(char)).limit_denominator(100)
        return f" {value.numerator}/{value.denominator}"

    return "".join(written_out(char) if char > "~" else char for char in text)


def _ascii_digits(text: str) -> str:
    return "".join(
        str(unicodedata.decimal(char)) if char > "~" and char.isdecimal() else char
        for char in text
    )


def _unlatex(text: str) -> str:
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
    if name in _DROPPED:
        return " "
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


def _unmark(text: str) -> str:
    """Drop bold marks, keep powers; drop bullets where there is a list of lines."""
    text = _STARS.sub(_power_or_bold, text)
    text = _ITALIC.sub(r" \1 ", text)
    if "\n" in text.strip():
        text = _LINE_BULLET.sub("", text)
        if len(_LINE_NUMBER.findall(text)) > 1:
            text = _LINE_NUMBER.sub("", text)
    return text


def _power_or_bold(stars: re.Match[str]) -> str:
    before = stars.string[max(0, stars.start() - 2) : stars.start()]
    after = stars.string[stars.end() : stars.end() + 2]
    evenly = before[-1:].isspace() == after[:1].isspace()
    left, right = before.strip()[-1:], after.strip()[:1]
    operands = (left.isalnum() or left == ")") and (right.isalnum() or right in "(+-")
    return "^" if evenly and operands and right else " "
