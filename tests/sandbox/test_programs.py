"""Programs that run once: a function's result, or a script's output."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_mint.sandbox.base import Limits, Sandbox
from tests.sandbox.conftest import KINDS
from tests.sandbox.kinds import opened

SAME = "def same(x):\n    return x"

_atoms = st.none() | st.booleans() | st.integers() | st.text() | st.floats()
_keys = st.none() | st.booleans() | st.integers() | st.text()
_values = st.recursive(
    _atoms,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(_keys, inner)
        | st.sets(_keys)
    ),
    max_leaves=10,
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(value=_values)
def test_plain_values_go_in_and_come_out_as_they_were(
    value: Any, sandbox: Sandbox
) -> None:
    result = sandbox.call(SAME, "same", [value])
    assert result.status == "ok"
    assert result.plain
    assert repr(result.value) == repr(value) or result.value == value
    assert type(result.value) is type(value)


@pytest.mark.parametrize(
    "code",
    [
        "object()",
        "1j",
        "b'x'",
        "range(3)",
        "type('L', (list,), {})()",
        "[type('I', (int,), {})(1)]",
        "{'a': frozenset()}",
        "lambda: 1",
        "__import__('decimal').Decimal(1)",
        "[None] * (1 << 21)",
    ],
)
def test_other_values_are_not_plain(code: str, sandbox: Sandbox) -> None:
    result = sandbox.call(f"def f():\n    return {code}", "f", [])
    assert (result.status, result.plain, result.value) == ("ok", False, None)
    assert "returned a value" in result.error


def test_a_value_in_a_circle_is_not_plain(sandbox: Sandbox) -> None:
    result = sandbox.call(
        "def f():\n    x = []\n    x.append(x)\n    return x", "f", []
    )
    assert (result.status, result.plain) == ("ok", False)


def test_arguments_that_changed_come_back(sandbox: Sandbox) -> None:
    result = sandbox.call("def f(a, b):\n    a.append(b)", "f", [[1], 2])
    assert (result.value, result.arguments) == (None, [[1, 2], 2])


def test_what_a_call_prints_is_no_result(sandbox: Sandbox) -> None:
    result = sandbox.call("def f():\n    print(5)", "f", [])
    assert (result.value, result.stdout) == (None, "5\n")


@pytest.mark.parametrize(
    ("program", "status", "error"),
    [
        ("def f():\n    return 1 / 0", "error", "ZeroDivisionError: division by zero"),
        ("x = = 1", "error", "SyntaxError: invalid syntax"),
        ("def g(): pass", "error", "NameError: there is no function f"),
        ("f = 5", "error", "NameError: there is no function f"),
        ("import sys\nsys.exit(0)", "error", "SystemExit: 0"),
        ("def f():\n    return bytearray(4 << 30)", "memory", "MemoryError"),
        ("def f():\n    while True: pass", "timeout", ""),
        ("def f():\n    while True: print('x' * 1000)", "output", ""),
        ("import os\nos._exit(0)", "died", "exit status 0"),
        ("import os\ndef f(): os.abort()", "died", "signal SIGABRT"),
        ("def f():\n    print(input())", "error", "EOFError: EOF when reading a line"),
    ],
)
def test_how_a_program_ends(
    program: str, status: str, error: str, sandbox: Sandbox
) -> None:
    result = sandbox.call(program, "f", [], Limits(seconds=1.0))
    assert result.status == status
    assert result.error.endswith(error)


def test_every_run_has_a_process_and_a_folder_of_its_own(sandbox: Sandbox) -> None:
    program = """
import os, sys
seen = os.path.exists("left") or hasattr(sys, "left")
sys.left = 1
open("left", "w").close()
def f():
    return seen
"""
    runs = [sandbox.call(program, "f", []).value for _ in range(3)]
    assert runs == [False, False, False]


def test_a_script_reads_its_input(sandbox: Sandbox) -> None:
    result = sandbox.script(
        "import sys\nprint(input())\nprint(repr(sys.stdin.read()))",
        stdin="é\nrest\n",
    )
    assert result.stdout == "é\n'rest\\n'\n"


def test_a_long_input_is_read_whole(sandbox: Sandbox) -> None:
    text = "x" * 3_000_000
    result = sandbox.script("import sys\nprint(len(sys.stdin.read()))", stdin=text)
    assert result.stdout == "3000000\n"


@pytest.mark.parametrize(
    ("module", "name"), [("__main__", "__main__"), ("builtins", "builtins")]
)
def test_a_script_has_the_name_asked_for(
    module: str, name: str, sandbox: Sandbox
) -> None:
    assert sandbox.script("print(__name__)", module=module).stdout == f"{name}\n"


@pytest.mark.parametrize(
    "ending",
    [
        "import os\nos._exit(0)",
        "import sys\nsys.exit(0)",
        "exit()",
        "raise SystemExit",
        "import os\nos.kill(os.getpid(), 15)",
    ],
)
def test_a_script_that_leaves_early_did_not_end(ending: str, sandbox: Sandbox) -> None:
    assert sandbox.script(f"print('x')\n{ending}\nprint('y')").status != "ok"


def test_a_module_of_the_script_is_found_by_pickle(sandbox: Sandbox) -> None:
    program = """
import pickle
class Thing: pass
print(type(pickle.loads(pickle.dumps(Thing()))) is Thing)
"""
    assert sandbox.script(program).stdout == "True\n"


def test_output_is_bounded_even_for_a_script(sandbox: Sandbox) -> None:
    result = sandbox.script(
        "print('\\x00' * 9_000_000)", Limits(output_bytes=64_000_000)
    )
    assert result.status == "ok"
    assert "bytes cut" in result.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_a_set_is_the_same_in_every_worker(kind: str) -> None:
    program = (
        "def order():\n    return list({'red', 'green', 'blue', 'black', 'white'})"
    )
    orders = set()
    for _ in range(3):
        with opened(kind) as sandbox:
            orders.add(tuple(sandbox.call(program, "order", []).value))
    assert len(orders) == 1
