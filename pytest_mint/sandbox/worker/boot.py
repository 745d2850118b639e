"""The few lines that a bare Python is started with: they receive all the others.

The first frame on the standard input holds the sources of the worker's modules and
its configuration. Nothing is read from or written to a disk.
"""

from __future__ import annotations

import sys

# Nothing may be imported from the folder that the worker stands in. The option -I says
# that, too, but it also ignores the hash seed of the environment.
sys.path[:] = [place for place in sys.path if place]

import importlib
import json
import os
import struct
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def main() -> None:
    """Receive the worker and start it."""
    (size,) = struct.unpack(">I", _read(4))
    frame = json.loads(_read(size))
    finder = Sources(frame["sources"])
    sys.meta_path.insert(0, finder)
    start = importlib.import_module("pytest_mint.sandbox.worker.start")
    sys.meta_path.remove(finder)
    start.main(frame["config"])


def _read(size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = os.read(0, size - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


class Sources:
    """Imports modules from a dictionary of their texts; packages are empty ones."""

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Where importlib asks whether we have a module."""
        if name in self._sources:
            return ModuleSpec(name, self)  # type: ignore[arg-type]
        if any(known.startswith(name + ".") for known in self._sources):
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The usual module object will do."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's text."""
        name = module.__name__
        text = self._sources.get(name, "")
        code = compile(text, "<sandbox>/{}.py".format(name.rpartition(".")[2]), "exec")
        exec(code, module.__dict__)  # noqa: S102


if __name__ == "__main__":
    main()
