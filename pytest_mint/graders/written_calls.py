"""Calls as agents write them: native arguments, JSON in a text, Python syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pytest_mint.graders.json_text import (
    MAX_CHARS,
    DuplicateKey,
    NotJson,
    read_json,
    values_in,
)
from pytest_mint.graders.python_text import PythonCall, read_python
from pytest_mint.graders.submission import blocks

#: More calls than this in one text are not read.
MAX_CALLS = 64

_NAMES = ("name", "tool", "function_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_FENCE = re.compile(r"^[ \t]*```[^\n]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r'"(?:name|tool)"\s*:\s*"([^"\\]{1,100})"')


@dataclass(frozen=True)
class WrittenCall:
    """One call as it was made.

    Attributes:
        name: the function.
        arguments: what it was called with, or None where that cannot be read.
        problem: why it cannot be read.
        format_ok: whether the call was proper JSON.
    """

    name: str
    arguments: Mapping[str, Any] | None
    problem: str = ""
    format_ok: bool = True


def native_call(name: str, arguments: str) -> WrittenCall:
    """The call of a native tool call; no text at all stands for no arguments."""
    if not arguments.strip():
        return WrittenCall(name, {})
    try:
        return _with_arguments(name, read_json(arguments), True)
    except NotJson as problem:
        try:
            return _with_arguments(name, read_python(arguments), False)
        except NotJson:
            return WrittenCall(name, None, str(problem), False)


def calls_in(text: str) -> list[WrittenCall]:
    """The calls that stand in a text, in its order.

    Looked for in ``<tool_call>`` tags, else in fences, else in the text as a whole,
    and only then as JSON objects among prose. A name in prose is no call.

    Args:
        text: only its last ``MAX_CHARS`` characters are read.
    """
    text = text[-MAX_CHARS:]
    fenced = (fence[1] for fence in _FENCE.finditer(text) if fence[1].strip())
    for bodies in (blocks(text, "tool_call"), fenced, [text]):
        first = islice(bodies, MAX_CALLS)
        found = [call for body in first for call in _whole(body)]
        if found:
            return found[:MAX_CALLS]
    for any_quote in (False, True):
        among = values_in(text, _read, any_quote=any_quote)
        found = [call for _, _, calls in among for call in calls]
        if found:
            return found[:MAX_CALLS]
    return []


def _whole(body: str) -> list[WrittenCall]:
    """The calls of a text that is nothing else, at once or line by line."""
    body = body.strip().strip("`")
    lines = [line for line in body.splitlines() if line.strip()]
    for parts in ([body], lines[: MAX_CALLS + 1]):
        with suppress(NotJson):
            found = [_read(part) for part in parts]
            if found and all(found):
                return [call for calls in found for call in calls]
    return []


def _read(text: str) -> list[WrittenCall]:
    """The calls that a text is made of.

    Raises:
        NotJson: it is neither JSON nor Python.
    """
    try:
        return list(_calls(read_json(text), True))
    except DuplicateKey as problem:
        # If it is a call, it was made all the same, and is wrong.
        name = _NAME.search(text)
        return [WrittenCall(name[1], None, str(problem), False)] if name else []
    except NotJson:
        return list(_calls(read_python(text), False))


def _calls(value: Any, format_ok: bool) -> Iterator[WrittenCall]:
    """The calls of a value, in any of the shapes that APIs and models use."""
    if isinstance(value, PythonCall):
        yield WrittenCall(value.name, value.arguments, "", format_ok)
    elif isinstance(value, list):
        for item in value:
            yield from _calls(item, format_ok)
    elif isinstance(value, Mapping):
        yield from _of_object(value, format_ok)


def _of_object(value: Mapping[str, Any], format_ok: bool) -> Iterator[WrittenCall]:
    for wrapper in ("tool_calls", "function", "function_call", "tool_call"):
        inner = value.get(wrapper)
        if isinstance(inner, (list, Mapping)):
            yield from _calls(inner, format_ok)
            return
    name = next((value[key] for key in _NAMES if key in value), None)
    if name is None and isinstance(value.get("function"), str):
        name = value["function"]
    given = [value[key] for key in _ARGUMENTS if key in value]
    if isinstance(name, str) and len(given) == 1:
        yield _with_arguments(name, given[0], format_ok)


def _with_arguments(name: str, arguments: Any, format_ok: bool) -> WrittenCall:
    if isinstance(arguments, str):  # JSON in JSON, the form of the OpenAI API
        try:
            arguments = read_json(arguments) if arguments.strip() else {}
        except NotJson as problem:
            return WrittenCall(name, None, str(problem), False)
    if not isinstance(arguments, Mapping):
        return WrittenCall(name, None, "the arguments are no object", False)
    return WrittenCall(name, arguments, "", format_ok)
