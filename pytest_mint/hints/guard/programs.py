"""Whether a text holds a program that solves the task, or a telling part of it."""

from __future__ import annotations

import builtins
import keyword
import re
from functools import lru_cache

from pytest_mint.hints.guard.figures import in_digits
from pytest_mint.hints.guard.said import Said
from pytest_mint.hints.guard.sums import with_signs
from pytest_mint.tasks.graderspec import CodeSpec
from pytest_mint.tasks.model import Task

#: Characters, without blanks, of a line that says something about this task.
TELLING_LINE = 16
#: Tokens side by side that are no accident, even where names were changed.
RUN = 16
#: Kinds of tokens in them that are no names: prose has but commas and full stops.
SIGNS = 5
#: New lines of code that make most of a program.
MANY_LINES = 4

_COMMENT = re.compile(r"(?:^|\s)#.*")
#: What begins any program, whatever it is for.
_COMMON = re.compile(
    r"(?:import|from|def|class|@)\b.*|for \w+ in range\(len\(\w+\)\):"
    r"|for \w+ in sys\.stdin:|if __name__ .*|return (?:result|None|True|False)"
)
_CODE = re.compile(
    r"\s*(?:(?:def|for|while|if|elif|else|try|except|with|class)\b.*:"
    r"|return\b.*|[\w.\[\], \"']{1,80}\s?(?:[-+*/%|&]|//|\*\*)?=(?!=)\s?\S.*"
    r"|[\w.]{1,60}\(.*\)|break|continue|pass)\s*(?:#.*)?"
)
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|[^\s\w]")
_KEPT = frozenset((*keyword.kwlist, *dir(builtins)))


def program_told(task: Task, said: Said) -> str:
    """How a text tells the program, as a reason; "" if it does not."""
    if said.reading.letters:
        return ""
    text = said.reading.text
    return _line_told(task, text) or _shape_told(task, text) or _whole_told(task, text)


def _line_told(task: Task, text: str) -> str:
    said = _squeezed(text)
    spoken = _squeezed(with_signs(in_digits(text)))
    known = _squeezed(task.input)
    for line in _telling_lines(task.reference):
        if (line in said or line in spoken) and line not in known:
            return "it holds a line of the reference program"
    return ""


@lru_cache(maxsize=64)
def _telling_lines(reference: str) -> tuple[str, ...]:
    found = []
    for line in _COMMENT.sub("", reference).splitlines():
        if len(_squeezed(line)) >= TELLING_LINE and not _COMMON.fullmatch(line.strip()):
            found.append(_squeezed(line).rstrip(":"))
    return tuple(dict.fromkeys(found))


def _squeezed(text: str) -> str:
    return re.sub(r"[\s\"'`]", "", text)


def _shape_told(task: Task, text: str) -> str:
    """Code whose names were changed has the same signs in the same order."""
    runs = _shapes(task.reference) - _shapes(task.input)
    if runs.isdisjoint(_shapes(text)):
        return ""
    return "it holds a part of the reference program with other names"


@lru_cache(maxsize=64)
def _shapes(text: str) -> frozenset[tuple[str, ...]]:
    tokens = [_shape(token) for token in _TOKEN.findall(_COMMENT.sub("", text))]
    runs = (tuple(tokens[at : at + RUN]) for at in range(len(tokens) - RUN + 1))
    return frozenset(run for run in runs if len({*run} - {"", ",", "."}) >= SIGNS)


def _shape(token: str) -> str:
    is_name = token[0].isalpha() or token[0] == "_"
    return "" if is_name and token not in _KEPT else token


def _whole_told(task: Task, text: str) -> str:
    """Another program than ours may be right as well."""
    spec = task.grader
    assert isinstance(spec, CodeSpec)
    known = {_squeezed(line) for line in task.input.splitlines()}
    new = [
        line
        for line in text.splitlines()
        if len(line) < 200 and _CODE.fullmatch(line) and _squeezed(line) not in known
    ]
    return "it holds most of a program" if len(new) >= MANY_LINES else ""
