"""What an agent is asked and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mint.records import Tokens

if TYPE_CHECKING:
    from pytest_mint.tasks.model import Task

Message = Mapping[str, Any]  # a chat message as the OpenAI API has it


@dataclass(frozen=True)
class ToolCall:
    """A tool call as the agent wrote it; ``arguments`` may be anything but JSON."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True)
class Request:
    """One question to an agent.

    Attributes:
        messages: the whole conversation so far.
        tools: function schemas, empty where the agent talks in tags.
        task, arm, trial, turn: where in the run this is; probes and recordings
            answer from these, endpoints never see them.
    """

    task: Task
    arm: str
    turn: int
    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    trial: int = 1


@dataclass(frozen=True)
class Reply:
    """One answer of an agent.

    Attributes:
        text: what it said, empty if nothing.
        calls: native tool calls, in the order given.
        label: empty, or why this is no ordinary reply: ``empty``, ``refused``,
            ``cut`` (ended by length), ``invalid`` (no usable message in the body),
            ``context_overflow`` (the prompt was too long; ends the episode).
        tokens: as the endpoint counted them.
        seconds: wall time of the call that answered, retries left out.
        retries: how many attempts failed before it.
        meta: what is worth keeping: model as answered, dropped parameters, ids.
        drift: for recordings, how the prompt differs from the recorded one.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    label: str = ""
    tokens: Tokens = Tokens()
    seconds: float = 0.0
    retries: int = 0
    meta: Mapping[str, Any] = field(default_factory=dict)
    drift: str = ""


class Agent(Protocol):
    """Anything that answers: an endpoint, a recording or a probe."""

    name: str
    #: Whether the agent can make native tool calls.
    native_tools: bool
    #: Whether both arms are one conversation up to the first hint. Recordings whose
    #: arms were played apart say no.
    forks: bool

    async def reply(self, request: Request) -> Reply:
        """Answer, or raise ProviderError when no answer is to be had."""
        ...

    async def close(self) -> None:
        """Give back connections; no reply is asked for afterwards."""
        ...
