"""Whether two models are likely to be of one maker, and so to favour each other."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from pytest_mint.agents.endpoints import provider_of


def same_family(one: str, other: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether two models have one provider, or names that begin with the same word.

    A prefix such as ``openrouter/`` names a gateway or a server, which says nothing
    about who made a model; only the name after it counts then.

    Args:
        one, other: the names as the user wrote them.
        environ: where ``MINT_MODELS`` is read.
    """
    if _stem(one) == _stem(other):
        return True
    if "/" in one or "/" in other:
        return False
    provider = provider_of(one, environ)
    return bool(provider) and provider == provider_of(other, environ)


def _stem(name: str) -> str:
    last = name.rpartition("/")[2].lower()
    word = re.match(r"[a-z]+", last)
    return word[0] if word else last
