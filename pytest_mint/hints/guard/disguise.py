"""What a text can be read as: the text itself, and with disguises undone.

Every reading is made in time linear in the text, and none is longer than it by more
than a constant factor.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from pytest_mint.graders.letters import normal

#: Coded pieces of one text that are decoded.
MAX_PIECES = 64
#: A find in a text that was turned round needs so many characters, unless the text
#: tells that it is to be turned.
CHANCE = 4


@dataclass(frozen=True)
class Reading:
    """One way to read a text.

    Attributes:
        text: what is read.
        how: how it was hidden, in words that follow "it states the answer"; empty
            for the text as it stands.
        least: how many characters a find has to have; a shorter one can be chance,
            as "net" is "ten" backwards.
        letters: whether the text is a string of initials without words.
    """

    text: str
    how: str = ""
    least: int = 1
    letters: bool = False


def readings(text: str) -> Iterator[Reading]:
    """All readings of a text, the plain one first, none twice.

    Args:
        text: already cut to a bounded length.
    """
    seen: set[tuple[str, bool]] = set()
    for reading in _all(text):
        key = (reading.text, reading.letters)
        if reading.text.strip() and key not in seen:
            seen.add(key)
            yield reading


def _all(text: str) -> Iterator[Reading]:
    clean = visible(text)
    yield Reading(clean)
    latin = _in_latin(clean)
    yield Reading(latin, "in look-alike letters")
    whole = _MARKS.sub("", _TAG.sub("", latin))
    yield Reading(whole, "between marks")
    yield Reading(_close_up(whole), "spaced out")
    for how, decode in _CODES:
        decoded = decode(latin)
        if decoded != latin:
            yield Reading(visible(decoded), how)
    least = 1 if _CUE.search(latin) else CHANCE
    yield Reading(latin[::-1], "written backwards", least)
    yield Reading(codecs.encode(latin, "rot13"), "in rot13", least)
    for first, least in _FIRST:
        initials = "".join(first.findall(whole)).lower()
        yield Reading(initials, "in first letters", least, letters=True)


def visible(text: str) -> str:
    """The text without characters that take no room, and without stacked marks."""
    if text.isascii():
        return text
    kept = (char for char in text if unicodedata.category(char) not in ("Cf", "Me"))
    return _DIGIT_MARK.sub(r"\1", normal("".join(kept), "NFC"))


_DIGIT_MARK = re.compile("(\\d)[\u0300-\u036f\ufe00-\ufe0f]{1,30}")
_CUE = re.compile(r"backward|revers|mirror|right to left|rot-?13|caesar|cipher", re.I)
_TAG = re.compile(r"<[^<>]{0,40}>")
_MARKS = re.compile(r"[*_`~]+")


# Letters that look like others

_CYRILLIC_AND_GREEK = dict(
    zip(
        "АВЕЗКМНОРСТУХІЈЅавеорсухіјѕгԁһӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανικρτυ",
        "ABE3KMHOPCTYXIJSabeopcyxijsrdhlABEZHIKMNOPTYXoavikptu",
        strict=True,
    )
)
_LOOKALIKE = str.maketrans(_CYRILLIC_AND_GREEK)
_WORD = re.compile(r"\w+")
# O and l among digits; a word without a digit is a word.
_AMONG_DIGITS = re.compile(r"(?<!\w)(?!0o)[OoIl|\d]{1,40}(?:[.,][OoIl\d]{1,40})?(?!\w)")
_AS_DIGITS = str.maketrans("OoIl|", "00111")


def _in_latin(text: str) -> str:
    if not text.isascii():
        text = _WORD.sub(_latin_word, text)
    return _AMONG_DIGITS.sub(_digits, text)


def _latin_word(word: re.Match[str]) -> str:
    """A word of one script only may be a word of that script."""
    as_latin = word[0].translate(_LOOKALIKE)
    return as_latin if as_latin.isascii() else word[0]


def _digits(found: re.Match[str]) -> str:
    has_digit = any(char.isdigit() for char in found[0])
    return found[0].translate(_AS_DIGITS) if has_digit else found[0]


# Letters apart

_APART = re.compile(r"(?<![^\W_])[^\W_](?:[ \t\n.,·•/|\-]{1,3}[^\W_](?![^\W_])){2,}")
_BETWEEN_WORDS = re.compile(r"[ \t]{2,}|[ \t]?[/|][ \t]?")


def _close_up(text: str) -> str:
    """``O l d  H e s p e r`` as ``Old Hesper``."""
    return _APART.sub(_joined, text)


def _joined(run: re.Match[str]) -> str:
    words = _BETWEEN_WORDS.split(run[0]) if "  " in run[0] else [run[0]]
    return " ".join(re.sub(r"[^\w]", "", word) for word in words)


# Codes

_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{4})\}?|\\x([0-9a-fA-F]{2})|%([2-7][0-9A-F])")
# Two letters are a word, unless they are padded.
_BASE64 = re.compile(
    r"(?<![\w+/=])(?:[A-Za-z0-9+/_-]{4,2000}={0,2}|[A-Za-z0-9+/_-]{2,3}={1,2})"
    r"(?![\w+/=])"
)
_HEX = re.compile(
    r"(?<![\w])(?:0x)?(?:[2-7][0-9a-fA-F]){2,1000}(?![\w])"
    r"|(?<![\w])(?:0x)?[2-7][0-9a-fA-F]"
    r"(?:[ ,:]{1,2}(?:0x)?[2-7][0-9a-fA-F]){1,1000}(?!\w)"
)
_CODES_OF_CHARACTERS = re.compile(
    r"(?<![\w.,])\d{2,3}(?:[ ,]{1,2}\d{2,3}){1,400}(?![\w.])"
)
_OTHER_BASE = re.compile(
    r"(?<!\w)0(?:x([0-9a-fA-F]{1,12})|b([01]{1,48})|o([0-7]{1,16}))"
)
_BINARY = re.compile(r"(?<!\w)[01]{2,48}(?!\w)")
_TELLS_BINARY = re.compile(r"\bbinary\b|\bbase[ -]?(?:2|two)\b|\bbits\b", re.I)
#: What a short decoded piece is made of; other pieces are words that happen to decode.
_SHORT, _LIKELY = 12, re.compile(r"[A-Za-z0-9 .,:=+*/-]*")


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_unescape, html.unescape(text))


def _unescape(escape: re.Match[str]) -> str:
    point = int(escape[1] or escape[2] or escape[3], 16)
    return "" if 0xD800 <= point < 0xE000 else chr(point)


def _pieces(text: str, pattern: re.Pattern[str], decode: Callable[[str], str]) -> str:
    """What the coded pieces of a text say, one a line; "" if there are none."""
    found = islice(pattern.finditer(text), MAX_PIECES)
    decoded = (decode(piece[0]) for piece in found)
    return "\n".join(one for one in decoded if one)


def _from_base64(piece: str) -> str:
    bare = piece.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return _as_text(raw)


def _from_hex(piece: str) -> str:
    digits = re.sub(r"0x|[^0-9a-fA-F]", "", piece)
    return _as_text(bytes.fromhex(digits))


def _from_codes(piece: str) -> str:
    codes = [int(code) for code in re.findall(r"\d+", piece)]
    return "".join(map(chr, codes)) if all(32 <= n < 127 for n in codes) else ""


def _from_base(piece: str) -> str:
    return str(int(piece, 0))


def _from_binary(text: str) -> str:
    if not _TELLS_BINARY.search(text):
        return ""  # 1000 is a thousand
    return _pieces(text, _BINARY, lambda piece: str(int(piece, 2)))


def _as_text(raw: bytes) -> str:
    """The text that bytes are, or "" where they are no text."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    if len(raw) < _SHORT and not _LIKELY.fullmatch(text):
        return ""
    return text if text.replace("\n", "").replace("\t", "").isprintable() else ""


def _base64(text: str) -> str:
    once = _pieces(text, _BASE64, _from_base64)
    return f"{once}\n{_pieces(once, _BASE64, _from_base64)}"


_CODES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("in escapes", _unescaped),
    ("in base64", _base64),
    ("in hexadecimal", lambda text: _pieces(text, _HEX, _from_hex)),
    ("in character codes", lambda t: _pieces(t, _CODES_OF_CHARACTERS, _from_codes)),
    ("to another base", lambda text: _pieces(text, _OTHER_BASE, _from_base)),
    ("to another base", _from_binary),
)


# Initials

_FIRST_OF_LINE = re.compile(r"^[^\w\n]{0,20}(?:\d{1,2}[.)][ \t]{0,4})?([^\W\d_])", re.M)
_FIRST_OF_SENTENCE = re.compile(r"(?:^|[.!?;:\n]\s{1,4})[^\w]{0,4}([^\W\d_])")
_FIRST_OF_WORD = re.compile(r"(?<![\w'])[^\W\d_]")
#: With how many letters no chance is left: there are more words than lines.
_FIRST = ((_FIRST_OF_LINE, 3), (_FIRST_OF_SENTENCE, 3), (_FIRST_OF_WORD, 5))
