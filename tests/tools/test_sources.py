from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from pytest_mint.errors import UserError
from pytest_mint.settings import resolve
from pytest_mint.tasks.load import bundled_folder
from pytest_mint.tools.sources import Sources, find_sources
from tests.tools.context import context


def _settings(**command):
    return resolve(command, environ={})


def test_without_options_the_bundled_articles_and_pages_are_read_offline():
    assert find_sources(_settings()) == Sources()
    assert Sources().articles == (bundled_folder() / "articles",)
    assert Sources().wikipedia == "offline"
    assert Sources().web_allow == ()


@pytest.mark.parametrize("given", [".", "coding", "coding/loops.yaml"])
def test_articles_beside_task_files_of_ones_own_stand_before_the_bundled(
    tmp_path: Path, given: str
):
    (tmp_path / "coding").mkdir()
    (tmp_path / "coding" / "loops.yaml").touch()
    (tmp_path / "articles").mkdir()
    sources = find_sources(_settings(tasks=[str(tmp_path / given)]))
    assert sources.articles == (tmp_path / "articles", bundled_folder() / "articles")
    assert sources.pages == (bundled_folder() / "pages",)


@pytest.mark.parametrize(
    "value",
    [
        "offline",
        "live",
        "https://de.wikipedia.org/w/api.php",
        "http://127.0.0.1:8080/api.php",
    ],
)
def test_the_encyclopedia_can_be_chosen(value):
    assert find_sources(_settings(wikipedia=value)).wikipedia == value


@pytest.mark.parametrize(
    "value",
    [
        "on",
        "de",
        "https://de.wikipedia.org",
        "ftp://x/api.php",
        "https://user@x/api.php",
        "http://x/api.php?a=b",
    ],
)
def test_what_is_no_encyclopedia_is_refused_with_what_is_allowed(value):
    with pytest.raises(UserError, match="expected offline, live, or the URL"):
        _settings(wikipedia=value)


HOSTS = ["example.org", "a-b.example.org:8080", "localhost:80", "xn--bcher-kva.example"]
NO_HOSTS = [
    "",
    "Example.org",
    "https://example.org",
    "example.org/path",
    "user@example.org",
    "*.example.org",
    "example.org.",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "[::1]",
    "::1",
    "bücher.example",
    "example.org:0",
    "example.org:http",
    "-a.example",
    "a" * 64 + ".example",
    ".".join(["a" * 50] * 6),
]


def test_hosts_can_be_allowed():
    assert find_sources(_settings(web_allow=HOSTS)).web_allow == tuple(HOSTS)
    assert context(hosts=tuple(HOSTS)).task.hosts == tuple(HOSTS)


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_is_no_host_name_is_refused_as_an_option(host):
    with pytest.raises(UserError, match=r"--mint-web-allow=.*expected a host name"):
        _settings(web_allow=[host])


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_is_no_host_name_is_refused_in_a_task(host):
    with pytest.raises(ValidationError, match="expected host names in lower case"):
        context(hosts=(host,))
