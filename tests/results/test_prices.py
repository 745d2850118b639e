from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from importlib import resources
from urllib.parse import urlsplit

import genai_prices
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mint.agents.endpoints import read_table
from pytest_mint.errors import UserError
from pytest_mint.records import Tokens
from pytest_mint.results.prices import (
    FREE,
    SELLERS,
    Price,
    cost,
    find_price,
    parse_price,
)
from tests.programs import run_python

UNPRICED = {"alibaba", "azure", "ollama", "vllm", "lmstudio", "llamacpp", "custom"}
VERSION = f"genai-prices {genai_prices.__version__}"


def price(prompt: str, completion: str, cached: str, source: str = "--mint-price"):
    return Price(Decimal(prompt), Decimal(completion), Decimal(cached), source)


MINE = price("0.5", "1.5", "0.5")


@pytest.mark.parametrize(
    ("tokens", "dollars"),
    [
        (Tokens(), "0"),
        (Tokens(1_000_000, 0), "3"),
        (Tokens(0, 1_000_000), "15"),
        (Tokens(1_000_000, 0, 1_000_000), "0.3"),
        (Tokens(1, 1), "0.000018"),
        (Tokens(1000, 100, 600), "0.00288"),
        (Tokens(10, 0, 40), "0.000003"),  # more cached than sent
    ],
)
def test_tokens_cost_their_share_of_a_million(tokens, dollars):
    assert cost(price("3", "15", "0.3"), tokens) == Decimal(dollars)


AMOUNTS = st.decimals(0, 10**9 - 1, places=9)
MANY = st.integers(0, 10**15)


@given(AMOUNTS, AMOUNTS, AMOUNTS, MANY, MANY, st.floats(0, 1))
def test_no_cent_is_rounded_away(prompt, completion, cached, sent, received, part):
    had = int(sent * part)
    found = cost(Price(prompt, completion, cached, ""), Tokens(sent, received, had))
    had = min(had, sent)
    exact = (
        Fraction(prompt) * (sent - had)
        + Fraction(cached) * had
        + Fraction(completion) * received
    )
    assert Fraction(found) == exact / 10**6


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("my-model=0.5/1.5", "my-model", MINE),
        ("my-model=0.5/1.5/0.05", "my-model", price("0.5", "1.5", "0.05")),
        ("openrouter/x/y:free=0/0", "openrouter/x/y:free", price("0", "0", "0")),
        (" m = 1. / .25 ", "m", price("1", "0.25", "1")),
        ("a=b=1/2", "a=b", price("1", "2", "1")),
        ("m=0.1/0.3", "m", price("0.1", "0.3", "0.1")),
    ],
)
def test_a_price_is_read(text, name, expected):
    assert parse_price(text) == (name, expected)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no ="),
        ("my-model", "no ="),
        ("0.5/1.5", "no ="),
        ("=0.5/1.5", "no name before the ="),
        ("m=", "1 number after the ="),
        ("m=0.5", "1 number after the ="),
        ("m=1/2/3/4", "4 numbers after the ="),
        ("m=1/", "'' is no price"),
        ("m=$1/$2", "'$1' is no price"),
        ("m=-1/2", "'-1' is no price"),
        ("m=1/nan", "'nan' is no price"),
        ("m=1/inf", "'inf' is no price"),
        ("m=1e3/2", "'1e3' is no price"),
        ("m=0,5/1", "'0,5' is no price"),
        ("m=1/2/.", "'.' is no price"),
        ("m=٣/1", "'٣' is no price"),
        ("m=1234567890/1", "'1234567890' is no price"),
    ],
)
def test_what_is_no_price_is_named(text, problem):
    with pytest.raises(UserError) as caught:
        parse_price(text)
    assert str(caught.value) == (
        f"--mint-price={text}: {problem}; expected NAME=PROMPT/COMPLETION[/CACHED] in "
        "US dollars per million tokens, such as my-model=0.5/1.5"
    )


def test_every_provider_is_a_known_seller_or_unpriced_on_purpose():
    text = resources.files("pytest_mint.agents").joinpath("models.yaml").read_text()
    entries = read_table(text, "models.yaml")
    providers = {entry.provider for entry in entries}
    assert providers - {"local"} | {"custom"} == set(SELLERS)
    assert {one for one, seller in SELLERS.items() if seller is None} == UNPRICED
    for entry in entries:
        if seller := SELLERS.get(entry.provider):
            assert urlsplit(entry.base_url).hostname == seller.host


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("anthropic", "claude-sonnet-4-5"),  # has tiers
        ("openai", "gpt-4o"),
        ("openai", "gpt-4-turbo"),  # has no price of cached tokens
        ("google", "gemini-2.5-pro"),
        ("mistral", "mistral-large-latest"),
        ("deepseek", "deepseek-chat"),
        ("xai", "grok-4"),
        ("moonshot", "kimi-k2-0905-preview"),
        ("cohere", "command-r-plus-08-2024"),
        ("openrouter", "openai/gpt-4o"),
        ("openrouter", "meta-llama/llama-3.3-70b-instruct"),
        ("together", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
        ("groq", "llama-3.3-70b-versatile"),
        ("fireworks", "accounts/fireworks/models/qwen3-235b-a22b"),
        ("cerebras", "gpt-oss-120b"),
    ],
)
@pytest.mark.parametrize("tokens", [Tokens(1200, 300), Tokens(90_000, 700, 60_000)])
def test_a_listed_model_costs_what_the_library_says(provider, model, tokens):
    found = find_price(model, provider, {})
    assert found is not None
    assert found.source == VERSION
    usage = genai_prices.Usage(
        input_tokens=tokens.prompt,
        cache_read_tokens=tokens.cached,
        output_tokens=tokens.completion,
    )
    seller = SELLERS[provider]
    assert seller is not None
    said = genai_prices.calc_price(usage, model, provider_id=seller.library_id)
    assert cost(found, tokens) == said.total_price
    assert said.provider.id == seller.library_id


def test_known_prices_are_those():
    found = find_price("gpt-4-turbo", "openai", {})
    assert found == price("10", "30", "10", VERSION)
    found = find_price("claude-sonnet-4-5", "anthropic", {})
    assert found == price("3", "15", "0.3", VERSION)


@pytest.mark.parametrize("provider", [*sorted(UNPRICED), "", "a-company-of-mine"])
@pytest.mark.parametrize("model", ["gpt-4o", "deepseek-chat", "openai/gpt-4o"])
def test_a_server_of_ones_own_has_no_price_of_a_namesake(provider, model):
    assert find_price(model, provider, {}) is None


@pytest.mark.parametrize(
    ("address", "priced"),
    [
        ("", True),
        ("https://api.openai.com/v1", True),
        ("http://localhost:8000/v1", False),
        ("https://api.openai.com.example.org/v1", False),
        ("https://mine.openai.azure.com/openai/v1", False),
    ],
)
def test_another_address_is_another_seller(address, priced):
    assert (find_price("gpt-4o", "openai", {}, address) is not None) == priced
    assert find_price("gpt-4o", "openai", {"gpt-4o": MINE}, address) == MINE


def test_the_local_model_is_free_at_whatever_address():
    assert find_price("local", "local", {}, "http://127.0.0.1:39999/v1") == FREE


def test_a_name_may_have_the_prefix_that_chose_the_provider():
    short = find_price("openai/gpt-4o", "openrouter", {})
    assert short is not None
    assert find_price("openrouter/openai/gpt-4o", "openrouter", {}) == short


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-99"),
        ("anthropic", "gpt-4o"),
        ("openai", "text-embedding-3-small"),  # no price of what comes out
        ("openai", "tts-1"),  # sold by the character
    ],
)
def test_what_the_library_does_not_know_is_unpriced(provider, model):
    assert find_price(model, provider, {}) is None


def test_what_runs_here_is_free():
    assert find_price("oracle", "local", {}) == FREE
    assert cost(FREE, Tokens(10**9, 10**9)) == 0


@pytest.mark.parametrize("model", ["x/y", "openrouter/x/y"])
@pytest.mark.parametrize("named", ["x/y", "openrouter/x/y"])
def test_ones_own_price_goes_by_either_name(model, named):
    assert find_price(model, "openrouter", {named: MINE}) == MINE
    assert find_price(model, "openrouter", {"y": MINE}) is None


@pytest.mark.parametrize("provider", ["openai", "vllm", "local", "custom", ""])
def test_ones_own_price_comes_first(provider):
    assert find_price("gpt-4o", provider, {"gpt-4o": MINE}) == MINE


def test_the_library_is_loaded_only_where_it_is_asked():
    code = (
        "import sys; from pytest_mint.results.prices import find_price, parse_price\n"
        "find_price('m', 'vllm', {}); find_price('m', 'local', {})\n"
        "find_price('gpt-4o', 'openai', dict([parse_price('gpt-4o=1/2')]))\n"
        "print('genai_prices' in sys.modules)"
    )
    assert run_python(code).strip() == "False"
