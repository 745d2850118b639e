"""The stream to a worker: what it says, how it ends, and what stands between."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.errors import SandboxError
from pytest_mint.sandbox.channel import Channel
from pytest_mint.sandbox.worker.frames import HEADER, pack


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


Ends = tuple[socket.socket, socket.socket]


def test_messages_go_both_ways(ends: Ends) -> None:
    ours, theirs = (Channel(end) for end in ends)
    ours.send({"a": [1, None]})
    theirs.send({"b": "é"})
    assert theirs.receive(5) == {"a": [1, None]}
    assert ours.receive(5) == {"b": "é"}


def test_silence_is_an_error_of_the_sandbox(ends: Ends) -> None:
    with pytest.raises(SandboxError, match="does not answer"):
        Channel(ends[0]).receive(0.05)
    with pytest.raises(SandboxError, match="no reply in time"):
        Channel(ends[0]).receive(0)


def test_an_end_is_told_with_what_stood_in_the_error_file(
    ends: Ends, tmp_path: Path
) -> None:
    told = tmp_path / "errors"
    told.write_text("out of luck\n")
    ends[1].close()
    with pytest.raises(SandboxError, match="the sandbox ended: out of luck"):
        Channel(ends[0], errors=told).receive(5)


def test_nobody_reads(ends: Ends) -> None:
    ends[1].close()
    with pytest.raises(SandboxError, match="does not read"):
        Channel(ends[0]).send({})


@pytest.mark.parametrize(
    "data", [HEADER.pack(1 << 30), pack(5), HEADER.pack(2) + b"xx"], ids=repr
)
def test_nonsense_is_an_error_of_the_sandbox(data: bytes, ends: Ends) -> None:
    ends[1].sendall(data)
    with pytest.raises(SandboxError, match="the sandbox sent"):
        Channel(ends[0]).receive(5)


@given(pieces=st.lists(st.tuples(st.sampled_from([1, 2]), st.integers(1, 40))))
def test_streams_that_an_engine_interleaves_are_told_apart(
    pieces: list[tuple[int, int]],
) -> None:
    ours, theirs = socket.socketpair()
    message = {"text": "x" * 200}
    left = pack(message)
    data = b""
    for stream, size in pieces:
        piece = left[:size] if stream == 1 else b"e" * size
        left = left[size:] if stream == 1 else left
        data += struct.pack(">BxxxI", stream, len(piece)) + piece
    data += struct.pack(">BxxxI", 1, len(left)) + left
    channel = Channel(ours, multiplexed=True)
    try:
        theirs.sendall(data)
        assert channel.receive(5) == message
        theirs.close()
        errors = "e" * sum(size for stream, size in pieces if stream == 2)
        with pytest.raises(SandboxError, match=rf"ended(: {errors})?$"):
            channel.receive(5)
    finally:
        channel.close()
        theirs.close()
