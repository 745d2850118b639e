from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.tools.base import ToolError
from pytest_mint.tools.web_address import (
    MAX_URL,
    Target,
    check_addresses,
    is_public,
    read_url,
)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://example.org", Target("http", "example.org", 80, "/")),
        ("HTTPS://Example.ORG/", Target("https", "example.org", 443, "/")),
        (
            "http://example.org:8080/a?b=c",
            Target("http", "example.org", 8080, "/a?b=c"),
        ),
        ("http://example.org?b=c", Target("http", "example.org", 80, "/?b=c")),
        ("http://example.org/a#b?c", Target("http", "example.org", 80, "/a")),
        ("http://example.org#@evil.org/", Target("http", "example.org", 80, "/")),
        (
            "http://example.org/@evil.org",
            Target("http", "example.org", 80, "/@evil.org"),
        ),
        ("http://example.org/é", Target("http", "example.org", 80, "/%C3%A9")),
        ("http://example.org/%C3%A9", Target("http", "example.org", 80, "/%C3%A9")),
        ("http://xn--bcher-kva.org/", Target("http", "xn--bcher-kva.org", 80, "/")),
    ],
)
def test_a_plain_url_is_read(url, target):
    assert read_url(url) == target


REFUSED_URLS = {
    # other schemes, and what is none
    "file:///etc/passwd": "begins with http",
    "gopher://example.org:70/_GET": "begins with http",
    "ftp://example.org/": "begins with http",
    "data:text/html,hello": "begins with http",
    "javascript:alert(1)": "begins with http",
    "dict://example.org:11211/stats": "begins with http",
    "ldap://example.org/": "begins with http",
    "jar:http://example.org!/": "begins with http",
    "//example.org/": "begins with http",
    "example.org": "begins with http",
    "": "begins with http",
    "http:example.org": "expected http://HOST/PATH",
    "http:/example.org": "expected http://HOST/PATH",
    "http://": "no host name",
    "http:///etc/passwd": "no host name",
    # numbers of addresses, however written
    "http://127.0.0.1/": "no host name",
    "http://127.1/": "no host name",
    "http://127.0.1/": "no host name",
    "http://2130706433/": "no host name",
    "http://017700000001/": "no host name",
    "http://0177.0.0.1/": "no host name",
    "http://0x7f000001/": "no host name",
    "http://0x7f.0.0.1/": "no host name",
    "http://0x7f.1/": "no host name",
    "http://127.0.0.0x1/": "no host name",
    "http://00000127.0.0.1/": "no host name",
    "http://0/": "no host name",
    "http://0.0.0.0/": "no host name",
    "http://169.254.169.254/latest/meta-data/": "no host name",
    "http://10.0.0.1/": "no host name",
    "http://93.184.215.14/": "no host name",  # a public one, too: hosts are names
    "http://[::1]/": "no host name",
    "http://[::]/": "no host name",
    "http://[::ffff:127.0.0.1]/": "no host name",
    "http://[0:0:0:0:0:ffff:7f00:1]/": "no host name",
    "http://[fe80::1%25eth0]/": "no host name",
    "http://[64:ff9b::7f00:1]/": "no host name",
    "http://::1/": "no host name",
    "http://example.org.127.0.0.1/": "no host name",
    # digits and letters that another reader might turn into ASCII
    "http://１２７.０.０.１/": "ASCII",
    "http://①②⑦.0.0.1/": "ASCII",
    "http://ⓔxample.org/": "ASCII",
    "http://example。org/": "ASCII",
    "http://\u212aey.org/": "ASCII",  # the sign for kelvin, whose small letter is k
    "http://bücher.example/": "ASCII",
    # what hides the host
    "http://user@example.org/": "user name",
    "http://user:pass@example.org/": "user name",
    "http://example.org@127.0.0.1/": "user name",
    "http://example.org:80@127.0.0.1/": "user name",
    "http://127.0.0.1%2f@example.org/": "user name",
    "http://example.org\\@127.0.0.1/": "backslashes",
    "http://example.org\\.evil.org/": "backslashes",
    "http:\\\\example.org/": "backslashes",
    "http://exam ple.org/": "blanks",
    "http://example.org/\r\nHost: evil": "controls",
    "http://example.org/ HTTP/1.1\r\nX: y": "controls",
    "http://example.org\t/": "controls",
    "http://exa\nmple.org/": "controls",
    "http://example.org/\x00": "controls",
    "http://example.org/\u2028": "blanks",
    "http://example.org/\ud800": "controls",
    "http://example%2eorg/": "no host name",
    "http://%65xample.org/": "no host name",
    "http://example.org./": "last point",
    "http://.example.org/": "no host name",
    "http://example..org/": "no host name",
    "http://-example.org/": "no host name",
    "http://*.example.org/": "no host name",
    "http://example_x.org/": "no host name",
    "http://example.org:/": "no host name",
    "http://example.org:0/": "no host name",
    "http://example.org:080/": "no host name",
    "http://example.org:-1/": "no host name",
    "http://example.org:99999/": "no port 99999",
    "http://example.org:80:80/": "no host name",
    "http://example.org:８０/": "ASCII",
    "http://example.org;evil.org/": "no host name",
    "http://example.org,evil.org/": "no host name",
    "http://example.org&evil.org/": "no host name",
    f"http://{'a' * 64}.org/": "no host name",
    f"http://example.org/{'a' * MAX_URL}": "characters; at most",
}


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_a_url_that_could_be_read_in_two_ways_is_refused(url):
    with pytest.raises(ToolError) as caught:
        read_url(url)
    assert REFUSED_URLS[url] in str(caught.value)
    assert len(str(caught.value)) < 500


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_words(text):
    for url in (text, f"http://{text}", f"http://example.org/{text}"):
        try:
            target = read_url(url)
        except ToolError:
            continue
        assert target.url.isascii()
        assert read_url(target.url) == target


@pytest.mark.parametrize(
    ("url", "listed", "allowed"),
    [
        ("http://example.org/", "example.org", True),
        ("https://example.org/", "example.org", True),
        ("http://example.org:80/", "example.org", True),
        ("http://example.org/", "example.org:80", True),
        ("http://example.org:8080/", "example.org:8080", True),
        ("http://example.org:8080/", "example.org", False),
        ("http://example.org:443/", "example.org", False),
        ("https://example.org/", "example.org:80", False),
        ("http://www.example.org/", "example.org", False),
        ("http://example.org/", "www.example.org", False),
        ("http://example.org.evil.org/", "example.org", False),
        ("http://notexample.org/", "example.org", False),
    ],
)
def test_a_host_is_allowed_by_its_exact_name_and_port(url, listed, allowed):
    assert read_url(url).is_allowed([listed]) is allowed


CLOSED = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255",
    "127.0.0.1", "127.255.255.254", "169.254.0.1", "169.254.169.254", "169.254.170.2",
    "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1",
    "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "168.63.129.16", "100.100.100.200",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1",
    "100::1", "2001::1", "2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:20::1",
    "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
]  # fmt: skip


@pytest.mark.parametrize("address", CLOSED)
def test_an_address_that_is_not_public_is_refused(address):
    with pytest.raises(ToolError, match="which is no public address"):
        check_addresses("example.org", [address])


@pytest.mark.parametrize("address", CLOSED)
def test_a_name_with_one_such_address_among_others_is_refused(address):
    with pytest.raises(ToolError, match="which is no public address"):
        check_addresses("example.org", ["93.184.215.14", address])


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.169.0.0",
        "223.255.255.255",
        "2001:4860:4860::8888",
        "2606:4700::1111",
        "2a00::1",
    ],
)
def test_the_neighbours_of_closed_blocks_are_public(address):
    assert is_public(ipaddress.ip_address(address))


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_nothing_that_the_standard_library_calls_special_is_public(address):
    special = (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    )
    assert not (special and is_public(address))
