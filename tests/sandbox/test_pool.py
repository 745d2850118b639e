"""Workers are reused while clean, replaced when not, and end with their owner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_mint.errors import SandboxError
from pytest_mint.sandbox import cage
from pytest_mint.sandbox.pool import Pool
from pytest_mint.sandbox.worker_client import Worker
from tests.processes import alive, until
from tests.sandbox.kinds import started


@pytest.fixture
def pool() -> Iterator[Pool]:
    found = Pool(lambda: started("unsafe"), keep=1)
    yield found
    found.close()


def process_of(worker: Worker) -> int:
    limits = {"seconds": 5, "memory_mb": 512, "output_bytes": 1000}
    code = "import os\nos.getppid()"
    return int(worker.ask("run", 5, who=0, code=code, limits=limits)["value"])


def test_a_clean_worker_is_used_again(pool: Pool) -> None:
    first = pool.take()
    pool.give(first)
    assert pool.take() is first


def test_no_more_than_asked_for_are_kept(pool: Pool) -> None:
    first, second = pool.take(), pool.take()
    pool.give(first)
    pool.give(second)
    assert not first.ended
    assert second.ended


def test_a_worker_that_ended_is_not_kept(pool: Pool) -> None:
    worker = pool.take()
    worker.close()
    pool.give(worker)
    assert pool.take() is not worker


def test_a_worn_worker_is_replaced(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_mint.sandbox.pool.MAX_USES", 2)
    worker = pool.take()
    pool.give(worker)
    assert pool.take() is worker
    pool.give(worker)
    assert worker.ended


def test_a_closed_pool_ends_all_and_gives_none(pool: Pool) -> None:
    taken = pool.take()
    pool.close()
    assert taken.ended
    with pytest.raises(SandboxError):
        pool.take()


def test_a_killed_worker_is_missing_data_and_named_so(pool: Pool) -> None:
    worker = pool.take()
    os.kill(process_of(worker), signal.SIGKILL)
    with pytest.raises(SandboxError, match="the sandbox"):
        worker.ask("reset")
    with pytest.raises(SandboxError, match="has ended"):
        worker.ask("reset")


def test_a_worker_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        cage, "boot_program", lambda: "raise SystemExit('no such luck')"
    )
    with pytest.raises(SandboxError, match="no such luck"):
        started("unsafe")
    monkeypatch.setattr(cage.sys, "executable", "/nowhere/python")
    with pytest.raises(SandboxError, match="no process"):
        started("unsafe")


SESSION = """
import sys, time
from pytest_mint.sandbox import open_sandbox
sandbox = open_sandbox(sys.argv[1])
kept = [sandbox.open() for _ in range(2)]
busy = "import os\\nprint(os.getpid(), os.getppid(), flush=True)"
for one in kept:
    print(*one.execute(busy).stdout.split())
forked = kept[0].fork()
print(*forked.execute(busy).stdout.split())
print("ready", flush=True)
{ending}
"""


def processes_of(kind: str, ending: str, number: int) -> tuple[int, set[int]]:
    """Play a session and end it: its process, and those that it started."""
    with subprocess.Popen(
        [sys.executable, "-c", SESSION.format(ending=ending), kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as session:
        assert session.stdout is not None
        assert session.stderr is not None
        lines = []
        for line in session.stdout:
            if line == "ready\n":
                break
            lines.append(line)
        else:
            pytest.fail(session.stderr.read())
        if number:
            session.send_signal(number)
        session.wait(30)
    return session.pid, {int(word) for line in lines for word in line.split()}


@pytest.mark.parametrize("kind", ["cage", "unsafe"])
@pytest.mark.parametrize(
    ("ending", "number"),
    [
        ("kept[0].execute('while True: pass')", signal.SIGKILL),
        ("time.sleep(100)", signal.SIGKILL),
        ("time.sleep(100)", signal.SIGTERM),
        ("time.sleep(100)", signal.SIGINT),
        ("pass", 0),
        ("import os; os._exit(1)", 0),
    ],
    ids=["kill busy", "kill idle", "terminate", "interrupt", "end", "hard exit"],
)
def test_nothing_outlives_its_owner(kind: str, ending: str, number: int) -> None:
    owner, processes = processes_of(kind, ending, number)
    assert len(processes) >= 5
    assert until(lambda: not any(map(alive, processes)))
    left = Path(tempfile.gettempdir()).glob(f"pytest-mint-*.{owner}.*")
    assert until(lambda: not list(left))


def test_folders_of_dead_owners_are_swept() -> None:
    owner = subprocess.run(
        [sys.executable, "-c", "from pytest_mint.sandbox.owner import me; print(me())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    left = Path(tempfile.mkdtemp(prefix=f"pytest-mint-{owner}-"))
    (left / "files").mkdir()
    assert cage.sweep() >= 1
    assert not left.exists()
