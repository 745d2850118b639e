"""``pytest-mint tasks stats`` counts what is there."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pytest_mint.cli import main
from tests.bundled import TASKS
from tests.commands.calling import refused
from tests.plugin.conftest import a_task


def write(category: str, theme: str, *tasks: dict) -> Path:
    file = Path("tasks", category, f"{theme}.yaml")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(list(tasks)))
    return file


def rows(capsys: pytest.CaptureFixture[str], *paths: str) -> dict[str, list[str]]:
    assert main(["tasks", "stats", *paths]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        *["tasks", "d1", "d2", "d3", "d4", "d5"],
        *["python", "calc", "files", "wiki", "web"],
    ]
    return {line.split()[0]: line.split()[1:] for line in lines[1:]}


def test_tasks_are_counted_by_theme_difficulty_and_tool(capsys) -> None:
    write(
        "reasoning",
        "rates",
        a_task("one", difficulty=1, tools=["calculator"]),
        a_task("two", difficulty=1, tools=["calculator", "python_interpreter"]),
    )
    write("reasoning", "games", a_task("three", difficulty=5))
    file = write("science", "heat", a_task("four"))
    zeros = ["-"] * 5
    assert rows(capsys) == {
        "reasoning": ["3", "2", "-", "-", "-", "1", "1", "2", "-", "-", "-"],
        "games": ["1", "-", "-", "-", "-", "1", *zeros],
        "rates": ["2", "2", "-", "-", "-", "-", "1", "2", "-", "-", "-"],
        "science": ["1", "-", "-", "1", "-", "-", *zeros],
        "heat": ["1", "-", "-", "1", "-", "-", *zeros],
        "all": ["4", "2", "-", "1", "-", "1", "1", "2", "-", "-", "-"],
    }
    assert set(rows(capsys, str(file))) == {"science", "heat", "all"}


def test_without_tasks_of_ones_own_the_bundled_ones_are_counted(capsys) -> None:
    assert rows(capsys)["all"][0] == str(len(TASKS))


def test_a_wrong_file_is_named(capsys) -> None:
    write("science", "heat", {"id": "x"})
    assert "no such task file" in refused(capsys, "tasks", "stats", "none.yaml")
