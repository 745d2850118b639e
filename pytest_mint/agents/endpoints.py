"""Which endpoint a model name belongs to, and with which key and manners to ask it."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from pathlib import Path
from string import Template
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

from pytest_mint.errors import UserError

#: Holds the key for --mint-base-url, where no entry of the table knows a variable.
KEY_VARIABLE = "MINT_API_KEY"
#: Names a file that is read before the table of this package.
TABLE_VARIABLE = "MINT_MODELS"

_Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


@dataclass(frozen=True)
class Role:
    """Whom an endpoint serves as, and what the user calls its settings.

    Attributes:
        model: the option that names the model.
        base_url: the option for a server of the user's own.
        key_variable: holds the key for such a server.
        instead: what else can be done.
    """

    model: str
    base_url: str
    key_variable: str
    instead: str


AGENT = Role(
    "--mint-model",
    "--mint-base-url",
    KEY_VARIABLE,
    "play a recording with --mint-replay DIR",
)
#: The judge's own server has a key of its own: the agent's is none of its business.
JUDGE = Role(
    "--mint-judge-model",
    "--mint-judge-base-url",
    "MINT_JUDGE_API_KEY",
    "play without a judge",
)
#: So has the teacher's.
TEACHER = Role(
    "--mint-feedback-model",
    "--mint-feedback-base-url",
    "MINT_FEEDBACK_API_KEY",
    "leave it out and the tasks' own hints are given",
)


@dataclass(frozen=True)
class Endpoint:
    """Where a model answers.

    Attributes:
        name: the model as the user wrote it.
        provider: who serves it, ``custom`` where no entry of the table matched.
        model: the name that is sent, without the prefix that chose the entry.
        base_url: the address before ``/chat/completions``, without a last slash.
        key_variable: the environment variable that holds the key or would hold it.
        key: the key itself, empty where none is needed; kept out of ``repr``.
        native_tools: whether its models take function schemas.
        reasoning: whether it wants ``max_completion_tokens`` and no temperature.
        role: what it serves as.
    """

    name: str
    provider: str
    model: str
    base_url: str
    key_variable: str
    key: str = field(repr=False)
    native_tools: bool
    reasoning: bool
    role: Role = AGENT

    def described(self) -> dict[str, str]:
        """What a run keeps of it."""
        return {
            "model": self.name,
            "provider": self.provider,
            "base_url": self.base_url,
        }


class Entry(BaseModel):
    """An entry of the table; ``models.yaml`` explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    models: Annotated[list[_Text], Field(min_length=1)]
    provider: _Text
    base_url: _Text
    key_variable: _Variable
    key_needed: bool = True
    native_tools: bool = True
    reasoning: bool = False


#: What is assumed of a server that the user names and the table does not know. The
#: tagged text works with every model, function schemas do not.
_CUSTOM = Entry(
    models=["*"],
    provider="custom",
    base_url="-",
    key_variable=KEY_VARIABLE,
    key_needed=False,
    native_tools=False,
)


def find_endpoint(
    model: str,
    base_url: str = "",
    environ: Mapping[str, str] = os.environ,
    role: Role = AGENT,
) -> Endpoint:
    """Find the endpoint of a model.

    Args:
        model: the name as the user wrote it, prefix included (``ollama/llama3.3``).
        base_url: an address that overrides that of the table; any model goes with it.
        environ: where keys and ``MINT_MODELS`` are read.
        role: what it is to serve as.

    Raises:
        UserError: no endpoint is known for the name, its key is not set or cannot be
            sent, the address is none, or the user's own table is wrong.
    """
    if not model.strip():
        raise UserError(f"{role.model} is empty: give the name of a model")
    entry, prefix = _match(model, _entries(environ))
    if entry is None:
        if not base_url:
            raise UserError(_unknown(model, _entries(environ), role))
        entry = _CUSTOM.model_copy(update={"key_variable": role.key_variable})
    sent = model[len(prefix) :]
    if not sent:
        raise UserError(f"{role.model}={model}: the name of a model follows the slash")
    variable, key = _key(model, entry, bool(base_url), environ, role)
    address = (
        _address(base_url, f"{role.base_url}={base_url}", role)
        if base_url
        else _address(
            _filled(model, entry, environ, role), f"{role.model}={model}", role
        )
    )
    return Endpoint(
        name=model,
        provider=entry.provider,
        model=sent,
        base_url=address,
        key_variable=variable,
        key=key,
        native_tools=entry.native_tools,
        reasoning=entry.reasoning,
        role=role,
    )


def provider_of(model: str, environ: Mapping[str, str] = os.environ) -> str:
    """Who serves a model by the table, empty where the table does not know it.

    Raises:
        UserError: the user's own table is wrong.
    """
    entry, _ = _match(model, _entries(environ))
    return entry.provider if entry else ""


def read_table(text: str, source: str) -> tuple[Entry, ...]:
    """Read a table of endpoints.

    Args:
        text: YAML, a list of entries as in ``models.yaml``.
        source: what errors call the file.

    Raises:
        UserError: it is no such list; names the entry and the field, never a value,
            since a key may have been written there by mistake.
    """
    import yaml

    try:
        data: Any = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 # the safe loader in C
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "cannot be read"
        raise UserError(f"{source}{where}: no YAML: {problem}") from None
    try:
        return tuple(TypeAdapter(list[Entry]).validate_python(data))
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        raise UserError(
            "\n".join(
                f"{source}: {_where(p['loc'], data)}: {p['msg']}" for p in problems
            )
        ) from None


def _where(location: Sequence[int | str], data: Any) -> str:
    if not location:
        return "the file"
    number, *inside = location
    entry = data[number] if isinstance(number, int) else None
    provider = entry.get("provider") if isinstance(entry, dict) else None
    named = f" ({provider})" if isinstance(provider, str) else ""
    fields = "".join(f", {part}" for part in inside)
    place = number + 1 if isinstance(number, int) else number
    return f"entry {place}{named}{fields}"


@cache
def _bundled() -> tuple[Entry, ...]:
    text = resources.files(__package__).joinpath("models.yaml").read_text("utf-8")
    return read_table(text, "models.yaml")


def _entries(environ: Mapping[str, str]) -> tuple[Entry, ...]:
    path = environ.get(TABLE_VARIABLE, "")
    if not path:
        return _bundled()
    source = f"{TABLE_VARIABLE}={path}"
    try:
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{source}: the file is not UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{source}: cannot be read: {reason}") from None
    return read_table(text, source) + _bundled()


def _match(model: str, entries: Iterable[Entry]) -> tuple[Entry | None, str]:
    """The first entry for this name, and the prefix that only chose it."""
    for entry in entries:
        for pattern in entry.models:
            if fnmatchcase(model, pattern):
                head, slash, _ = pattern.partition("/")
                return entry, head + slash if slash else ""
    return None, ""


def _key(
    model: str, entry: Entry, overridden: bool, environ: Mapping[str, str], role: Role
) -> tuple[str, str]:
    """The variable that holds the key, and the key."""
    variables = (
        [role.key_variable, entry.key_variable] if overridden else [entry.key_variable]
    )
    for variable in variables:
        # A key copied with its line end is the commonest reason for a refused header.
        key = environ.get(variable, "").strip()
        if key:
            if not re.fullmatch(r"[!-~]+", key):
                raise UserError(
                    f"{variable} holds characters that no HTTP header can carry: "
                    "copy the key again"
                )
            return variable, key
    if overridden or not entry.key_needed:
        return variables[0], ""
    raise UserError(
        f"{role.model}={model} needs a key of {entry.provider}: set the environment "
        f"variable {entry.key_variable}, or {role.instead}"
    )


def _filled(model: str, entry: Entry, environ: Mapping[str, str], role: Role) -> str:
    try:
        return Template(entry.base_url).substitute(environ)
    except KeyError as missing:
        raise UserError(
            f"{role.model}={model} needs the address of {entry.provider}: set the "
            f"environment variable {missing.args[0]}, or {role.base_url}"
        ) from None
    except ValueError:
        raise UserError(
            f"{role.model}={model}: the base_url of {entry.provider} has a $ that "
            "is no ${NAME}"
        ) from None


def _address(url: str, source: str, role: Role) -> str:
    """The base URL in one form.

    Raises:
        UserError: it is no address, or holds what would be printed with it.
    """
    try:
        parts = urlsplit(url.strip())
        known = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # raises where it is no number
    except ValueError:
        known = False
    if not known:
        raise UserError(
            f"{source}: {url!r} is no address; give one like http://localhost:8000/v1"
        )
    if parts.username is not None or parts.query or parts.fragment:
        # The address is shown in errors and kept with the results.
        raise UserError(
            f"{source.partition('=')[0]}: the address must hold no password, query or "
            f"fragment; put the key into {role.key_variable}"
        )
    # One slash, where a filled-in address brought its own.
    path = re.sub("/+", "/", parts.path).rstrip("/").removesuffix("/chat/completions")
    return f"{parts.scheme}://{parts.netloc}{path}"


def _unknown(model: str, entries: Iterable[Entry], role: Role) -> str:
    patterns = [p for entry in entries for p in entry.models if "[" not in p]

    def likeness(pattern: str) -> float:
        stem = pattern.rstrip("*")
        head = model[: len(stem)].lower()
        return difflib.SequenceMatcher(None, stem, head).ratio()

    best = max(patterns, key=likeness, default="")
    meant = f" (did you mean {best}?)" if best and likeness(best) >= 0.6 else ""
    return (
        f"{role.model}={model}: no endpoint is known for this name{meant}; set "
        f"{role.base_url} for a server of your own, or choose a model that matches "
        f"one of {', '.join(patterns)}"
    )
