"""What tokens cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from pytest_mint.errors import UserError
from pytest_mint.records import Tokens
from pytest_mint.settings import LOCAL

if TYPE_CHECKING:
    from genai_prices.types import TieredPrices

OPTION = "--mint-price"


class Seller(NamedTuple):
    """A provider whose prices genai-prices lists, and the host that it sells at."""

    library_id: str
    host: str


#: The providers of ``models.yaml``; None where the library must not be asked. A price
#: that is not known can be given, a wrong one is believed.
SELLERS: Mapping[str, Seller | None] = {
    "anthropic": Seller("anthropic", "api.anthropic.com"),
    "openai": Seller("openai", "api.openai.com"),
    "google": Seller("google", "generativelanguage.googleapis.com"),
    "mistral": Seller("mistral", "api.mistral.ai"),
    "deepseek": Seller("deepseek", "api.deepseek.com"),
    "xai": Seller("x-ai", "api.x.ai"),
    "moonshot": Seller("moonshotai", "api.moonshot.ai"),
    "cohere": Seller("cohere", "api.cohere.ai"),
    "openrouter": Seller("openrouter", "openrouter.ai"),
    "together": Seller("together", "api.together.ai"),
    "groq": Seller("groq", "api.groq.com"),
    "fireworks": Seller("fireworks", "api.fireworks.ai"),
    "cerebras": Seller("cerebras", "api.cerebras.ai"),
    # Not in the library.
    "alibaba": None,
    # Its names are the customer's own: a deployment gpt-4o may be any model.
    "azure": None,
    # Servers of the user's own cost what the machine costs, which nobody knows here;
    # what they serve often has the name of a model that is sold elsewhere.
    "ollama": None,
    "vllm": None,
    "lmstudio": None,
    "llamacpp": None,
    "custom": None,
}

_PER = -6  # prices are per 10**6 tokens
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}")


@dataclass(frozen=True)
class Price:
    """What a model's tokens cost, in US dollars per million.

    Attributes:
        prompt: of tokens sent.
        completion: of tokens received.
        cached: of tokens sent that the endpoint had in its cache.
        source: who says so: ``genai-prices 0.2.3``, ``--mint-price`` or ``free``.
    """

    prompt: Decimal
    completion: Decimal
    cached: Decimal
    source: str


FREE = Price(Decimal(0), Decimal(0), Decimal(0), "free")


def cost(price: Price, tokens: Tokens) -> Decimal:
    """What tokens cost, in US dollars, without rounding.

    Of an endpoint that counts more cached tokens than sent ones, all sent ones are
    taken to be cached.
    """
    cached = min(tokens.cached, tokens.prompt)
    with localcontext() as exact:
        exact.prec = 60  # more digits than prices and counts have together
        return (
            price.prompt * (tokens.prompt - cached)
            + price.cached * cached
            + price.completion * tokens.completion
        ).scaleb(_PER)


def parse_price(text: str) -> tuple[str, Price]:
    """Reads a price that the user gives, such as ``my-model=0.5/1.5``.

    Args:
        text: ``NAME=PROMPT/COMPLETION[/CACHED]`` in US dollars per million tokens,
            each with up to nine digits before and after the point. Without CACHED a
            cached token costs what any other costs. NAME may hold slashes.

    Returns:
        The name and its price.

    Raises:
        UserError: names the value, what is wrong with it and what is expected.
    """
    name, equals, numbers = (part.strip() for part in text.rpartition("="))
    if not equals:
        raise _error(text, "no =")
    if not name:
        raise _error(text, "no name before the =")
    parts = [part.strip() for part in numbers.split("/")]
    if len(parts) not in (2, 3):
        given = "1 number" if len(parts) == 1 else f"{len(parts)} numbers"
        raise _error(text, f"{given} after the =")
    for part in parts:
        if not _NUMBER.fullmatch(part):
            raise _error(text, f"{part!r} is no price")
    prompt, completion, *cached = map(Decimal, parts)
    return name, Price(prompt, completion, cached[0] if cached else prompt, OPTION)


def _error(text: str, problem: str) -> UserError:
    return UserError(
        f"{OPTION}={text}: {problem}; expected NAME=PROMPT/COMPLETION[/CACHED] in US "
        "dollars per million tokens, such as my-model=0.5/1.5"
    )


def find_price(
    model: str, provider: str, own: Mapping[str, Price], base_url: str = ""
) -> Price | None:
    """What a model's tokens cost.

    The user's own price comes first, then the table that genai-prices carries: its
    list price at this moment for a short prompt. Dearer tiers for long prompts, fees
    per request, search or write to the cache, and rebates are left out. Where the
    table knows no rate for cached tokens they cost what all others do.

    Args:
        model: its name, with or without the ``provider/`` that chose the provider.
        provider: who serves it, as in ``models.yaml``; ``local`` costs nothing.
        own: prices of the user's by name, likewise with or without ``provider/``.
        base_url: the address that is asked, empty for the provider's own. At another
            host, one of ``--mint-base-url`` say, only ``own`` knows the price,
            whatever the model is called there.

    Returns:
        None where nobody knows the price.
    """
    sent = model.removeprefix(f"{provider}/")
    for name in (model, f"{provider}/{sent}", sent):
        if name in own:
            return own[name]
    if provider == LOCAL:
        return FREE
    seller = SELLERS.get(provider)
    if seller is None or (base_url and urlsplit(base_url).hostname != seller.host):
        return None
    return _listed(sent, seller.library_id)


def _listed(model: str, library_id: str) -> Price | None:
    # Takes 0.3 s to import. Its prices are those of its release: that it can fetch
    # newer ones is left alone, since a run must need no further network.
    import genai_prices

    try:
        found = genai_prices.calc_price(
            genai_prices.Usage(), model, provider_id=library_id
        )
    except LookupError:
        return None
    prices = found.model_price
    prompt, completion = _base(prices.input_mtok), _base(prices.output_mtok)
    if prompt is None or completion is None:
        return None  # sold by the hour or the picture, or no price is on record
    cached = _base(prices.cache_read_mtok)
    source = f"genai-prices {genai_prices.__version__}"
    return Price(prompt, completion, prompt if cached is None else cached, source)


def _base(price: Decimal | TieredPrices | None) -> Decimal | None:
    if price is None or isinstance(price, Decimal):
        return price
    return price.base
