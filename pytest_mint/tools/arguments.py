"""Arguments as an agent wrote them, to arguments that a tool can take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_mint.tools.base import ToolError

MAX_ARGUMENTS = 256 * 1024
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def read_arguments(raw: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, if they fit the tool's schema at the top level.

    Raises:
        ToolError: they do not; the text says how to write them.
    """
    if len(raw) > MAX_ARGUMENTS:
        raise ToolError(f"the arguments are longer than {MAX_ARGUMENTS} characters")
    try:
        arguments = json.loads(
            raw or "{}", object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as problem:
        raise ToolError(f"the arguments are no valid JSON: {problem}") from None
    if not isinstance(arguments, dict):
        raise ToolError("the arguments must be a JSON object")
    return check(arguments, parameters)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ: of two values nobody knows which one was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ToolError(f"the argument {twice[:60]!r} stands there twice")
    return found


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")


def check(
    arguments: Mapping[str, Any], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments as the tool takes them: 3.0 is the integer 3 where one is wanted.

    null for an argument that is not required, and that cannot be null, leaves it out.
    What is missing, unknown, of the wrong type or out of bounds is refused.

    Raises:
        ToolError: the text names the argument.
    """
    properties = parameters.get("properties", {})
    required = parameters.get("required", ())
    arguments = {
        name: value
        for name, value in arguments.items()
        if not (value is None and _may_be_left_out(name, properties, required))
    }
    for name in required:
        if name not in arguments:
            raise ToolError(f"the argument {name!r} is missing")
    for name, value in arguments.items():
        if name not in properties:
            known = ", ".join(properties) or "none"
            raise ToolError(
                f"there is no argument {name[:60]!r}; the arguments are {known}"
            )
        _check_value(name, value, properties[name])
    return {name: _whole(value, properties[name]) for name, value in arguments.items()}


def _may_be_left_out(
    name: str, properties: Mapping[str, Any], required: Sequence[str]
) -> bool:
    declared = properties.get(name, {}).get("type")
    return name not in required and declared is not None and "null" not in declared


def _whole(value: Any, schema: Mapping[str, Any]) -> Any:
    wanted = schema.get("type") == "integer" and isinstance(value, float)
    return int(value) if wanted else value


def _check_value(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    declared = schema.get("type")
    kinds = [declared] if isinstance(declared, str) else list(declared or ())
    if kinds and not any(_is(value, kind) for kind in kinds):
        raise ToolError(f"the argument {name!r} must be of type {' or '.join(kinds)}")
    _check_size(name, value, schema)
    allowed = schema.get("enum")
    if allowed is not None and value not in allowed:
        listed = ", ".join(map(str, allowed))
        raise ToolError(f"the argument {name!r} must be one of {listed}")


def _check_size(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and not value >= low:
        raise ToolError(f"the argument {name!r} must be at least {low}")
    if high is not None and not value <= high:
        raise ToolError(f"the argument {name!r} must be at most {high}")


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()  # as JSON Schema has it, and some endpoints write it
    return isinstance(value, _TYPES.get(kind, (object,)))
