from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket
import time
import traceback

import pytest
from hypothesis import given, settings

from pytest_mint.agents.base import ToolCall
from pytest_mint.agents.chat import ChatAgent
from pytest_mint.errors import ProviderError
from pytest_mint.records import Tokens
from tests.agents.asking import KEY, Naps, ask, endpoint, request
from tests.agents.server import (
    Answer,
    Seen,
    closed_port,
    completion,
    failed,
    ok,
    said,
    serve,
)
from tests.agents.test_completion import BODIES

PYTHON = {"type": "function", "function": {"name": "python", "parameters": {}}}


def finished(reason: str, content: object = "hello", **message: object) -> Answer:
    data = completion(content, **message)
    data["choices"][0]["finish_reason"] = reason
    return said(data)


# What is asked


def test_the_conversation_is_sent_as_it_is() -> None:
    messages = (
        {"role": "system", "content": "Solve it."},
        {"role": "user", "content": "Ünïcode ☃ \U0001f600"},
    )
    asked = ask(ok(), asked=request(messages))
    (seen,) = asked.server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body == {
        "model": "test-model",
        "messages": list(messages),
        "temperature": 0.0,
        "max_tokens": 2048,
    }


def test_tools_are_sent_where_there_are_some() -> None:
    asked = ask(ok(), asked=request(tools=(PYTHON,)))
    assert asked.server.seen[0].body["tools"] == [PYTHON]


def test_a_reasoning_model_gets_its_own_parameters_and_it_is_recorded() -> None:
    asked = ask(ok(), fields={"reasoning": True}, max_tokens=99)
    body = asked.server.seen[0].body
    assert body["max_completion_tokens"] == 99
    assert "temperature" not in body
    assert "max_tokens" not in body
    assert asked.answer.meta["dropped"] == ["max_tokens", "temperature"]


def test_no_temperature_is_sent_and_none_missed_where_none_is_wished() -> None:
    asked = ask(ok(), temperature=None)
    assert "temperature" not in asked.server.seen[0].body
    assert "dropped" not in asked.answer.meta


def test_half_a_character_in_the_prompt_is_replaced() -> None:
    messages = ({"role": "user", "content": "cut \ud83d here"},)
    asked = ask(ok(), asked=request(messages))
    sent = asked.server.seen[0].body["messages"]
    assert sent == [{"role": "user", "content": "cut \ufffd here"}]


def test_what_cannot_be_sent_is_an_error_without_a_second_try() -> None:
    asked = ask(ok(), asked=request(({"role": "user", "content": {1, 2}},)))
    assert isinstance(asked.error, ProviderError)
    assert "set is not JSON serializable" in asked.problem
    assert asked.naps.seconds == []


def test_the_organisation_of_one_provider_is_not_told_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    asked = ask(ok(), fields={"provider": "mistral"})
    assert not {"openai-organization", "openai-project"} & set(
        asked.server.seen[0].headers
    )
    asked = ask(ok(), fields={"provider": "openai"})
    assert asked.server.seen[0].headers["openai-organization"] == "org-1"


# What is answered


def test_an_answer_keeps_what_is_worth_keeping() -> None:
    answer = said(completion("42"), headers={"x-request-id": "req-7"})
    reply = ask(answer).answer
    assert reply.text == "42"
    assert reply.label == ""
    assert reply.calls == ()
    assert reply.tokens == Tokens(11, 7)
    assert reply.retries == 0
    assert reply.meta == {
        "model": "served-model",
        "id": "chatcmpl-1",
        "system_fingerprint": "fp_1",
        "finish_reason": "stop",
        "request_id": "req-7",
    }


def test_the_time_is_that_of_the_call_that_answered() -> None:
    began = time.perf_counter()
    reply = ask(failed(500, delay=0.3), ok()).answer
    assert reply.retries == 1
    assert 0 < reply.seconds <= time.perf_counter() - began - 0.3


def test_tool_calls_keep_name_arguments_and_id() -> None:
    calls = [
        {
            "id": "call_a",
            "type": "function",
            "function": {"name": "python", "arguments": '{"code": "1"}'},
        },
        {"id": "call_b", "function": {"name": "search", "arguments": "not JSON"}},
    ]
    reply = ask(finished("tool_calls", None, tool_calls=calls)).answer
    assert reply.calls == (
        ToolCall("python", '{"code": "1"}', "call_a"),
        ToolCall("search", "not JSON", "call_b"),
    )
    assert (reply.text, reply.label) == ("", "")


@pytest.mark.parametrize(
    ("answer", "label", "text"),
    [
        pytest.param(ok(""), "empty", "", id="empty text"),
        pytest.param(ok(" \n"), "empty", " \n", id="blank text"),
        pytest.param(ok(None), "empty", "", id="null"),
        pytest.param(ok([]), "empty", "", id="no parts"),
        pytest.param(ok(None, tool_calls=[]), "empty", "", id="no calls"),
        pytest.param(finished("length", "Let me thi"), "cut", "Let me thi", id="cut"),
        pytest.param(finished("length", None), "cut", "", id="cut before a word"),
        pytest.param(
            finished("content_filter", "I"), "refused", "I", id="content filter"
        ),
        pytest.param(ok(None, refusal="No."), "refused", "No.", id="refusal"),
        pytest.param(
            ok([{"type": "refusal", "refusal": "No."}]),
            "refused",
            "No.",
            id="part refusal",
        ),
        pytest.param(
            failed(400, "filtered", "content_filter"), "refused", "", id="prompt filter"
        ),
        pytest.param(
            ok([{"type": "text", "text": "4"}, {"type": "text", "text": "2"}]),
            "",
            "42",
            id="parts",
        ),
        pytest.param(ok("a\ud800b"), "", "a\ufffdb", id="lone surrogate"),
        pytest.param(ok("a\0b"), "", "a\ufffdb", id="NUL"),
        pytest.param(ok("\ud83d\ude00"), "", "\U0001f600", id="surrogate pair"),
    ],
)
def test_labels(answer: Answer, label: str, text: str) -> None:
    reply = ask(answer).answer
    assert (reply.label, reply.text) == (label, text)
    reply.text.encode()


@pytest.mark.parametrize(
    ("status", "code", "text"),
    [
        (400, "context_length_exceeded", "too long"),
        (400, None, "This model's maximum context length is 4096 tokens. However, you"),
        (400, None, "prompt is too long: 208310 tokens > 200000 maximum"),
        (400, None, "input length and `max_tokens` exceed context limit: 1 + 2 > 2"),
        (400, None, "The input token count (9) exceeds the maximum number of tokens"),
        (400, "exceed_context_size_error", "the request is too large"),
        (400, None, "the request exceeds the available context size, try increasing"),
        (400, None, "This model's maximum prompt length is 131072 but the request"),
        (413, None, "Please reduce the length of the messages or completion."),
        (422, None, "`inputs` tokens + `max_new_tokens` must be <= 4097"),
        (400, None, "Range of input length should be [1, 30720]"),
        (
            400,
            None,
            "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's "
            "maximum context length is 4096 tokens and your request has 3000",
        ),
    ],
)
def test_a_prompt_that_is_too_long_ends_the_episode_and_is_not_retried(
    status: int, code: str | None, text: str
) -> None:
    asked = ask(failed(status, text, code))
    assert asked.answer.label == "context_overflow"
    assert asked.answer.meta["error"] == text
    assert len(asked.server.seen) == 1


# Parameters that the endpoint refuses

NO_TEMPERATURE = failed(
    400,
    "Unsupported value: 'temperature' does not support 0.0 with this model. Only the "
    "default (1) value is supported.",
    "unsupported_value",
)
NO_MAX_TOKENS = failed(
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    "'max_completion_tokens' instead.",
    "unsupported_parameter",
)


def picky(seen: Seen) -> Answer:
    if "temperature" in seen.body:
        return NO_TEMPERATURE
    return NO_MAX_TOKENS if "max_tokens" in seen.body else ok()


def test_refused_parameters_are_dropped_once_and_for_all() -> None:
    async def play(url: str) -> list[list[str]]:
        agent = ChatAgent(endpoint(url))
        replies = [await agent.reply(request()) for _ in range(2)]
        await agent.close()
        assert [reply.retries for reply in replies] == [0, 0]
        return [reply.meta["dropped"] for reply in replies]

    with serve(picky) as server:
        assert asyncio.run(play(server.url)) == [["max_tokens", "temperature"]] * 2
    sent = [sorted(seen.body.keys() - {"model", "messages"}) for seen in server.seen]
    assert sent == [
        ["max_tokens", "temperature"],
        ["max_tokens"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]
    assert server.seen[-1].body["max_completion_tokens"] == 2048


@pytest.mark.parametrize(
    "detail",
    [
        {"error": {"message": "bad value", "param": "temperature"}},
        {"error": {"message": "`temperature` is deprecated for this model."}},
        {
            "detail": [
                {
                    "loc": ["body", "temperature"],
                    "msg": "Extra inputs are not permitted",
                }
            ]
        },
        [{"error": {"message": "temperature: unknown field", "code": 400}}],
    ],
)
def test_complaints_about_the_temperature_are_understood(detail: object) -> None:
    asked = ask(said(detail, 400), ok())
    assert asked.answer.meta["dropped"] == ["temperature"]


def test_a_server_that_knows_only_the_old_name_gets_it() -> None:
    def old(seen: Seen) -> Answer:
        if "max_completion_tokens" in seen.body:
            return failed(400, "Unrecognized argument: max_completion_tokens")
        return ok()

    asked = ask(old, fields={"reasoning": True})
    assert asked.server.seen[-1].body["max_tokens"] == 2048


def test_a_limit_that_is_too_high_is_for_the_user_to_lower() -> None:
    asked = ask(failed(400, "max_tokens must be at most 1024"))
    assert asked.problem == "400: max_tokens must be at most 1024"
    assert len(asked.server.seen) == 1


def test_a_server_that_refuses_everything_is_not_asked_for_ever() -> None:
    def sulky(seen: Seen) -> Answer:
        return failed(400, f"unsupported: {sorted(seen.body)}")

    asked = ask(sulky)
    assert isinstance(asked.error, ProviderError)
    assert len(asked.server.seen) == 4


def test_asking_without_a_parameter_takes_from_the_same_timeout() -> None:
    slow = Answer(NO_TEMPERATURE.body, 400, delay=0.5)
    asked = ask(slow, Answer(fault="hang"), timeout=2.0, max_retries=0)
    assert asked.problem.startswith("timeout: no answer in ")
    assert 0 < float(asked.problem.split()[4]) <= 1.5


# Failures


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529, 599])
def test_passing_troubles_are_retried(status: int) -> None:
    asked = ask(failed(status), failed(status), ok())
    assert asked.answer.retries == 2
    assert asked.naps.seconds == [1.0, 2.0]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 409, 410, 422, 451])
def test_other_client_errors_are_final(status: int) -> None:
    asked = ask(failed(status, "no"))
    assert asked.problem == f"{status}: no"
    assert isinstance(asked.error, ProviderError)
    assert len(asked.server.seen) == 1


def test_a_quota_that_is_used_up_is_final() -> None:
    asked = ask(failed(429, "You exceeded your quota", "insufficient_quota"))
    assert asked.problem == "429: You exceeded your quota"
    assert len(asked.server.seen) == 1


def test_the_error_says_how_often_what_happened() -> None:
    overloaded = failed(503, "overloaded")
    asked = ask(overloaded, max_retries=5)
    assert asked.problem == "503 six times: overloaded"
    assert asked.naps.seconds == [1.0, 2.0, 4.0, 8.0, 16.0]
    asked = ask(failed(429, "slow"), Answer(fault="reset"), overloaded, max_retries=3)
    assert asked.problem == "429 once, connection reset once, 503 twice: overloaded"


def test_no_retries_means_one_attempt() -> None:
    asked = ask(failed(500, "broken"), max_retries=0)
    assert asked.problem == "500: broken"
    assert len(asked.server.seen) == 1


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "7"}, 8.0),
        ({"retry-after": "0.25"}, 1.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 2.5),
        ({"retry-after": "3600"}, 60.0),
        ({"retry-after": "soon"}, 1.0),
    ],
)
def test_retry_after_is_waited_with_jitter_on_top(
    headers: dict[str, str], wait: float
) -> None:
    asked = ask(failed(429, headers=headers), ok())
    assert asked.naps.seconds == [wait]


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (Answer(fault="close"), "connection closed"),
        (Answer(fault="reset"), "connection reset"),
        (
            Answer(json.dumps(completion()).encode(), fault="truncate"),
            "answer cut off",
        ),
    ],
)
def test_connection_faults_are_retried_under_their_name(
    fault: Answer, name: str
) -> None:
    asked = ask(fault, ok())
    assert asked.answer.retries == 1
    asked = ask(fault, max_retries=1)
    assert asked.problem == f"{name} twice"


@pytest.mark.parametrize(
    "fault",
    [
        Answer(fault="hang"),
        Answer(json.dumps(completion()).encode(), drip=0.02),
    ],
)
def test_a_call_ends_at_its_timeout_however_it_drags_on(fault: Answer) -> None:
    asked = ask(fault, timeout=0.3, max_retries=1)
    assert asked.problem == "timeout twice: no answer in 0.3 seconds"


def test_nobody_listening_is_a_named_fault() -> None:
    async def play() -> None:
        agent = ChatAgent(
            endpoint(f"http://localhost:{closed_port()}/v1"),
            sleep=Naps(),
            max_retries=2,
        )
        try:
            await agent.reply(request())
        finally:
            await agent.close()

    with pytest.raises(ProviderError, match=r"^connection refused three times$"):
        asyncio.run(play())


def test_a_host_that_does_not_exist_is_a_named_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unknown(*args: object, **options: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # no test asks the network

    async def play() -> None:
        url = "http://no-such-host.invalid/v1"
        agent = ChatAgent(endpoint(url), max_retries=0)
        try:
            await agent.reply(request())
        finally:
            await agent.close()

    with pytest.raises(ProviderError, match=r"^host not found$"):
        asyncio.run(play())


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "the body is no JSON"),
        (b"<html>hello</html>", "the body is no JSON"),
        (b"\xff\xfe\x00", "the body is no JSON"),
        (b"[" * 200_000, "the body is no JSON"),
        (b"[]", "the body is no JSON object"),
        (b"{}", "no choices"),
        (b'{"choices": []}', "no choices"),
        (b'{"choices": null}', "no choices"),
        (b'{"choices": [{}]}', "no choices"),
        (b'{"choices": [{"message": null, "index": 0}]}', "a choice without a message"),
        (b'{"choices": [{"message": {"content": 42}}]}', "the content is no text"),
    ],
)
def test_an_unreadable_body_is_asked_for_twice_more(body: bytes, reason: str) -> None:
    asked = ask(Answer(body))
    assert asked.problem == f"invalid answer three times: {reason}"
    assert len(asked.server.seen) == 3
    assert ask(Answer(body), ok()).answer.retries == 1


def test_any_json_that_is_served_is_a_reply_or_a_provider_error() -> None:
    body: object = None

    def current(seen: Seen) -> Answer:
        return said(body)

    loop = asyncio.new_event_loop()
    with serve(current) as server, contextlib.closing(loop):
        agent = ChatAgent(endpoint(server.url), sleep=Naps())

        @given(BODIES)
        @settings(max_examples=60, deadline=None)
        def any_body(drawn: object) -> None:
            nonlocal body
            body = drawn
            with contextlib.suppress(ProviderError):
                loop.run_until_complete(agent.reply(request())).text.encode()

        any_body()
        loop.run_until_complete(agent.close())


def test_a_gateway_that_reports_a_failure_under_status_200_is_believed() -> None:
    overloaded = said({"error": {"message": "overloaded", "code": 502}})
    asked = ask(overloaded, max_retries=4)
    assert asked.problem == "502 five times: overloaded"
    asked = ask(said({"error": {"message": "no such model", "code": 404}}))
    assert asked.problem == "404: no such model"


# The key


@pytest.mark.parametrize(
    "answer",
    [
        failed(401, f"Incorrect API key provided: {KEY}."),
        failed(400, "x" * 190 + KEY),
        Answer(f"<html><title>{KEY}</title></html>".encode(), 403),
        said({"error": KEY}, 400),
        said({"error": {"message": f"bad {KEY}", "code": 401}}),
    ],
)
def test_the_key_is_in_no_error_log_or_repr(
    answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    asked = ask(answer)
    assert isinstance(asked.error, ProviderError)
    shown = "".join(traceback.format_exception(asked.error))
    assert asked.error.__context__ is None
    for text in (shown, caplog.text, repr(asked.error), repr(endpoint("http://h"))):
        assert KEY[:12] not in text


@pytest.mark.parametrize("code", ["context_length_exceeded", "content_filter"])
def test_the_key_is_in_no_reply(code: str) -> None:
    asked = ask(failed(400, f"not for {KEY}", code))
    assert asked.answer.meta["error"] == "not for ***"


def test_a_stranger_s_text_is_one_short_printable_line() -> None:
    asked = ask(failed(400, "\x1b[31mred\x1b[0m\nline\r\n" + "y" * 5000))
    assert "\x1b" not in asked.problem
    assert "\n" not in asked.problem
    assert len(asked.problem) < 250


# Slots


def test_slots_bound_the_calls_in_flight() -> None:
    async def play(url: str) -> None:
        agent = ChatAgent(endpoint(url), slots=3)
        await asyncio.gather(*(agent.reply(request()) for _ in range(12)))
        await agent.close()

    with serve(said(completion(), together=3)) as server:
        asyncio.run(play(server.url))
    assert server.peak == 3
    assert len(server.seen) == 12


def test_agents_can_share_their_slots() -> None:
    async def play(url: str) -> None:
        slots = asyncio.Semaphore(2)
        agents = [ChatAgent(endpoint(url), slots=slots) for _ in range(4)]
        await asyncio.gather(*(agent.reply(request()) for agent in agents))
        for agent in agents:
            await agent.close()

    with serve(said(completion(), together=2)) as server:
        asyncio.run(play(server.url))
    assert server.peak == 2


def test_a_slot_is_free_while_its_last_user_waits_to_try_again() -> None:
    async def play(url: str) -> list[str]:
        second_done = asyncio.Event()

        async def until_the_other_has_its_answer(seconds: float) -> None:
            await asyncio.wait_for(second_done.wait(), 10)

        agent = ChatAgent(endpoint(url), slots=1, sleep=until_the_other_has_its_answer)
        first = asyncio.create_task(agent.reply(request()))
        await asyncio.sleep(0)  # the first takes the slot
        second = await agent.reply(request())
        second_done.set()
        texts = [(await first).text, second.text]
        await agent.close()
        return texts

    with serve(failed(500), ok("second"), ok("first")) as server:
        texts = asyncio.run(asyncio.wait_for(play(server.url), 20))
    assert texts == ["first", "second"]


def test_a_cancelled_call_gives_its_slot_back() -> None:
    async def play(url: str) -> str:
        agent = ChatAgent(endpoint(url), slots=1)
        stuck = asyncio.create_task(agent.reply(request()))
        while not server.seen:
            await asyncio.sleep(0.01)
        stuck.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stuck
        text = (await agent.reply(request())).text
        await agent.close()
        return text

    with serve(Answer(fault="hang"), ok("free")) as server:
        assert asyncio.run(play(server.url)) == "free"


def test_one_connection_serves_one_call_after_another() -> None:
    async def play(url: str) -> None:
        agent = ChatAgent(endpoint(url))
        for _ in range(5):
            await agent.reply(request())
        await agent.close()

    with serve(ok()) as server:
        asyncio.run(play(server.url))
        assert server.connections == 1


def test_the_answer_is_the_same_without_aiohttp(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import openai

    def missing(**options: object) -> None:
        raise RuntimeError("the extra is not installed")

    monkeypatch.setattr(openai, "DefaultAioHttpClient", missing)
    assert ask(ok("plain")).answer.text == "plain"
    for fault in ("close", "reset", "truncate"):
        body = json.dumps(completion()).encode()
        asked = ask(Answer(body, fault=fault), max_retries=1)  # type: ignore[arg-type]
        assert asked.problem in (
            "connection closed twice",
            "connection reset twice",
        )


def test_closing_an_agent_that_was_never_used_is_fine() -> None:
    asyncio.run(ChatAgent(endpoint("http://localhost:1/v1")).close())


def test_the_agent_introduces_itself() -> None:
    agent = ChatAgent(endpoint("http://h/v1", name="vllm/x", native_tools=False))
    assert (agent.name, agent.native_tools, agent.forks) == ("vllm/x", False, True)
