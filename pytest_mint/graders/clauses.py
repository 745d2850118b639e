"""Sentences and their clauses, without the asides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pytest_mint.graders.tokens import Token


@dataclass
class Clause:
    """A part of a sentence, and the word or mark that stood before it."""

    lead: str
    parts: list[Token] = field(default_factory=list)

    def first_word(self) -> str:
        """The word that it begins with, in lower case, or ""."""
        first = self.parts[0] if self.parts else None
        return first.text.lower() if first is not None and first.kind == "word" else ""


def sentences_of(found: Iterable[Token]) -> list[list[Token]]:
    """The tokens between the full stops."""
    sentences: list[list[Token]] = [[]]
    for token in found:
        if token.kind == "stop":
            sentences.append([])
        else:
            sentences[-1].append(token)
    return [sentence for sentence in sentences if sentence]


def has_number(part: Sequence[Token]) -> bool:
    """Whether anything here could be, or spoil, a value."""
    return any(t.kind in ("number", "const", "bad") for t in part)


def without_asides(found: list[Token]) -> list[Token]:
    """Drop brackets that hold words; unwrap one that holds the answer itself."""
    spans = _brackets(found)
    worded = [
        (start, end)
        for start, end in spans
        if any(t.kind in ("word", "equal") for t in found[start + 1 : end])
    ]
    # "3/4 (or 0.75)" and "5 (or -5)" give a second value, which has to be right too.
    spoken = [span for span in worded if found[span[0] + 1].text.lower() == "or"]
    edges = {n for span in spoken for n in span}
    inside = {n for a, b in worded if (a, b) not in spoken for n in range(a, b + 1)}
    if not has_number([t for n, t in enumerate(found) if n not in inside]):
        inside = {n for span in worded for n in span}
    return [t for n, t in enumerate(found) if n not in inside | edges]


def _brackets(found: list[Token]) -> list[tuple[int, int]]:
    """The outermost pairs of brackets."""
    spans: list[tuple[int, int]] = []
    stack: list[int] = []
    for n, token in enumerate(found):
        if token.kind == "open":
            stack.append(n)
        elif token.kind == "close" and stack:
            start = stack.pop()
            if not stack:
                spans.append((start, n))
    return spans


def clauses_of(found: Sequence[Token]) -> list[Clause]:
    """The parts of a sentence between commas and conjunctions, outside brackets."""
    clauses = [Clause("")]
    depth = 0
    for token in found:
        depth += (token.kind == "open") - (token.kind == "close")
        word = token.text.lower() if token.kind == "word" else ""
        if depth <= 0 and token.kind == "comma":
            clauses.append(Clause(","))
        elif depth <= 0 and word in ("and", "or", ":", "but", "because", "since", "so"):
            clauses.append(Clause(word))
        else:
            clauses[-1].parts.append(token)
    return _joined_leads(clauses)


def _joined_leads(clauses: list[Clause]) -> list[Clause]:
    """ ", so 12" is led by "so", not by the comma before it."""
    kept: list[Clause] = []
    for clause in clauses:
        if kept and not kept[-1].parts and clause.lead not in ("and", "or", ","):
            kept.pop()
        kept.append(clause)
    return kept


def is_bare(clause: Clause) -> bool:
    """A number and no word before it, as the items of a list are."""
    return (
        clause.lead in (",", "and")
        and clause.parts[0].kind != "word"
        and (not any(token.kind == "equal" for token in clause.parts))
    )


def right_side(parts: list[Token]) -> list[Token]:
    """What stands after the last sign of equality."""
    sides: list[list[Token]] = [[]]
    depth = 0
    for token in parts:
        depth += (token.kind == "open") - (token.kind == "close")
        if token.kind == "equal" and depth <= 0:
            sides.append([])
        else:
            sides[-1].append(token)
    if len(sides) > 1 and not has_number(sides[-1]):
        # "75 = the total" has its value on the left, "2x = y" has none.
        plain_words = all(t.kind == "word" and len(t.text) > 1 for t in sides[-1])
        return sides[-2] if plain_words else []
    return sides[-1]
