"""One YAML file to plain data, strictly and fast.

PyYAML's parser is C, its construction of values is not, and a benchmark is read anew
by every worker. So the nodes are turned into values here, scalars that are plain text
without the detour, everything else by PyYAML's own safe constructor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pytest_mint.errors import UserError

_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT = "tag:yaml.org,2002:str"
_PARTS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


class TaskFileError(UserError):
    """Task files that cannot be used; one line per problem."""


def read_yaml(file: Path) -> Any:
    """The data of the file.

    Raises:
        TaskFileError: it cannot be read, is not UTF-8, or no YAML; a key that stands
            twice in a mapping is an error, too. The text names file and line.
    """
    text = _text(file)
    loader = _SafeLoader(text)
    try:
        node = loader.get_single_node()
        return None if node is None else _value(loader, node, {})
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        lines = text.splitlines()
        if mark and mark.line < len(lines) and "\t" in lines[mark.line]:
            hint = "there is a tab; YAML is indented with spaces only"
        else:
            hint = str(error.problem or error.context)
        raise TaskFileError(f"{file}, line {line}: {hint}") from None
    except yaml.YAMLError as error:  # control characters
        first = str(error).splitlines()[0]
        raise TaskFileError(f"{file}: {first}") from None
    finally:
        loader.dispose()


def _text(file: Path) -> str:
    try:
        raw = file.read_bytes()
    except OSError as problem:
        raise TaskFileError(f"{file}: {problem.strerror}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise TaskFileError(
            f"{file}, line {line}: byte 0x{raw[error.start]:02x} is no UTF-8; "
            "save the file as UTF-8"
        ) from None


def _value(loader: Any, node: Any, made: dict[int, Any]) -> Any:
    """The value of a node; ``made`` has those of lists and mappings, for aliases."""
    if isinstance(node, yaml.ScalarNode):
        if node.tag == _TEXT:
            return node.value
        return loader.construct_object(node)
    if node.tag not in _PARTS:
        return loader.construct_object(node, deep=True)
    if id(node) in made:
        if made[id(node)] is _UNFINISHED:
            raise _error("an alias stands inside of what it names", node)
        return made[id(node)]
    made[id(node)] = _UNFINISHED
    if isinstance(node, yaml.MappingNode):
        _check_keys(node)
        loader.flatten_mapping(node)  # merge keys
        value: Any = {
            _value(loader, key, made): _value(loader, part, made)
            for key, part in node.value
        }
    else:
        value = [_value(loader, part, made) for part in node.value]
    made[id(node)] = value
    return value


_UNFINISHED = object()


def _check_keys(node: yaml.MappingNode) -> None:
    seen = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _error("a list or mapping cannot be a key", key)
        if key.value in seen:
            raise _error(f"the key {key.value!r} stands here a second time", key)
        seen.add(key.value)


def _error(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
