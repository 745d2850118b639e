"""What a sandbox offers: interpreters that keep their state, and single calls.

A fault of the *code* (error, endless loop, memory) is a result. A fault of the
*sandbox* (no engine, no process) raises SandboxError and is missing data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Status = Literal["ok", "error", "timeout", "memory", "output", "died"]

#: Functions that sandboxed code can call in our process, by name. Arguments and
#: results are JSON values.
HostFunctions = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Limits:
    """What one piece of code may use."""

    seconds: float = 30.0
    memory_mb: int = 512
    output_bytes: int = 64 * 1024


@dataclass(frozen=True)
class CellResult:
    """What a cell printed and how it ended. All of it is untrusted text."""

    status: Status
    stdout: str = ""
    stderr: str = ""
    value: str = ""  # repr of the last expression, "" where there is none or it is None
    error: str = ""  # traceback cut to the cell's own lines
    state_lost: bool = False  # the interpreter had to be started anew
    seconds: float = 0.0


@dataclass(frozen=True)
class CallResult:
    """What a function returned, decoded from a channel that code cannot print to.

    ``value`` holds plain types only (int, float, str, bool, None, list, tuple,
    dict, set), a generator as the list of what it yields; ``plain`` is False where the
    code returned anything else.
    """

    status: Status
    value: Any = None
    plain: bool = True
    arguments: Any = None  # the arguments after the call, to see what was changed
    stdout: str = ""
    error: str = ""
    seconds: float = 0.0


class Interpreter(Protocol):
    """The Python interpreter of one episode; cells share its variables."""

    def execute(self, code: str, limits: Limits = ...) -> CellResult:
        """Run a cell."""
        ...

    def fork(self) -> Interpreter:
        """A second interpreter with the same variables, random state and files.

        Where code broke the first one too badly, the second begins without its
        variables, and the result of its first cell has ``state_lost``.
        """
        ...

    def put(self, path: str, data: bytes) -> None:
        """Write a file below the working folder; folders are made as needed.

        Raises:
            OSError: the path leaves the folder, or the file cannot be written. What
                the other file operations raise, too.
        """
        ...

    def get(self, path: str) -> bytes:
        """Read a file of at most 8 MiB below the working folder."""
        ...

    def ls(self, path: str = "") -> list[str]:
        """The names in a folder, sorted; those of folders end in a slash."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file or an empty folder below the working folder."""
        ...

    def close(self) -> None:
        """End it; safe to call twice."""
        ...


class Sandbox(Protocol):
    """Where model-written code runs. Safe to use from several threads."""

    name: str  # "docker", "cage" or "unsafe"

    def open(self, functions: HostFunctions = ..., seed: int = ...) -> Interpreter:
        """An interpreter for one episode, clean and empty."""
        ...

    def call(
        self,
        program: str,
        function: str,
        args: Sequence[Any],
        limits: Limits = ...,
        seed: int = ...,
    ) -> CallResult:
        """Run ``program`` in a fresh process, then ``function(*args)``.

        ``seed`` is that of the module ``random``.
        """
        ...

    def script(
        self,
        program: str,
        limits: Limits = ...,
        stdin: str = ...,
        module: str = ...,
    ) -> CellResult:
        """Run ``program`` as a script in a fresh process with this standard input.

        ``ok`` means that it ran to its very end: ``os._exit(0)`` is ``died`` and
        ``sys.exit(0)`` an ``error``. ``module`` is what ``__name__`` shall be;
        ``builtins`` is an empty namespace, as ``exec(program, {})`` has it.
        """
        ...

    def describe(self) -> dict[str, str]:
        """What the run's record says about the sandbox."""
        ...

    def close(self) -> None:
        """End all processes."""
        ...
