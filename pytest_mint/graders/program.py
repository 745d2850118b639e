"""Where the program is in a reply."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mint.graders.submission import submission
from pytest_mint.sandbox.base import Limits

if TYPE_CHECKING:
    from pytest_mint.sandbox.base import Sandbox

_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$")
_PYTHON = ("", "py", "python", "python3", "{.python}", "{python}", "pycon", "code")
_READS_OR_PRINTS = re.compile(r"\b(?:print|input|sys\.std(?:in|out)|open)\b")
_FIND_LIMITS = Limits(seconds=10.0)

#: Runs in the sandbox: it parses text of unknown origin. The longest run of lines that
#: is Python and binds the name; prose before and after is left out.
_FINDER = """
import ast

def binds(tree, name):
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if node.name == name:
                return True
        if isinstance(node, ast.Name) and node.id == name:
            if isinstance(node.ctx, ast.Store):
                return True
        if isinstance(node, ast.alias) and (node.asname or node.name) == name:
            return True
    return False

def parsed(lines):
    try:
        return ast.parse("\\n".join(lines)), 0
    except SyntaxError as problem:
        return None, problem.lineno or 1
    except (ValueError, MemoryError, RecursionError):
        return None, 1

def find(text, name):
    lines = text.split("\\n")
    for start, line in enumerate(lines):
        if not line.strip() or line[0] in " \\t":
            continue
        rest = lines[start:]
        tree, bad = parsed(rest)
        for end in range(min(bad, len(rest)) - 1, max(bad - 40, 0), -1):
            if tree is not None:
                break
            rest = rest[:end]
            tree, _ = parsed(rest)
        if tree is not None and binds(tree, name):
            return "\\n".join(rest)
    return ""
"""


@dataclass(frozen=True)
class Program:
    """A program, and how it was found: ``fence``, ``whole``, ``lines`` or ``none``."""

    text: str
    rule: str


def find_program(reply: str, name: str, sandbox: Sandbox | None = None) -> Program:
    """The program of a reply.

    The last fenced block that defines what is asked for; without one, the whole reply
    if it is a program, or the lines of it that are.

    Args:
        reply: as the agent wrote it.
        name: what the program must define; empty for one that reads and prints.
        sandbox: where a reply without a block is taken apart; without it, it is taken
            whole.
    """
    text = submission(reply).replace("\r\n", "\n").replace("\r", "\n")
    blocks = [block for block in _blocks(text) if block.language in _PYTHON]
    if not name:
        return _that_prints(text, blocks)
    for block in reversed(blocks):
        if _defines(block.text, name):
            return Program(block.text, "fence")
    if not re.search(rf"\b{re.escape(name)}\b", text):
        return Program("", "none")
    lines = _without_fences(text)
    if sandbox is None:
        return Program(lines, "whole")
    found = sandbox.call(_FINDER, "find", [lines, name], _FIND_LIMITS)
    program = found.value if found.status == "ok" else ""
    if not isinstance(program, str) or not program:
        return Program(lines, "whole")
    return Program(program, "whole" if program == lines else "lines")


def _that_prints(text: str, blocks: list[_Block]) -> Program:
    for block in reversed(blocks):
        if block.language or _READS_OR_PRINTS.search(block.text):
            return Program(block.text, "fence")
    return Program(_without_fences(text), "whole")


def _defines(text: str, name: str) -> bool:
    word = re.escape(name)
    return bool(
        re.search(
            rf"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+{word}\b"
            rf"|^[ \t]*(?:\w+[ \t]*[=,][ \t]*)*{word}[ \t]*(?::[^=\n]+)?[=,](?!=)"
            rf"|\b(?:import|as)[ \t]+(?:\w+,[ \t]*)*{word}\b",
            text,
            re.MULTILINE,
        )
    )


@dataclass(frozen=True)
class _Block:
    text: str
    language: str


def _blocks(text: str) -> list[_Block]:
    """The fenced blocks; one that is never closed reaches to the end."""
    found: list[_Block] = []
    lines: list[str] = []
    fence = indent = language = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if not fence:
            if mark:
                indent, fence, language = mark[1], mark[2], mark[3].lower()
                lines = []
            continue
        if mark and mark[2].startswith(fence) and not mark[3]:
            found.append(_Block("\n".join(lines), language))
            fence = ""
            continue
        lines.append(line[len(indent) :] if line.startswith(indent) else line)
    if fence:
        found.append(_Block("\n".join(lines), language))
    return found


def _without_fences(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not _FENCE.match(line))
