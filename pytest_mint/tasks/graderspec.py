"""How a task is graded: one small model per way of judging.

A task file writes only what differs from the defaults of its category; the field
``kind`` is needed only where the category has more than one way (imported tasks).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pytest_mint.words import CATEGORIES

Text = Annotated[str, StringConstraints(min_length=1)]


class Model(BaseModel):
    """Base of everything read from a task file: frozen, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NumberSpec(Model):
    """A number within ``tolerance``, or ``rel_tol`` as a share of the expected one."""

    kind: Literal["number"] = "number"
    tolerance: Annotated[Decimal, Field(ge=0)] | None = None
    rel_tol: Annotated[Decimal, Field(ge=0, lt=1)] | None = None
    unit: str = ""
    locale: Literal["", "en", "de", "fr", "ja"] = ""


class OptionSpec(Model):
    """One letter out of ``options``; without them they are read from the input."""

    kind: Literal["option"] = "option"
    options: dict[str, str] = {}


class ShortSpec(Model):
    """A short exact answer."""

    kind: Literal["short"] = "short"


class ListSpec(Model):
    """A list of numbers."""

    kind: Literal["list"] = "list"
    ordered: bool = True
    rel_tol: Annotated[Decimal, Field(ge=0, lt=1)] | None = None


class BooleanSpec(Model):
    """True or false, yes or no."""

    kind: Literal["boolean"] = "boolean"


class CodeSpec(Model):
    """A program, judged by test cases or, imported, by a script of asserts."""

    kind: Literal["code"] = "code"
    mode: Literal["function", "stdio", "script"] = "function"
    entry_point: str = ""
    prelude: str = ""  # put before the program, for imported tasks only
    script: str = ""  # mode script: run after the program
    challenge: str = ""  # mode script: harder asserts, for strict grading only
    in_place: bool = False  # also compare the arguments after the call
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 5.0
    memory_mb: Annotated[int, Field(ge=64, le=4096)] = 512


class TextSpec(Model):
    """ROUGE-L against the accepted wordings."""

    kind: Literal["text"] = "text"
    threshold: Annotated[float, Field(gt=0, le=1)] = 0.5
    measure: Literal["fmeasure", "recall"] = "fmeasure"
    stemmer: Literal["", "en"] = ""  # whether words count by their English stems


class CallsSpec(Model):
    """The function calls made."""

    kind: Literal["calls"] = "calls"
    ordered: bool = False  # whether the order of the calls counts
    unordered: tuple[str, ...] = ()  # list arguments whose order does not count
    allow_extra: tuple[str, ...] = ()  # functions that may be called besides


class StateSpec(Model):
    """The world after the turn."""

    kind: Literal["state"] = "state"
    ignore: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()


class JudgeSpec(Model):
    """Checks by program, then a judge's score."""

    kind: Literal["judge"] = "judge"
    scale: Literal["0-4", "binary"] = "0-4"
    pass_mark: Annotated[int, Field(ge=1, le=4)] = 3
    samples: Annotated[int, Field(ge=1, le=9)] = 1  # their median decides


Spec = Annotated[
    NumberSpec
    | OptionSpec
    | ShortSpec
    | ListSpec
    | BooleanSpec
    | CodeSpec
    | TextSpec
    | CallsSpec
    | StateSpec
    | JudgeSpec,
    Field(discriminator="kind"),
]

#: The kinds that a category's tasks may have; the first is the default.
KINDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(CATEGORIES, ()),
    "reasoning": ("number", "option", "short", "list", "boolean"),
    "science": ("number",),
    "coding": ("code",),
    "decision_making": ("state",),
    "information_retrieval": ("text",),
    "tool_use": ("calls",),
    "creative_writing": ("judge",),
    "instruction_following": ("judge",),
}


def spec_of(kind: str) -> type[Model]:
    """The model of this kind.

    Raises:
        KeyError: there is none.
    """
    specs: tuple[type[Model], ...] = get_args(get_args(Spec)[0])
    return {spec.model_fields["kind"].default: spec for spec in specs}[kind]


def with_default_kind(grader: Any, category: Any) -> Any:
    """The ``grader`` of a task file with the category's kind where it names none."""
    kinds = KINDS.get(category) if isinstance(category, str) else None
    if kinds and isinstance(grader, dict):
        return {"kind": kinds[0], **grader}
    return grader
