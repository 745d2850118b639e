"""Programs are judged by hidden cases, in the cage and in containers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pytest_mint.graders.cases import Case
from pytest_mint.graders.code import grade_code
from pytest_mint.graders.verdict import Proposal, Verdict
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.tasks.mint_rows import task_from_row
from pytest_mint.tasks.model import Task
from tests.graders.cases import HINTS, assert_right, load_cases
from tests.graders.cheats import CHEATS, PRINTING, SCRIPTS
from tests.needs import need, pack
from tests.sandbox.kinds import opened

TESTS = [
    {"args": [1, 2], "expected": 3},
    {"args": [-1, 1], "expected": 0},
    {"args": [10, 5], "expected": 15},
]
SUMS = [{"stdin": "2 3\n", "stdout": "5\n"}, {"stdin": "10 -4\n", "stdout": "6\n"}]


@pytest.fixture(scope="module")
def cage() -> Iterator[Sandbox]:
    with opened("cage", size=4) as found:
        yield found


@pytest.fixture(scope="module", params=["cage", "docker"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with opened(request.param) as found:
        yield found


def coding_task(tests: Any = TESTS, public: Any = (), **grader: Any) -> Task:
    return Task.model_validate(
        {
            "id": "a-task",
            "category": "coding",
            "input": "Write a program.",
            "hints": HINTS,
            "tests": tests,
            "public": public,
            "grader": {"entry_point": "add", "timeout_s": 1, **grader},
        }
    )


def judged(sandbox: Sandbox, reply: str, task: Task | None = None) -> Verdict:
    return grade_code(task or coding_task(), Proposal(reply), "strict", sandbox)


CASES = load_cases("grading", ["coding"]) + load_cases("choices", ["coding"])


@pytest.mark.parametrize("case", CASES)
def test_shared_cases_are_judged_right(case: Case | None, sandbox: Sandbox) -> None:
    assert_right(case, sandbox)


@pytest.mark.parametrize("program", CHEATS.values(), ids=CHEATS)
def test_cheats_do_not_pass(program: str, sandbox: Sandbox) -> None:
    assert not judged(sandbox, f"```python\n{program}\n```").solved


@pytest.mark.parametrize("program", SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.parametrize("mode", ["strict", "faithful"])
def test_cheats_do_not_pass_asserts(program: str, mode: Any, sandbox: Sandbox) -> None:
    script = "\n".join(f"assert add(*{t['args']}) == {t['expected']}" for t in TESTS)
    task = coding_task((), mode="script", script=script)
    assert grade_code(task, Proposal("add = int.__add__"), mode, sandbox).solved
    assert not grade_code(task, Proposal(program), mode, sandbox).solved


@pytest.mark.parametrize("program", PRINTING.values(), ids=PRINTING)
def test_cheats_do_not_pass_by_printing(program: str, sandbox: Sandbox) -> None:
    task = coding_task(SUMS, mode="stdio", entry_point="")
    assert not judged(sandbox, f"```python\n{program}\n```", task).solved


@pytest.mark.parametrize(
    "program",
    [
        "print(sum(map(int, input().split())))",
        "import sys\na, b = sys.stdin.read().split()\nprint(int(a) + int(b))\nexit()",
        "import os\nprint(sum(map(int, input().split())), flush=True)\nos._exit(0)",
        "import atexit, io\nheld = io.StringIO()\n"
        "atexit.register(lambda: print(held.getvalue()))\n"
        "print(sum(map(int, input().split())), file=held)",
        "import threading\ndef run(): print(sum(map(int, input().split())))\n"
        "threading.Thread(target=run).start()",
        "if __name__ == '__main__':\n    print(sum(map(int, input().split())))",
    ],
    ids=["plain", "exit", "hard exit", "exit function", "thread", "main guard"],
)
def test_programs_that_print_the_answer_pass(program: str, sandbox: Sandbox) -> None:
    task = coding_task(SUMS, mode="stdio", entry_point="")
    assert judged(sandbox, f"```python\n{program}\n```", task).solved


@pytest.mark.parametrize("expected", [[1, 2], [2, 1]])
def test_luck_does_not_pass(expected: list[int], cage: Sandbox) -> None:
    task = coding_task([{"args": [1, 2], "expected": expected}])
    guess = "import random\ndef add(a, b):\n    return random.sample([a, b], 2)"
    assert not judged(cage, guess, task).solved


def test_a_generator_is_read_as_the_list_of_what_it_yields(cage: Sandbox) -> None:
    task = coding_task([{"args": [1, 3], "expected": [1, 2]}])
    assert judged(cage, "def add(a, b):\n    yield from range(a, b)", task).solved
    endless = "def add(a, b):\n    while True: yield a"
    assert not judged(cage, endless, task).solved


def test_public_examples_are_told_and_hidden_ones_are_not(cage: Sandbox) -> None:
    task = coding_task(
        [{"args": [777, 1], "expected": 778}], [{"args": [1, 2], "expected": 3}]
    )
    reason = judged(cage, "def add(a, b):\n    return a - b", task).reason
    assert "1 of 1 public examples failed, 1 of 1 hidden tests failed" in reason
    assert "add(1, 2) gave -1, expected 3" in reason
    assert "777" not in reason
    assert "778" not in reason


def test_failed_asserts_do_not_tell_what_they_expect(cage: Sandbox) -> None:
    task = coding_task((), mode="script", script="assert add(1, 1) == 2, 'want 2'")
    verdict = judged(cage, "def add(a, b):\n    return 0", task)
    assert verdict.reason == "a hidden test failed"


def test_an_error_is_told_by_its_last_lines(cage: Sandbox) -> None:
    reason = judged(cage, "def add(a, b):\n    return a.missing").reason
    assert reason.endswith("'int' object has no attribute 'missing'")


@pytest.mark.parametrize(
    ("program", "solved"),
    [
        ("def add(xs):\n    xs.sort()", True),
        ("def add(xs):\n    xs.sort()\n    return xs", True),
        ("def add(xs):\n    return sorted(xs)", False),
        ("def add(xs):\n    xs.sort()\n    return 7", False),
    ],
)
def test_changes_in_place_count_where_the_task_says_so(
    program: str, solved: bool, cage: Sandbox
) -> None:
    task = coding_task([{"args": [[3, 1, 2]], "expected": [1, 2, 3]}], in_place=True)
    assert judged(cage, program, task).solved is solved


def test_values_keep_their_types_on_the_way_in(cage: Sandbox) -> None:
    task = coding_task(
        [{"args": [{1: "a"}, [2.0, None, True]], "expected": ["int", "float", "bool"]}]
    )
    program = """
def add(table, items):
    return [type(x).__name__ for x in (list(table)[0], items[0], items[2])]
"""
    assert judged(cage, program, task).solved


def test_mbpp_and_humaneval_references_pass(sandbox: Sandbox) -> None:
    rows = recorded_rows()
    assert len(rows) == 136
    failed = [
        key
        for key, row in rows.items()
        for mode in ("strict", "faithful")
        if not grade_code(
            unhurried(task_from_row(row)) if key in UNSTEADY else task_from_row(row),
            Proposal(reference(row)),
            mode,  # type: ignore[arg-type]
            sandbox,
        ).solved
    ]
    assert failed == []


def unhurried(task: Task) -> Task:
    """The task with all the time that a slow machine may need."""
    grader = task.grader.model_copy(update={"timeout_s": 60.0})
    return task.model_copy(update={"grader": grader})


def recorded_rows() -> dict[tuple[str, int], dict[str, Any]]:
    folder = need(pack(), "the pack of recorded episodes")
    with (folder / "tasks.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {
        (row["dataset"], row["id"]): row
        for row in rows
        if row["family"] == "code_generation"
    }


def reference(row: dict[str, Any]) -> str:
    if row["dataset"] == "mbpp":
        return str(row["code"])
    return f"{row['prompt']}\n{row['canonical_solution']}"


#: Their verdict depends on the speed of the machine or on a download.
UNSTEADY = {("mbpp", 15), ("mbpp", 80)}


@pytest.mark.parametrize(
    ("mode", "flag", "least"),
    [("strict", "adjudicated", 0.995), ("faithful", "flag", 0.999)],
)
def test_recorded_answers_get_the_recorded_verdicts(
    mode: Any, flag: str, least: float, cage: Sandbox
) -> None:
    rows = recorded_rows()
    folder = need(pack(), "the pack of recorded episodes")
    tasks = {key: task_from_row(row) for key, row in rows.items()}
    with gzip.open(folder / "answers.jsonl.gz", "rt", encoding="utf-8") as lines:
        answers = [json.loads(line) for line in lines]
    flagged = [
        ((answer["dataset"], answer["id"]), answer["answer"], answer[flag])
        for answer in answers
        if answer[flag] in (True, False)
    ]
    asked = [one for one in flagged if one[0] in tasks and one[0] not in UNSTEADY]

    def differs(one: tuple[Any, str, bool]) -> bool:
        key, text, right = one
        verdict = grade_code(tasks[key], Proposal(text), mode, cage)
        return verdict.solved != right

    # Most of the time is spent waiting for endless loops to reach their limit.
    with ThreadPoolExecutor(4) as threads:
        differ = [
            one
            for one, bad in zip(asked, threads.map(differs, asked), strict=True)
            if bad
        ]
    assert len(differ) <= (1 - least) * len(asked), differ


def code_faults() -> list[Any]:
    folder = pack()
    path = folder / "grader_faults.jsonl" if folder else None
    if path is None or not path.exists():
        return [pytest.param(None, id="no-recordings")]
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        pytest.param(row, id=f"{row['kind']}-{row['dataset']}-{row['id']}-{n}")
        for n, row in enumerate(rows)
        if row["dataset"] in ("humaneval", "mbpp")
    ]


@pytest.mark.parametrize("fault", code_faults())
def test_a_fault_of_the_original_is_not_repeated(fault: Any, cage: Sandbox) -> None:
    rows = recorded_rows()
    task = task_from_row(rows[fault["dataset"], fault["id"]])
    verdict = grade_code(task, Proposal(fault["answer"]), "strict", cage)
    assert verdict.solved == fault["should_be"], fault["why"]
