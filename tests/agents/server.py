"""A scripted endpoint on loopback: real HTTP, with every way to go wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Fault = Literal["", "close", "reset", "truncate", "hang"]


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    ``close`` ends the connection without an answer, ``reset`` breaks it, ``truncate``
    ends it half way through the body, ``hang`` never answers.
    """

    body: bytes = b"{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds before the answer
    together: int = 0  # wait until so many requests have been in flight at once
    drip: float = 0.0  # seconds between the single bytes of the body
    fault: Fault = ""


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    at: float  # time.monotonic()
    path: str
    headers: Mapping[str, str]  # names in lower case
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.raw)
        return parsed


Script = Sequence[Answer] | Callable[[Seen], Answer]


def completion(content: Any = "hello", **message: Any) -> dict[str, Any]:
    """The body of an ordinary answer, as data."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "served-model",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7},
    }


def ok(content: Any = "hello", **message: Any) -> Answer:
    return said(completion(content, **message))


def said(data: Any, status: int = 200, **answer: Any) -> Answer:
    return Answer(json.dumps(data).encode(), status, **answer)


def failed(
    status: int, text: str = "", code: str | None = None, **answer: Any
) -> Answer:
    error = {"message": text, "type": "some_error", "code": code, "param": None}
    return said({"error": error}, status, **answer)


class Server:
    """Serves ``script``, whose last answer is repeated, and keeps what was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.seen: list[Seen] = []
        self.live = 0
        self.peak = 0
        self.connections = 0
        self.url = ""
        self._tasks: set[asyncio.Task[None]] = set()

    def answer(self, seen: Seen) -> Answer:
        if callable(self.script):
            return self.script(seen)
        return self.script[min(len(self.seen), len(self.script)) - 1]

    async def connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _one(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        first = await reader.readexactly(1)
        if first == b"\x16":  # a TLS handshake; servers answer it in plain words
            writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
            return False
        rest = await reader.readuntil(b"\r\n\r\n")
        head = (first + rest).decode("latin-1").split("\r\n")
        pairs = (line.split(":", 1) for line in head[1:] if line)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        seen = Seen(time.monotonic(), head[0].split(" ")[1], headers, raw)
        self.seen.append(seen)
        self.live += 1
        self.peak = max(self.peak, self.live)
        try:
            return await self._send(self.answer(seen), writer)
        finally:
            self.live -= 1

    async def _send(self, answer: Answer, writer: asyncio.StreamWriter) -> bool:
        await asyncio.sleep(answer.delay)
        while self.peak < answer.together:
            await asyncio.sleep(0.005)
        if answer.fault == "hang":
            await asyncio.sleep(3600)
        if answer.fault == "close":
            return False
        if answer.fault == "reset":
            sock = writer.get_extra_info("socket")
            sock.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
            writer.transport.abort()
            return False
        headers = {
            "content-type": "application/json",
            "content-length": str(len(answer.body)),
            **answer.headers,
        }
        lines = [f"HTTP/1.1 {answer.status} Whatever"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        if answer.fault == "truncate":
            writer.write(answer.body[: len(answer.body) // 2])
            await writer.drain()
            return False
        if answer.drip:
            for byte in answer.body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(answer.drip)
        else:
            writer.write(answer.body)
        await writer.drain()
        return True

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@contextlib.contextmanager
def serve(*script: Answer | Callable[[Seen], Answer]) -> Iterator[Server]:
    """Serve answers in this order, or what one function makes of each request."""
    first = script[0]
    server = Server(
        first
        if not isinstance(first, Answer)
        else [answer for answer in script if isinstance(answer, Answer)]
    )
    loop = asyncio.new_event_loop()
    listener = loop.run_until_complete(
        asyncio.start_server(server.connected, "127.0.0.1", 0)
    )
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def end() -> None:
        listener.close()
        await server.stop()

    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
