"""Which addresses ``web_scraper`` may connect to: what a URL says, and what it means.

One strict reading of a URL, so that no two parsers can differ about its host: the host
must be a name of letters on a list, and every address that the name has must be public.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import quote

from pytest_mint.tools.base import ToolError
from pytest_mint.words import HOST

Address = IPv4Address | IPv6Address
PORTS = {"http": 80, "https": 443}
MAX_URL = 2_000
#: The host of the bundled pages, which are read without a network; ``.test`` can never
#: be a name of the real internet (RFC 6761).
PAGES_HOST = "pages.test"

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://)?(?P<rest>.*)", re.DOTALL)
_WEB = re.compile(r"(?P<host>[^/?#]*)(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?(#.*)?")
#: White space, controls, and what some readers of URLs take for a slash.
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff\\]")


@dataclass(frozen=True)
class Target:
    """A web address that was read and found well formed."""

    scheme: str
    host: str
    port: int
    path: str  # with the query

    @property
    def netloc(self) -> str:
        """The host, with its port where that is not the scheme's own."""
        usual = self.port == PORTS[self.scheme]
        return self.host if usual else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The address in its one written form."""
        return f"{self.scheme}://{self.netloc}{self.path}"

    def is_allowed(self, hosts: Iterable[str]) -> bool:
        """Whether the host is on the list, as HOST or as HOST:PORT."""
        listed = set(hosts)
        return self.netloc in listed or f"{self.host}:{self.port}" in listed


def read_url(url: str) -> Target:
    """The address that a URL names; nothing is looked up yet.

    Raises:
        ToolError: it is no plain http or https URL with a host name.
    """
    shown = repr(url if len(url) <= 200 else url[:200] + "...")
    if len(url) > MAX_URL:
        raise ToolError(f"the URL has {len(url)} characters; at most {MAX_URL}")
    if _UNFIT.search(url):
        raise ToolError(f"{shown}: blanks, controls and backslashes cannot stand here")
    parts = _URL.fullmatch(url)
    if parts is None or (scheme := parts["scheme"].lower()) not in PORTS:
        raise ToolError(f"{shown}: expected a URL that begins with http:// or https://")
    web = _WEB.fullmatch(parts["rest"])
    if web is None or not url[len(scheme) :].startswith("://"):
        raise ToolError(f"{shown}: expected http://HOST/PATH")
    named = web["host"]
    if not named.isascii() or not HOST.fullmatch(named.lower()):
        raise ToolError(f"{shown}: {_why_no_host(named)}")
    host, _, port = named.lower().partition(":")
    number = int(port or PORTS[scheme])
    if number > 65_535:
        raise ToolError(f"{shown}: there is no port {number}")
    path = (web["path"] or "/") + (web["query"] or "")
    return Target(scheme, host, number, quote(path, safe="/%?:@!$&'()*+,;=~-._"))


def _why_no_host(host: str) -> str:
    if "@" in host:
        return "a user name cannot stand in the URL"
    if not host.isascii():
        return "write the host in ASCII letters (xn--...)"
    if host.endswith("."):
        return "write the host without the last point"
    return f"{host!r} is no host name; give a name, not the number of an address"


#: What is not the public internet: IANA's registries of special-purpose addresses
#: (RFC 6890 and its updates) and multicast. Of IPv6 only 2000::/3 is given out at all.
_CLOSED_4 = tuple(
    ip_network(block)
    for block in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, and the metadata services of clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "168.63.129.16/32",  # the platform's own service in Azure
    )
)
_OPEN_6 = ip_network("2000::/3")
_CLOSED_6 = tuple(
    ip_network(block)
    for block in (
        "2001::/23",  # Teredo, benchmarking, ORCHID and other protocols
        "2001:db8::/32",
        "2002::/16",  # 6to4, which embeds an IPv4 address
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)


def is_public(address: Address) -> bool:
    """Whether this is an address of the public internet.

    Forms of IPv6 that embed an IPv4 address (mapped, compatible, 6to4, Teredo, NAT64)
    are none: who has the IPv4 address can be asked by it.
    """
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _CLOSED_4)
    return address in _OPEN_6 and not any(address in block for block in _CLOSED_6)


def check_addresses(host: str, answers: Iterable[str]) -> list[Address]:
    """The addresses that a name has, all of them public.

    Raises:
        ToolError: one is not. A name with public and private addresses is refused as
            a whole: which one is taken would be luck.
    """
    addresses = [ip_address(answer) for answer in answers]
    for address in addresses:
        if not is_public(address):
            raise ToolError(f"{host} is at {address}, which is no public address")
    return addresses
