"""Attacks on the sandbox: it survives, it is clean afterwards, nothing gets out."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_mint.sandbox.worker_client import Worker
from tests.sandbox.attacks import ATTACKS, PRELUDE, Attack
from tests.sandbox.kinds import started

KINDS = ("cage", "docker")
CASES = [
    pytest.param(kind, attack, id=f"{kind}-{name}")
    for kind in KINDS
    for name, attack in ATTACKS.items()
    if kind in attack.only
]


@dataclass(frozen=True)
class Outside:
    """What is outside: a secret file, a secret in our environment, two servers."""

    secret: str
    path: Path
    port: int
    servers: tuple[socket.socket, socket.socket]

    def connected(self) -> bool:
        for server in self.servers:
            with contextlib.suppress(BlockingIOError):
                server.accept()[0].close()
                return True
        return False


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    secret = secrets.token_hex(16)
    path = tmp_path_factory.mktemp("outside") / "secret"
    path.write_text(secret)
    os.environ["MINT_TEST_SECRET"] = secret
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.socket(socket.AF_UNIX) as abstract,
        ):
            abstract.bind(f"\0mint-{secret[:8]}")
            abstract.listen()
            server.setblocking(False)
            abstract.setblocking(False)
            yield Outside(secret, path, server.getsockname()[1], (server, abstract))
    finally:
        del os.environ["MINT_TEST_SECRET"]


@pytest.fixture(scope="module")
def workers() -> Iterator[dict[str, Worker]]:
    running: dict[str, Worker] = {}
    yield running
    for worker in running.values():
        worker.close()


def run(worker: Worker, code: str, seconds: float) -> dict[str, Any]:
    limits = {"seconds": seconds, "memory_mb": 512, "output_bytes": 1 << 16}
    return worker.ask("run", seconds, who=0, code=code, limits=limits)


@pytest.mark.parametrize(("kind", "attack"), CASES)
def test_attack_fails(
    kind: str, attack: Attack, outside: Outside, workers: dict[str, Worker]
) -> None:
    if kind not in workers:
        workers[kind] = started(kind)
    worker = workers[kind]
    before = outside.path.stat()
    known = {
        "SECRET": str(outside.path),
        "PORT": outside.port,
        "ABSTRACT": f"\0mint-{outside.secret[:8]}",
        "TESTS": os.getpid(),
        "KIND": kind,
    }
    names = "".join(f"{name} = {value!r}\n" for name, value in known.items())
    assert worker.ask("reset", seed=1)["clean"]
    assert run(worker, PRELUDE + names, 5)["status"] == "ok"

    reply = run(worker, attack.code, attack.seconds)

    told = "".join(str(reply.get(key, "")) for key in ("stdout", "stderr", "value"))
    assert "BREACH" not in told
    assert outside.secret not in told + str(reply.get("error", ""))
    assert reply["seconds"] < attack.seconds + 3
    assert not outside.connected()
    after = outside.path.stat()
    assert outside.path.read_text() == outside.secret
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert [path.name for path in outside.path.parent.iterdir()] == ["secret"]
    # The supervisor is alive, leaves nothing of it behind, and the next cell works.
    assert worker.ask("reset", seed=1)["dirt"] == []
    clean = run(worker, "import os\nos.listdir('.'), 6 * 7", 5)
    assert clean["value"] == "([], 42)"
