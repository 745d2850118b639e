"""A real server on loopback, and a network that leads every public address to it.

The checks of addresses stay as they are: a name must resolve to a public address, and
only then is the socket, meant for that address, opened to the server.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pytest_mint.tools.web_fetch import Network

PUBLIC = "93.184.215.14"

Answer = Callable[[BaseHTTPRequestHandler], None]


class Site(ThreadingHTTPServer):
    """Answers by path; remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.lookups: list[str] = []
        self.connected: list[str] = []

    def page(self, path: str, body: bytes | str, status: int = 200, **headers: str):
        """Serve this body; a header's ``_`` stands for ``-``."""
        raw = body.encode() if isinstance(body, str) else body
        named = {"Content-Type": "text/html", "Content-Length": str(len(raw))}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in named.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(raw)

        self.answers[path] = answer

    def redirect(self, path: str, location: str, status: int = 302) -> None:
        """Send on to another place."""
        self.page(path, "", status, Location=location)

    def raw(self, path: str, write: Callable[[Any], None]) -> None:
        """Let ``write`` speak to the client as it likes."""
        self.answers[path] = lambda handler: write(handler.wfile)

    def network(self, names: dict[str, Any], **more: Any) -> Network:
        """A network in which these names have these addresses.

        Args:
            names: an address, a list of them, or a function that gives the list.
            more: other fields of Network.
        """

        def resolve(host: str, seconds: float) -> list[str]:
            self.lookups.append(host)
            found = names.get(host, [])
            found = found() if callable(found) else found
            if not found:
                raise OSError("name not known")
            return [found] if isinstance(found, str) else found

        def connect(address: Any, port: int, seconds: float) -> socket.socket:
            self.connected.append(f"{address}:{port}")
            return socket.create_connection(self.server_address[:2], timeout=seconds)

        return Network(**{"resolve": resolve, "connect": connect, **more})

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.headers.append(dict(self.headers.items()))
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.send_error(404)
        else:
            answer(self)

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def running(tls: ssl.SSLContext | None = None) -> Iterator[Site]:
    """A site that serves until the block ends."""
    site = Site()
    if tls:
        site.socket = tls.wrap_socket(site.socket, server_side=True)
    thread = threading.Thread(target=site.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield site
    finally:
        site.shutdown()
        thread.join()
        site.server_close()
