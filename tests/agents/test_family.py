from __future__ import annotations

import pytest

from pytest_mint.agents.family import same_family


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("gpt-4o", "gpt-5", True),
        ("gpt-4o", "o3-mini", True),  # one provider
        ("claude-2", "claude-sonnet-4", True),
        ("claude-2", "gpt-4o", False),
        ("openrouter/anthropic/claude-3", "claude-2", True),
        ("openrouter/anthropic/claude-3", "openrouter/openai/gpt-4o", False),
        ("ollama/llama3.3", "ollama/qwen3", False),
        ("ollama/llama3.3", "vllm/Llama-2-70b", True),
        ("mine", "mine", True),
        ("mine", "yours", False),
        ("7b", "7b", True),
        ("oracle", "gpt-4o", False),
    ],
)
def test_a_family_is_a_provider_or_the_first_word_of_a_name(one, other, same):
    assert same_family(one, other, {}) is same
    assert same_family(other, one, {}) is same
