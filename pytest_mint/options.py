"""The one table of options, ini keys and environment variables.

It is the only place that names them: the option ``--mint-max-turns`` is the ini key
``mint_max_turns`` and the variable ``MINT_MAX_TURNS``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pytest_mint.words import CONTROLS, GRADINGS, LADDER, LEVELS

Kind = Literal["text", "int", "float", "choice", "choices", "path", "paths", "lines"]


@dataclass(frozen=True)
class Option:
    """One setting: how it is named, read, checked and explained."""

    name: str  # the field of Settings
    kind: Kind
    default: Any
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    #: The option's word where it is given once per value and the ini key is a plural.
    singular: str = ""

    @property
    def flag(self) -> str:
        """``--mint-max-turns``"""
        return "--mint-" + (self.singular or self.name).replace("_", "-")

    @property
    def ini(self) -> str:
        """``mint_max_turns``"""
        return "mint_" + self.name

    @property
    def variable(self) -> str:
        """``MINT_MAX_TURNS``"""
        return "MINT_" + self.name.upper()

    @property
    def choice(self) -> str:
        """``both|ef|nlf``, or ``placebo,swapped`` where several may be given."""
        return ("," if self.kind == "choices" else "|").join(self.choices)

    @property
    def repeats(self) -> bool:
        """Whether it may be given several times."""
        return self.kind in ("paths", "lines")


OPTIONS: tuple[Option, ...] = (
    Option(
        "model",
        "text",
        "",
        "the model to test, or a probe: oracle, nop, parrot",
        metavar="NAME",
    ),
    Option("base_url", "text", "", "the endpoint, whatever the model", metavar="URL"),
    Option(
        "replay",
        "path",
        None,
        "answer as the model did in the recorded run in DIR; no key, no network",
        metavar="DIR",
    ),
    Option(
        "replay_tools",
        "choice",
        "recorded",
        "in a replay, take tool results from the recording or run the tools",
        choices=("recorded", "live"),
    ),
    Option(
        "tasks",
        "paths",
        (),
        "play the tasks of this file or folder (repeatable)",
        metavar="PATH",
    ),
    Option(
        "add_tasks",
        "paths",
        (),
        "play the tasks of this file or folder besides the others (repeatable)",
        metavar="PATH",
    ),
    Option(
        "arm",
        "choice",
        "both",
        "play with environment feedback only, with hints, or both",
        choices=("both", "ef", "nlf"),
    ),
    Option("max_turns", "int", 5, "turns of an episode", metavar="N", low=1, high=50),
    Option(
        "limit",
        "int",
        None,
        "play so many of the selected tasks, an even sample over categories that is "
        "the same each time",
        metavar="N",
        low=1,
        high=1_000_000,
    ),
    Option(
        "feedback_model",
        "text",
        "",
        "the model that writes the hints; without one the tasks' own are given",
        metavar="NAME",
    ),
    Option(
        "feedback_base_url",
        "text",
        "",
        "the teacher's endpoint, whatever the model",
        metavar="URL",
    ),
    Option(
        "hint_level",
        "choice",
        LADDER,
        "one level higher with each hint, or the same level for all",
        choices=(LADDER, *LEVELS),
    ),
    Option(
        "hints_from_turn",
        "int",
        2,
        "the turn after which the first hint comes; up to there both arms are one",
        metavar="N",
        low=1,
        high=49,
    ),
    Option(
        "controls",
        "choices",
        (),
        "also play arms whose hints have no content (placebo) or another task's "
        "(swapped), separated by commas",
        choices=CONTROLS,
    ),
    Option(
        "protocol",
        "choice",
        "auto",
        "talk by native tool calls or by <execute> and <solution> tags",
        choices=("auto", "tools", "text"),
    ),
    Option(
        "grading",
        "choice",
        "strict",
        "grade right, or as the original benchmark did or does now (imported tasks)",
        choices=GRADINGS,
    ),
    Option(
        "judge_model",
        "text",
        "",
        "the model that judges what has a rubric; without one such tasks are skipped",
        metavar="NAME",
    ),
    Option(
        "judge_base_url",
        "text",
        "",
        "the judge's endpoint, whatever the model",
        metavar="URL",
    ),
    Option(
        "gates",
        "lines",
        (),
        "a condition such as 'success@3>=0.6' that decides the exit code (repeatable)",
        metavar="CONDITION",
        singular="gate",
    ),
    Option(
        "prices",
        "lines",
        (),
        "what a model's tokens cost, in US dollars per million of prompt, completion "
        "and cached prompt (repeatable)",
        metavar="NAME=PROMPT/COMPLETION[/CACHED]",
        singular="price",
    ),
    Option(
        "compare_published",
        "text",
        "",
        "print the published numbers of MODEL beside one's own",
        metavar="MODEL",
    ),
    Option(
        "concurrency",
        "int",
        None,
        "model calls in flight in the whole run (default: 16, or one per worker)",
        metavar="N",
        low=1,
        high=1024,
    ),
    Option(
        "max_retries",
        "int",
        6,
        "retries of a call that the endpoint refused for now",
        metavar="N",
        low=0,
        high=100,
    ),
    Option(
        "timeout",
        "float",
        300.0,
        "seconds until one model call is given up",
        metavar="SECONDS",
        low=1,
        high=86400,
    ),
    Option(
        "episode_timeout",
        "float",
        1800.0,
        "seconds of model and tool time after which an episode ends",
        metavar="SECONDS",
        low=1,
        high=86400,
    ),
    Option(
        "temperature",
        "float",
        0.0,
        "sampling temperature",
        metavar="T",
        low=0,
        high=2,
    ),
    Option(
        "max_tokens",
        "int",
        2048,
        "tokens of one reply",
        metavar="N",
        low=1,
        high=1_000_000,
    ),
    Option(
        "sandbox",
        "choice",
        "auto",
        "where model-written code runs",
        choices=("auto", "docker", "cage", "unsafe"),
    ),
    Option("docker_image", "text", "", "image of the docker sandbox", metavar="IMAGE"),
    Option(
        "wikipedia",
        "text",
        "offline",
        "what wikipedia_search asks: the bundled articles (offline), the English "
        "Wikipedia (live), or the api.php of another wiki",
        metavar="offline|live|URL",
    ),
    Option(
        "web_allow",
        "lines",
        (),
        "a host, or HOST:PORT, that web_scraper may read in any task (repeatable)",
        metavar="HOST",
    ),
    Option(
        "run_dir",
        "path",
        Path(".mint/runs"),
        "folder that the run is written below",
        metavar="DIR",
    ),
    Option("json", "path", None, "write the summary to FILE", metavar="FILE"),
)
