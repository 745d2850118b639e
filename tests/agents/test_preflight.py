from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from typing import Any

import pytest

from pytest_mint.agents.chat import ChatAgent
from pytest_mint.agents.preflight import preflight
from pytest_mint.errors import UserError
from tests.agents.asking import KEY, endpoint
from tests.agents.server import (
    Answer,
    Seen,
    Server,
    closed_port,
    failed,
    ok,
    said,
    serve,
)


async def check(url: str, seconds: float, fields: dict[str, Any]) -> str:
    """What the preflight has to say, empty if nothing."""
    agent = ChatAgent(endpoint(url, **fields))
    try:
        await preflight(agent, seconds)
    except UserError as error:
        return str(error)
    finally:
        await agent.close()
    return ""


def problem(answer: Any, seconds: float = 4.0, **fields: Any) -> tuple[str, Server]:
    with serve(answer) as server:
        began = time.monotonic()
        text = asyncio.run(check(server.url, seconds, fields))
        assert time.monotonic() - began < 5
        assert "\n" not in text
        assert KEY not in text
        return text, server


def test_a_model_that_answers_is_good() -> None:
    text, server = problem(ok())
    assert text == ""
    (seen,) = server.seen
    assert seen.body["messages"] == [{"role": "user", "content": "ping"}]
    assert 1 <= seen.body["max_tokens"] <= 16
    assert "tools" not in seen.body


def test_a_reasoning_model_is_asked_in_its_own_way() -> None:
    text, server = problem(ok(), reasoning=True)
    assert text == ""
    assert server.seen[0].body["max_completion_tokens"] == 16


@pytest.mark.parametrize(
    "answer",
    [
        ok(None),
        ok(""),
        Answer(b"no JSON"),
        Answer(b"{}"),
        failed(400, "max_tokens must be at least 32"),
        failed(400, "This model's maximum context length is 4 tokens"),
        failed(422, "messages: at least two are needed"),
        failed(429, "Rate limit reached"),
        failed(500, "internal error"),
        failed(503, "overloaded"),
        said({"error": {"message": "busy", "code": 503}}),
    ],
)
def test_an_answer_that_shows_the_model_is_good_enough(answer: Answer) -> None:
    text, server = problem(answer)
    assert text == ""
    assert len(server.seen) == 1


def test_a_refused_parameter_is_learnt_before_the_run() -> None:
    def picky(seen: Seen) -> Answer:
        if "temperature" in seen.body:
            return failed(400, "temperature is not supported")
        return ok()

    text, server = problem(picky)
    assert text == ""
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("answer", "quoted"),
    [
        (failed(404, "model: claude-2 not found"), '404 "model: claude-2 not found"'),
        (failed(404, "no such model", "model_not_found"), '404 "no such model"'),
        (failed(410, "the model was retired"), '410 "the model was retired"'),
        (failed(400, "Model Not Exist"), '400 "Model Not Exist"'),
        (failed(400, "Invalid model: claude-2"), '400 "Invalid model: claude-2"'),
        (failed(400, "claude-2 is not a valid model ID"), '400 "claude-2 is not'),
        (failed(400, "?", "model_not_found"), '400 "?"'),
        (said({"error": {"message": "no model", "code": 404}}), '404 "no model"'),
    ],
)
def test_a_model_that_is_not_there(answer: Answer, quoted: str) -> None:
    text, server = problem(answer, name="claude-2")
    assert text.startswith(f"--mint-model=claude-2: {server.url} answers {quoted}")
    assert text.endswith(
        "the model is unknown or retired there: choose another model, or play a "
        "recording with --mint-replay DIR"
    )
    assert len(server.seen) == 1


def test_a_path_that_is_not_there() -> None:
    text, _ = problem(said({"detail": "Not Found"}, 404))
    assert "choose another model, set another --mint-base-url, or play" in text


@pytest.mark.parametrize(
    "answer",
    [
        failed(401, f"Incorrect API key provided: {KEY}"),
        failed(403, "forbidden"),
        failed(400, "API key not valid. Please pass a valid API key."),
        Answer(b"", 401),
    ],
)
def test_a_wrong_key(answer: Answer) -> None:
    text, server = problem(answer, key_variable="SOME_API_KEY")
    assert text.endswith(": check the key in SOME_API_KEY")
    assert len(server.seen) == 1


def test_a_key_that_is_missing_after_all() -> None:
    text, _ = problem(failed(401, "who are you?"), key="", key_variable="SOME_API_KEY")
    assert text.endswith('401 "who are you?": it wants a key; set SOME_API_KEY')


@pytest.mark.parametrize(
    "answer",
    [
        failed(429, "You exceeded your current quota", "insufficient_quota"),
        failed(402, "Insufficient Balance"),
        failed(400, "Your credit balance is too low to access the API"),
    ],
)
def test_a_quota_that_is_used_up(answer: Answer) -> None:
    text, _ = problem(answer, key_variable="SOME_API_KEY")
    assert "the account behind SOME_API_KEY has no quota left" in text


@pytest.mark.parametrize(
    ("answer", "seconds", "reason"),
    [
        (Answer(fault="hang"), 0.5, "no answer within 0.5 seconds; is the server"),
        (Answer(b"x" * 500, drip=0.1), 0.5, "no answer within 0.5 seconds"),
        (Answer(fault="close"), 4.0, "connection closed; is it the right one?"),
        (Answer(fault="reset"), 4.0, "connection reset; is it the right one?"),
    ],
)
def test_a_server_that_does_not_answer(
    answer: Answer, seconds: float, reason: str
) -> None:
    text, server = problem(answer, seconds, name="vllm/x")
    assert text.startswith(
        f"--mint-model=vllm/x: cannot talk to {server.url}: {reason}"
    )
    assert text.endswith(
        " Set --mint-base-url, or play a recording with --mint-replay DIR"
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_nobody_listening(host: str) -> None:
    url = f"http://{host}:{closed_port()}/v1"
    text = asyncio.run(check(url, 4.0, {}))
    assert (
        f"cannot talk to {url}: nothing listens there; is the server running?" in text
    )


def test_no_such_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*args: object, **options: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # no test asks the network
    text = asyncio.run(check("http://no-such-host.invalid/v1", 4.0, {}))
    assert "there is no such host; is the address right?" in text


def test_a_host_that_no_resolver_takes() -> None:
    text = asyncio.run(check(f"http://{'x' * 100}.invalid/v1", 4.0, {}))
    assert "cannot talk to" in text


def test_plain_http_behind_an_https_address() -> None:
    with serve(ok()) as server:
        url = server.url.replace("http:", "https:")
        text = asyncio.run(check(url, 4.0, {}))
    assert "it does not speak TLS as it should; is https right?" in text


def test_a_listener_that_never_accepts() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        text = asyncio.run(check(url, 0.5, {}))
    assert "no answer within 0.5 seconds" in text


SILENT_NAME_SERVER = """
import asyncio, socket, sys, time

def never(*args, **options):
    time.sleep(60)

socket.getaddrinfo = never
from pytest_mint.agents.chat import ChatAgent
from pytest_mint.agents.endpoints import find_endpoint
from pytest_mint.agents.preflight import preflight
from pytest_mint.errors import UserError

async def main():
    agent = ChatAgent(find_endpoint("x", "http://model.example/v1", {}))
    try:
        await preflight(agent, 0.5)
    except UserError as error:
        print(error)
    finally:
        await agent.close()

asyncio.run(main())
"""


def test_a_proxy_looks_the_host_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(ok()) as server:
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "elsewhere.example")
        assert asyncio.run(check("http://model.invalid/v1", 4.0, {})) == ""
    assert server.seen[0].path == "http://model.invalid/v1/chat/completions"


def test_a_silent_name_server_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    done = subprocess.run(
        [sys.executable, "-c", SILENT_NAME_SERVER],
        capture_output=True,
        text=True,
        timeout=30,  # well before the lookup ends
        check=True,
    )
    assert "no answer within 0.5 seconds" in done.stdout
    assert done.stderr == ""
