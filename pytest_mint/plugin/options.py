"""The settings' options and ini keys, as pytest wants them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_mint.errors import UserError
from pytest_mint.options import OPTIONS, Option
from pytest_mint.settings import Settings, resolve

_SETTINGS = pytest.StashKey[Settings]()
_INI_TYPES: dict[str, Any] = {"paths": "paths", "lines": "linelist"}


def add_options(parser: pytest.Parser) -> None:
    """Add an option and an ini key for every setting."""
    group = parser.getgroup("mint", "multi-turn LLM benchmark (pytest-mint)")
    for option in OPTIONS:
        group.addoption(
            option.flag,
            dest=option.ini,
            action="append" if option.repeats else "store",
            metavar=option.metavar or option.choice,
            default=None,
            help=_help(option),
        )
        kind = _INI_TYPES.get(option.kind, "string")
        parser.addini(option.ini, f"default of {option.flag}", kind, default=None)


def _help(option: Option) -> str:
    shown = option.default
    if shown in (None, "", ()):
        return option.help
    return f"{option.help} (default: {shown})".replace("%", "%%")


def settings_of(config: pytest.Config) -> Settings:
    """The settings in force, read once per session.

    Raises:
        pytest.UsageError: a value is not allowed.
    """
    if _SETTINGS not in config.stash:
        command = {o.name: config.getoption(o.ini) for o in OPTIONS}
        try:
            settings = resolve(command, lambda key: _ini(config, key))
        except UserError as problem:
            raise pytest.UsageError(str(problem)) from None
        config.stash[_SETTINGS] = settings
    return config.stash[_SETTINGS]


def _ini(config: pytest.Config, key: str) -> Any:
    """An ini value; the paths of an ini file are relative to it."""
    value = config.getini(key)
    option = next(o for o in OPTIONS if o.ini == key)
    if value and option.kind == "path":
        base = config.inipath.parent if config.inipath else config.rootpath
        return base / Path(value)
    return value
