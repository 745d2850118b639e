"""The models that the settings name: the agent, the teacher, the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mint.agents.chat import ChatAgent
from pytest_mint.agents.endpoints import AGENT, JUDGE, TEACHER, Role, find_endpoint
from pytest_mint.settings import LOCAL, Settings

if TYPE_CHECKING:
    import asyncio

#: Tokens of one reply of the judge, its thoughts included.
JUDGE_TOKENS = 4096
#: Tokens of a hint or a verdict of the local model, which often finds no end by itself.
LOCAL_TOKENS = 160


def named_agent(
    settings: Settings,
    role: Role,
    slots: int | asyncio.Semaphore = 1,
    *,
    local_url: str = "",
) -> ChatAgent:
    """The model that plays a role; nothing is opened yet.

    Judge and teacher are asked at temperature 0, so that they say the same again.

    Args:
        settings: that name a model for the role.
        slots: how many calls may be in flight, or what says so.
        local_url: where the local model answers, if the session serves it.

    Raises:
        UserError: no endpoint is known for the model, or its key is not set.
    """
    model, url, temperature, max_tokens = {
        AGENT: (
            settings.model,
            settings.base_url,
            settings.temperature,
            settings.max_tokens,
        ),
        TEACHER: (
            settings.feedback_model,
            settings.feedback_base_url,
            0.0,
            settings.max_tokens,
        ),
        JUDGE: (settings.judge_model, settings.judge_base_url, 0.0, JUDGE_TOKENS),
    }[role]
    if model == LOCAL and not url:
        # The server of the session has no key, and no table of the user's knows it.
        endpoint = find_endpoint(model, local_url, {}, role)
        max_tokens = max_tokens if role is AGENT else min(max_tokens, LOCAL_TOKENS)
    else:
        endpoint = find_endpoint(model, url, role=role)
    return ChatAgent(
        endpoint,
        slots=slots,
        max_retries=settings.max_retries,
        timeout=settings.timeout,
        temperature=temperature,
        max_tokens=max_tokens,
    )
