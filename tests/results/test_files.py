from __future__ import annotations

import json
import os
import stat
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.errors import UserError
from pytest_mint.results.files import Journal, Lines, read_lines, to_line, write_json

needs_full = pytest.mark.skipif(
    not os.path.exists("/dev/full"),  # noqa: PTH110
    reason="there is no /dev/full here",
)
TEXT = st.text(st.characters(exclude_categories=())) | st.just("\ud800 \0 \u2028")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=8,
)


@given(st.dictionaries(TEXT, JSON))
def test_a_line_is_ascii_and_read_back_as_it_was(data):
    line = to_line(data)
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert json.loads(line) == data


def test_lines_are_read_back_with_their_numbers(tmp_path):
    path = tmp_path / "a.jsonl"
    for n in range(3):
        lines = Lines(path)
        lines.add(to_line({"n": n}))
        lines.close()
    assert list(read_lines(path)) == [(1, {"n": 0}), (2, {"n": 1}), (3, {"n": 2})]


def test_lines_of_many_threads_are_whole(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = Lines(path)
    text = "x" * 100_000

    def write(number):
        for n in range(20):
            lines.add(to_line({"thread": number, "n": n, "text": text}))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines.close()
    found = [(value["thread"], value["n"]) for _, value in read_lines(path)]
    assert sorted(found) == [(number, n) for number in range(8) for n in range(20)]
    for number in range(8):
        assert [n for thread, n in found if thread == number] == list(range(20))


def test_after_a_torn_line_writing_goes_on_in_a_new_one(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":')
    lines = Lines(path)
    lines.add(to_line({"n": 3}))
    lines.close()
    assert path.read_bytes() == b'{"n":1}\n{"n":\n{"n":3}\n'


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (b"", []),
        (b"\n\n", []),
        (b'{"n":1}\n', [1]),
        (b'{"n":1}', [1]),
        (b'{"n":1}\n{"n":2', [1]),
        (b'{"n":1}\n{"n":2\n', [1]),
        (b'{"n":1}\n\xff\xfe', [1]),
        (b'{"n":1}\n' + b"\0" * 4096, [1]),
        (b'{"n":1}\n{"n"' + b"\0" * 4096, [1]),
        (b'{"n":1}\n' + b"\0" * 99 + b'\n{"n":2}\n', [1, 2]),
        (b'{"n":1}\n' + b"\0" * 99 + b'{"n":2}\n', [1, 2]),
        (b'{"n":1}\r\n{"n":2}\r\n', [1, 2]),
        (b'{"n":1}\n' + b"[" * 100_000, [1]),
    ],
)
def test_a_torn_end_and_nul_bytes_are_left_out(tmp_path, text, values):
    path = tmp_path / "a.jsonl"
    path.write_bytes(text)
    assert [value["n"] for _, value in read_lines(path)] == values


@pytest.mark.parametrize("bad", [b'{"n":', b"\xff", b"nonsense", b"[" * 100_000])
def test_a_bad_line_elsewhere_is_named(tmp_path, bad):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":1}\n' + bad + b'\n{"n":3}\n')
    with pytest.raises(UserError, match=r"a\.jsonl, line 2: no JSON value"):
        list(read_lines(path))


def test_a_json_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "new" / "folder" / "summary.json"
    write_json(path, {"text": "\ud800 é", "n": None})
    write_json(path, {"text": "\ud800 é", "n": 1})
    assert json.loads(path.read_text(encoding="ascii")) == {"text": "\ud800 é", "n": 1}
    assert [one.name for one in path.parent.iterdir()] == ["summary.json"]


def test_a_json_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "summary.json"
    write_json(path, {"n": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"n": float("nan")})
    path.parent.joinpath(f".summary.json.{os.getpid()}.tmp").mkdir()
    with pytest.raises(OSError, match=r"\.tmp"):
        write_json(path, {"n": 2})
    assert json.loads(path.read_text()) == {"n": 1}


@pytest.mark.skipif(sys.platform == "win32", reason="file modes and links of POSIX")
def test_a_json_file_keeps_links_and_has_ordinary_rights(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "summary.json"
    link.symlink_to(tmp_path / "real" / "summary.json")
    write_json(link, {"n": 1})
    assert link.is_symlink()
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(link.stat().st_mode) == 0o666 & ~umask


@needs_full
def test_a_device_is_written_to_and_not_replaced(tmp_path):
    link = tmp_path / "out"
    link.symlink_to("/dev/null")
    write_json(link, {"n": 1})
    assert link.is_symlink()
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116


def test_a_journal_is_on_disk_before_write_returns(tmp_path):
    path = tmp_path / "gw0.jsonl"
    warnings: list[str] = []
    with Journal(path, warnings.append) as journal:
        for n in range(3):
            journal.write({"n": n, "text": "\udc80"})
            kept = [value for _, value in read_lines(path)]
            assert kept[-1] == {"n": n, "text": "\udc80"}
            assert len(kept) == n + 1
        journal.close()
        journal.close()
        journal.write({"n": 3})
    assert [value["n"] for _, value in read_lines(path)] == [0, 1, 2, 3]
    assert warnings == []


@needs_full
def test_a_journal_on_a_full_disk_warns_once_and_goes_on(tmp_path):
    path = tmp_path / "gw0.jsonl"
    path.symlink_to("/dev/full")
    warnings: list[str] = []
    with Journal(path, warnings.append) as journal:
        for n in range(3):
            journal.write({"n": n})
    (warning,) = warnings
    assert f"cannot write the journal {path}: No space left on device" in warning


def test_a_journal_without_a_folder_begins_when_there_is_one(tmp_path):
    path = tmp_path / "later" / "gw0.jsonl"
    warnings: list[str] = []
    with Journal(path, warnings.append) as journal:
        journal.write({"n": 0})
        path.parent.mkdir()
        journal.write({"n": 1})
    assert len(warnings) == 1
    assert [value["n"] for _, value in read_lines(path)] == [1]
