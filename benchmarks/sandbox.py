"""How long the sandboxes take, and what they leave behind.

    python benchmarks/sandbox.py [cage] [docker] [unsafe]

Prints one table; times are medians in milliseconds of the wall clock. Memory is in MiB
and counted as engines count a container's: shared pages once, pages of files not.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pytest_mint.errors import UserError
from pytest_mint.graders.code import grade_code
from pytest_mint.graders.verdict import Proposal
from pytest_mint.sandbox import cage, container, engine, image, open_sandbox
from pytest_mint.sandbox.owner import me
from pytest_mint.sandbox.worker_client import Worker
from pytest_mint.tasks.model import Task

NUMERIC = ("numpy", "sympy")
LIMITS = {"seconds": 10, "memory_mb": 512, "output_bytes": 65536}

#: What the project promises on two cores: docker, cage.
GOALS = {
    "start to ready": (800, 200),
    "cell": (1.0, 0.6),
    "reset": (5, 4),
    "reset, numpy and sympy loaded": (15, 12),
    "memory": (16, 16),
    "memory, numpy and sympy loaded": (64, 64),
    "100 gradings of 8 cases, s": (None, 10),
    "left 1 s after kill -9": (0, 0),
}


def main() -> None:
    """Measure what was asked for, or all there is."""
    kinds = sys.argv[1:] or ["cage", "docker"]
    columns = {}
    for kind in kinds:
        try:
            columns[kind] = measure(kind)
        except UserError as problem:
            print(f"{kind}: {problem}", file=sys.stderr)
    show(columns)


def measure(kind: str) -> dict[str, float]:
    """All rows of one kind of sandbox."""
    begin = starter(kind)
    begin(()).close()  # what is loaded once is not counted
    row = {"start to ready": median(lambda: begin(()).close(), 5)}
    for name, modules in (("", ()), (", numpy and sympy loaded", NUMERIC)):
        worker = begin(modules)
        try:
            run(worker, "x = 0")
            row[f"memory{name}"] = memory(kind)
            if kind != "docker":
                row[f"with pages of files{name}"] = memory(kind, files=True)
            if not name:
                row["cell"] = median(lambda: run(worker, "x += 1\nx"), 500)  # noqa: B023
            row[f"reset{name}"] = median(
                lambda: worker.ask("reset", seed=1),  # noqa: B023
                100,
                before=lambda: run(worker, "x = 0"),  # noqa: B023
            )
            row[f"reset and a cell{name}"] = median(
                lambda: reset(worker),  # noqa: B023
                100,
            )
            row[f"call{name}"] = median(lambda: call(worker), 100)  # noqa: B023
        finally:
            worker.close()
    row["100 gradings of 8 cases, s"] = gradings(kind)
    row["left 1 s after kill -9"] = left_behind(kind)
    return row


def starter(kind: str) -> Callable[[tuple[str, ...]], Worker]:
    """What starts one worker of this kind."""
    if kind != "docker":
        confine = "none" if kind == "unsafe" else kind
        return lambda modules: cage.start(confine, modules)
    address = engine.find()
    client = engine.connect(address)
    found = image.inspect(client, image.default_name())
    client.close()
    if found is None:
        raise UserError(f"the engine has no image {image.default_name()}")
    return lambda modules: container.start(address, str(found["Id"]), preload=modules)


def median(
    action: Callable[[], Any], times: int, before: Callable[[], Any] = int
) -> float:
    """Milliseconds of one action; what is done ``before`` each does not count."""
    taken = []
    for _ in range(times):
        before()
        started = time.perf_counter()
        action()
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


def run(worker: Worker, code: str) -> dict[str, Any]:
    """One cell."""
    return worker.ask("run", 10, who=0, code=code, limits=LIMITS)


def reset(worker: Worker) -> None:
    """A reset and the first cell after it, which starts the interpreter."""
    worker.ask("reset", seed=1)
    run(worker, "x = 0")


def call(worker: Worker) -> None:
    """One call of a function in a process of its own."""
    program = "def f(x):\n    return x"
    args = ["list", [1]]
    worker.ask("call", 10, program=program, function="f", args=args, limits=LIMITS)


def memory(kind: str, files: bool = False) -> float:
    """Of the supervisor and one interpreter, in MiB; with pages of files or without."""
    if kind == "docker":
        client = engine.connect()
        try:
            found = client.containers(filters={"label": f"{container.reaper.LABEL}"})
            mine = [one for one in found if me() in one["Labels"].values()]
            used = client.stats(mine[0]["Id"], stream=False)["memory_stats"]
        finally:
            client.close()
        cache = used.get("stats", {}).get("total_inactive_file", 0)
        return float(used["usage"] - cache) / (1 << 20)
    ours = Path("/proc/self/task").glob("*/children")
    children = {int(pid) for path in ours for pid in path.read_text().split()}
    inner = {
        int(pid)
        for one in children
        for path in Path(f"/proc/{one}/task").glob("*/children")
        for pid in path.read_text().split()
    }
    return sum(own_memory(pid, files) for pid in children | inner) / 1024


def own_memory(pid: int, files: bool) -> int:
    """What a process adds to the machine, in KiB; shared pages in proportion.

    Pages of files, such as libraries, are the machine's cache: an engine leaves them
    out where it counts a container.
    """
    counted = ("Pss:",) if files else ("Pss_Anon:", "Pss_Shmem:")
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(counted))


def gradings(kind: str) -> float:
    """Seconds for 100 gradings of 8 cases, two at a time."""
    task = Task.model_validate(
        {
            "id": "sum",
            "category": "coding",
            "input": "Write add(a, b).",
            "hints": {"vague": "a", "specific": "b", "direct": "c"},
            "grader": {"entry_point": "add"},
            "tests": [{"args": [n, 1], "expected": n + 1} for n in range(8)],
        }
    )
    proposal = Proposal("```python\ndef add(a, b):\n    return a + b\n```")
    sandbox = open_sandbox(kind, size=2)

    def grade(_: int) -> bool:
        return grade_code(task, proposal, "strict", sandbox).solved

    try:
        grade(0)
        started = time.perf_counter()
        with ThreadPoolExecutor(2) as threads:
            assert all(threads.map(grade, range(100)))
        return time.perf_counter() - started
    finally:
        sandbox.close()


SESSION = """
import sys
from pytest_mint.sandbox import open_sandbox
sandbox = open_sandbox(sys.argv[1])
kept = [sandbox.open() for _ in range(4)]
for one in kept:
    print(one.execute("import os; print(os.getpid(), os.getppid())").stdout, end="")
print("ready", flush=True)
kept[0].execute("while True: pass")
"""


def left_behind(kind: str) -> float:
    """Processes or containers that are there a second after their owner's death."""
    with subprocess.Popen(
        [sys.executable, "-c", SESSION, kind], stdout=subprocess.PIPE, text=True
    ) as session:
        assert session.stdout is not None
        lines = []
        for line in session.stdout:
            if line == "ready\n":
                break
            lines.append(line)
        session.kill()
    time.sleep(1)
    if kind != "docker":
        pids = {word for line in lines for word in line.split()}
        return sum(map(alive, pids))
    client = engine.connect()
    try:
        found = client.containers(all=True, filters={"label": container.reaper.LABEL})
    finally:
        client.close()
    owners = [one["Labels"][container.reaper.LABEL] for one in found]
    return sum(f".{session.pid}." in owner for owner in owners)


def alive(pid: str) -> bool:
    """Whether a process runs; a dead one that nobody has buried yet does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def show(columns: dict[str, dict[str, float]]) -> None:
    """Print the table."""
    kinds = list(columns)
    print(f"{'':42}" + "".join(f"{kind:>10}{'goal':>8}" for kind in kinds))
    names = list(dict.fromkeys(name for row in columns.values() for name in row))
    for name in names:
        cells = []
        for kind in kinds:
            goals = GOALS.get(name, (None, None))
            goal = goals[0] if kind == "docker" else goals[1]
            shown = "" if goal is None or kind == "unsafe" else f"{goal:g}"
            measured = columns[kind].get(name)
            number = "" if measured is None else f"{measured:.3g}"
            cells.append(f"{number:>10}{shown:>8}")
        print(f"{name:42}" + "".join(cells))


if __name__ == "__main__":
    main()
