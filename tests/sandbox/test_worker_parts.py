"""The worker's parts that need no process: frames, values, output, folders, sources."""

from __future__ import annotations

import ast
import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.sandbox import worker
from pytest_mint.sandbox.worker import folders, frames, plain
from pytest_mint.sandbox.worker.errors import describe
from pytest_mint.sandbox.worker.output import Kept, shortened
from pytest_mint.sandbox.worker_client import boot_program, sources

FILES = sorted(Path(str(worker.__file__)).parent.glob("*.py"))


# What travels into the sandbox


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sources_are_of_python_3_8(path: Path) -> None:
    ast.parse(path.read_text("utf-8"), feature_version=(3, 8))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sources_import_the_standard_library_and_each_other(path: Path) -> None:
    known = {name.rpartition(".")[2] for name in sources()}
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert all(not one.name.startswith("pytest_mint") for one in node.names)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pytest_"):
            assert str(node.module).startswith("pytest_mint.sandbox.worker")
            last = str(node.module).rpartition(".")[2]
            named = {one.name for one in node.names}
            assert last in known or named <= known


def test_all_sources_travel() -> None:
    assert {name.rpartition(".")[2] for name in sources()} == {
        path.stem for path in FILES
    } - {"__init__", "boot"}
    assert "def main" in boot_program()


# Frames


@given(
    messages=st.lists(st.dictionaries(st.text(), st.integers() | st.text())),
    size=st.integers(1, 50),
)
def test_messages_are_found_however_their_bytes_are_cut(
    messages: list[dict[str, Any]], size: int
) -> None:
    data = b"".join(map(frames.pack, messages))
    inbox = frames.Inbox()
    found = []
    for start in range(0, len(data), size):
        inbox.feed(data[start : start + size])
        while (message := inbox.take()) is not None:
            found.append(message)
    assert found == messages


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[1]",
        b"5",
        b"null",
        b"\xff\xff",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 100_000 + b"}",
    ],
    ids=lambda body: repr(body[:8]),
)
def test_what_is_no_object_is_refused(body: bytes) -> None:
    inbox = frames.Inbox()
    inbox.feed(frames.HEADER.pack(len(body)) + body)
    with pytest.raises(ValueError, match=r"\w"):
        inbox.take()


def test_a_frame_above_the_limit_is_refused_by_its_header() -> None:
    inbox = frames.Inbox(limit=100)
    inbox.feed(frames.HEADER.pack(101))
    with pytest.raises(ValueError, match="101 bytes"):
        inbox.take()


@pytest.mark.parametrize(("levels", "deep"), [(10, False), (298, False), (400, True)])
def test_nesting_is_measured_without_recursion(levels: int, deep: bool) -> None:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    assert frames.too_deep({"a": value}) is deep


def test_a_stream_that_ends_inside_a_frame_is_an_end() -> None:
    reader, writer = os.pipe()
    os.write(writer, frames.pack({"a": 1})[:-1])
    os.close(writer)
    try:
        with pytest.raises(EOFError):
            frames.read_frame(reader)
    finally:
        os.close(reader)


# Plain values

_keys = st.none() | st.booleans() | st.integers() | st.text() | st.tuples(st.text())
_plain = st.recursive(
    _keys | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(_keys, inner)
        | st.sets(_keys)
    ),
)


@given(value=_plain)
def test_plain_values_survive_json(value: Any) -> None:
    data = json.loads(json.dumps(plain.encode(value)))
    found = plain.decode(data)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("digits", [400, -700, 5000])
def test_large_integers_keep_every_digit(digits: int) -> None:
    value = 10**digits if digits > 0 else -(7**-digits)
    assert plain.decode(json.loads(json.dumps(plain.encode(value)))) == value


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        ["list"],
        ["list", 5],
        ["object", []],
        ["dict", [[1]]],
        ["dict", [[["list", []], 1]]],
        ["int", "x"],
        ["int", 5],
        [["list"], []],
        ["set", [["list", []]]],
        ["list", {"a": 1}],
    ],
    ids=repr,
)
def test_data_of_another_form_are_refused(data: Any) -> None:
    with pytest.raises(plain.NotPlain):
        plain.decode(data)


# Output


@given(pieces=st.lists(st.binary(max_size=300)), limit=st.integers(2, 200))
def test_both_ends_of_a_stream_are_kept(pieces: list[bytes], limit: int) -> None:
    kept = Kept(limit)
    for piece in pieces:
        kept.add(piece)
    whole = b"".join(pieces)
    assert kept.total == len(whole)
    half = limit // 2
    head = whole[:half].decode("utf-8", "backslashreplace")
    if len(whole) <= 2 * half:
        assert kept.text() == whole.decode("utf-8", "backslashreplace")
    elif whole.isascii():
        assert kept.text() == (
            f"{head}\n... [{len(whole) - 2 * half} bytes cut] ...\n"
            + whole[-half:].decode()
        )


def test_a_shortened_text_says_how_much_is_missing() -> None:
    assert shortened("abcdef", 4) == "abcd... [2 characters cut]"
    assert shortened("abcd", 4) == "abcd"


def test_an_error_is_told_without_our_own_frames() -> None:
    code = compile("def ours(f): f()", "<sandbox>/x.py", "exec")
    names: dict[str, Any] = {}
    exec(code, names)
    try:
        names["ours"](lambda: 1 / 0)
    except ZeroDivisionError as problem:
        told = describe(problem)
    assert "<sandbox>" not in told
    assert told.endswith("ZeroDivisionError: division by zero")


# Folders


def test_a_hostile_tree_is_wiped(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("x")
    top = tmp_path / "top"
    deep = top / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    (top / "link").symlink_to(kept)
    (top / "folder").symlink_to(tmp_path)
    os.mkfifo(top / "pipe")
    for path in (deep, deep.parent):
        path.chmod(0)
    assert folders.wipe(str(top))
    assert list(top.iterdir()) == []
    assert kept.read_text() == "x"


def test_a_very_deep_tree_is_wiped(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1500):  # no path is as long as this tree is deep
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    assert folders.wipe(str(tmp_path), seconds=60)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_there_is_clean_and_what_is_no_folder_is_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    assert folders.wipe(str(tmp_path / "nothing"))
    assert not folders.wipe(str(tmp_path / "file"))
    assert not folders.wipe(str(tmp_path / "link"))


def test_a_tree_exceeds_by_size_number_or_depth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100_000)
    assert folders.exceeds(str(tmp_path), 50_000)
    assert not folders.exceeds(str(tmp_path), 1 << 20)
    monkeypatch.setattr(folders, "MAX_ENTRIES", 0)
    assert folders.exceeds(str(tmp_path), 1 << 20)
    monkeypatch.setattr(folders, "MAX_ENTRIES", 100)
    monkeypatch.setattr(folders, "MAX_LEVELS", 1)
    (tmp_path / "a/b/c").mkdir(parents=True)
    assert folders.exceeds(str(tmp_path), 1 << 20)


def test_a_copy_leaves_out_what_is_no_file(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    (source / "d").mkdir(parents=True)
    (source / "d/file").write_text("x")
    (source / "link").symlink_to("d/file")
    os.mkfifo(source / "pipe")
    folders.copy(str(source), str(target))
    assert sorted(path.name for path in target.iterdir()) == ["d", "link"]
    assert (target / "link").read_text() == "x"
    assert stat.S_ISLNK((target / "link").lstat().st_mode)


def test_a_copy_of_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/file").touch()
    monkeypatch.setattr(folders, "MAX_ENTRIES", 0)
    with pytest.raises(OSError, match="too many files") as caught:
        folders.copy(str(tmp_path / "a"), str(tmp_path / "b"))
    assert caught.value.errno != errno.ENOENT
