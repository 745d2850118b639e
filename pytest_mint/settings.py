"""Options, ini keys and environment variables, resolved to one frozen Settings.

The command line wins over the environment, the environment over the ini file, that
over the default.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pytest_mint.errors import UserError
from pytest_mint.options import OPTIONS, Option
from pytest_mint.words import HOST, LADDER, Grading

WIKIPEDIA = re.compile(r"offline|live|https?://[^/?#@\s]+/(?:[^?#\s]*/)?api\.php")

#: Model calls in flight where nothing else is said.
CALLS = 16

#: The model that comes with pip and is served by the session itself.
LOCAL = "local"


@dataclass(frozen=True)
class Settings:
    """What a run was asked to do. Fields are explained in :data:`OPTIONS`."""

    model: str = ""
    base_url: str = ""
    replay: Path | None = None
    replay_tools: str = "recorded"
    tasks: tuple[Path, ...] = ()
    add_tasks: tuple[Path, ...] = ()
    arm: str = "both"
    max_turns: int = 5
    limit: int | None = None
    feedback_model: str = ""
    feedback_base_url: str = ""
    hint_level: str = LADDER
    hints_from_turn: int = 2
    controls: tuple[str, ...] = ()
    protocol: str = "auto"
    grading: Grading = "strict"
    judge_model: str = ""
    judge_base_url: str = ""
    gates: tuple[str, ...] = ()
    prices: tuple[str, ...] = ()
    compare_published: str = ""
    concurrency: int | None = None
    max_retries: int = 6
    timeout: float = 300.0
    episode_timeout: float = 1800.0
    temperature: float = 0.0
    max_tokens: int = 2048
    sandbox: str = "auto"
    docker_image: str = ""
    wikipedia: str = "offline"
    web_allow: tuple[str, ...] = ()
    run_dir: Path = Path(".mint/runs")
    json: Path | None = None

    @property
    def arms(self) -> tuple[str, ...]:
        """The arms to play, the one that the others are forked from first."""
        return ("ef", "nlf", *self.controls) if self.arm == "both" else (self.arm,)

    @property
    def verdict_arm(self) -> str:
        """The arm whose verdict is the test's."""
        return "nlf" if self.arm == "nlf" else "ef"

    def calls(self, workers: int = 1) -> int:
        """Model calls in flight in the whole run of so many workers.

        The local model answers one at a time, so that more would only wait in a line
        where their time runs out.

        Raises:
            UserError: fewer calls were asked for than there are workers.
        """
        if self.concurrency is None:
            return max(1 if self.model == LOCAL else CALLS, workers)
        if self.concurrency < workers:
            raise UserError(
                f"--mint-concurrency={self.concurrency} is less than the {workers} "
                "workers, and each needs a call; give more calls or a smaller -n"
            )
        return self.concurrency

    @property
    def serves_local(self) -> bool:
        """Whether the local model plays a part, on a server of the session's own."""
        parts = (
            (self.model if self.replay is None else "", self.base_url),
            (self.feedback_model, self.feedback_base_url),
            (self.judge_model, self.judge_base_url),
        )
        return any(model == LOCAL and not url for model, url in parts)

    def as_data(self) -> dict[str, Any]:
        """The settings as JSON data; there are no secrets among them."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def resolve(
    command: Mapping[str, Any],
    ini: Callable[[str], Any] = lambda key: None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings in force.

    Args:
        command: values of the command line by field name; None or empty: not given.
        ini: the value of an ini key, None or empty if it is not set.
        environ: the environment.

    Raises:
        UserError: a value is not allowed; the text names where it came from.
    """
    values = {}
    for option in OPTIONS:
        for source, raw in (
            (option.flag, command.get(option.name)),
            (option.variable, _split(option, environ.get(option.variable))),
            (f"ini key {option.ini}", ini(option.ini)),
        ):
            if raw is not None and raw != "" and raw != []:
                values[option.name] = _read(option, source, raw)
                break
    settings = Settings(**values)
    if settings.replay_tools == "live" and settings.replay is None:
        raise UserError("--mint-replay-tools=live needs --mint-replay DIR")
    if settings.judge_base_url and not settings.judge_model:
        raise UserError("--mint-judge-base-url needs --mint-judge-model NAME")
    _check_hints(settings, given=values.keys())
    if not WIKIPEDIA.fullmatch(settings.wikipedia):
        raise UserError(
            f"--mint-wikipedia={settings.wikipedia}: expected offline, live, or the "
            "URL of a wiki's api.php such as https://de.wikipedia.org/w/api.php"
        )
    for host in settings.web_allow:
        if not HOST.fullmatch(host):
            raise UserError(
                f"--mint-web-allow={host}: expected a host name in lower case, such "
                "as example.org or example.org:8080; no scheme, path or address"
            )
    return settings


def _check_hints(settings: Settings, given: Container[str]) -> None:
    """Whether the settings of hints fit together.

    Raises:
        UserError: one of them would have no effect; says what to do.
    """
    if settings.feedback_base_url and not settings.feedback_model:
        raise UserError("--mint-feedback-base-url needs --mint-feedback-model NAME")
    if settings.feedback_model and settings.replay is not None:
        raise UserError(
            "--mint-feedback-model: a replay has the hints that were recorded; leave "
            "out one of it and --mint-replay"
        )
    if settings.controls and settings.arm != "both":
        raise UserError(
            f"--mint-controls needs both arms to be compared with; leave out "
            f"--mint-arm={settings.arm}"
        )
    if "hints_from_turn" in given and settings.hints_from_turn >= settings.max_turns:
        raise UserError(
            f"--mint-hints-from-turn={settings.hints_from_turn} leaves none of "
            f"{settings.max_turns} turns to use a hint in; give a lower turn or a "
            "higher --mint-max-turns"
        )


def _split(option: Option, raw: str | None) -> str | list[str] | None:
    """A variable holds several paths as PATH does, several gates one per line."""
    if raw is None or not option.repeats:
        return raw
    parts = raw.split(os.pathsep) if option.kind == "paths" else raw.splitlines()
    return [part.strip() for part in parts if part.strip()]


def _read(option: Option, source: str, raw: Any) -> Any:
    if option.kind == "choice":
        return _choice(option, source, str(raw))
    if option.kind == "choices":
        words = raw.split(",") if isinstance(raw, str) else raw
        given = [str(word).strip() for word in words]
        chosen = {_choice(option, source, word) for word in given if word}
        return tuple(word for word in option.choices if word in chosen)
    if option.kind in ("int", "float"):
        return _number(option, source, raw)
    if option.kind == "path":
        return Path(str(raw))
    if option.kind == "paths":
        return tuple(Path(str(item)) for item in raw)
    if option.kind == "lines":
        return tuple(str(item) for item in raw)
    return str(raw).strip()


def _choice(option: Option, source: str, value: str) -> str:
    if value in option.choices:
        return value
    raise UserError(
        f"{source}={value}: expected one of {', '.join(option.choices)}"
        + did_you_mean(value, option.choices)
    )


def _number(option: Option, source: str, raw: Any) -> int | float:
    word = "a whole number" if option.kind == "int" else "a number"
    try:
        value = int(str(raw)) if option.kind == "int" else float(str(raw))
    except ValueError:
        raise UserError(f"{source}={raw}: expected {word}") from None
    low, high = option.low or 0, option.high or float("inf")
    if not low <= value <= high:
        raise UserError(f"{source}={raw}: expected {word} from {low:.9g} to {high:.9g}")
    return value


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """``; did you mean 'x'?``, or nothing where nothing is close."""
    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
