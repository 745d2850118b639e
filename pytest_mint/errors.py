"""What can go wrong, and whose fault it is.

::

    MintError
    ├── UserError           a wrong option, file or name: one sentence, no traceback
    └── Missing             an episode that says nothing about the agent
        ├── ProviderError   the endpoint, or a recording that ends too early
        ├── SandboxError    the place where code runs
        ├── FeedbackError   the teacher
        └── GraderError     the grader, the judge or the task itself
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pytest_mint.records import Spent


class MintError(Exception):
    """Base of all errors that this package raises on purpose."""


class UserError(MintError, ValueError):
    """Something the user gave cannot be used; the text says what to do instead."""


class Missing(MintError, RuntimeError):
    """The episode cannot be scored; ``outcome`` is the word it is counted under.

    Args:
        text: what happened.
        spent: what teacher or judge took before they failed, if anything.
    """

    outcome: ClassVar[str] = "cancelled"

    def __init__(self, text: str, spent: Spent | None = None) -> None:
        super().__init__(text)
        self.spent = spent


class ProviderError(Missing):
    """The endpoint failed for good, or a recording has no more replies."""

    outcome = "provider_error"


class SandboxError(Missing):
    """The sandbox failed; what the code in it did is never an error of this kind."""

    outcome = "sandbox_error"


class FeedbackError(Missing):
    """The teacher gave no usable hint."""

    outcome = "feedback_error"


class GraderError(Missing):
    """The task or the judge is broken: neither a pass nor a fail."""

    outcome = "grader_error"
