"""Files of the working folder, and the ways out of it that are shut."""

from __future__ import annotations

import pytest

from pytest_mint.sandbox.base import Interpreter


def test_a_file_is_written_read_listed_and_removed(interpreter: Interpreter) -> None:
    interpreter.put("a/b.bin", bytes(range(256)))
    interpreter.put("c.txt", b"x")
    assert interpreter.get("a/b.bin") == bytes(range(256))
    assert interpreter.ls() == ["a/", "c.txt"]
    assert interpreter.ls("a") == ["b.bin"]
    interpreter.remove("a/b.bin")
    interpreter.remove("a")
    assert interpreter.ls() == ["c.txt"]


def test_the_code_sees_the_same_folder(interpreter: Interpreter) -> None:
    interpreter.put("given.txt", b"42")
    assert interpreter.execute("open('given.txt').read()").value == "'42'"
    interpreter.execute("open('made.txt', 'w').write('7')")
    assert interpreter.get("made.txt") == b"7"


OUT = [
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a/b/c/../../../../x",
    "link",
    "folder/passwd",
    "self/self/link",
    "pipe",
    "x\0y",
    "",
    ".",
    "a",
]


@pytest.mark.parametrize("path", OUT)
@pytest.mark.parametrize("operation", ["get", "put"])
def test_no_path_leads_out(operation: str, path: str, interpreter: Interpreter) -> None:
    interpreter.execute("""
import os
os.makedirs("a/b/c")
os.symlink("/etc/passwd", "link")
os.symlink("/etc", "folder")
os.symlink(".", "self")
try: os.mkfifo("pipe")
except OSError: os.symlink("/dev/zero", "pipe")
""")
    arguments = (path,) if operation == "get" else (path, b"x")
    with pytest.raises(OSError, match=r"\w"):
        getattr(interpreter, operation)(*arguments)


def test_a_link_is_removed_not_what_it_points_to(interpreter: Interpreter) -> None:
    interpreter.execute("import os\nopen('kept', 'w').close()\nos.symlink('kept', 'l')")
    interpreter.remove("l")
    assert interpreter.ls() == ["kept"]


@pytest.mark.parametrize(
    ("path", "error"),
    [("nothing", FileNotFoundError), ("", PermissionError), ("full", OSError)],
)
def test_removing_fails_with_the_usual_error(
    path: str, error: type[OSError], interpreter: Interpreter
) -> None:
    interpreter.put("full/x", b"")
    with pytest.raises(error):
        interpreter.remove(path)


def test_a_file_too_large_to_read_is_an_error(interpreter: Interpreter) -> None:
    interpreter.execute("open('big', 'wb').write(b'x' * (9 << 20))")
    with pytest.raises(OSError, match="more than 8388608 bytes"):
        interpreter.get("big")


def test_a_folder_of_very_many_files_is_not_listed(interpreter: Interpreter) -> None:
    interpreter.execute("for n in range(1001): open(str(n), 'w').close()")
    with pytest.raises(OSError, match="more than 1000 entries"):
        interpreter.ls()
