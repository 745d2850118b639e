"""One web page over HTTP, with hard limits and only from where it is allowed.

The name of a host is looked up once per request and the socket goes to the address
that was checked, so an answer that changes between check and use changes nothing.
Every redirect is a new request that passes every check again. That is why the socket
is opened here and handed to the standard library's HTTP, which then only speaks on it.
"""

from __future__ import annotations

import http.client
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import Message
from urllib.parse import urljoin

from pytest_mint import __version__
from pytest_mint.errors import ProviderError
from pytest_mint.tools.base import ToolError
from pytest_mint.tools.web_address import (
    PAGES_HOST,
    Address,
    Target,
    check_addresses,
    read_url,
)

AGENT = f"pytest-mint/{__version__} (+https://pypi.org/project/pytest-mint)"
MAX_REDIRECTS = 3
MAX_BYTES = 2 * 1024 * 1024
#: Seconds for all requests of one page together, and for one connection.
SECONDS, CONNECT_SECONDS = 10.0, 4.0
REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Page:
    """What a server sent."""

    url: str
    kind: str  # the media type, such as text/html
    charset: str  # as the server says, or ""
    body: bytes


@dataclass(frozen=True)
class Network:
    """The three ways in which a fetch touches the world.

    Attributes:
        resolve: the addresses of a host, within so many seconds; OSError if it has
            none, TimeoutError if nobody answers.
        connect: a socket to an address and port, within so many seconds, or OSError.
        trust: whose certificates are believed.
    """

    resolve: Callable[[str, float], Sequence[str]]
    connect: Callable[[Address, int, float], socket.socket]
    trust: Callable[[], ssl.SSLContext] = ssl.create_default_context


def _resolve(host: str, seconds: float) -> list[str]:
    """The system's answer; it knows no time limit, so a thread waits for it."""
    answers: queue.Queue[list[str] | OSError] = queue.Queue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            answers.put([str(one[4][0]) for one in found])
        except (OSError, UnicodeError) as error:
            answers.put(OSError(str(error)))

    threading.Thread(target=ask, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError("no answer") from None
    if isinstance(answer, OSError):
        raise answer
    return answer


def _connect(address: Address, port: int, seconds: float) -> socket.socket:
    return socket.create_connection((str(address), port), timeout=seconds)


NETWORK = Network(_resolve, _connect)


def fetch(
    url: str,
    hosts: Collection[str],
    network: Network = NETWORK,
    seconds: float = SECONDS,
) -> Page:
    """The page at a URL.

    Args:
        url: what the agent asks for; untrusted, as is every redirect.
        hosts: the hosts that may be read.
        network: how names are resolved and sockets opened.
        seconds: for all of it together.

    Raises:
        ToolError: it is not allowed, no page, too large or too slow.
        ProviderError: a host that is allowed has no address or accepts no connection,
            which no agent could mend: missing data.
    """
    deadline = time.monotonic() + seconds
    for _ in range(MAX_REDIRECTS + 1):
        target = read_url(url)
        if not target.is_allowed(hosts):
            raise ToolError(_not_allowed(target, hosts))
        with _connected(target, network, deadline) as connection:
            answer = _request(connection, target, deadline)
        if isinstance(answer, Page):
            return answer
        url = _join(target.url, answer)
    raise ToolError(f"more than {MAX_REDIRECTS} redirects, the last one to {url[:200]}")


def _join(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:  # brackets that do not match
        raise ToolError(f"a redirect to no URL: {location[:200]!r}") from None


def _not_allowed(target: Target, hosts: Collection[str]) -> str:
    listed = ", ".join(sorted({*hosts, PAGES_HOST}))
    return f"{target.netloc} may not be read; hosts that may: {listed}"


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise ToolError("the page took too long and was given up")
    return left


@contextmanager
def _connected(
    target: Target, network: Network, deadline: float
) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.auto_open = 0  # never a socket of its own making
    raw = _open(target, network, deadline)
    try:
        with _cut_off(raw, deadline):
            connection.sock = _secure(raw, target, network, deadline)
            yield connection
    finally:
        connection.close()
        raw.close()


def _open(target: Target, network: Network, deadline: float) -> socket.socket:
    try:
        answers = network.resolve(target.host, _left(deadline))
    except OSError as error:
        raise ProviderError(f"{target.host}: has no address: {error}") from None
    reason: object = "has no address"
    for address in check_addresses(target.host, answers):
        try:
            patience = min(CONNECT_SECONDS, _left(deadline))
            return network.connect(address, target.port, patience)
        except OSError as error:
            reason = error
    raise ProviderError(f"{target.netloc}: accepts no connection: {reason}")


@contextmanager
def _cut_off(raw: socket.socket, deadline: float) -> Iterator[None]:
    """Shuts the connection at the deadline.

    A server that sends a byte now and then would never meet a time limit of the
    socket, which begins anew with every byte.
    """
    left = _left(deadline)
    guard = raw.dup()  # stays valid when TLS takes the socket over

    def shut() -> None:
        with suppress(OSError):
            guard.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(left, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        guard.close()


def _secure(
    raw: socket.socket, target: Target, network: Network, deadline: float
) -> socket.socket:
    raw.settimeout(_left(deadline))
    if target.scheme == "http":
        return raw
    try:
        return network.trust().wrap_socket(raw, server_hostname=target.host)
    except OSError as error:
        _left(deadline)
        raise ToolError(f"{target.netloc}: no secure connection: {error}") from None


def _request(
    connection: http.client.HTTPConnection, target: Target, deadline: float
) -> Page | str:
    """The page, or where the server sends us on to."""
    headers = {
        "Host": target.netloc,
        "User-Agent": AGENT,
        "Accept": "text/html, text/plain, */*;q=0.1",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    try:
        connection.request("GET", target.path, headers=headers)
        with connection.getresponse() as response:
            if response.status in REDIRECTS and (to := response.getheader("Location")):
                return to
            page = _page(response, target)
    except (OSError, http.client.HTTPException) as error:
        _left(deadline)
        reason = (str(error) or type(error).__name__)[:200]
        raise ToolError(f"{target.netloc} broke the answer off: {reason}") from None
    _left(deadline)  # a connection shut by us may look like the end of the page
    return page


def _page(response: http.client.HTTPResponse, target: Target) -> Page:
    if response.status != 200:
        reason = response.reason[:100] if response.reason else ""
        raise ToolError(f"{target.url}: {response.status} {reason}".rstrip())
    coding = response.getheader("Content-Encoding", "identity")
    if coding.lower() != "identity":
        raise ToolError(f"{target.url}: is sent as {coding[:40]}, unasked")
    size = response.length or 0
    body = b"" if size > MAX_BYTES else response.read(MAX_BYTES + 1)
    if max(size, len(body)) > MAX_BYTES:
        raise ToolError(f"{target.url}: is larger than {MAX_BYTES >> 20} MiB")
    if len(body) < size:
        raise http.client.IncompleteRead(body, size - len(body))
    headers: Message = response.headers
    charset = headers.get_content_charset("") or ""
    return Page(target.url, headers.get_content_type(), charset, body)
