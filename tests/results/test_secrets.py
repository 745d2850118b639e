from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mint.results.secrets import without_secrets


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("api_key", "sk-1", "(hidden)"),
        ("apikey", "sk-1", "(hidden)"),
        ("OPENAI_API_KEY", "sk-1", "(hidden)"),
        ("X-Auth-Token", "sk-1", "(hidden)"),
        ("Authorization", "Bearer sk-1", "(hidden)"),
        ("tokens", {"token": ["sk-1"]}, {"token": "(hidden)"}),
        ("headers", [{"cookie": "sk-1"}], [{"cookie": "(hidden)"}]),
        ("api_key", "", ""),
        ("api_key", None, None),
        ("max_tokens", 2048, 2048),
        ("key_variable", "OPENAI_API_KEY", "OPENAI_API_KEY"),
        ("base_url", "https://me:sk-1@host:80/v1", "https://host:80/v1"),
        (
            "base_url",
            "http://h/v1?api-key=sk-1&v=2",
            "http://h/v1?api-key=(hidden)&v=2",
        ),
        ("run_dir", Path("a"), "a"),
        ("gates", ("hur>=0.1",), ["hur>=0.1"]),
        ("timeout", 3.5, 3.5),
    ],
)
def test_settings_are_kept_without_what_is_secret(name, value, kept):
    assert without_secrets({name: value}) == {name: kept}
