"""A program that runs once, in a process of its own, for a grader.

Its end is reported with a number that the child reads only when it is over. What a
call returned is compared elsewhere: a forged result is just a wrong answer.
"""

from __future__ import annotations

import linecache
import os
import random
import sys
import threading
import types
from typing import Any

from pytest_mint.sandbox.worker import plain
from pytest_mint.sandbox.worker.child import CONTROL
from pytest_mint.sandbox.worker.errors import describe, status_of
from pytest_mint.sandbox.worker.frames import pack, read_frame, write_all

NAME = "<program>"
#: Imported benchmarks execute in an empty dictionary: ``__name__`` is then the one of
#: the builtins, and a main guard stays shut.
BARE = "builtins"


def run() -> None:
    """Read one request, run it, report, and end without any clean-up of its own."""
    request = read_frame(CONTROL)
    reply = _call(request) if "function" in request else _script(request)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: S112  # the program may have put anything there
            continue
    reply["nonce"] = read_frame(CONTROL)["nonce"]
    write_all(CONTROL, pack(reply))
    os._exit(0)


def _code(program: str) -> types.CodeType:
    linecache.cache[NAME] = (len(program), None, program.splitlines(True), NAME)
    return compile(program, NAME, "exec", dont_inherit=True)


def _module(name: str) -> dict[str, Any]:
    if name == BARE:
        return {}
    module = types.ModuleType(name)
    sys.modules[name] = module  # where dataclasses and pickle look
    return module.__dict__


def _call(request: dict[str, Any]) -> dict[str, Any]:
    args = plain.decode(request["args"])
    names = _module("solution")
    random.seed(request.get("seed", 0))
    try:
        exec(_code(request["program"]), names)  # noqa: S102
        function = names.get(request["function"])
        if not callable(function):
            raise NameError("there is no function {}".format(request["function"]))
        value = function(*args)
        if type(value) is types.GeneratorType:  # its code runs here, within the limits
            value = [item for _, item in zip(range(plain.MAX_ITEMS + 1), value)]  # noqa: B905
    except BaseException as problem:
        return {"status": status_of(problem), "error": describe(problem)}
    reply: dict[str, Any] = {"status": "ok"}
    for key, got in (("value", value), ("arguments", args)):
        try:
            reply[key] = plain.encode(got)
        except plain.NotPlain as problem:
            reply[key + "_not_plain"] = str(problem)
        except BaseException:  # not enough memory or stack to copy it
            reply[key + "_not_plain"] = "a value that is too large"
    return reply


def _script(request: dict[str, Any]) -> dict[str, Any]:
    reply: dict[str, Any] = {"status": "ok"}
    try:
        exec(_code(request["program"]), _module(request["module"]))  # noqa: S102
    except BaseException as problem:
        reply = {"status": status_of(problem), "error": describe(problem)}
    if request["module"] == "__main__":
        _finish()
    return reply


def _finish() -> None:
    """End as a script does: threads run out, exit functions print what they held."""
    import atexit

    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    except BaseException:
        return
