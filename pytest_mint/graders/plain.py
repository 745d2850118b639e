"""Mathematical prose as plain text: LaTeX, Markdown and the world's digits undone.

What comes out uses ASCII digits, ``+ - * / ^ ! % ( )``, ``=`` for every kind of
equality, ``√ π °`` and words. Nothing is evaluated here.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from pytest_mint.graders.latex import without_latex

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,20}>|<\|[^|<>]{1,20}\|>")

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
        "⨯": "*",
        "✕": "*",
        "✖": "*",
        "÷": "/",
        "٪": "%",
        "∛": " cbrt ",
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
#: "Rs.500" is no half rupee.
_ABBREVIATION = re.compile(r"(?<=[A-Za-z])\.(?=\d)")
_PER_CENT = re.compile(r"\bper cent\b", re.IGNORECASE)
_SIGN_WORD = re.compile(
    r"(?:\b(?:minus|negative)|マイナス)\s?(?=[$€£]?\.?\d)", re.IGNORECASE
)
_WHOLE_AND_PART = re.compile(r"(?<![\d.,/])(\d+) and (\d+/\d+)(?![\d/])")
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
    text = without_latex(text)
    text = _SUPERSCRIPT_RUN.sub(_caret, text)
    text = _vulgar_fractions(text)
    # One character may become eighteen.
    text = _ascii_digits(unicodedata.normalize("NFKC", text)[: 2 * len(text) + 20])
    text = text.translate(_SIGNS)
    text = _PER_CENT.sub("percent", _ABBREVIATION.sub(". ", text))
    text = _WHOLE_AND_PART.sub(r"\1 \2", _SIGN_WORD.sub("-", text))
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
