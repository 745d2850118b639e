"""Reading what an endpoint sends: answers and complaints, in all their dialects.

Nothing in a body is trusted: whatever JSON it holds, reading it gives a reply or says
why there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pytest_mint.agents.base import Reply, ToolCall
from pytest_mint.records import Tokens

#: A server that ignores the token limit is not allowed to fill the memory of a run.
MAX_TEXT = 1_000_000
_MAX_WORD = 200

#: How providers say that a prompt is too long, where they give no code for it.
_OVERFLOW = re.compile(
    r"maximum context length"  # OpenAI, DeepSeek, Mistral, vLLM
    r"|context[ _](window|limit|size)"  # Anthropic, llama.cpp, several gateways
    r"|prompt is too long"  # Anthropic
    r"|input token count.{0,40}exceeds"  # Gemini
    r"|maximum prompt length"  # xAI
    r"|reduce (the length of the messages|your prompt)"  # OpenAI, Groq
    r"|tokens \+ `?max_new_tokens`? must be"  # text-generation-inference
    r"|range of input length should be",  # Qwen
    re.IGNORECASE,
)
_OVERFLOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_UNSUPPORTED = re.compile(
    r"unsupported|not support|deprecated|unknown|unrecogni[sz]ed|unexpected|extra "
    r"|not permitted|not allowed|only the default|not accept",
    re.IGNORECASE,
)
#: The parameters that some models refuse and an answer can do without.
_OPTIONAL = ("temperature", "max_tokens", "max_completion_tokens")


class Unreadable(ValueError):
    """A body without a usable message.

    Attributes:
        status: the HTTP status that the body itself names, 0 if none; gateways report
            failures of the server behind them under status 200.
        code: their word for it.
    """

    def __init__(self, text: str, status: int = 0, code: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.code = code


def read_completion(body: bytes) -> Reply:
    """Read a chat completion.

    ``label`` says what is special about it; a refusal is also the text where there is
    no other. Arguments that are null or empty become ``{}``: several servers write so
    where a function takes none. Characters that are no text (lone surrogates, NUL)
    become U+FFFD.

    Raises:
        Unreadable: there is no message in it.
    """
    data = _parse(body)
    if not isinstance(data, dict):
        raise Unreadable("the body is no JSON object")
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    for holder in (data, choice):
        if isinstance(holder, dict) and holder.get("error"):
            raise _reported(holder)
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise Unreadable("no choices" if not choice else "a choice without a message")
    assert isinstance(choice, dict)
    text, refusal = _content(message)
    calls = _calls(message.get("tool_calls"))
    finish = _word(choice.get("finish_reason"))
    return Reply(
        text=text[:MAX_TEXT] or refusal[:MAX_TEXT],
        calls=calls,
        label=_label(text, calls, refusal, finish),
        tokens=_tokens(data.get("usage")),
        meta={
            name: word
            for name, word in (
                ("model", _word(data.get("model"))),
                ("id", _word(data.get("id"))),
                ("system_fingerprint", _word(data.get("system_fingerprint"))),
                ("finish_reason", finish),
            )
            if word
        },
    )


def read_error(body: bytes) -> tuple[str, str, str]:
    """Read the body of a failed call: the endpoint's code, the parameter, its words."""
    try:
        data = _parse(body)
    except Unreadable:
        page = body[:100_000].decode("utf-8", "replace")
        title = re.search(r"<title[^>]*>(.*?)</title>", page, re.DOTALL | re.IGNORECASE)
        return "", "", clean(title[1] if title else re.sub(r"<[^>]*>", " ", page))
    if isinstance(data, list) and data:
        data = data[0]
    inner = data.get("error") or data if isinstance(data, dict) else data
    if not isinstance(inner, dict):
        return "", "", clean(inner if isinstance(inner, str) else _dump(inner))
    return _code(inner), _word(inner.get("param")), clean(_message(inner))


def is_context_overflow(status: int, code: str, text: str) -> bool:
    """Whether a complaint says that the prompt is too long for the model."""
    if status not in (400, 413, 422):
        return False
    return code in _OVERFLOW_CODES or bool(_OVERFLOW.search(text))


def refused_parameter(
    status: int, param: str, text: str, sent: Mapping[str, Any]
) -> str | None:
    """The optional parameter of ``sent`` that a complaint calls unsupported."""
    if status not in (400, 422):
        return None
    unsupported = bool(_UNSUPPORTED.search(text))
    for name in _OPTIONAL:
        named = param == name or re.search(rf"\b{name}\b", text)
        # A limit that is only too high is for the user to lower.
        if name in sent and named and (unsupported or name == param == "temperature"):
            return name
    return None


def clean(text: str) -> str:
    """The text with U+FFFD where it holds what is no text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "\ufffd")


def cleaned(value: Any) -> Any:
    """JSON data with every string of it :func:`clean`."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {cleaned(key): cleaned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned(item) for item in value]
    return value


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Unreadable("the body is no JSON") from None


def _reported(holder: Mapping[str, Any]) -> Unreadable:
    error = holder["error"]
    if not isinstance(error, dict):
        return Unreadable(clean(error if isinstance(error, str) else _dump(error)))
    number = error.get("code")
    status = number if type(number) is int and 400 <= number <= 599 else 0
    return Unreadable(clean(_message(error)), status, _code(error))


def _code(error: Mapping[str, Any]) -> str:
    words = (error.get(name) for name in ("code", "type", "status"))
    return next((_word(w) for w in words if isinstance(w, str) and not w.isdigit()), "")


def _message(error: Mapping[str, Any]) -> str:
    """What a complaint says, with what a gateway quotes of the server behind it."""
    said = error.get("message") or error.get("detail") or error.get("msg")
    if isinstance(said, list):  # one item per wrong field
        said = "; ".join(_complaint(item) for item in said)
    metadata = error.get("metadata")
    quoted = metadata.get("raw") if isinstance(metadata, dict) else None
    parts = [said if isinstance(said, str) else _dump(said or dict(error))]
    return " ".join(parts + ([quoted] if isinstance(quoted, str) else []))


def _complaint(item: Any) -> str:
    if not isinstance(item, dict):
        return item if isinstance(item, str) else _dump(item)
    place, said = item.get("loc"), item.get("msg")
    steps = (
        [str(step) for step in place if isinstance(step, (str, int))]
        if isinstance(place, list)
        else []
    )
    return ": ".join([".".join(steps), said if isinstance(said, str) else _dump(said)])


def _content(message: Mapping[str, Any]) -> tuple[str, str]:
    """What a message says, and with what words it refuses."""
    content, refusal = message.get("content"), message.get("refusal")
    texts: list[str] = []
    refusals = [refusal] if isinstance(refusal, str) else []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            texts.append(part["text"] if isinstance(part.get("text"), str) else "")
            if isinstance(part.get("refusal"), str):
                refusals.append(part["refusal"])
        elif part is not None:
            raise Unreadable("the content is no text")
    return clean("".join(texts)), clean("".join(refusals))


def _calls(calls: Any) -> tuple[ToolCall, ...]:
    if not isinstance(calls, list):
        return ()
    return tuple(_call(number, call) for number, call in enumerate(calls, 1))


def _call(number: int, call: Any) -> ToolCall:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        # Kept, so that the agent hears that it called nothing that exists.
        return ToolCall("", clean(_dump(call))[:MAX_TEXT], f"call_{number}")
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = _dump({} if arguments is None else arguments)
    return ToolCall(
        name=_word(function.get("name")),
        arguments=clean(arguments)[:MAX_TEXT] or "{}",
        id=_word(call.get("id")) or f"call_{number}",
    )


def _label(text: str, calls: tuple[ToolCall, ...], refusal: str, finish: str) -> str:
    if refusal or finish == "content_filter":
        return "refused"
    if finish in ("length", "model_length", "max_tokens") or len(text) > MAX_TEXT:
        return "cut"
    return "" if text.strip() or calls else "empty"


def _tokens(usage: Any) -> Tokens:
    counts = usage if isinstance(usage, dict) else {}
    details = counts.get("prompt_tokens_details")
    prompt = _count(counts, "prompt_tokens")
    # The second name is DeepSeek's.
    cached = _count(details, "cached_tokens") or _count(
        counts, "prompt_cache_hit_tokens"
    )
    return Tokens(prompt, _count(counts, "completion_tokens"), min(cached, prompt))


def _count(counts: Any, name: str) -> int:
    number = counts.get(name) if isinstance(counts, dict) else None
    return number if type(number) is int and number > 0 else 0


def _word(value: Any) -> str:
    return clean(value[:_MAX_WORD]) if isinstance(value, str) else ""


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "nested too deeply"
