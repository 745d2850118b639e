"""The tools of a task, one file each; :data:`MODULES` is the list of them."""

from __future__ import annotations

from importlib import import_module

from pytest_mint.tools.base import Tool

#: Modules with a ``TOOL``, by the name that tasks give. Tools of the benchmark that
#: are not here cannot be played yet.
MODULES = {
    "python_interpreter": "pytest_mint.tools.python_interpreter",
    "wikipedia_search": "pytest_mint.tools.wikipedia_search",
    "web_scraper": "pytest_mint.tools.web_scraper",
    "file_system_io": "pytest_mint.tools.file_system_io",
    "calculator": "pytest_mint.tools.calculator",
}


def find_tool(name: str) -> Tool:
    """The tool of this name.

    Raises:
        KeyError: there is none.
    """
    tool: Tool = import_module(MODULES[name]).TOOL
    return tool
