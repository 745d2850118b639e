"""Cells: state, values, errors, limits and calls to the host."""

from __future__ import annotations

import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_mint.errors import ProviderError, SandboxError
from pytest_mint.sandbox.base import Interpreter, Limits, Sandbox
from tests.sandbox.kinds import opened


def test_cells_share_their_variables(interpreter: Interpreter) -> None:
    interpreter.execute("import math\nx = 20\ndef twice(n): return 2 * n")
    assert interpreter.execute("twice(x) + math.floor(2.5)").value == "42"


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", "2"),
        ("x = 5", ""),
        ("None", ""),
        ("print('x')", ""),
        ("'a'\n'b'", "'b'"),
        ("if True:\n    5", ""),
        ("", ""),
        ("# nothing", ""),
        ("'é\\n'", "'é\\n'"),
        ("_", "3"),
    ],
)
def test_the_last_expression_is_the_value(
    code: str, value: str, interpreter: Interpreter
) -> None:
    interpreter.execute("1 + 2")
    result = interpreter.execute(code)
    assert (result.status, result.value) == ("ok", value)


def test_streams_are_kept_apart(interpreter: Interpreter) -> None:
    result = interpreter.execute(
        "import sys\nprint('out')\nprint('err', file=sys.stderr)"
    )
    assert (result.stdout, result.stderr) == ("out\n", "err\n")


def test_output_without_newline_or_flush_is_told(interpreter: Interpreter) -> None:
    assert interpreter.execute("print('x', end='')").stdout == "x"


def test_a_traceback_shows_the_cells_lines_only(interpreter: Interpreter) -> None:
    interpreter.execute("def divide(n):\n    return 1 / n")
    error = interpreter.execute("divide(0)").error
    assert 'File "<cell 1>", line 2, in divide' in error
    assert 'File "<cell 2>", line 1, in <module>' in error
    assert error.endswith("ZeroDivisionError: division by zero")
    assert "sandbox" not in error


def test_a_syntax_error_names_its_line(interpreter: Interpreter) -> None:
    error = interpreter.execute("x = 1\nx = = 2").error
    assert 'File "<cell 1>", line 2' in error
    assert "SyntaxError" in error


def test_variables_survive_errors_exits_and_time_limits(
    interpreter: Interpreter,
) -> None:
    interpreter.execute("x = 7")
    assert interpreter.execute("raise KeyError('x')").status == "error"
    assert interpreter.execute("import sys\nsys.exit(1)").status == "ok"
    stopped = interpreter.execute("while True: pass", Limits(seconds=0.2))
    assert (stopped.status, stopped.state_lost) == ("timeout", False)
    assert interpreter.execute("x").value == "7"


def test_a_cell_that_cannot_be_interrupted_loses_the_variables(
    interpreter: Interpreter,
) -> None:
    interpreter.execute("x = 7")
    stopped = interpreter.execute(
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        Limits(seconds=0.2),
    )
    assert (stopped.status, stopped.state_lost) == ("timeout", True)
    assert "NameError" in interpreter.execute("x").error


def test_a_dead_interpreter_says_how_it_died(interpreter: Interpreter) -> None:
    result = interpreter.execute("import os\nos._exit(3)")
    assert (result.status, result.state_lost) == ("died", True)
    assert result.error == "the process ended itself with exit status 3"
    assert interpreter.execute("1 + 1").value == "2"


def test_standard_input_is_empty(interpreter: Interpreter) -> None:
    assert interpreter.execute("input()").error.endswith(
        "EOFError: EOF when reading a line"
    )


def test_memory_has_a_limit_per_cell(interpreter: Interpreter) -> None:
    limits = Limits(memory_mb=128)
    assert interpreter.execute("x = bytearray(300 << 20)", limits).status == "memory"
    assert interpreter.execute("x = bytearray(300 << 20)").status == "ok"


def test_long_output_is_cut_in_the_middle_and_said_to_be(
    interpreter: Interpreter,
) -> None:
    result = interpreter.execute(
        "print('a' * 5000); print('z' * 5000)", Limits(output_bytes=1000)
    )
    assert result.status == "ok"
    assert result.stdout.startswith("aaa")
    assert result.stdout.endswith("zzz\n")
    assert "[9002 bytes cut]" in result.stdout


def test_a_long_value_is_cut(interpreter: Interpreter) -> None:
    value = interpreter.execute("'a' * 5000", Limits(output_bytes=1000)).value
    assert value.endswith("... [4002 characters cut]")


def test_endless_output_is_stopped(interpreter: Interpreter) -> None:
    interpreter.execute("x = 1")
    result = interpreter.execute("while True: print('x' * 1000)")
    assert result.status == "output"
    assert interpreter.execute("x").value == "1"


def test_the_seed_decides_the_random_numbers(sandbox: Sandbox) -> None:
    interpreter = sandbox.open(seed=11)
    try:
        found = interpreter.execute("import random\nrandom.random()").value
    finally:
        interpreter.close()
    assert found == repr(random.Random(11).random())


def test_an_interpreter_finds_nothing_of_the_one_before(sandbox: Sandbox) -> None:
    first = sandbox.open()
    first.execute("left = 1\nopen('left', 'w').write('x')")
    first.close()
    second = sandbox.open()
    try:
        assert second.execute("'left' in globals()").value == "False"
        assert second.ls() == []
    finally:
        second.close()


def test_classes_threads_and_packages_work(interpreter: Interpreter) -> None:
    code = """
import asyncio, dataclasses, decimal, fractions, heapq, pickle, sqlite3, tempfile
import collections, datetime, itertools, json, re, statistics, string, threading, uuid

@dataclasses.dataclass
class Point:
    x: int

async def later():
    await asyncio.sleep(0)
    return 1

done = []
thread = threading.Thread(target=done.append, args=(2,))
thread.start(); thread.join()
with tempfile.TemporaryFile() as file:
    file.write(pickle.dumps(Point(3)))
    file.seek(0)
    point = pickle.load(file)
[done, point, asyncio.run(later()), sqlite3.connect(':memory:').execute('select 4')
    .fetchone()]
"""
    assert interpreter.execute(code).value == "[[2], Point(x=3), 1, (4,)]"


def test_in_the_cage_nothing_runs_between_cells() -> None:
    with opened("cage") as sandbox:
        interpreter = sandbox.open()
        interpreter.execute("""
import threading, time
ticks = []
def tick():
    while True:
        ticks.append(time.monotonic())
        time.sleep(0.001)
threading.Thread(target=tick, daemon=True).start()
time.sleep(0.01)
""")
        time.sleep(0.3)
        gaps = interpreter.execute(
            "time.sleep(0.01)\nmax(b - a for a, b in zip(ticks, ticks[1:])) > 0.2"
        )
        interpreter.close()
    assert gaps.value == "True"


# Calls to the host


def test_code_calls_functions_of_the_host(sandbox: Sandbox) -> None:
    def look_up(name: str, *, limit: int = 1) -> dict[str, Any]:
        return {"name": name, "limit": limit, "hits": [None, True, 1.5]}

    interpreter = sandbox.open({"look_up": look_up})
    try:
        result = interpreter.execute("look_up('Ada', limit=3)")
    finally:
        interpreter.close()
    assert result.value == ("{'name': 'Ada', 'limit': 3, 'hits': [None, True, 1.5]}")


@pytest.mark.parametrize(
    ("raised", "seen"),
    [
        (ValueError("no such page"), "ValueError: no such page"),
        (json.JSONDecodeError("bad", "x", 0), "RuntimeError: bad: line 1"),
        (KeyError("x"), "KeyError: "),
    ],
)
def test_an_error_of_the_host_is_raised_in_the_cell(
    raised: Exception, seen: str, sandbox: Sandbox
) -> None:
    def fail() -> None:
        raise raised

    interpreter = sandbox.open({"fail": fail})
    try:
        error = interpreter.execute("fail()").error
        caught = interpreter.execute(
            "try: fail()\nexcept Exception as problem: print('caught')"
        )
    finally:
        interpreter.close()
    assert seen in error
    assert caught.stdout == "caught\n"


def test_missing_data_on_the_host_ends_the_cell(sandbox: Sandbox) -> None:
    def fail() -> None:
        raise ProviderError("the recording has no more answers")

    interpreter = sandbox.open({"fail": fail})
    try:
        with pytest.raises(ProviderError, match="no more answers"):
            interpreter.execute("try: fail()\nexcept Exception: pass")
    finally:
        interpreter.close()


@pytest.mark.parametrize("code", ["give(object())", "give({1, 2})"])
def test_arguments_that_are_no_json_are_an_error_of_the_cell(
    code: str, sandbox: Sandbox
) -> None:
    interpreter = sandbox.open({"give": lambda thing: thing})
    try:
        assert "TypeError" in interpreter.execute(code).error
        assert interpreter.execute("give([1])").value == "[1]"
    finally:
        interpreter.close()


def test_a_result_that_is_no_json_is_an_error_of_the_function(
    sandbox: Sandbox,
) -> None:
    interpreter = sandbox.open({"give": object})
    try:
        assert "TypeError" in interpreter.execute("give()").error
    finally:
        interpreter.close()


def test_the_hosts_time_is_not_the_cells(sandbox: Sandbox) -> None:
    waited = threading.Event()
    interpreter = sandbox.open({"wait": lambda: waited.wait(1.0)})
    try:
        result = interpreter.execute("wait()\n'done'", Limits(seconds=0.5))
    finally:
        interpreter.close()
    assert result.value == "'done'"


def test_calls_from_threads_of_the_code_take_turns(sandbox: Sandbox) -> None:
    interpreter = sandbox.open({"double": lambda n: 2 * n})
    code = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool: found = list(pool.map(double, range(50)))
found == [2 * n for n in range(50)]
"""
    try:
        assert interpreter.execute(code).value == "True"
    finally:
        interpreter.close()


# Threads and the end


def test_many_threads_use_one_sandbox(sandbox: Sandbox) -> None:
    def play(number: int) -> str:
        interpreter = sandbox.open({"same": lambda n: n}, seed=number)
        try:
            interpreter.execute(f"x = {number}")
            return interpreter.execute("same(x) + same(1)").value
        finally:
            interpreter.close()

    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(play, range(24)))
    assert found == [str(number + 1) for number in range(24)]


def test_a_closed_interpreter_says_so(sandbox: Sandbox) -> None:
    interpreter = sandbox.open()
    interpreter.execute("1")
    interpreter.close()
    interpreter.close()
    with pytest.raises(SandboxError, match="closed"):
        interpreter.execute("1")


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text())
def test_any_text_comes_back_as_it_was(text: str, interpreter: Interpreter) -> None:
    interpreter.put("text", text.encode("utf-8", "surrogatepass"))
    result = interpreter.execute(f"x = {text!a}\nx")
    assert result.value == repr(text)
    assert interpreter.get("text") == text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    "code",
    [
        "os.rename(here, here + '-moved')\nopen(here, 'w').close()",
        "os.rename(here, here + '-moved')\nos.symlink('/', here)",
        "os.rmdir(here)",
    ],
    ids=["a file", "a link", "nothing"],
)
def test_whatever_stands_where_the_folder_was_an_interpreter_starts_again(
    code: str, interpreter: Interpreter
) -> None:
    interpreter.execute(f"import os\nhere = os.getcwd()\n{code}")
    assert interpreter.execute("import os\nos._exit(1)").status == "died"
    interpreter.put("file", b"x")
    assert interpreter.execute("open('file').read()").value == "'x'"
    second = interpreter.fork()
    try:
        assert second.execute("open('file').read()").value == "'x'"
    finally:
        second.close()
