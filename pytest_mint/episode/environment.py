"""Where an episode's calls run: real tools, or the results of a recording."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from pytest_mint.agents.base import ToolCall
from pytest_mint.agents.recording import Recording
from pytest_mint.episode.rules import CELL
from pytest_mint.errors import GraderError
from pytest_mint.records import ToolRun
from pytest_mint.sandbox.base import Interpreter, Sandbox
from pytest_mint.tasks.model import Task
from pytest_mint.tools.arguments import check, read_arguments
from pytest_mint.tools.base import Context, Tool, ToolError, shorten
from pytest_mint.tools.python_interpreter import run_cell
from pytest_mint.tools.sources import Sources
from pytest_mint.tools.world import World, action_tools

#: Calls of a task's functions and actions that one cell may make.
MAX_CALLS = 500

#: Holds the environment that this thread runs a call for. A forked interpreter calls
#: the functions that the first one was opened with, and yet must act on its own world.
_thread = threading.local()


class Environment(Protocol):
    """What answers the calls of one conversation."""

    async def run(self, turn: int, calls: Sequence[ToolCall]) -> tuple[ToolRun, ...]:
        """Run the calls of this turn, first to last."""
        ...

    async def fork(self, arm: str) -> Environment:
        """A second environment in the same state, for the other arm."""
        ...

    async def state(self) -> Mapping[str, Any]:
        """The rows of the task's world, by table.

        Raises:
            GraderError: the task has no world.
        """
        ...

    async def close(self) -> None:
        """Give back what is held."""
        ...


class RecordedEnvironment:
    """Answers every call as the recording does.

    Actions on a world are the exception: they are done once more, those that code made
    as well, because the world is what is graded. They cost nothing and end alike.
    """

    def __init__(self, recording: Recording, task: Task, arm: str) -> None:
        self._recording, self._task, self._arm = recording, task, arm
        self._actions = {tool.name: tool for tool in action_tools(task)}
        self._world = World(task)

    async def run(self, turn: int, calls: Sequence[ToolCall]) -> tuple[ToolRun, ...]:
        """The results of the recorded turn, whatever the calls."""
        runs = self._recording.runs(self._task.key, self._arm, turn) if calls else ()
        if not self._actions:
            return runs
        return await asyncio.to_thread(lambda: tuple(map(self._act, runs)))

    async def fork(self, arm: str) -> RecordedEnvironment:
        """The same recording, read in the other arm, and the same world."""
        twin = RecordedEnvironment(self._recording, self._task, arm)
        twin._world = await asyncio.to_thread(self._world.fork)
        return twin

    async def state(self) -> Mapping[str, Any]:
        """The rows of the task's world, by table."""
        return await asyncio.to_thread(self._world.state)

    async def close(self) -> None:
        """Drop the world."""
        await asyncio.to_thread(self._world.close)

    def _act(self, run: ToolRun) -> ToolRun:
        action = self._actions.get(run.tool)
        if action is None:
            return run
        try:
            arguments = read_arguments(run.arguments, action.parameters)
            output, ok = self._world.act(action.name, arguments), True
        except ToolError as problem:
            output, ok = f"Error: {problem}", False
        return dataclasses.replace(run, output=output, ok=ok)


class LiveEnvironment:
    """Runs the tools; interpreter and world are opened at their first use, not before.

    Args:
        task: the task that is played.
        tools: its tools.
        sandbox: gives the sandbox, opening it at the first use.
        native: whether the other tools are called natively; else code calls them.
        trial: repetitions differ in the seed of the interpreter.
        sources: where tools look things up; the bundled ones if left out.
    """

    def __init__(
        self,
        task: Task,
        tools: Sequence[Tool],
        sandbox: Callable[[], Sandbox],
        *,
        native: bool,
        trial: int = 1,
        sources: Sources | None = None,
    ) -> None:
        self._task, self._sandbox, self._native = task, sandbox, native
        self._tools = {tool.name: tool for tool in tools}
        self._seed = seed_of(task.key, trial)
        self._interpreter: Interpreter | None = None
        self._lock = threading.Lock()
        # Calls of functions are graded, and actions are done again in a replay: those
        # that code makes are noted.
        self._noted = {function.name for function in task.functions}
        self._noted |= {action.name for action in action_tools(task)}
        self._made: list[ToolRun] = []
        self._sources = sources or Sources()
        self._world = World(task)
        self._context = Context(
            task, self._open, sandbox, self._sources, lambda: self._world
        )

    async def run(self, turn: int, calls: Sequence[ToolCall]) -> tuple[ToolRun, ...]:
        """Run the calls in a thread, so that other episodes go on.

        A cell is followed by the calls of the task's functions and actions that its
        code made.
        """
        if not calls:
            return ()
        return await asyncio.to_thread(lambda: tuple(self._run_all(calls)))

    async def fork(self, arm: str) -> LiveEnvironment:
        """An environment with the same variables, files and world."""
        twin = LiveEnvironment(
            self._task,
            tuple(self._tools.values()),
            self._sandbox,
            native=self._native,
            sources=self._sources,
        )
        twin._seed = self._seed
        twin._world = await asyncio.to_thread(self._world.fork)
        if self._interpreter is not None:
            twin._interpreter = await asyncio.to_thread(self._interpreter.fork)
        return twin

    async def state(self) -> Mapping[str, Any]:
        """The rows of the task's world, by table."""
        return await asyncio.to_thread(self._world.state)

    async def close(self) -> None:
        """End the interpreter and drop the world, where there are any."""
        await asyncio.to_thread(self._world.close)
        interpreter, self._interpreter = self._interpreter, None
        if interpreter is not None:
            await asyncio.to_thread(interpreter.close)

    def _open(self) -> Interpreter:
        with self._lock:
            if self._interpreter is None:
                functions = {} if self._native else self._functions()
                opened = self._sandbox().open(functions, self._seed)
                self._bring_files(opened)
                self._interpreter = opened
            return self._interpreter

    def _bring_files(self, opened: Interpreter) -> None:
        try:
            for path, text in self._task.files.items():
                opened.put(path, text.encode())
        except OSError as problem:
            opened.close()
            raise GraderError(f"{self._task.key}: files: {problem}") from problem
        except BaseException:
            opened.close()
            raise

    def _functions(self) -> dict[str, Callable[..., Any]]:
        """The other tools, for code in the interpreter to call."""
        others = [tool for tool in self._tools.values() if tool.name != CELL]
        return {tool.name: partial(_from_code, tool) for tool in others}

    def called_from_code(
        self, tool: Tool, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> str:
        """Run a tool that code in the interpreter called.

        Raises:
            ToolError: the call failed; the text is the code's error.
        """
        names = list(tool.parameters.get("properties", {}))
        if len(args) > len(names):
            raise ToolError(f"expected {tool.signature}, not {len(args)} arguments")
        named = dict(zip(names, args, strict=False))
        if twice := sorted(named.keys() & kwargs):
            raise ToolError(f"the argument {twice[0]!r} stands there twice")
        arguments = {**named, **kwargs}
        if tool.name not in self._noted:
            return tool.run(check(arguments, tool.parameters), self._context)
        if len(self._made) >= MAX_CALLS:
            raise ToolError(f"a cell may make {MAX_CALLS} calls")
        output, ok = "", False
        try:
            output = tool.run(check(arguments, tool.parameters), self._context)
            ok = True
        except ToolError as problem:
            output = f"Error: {problem}"
            raise
        finally:
            self._made.append(ToolRun(tool.name, json.dumps(arguments), output, ok))
        return output

    def _run_all(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        for call in calls:
            self._made.clear()
            yield self._run(call)
            yield from self._made

    def _run(self, call: ToolCall) -> ToolRun:
        _thread.environment = self
        try:
            output, ok = self._call(call), True
        except ToolError as problem:
            output, ok = f"Error: {problem}", False
        finally:
            del _thread.environment
        return ToolRun(call.name, call.arguments, shorten(output), ok, call.id)

    def _call(self, call: ToolCall) -> str:
        if not call.id:
            return run_cell(call.arguments, self._context)
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(self._tools) or "none"
            raise ToolError(f"there is no tool {call.name!r}; the tools are {known}")
        return tool.run(read_arguments(call.arguments, tool.parameters), self._context)


def _from_code(tool: Tool, /, *args: Any, **kwargs: Any) -> str:
    environment: LiveEnvironment = _thread.environment
    return environment.called_from_code(tool, args, kwargs)


def seed_of(task: str, trial: int) -> int:
    """A seed below 2**32 that is the same in every process and on every day."""
    digest = hashlib.sha256(f"{task} {trial}".encode()).digest()
    return int.from_bytes(digest[:4], "big")
