"""Whether a text tells the calls or the actions that solve a task."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mint.graders.written_calls import calls_in
from pytest_mint.hints.guard.said import SMALL, Said, as_json, leaves, not_in
from pytest_mint.tasks.model import Task

#: Values of an expected state that are looked for.
MAX_VALUES = 50


def calls_told(task: Task) -> Callable[[Said], str]:
    """What finds how a text tells a call that is asked for.

    What the agent has to work out is what stands neither in the request nor in what
    the functions answer; where there is nothing, what it has to look up.
    """
    expected = [call for wording in _alternatives(task) for call in wording]
    if not expected:
        return _facts_told(not_in([task.input], task.must_include))
    calls = [(str(call["name"]), dict(call["arguments"])) for call in expected]
    functions = as_json([function.model_dump() for function in task.functions])
    sought = [
        (name, _sought(task.input, functions, arguments)) for name, arguments in calls
    ]

    def told(said: Said) -> str:
        if written := _written(calls, said):
            return written
        for name, values in sought:
            if values.are_told(name, said):
                return f"it names all that {name} has to be called with"
        return ""

    return told


def _facts_told(facts: Sequence[Any]) -> Callable[[Said], str]:
    def told(said: Said) -> str:
        all_named = bool(facts) and all(said.names(fact) for fact in facts)
        return f"it says {facts[0]!r}" if all_named else ""

    return told


@dataclass(frozen=True)
class _Sought:
    """The arguments of a call that must not be told together.

    Attributes:
        kind: ``worked out``, ``looked up``, or ``copied`` from the request.
    """

    values: Sequence[Any]
    kind: str

    def are_told(self, name: str, said: Said) -> bool:
        """Whether a text tells them, and that they belong to this function."""
        if not self.values or not all(said.names(value) for value in self.values):
            return False
        if self.kind == "copied":
            return name in said.reading.text
        if self.kind == "worked out" and (
            len(self.values) > 1 or _is_telling(self.values[0])
        ):
            return True
        return _is_called(name, said)


def _sought(request: str, functions: str, arguments: Mapping[str, Any]) -> _Sought:
    values = list(leaves(arguments))
    looked_up = not_in([request], values)
    if worked_out := not_in([functions], looked_up):
        return _Sought(worked_out, "worked out")
    return _Sought(looked_up, "looked up") if looked_up else _Sought(values, "copied")


def _alternatives(task: Task) -> Iterator[list[Mapping[str, Any]]]:
    for wanted in (task.expected_output, *(form.answer for form in task.accept)):
        if isinstance(wanted, (list, tuple)):
            yield [
                {"arguments": {}, **call}
                for call in wanted
                if isinstance(call, Mapping) and "name" in call
            ]


def _is_telling(value: Any) -> bool:
    """A small number may count anything."""
    if isinstance(value, (int, float)):
        return abs(value) > SMALL or value != int(value)
    return len(str(value)) > 2


def _is_called(name: str, said: Said) -> bool:
    """Whether what the function does is spoken of: ``send`` of ``send_money``."""
    verb = re.split(r"[_\W]", name)[0].lower()
    return len(verb) > 2 and f" {verb}" in said.words


def _written(calls: Sequence[tuple[str, Mapping[str, Any]]], said: Said) -> str:
    """Whether one of these calls is written out, as JSON or in Python."""
    text = said.reading.text
    found = calls_in(text) if "(" in text or "{" in text else []
    for one in found:
        for name, arguments in calls:
            if one.name == name and one.arguments and _same(one.arguments, arguments):
                return f"it names a whole call of {name}"
    return ""


def _same(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether all that is given is as wanted, numbers and texts alike."""
    return all(
        key in wanted and as_json(value).strip('"') == as_json(wanted[key]).strip('"')
        for key, value in given.items()
    )


def actions_told(task: Task) -> Callable[[Said], str]:
    """What finds how a text tells an action that solves the task.

    Actions whose values all stand in the request say nothing new.
    """
    calls = [
        (call.tool, call.arguments)
        for turn in task.solution
        for call in turn.calls
        if call.arguments
    ]
    telling = [
        (tool, list(leaves(arguments)))
        for tool, arguments in calls
        if not_in([task.input], leaves(arguments))
    ]
    state = not_in([task.input], leaves(task.expected_output))[:MAX_VALUES]

    def told(said: Said) -> str:
        if written := _written(calls, said):
            return written
        for sentence in said.sentences:
            for tool, values in telling:
                if _tells_action(tool, values, sentence):
                    return f"it names the action {tool} with all its values"
        all_named = bool(state) and all(said.names(value) for value in state)
        return "it names all values of the state asked for" if all_named else ""

    return told


def _tells_action(tool: str, values: Sequence[Any], sentence: Said) -> bool:
    if not all(sentence.names(value) for value in values):
        return False
    return len(values) > 1 or _is_called(tool, sentence)
