"""Arguments brought to one form by a function's JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_mint.graders.compare import AnyOf

Schema = Mapping[str, Any]

#: How many references are followed to one schema; they may go round in circles.
MAX_REFERENCES = 16


def settled(arguments: Mapping[str, Any], schema: Schema) -> Mapping[str, Any]:
    """The arguments of a call with defaults filled in and empty options left out.

    null for an argument that is not required means that it is left out; what is left
    out has its default. Objects in arguments and in lists are treated the same.
    """
    value = _settled(arguments, schema, schema)
    assert isinstance(value, Mapping)
    return value


def expected_arguments(arguments: Mapping[str, Any], schema: Schema) -> Any:
    """The arguments that a task asks for; ``{any_of: [...]}`` lists right forms.

    Raises:
        ValueError: ``any_of`` holds no list, or an empty one.
    """
    return settled(_with_alternatives(arguments, schema, schema), schema)


def _with_alternatives(value: Any, schema: Schema, root: Schema) -> Any:
    schema = _resolved(schema, root)
    if isinstance(value, Mapping):
        properties = _object(schema, "properties")
        if set(value) == {"any_of"} and "any_of" not in properties:
            options = value["any_of"]
            if not isinstance(options, (list, tuple)) or not options:
                raise ValueError(f"any_of needs a list of values, not {options!r}")
            return AnyOf(tuple(options))
        return {
            key: _with_alternatives(item, _object(properties, key), root)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        items = _object(schema, "items")
        return [_with_alternatives(item, items, root) for item in value]
    return value


def _settled(value: Any, schema: Schema, root: Schema) -> Any:
    schema = _resolved(schema, root)
    if isinstance(value, AnyOf):
        options = (_settled(item, schema, root) for item in value.options)
        return AnyOf(tuple(options))
    if isinstance(value, Mapping):
        return _settled_object(value, schema, root)
    if isinstance(value, (list, tuple)):
        items = _object(schema, "items")
        return [_settled(item, items, root) for item in value]
    return value


def _settled_object(
    value: Mapping[str, Any], schema: Schema, root: Schema
) -> dict[str, Any]:
    properties = _object(schema, "properties")
    required = schema.get("required", ())
    found = {
        key: _settled(item, _object(properties, key), root)
        for key, item in value.items()
        if item is not None or key in required or key not in properties
    }
    for key in properties:
        default = _resolved(_object(properties, key), root).get("default")
        if default is None or key in required:
            continue
        asked = found.setdefault(key, default)
        if isinstance(asked, AnyOf):  # to leave it out is to ask for the default
            options = (default if one is None else one for one in asked.options)
            found[key] = AnyOf(tuple(options))
    return found


def _object(schema: Schema, key: str) -> Schema:
    inner = schema.get(key)
    return inner if isinstance(inner, Mapping) else {}


def _resolved(schema: Schema, root: Schema) -> Schema:
    """The schema that a ``#/$defs/...`` reference points to."""
    for _ in range(MAX_REFERENCES):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        target: Any = root
        for part in reference[2:].split("/"):
            target = target.get(part) if isinstance(target, Mapping) else None
        schema = target if isinstance(target, Mapping) else {}
    return {}
