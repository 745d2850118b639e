"""The vocabulary of the benchmark, as plain constants that cost nothing to import."""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

Category = Literal[
    "reasoning",
    "coding",
    "decision_making",
    "information_retrieval",
    "creative_writing",
    "science",
    "tool_use",
    "instruction_following",
]
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

#: How an episode was played: ``ef`` hears only what the environment says by itself,
#: ``nlf`` also hears a teacher's hints.
Arm = Literal["ef", "nlf"]
ARMS: Final[tuple[Arm, ...]] = ("ef", "nlf")

#: Arms whose hints say nothing about the task: what they rescue is owed to the extra
#: attention, not to what a hint says.
CONTROLS: Final = ("placebo", "swapped")
ALL_ARMS: Final[tuple[str, ...]] = (*ARMS, *CONTROLS)

#: How much a hint tells, in the order in which a teacher gives them.
LEVELS: Final = ("vague", "specific", "direct")

#: One level higher with each hint.
LADDER: Final = "ladder"

#: The level that gives the answer, so that solving after it is no understanding.
DIRECT: Final = "direct"

#: ``strict`` is right; ``faithful`` repeats the original benchmark's rules as they were
#: when its records were made, ``faithful-now`` as they are since June 2024.
Grading = Literal["strict", "faithful", "faithful-now"]
GRADINGS: Final[tuple[Grading, ...]] = ("strict", "faithful", "faithful-now")

#: The level of a hint that names none, as in recordings of the original benchmark, and
#: that of no hint at all.
UNLABELLED: Final = "unlabelled"
NO_HINT: Final = "none"

#: Outcomes that are the agent's own and count in every rate.
VALID: Final = ("solved", "unsolved", "limit", "context_overflow", "refused", "empty")

#: Outcomes that say nothing about the agent: named and counted, never scored.
MISSING: Final = (
    "provider_error",
    "sandbox_error",
    "feedback_error",
    "grader_error",
    "budget_stop",
    "cancelled",
)

#: The rates are those of a five-turn episode, whatever was played.
MAX_K: Final = 5

#: How a hint begins in what the agent hears.
HINT_MARK: Final = "Hint: "

#: A host that web_scraper may read: a name of letters, not an address, and perhaps
#: a port; without one the usual ports of http and https.
HOST: Final = re.compile(
    r"(?=[^:]{1,253}(?::|$))(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*"
    r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?::[1-9][0-9]{0,4})?"
)
