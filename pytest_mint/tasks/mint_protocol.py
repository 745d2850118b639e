"""What the MINT benchmark's environment says, word for word.

The sentences are part of its protocol: a model that hears others plays another
benchmark. They are those of the published recordings (Apache License 2.0, Wang et al.,
"MINT: Evaluating LLMs in Multi-turn Interaction with Tools and Language Feedback",
arXiv 2309.10691).
"""

from __future__ import annotations

import re

WRONG = "Your answer is wrong."
NOT_UNDERSTOOD = (
    "I don't understand your input. \n"
    "If you want to execute code, please use <execute> YOUR_CODE_HERE </execute>.\n"
    "If you want to give me an answer, please use "
    "<solution> YOUR_SOLUTION_HERE </solution>.\n"
    "For example: The answer to the question is <solution> 42 </solution>. \n"
)
NO_OUTPUT = "[Executed Successfully with No Output]"
#: The longest output, in characters, and what stands behind one that was cut.
MAX_OUTPUT = 2000
CUT = "...\n[Output Truncated]"
EXPERT = "\nExpert feedback:\n"
SPEAKER = "Assistant:"


def shortened(text: str) -> str:
    """What a tool printed, as the agent sees it; what is cut already stays as it is."""
    if len(text) <= MAX_OUTPUT or text.endswith(CUT):
        return text
    return text[:MAX_OUTPUT] + CUT


def heard(observation: str, steps: int, proposals: int, expert: str = "") -> str:
    """The message after an unsolved turn.

    Args:
        observation: what the environment answered.
        steps, proposals: how many are left.
        expert: what the teacher said, if there is one.
    """
    text = f"Observation:\n{observation}\nYou have {steps} steps left and {proposals} "
    text += "chances to propose solution left.\n"
    if steps <= 1:
        text += "You should take the last step to propose a solution.\n"
    return f"{text}{EXPERT}{expert}\n" if expert else text


def said(text: str) -> str:
    """A reply as it stands in the conversation, with its speaker in front."""
    name = "" if text.lstrip().startswith(SPEAKER) else f"{SPEAKER}\n"
    return f"{name}{text}\n"


def asked(frame: str, task_input: str) -> str:
    """The first message: rules, tools and a worked example, then the task."""
    return f"{frame}{task_input.rstrip()}\n"


def proposals_allowed(steps: int) -> int:
    """Two, or one in an episode of one step."""
    return 1 if steps == 1 else 2


def is_proposal(text: str) -> bool:
    """Whether a reply proposes a solution; then nothing in it is run."""
    return "<solution>" in text


def solution_in(text: str) -> str:
    """The content of all solution blocks, one per line; empty where none is whole."""
    return _blocks("solution", text)


def code_in(text: str) -> str:
    """The content of all code blocks, one per line; empty where none is whole."""
    return _blocks("execute", text)


def _blocks(tag: str, text: str) -> str:
    # Nothing after the last end is searched: many openings without one would take for
    # ever, and the text is a model's.
    whole = text[: text.rfind(f"</{tag}>") + len(f"</{tag}>")]
    found = re.findall(f"<{tag}>(.*?)</{tag}>", whole, re.DOTALL)
    return "\n".join(block.strip() for block in found)
