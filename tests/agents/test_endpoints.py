from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from pytest_mint.agents.endpoints import Endpoint, find_endpoint, read_table
from pytest_mint.errors import UserError

KEYS = {
    name: f"key-of-{name}"
    for name in (
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "MISTRAL_API_KEY",
        "DEEPSEEK_API_KEY",
        "XAI_API_KEY",
        "DASHSCOPE_API_KEY",
        "MOONSHOT_API_KEY",
        "COHERE_API_KEY",
        "OPENROUTER_API_KEY",
        "TOGETHER_API_KEY",
        "GROQ_API_KEY",
        "FIREWORKS_API_KEY",
        "CEREBRAS_API_KEY",
        "AZURE_OPENAI_API_KEY",
    )
} | {"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com/"}


@pytest.mark.parametrize(
    ("name", "provider", "model", "variable", "manners"),
    [
        ("claude-2", "anthropic", "claude-2", "ANTHROPIC_API_KEY", "tools"),
        (
            "claude-opus-4-1",
            "anthropic",
            "claude-opus-4-1",
            "ANTHROPIC_API_KEY",
            "tools",
        ),
        (
            "gpt-3.5-turbo-0613",
            "openai",
            "gpt-3.5-turbo-0613",
            "OPENAI_API_KEY",
            "tools",
        ),
        ("gpt-4-0613", "openai", "gpt-4-0613", "OPENAI_API_KEY", "tools"),
        ("gpt-4o-mini", "openai", "gpt-4o-mini", "OPENAI_API_KEY", "tools"),
        ("chatgpt-4o-latest", "openai", "chatgpt-4o-latest", "OPENAI_API_KEY", "tools"),
        ("gpt-5-chat-latest", "openai", "gpt-5-chat-latest", "OPENAI_API_KEY", "tools"),
        ("gpt-5", "openai", "gpt-5", "OPENAI_API_KEY", "tools reasoning"),
        ("gpt-5.1-mini", "openai", "gpt-5.1-mini", "OPENAI_API_KEY", "tools reasoning"),
        ("o1", "openai", "o1", "OPENAI_API_KEY", "tools reasoning"),
        ("o3-mini", "openai", "o3-mini", "OPENAI_API_KEY", "tools reasoning"),
        ("o4-mini", "openai", "o4-mini", "OPENAI_API_KEY", "tools reasoning"),
        ("gemini-2.5-pro", "google", "gemini-2.5-pro", "GEMINI_API_KEY", "tools"),
        (
            "mistral-large-latest",
            "mistral",
            "mistral-large-latest",
            "MISTRAL_API_KEY",
            "tools",
        ),
        ("codestral-2508", "mistral", "codestral-2508", "MISTRAL_API_KEY", "tools"),
        ("deepseek-chat", "deepseek", "deepseek-chat", "DEEPSEEK_API_KEY", "tools"),
        ("grok-4", "xai", "grok-4", "XAI_API_KEY", "tools"),
        ("qwen-max", "alibaba", "qwen-max", "DASHSCOPE_API_KEY", "tools"),
        (
            "qwen3-coder-plus",
            "alibaba",
            "qwen3-coder-plus",
            "DASHSCOPE_API_KEY",
            "tools",
        ),
        ("kimi-k2.6", "moonshot", "kimi-k2.6", "MOONSHOT_API_KEY", "tools"),
        ("command-a-03-2025", "cohere", "command-a-03-2025", "COHERE_API_KEY", "tools"),
        (
            "openrouter/anthropic/claude-2",
            "openrouter",
            "anthropic/claude-2",
            "OPENROUTER_API_KEY",
            "tools",
        ),
        (
            "openrouter/openai/o3",
            "openrouter",
            "openai/o3",
            "OPENROUTER_API_KEY",
            "tools reasoning",
        ),
        (
            "together/meta-llama/Llama-3",
            "together",
            "meta-llama/Llama-3",
            "TOGETHER_API_KEY",
            "tools",
        ),
        ("groq/llama-3.3", "groq", "llama-3.3", "GROQ_API_KEY", "tools"),
        (
            "fireworks/accounts/a/models/b",
            "fireworks",
            "accounts/a/models/b",
            "FIREWORKS_API_KEY",
            "tools",
        ),
        (
            "cerebras/llama3.1-8b",
            "cerebras",
            "llama3.1-8b",
            "CEREBRAS_API_KEY",
            "tools",
        ),
        (
            "azure/my-deployment",
            "azure",
            "my-deployment",
            "AZURE_OPENAI_API_KEY",
            "tools",
        ),
        ("azure/o3", "azure", "o3", "AZURE_OPENAI_API_KEY", "tools reasoning"),
        ("ollama/llama3.3:70b", "ollama", "llama3.3:70b", "OLLAMA_API_KEY", ""),
        ("vllm/meta/Llama", "vllm", "meta/Llama", "VLLM_API_KEY", ""),
        ("lmstudio/x", "lmstudio", "x", "LMSTUDIO_API_KEY", ""),
        ("llamacpp/x", "llamacpp", "x", "LLAMA_API_KEY", ""),
    ],
)
def test_names_find_their_endpoint(
    name: str, provider: str, model: str, variable: str, manners: str
) -> None:
    found = find_endpoint(name, environ=KEYS)
    assert found == Endpoint(
        name=name,
        provider=provider,
        model=model,
        base_url=found.base_url,
        key_variable=variable,
        key=KEYS.get(variable, ""),
        native_tools="tools" in manners,
        reasoning="reasoning" in manners,
    )


@pytest.mark.parametrize(
    ("name", "base_url"),
    [
        ("claude-2", "https://api.anthropic.com/v1"),
        ("gpt-4o", "https://api.openai.com/v1"),
        ("gemini-x", "https://generativelanguage.googleapis.com/v1beta/openai"),
        ("mistral-x", "https://api.mistral.ai/v1"),
        ("deepseek-chat", "https://api.deepseek.com"),
        ("grok-4", "https://api.x.ai/v1"),
        ("openrouter/a/b", "https://openrouter.ai/api/v1"),
        ("groq/a", "https://api.groq.com/openai/v1"),
        ("azure/a", "https://mine.openai.azure.com/openai/v1"),
        ("ollama/a", "http://localhost:11434/v1"),
        ("vllm/a", "http://localhost:8000/v1"),
    ],
)
def test_addresses(name: str, base_url: str) -> None:
    assert find_endpoint(name, environ=KEYS).base_url == base_url


def test_a_server_of_one_s_own_takes_any_name() -> None:
    found = find_endpoint("Llama-2-70b", "http://gpu:8000/v1/", {})
    assert found == Endpoint(
        name="Llama-2-70b",
        provider="custom",
        model="Llama-2-70b",
        base_url="http://gpu:8000/v1",
        key_variable="MINT_API_KEY",
        key="",
        native_tools=False,
        reasoning=False,
    )


def test_an_address_of_one_s_own_keeps_the_manners_of_the_model() -> None:
    found = find_endpoint("vllm/meta/Llama", "http://gpu:8000/v1", {})
    assert (found.provider, found.model) == ("vllm", "meta/Llama")
    assert find_endpoint("o3", "http://proxy/v1", {}).reasoning


@pytest.mark.parametrize(
    ("environ", "variable", "key"),
    [
        ({"MINT_API_KEY": "m", "OPENAI_API_KEY": "o"}, "MINT_API_KEY", "m"),
        ({"OPENAI_API_KEY": "o"}, "OPENAI_API_KEY", "o"),
        ({"MINT_API_KEY": " "}, "MINT_API_KEY", ""),
        ({}, "MINT_API_KEY", ""),
    ],
)
def test_the_key_for_an_address_of_one_s_own(
    environ: dict[str, str], variable: str, key: str
) -> None:
    found = find_endpoint("gpt-4", "http://proxy/v1", environ)
    assert (found.key_variable, found.key) == (variable, key)


def test_a_key_loses_the_line_end_it_was_copied_with() -> None:
    found = find_endpoint("gpt-4", environ={"OPENAI_API_KEY": "sk-1\n"})
    assert found.key == "sk-1"


def test_the_key_is_kept_out_of_repr() -> None:
    found = find_endpoint("gpt-4", environ={"OPENAI_API_KEY": "sk-secret"})
    assert "sk-secret" not in repr(found)
    assert "sk-secret" not in str(dataclasses.replace(found, model="x"))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h:1/v1", "http://h:1/v1"),
        (" http://h:1/v1// ", "http://h:1/v1"),
        ("https://h/v1/chat/completions", "https://h/v1"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_addresses_are_brought_into_one_form(url: str, expected: str) -> None:
    assert find_endpoint("x", url, {}).base_url == expected


@pytest.mark.parametrize(
    ("name", "base_url", "environ", "said"),
    [
        ("", "", {}, "--mint-model is empty"),
        ("ollama/", "", {}, "the name of a model follows the slash"),
        (
            "claude-2",
            "",
            {},
            "--mint-model=claude-2 needs a key of anthropic: set the environment "
            "variable ANTHROPIC_API_KEY, or play a recording with --mint-replay DIR",
        ),
        ("gpt-4", "", {"OPENAI_API_KEY": " "}, "variable OPENAI_API_KEY"),
        (
            "gpt-4",
            "",
            {"OPENAI_API_KEY": "sk-\u2026"},
            "OPENAI_API_KEY holds characters",
        ),
        ("gpt-4", "", {"OPENAI_API_KEY": "a\r\nb"}, "OPENAI_API_KEY holds characters"),
        (
            "azure/x",
            "",
            {"AZURE_OPENAI_API_KEY": "k"},
            "environment variable AZURE_OPENAI_ENDPOINT, or --mint-base-url",
        ),
        (
            "azure/x",
            "",
            {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "mine"},
            "'mine/openai/v1' is no address",
        ),
        ("x", "localhost:8000", {}, "'localhost:8000' is no address; give one like"),
        ("x", "ftp://h/v1", {}, "is no address"),
        ("x", "http://", {}, "is no address"),
        ("x", "http://h:port/v1", {}, "is no address"),
        ("x", "http://[::1/v1", {}, "is no address"),
        ("x", "http://h/v1?key=abc", {}, "must hold no password, query or fragment"),
    ],
)
def test_what_cannot_be_used_is_told(
    name: str, base_url: str, environ: dict[str, str], said: str
) -> None:
    with pytest.raises(UserError) as caught:
        find_endpoint(name, base_url, environ)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_password_in_the_address_is_not_repeated() -> None:
    with pytest.raises(UserError) as caught:
        find_endpoint("x", "http://me:hunter2@h/v1", {})
    assert "hunter2" not in str(caught.value)
    assert "MINT_API_KEY" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("cluade-2", "claude-*"),
        ("claude2", "claude-*"),
        ("Claude-2", "claude-*"),
        ("gemni-pro", "gemini-*"),
        ("openrooter/x", "openrouter/*"),
        ("olama/llama3", "ollama/*"),
    ],
)
def test_a_name_that_is_nearly_right_is_recognised(name: str, meant: str) -> None:
    with pytest.raises(UserError, match=r"set --mint-base-url") as caught:
        find_endpoint(name, environ=KEYS)
    assert f"did you mean {meant}?" in str(caught.value)


def test_a_name_like_none_gets_no_guess() -> None:
    with pytest.raises(UserError) as caught:
        find_endpoint("zzz", environ=KEYS)
    assert "did you mean" not in str(caught.value)
    assert "claude-*" in str(caught.value)


OWN = """
- models: [claude-*, lab/*]
  provider: lab
  base_url: http://lab:1/v1
  key_variable: LAB_KEY
  key_needed: false
"""


def test_a_table_of_one_s_own_comes_first(tmp_path: Path) -> None:
    table = tmp_path / "models.yaml"
    table.write_text(OWN, "utf-8")
    environ = {"MINT_MODELS": str(table), "LAB_KEY": "l", **KEYS}
    assert find_endpoint("claude-2", environ=environ).base_url == "http://lab:1/v1"
    assert find_endpoint("lab/own", environ=environ).model == "own"
    assert find_endpoint("lab/own", environ=environ).key == "l"
    assert find_endpoint("gpt-4", environ=environ).provider == "openai"


def entry(**fields: object) -> str:
    lines = {
        "models": "[a-*]",
        "provider": "lab",
        "base_url": "http://lab/v1",
        "key_variable": "LAB_KEY",
        **fields,
    }
    pairs = "\n  ".join(f"{k}: {v}" for k, v in lines.items() if v is not None)
    return f"- {pairs}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (entry(models="[]"), "t.yaml: entry 1 (lab), models: "),
        (entry(models="a-*"), "entry 1 (lab), models: "),
        (
            entry() + entry(provider="second", base_url=None),
            "entry 2 (second), base_url: ",
        ),
        (entry(native_tool="true"), "entry 1 (lab), native_tool: "),
        (entry(reasoning="maybe"), "entry 1 (lab), reasoning: "),
        (entry(key_variable="sk-abc123"), "entry 1 (lab), key_variable: "),
        ("- just text", "entry 1: "),
        ("models: x", "the file: "),
        ("", "the file: "),
        ("- a: [", "t.yaml, line "),
        ("- a:\n\t- b", "t.yaml, line 2: no YAML: "),
    ],
)
def test_a_wrong_table_names_entry_and_field(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        read_table(text, "t.yaml")
    assert said in str(caught.value)
    assert "sk-abc123" not in str(caught.value)


def test_all_problems_of_a_table_are_told_at_once() -> None:
    text = entry(models="[]", reasoning="maybe") + entry(base_url=None)
    with pytest.raises(UserError) as caught:
        read_table(text, "t.yaml")
    assert len(str(caught.value).splitlines()) == 3


def test_a_table_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("- models: [é]".encode("latin-1"))
    for path, said in (
        (tmp_path / "none.yaml", "No such file"),
        (tmp_path, "cannot be read"),
        (latin, "the file is not UTF-8"),
    ):
        with pytest.raises(UserError, match=said) as caught:
            find_endpoint("x", environ={"MINT_MODELS": str(path)})
        assert str(caught.value).startswith(f"MINT_MODELS={path}: ")


def test_a_stray_dollar_in_an_address_is_told(tmp_path: Path) -> None:
    table = tmp_path / "models.yaml"
    table.write_text(entry(base_url="http://$/v1", key_needed="false"), "utf-8")
    with pytest.raises(UserError, match=r"a \$ that is no \$\{NAME\}"):
        find_endpoint("a-1", environ={"MINT_MODELS": str(table)})
