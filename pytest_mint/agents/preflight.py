"""One call before the first test: a wrong name or key costs seconds, not a run."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies

from pytest_mint.agents.retry import FINAL_CODES, Failure, short
from pytest_mint.errors import UserError

if TYPE_CHECKING:
    from pytest_mint.agents.chat import ChatAgent
    from pytest_mint.agents.endpoints import Endpoint

#: Seconds for the call. With a second for imports it stays under the promised five.
SECONDS = 4.0
#: Room for a word; some endpoints refuse a limit of 1.
_MAX_TOKENS = 16
#: Several endpoints answer 400 to a name they do not know, or to a wrong key.
_NO_MODEL = re.compile(
    r"model.{0,80}(not (exist|found|a valid)|unknown|invalid|retired|deprecated)"
    r"|(invalid|unknown|no such) model|(not|no) (a )?valid model",
    re.IGNORECASE | re.DOTALL,
)
_NO_MODEL_CODES = frozenset({"model_not_found", "invalid_model", "unknown_model"})
_NO_KEY = re.compile(r"api[ _-]?key|authenticat|credentials", re.IGNORECASE)
_NO_MONEY = re.compile(r"credit balance|insufficient (balance|credit|funds)", re.I)
_UNREACHABLE = {
    "connection refused": "nothing listens there; is the server running?",
    "host not found": "there is no such host; is the address right?",
    "timeout": "no answer within {seconds:g} seconds; is the server running and the "
    "model loaded?",
    "TLS failure": "it does not speak TLS as it should; is https right?",
}


async def preflight(agent: ChatAgent, seconds: float = SECONDS) -> None:
    """Make sure that the endpoint answers for this model, with one small call.

    Whatever answer shows that the model is there is good enough: limits of the moment
    and trouble of the server are left to the retries of the run.

    Args:
        agent: whom to ask; may be used or closed afterwards.
        seconds: the longest this may take, without the import of packages.

    Raises:
        UserError: there is no such model, the key is wrong or used up, or nobody
            answers; says what to do.
    """
    endpoint = agent.endpoint
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    if not await _resolves(endpoint.base_url, seconds):
        got: object = Failure("timeout")
    else:
        ping = ({"role": "user", "content": "ping"},)
        left = max(0.1, deadline - loop.time())
        got = await agent.attempt(ping, max_tokens=_MAX_TOKENS, timeout=left)
    if isinstance(got, Failure) and (problem := _problem(got, endpoint, seconds)):
        raise UserError(problem)


def _problem(failure: Failure, endpoint: Endpoint, seconds: float) -> str:
    """What the user can do about a failure; empty where the run may begin."""
    said = short(failure.text, endpoint.key)
    quoted = f' "{said}"' if said else ""
    answers = f"{endpoint.base_url} answers {failure.name}{quoted}"
    text, status, role = failure.text, failure.status, endpoint.role
    if not status:
        return _silent(failure, endpoint, seconds)
    if status == 402 or failure.code in FINAL_CODES or _NO_MONEY.search(text):
        return (
            f"{answers}: the account behind {endpoint.key_variable} has no quota left; "
            f"add to it, set another key, or {role.instead}"
        )
    if status in (401, 403) or (status == 400 and _NO_KEY.search(text)):
        if not endpoint.key:
            return f"{answers}: it wants a key; set {endpoint.key_variable}"
        return f"{answers}: check the key in {endpoint.key_variable}"
    if status in (404, 405, 410) or _names_no_model(failure):
        # A server that knows no such path speaks of no model.
        model = "model" in failure.code or "model" in text.lower()
        address = "" if model else f", set another {role.base_url}"
        return (
            f"{role.model}={endpoint.name}: {answers}; the model is unknown or retired "
            f"there: choose another model{address}, or {role.instead}"
        )
    return ""


def _names_no_model(failure: Failure) -> bool:
    if failure.status not in (400, 422):
        return False
    return failure.code in _NO_MODEL_CODES or bool(_NO_MODEL.search(failure.text))


def _silent(failure: Failure, endpoint: Endpoint, seconds: float) -> str:
    """For a call that has no HTTP status."""
    if failure.name == "invalid answer":
        return ""  # status 200
    said = short(failure.text, endpoint.key)
    reason = _UNREACHABLE.get(
        failure.name,
        f"{failure.name}{f' ({said})' if said else ''}; is it the right one?",
    ).format(seconds=seconds)
    return (
        f"{endpoint.role.model}={endpoint.name}: cannot talk to {endpoint.base_url}: "
        f"{reason} Set {endpoint.role.base_url}, or {endpoint.role.instead}"
    )


async def _resolves(base_url: str, seconds: float) -> bool:
    """Whether the host's name is looked up in time, with whatever result.

    A lookup cannot be stopped. Event loops do it on threads that the interpreter waits
    for when it ends, so that one silent name server would hold the session for half a
    minute after the error; a daemon thread is left behind.
    """
    if getproxies().keys() & {"http", "https", "all"}:  # the proxy looks it up
        return True
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    host = urlsplit(base_url).hostname or ""

    def look_up() -> None:
        # The call itself meets a wrong name again, at once, and tells of it.
        with contextlib.suppress(OSError, UnicodeError):
            socket.getaddrinfo(host, None)
        with contextlib.suppress(RuntimeError):  # the loop has ended before us
            loop.call_soon_threadsafe(done.set)

    threading.Thread(target=look_up, name="mint-lookup", daemon=True).start()
    try:
        await asyncio.wait_for(done.wait(), seconds)
    except asyncio.TimeoutError:
        return False
    return True
