"""Numbers in words: English number words, scale words and Kanji numerals."""

from __future__ import annotations

import re
from fractions import Fraction


def vocabulary(words: str, separator: str | None = None) -> frozenset[str]:
    """A set of words written as one text."""
    return frozenset(words.split(separator))


SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "millions": 10**6,
    "billion": 10**9,
    "billions": 10**9,
    "trillion": 10**12,
    "lakh": 10**5,
    "lakhs": 10**5,
    "crore": 10**7,
    "crores": 10**7,
    "dozen": 12,
    "mn": 10**6,
    "bn": 10**9,
    "tn": 10**12,
}
#: Letters that scale an amount of money: $1.2M.
MONEY_SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}

_ONE_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TWENTY_TO_NINETY = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES = {word: number for number, word in enumerate(_ONE_TO_NINETEEN.split())}
_TENS = {word: 10 * n for n, word in enumerate(_TWENTY_TO_NINETY.split(), 2)}
_WORD_SCALES = {word: n for word, n in SCALES.items() if len(word) > 2}
_SHARES = {
    "half": Fraction(1, 2),
    "third": Fraction(1, 3),
    "quarter": Fraction(1, 4),
    "fourth": Fraction(1, 4),
    "fifth": Fraction(1, 5),
    "sixth": Fraction(1, 6),
    "seventh": Fraction(1, 7),
    "eighth": Fraction(1, 8),
    "ninth": Fraction(1, 9),
    "tenth": Fraction(1, 10),
}
_MINUS = ("minus", "negative")

_KANJI = {char: number for number, char in enumerate("零一二三四五六七八九")}
_KANJI_SMALL = {"十": 10, "百": 100, "千": 1000}
_KANJI_LARGE = {"万": 10**4, "億": 10**8, "兆": 10**12}
_KANJI_MIXED = re.compile(r"\d[\d.,]{0,20}[十百千万億兆][\d.,十百千万億兆]{0,40}")
_KANJI_PURE = re.compile("[零一二三四五六七八九十百千万億兆]{1,40}")
_WORD = re.compile(r"[^\W\d_]+")


def number_in_words(words: list[str]) -> Fraction | None:
    """The value of a run of number words, or None if they make no number.

    Args:
        words: lower-case words without hyphens: ``["minus", "forty", "two"]``.
    """
    negative = bool(words) and words[0] in _MINUS
    words = words[negative:]
    share = _share(words)
    value = share if share is not None else _cardinal(words)
    if value is None:
        return None
    return -value if negative else value


def _share(words: list[str]) -> Fraction | None:
    """``three quarters``, ``two and a half``."""
    if not words:
        return None
    part = _SHARES.get(words[-1]) or _SHARES.get(words[-1].removesuffix("s"))
    if words[-1] == "halves":
        part = Fraction(1, 2)
    if part is None:
        return None
    if words[:-1] in ([], ["a"]):
        return part
    if words[-3:-1] == ["and", "a"]:
        whole = _cardinal(words[:-3])
        return None if whole is None else whole + part
    above = _cardinal(words[:-1])
    return None if above is None else above * part


#: What may stand before a word of each rank; "" is the beginning.
_AFTER = {
    "one": ("", "ten", "hundred", "scale"),
    "teen": ("", "hundred", "scale"),
    "ten": ("", "hundred", "scale"),
    "hundred": ("", "one", "teen", "scale"),
    "scale": ("", "one", "teen", "ten", "hundred"),
}


def _rank(word: str) -> str:
    if word in _ONES:
        return "one" if 0 < _ONES[word] < 10 else "teen"
    if word in _TENS:
        return "ten"
    if word == "hundred":
        return "hundred"
    return "scale" if word in _WORD_SCALES else "none"


def _cardinal(words: list[str]) -> Fraction | None:
    total, section, smallest = Fraction(0), Fraction(0), 10**18
    before = ""
    for word in words:
        if word in ("and", "a"):
            continue
        rank = _rank(word)
        if before not in _AFTER.get(rank, ()):
            return None
        if rank == "scale":
            if _WORD_SCALES[word] >= smallest:
                return None
            smallest = _WORD_SCALES[word]
            total, section = total + (section or 1) * smallest, Fraction(0)
        elif rank == "hundred":
            section = (section or Fraction(1)) * 100
        else:
            section += _ONES.get(word, 0) or _TENS.get(word, 0)
        before = rank
    return total + section if before else None


def is_number_word(word: str) -> bool:
    """Whether a lower-case word can be part of a number."""
    return (
        word in _ONES
        or word in _TENS
        or word in _WORD_SCALES
        or word in _SHARES
        or word.removesuffix("s") in _SHARES
        or word == "halves"
    )


def runs_of_words(text: str) -> list[tuple[int, int, Fraction]]:
    """The numbers that a text without digits writes in words, each with its place."""
    runs: list[list[re.Match[str]]] = []
    is_open = False
    for word in _WORD.finditer(text.lower()):
        is_number = is_number_word(word[0])
        if is_open and (is_number or word[0] in ("and", "a")):
            runs[-1].append(word)
        elif is_number or word[0] in _MINUS:
            runs.append([word])
            is_open = True
        else:
            is_open = False
    return [found for run in runs if (found := _read_run(run)) is not None]


def _read_run(run: list[re.Match[str]]) -> tuple[int, int, Fraction] | None:
    while run and run[-1][0] in ("and", "a"):
        run.pop()
    value = number_in_words([word[0] for word in run])
    return None if value is None else (run[0].start(), run[-1].end(), value)


def kanji_to_digits(text: str) -> str:
    """``1万2千`` as ``12000``; ``三十二`` as ``32`` where there is no digit."""
    text = _KANJI_MIXED.sub(_kanji_run, text)
    if any(char.isdigit() for char in text):
        return text
    if len(_KANJI_PURE.findall(text)) != 1:
        return text
    return _KANJI_PURE.sub(_kanji_run, text)


def _kanji_run(match: re.Match[str]) -> str:
    value = _kanji(match[0].replace(",", ""))
    if value is None:
        return match[0]
    if value.denominator == 1:
        return str(value.numerator)
    return f"({value.numerator}/{value.denominator})"


def _kanji(run: str) -> Fraction | None:
    if all(char in _KANJI for char in run):
        return Fraction("".join(str(_KANJI[char]) for char in run))
    total, section, digits = Fraction(0), Fraction(0), ""
    for char in run:
        if char in _KANJI:
            digits += str(_KANJI[char])
        elif char in "0123456789.":
            digits += char
        elif digits.count(".") > 1 or digits == ".":
            return None
        elif char in _KANJI_SMALL:
            section += Fraction(digits or "1") * _KANJI_SMALL[char]
            digits = ""
        else:
            section += Fraction(digits or "0")
            total += (section or 1) * _KANJI_LARGE[char]
            section, digits = Fraction(0), ""
    if digits.count(".") > 1 or digits == ".":
        return None
    return total + section + Fraction(digits or "0")
