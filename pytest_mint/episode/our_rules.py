"""Our own rules: as many proposals as turns, and hints from a turn on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_mint.agents.base import Message, Reply, ToolCall
from pytest_mint.episode import prompt
from pytest_mint.episode.rules import CELL, Action, Happened
from pytest_mint.records import Hint, Judgement
from pytest_mint.tasks.model import Task
from pytest_mint.tools.base import Tool
from pytest_mint.words import HINT_MARK, LADDER, LEVELS

_EXECUTE = re.compile(r"<(/?)execute>", re.IGNORECASE)
_SOLUTION = re.compile(r"<(/?)solution>", re.IGNORECASE)
_WORLD = (
    "You act in a world, and after every turn it is looked at: what your actions have "
    "made of it decides, not what you say of it. The world: {world}"
)
_LABELS = {
    "empty": "Your reply was empty.",
    "refused": "You did not answer the task.",
    "invalid": "Your reply could not be read.",
    "cut": "Your reply was cut off because it was too long. Be shorter.",
}


class OurRules:
    """The rules of all tasks that were not imported."""

    max_proposals: int | None = None
    arms_fork = True

    def __init__(
        self, max_turns: int, first_hint: int = 2, level: str = LADDER
    ) -> None:
        self.first_hint = first_hint
        self._max_turns = max_turns
        self._level = level

    def opening(
        self, task: Task, arm: str, tools: Sequence[Tool], native: bool
    ) -> tuple[Message, ...]:
        """The rules and the world as the system's message, the task as the user's."""
        told = prompt.rules(tools, native, self._max_turns)
        if world := task.world_spec:
            told += "\n\n" + _WORLD.format(world=world.description)
        return (
            {"role": "system", "content": told},
            {"role": "user", "content": task.input},
        )

    def read(self, reply: Reply, native: bool) -> Action:
        """Calls and cells run; what is handed in depends on the way of talking.

        With native calls a reply without any is a proposal as a whole, and beside
        calls only ``<solution>`` is one. In tagged text only ``<solution>`` is.
        """
        solutions, rest = _blocks(_SOLUTION, reply.text)
        tagged = f"<solution>{solutions[-1]}</solution>" if solutions else None
        if native:
            whole = reply.text if reply.text.strip() and not reply.calls else None
            proposal = tagged if reply.calls else whole
            return Action(reply.calls, proposal, proposes=proposal is not None)
        # A cell that stands inside a solution is the program handed in, not one to run.
        cells, _ = _blocks(_EXECUTE, rest)
        calls = tuple(ToolCall(CELL, cell.strip()) for cell in cells)
        understood = bool(calls or tagged)
        return Action(calls, tagged, proposes=bool(tagged), understood=understood)

    def said(self, reply: Reply) -> tuple[Message, ...]:
        """One assistant message; endpoints refuse one without any content."""
        if reply.calls:
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in reply.calls
            ]
            content = reply.text or None
            return ({"role": "assistant", "content": content, "tool_calls": calls},)
        return ({"role": "assistant", "content": reply.text or "(empty)"},)

    def hint_level(self, turn: int) -> str:
        """The one that was asked for, or one higher each time; the last is repeated."""
        if self._level != LADDER:
            return self._level
        return LEVELS[min(turn - self.first_hint, len(LEVELS) - 1)]

    def heard(self, happened: Happened, hint: Hint | None) -> str:
        """Cell output, what went wrong, turns left, and the hint as last paragraph."""
        cells = [r for r in happened.runs if r.tool == CELL and not r.call_id]
        paragraphs = [
            *(f"Output:\n{run.output}" for run in cells),
            _what_went_wrong(happened),
            _turns_left(happened.turns_left),
            f"{HINT_MARK}{hint.text}" if hint else "",
        ]
        return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _blocks(tag: re.Pattern[str], text: str) -> tuple[list[str], str]:
    """What stands between the tags, each block up to its first end, and the rest.

    One pass: the text is a model's, and a pattern for whole blocks would search it anew
    from every opening that has no end.
    """
    inner, rest, opened, done = [], [], None, 0
    for mark in tag.finditer(text):
        if mark[1] and opened is not None:
            inner.append(text[opened.end() : mark.start()])
            rest.append(text[done : opened.start()])
            opened, done = None, mark.end()
        elif not mark[1] and opened is None:
            opened = mark
    return inner, "".join([*rest, text[done:]])


def _what_went_wrong(happened: Happened) -> str:
    told = [_LABELS.get(happened.label, "")]
    if happened.verdict:
        told.append(_verdict(happened.verdict))
    elif not happened.action.understood and not happened.label:
        told.append(prompt.NOT_UNDERSTOOD)
    return " ".join(part for part in told if part)


def _verdict(verdict: Judgement) -> str:
    if verdict.reason in ("", "wrong"):
        return "Your answer is wrong."
    return f"Your answer is not right: {verdict.reason}"


def _turns_left(left: int) -> str:
    if left == 1:
        return "1 turn left: hand in your answer now."
    return f"{left} turns left."
