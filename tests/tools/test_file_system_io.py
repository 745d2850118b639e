from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.sandbox.base import Interpreter, Sandbox
from pytest_mint.tools.arguments import check
from pytest_mint.tools.base import Context, ToolError
from pytest_mint.tools.file_system_io import MAX_FILE, MAX_NAME, TOOL, normalise
from pytest_mint.tools.python_interpreter import run_cell
from tests.tools.context import context
from tests.tools.sandbox import opened


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with opened() as one:
        yield one


@pytest.fixture
def interpreter(sandbox: Sandbox) -> Iterator[Interpreter]:
    one = sandbox.open()
    yield one
    one.close()


@pytest.fixture
def files(interpreter: Interpreter) -> Context:
    return context(interpreter=lambda: interpreter)


def _do(files: Context, operation: str, path: str = "", **more) -> str:
    arguments = {"operation": operation, **({"path": path} if path else {}), **more}
    check(arguments, TOOL.parameters)
    return TOOL.run(arguments, files)


def test_what_is_written_can_be_read(files):
    assert _do(files, "write", "a.txt", content="né\n") == "wrote 4 bytes to a.txt"
    assert _do(files, "read", "a.txt") == "né\n"


def test_writing_again_replaces_the_file(files):
    _do(files, "write", "a.txt", content="a long first text")
    _do(files, "write", "a.txt", content="short")
    assert _do(files, "read", "a.txt") == "short"


def test_appending_adds_to_the_end_and_makes_the_file_where_there_is_none(files):
    assert _do(files, "append", "log", content="1\n") == (
        "appended 2 bytes to log, which now has 2"
    )
    _do(files, "append", "log", content="2\n")
    assert _do(files, "read", "log") == "1\n2\n"


def test_folders_are_made_as_needed_and_listed_with_a_slash(files):
    _do(files, "write", "data/deep/a.csv", content="x")
    _do(files, "write", "b.txt", content="x")
    assert _do(files, "list") == "b.txt\ndata/"
    assert _do(files, "list", ".") == "b.txt\ndata/"
    assert _do(files, "list", "data/") == "deep/"
    assert _do(files, "list", "data//./deep") == "a.csv"


def test_an_empty_folder_and_an_empty_file_say_so(files):
    assert _do(files, "list") == "[the folder is empty]"
    _do(files, "write", "a", content="")
    assert _do(files, "read", "a") == "[the file is empty]"


def test_what_is_deleted_is_gone(files):
    _do(files, "write", "a.txt", content="x")
    assert _do(files, "delete", "a.txt") == "deleted a.txt"
    with pytest.raises(ToolError, match=r"there is no a\.txt; here there is nothing"):
        _do(files, "read", "a.txt")


def test_an_empty_folder_can_be_deleted_and_a_full_one_cannot(files):
    _do(files, "write", "data/a", content="x")
    with pytest.raises(ToolError, match=r"cannot delete data: .*not empty"):
        _do(files, "delete", "data")
    _do(files, "delete", "data/a")
    assert _do(files, "delete", "data") == "deleted data"


def test_code_and_tool_see_the_same_files(files, interpreter):
    _do(files, "write", "in.txt", content="21")
    code = "n = int(open('in.txt').read())\nprint(2*n, file=open('out.txt', 'w'))"
    done = interpreter.execute(code)
    assert done.status == "ok"
    assert _do(files, "read", "out.txt") == "42\n"


def test_a_file_that_is_not_there_is_answered_with_those_that_are(files):
    _do(files, "write", "data/a.csv", content="x")
    _do(files, "write", "data/b.csv", content="x")
    with pytest.raises(ToolError) as caught:
        _do(files, "read", "data/c.csv")
    assert (
        str(caught.value) == "there is no data/c.csv; in data there are: a.csv, b.csv"
    )
    with pytest.raises(ToolError, match=r"^there is no other/c\.csv$"):
        _do(files, "read", "other/c.csv")


def test_a_long_file_comes_in_parts(files):
    lines = [f"line {n}, of a long file" for n in range(500)]
    _do(files, "write", "long", content="\n".join(lines))
    read = [_do(files, "read", "long", part=part) for part in (1, 2, 3)]
    assert "[part 1 of 3; for the next give part=2]" in read[0]
    assert all(sum(line in one for one in read) == 1 for line in lines)
    with pytest.raises(ToolError, match="part 4 of long: expected 1 to 3"):
        _do(files, "read", "long", part=4)


def test_bytes_that_are_no_text_are_left_to_code(files, interpreter):
    interpreter.put("image", b"\x89PNG\xff")
    with pytest.raises(ToolError, match="holds 5 bytes that are no UTF-8 text"):
        _do(files, "read", "image")


def test_a_file_has_a_limit_when_written_and_when_appended_to(files):
    _do(files, "write", "big", content="x" * MAX_FILE)
    with pytest.raises(ToolError, match=f"would have {MAX_FILE + 1} bytes"):
        _do(files, "append", "big", content="x")
    with pytest.raises(ToolError, match="at most 1048576"):
        _do(files, "write", "big", content="x" * (MAX_FILE + 1))
    with pytest.raises(ToolError, match="at most 1048576"):
        _do(files, "write", "big", content="é" * (MAX_FILE // 2 + 1))


def test_code_that_runs_is_sent_to_its_own_files_and_does_not_wait_for_ever(sandbox):
    def call(operation: str, path: str) -> str:
        return TOOL.run({"operation": operation, "path": path}, there)

    interpreter = sandbox.open({"file_system_io": call})
    there = context(interpreter=lambda: interpreter)
    try:
        interpreter.put("a.txt", b"x")
        with pytest.raises(ToolError, match=r"code reads and .*: use open\('a\.txt'\)"):
            run_cell("file_system_io('read', 'a.txt')", there)
        assert run_cell("open('a.txt').read()", there) == "'x'"
        assert call("read", "a.txt") == "x"
    finally:
        interpreter.close()


ESCAPES = {
    "/etc/passwd": "relative",
    "//etc/passwd": "relative",
    "~/.ssh/id_rsa": "relative",
    "~root/x": "relative",
    "C:/windows": "relative",
    "c:evil": "relative",
    "..": "stay below",
    "../x": "stay below",
    "a/../../x": "stay below",
    "a/..": "stay below",
    "./../x": "stay below",
    "..\\x": "backslash",
    "\\\\server\\share": "backslash",
    "a\\b": "backslash",
    "a\x00b": "control characters",
    "\x00": "control characters",
    "a\nb": "control characters",
    "a\x7f": "control characters",
    "\ud800": "control characters",
    "x" * (MAX_NAME + 1): "too long",
    "é" * (MAX_NAME // 2 + 1): "too long",
    "a/" * 600 + "b": "too long",
}


@pytest.mark.parametrize("operation", ["read", "write", "append", "list", "delete"])
@pytest.mark.parametrize("path", ESCAPES, ids=ascii)
def test_a_path_out_of_the_folder_is_refused_before_the_sandbox_hears_it(
    operation, path
):
    with pytest.raises(ToolError) as caught:
        _do(context(), operation, path, content="x")
    assert ESCAPES[path] in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("operation", ["read", "write", "append", "delete"])
@pytest.mark.parametrize("path", ["", ".", "./", "./."])
def test_an_operation_on_a_file_needs_one(operation, path):
    with pytest.raises(ToolError, match="the argument 'path' is missing"):
        _do(context(), operation, path, content="x")


@pytest.mark.parametrize("operation", ["write", "append"])
def test_writing_needs_a_content(files, operation):
    with pytest.raises(ToolError, match="the argument 'content' is missing"):
        _do(files, operation, "a")


def test_an_unknown_operation_is_answered_with_the_known_ones():
    with pytest.raises(ToolError, match="must be one of read, write, append, list"):
        _do(context(), "chmod", "a")
    with pytest.raises(ToolError, match="there are read, write, append, list, delete"):
        TOOL.run({"operation": "chmod"}, context())


LINKS = """
import os
os.symlink("/etc/passwd", "file_link")
os.symlink("/etc", "folder_link")
os.symlink("/", "root")
"""


@pytest.mark.parametrize(
    ("operation", "path"),
    [
        ("read", "file_link"),
        ("write", "file_link"),
        ("append", "file_link"),
        ("read", "folder_link/passwd"),
        ("write", "folder_link/new"),
        ("delete", "folder_link/passwd"),
        ("list", "folder_link"),
        ("list", "root/etc"),
        ("read", "root/etc/passwd"),
    ],
)
def test_a_link_out_of_the_folder_is_not_followed(files, interpreter, operation, path):
    assert interpreter.execute(LINKS).status == "ok"
    with pytest.raises(ToolError) as caught:
        _do(files, operation, path, content="x")
    assert "root:" not in str(caught.value)


def test_a_link_itself_can_be_deleted(files, interpreter):
    interpreter.execute(LINKS)
    assert _do(files, "delete", "file_link") == "deleted file_link"
    assert "file_link" not in _do(files, "list")


@pytest.mark.parametrize(
    ("setup", "operation", "path"),
    [
        ("os.mkdir('d')", "read", "d"),
        ("os.mkdir('d')", "write", "d"),
        ("open('f', 'w').close()", "list", "f"),
        ("open('f', 'w').close()", "read", "f/g"),
        ("open('f', 'w').close()", "write", "f/g"),
    ],
)
def test_a_folder_is_no_file_and_a_file_no_folder(
    files, interpreter, setup, operation, path
):
    assert interpreter.execute(f"import os; {setup}").status == "ok"
    with pytest.raises(ToolError):
        _do(files, operation, path, content="x")


@given(st.text(max_size=60))
def test_a_path_that_is_taken_stays_below_the_folder(path):
    try:
        plain = normalise(path)
    except ToolError:
        return
    assert not plain.startswith("/")
    assert not {"", ".", ".."} & set(plain.split("/")) or plain == ""
    assert normalise(plain) == plain
