"""Long texts in parts, so that an agent can read on where it wants to."""

from __future__ import annotations

from pytest_mint.tools.base import ToolError

#: Characters of one part.
PART = 6_000

#: How a tool's schema asks for it.
PARAMETER = {
    "type": "integer",
    "minimum": 1,
    "description": "which part of a long text; 1 unless given",
}


def choose_part(text: str, part: int, what: str) -> str:
    """One part of a text, with a last line that says how to get the next one.

    Args:
        text: the whole text; one that fits in :data:`PART` characters is its only part.
        part: which part, from 1.
        what: names the text in the error.

    Raises:
        ToolError: there is no such part.
    """
    parts = split(text)
    if not 1 <= part <= len(parts):
        plural = "s" if len(parts) > 1 else ""
        raise ToolError(
            f"part {part} of {what}: expected 1 to {len(parts)}; it has {len(parts)} "
            f"part{plural}"
        )
    chosen = parts[part - 1]
    if len(parts) == 1:
        return chosen
    if part == len(parts):
        return f"{chosen}\n\n[part {part} of {part}]"
    return (
        f"{chosen}\n\n[part {part} of {len(parts)}; for the next give part={part + 1}]"
    )


def split(text: str) -> list[str]:
    """Parts of at most :data:`PART` characters, cut between paragraphs if possible."""
    parts = []
    while len(text) > PART:
        gaps = (text.rfind(gap, PART // 2, PART) for gap in ("\n\n", "\n", " "))
        cut = next((gap for gap in gaps if gap > 0), PART)
        parts.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*parts, text]
