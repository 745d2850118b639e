"""The interpreter of one episode: cells that share their variables.

It runs in a child and reads its requests from the control socket.
"""

from __future__ import annotations

import array
import ast
import builtins
import linecache
import os
import random
import resource
import socket
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

from pytest_mint.sandbox.worker.child import CONTROL
from pytest_mint.sandbox.worker.errors import describe, status_of
from pytest_mint.sandbox.worker.folders import copy
from pytest_mint.sandbox.worker.frames import (
    HEADER,
    pack,
    parse,
    read_exactly,
    read_frame,
    write_all,
)
from pytest_mint.sandbox.worker.kernel import PR_SET_PDEATHSIG, prctl
from pytest_mint.sandbox.worker.output import shortened

# As they were: cells may replace what the modules offer.
_os = types.SimpleNamespace(**vars(os))
_sleep = time.sleep
_getrandom, _setrandom = random.getstate, random.setstate


def serve(seed: int, functions: list[str]) -> None:
    """Run cells until the supervisor hangs up."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed & 0xFFFFFFFF)
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    for name in functions:
        main.__dict__[name] = _host_function(name)
    cells = 0
    while True:
        try:
            message, fds = _receive()
        except (EOFError, OSError):
            _os._exit(0)
        except KeyboardInterrupt:  # sent to a cell that had just ended
            continue
        if "fork" in message:
            _fork(message["fork"], fds)
            continue
        cells += 1
        try:
            reply = _run(message, f"<cell {cells}>", main.__dict__)
        except (
            BaseException
        ):  # an error whose very class misbehaves, or a late interrupt
            reply = {"status": "error", "error": "an error that cannot be shown"}
        _reply(reply)


def _receive() -> tuple[dict[str, Any], list[int]]:
    """The next request, and the descriptors that came with it."""
    fds = array.array("i")
    control = socket.socket(fileno=CONTROL)
    try:
        room = socket.CMSG_SPACE(3 * fds.itemsize)
        start, ancillary, _, _ = control.recvmsg(HEADER.size, room)
    finally:
        control.detach()
    if not start:
        raise EOFError
    for _, _, content in ancillary:
        fds.frombytes(content)
    start += read_exactly(CONTROL, HEADER.size - len(start))
    (size,) = HEADER.unpack(start)
    return parse(read_exactly(CONTROL, size)), fds.tolist()


def _reply(message: dict[str, Any]) -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: S112  # a cell may have put anything there
            continue
    write_all(CONTROL, pack(message))


def _run(message: dict[str, Any], name: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run one cell; its last expression is its value."""
    code = message["code"]
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    _limit_memory(message["memory_mb"])
    try:
        tree = ast.parse(code, name)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        if tree.body:
            exec(compile(tree, name, "exec", dont_inherit=True), names)  # noqa: S102
        if last is None:
            return {"status": "ok"}
        value = eval(  # noqa: S307
            compile(last, name, "eval", dont_inherit=True), names
        )
        if value is None:
            return {"status": "ok"}
        names["_"] = value
        return {"status": "ok", "value": shortened(repr(value), message["value_chars"])}
    except SystemExit:
        return {"status": "ok"}
    except BaseException as problem:
        return {"status": status_of(problem), "error": describe(problem)}


def _limit_memory(megabytes: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = megabytes << 20
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, most))


_one_call = threading.Lock()


def _host_function(name: str) -> Callable[..., Any]:
    """A function that runs on the host."""

    def call(*args: Any, **kwargs: Any) -> Any:
        request = pack({"function": name, "args": args, "kwargs": kwargs})
        with _one_call:
            write_all(CONTROL, request)
            answer = read_frame(CONTROL)
        if "error" not in answer:
            return answer.get("value")
        kind = getattr(builtins, str(answer.get("kind")), None)
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            kind = RuntimeError
        raise kind(answer["error"])

    call.__name__ = call.__qualname__ = name
    return call


def _fork(folder: str, fds: list[int]) -> None:
    """Become two: the second continues on its own streams, in its own folder.

    The second takes a copy of the files with it. Forked twice, so that it is the
    supervisor's child and outlives the first.
    """
    control, out, err = fds
    state = _getrandom()  # the random module seeds itself anew in a forked child
    try:
        middle = _os.fork()
        if middle == 0:
            parent = _os.getpid()
            if _os.fork() != 0:
                _os._exit(0)
    except OSError as problem:
        for fd in fds:
            _os.close(fd)
        _reply({"status": "error", "error": str(problem)})
        return
    if middle == 0:
        while _os.getppid() == parent:  # whose death must not be taken for the end
            _sleep(0.0002)
        _os.setsid()
        _setrandom(state)
        _os.dup2(out, 1)
        _os.dup2(err, 2)
        _os.dup2(control, CONTROL, inheritable=False)
        prctl(PR_SET_PDEATHSIG, 9)
        if sys.path and sys.path[0] == os.environ.get("HOME"):
            sys.path[0] = folder
        os.environ["HOME"] = os.environ["TMPDIR"] = folder
        copy(_os.getcwd(), folder)
        _os.chdir(folder)
        write_all(CONTROL, b"+")
    for fd in fds:
        _os.close(fd)
    if middle != 0:
        _os.waitpid(middle, 0)
        _reply({"status": "ok"})
