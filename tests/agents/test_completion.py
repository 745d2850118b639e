from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.agents import completion as module
from pytest_mint.agents.base import Reply
from pytest_mint.agents.completion import (
    Unreadable,
    cleaned,
    is_context_overflow,
    read_completion,
    read_error,
    refused_parameter,
)
from pytest_mint.records import Tokens
from tests.agents.server import completion

LABELS = {"", "empty", "refused", "cut"}
#: All that JSON can write, halves of characters included.
TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)
    ),
    max_leaves=12,
)
#: The fields that are read, each with anything in it or left out.
FIELDS = {
    "error": ("message", "code", "type", "param", "detail", "metadata", "raw", "msg"),
    "choice": ("message", "finish_reason", "error"),
    "message": ("content", "refusal", "tool_calls"),
    "call": ("id", "function"),
    "function": ("name", "arguments"),
    "part": ("type", "text", "refusal"),
    "usage": ("prompt_tokens", "completion_tokens"),
    "body": ("id", "model", "choices", "usage", "error", "system_fingerprint"),
}


def mutilated(known: st.SearchStrategy[Any], *names: str) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.sampled_from(names), known | JSON, max_size=len(names))


PARTS = st.lists(mutilated(JSON, *FIELDS["part"]) | JSON, max_size=3)
CALLS = st.lists(
    mutilated(mutilated(JSON, *FIELDS["function"]), *FIELDS["call"]) | JSON, max_size=3
)
MESSAGES = mutilated(PARTS | CALLS, *FIELDS["message"])
CHOICES = st.lists(
    st.fixed_dictionaries(
        {"message": MESSAGES | JSON},
        optional={"finish_reason": st.sampled_from(["stop", "length"]) | JSON},
    )
    | JSON,
    max_size=2,
)
BODIES = st.fixed_dictionaries(
    {"choices": CHOICES | JSON},
    optional={
        "usage": mutilated(JSON, *FIELDS["usage"]) | JSON,
        "error": mutilated(JSON, *FIELDS["error"]) | JSON,
        "model": JSON,
        "id": JSON,
    },
)


def check(reply: Reply) -> None:
    """What every reply promises, whatever was in the body."""
    assert reply.label in LABELS
    for text in (reply.text, *reply.meta.values()):
        assert isinstance(text, str)
        text.encode()
        assert "\0" not in text
    for call in reply.calls:
        assert call.arguments
        assert call.id
        (call.name + call.arguments + call.id).encode()
    assert reply.tokens.prompt >= 0
    assert reply.tokens.completion >= 0
    if reply.label == "empty":
        assert not reply.text.strip()
        assert not reply.calls


@given(BODIES | JSON)
def test_any_json_is_a_reply_or_is_unreadable(body: object) -> None:
    with contextlib.suppress(Unreadable):
        check(read_completion(json.dumps(body).encode()))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_reply_or_are_unreadable(body: bytes) -> None:
    with contextlib.suppress(Unreadable):
        check(read_completion(body))


@given(CHOICES)
def test_a_good_message_is_always_read(choices: list[Any]) -> None:
    body = {**completion("42"), "choices": completion("42")["choices"] + choices}
    assert read_completion(json.dumps(body).encode()).text == "42"


@given(mutilated(JSON, *FIELDS["error"]) | BODIES | JSON)
def test_any_complaint_is_read(body: object) -> None:
    for said in (body, {"error": body}, [{"error": body}]):
        code, param, text = read_error(json.dumps(said).encode())
        (code + param + text).encode()
        assert max(len(code), len(param)) <= 200


@pytest.mark.parametrize(
    ("body", "code", "param", "text"),
    [
        (
            {"error": {"message": "m", "type": "t", "param": "p", "code": "c"}},
            "c",
            "p",
            "m",
        ),
        ({"error": {"message": "m", "type": "t", "code": None}}, "t", "", "m"),
        (
            [{"error": {"code": 404, "message": "m", "status": "NOT_FOUND"}}],
            "NOT_FOUND",
            "",
            "m",
        ),
        ({"object": "error", "message": "m", "code": "1500"}, "", "", "m"),
        ({"error": "m"}, "", "", "m"),
        ({"detail": "Not Found"}, "", "", "Not Found"),
        (
            {"detail": [{"loc": ["body", 0, "model"], "msg": "missing"}]},
            "",
            "",
            "body.0.model: missing",
        ),
        (
            {"error": {"message": "Provider error", "metadata": {"raw": "too long"}}},
            "",
            "",
            "Provider error too long",
        ),
        ("plain", "", "", "plain"),
    ],
)
def test_dialects_of_complaints(body: object, code: str, param: str, text: str) -> None:
    assert read_error(json.dumps(body).encode()) == (code, param, text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            b"<html><head><title>502 Bad Gateway</title></head></html>",
            "502 Bad Gateway",
        ),
        (b"<b>busy</b>", " busy "),
        (b"upstream \xff failed", "upstream \ufffd failed"),
        (b"", ""),
    ],
)
def test_complaints_that_are_no_json(body: bytes, text: str) -> None:
    assert read_error(body) == ("", "", text)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (None, "{}"),
        ("", "{}"),
        ({"a": 1}, '{"a": 1}'),
        ([1], "[1]"),
        ("{broken", "{broken"),
        ('{"a": "\ud800"}', '{"a": "\ufffd"}'),
        ("\0", "\ufffd"),
    ],
)
def test_arguments_are_text_whatever_they_are(arguments: object, expected: str) -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": arguments}}
    body = completion(None, tool_calls=[call])
    (read,) = read_completion(json.dumps(body).encode()).calls
    assert (read.name, read.arguments, read.id) == ("f", expected, "c")


def test_calls_without_id_or_function_are_kept() -> None:
    calls = [{"function": {"name": "f", "arguments": "{}"}}, {"type": "x"}, None]
    body = completion(None, tool_calls=calls)
    read = read_completion(json.dumps(body).encode()).calls
    assert [(call.name, call.id) for call in read] == [
        ("f", "call_1"),
        ("", "call_2"),
        ("", "call_3"),
    ]
    assert read[1].arguments == '{"type": "x"}'


def test_an_endless_answer_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TEXT", 1000)
    reply = read_completion(json.dumps(completion("x" * 1001)).encode())
    assert (len(reply.text), reply.label) == (1000, "cut")
    reply = read_completion(json.dumps(completion("x" * 1000)).encode())
    assert (len(reply.text), reply.label) == (1000, "")


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Tokens()),
        ({"prompt_tokens": 3, "completion_tokens": 4}, Tokens(3, 4)),
        (
            {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}},
            Tokens(9, 0, 4),
        ),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 5}, Tokens(9, 0, 5)),
        (
            {"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": 7}},
            Tokens(3, 0, 3),
        ),
        ({"prompt_tokens": 3, "prompt_tokens_details": None}, Tokens(3)),
        ({"prompt_tokens_details": {"cached_tokens": "4"}}, Tokens()),
        ({"prompt_tokens": -3, "completion_tokens": True}, Tokens()),
        ({"prompt_tokens": "3", "completion_tokens": 4.5}, Tokens()),
    ],
)
def test_only_counts_count(usage: object, expected: Tokens) -> None:
    body = {**completion(), "usage": usage}
    assert read_completion(json.dumps(body).encode()).tokens == expected


@pytest.mark.parametrize(
    ("status", "code", "text"),
    [
        (500, "", "maximum context length"),
        (429, "", "Request too large: reduce the length of the messages"),
        (400, "", "max_tokens is too large: 9999"),
        (413, "rate_limit_exceeded", "Request too large for tokens per minute"),
    ],
)
def test_what_is_no_context_overflow(status: int, code: str, text: str) -> None:
    assert not is_context_overflow(status, code, text)


@pytest.mark.parametrize(
    ("status", "param", "text", "expected"),
    [
        (400, "temperature", "", "temperature"),
        (500, "temperature", "unsupported", None),
        (400, "top_p", "top_p is not supported", None),
        (400, "max_tokens", "too large", None),
        (400, "max_tokens", "is not supported", "max_tokens"),
        (422, "", "max_completion_tokens: Extra inputs are not permitted", None),
        (400, "", "the temperature of the water is 20 degrees", None),
    ],
)
def test_which_parameter_is_refused(
    status: int, param: str, text: str, expected: str | None
) -> None:
    sent = {"temperature": 0.0, "max_tokens": 5, "messages": []}
    assert refused_parameter(status, param, text, sent) == expected


@given(JSON)
def test_cleaned_data_can_be_sent(data: object) -> None:
    json.dumps(cleaned(data), ensure_ascii=False).encode()
    broken = cleaned({"a\ud800": ["b\udfff", {"c": ("\ud83d", 1)}]})
    assert broken == {"a\ufffd": ["b\ufffd", {"c": ["\ufffd", 1]}]}


@pytest.mark.parametrize("depth", [10, 400, 800, 900, 950, 980, 1000, 100_000])
def test_no_nesting_is_too_deep(depth: int) -> None:
    nested = "[" * depth + "]" * depth
    for body in (
        f'{{"error": {nested}}}',
        f'{{"error": {{"message": {nested}}}}}',
        f'{{"choices": [{{"message": {{"tool_calls": [{nested}]}}}}]}}',
    ):
        read_error(body.encode())
        with contextlib.suppress(Unreadable):
            check(read_completion(body.encode()))
