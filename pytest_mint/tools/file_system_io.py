"""Files below the episode's working folder, the one that the interpreter sees.

The sandbox itself refuses to leave the folder, by path or by link; what is checked
here is checked to answer in words that an agent can act on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pytest_mint.sandbox.base import Interpreter
from pytest_mint.tools.base import Context, Tool, ToolError
from pytest_mint.tools.parts import PARAMETER, choose_part
from pytest_mint.tools.python_interpreter import is_called_by_code

#: Characters of a path and of one name in it, in bytes as file systems count them.
MAX_PATH, MAX_NAME = 1_000, 255
#: Bytes of a file that is written, and with what is appended.
MAX_FILE = 1024 * 1024

_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def normalise(path: str) -> str:
    """The path without ``.`` and doubled slashes; empty for the folder itself.

    Raises:
        ToolError: it leads out of the folder, or no file can have it.
    """
    shown = repr(path if len(path) <= 200 else path[:200] + "...")
    if _CONTROL.search(path):
        raise ToolError(f"{shown}: control characters cannot stand in a path")
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
        raise ToolError(
            f"{shown}: give a path relative to the working folder, such as data/a.csv"
        )
    if "\\" in path:
        raise ToolError(f"{shown}: write folders with /, not with a backslash")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ToolError(f"{shown}: '..' is not allowed; stay below the working folder")
    plain = "/".join(parts)
    if len(plain.encode()) > MAX_PATH or any(len(p.encode()) > MAX_NAME for p in parts):
        raise ToolError(
            f"{shown}: the path is too long; at most {MAX_NAME} bytes a name and "
            f"{MAX_PATH} in all"
        )
    return plain


def _read(files: Interpreter, path: str, arguments: Mapping[str, Any]) -> str:
    data = files.get(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ToolError(
            f"{path}: holds {len(data)} bytes that are no UTF-8 text; read it with code"
        ) from None
    if not text:
        return "[the file is empty]"
    return choose_part(text, int(arguments.get("part", 1)), path)


def _write(files: Interpreter, path: str, arguments: Mapping[str, Any]) -> str:
    data = _content(arguments)
    _check_size(path, data)
    files.put(path, data)
    return f"wrote {len(data)} bytes to {path}"


def _append(files: Interpreter, path: str, arguments: Mapping[str, Any]) -> str:
    data = _content(arguments)
    try:
        before = files.get(path)
    except FileNotFoundError:
        before = b""
    _check_size(path, before + data)
    files.put(path, before + data)
    return f"appended {len(data)} bytes to {path}, which now has {len(before + data)}"


def _list(files: Interpreter, path: str, arguments: Mapping[str, Any]) -> str:
    names = files.ls(path)
    return "\n".join(names) if names else "[the folder is empty]"


def _delete(files: Interpreter, path: str, arguments: Mapping[str, Any]) -> str:
    files.remove(path)
    return f"deleted {path}"


def _content(arguments: Mapping[str, Any]) -> bytes:
    if "content" not in arguments:
        raise ToolError("the argument 'content' is missing: the text to write")
    return str(arguments["content"]).encode("utf-8", "replace")


def _check_size(path: str, data: bytes) -> None:
    if len(data) > MAX_FILE:
        raise ToolError(f"{path}: would have {len(data)} bytes; at most {MAX_FILE}")


_OPERATIONS: dict[str, Callable[[Interpreter, str, Mapping[str, Any]], str]] = {
    "read": _read,
    "write": _write,
    "append": _append,
    "list": _list,
    "delete": _delete,
}


def _run(arguments: Mapping[str, Any], context: Context) -> str:
    operation = str(arguments["operation"])
    if operation not in _OPERATIONS:
        known = ", ".join(_OPERATIONS)
        raise ToolError(f"there is no operation {operation!r}; there are {known}")
    path = normalise(str(arguments.get("path", "")))
    if not path and operation != "list":
        raise ToolError(f"the argument 'path' is missing: which file to {operation}")
    if is_called_by_code():
        raise ToolError(f"code reads and writes files itself: use open({path!r})")
    files = context.interpreter()
    try:
        return _OPERATIONS[operation](files, path, arguments)
    except FileNotFoundError:
        raise ToolError(f"there is no {path}{_beside(files, path)}") from None
    except OSError as problem:
        raise ToolError(
            f"cannot {operation} {path or 'the folder'}: {problem}"
        ) from None


def _beside(files: Interpreter, path: str) -> str:
    """What there is instead, in the folder where it was looked for."""
    folder = path.rpartition("/")[0]
    try:
        names = files.ls(folder)
    except OSError:
        return ""
    place = f"in {folder}" if folder else "here"
    listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    return f"; {place} there are: {listed}" if names else f"; {place} there is nothing"


TOOL = Tool(
    name="file_system_io",
    description=(
        "Read, write, append to, list and delete files in the working folder, the one "
        "that Python code sees, too. Paths are relative to it. Long files come in "
        "parts."
    ),
    parameters={
        "type": "object",
        "properties": {
            "operation": {"type": "string", "enum": list(_OPERATIONS)},
            "path": {
                "type": "string",
                "description": "a file, or a folder for list; else the working folder",
            },
            "content": {
                "type": "string",
                "description": "the text for write and append",
            },
            "part": PARAMETER,
        },
        "required": ["operation"],
        "additionalProperties": False,
    },
    run=_run,
)
