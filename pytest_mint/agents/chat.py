"""The agent that is a chat model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import dataclasses
import random
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_mint.agents.base import Message, Reply, Request
from pytest_mint.agents.completion import (
    Unreadable,
    cleaned,
    is_context_overflow,
    read_completion,
    read_error,
    refused_parameter,
)
from pytest_mint.agents.retry import (
    INVALID,
    Failure,
    delay,
    is_retried,
    may_retry,
    retry_after,
    short,
    tell,
)
from pytest_mint.errors import ProviderError
from pytest_mint.settings import LOCAL

if TYPE_CHECKING:
    import openai

    from pytest_mint.agents.endpoints import Endpoint

#: Sent where an endpoint needs no key; the package insists on one.
NO_KEY = "none"
#: Seconds to wait for a connection; an answer may take much longer.
CONNECT = 20.0
#: Headers under which providers give a call its name.
_REQUEST_IDS = ("x-request-id", "request-id")
#: The innermost exception that tells what happened, and what it is called here. The
#: last names are those of packages that are not imported for this.
_FAULTS: tuple[tuple[type[BaseException] | str, str], ...] = (
    (ConnectionRefusedError, "connection refused"),
    (ConnectionResetError, "connection reset"),
    (BrokenPipeError, "connection reset"),
    (socket.gaierror, "host not found"),
    ("ClientConnectorDNSError", "host not found"),
    (ssl.SSLError, "TLS failure"),
    ("ClientPayloadError", "answer cut off"),
    ("RemoteProtocolError", "connection closed"),
    ("ServerDisconnectedError", "connection closed"),
    ("TimeoutException", "timeout"),
    (TimeoutError, "timeout"),
    (asyncio.TimeoutError, "timeout"),  # its own class before Python 3.11
)


class ChatAgent:
    """Asks a chat model. May be made anywhere, but is used on one event loop only.

    Args:
        endpoint: whom to ask.
        slots: how many calls may be in flight: a number, or a semaphore that several
            agents share. A slot is held for one call and given back while waiting for
            the next attempt.
        max_retries: attempts after the first, at least 0.
        timeout: seconds for one attempt, from connecting to the last byte.
        temperature: from 0 to 2; None leaves it to the endpoint.
        max_tokens: the longest answer, reasoning included, in tokens.
        sleep: waits between attempts.
        rng: draws the jitter of the waits.
    """

    forks = True

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        slots: int | asyncio.Semaphore = 16,
        max_retries: int = 6,
        timeout: float = 300.0,
        temperature: float | None = 0.0,
        max_tokens: int = 2048,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.name = endpoint.name
        self.native_tools = endpoint.native_tools
        self._slots = asyncio.Semaphore(slots) if isinstance(slots, int) else slots
        self._max_retries = max_retries
        self._timeout = timeout
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._sleep = sleep
        # Jitter decides nothing that is measured, and workers must not share it.
        self._rng = rng or random.Random()  # noqa: S311
        #: Parameters that the endpoint turned out not to take.
        self._refused: set[str] = set()
        self._client: openai.AsyncOpenAI | None = None

    async def reply(self, request: Request) -> Reply:
        """Ask, and ask again as long as that may help.

        ``meta`` keeps the model as answered, ids, and under ``dropped`` the parameters
        that were not sent as wished: no temperature, or the token limit under its
        other name.

        Raises:
            ProviderError: there is no answer to be had; says how often what happened.
        """
        failures: list[Failure] = []
        while True:
            async with self._slots:
                got = await self.attempt(request.messages, request.tools)
            if isinstance(got, Reply):
                return dataclasses.replace(got, retries=len(failures))
            failures.append(got)
            if not may_retry(failures, self._max_retries):
                raise ProviderError(tell(failures, self.endpoint.key))
            await self._sleep(delay(len(failures), got.wait, self._rng))

    async def attempt(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        max_tokens: int | None = None,
        timeout: float | None = None,
    ) -> Reply | Failure:
        """Ask once, or once more where the endpoint refuses an optional parameter.

        The arguments left out are those of the agent. Takes no slot.
        """
        deadline = time.perf_counter() + (timeout or self._timeout)
        while True:
            body = self._body(messages, tools, max_tokens or self._max_tokens)
            began = time.perf_counter()
            got = await self._call(body, max(0.0, deadline - began))
            if isinstance(got, Reply):
                seconds = time.perf_counter() - began
                return dataclasses.replace(
                    got, seconds=seconds, meta={**got.meta, **self._dropped(body)}
                )
            name = refused_parameter(got.status, got.param, got.text, body)
            if name is None:
                return got
            self._refused.add(name)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _body(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        max_tokens: int,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"messages": list(messages)}
        limits = ["max_tokens", "max_completion_tokens"]
        if self.endpoint.reasoning:
            limits.reverse()
        elif self._temperature is not None and "temperature" not in self._refused:
            body["temperature"] = self._temperature
        for limit in limits:
            if limit not in self._refused:
                body[limit] = max_tokens
                break
        if tools:
            body["tools"] = list(tools)
        return body

    def _dropped(self, body: Mapping[str, Any]) -> dict[str, list[str]]:
        wished = ["max_tokens"]
        if self._temperature is not None:
            wished.append("temperature")
        dropped = [name for name in wished if name not in body]
        return {"dropped": dropped} if dropped else {}

    async def _call(self, body: dict[str, Any], timeout: float) -> Reply | Failure:
        # Imported here: the package takes most of a second.
        import openai

        try:
            raw = await asyncio.wait_for(self._post(body), timeout)
            content, headers = raw.http_response.content, raw.headers
        except openai.APIStatusError as error:
            return _complaint(error, self.endpoint.key)
        except asyncio.TimeoutError:
            return Failure("timeout", f"no answer in {timeout:.3g} seconds", again=True)
        except Exception as error:
            # Not all that the transports raise is translated by the package.
            return _fault(error)
        try:
            reply = read_completion(content)
        except Unreadable as error:
            return _unreadable(error)
        named = next((headers[n] for n in _REQUEST_IDS if n in headers), "")
        if not named:
            return reply
        return dataclasses.replace(
            reply, meta={**reply.meta, "request_id": named[:200]}
        )

    async def _post(self, body: dict[str, Any]) -> Any:
        create = self._open().chat.completions.with_raw_response.create
        model = self.endpoint.model
        # Under extra_body the package sends the messages as they are; as an argument it
        # walks all of them again for every call, which halves the calls per second.
        try:
            return await create(model=model, messages=[], extra_body=body)
        except UnicodeEncodeError:  # a tool printed half a character
            return await create(model=model, messages=[], extra_body=cleaned(body))

    def _open(self) -> openai.AsyncOpenAI:
        if self._client is None:
            import openai

            # Whole calls are timed by us: a body that drips never stops being read.
            timeout = openai.Timeout(None, connect=CONNECT)
            # A proxy of the environment reaches this machine from somewhere else.
            proxied = self.endpoint.provider != LOCAL
            try:
                transport = openai.DefaultAioHttpClient(
                    timeout=timeout, trust_env=proxied
                )
            except RuntimeError:  # aiohttp is not installed; slower, but the same
                transport = openai.DefaultAsyncHttpxClient(
                    timeout=timeout, trust_env=proxied
                )
            self._client = openai.AsyncOpenAI(
                api_key=self.endpoint.key or NO_KEY,
                base_url=self.endpoint.base_url,
                max_retries=0,
                timeout=timeout,
                http_client=transport,
            )
            if self.endpoint.provider != "openai":
                # Read from the environment by the package; nobody else's business.
                self._client.organization = self._client.project = None
        return self._client


def _complaint(error: openai.APIStatusError, key: str) -> Reply | Failure:
    """What an answer with an HTTP status of failure says."""
    status, headers = error.status_code, error.response.headers
    code, param, text = read_error(error.response.content)
    if is_context_overflow(status, code, text):
        return Reply("", label="context_overflow", meta={"error": short(text, key)})
    if status == 400 and code == "content_filter":
        return Reply("", label="refused", meta={"error": short(text, key)})
    return Failure(
        name=str(status),
        text=text,
        status=status,
        code=code,
        param=param,
        again=is_retried(status, code),
        wait=retry_after(headers, time.time()),
    )


def _unreadable(error: Unreadable) -> Failure:
    if not error.status:
        return Failure(INVALID, str(error), again=True)
    return Failure(
        name=str(error.status),
        text=str(error),
        status=error.status,
        code=error.code,
        again=is_retried(error.status, error.code),
    )


def _fault(error: BaseException) -> Failure:
    """What went wrong with the connection, named by the innermost known exception."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    for kind, name in _FAULTS:
        for link in chain:
            names = [cls.__name__ for cls in type(link).__mro__]
            if kind in names if isinstance(kind, str) else isinstance(link, kind):
                return Failure(name, again=True)
    # What we sent cannot be sent: it will not be better the next time.
    ours = isinstance(error, (TypeError, ValueError))
    text = f"{type(error).__name__}: {error}" if ours else type(chain[-1]).__name__
    return Failure("call failed" if ours else "connection fault", text, again=not ours)
