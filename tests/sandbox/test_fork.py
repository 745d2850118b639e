"""The second interpreter continues where the first stands, and goes its own way."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mint.sandbox.base import Interpreter, Limits, Sandbox
from tests.sandbox.kinds import opened

DIE = "import os\nos._exit(1)"
HANG = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"


def test_both_have_the_variables_and_the_random_numbers(
    interpreter: Interpreter,
) -> None:
    interpreter.execute("import random\nx = [1]\nrandom.random()")
    second = interpreter.fork()
    try:
        code = "x, [random.random() for _ in range(3)], random.gauss(0, 1)"
        assert second.execute(code).value == interpreter.execute(code).value
    finally:
        second.close()


def test_what_one_changes_the_other_does_not_see(interpreter: Interpreter) -> None:
    interpreter.execute("x = [1]\nopen('notes', 'w').write('first')")
    second = interpreter.fork()
    try:
        second.execute("x.append(2)\nopen('notes', 'w').write('second')")
        assert interpreter.execute("x, open('notes').read()").value == "([1], 'first')"
        assert second.execute("x, open('notes').read()").value == "([1, 2], 'second')"
        assert second.get("notes") == b"second"
        assert interpreter.get("notes") == b"first"
    finally:
        second.close()


def test_folders_and_links_are_copied(interpreter: Interpreter) -> None:
    interpreter.put("a/b/c.txt", b"deep")
    interpreter.execute("import os\nos.symlink('a/b/c.txt', 'link')")
    second = interpreter.fork()
    try:
        assert second.execute("open('link').read(), sorted(os.listdir())").value == (
            "('deep', ['a', 'link'])"
        )
    finally:
        second.close()


@pytest.mark.parametrize("code", [DIE, HANG], ids=["dies", "hangs"])
@pytest.mark.parametrize("who", [0, 1], ids=["first", "second"])
def test_the_end_of_one_is_not_the_others(
    who: int, code: str, interpreter: Interpreter
) -> None:
    interpreter.execute("x = 5")
    both = [interpreter, interpreter.fork()]
    try:
        assert both[who].execute(code, Limits(seconds=0.2)).state_lost
        assert both[1 - who].execute("x").value == "5"
        assert "NameError" in both[who].execute("x").error
    finally:
        both[1].close()


def test_either_may_be_closed_first(sandbox: Sandbox) -> None:
    for closed in (0, 1):
        first = sandbox.open()
        first.execute("x = 1")
        both = [first, first.fork()]
        both[closed].close()
        assert both[1 - closed].execute("x").value == "1"
        both[1 - closed].close()


def test_an_interpreter_that_never_ran_can_fork(interpreter: Interpreter) -> None:
    second = interpreter.fork()
    try:
        assert second.execute("1 + 1").value == "2"
    finally:
        second.close()


def test_a_fork_can_fork(interpreter: Interpreter) -> None:
    interpreter.execute("x = 1")
    second = interpreter.fork()
    second.execute("x = 2")
    third = second.fork()
    second.close()
    try:
        assert third.execute("x").value == "2"
        assert interpreter.execute("x").value == "1"
    finally:
        third.close()


def test_both_call_the_host(sandbox: Sandbox) -> None:
    first = sandbox.open({"double": lambda n: 2 * n})
    first.execute("x = double(1)")
    second = first.fork()
    try:
        assert second.execute("double(x)").value == "4"
        assert first.execute("double(x)").value == "4"
    finally:
        second.close()
        first.close()


def test_functions_that_were_replaced_do_not_stop_a_fork(
    interpreter: Interpreter,
) -> None:
    interpreter.execute(
        "import os, random\nos.fork = os._exit = None\nrandom.getstate = None\nx = 3"
    )
    second = interpreter.fork()
    try:
        assert second.execute("x").value == "3"
    finally:
        second.close()


def test_one_that_cannot_fork_is_told_by_the_first_cell_of_the_second(
    interpreter: Interpreter,
) -> None:
    interpreter.put("kept", b"1")
    interpreter.execute("""
import sys
x = 1
frame = sys._getframe()
while frame:
    if "_fork" in frame.f_globals: frame.f_globals["_fork"] = None
    frame = frame.f_back
""")
    second = interpreter.fork()
    try:
        first_cell = second.execute("import os\n'x' in globals(), os.listdir()")
        assert (first_cell.state_lost, first_cell.value) == (True, "(False, [])")
        assert not second.execute("1").state_lost
    finally:
        second.close()


def test_a_planted_link_does_not_lead_the_copy_out(tmp_path: Path) -> None:
    with opened("cage") as sandbox:
        first = sandbox.open()
        first.put("file", b"x")
        first.execute(f"import os\nos.symlink({str(tmp_path)!r}, '../work-2')\nx = 1")
        second = first.fork()
        try:
            assert second.execute("1 + 1").value == "2"
            assert list(tmp_path.iterdir()) == []
        finally:
            second.close()
            first.close()


def test_in_the_cage_code_cannot_fork_by_itself() -> None:
    with opened("cage") as sandbox:
        first = sandbox.open()
        second = first.fork()
        try:
            for one in (first, second):
                assert "PermissionError" in one.execute("import os\nos.fork()").error
        finally:
            second.close()
            first.close()
