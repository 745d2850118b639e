"""Arguments as an agent wrote them, to arguments that a tool can take."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
        arguments = json.loads(raw or "{}")
    except (ValueError, RecursionError) as problem:
        raise ToolError(f"the arguments are no valid JSON: {problem}") from None
    if not isinstance(arguments, dict):
        raise ToolError("the arguments must be a JSON object")
    check(arguments, parameters)
    return arguments


def check(arguments: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
    """Refuse what is missing, unknown or of the wrong type.

    Raises:
        ToolError: the text names the argument.
    """
    properties = parameters.get("properties", {})
    for name in parameters.get("required", ()):
        if name not in arguments:
            raise ToolError(f"the argument {name!r} is missing")
    for name, value in arguments.items():
        if name not in properties:
            known = ", ".join(properties) or "none"
            raise ToolError(f"there is no argument {name!r}; the arguments are {known}")
        _check_value(name, value, properties[name])


def _check_value(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    declared = schema.get("type")
    kinds = [declared] if isinstance(declared, str) else list(declared or ())
    if kinds and not any(_is(value, kind) for kind in kinds):
        raise ToolError(f"the argument {name!r} must be of type {' or '.join(kinds)}")
    allowed = schema.get("enum")
    if allowed is not None and value not in allowed:
        listed = ", ".join(map(str, allowed))
        raise ToolError(f"the argument {name!r} must be one of {listed}")


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES.get(kind, (object,)))
