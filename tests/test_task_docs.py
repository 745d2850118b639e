"""The reference of task files says what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.checks import CHECKS, check_problem
from pytest_mint.tasks import graderspec
from pytest_mint.tasks.load import load_tasks
from pytest_mint.tasks.model import TOOLS, Form, Hints, Sample, SolutionTurn, Task
from pytest_mint.words import CATEGORIES

DOCS = (Path(__file__).parent.parent / "docs" / "tasks.md").read_text("utf-8")
#: Fields that only imported tasks have.
IMPORTED = {"dataset", "rules", "frame", "needs"}
SPECS = [spec for spec in vars(graderspec).values() if isinstance(spec, type)]


def _named(name: str) -> bool:
    return f"`{name}`" in DOCS


@pytest.mark.parametrize("field", sorted({*Task.model_fields} - IMPORTED))
def test_every_field_of_a_task_is_there(field: str) -> None:
    assert _named(field)


@pytest.mark.parametrize(
    "field",
    sorted(
        {
            name
            for model in (Form, Hints, Sample, SolutionTurn)
            for name in model.model_fields
        }
    ),
)
def test_every_field_inside_a_field_is_there(field: str) -> None:
    assert _named(field) or f"{field}:" in DOCS


@pytest.mark.parametrize(
    "key",
    sorted(
        {
            key
            for spec in SPECS
            if issubclass(spec, graderspec.Model)
            for key in spec.model_fields
        }
    ),
)
def test_every_key_of_a_grader_is_there(key: str) -> None:
    assert _named(key) or f"`{key}:" in DOCS or _named(f"grader.{key}")


@pytest.mark.parametrize("name", [*CATEGORIES, *TOOLS])
def test_every_category_and_tool_is_there(name: str) -> None:
    assert _named(name)


def test_the_tables_of_checks_name_all_checks_and_no_other() -> None:
    section = DOCS.partition("## Checks")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert set(rows) == set(CHECKS)


def test_the_examples_of_checks_are_checks() -> None:
    written = re.findall(r"^  - \{check: (\w+), (\w+)", DOCS, re.MULTILINE)
    assert written
    assert all(name in CHECKS for name, _ in written)
    assert not check_problem({"check": "word_count", "at_least": 80, "at_most": 120})


def test_the_first_example_is_a_task_that_grades_as_it_says(tmp_path: Path) -> None:
    example = re.search(
        r"```yaml\n(# tasks/(\w+)/(\w+\.yaml)\n.*?)```", DOCS, re.DOTALL
    )
    assert example
    file = tmp_path / example[2] / example[3]
    file.parent.mkdir()
    file.write_text(example[1], "utf-8")
    (task,) = load_tasks([file])
    right = [task.solution[-1].answer, *(form.answer for form in task.accept)]
    assert all(grade(task, Proposal(str(answer))).solved for answer in right)
    wrong = [form.answer for form in task.reject]
    assert not any(grade(task, Proposal(str(answer))).solved for answer in wrong)
