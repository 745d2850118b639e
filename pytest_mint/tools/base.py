"""What a tool is: a JSON Schema for the agent, and a function of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mint.errors import GraderError, SandboxError
from pytest_mint.tools.sources import Sources

if TYPE_CHECKING:
    from pytest_mint.sandbox.base import Interpreter, Sandbox
    from pytest_mint.tasks.model import Task
    from pytest_mint.tools.world import World

#: What one tool result may hold, in characters; more is cut with a note.
MAX_OUTPUT = 8_000


class ToolError(Exception):
    """What went wrong, in words that the agent can act on."""


def _no_sandbox() -> Sandbox:
    raise SandboxError("this episode was given no sandbox")


def _no_world() -> World:
    raise GraderError("this episode was given no world")


@dataclass(frozen=True)
class Context:
    """What a tool may use besides its arguments.

    Attributes:
        task: the task that is played.
        interpreter: opens the episode's interpreter at its first use.
        sandbox: opens the sandbox, for what must not touch the episode's variables.
        sources: where knowledge is looked up.
        world: what the actions of a world act on.
    """

    task: Task
    interpreter: Callable[[], Interpreter]
    sandbox: Callable[[], Sandbox] = _no_sandbox
    sources: Sources = field(default_factory=Sources)
    world: Callable[[], World] = _no_world


@dataclass(frozen=True)
class Tool:
    """A tool as the agent sees it, and what it does.

    Attributes:
        name: as in the field ``tools`` of a task.
        description: written for models.
        parameters: JSON Schema of the arguments, an object.
        run: called in a thread with arguments that fit the schema; returns what the
            agent reads, or raises ToolError. It raises nothing else but a Missing
            of :mod:`pytest_mint.errors`, for what is no fault of the agent.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any], Context], str]

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as the chat API wants it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }
        return {"type": "function", "function": function}

    @property
    def signature(self) -> str:
        """``name(a, b=...)``: how code in the interpreter calls it."""
        required = self.parameters.get("required", ())
        names = self.parameters.get("properties", {})
        inside = ", ".join(n if n in required else f"{n}=..." for n in names)
        return f"{self.name}({inside})"


def shorten(text: str, limit: int = MAX_OUTPUT) -> str:
    """The text, its middle cut out where it is longer than ``limit`` characters."""
    if len(text) <= limit:
        return text
    half = limit // 2
    cut = len(text) - 2 * half
    return f"{text[:half]}\n... [{cut} characters cut] ...\n{text[-half:]}"
