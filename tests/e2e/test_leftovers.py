"""What sessions leave behind, however they end: no process, no folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_mint.sandbox import cage
from tests.processes import until

TASK = """
- id: busy-{n}
  input: Work.
  expected_output: 5
  tools: [python_interpreter]
  hints: {{vague: Work., specific: Work more., direct: It is 5.}}
  solution:
    - calls: [{{tool: python_interpreter, arguments: {{code: "import time; x = 1"}}}}]
    - calls:
        - tool: python_interpreter
          arguments: {{code: "open('here', 'w').close(); time.sleep({sleep})"}}
    - answer: "5"
"""
TEST = "def test_mint(mint_episode):\n    mint_episode.assert_solved()\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose tasks work in the sandbox, and a place for temporary files."""
    if reason := cage.why_not():
        if os.environ.get("MINT_REQUIRE_E2E") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    project = tmp_path / "project"
    (project / "tasks" / "reasoning").mkdir(parents=True)
    (project / "tasks" / "test_mint.py").write_text(TEST)
    (tmp_path / "temporary").mkdir()  # beside it: pytest would collect what is there
    return project


def write_tasks(folder: Path, sleep: float) -> None:
    text = "".join(TASK.format(n=n, sleep=sleep) for n in range(16))
    (folder / "tasks" / "reasoning" / "busy.yaml").write_text(text)


def start(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pytest", "-n8", "--mint-model=oracle", "-q"]
    return subprocess.Popen(
        [*command, "--mint-sandbox=cage", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder.parent / "temporary")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def inside(folder: Path) -> list[int]:
    """Processes that stand in the temporary folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            place = (process / "cwd").readlink()
        except OSError:
            continue
        if folder.parent / "temporary" in place.parents:
            found.append(int(process.name))
    return found


def children(pid: int) -> Iterator[int]:
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        yield from map(int, path.read_text().split())


def left(folder: Path) -> list[str]:
    return [path.name for path in (folder.parent / "temporary").glob("pytest-mint-*")]


def test_a_session_that_ends_leaves_nothing(folder: Path) -> None:
    write_tasks(folder, 0.01)
    session = start(folder)
    output, _ = session.communicate(timeout=120)
    assert session.returncode == 0, output.decode()
    assert until(lambda: not inside(folder), 5)
    assert left(folder) == []


def test_ctrl_c_leaves_nothing(folder: Path) -> None:
    write_tasks(folder, 20)
    session = start(folder)
    assert until(lambda: len(inside(folder)) >= 8, 30)
    os.killpg(session.pid, signal.SIGINT)
    session.communicate(timeout=60)
    assert until(lambda: not inside(folder), 5)
    assert until(lambda: left(folder) == [], 5)


@pytest.mark.parametrize("who", ["pytest", "a worker"])
def test_whoever_is_killed_leaves_no_process(folder: Path, who: str) -> None:
    write_tasks(folder, 20)
    session = start(folder)
    assert until(lambda: len(inside(folder)) >= 8, 30)
    workers = list(children(session.pid))
    killed = workers if who == "a worker" else [*workers, session.pid]
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    mine = set(inside(folder))
    assert until(lambda: not mine & set(inside(folder)), 5)
    session.kill()
    session.communicate(timeout=60)
    assert until(lambda: not inside(folder), 5)
    # Nobody was left to remove the folders; the next session does.
    write_tasks(folder, 0.01)
    after = start(folder)
    after.communicate(timeout=120)
    assert left(folder) == []
