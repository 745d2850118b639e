"""Redirects, names that change, limits: against a real server on loopback."""

from __future__ import annotations

import itertools
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from ipaddress import ip_address

import pytest

from pytest_mint.errors import ProviderError
from pytest_mint.tools import web_fetch
from pytest_mint.tools.base import ToolError
from pytest_mint.tools.web_fetch import MAX_BYTES, NETWORK, fetch
from tests.tools.web_server import PUBLIC, Site, running

HOSTS = ("site.org", "other.org", "site.org:8080")
START = "http://site.org/"


@pytest.fixture
def site() -> Iterator[Site]:
    with running() as server:
        yield server


def _fetch(site: Site, url: str = START, names=None, **more):
    names = names or {"site.org": PUBLIC, "other.org": "93.184.215.15"}
    return fetch(url, HOSTS, site.network(names), **more)


def test_a_page_comes_with_its_type_and_charset(site):
    site.page("/a?b=c", "<p>Hello", Content_Type="text/html; charset=ISO-8859-1")
    page = _fetch(site, "http://site.org/a?b=c")
    assert (page.url, page.kind, page.charset, page.body) == (
        "http://site.org/a?b=c",
        "text/html",
        "iso-8859-1",
        b"<p>Hello",
    )


def test_the_server_hears_the_host_by_its_name_and_who_asks(site):
    site.page("/", "x")
    _fetch(site)
    (headers,) = site.headers
    assert headers["Host"] == "site.org"
    assert headers["User-Agent"].startswith("pytest-mint/")
    assert "Cookie" not in headers
    assert "Authorization" not in headers


def test_a_port_is_part_of_the_host_that_the_server_hears(site):
    site.page("/", "x")
    _fetch(site, "http://site.org:8080/")
    assert site.headers[0]["Host"] == "site.org:8080"
    assert site.connected == [f"{PUBLIC}:8080"]


def test_the_socket_goes_to_the_address_that_was_checked(site):
    site.page("/", "x")
    _fetch(site)
    assert site.lookups == ["site.org"]
    assert site.connected == [f"{PUBLIC}:80"]


def test_the_next_address_is_taken_where_the_first_does_not_answer(site):
    site.page("/", "x")
    network = site.network({"site.org": ["2606:4700::1111", PUBLIC]})
    reached = network.connect

    def only_ipv4(address, port, seconds):
        if address.version == 6:
            raise OSError("network is unreachable")
        return reached(address, port, seconds)

    network = web_fetch.Network(network.resolve, only_ipv4)
    assert fetch(START, HOSTS, network).body == b"x"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(site, status):
    site.redirect("/", "/next", status)
    site.page("/next", "there")
    assert _fetch(site).url == "http://site.org/next"


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("next", "http://site.org/a/next"),
        ("../next", "http://site.org/next"),
        ("//other.org/next", "http://other.org/next"),
        ("http://other.org/next#x", "http://other.org/next"),
        ("?q=1", "http://site.org/a/b?q=1"),
    ],
)
def test_a_redirect_is_read_as_seen_from_its_page(site, location, url):
    site.redirect("/a/b", location)
    for path in ("/a/next", "/next", "/a/b?q=1"):
        site.page(path, "there")
    assert _fetch(site, "http://site.org/a/b").url == url


def test_three_redirects_are_followed_and_no_fourth(site):
    for step in range(4):
        site.redirect(f"/{step}", f"/{step + 1}")
    site.page("/4", "there")
    assert _fetch(site, "http://site.org/1").body == b"there"
    site.asked.clear()
    with pytest.raises(ToolError, match="more than 3 redirects"):
        _fetch(site, "http://site.org/0")
    assert site.asked == ["/0", "/1", "/2", "/3"]


def test_a_cookie_of_one_answer_is_not_sent_with_the_next(site):
    site.page("/", "", 302, Location="/next", Set_Cookie="id=1; Path=/")
    site.page("/next", "there")
    _fetch(site)
    assert "Cookie" not in site.headers[1]


BAD_REDIRECTS = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::1",
    "http://169.254.169.254/latest/meta-data/",
    "http://localhost/",
    "http://metadata.google.internal/",
    "http://evil.org/",
    "//evil.org/",
    "http://evil.org/#site.org",
    "http://evil.org/?site.org",
    "http://evil.org\\@site.org/",
    "http://site.org@evil.org/",
    "http://site.org:80@evil.org/",
    "http://site.org.evil.org/",
    "http://site.org./",
    "http://site.org:22/",
    "https://site.org:80/",
    "file:///etc/passwd",
    "gopher://site.org:6379/_FLUSHALL",
    "ftp://site.org/",
    "data:text/html,x",
    "javascript:alert(1)",
    "http://site.org/\x01",
]


@pytest.mark.parametrize("location", BAD_REDIRECTS)
def test_a_redirect_to_where_nothing_may_be_read_is_refused(site, location):
    site.redirect("/", location)
    with pytest.raises(ToolError):
        _fetch(site)
    assert site.asked == ["/"]
    assert site.lookups == ["site.org"]


@pytest.mark.parametrize("location", ["///evil.org/", "http://", "/\\evil.org"])
def test_a_redirect_that_is_read_as_a_path_stays_where_it_is(site, location):
    site.redirect("/", location)
    with pytest.raises(ToolError):
        _fetch(site)
    assert set(site.lookups) == {"site.org"}


@pytest.mark.parametrize("location", BAD_REDIRECTS[:8])
def test_a_bad_redirect_is_refused_at_the_end_of_a_chain_too(site, location):
    site.redirect("/", "http://other.org/1")
    site.redirect("/1", "http://site.org/2")
    site.redirect("/2", location)
    with pytest.raises(ToolError):
        _fetch(site)
    assert site.asked == ["/", "/1", "/2"]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "::1",
        "fd00:ec2::254",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "fe80::1%eth0",
        "224.0.0.1",
        "0.0.0.0",
    ],
)
def test_an_allowed_name_with_a_closed_address_is_never_connected_to(site, address):
    site.page("/", "secret")
    with pytest.raises(ToolError, match="which is no public address"):
        _fetch(site, names={"site.org": address})
    assert site.connected == []
    assert site.asked == []


def test_one_closed_address_among_public_ones_is_enough_to_refuse(site):
    with pytest.raises(ToolError, match="which is no public address"):
        _fetch(site, names={"site.org": [PUBLIC, "127.0.0.1"]})
    assert site.connected == []


def test_a_name_that_changes_its_answer_is_looked_up_once_a_request(site):
    """The second answer would lead to loopback; it is never asked for."""
    site.page("/", "public")
    answers = itertools.chain([[PUBLIC]], itertools.repeat(["127.0.0.1"]))
    assert _fetch(site, names={"site.org": lambda: next(answers)}).body == b"public"
    assert site.connected == [f"{PUBLIC}:80"]


def test_a_name_that_changes_its_answer_is_checked_again_after_a_redirect(site):
    site.redirect("/", "/secret")
    site.page("/secret", "secret")
    answers = itertools.chain([[PUBLIC]], itertools.repeat(["127.0.0.1"]))
    with pytest.raises(ToolError, match=r"site\.org is at 127\.0\.0\.1"):
        _fetch(site, names={"site.org": lambda: next(answers)})
    assert site.asked == ["/"]


def test_the_systems_own_resolver_and_socket_do_not_reach_loopback(site):
    """No part is replaced here: localhost is on the list and has a server."""
    site.page("/", "secret")
    host = f"localhost:{site.server_port}"
    with pytest.raises(ToolError, match=r"localhost is at (127\.0\.0\.1|::1), which"):
        fetch(f"http://{host}/", [host])
    assert site.asked == []


def test_the_systems_own_resolver_reads_no_number_as_a_name():
    with pytest.raises(ProviderError, match="has no address"):
        fetch("http://name.invalid/", ["name.invalid"])


def test_the_systems_own_socket_goes_to_the_address_given(site):
    with NETWORK.connect(ip_address("127.0.0.1"), site.server_port, 5) as sock:
        assert sock.getpeername() == ("127.0.0.1", site.server_port)


def test_a_resolver_that_does_not_answer_is_given_up(monkeypatch):
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **b: release.wait() and [])
    try:
        with pytest.raises(TimeoutError):
            NETWORK.resolve("site.org", 0.05)
    finally:
        release.set()


def test_a_host_without_an_address_is_missing_data(site):
    with pytest.raises(ProviderError, match=r"other\.org: has no address"):
        _fetch(site, "http://other.org/", names={"site.org": PUBLIC})


def test_a_host_that_accepts_no_connection_is_missing_data(site):
    def refuse(*args):
        raise ConnectionRefusedError("connection refused")

    network = site.network({"site.org": PUBLIC}, connect=refuse)
    with pytest.raises(ProviderError, match=r"site\.org: accepts no connection"):
        fetch(START, HOSTS, network)


def test_a_host_that_is_not_on_the_list_is_not_even_looked_up(site):
    with pytest.raises(ToolError) as caught:
        _fetch(site, "http://evil.org/")
    assert str(caught.value) == (
        "evil.org may not be read; hosts that may: other.org, pages.test, site.org, "
        "site.org:8080"
    )
    assert site.lookups == []


@pytest.mark.parametrize("status", [204, 206, 304, 400, 403, 404, 500, 503])
def test_what_is_no_page_is_told_with_its_status(site, status):
    site.page("/", "", status)
    with pytest.raises(ToolError, match=rf"http://site\.org/: {status}"):
        _fetch(site)


def test_a_redirect_without_a_place_is_told_with_its_status(site):
    site.page("/", "", 302)
    with pytest.raises(ToolError, match="302"):
        _fetch(site)


def test_a_page_of_2_mib_is_read_and_one_byte_more_is_refused(site):
    site.page("/", b"x" * MAX_BYTES)
    assert len(_fetch(site).body) == MAX_BYTES
    site.page("/", b"x" * (MAX_BYTES + 1))
    with pytest.raises(ToolError, match="is larger than 2 MiB"):
        _fetch(site)


def test_a_page_of_unsaid_size_is_cut_off_at_the_limit(site):
    sent = []

    def flood(out) -> None:
        out.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(1000):
            out.write(b"x" * 65536)
            sent.append(1)

    site.raw("/", flood)
    with pytest.raises(ToolError, match="is larger than 2 MiB"):
        _fetch(site)
    assert len(sent) < 500


def test_chunks_without_end_are_cut_off_at_the_limit(site):
    def flood(out) -> None:
        out.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(1000):
            out.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")

    site.raw("/", flood)
    with pytest.raises(ToolError, match="is larger than 2 MiB"):
        _fetch(site)


def test_a_compressed_answer_nobody_asked_for_is_refused(site):
    site.page("/", b"\x1f\x8b", Content_Encoding="gzip")
    with pytest.raises(ToolError, match="is sent as gzip, unasked"):
        _fetch(site)
    assert site.headers[0]["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"-ERR unknown command\r\n" * 5000,
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 999999 OK\r\n\r\n",
    ],
)
def test_what_is_no_http_is_told_in_few_words(site, answer):
    site.raw("/", lambda out: out.write(answer))
    with pytest.raises(ToolError, match=r"site\.org broke the answer off") as caught:
        _fetch(site)
    assert len(str(caught.value)) < 300


def _drip(before: bytes, drop: bytes):
    def write(out) -> None:
        out.write(before)
        for _ in range(200):
            out.write(drop)
            time.sleep(0.05)

    return write


@pytest.mark.parametrize(
    ("before", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\nX: ", b"y"),
        (b"", b"H"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
)
def test_a_server_that_drips_is_cut_off_when_the_time_is_over(site, before, drop):
    """Each byte comes well within the socket's own time limit."""
    site.raw("/", _drip(before, drop))
    begin = time.monotonic()
    with pytest.raises(ToolError, match="took too long"):
        _fetch(site, seconds=0.5)
    assert time.monotonic() - begin < 5


def test_a_page_may_take_longer_than_a_connection(site, monkeypatch):
    monkeypatch.setattr(web_fetch, "CONNECT_SECONDS", 0.2)

    def slowly(out) -> None:
        time.sleep(0.5)
        out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")

    site.raw("/", slowly)
    assert _fetch(site).body == b"late"


def test_a_server_that_says_nothing_is_cut_off_when_the_time_is_over(site):
    site.raw("/", lambda out: time.sleep(1))
    with pytest.raises(ToolError, match="took too long"):
        _fetch(site, seconds=0.3)


def test_the_time_is_for_all_redirects_together(site):
    def slowly(out) -> None:
        time.sleep(0.3)
        out.write(b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")

    site.raw("/", slowly)
    with pytest.raises(ToolError, match="took too long"):
        _fetch(site, seconds=0.5)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> str:
    """A certificate for site.org, signed by itself."""
    if not shutil.which("openssl"):
        pytest.skip("needs the program openssl")
    folder = tmp_path_factory.mktemp("tls")
    key, signed = folder / "key.pem", folder / "signed.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
        "-subj /CN=site.org -addext subjectAltName=DNS:site.org"
    )
    made = [*command.split(), "-keyout", key, "-out", signed]
    subprocess.run(made, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes(key.read_bytes() + signed.read_bytes())
    return str(both)


@pytest.fixture
def secure_site(certificate) -> Iterator[Site]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    names: list[str | None] = []
    context.sni_callback = lambda sock, name, ctx: names.append(name)
    with running(context) as server:
        server.names = names
        server.trust = lambda: ssl.create_default_context(cafile=certificate)
        yield server


def _fetch_securely(site, host="site.org", **more):
    names = {"site.org": PUBLIC, "other.org": PUBLIC}
    network = site.network(names, **{"trust": site.trust, **more})
    return fetch(f"https://{host}/", HOSTS, network)


def test_a_secure_page_is_asked_for_by_the_name_and_not_by_the_address(secure_site):
    secure_site.page("/", "safe")
    assert _fetch_securely(secure_site).body == b"safe"
    assert secure_site.names == ["site.org"]
    assert secure_site.headers[0]["Host"] == "site.org"


def test_the_certificate_of_another_name_is_refused(secure_site):
    secure_site.page("/", "safe")
    with pytest.raises(ToolError, match=r"other\.org: no secure connection"):
        _fetch_securely(secure_site, "other.org")
    assert secure_site.asked == []


def test_a_certificate_that_nobody_vouches_for_is_refused(secure_site):
    with pytest.raises(ToolError, match=r"site\.org: no secure connection"):
        _fetch_securely(secure_site, trust=ssl.create_default_context)
    assert secure_site.asked == []


def test_a_handshake_that_never_ends_is_cut_off_when_the_time_is_over():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        network = web_fetch.Network(
            lambda host, seconds: [PUBLIC],
            lambda address, port, seconds: socket.create_connection(
                silent.getsockname()
            ),
        )
        with pytest.raises(ToolError, match="took too long"):
            fetch("https://site.org/", HOSTS, network, seconds=0.3)
