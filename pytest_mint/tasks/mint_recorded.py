"""What a recorded episode of the MINT benchmark becomes, wherever it was read."""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mint.errors import UserError
from pytest_mint.records import Episode, Tokens, Turn

SOLVED = "task_success"
FAILED = "error"  # the call failed, nearly always because the prompt had grown too long


@dataclass(frozen=True)
class Recorded:
    """One recorded episode: of which task, in which run of the original."""

    dataset: str
    id: int | str
    run: str  # "k1" to "k4", "ef" (five steps) or "ef+nlf"
    episode: Episode


def end(
    *,
    arm: str,
    first: str,
    turns: Sequence[Turn],
    reason: str,
    error: str,
    agent: Tokens,
    expert: Tokens,
) -> Episode:
    """The episode, with the outcome that its recorded end stands for.

    Tokens were counted for the whole episode; the first turn carries them.
    """
    turns = list(turns)
    if turns:
        turns[0] = dataclasses.replace(turns[0], tokens=agent)
    for place, turn in enumerate(turns):
        if turn.hint is not None:
            hint = dataclasses.replace(turn.hint, tokens=expert)
            turns[place] = dataclasses.replace(turn, hint=hint)
            break
    if reason == SOLVED:
        outcome = "solved"
    elif reason == FAILED:
        outcome = "context_overflow"
    else:
        silent = bool(turns) and turns[-1].label == "empty"
        outcome = "empty" if silent else "unsolved"
    return Episode(
        arm,
        outcome,
        success_turn=len(turns) if reason == SOLVED else None,
        error=error,
        opening=({"role": "user", "content": first},),
        turns=tuple(turns),
    )


def json_lines(lines: Iterable[str], path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file with one JSON object a line.

    Raises:
        UserError: a line is none, or the file cannot be read to its end; the text
            names file and line.
    """
    number = 0
    try:
        for number, line in enumerate(lines, 1):  # noqa: B007 (told below)
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("expected a JSON object")
            yield row
    except (OSError, EOFError, ValueError, RecursionError, zlib.error) as problem:
        raise UserError(f"{path}, line {max(number, 1)}: {problem}") from None


@contextmanager
def naming(where: str) -> Iterator[None]:
    """Says where the data were read that are not as the benchmark has them.

    Raises:
        UserError: in place of what they made fail.
    """
    try:
        yield
    except UserError:
        raise
    except (OSError, ArithmeticError, LookupError, TypeError, ValueError) as problem:
        told = f"{type(problem).__name__}: {problem}"
        raise UserError(f"{where}: not as the benchmark has it ({told})") from problem
