"""Settings as they may be written down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SECRET_NAME = re.compile(
    r"(?:^|[_-])(?:key|keys|token|secret|password|passwd|authorization|cookie)$"
    r"|api_?key",
    re.IGNORECASE,
)
_USERINFO = re.compile(r"(?<=://)[^/\s@]+@")
_QUERY = re.compile(r"(?<=[?&])([^=&#\s]*(?:key|token|secret)[^=&#\s]*)=[^&#\s]+", re.I)
HIDDEN = "(hidden)"


def without_secrets(value: Any, name: str = "") -> Any:
    """The value as builtins, without what a name or an address gives away as secret.

    Names that end in key, token, secret and the like lose their value, addresses
    their user, password and such parameters. Other objects become text.
    """
    if name and value and _SECRET_NAME.search(name):
        return HIDDEN
    if isinstance(value, Mapping):
        return {str(key): without_secrets(one, str(key)) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [without_secrets(one) for one in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = _USERINFO.sub("", str(value))
    return _QUERY.sub(rf"\1={HIDDEN}", text)
