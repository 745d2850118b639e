"""Where the worker begins: it locks itself in, says hello and serves the host."""

from __future__ import annotations

import ast
import gc
import importlib
import os
import select
import signal
import site
import sys
from typing import Any

from pytest_mint.sandbox.worker import child, landlock
from pytest_mint.sandbox.worker.errors import describe
from pytest_mint.sandbox.worker.frames import pack, read_frame, write_all
from pytest_mint.sandbox.worker.kernel import (
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    drop_capabilities,
    give_back_memory,
    prctl,
)
from pytest_mint.sandbox.worker.processes import alone
from pytest_mint.sandbox.worker.supervisor import Supervisor


def main(config: dict[str, Any]) -> None:
    """Serve until the host hangs up, asks for the end, or is silent for too long.

    Args:
        config: ``root`` (where working folders are made), ``wipe`` (folders to empty),
            ``confine`` ("engine", "cage" or "none"), ``memory_mb``, ``disk_mb``,
            ``readable`` (the cage: what may be read), ``site`` (folders of packages),
            ``preload`` (modules), ``environment``, ``idle_seconds``, ``remove`` (a
            folder to take away at the end).
    """
    _prepare(config)
    loaded = _preload(config["preload"])
    supervisor = Supervisor(config)
    hello = {"python": sys.version.split()[0], "preloaded": loaded, "uid": os.getuid()}
    write_all(1, pack(hello))
    try:
        _serve(supervisor, config["idle_seconds"])
    except (EOFError, BrokenPipeError):
        pass
    except child.LockFailed as problem:
        os.write(2, b"%a\n" % (problem,))
    finally:
        supervisor.end()
        _remove(config.get("remove", ""))
        os._exit(0)


def _prepare(config: dict[str, Any]) -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_DUMPABLE, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    # The first process of a container is deaf to signals from inside by default.
    signal.signal(signal.SIGINT, signal.SIG_DFL if alone() else signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    os.umask(0o077)
    os.environ.clear()
    os.environ.update(config["environment"])
    sys.argv = [""]
    sys.path += config["site"]
    sys.dont_write_bytecode = True
    site.setquit()  # programs end by exit() as often as by sys.exit()
    if config["confine"] == "cage":
        drop_capabilities()
        child.keep_rules(landlock.ruleset(config["readable"], config["wipe"]))


def _preload(names: list[str]) -> list[str]:
    """Import what children would import one by one; what is missing stays missing."""
    loaded = []
    for name in ["random", *names]:
        try:
            importlib.import_module(name)
            if name == "numpy":  # else every child would load it to set its seed
                importlib.import_module("numpy.random")
        except ImportError:
            continue
        loaded.append(name)
    _warm_up()
    gc.collect()
    gc.freeze()
    give_back_memory()
    return loaded


def _warm_up() -> None:
    """Touch what every child touches first, so that they all share it.

    The parser's and the compiler's types are made at their first use, 2 MiB and a
    millisecond in each child otherwise.
    """
    tree = ast.parse("import math\ndef f(x):\n    return x\n\nf(1) + 1")
    compile(tree, "<warm>", "exec")
    try:
        raise ValueError
    except ValueError as problem:
        describe(problem)


def _serve(supervisor: Supervisor, idle_seconds: float) -> None:
    waiting = select.poll()
    waiting.register(0, select.POLLIN)
    while waiting.poll(idle_seconds * 1000):
        message = read_frame(0)
        if message["op"] == "exit":
            return
        reply = supervisor.answer(message)
        reply["id"] = message["id"]
        write_all(1, pack(reply))


def _remove(folder: str) -> None:
    """Take the temporary folder away, if the host did not live to do it."""
    if not folder:
        return
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
