"""What the plugin costs where it is not used, and what collecting tasks costs.

    python benchmarks/idle.py

Three comparisons, each in one run on one machine, interleaved so that both sides see
the same load: an empty session with the plugin and with ``-p no:mint``, and the
collection of 598 and 5,980 tasks beside as many plain parametrized tests. Prints
milliseconds and the ratio; asserts nothing, because a shared machine keeps no time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLAIN = """
import pytest

@pytest.mark.parametrize("task", [f"reasoning/t{{n}}" for n in range({count})])
def test_plain(task):
    pass
"""
TASK = """
- id: t{n}
  input: |
    {filler}
    Task {n}: how many minutes does the second train take? Answer in minutes.
  expected_output: {n}
  tools: [python_interpreter, calculator]
  hints:
    vague: Think of what both trains have in common before you compare them.
    specific: The second train leaves an hour later, so subtract that first.
    direct: It takes {n} minutes.
  solution:
    - calls: [{{tool: calculator, arguments: {{expression: "{n} + 0"}}}}]
    - answer: "{n}"
  accept: [{{answer: "{n} min", why: with its unit}}, {{answer: "{n}.0", why: exact}}]
  reject: [{{answer: "{n}1", why: a digit too many}}, {{answer: "0", why: no time}}]
  difficulty: 2
  tags: [rates]
  grader: {{tolerance: 0.01}}
"""
FILLER = "A train leaves the station at noon and a second one an hour later. " * 8


# Where compiled modules may not be kept, the compiler would be measured instead.
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}


def seconds(folder: Path, *args: str) -> float:
    """Wall time of one session in this folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args]
    began = time.perf_counter()
    subprocess.run(
        command, cwd=folder, capture_output=True, check=False, env=ENVIRONMENT
    )
    return time.perf_counter() - began


def compare(
    name: str, rounds: int, ours: tuple[Path, ...], plain: tuple[Path, ...]
) -> None:
    """Run both commands in turn and print the difference of their medians."""
    pairs = [
        (seconds(ours[0], *map(str, ours[1:])), seconds(plain[0], *map(str, plain[1:])))
        for _ in range(rounds)
    ]
    mine, other = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(
        f"{name:<28} {1000 * mine:8.1f} ms {1000 * other:8.1f} ms "
        f"{1000 * (mine - other):+8.1f} ms   x {mine / other:.2f}"
    )


def write_tasks(folder: Path, count: int, per_file: int = 10) -> Path:
    """A project with so many tasks, in files of ten."""
    tasks = folder / "tasks" / "reasoning"
    tasks.mkdir(parents=True)
    for start in range(1, count + 1, per_file):
        numbers = range(start, min(start + per_file, count + 1))
        text = "".join(TASK.format(n=n, filler=FILLER) for n in numbers)
        (tasks / f"f{start:05}.yaml").write_text(text)
    test = "def test_mint(mint_episode):\n    mint_episode.assert_solved()\n"
    (folder / "tasks" / "test_mint.py").write_text(test)
    return folder


def main() -> None:
    """Print the three comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    print(f"{'':<28} {'with mint':>11} {'without':>11} {'difference':>11}")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        empty = root / "empty"
        empty.mkdir()
        compare("idle, empty folder", rounds, (empty,), (empty, Path("-pno:mint")))
        for count in (598, 5980):
            mine = write_tasks(root / f"mint{count}", count)
            plain = root / f"plain{count}"
            plain.mkdir()
            (plain / "test_plain.py").write_text(PLAIN.format(count=count))
            compare(
                f"collect {count:,} tasks",
                max(3, rounds // 4),
                (mine, Path("--co"), Path("--mint-model=nop")),
                (plain, Path("--co"), Path("-pno:mint")),
            )


if __name__ == "__main__":
    main()
