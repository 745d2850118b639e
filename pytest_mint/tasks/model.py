"""What a task is: one benchmark item, as a task file writes it.

Every check here holds for tasks of anyone; what only the bundled sets promise
(counts, near-duplicates, difficulties) is checked in ``tests/test_tasks.py``.
"""

from __future__ import annotations

import hashlib
import re
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from pytest_mint.tasks.graderspec import KINDS, Model, Spec, Text, with_default_kind
from pytest_mint.tasks.world import Condition, Name, Row, World, WorldSpec
from pytest_mint.words import CATEGORIES, HOST, Category

ID = re.compile(r"[a-z0-9][a-z0-9._-]*")

#: The tools that a task may name; a world's own actions come with the world.
TOOLS = (
    "python_interpreter",
    "calculator",
    "file_system_io",
    "wikipedia_search",
    "web_scraper",
)
DEFAULT_TOLERANCE = Decimal("0.01")


class Form(Model):
    """Another right form of the answer, or a tempting wrong one, and why."""

    answer: Any
    why: Text


class Hints(Model):
    """What a teacher would say, level by level."""

    vague: Text
    specific: Text
    direct: Text


class Call(Model):
    """One tool call of the reference agent."""

    tool: Text
    arguments: dict[str, Any] = {}


class SolutionTurn(Model):
    """What the reference agent does in one turn: calls, an answer, or both."""

    calls: tuple[Call, ...] = ()
    answer: str | None = None

    @model_validator(mode="after")
    def _does_something(self) -> SolutionTurn:
        if not self.calls and self.answer is None:
            raise ValueError("a turn needs calls, an answer, or both")
        return self


class Case(Model):
    """A test case of a coding task: arguments and result, or input and output."""

    args: tuple[Any, ...] | None = None
    expected: Any = None
    stdin: str | None = None
    stdout: str | None = None


class WrongProgram(Model):
    """A program that must fail at least one test."""

    code: Text
    why: Text


class Function(Model):
    """A function of a tool_use task: its JSON Schema and what it answers."""

    name: Text
    description: Text
    parameters: dict[str, Any]
    answers: tuple[dict[str, Any], ...] = ()


class Sample(Model):
    """A text that the judge must score as written."""

    text: Text
    score: int


class Task(Model):
    """One benchmark item.

    Attributes follow the table in the documentation of task files; ``dataset``,
    ``rules``, ``frame`` and ``needs`` are set by imports only.
    """

    id: Text
    category: Category
    input: Text
    expected_output: Any = None
    tools: tuple[str, ...] = ()
    grader: Spec
    hints: Hints | None = None
    solution: tuple[SolutionTurn, ...] = ()
    derivation: str = ""
    accept: tuple[Form, ...] = ()
    reject: tuple[Form, ...] = ()
    difficulty: Annotated[int, Field(ge=1, le=5)] = 3
    tags: tuple[str, ...] = ()
    files: dict[str, str] = {}  # by path: what lies in the working folder

    # coding
    tests: tuple[Case, ...] = ()
    public: tuple[Case, ...] = ()
    reference: str = ""
    wrong: tuple[WrongProgram, ...] = ()
    # decision_making
    world: World = ""
    start: dict[Name, list[Row]] = {}
    goal: tuple[Condition, ...] = ()
    forbidden: tuple[Condition, ...] = ()
    # information_retrieval, tool_use
    articles: tuple[str, ...] = ()
    must_include: tuple[str, ...] = ()
    must_not_include: tuple[str, ...] = ()
    functions: tuple[Function, ...] = ()
    free: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()  # what web_scraper may read besides bundled pages
    # creative_writing, instruction_following
    checks: tuple[dict[str, Any], ...] = ()
    rubric: str = ""
    samples: dict[Literal["good", "middling", "bad"], Sample] = {}

    # imported tasks
    dataset: str = ""
    rules: Literal["mint", "mint-bench"] = "mint"
    frame: dict[str, str] = {}  # by arm: what stands before the input
    needs: str = ""  # what must be there to play it and never is here: a simulator

    @model_validator(mode="before")
    @classmethod
    def _default_kind(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        grader = with_default_kind(data.get("grader", {}), data.get("category"))
        return {**data, "grader": grader}

    @field_validator("id")
    @classmethod
    def _plain_id(cls, value: str) -> str:
        if not ID.fullmatch(value):
            raise ValueError(
                "expected lower-case letters, digits, '.', '_' or '-', "
                "beginning with a letter or digit"
            )
        return value

    @field_validator("tools")
    @classmethod
    def _known_tools(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [tool for tool in value if tool not in TOOLS]:
            raise ValueError(f"unknown {unknown}; expected some of {', '.join(TOOLS)}")
        return value

    @field_validator("hosts")
    @classmethod
    def _host_names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [host for host in value if not HOST.fullmatch(host)]:
            raise ValueError(
                f"{wrong}: expected host names in lower case, such as example.org or "
                "example.org:8080; no scheme, path or address"
            )
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> Task:
        problems = [problem for check in _CHECKS if (problem := check(self))]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def key(self) -> str:
        """``category/id``: how the task is named in tests, runs and reports."""
        return f"{self.category}/{self.id}"

    @cached_property
    def digest(self) -> str:
        """16 hex digits that change when the task does."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    @property
    def world_spec(self) -> WorldSpec | None:
        """Its world; None where it has none, or only the name of one."""
        return self.world if isinstance(self.world, WorldSpec) else None

    @property
    def tolerance(self) -> Decimal:
        """How far from the expected number an answer may be, absolute."""
        spec = self.grader
        if spec.kind != "number":
            raise TypeError(f"{self.key} is not graded as a number")
        if spec.tolerance is not None:
            return spec.tolerance
        if spec.rel_tol is not None:
            return spec.rel_tol * abs(number(self.expected_output))
        return DEFAULT_TOLERANCE


def number(value: Any) -> Decimal:
    """A task file's number as the decimal that was written.

    Raises:
        ValueError: it is no finite number.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"expected a number, not {value!r}")
    try:
        found = Decimal(str(value).strip())
    except InvalidOperation:
        raise ValueError(f"expected a number, not {value!r}") from None
    if not found.is_finite():
        raise ValueError(f"expected a finite number, not {value!r}")
    return found


def _kind_fits(task: Task) -> str:
    kinds = KINDS[task.category]
    if task.grader.kind in kinds:
        return ""
    allowed = ", ".join(kinds)
    return f"grader.kind is {task.grader.kind!r}; {task.category} has {allowed}"


def _has_hints(task: Task) -> str:
    if task.hints is None and task.rules == "mint":
        return "hints are missing: expected vague, specific and direct"
    return ""


def _has_what_the_grader_needs(task: Task) -> str:
    spec = task.grader
    if task.needs:
        return ""
    if spec.kind == "code":
        if spec.mode == "script":
            return "" if spec.script else "grader.script is missing"
        if not task.tests:
            return "tests are missing: without any, no program is right or wrong"
        if spec.mode == "function" and not spec.entry_point:
            return "grader.entry_point is missing: the function that the tests call"
        return ""
    if spec.kind == "state":
        given = task.goal or task.expected_output is not None
        return "" if given else "goal is missing"
    if spec.kind == "judge":
        return "" if task.rubric or task.checks else "checks or a rubric are missing"
    if task.expected_output is None:
        return "expected_output is missing"
    return ""


def _number_is_meaningful(task: Task) -> str:
    """An answer must not be right merely because it is small."""
    spec = task.grader
    if spec.kind != "number":
        return ""
    try:
        expected = abs(number(task.expected_output))
    except ValueError as problem:
        return f"expected_output: {problem}"
    if spec.tolerance is not None and spec.rel_tol is not None:
        return "grader has both tolerance and rel_tol: give one"
    chosen = spec.tolerance is not None or spec.rel_tol is not None
    if not chosen and not Decimal("0.1") <= expected <= 10_000:
        return (
            f"expected_output {task.expected_output} is below 0.1 or above 10,000 in "
            "size: set grader.tolerance or grader.rel_tol"
        )
    if expected and task.tolerance > expected / 10:
        return (
            f"the tolerance {task.tolerance} is above 10 % of expected_output "
            f"{task.expected_output}: anything small would be right"
        )
    return ""


def _option_exists(task: Task) -> str:
    spec = task.grader
    if spec.kind != "option" or not spec.options:
        return ""
    if str(task.expected_output).lower() in spec.options:
        return ""
    options = ", ".join(spec.options)
    return f"expected_output {task.expected_output!r} is none of the options {options}"


def _fits_its_world(task: Task) -> str:
    if task.forbidden and not task.goal:
        return "forbidden: goal is missing, which says what is to be reached"
    world = task.world_spec
    if world is None:
        return ""
    given = {*task.tools, *(function.name for function in task.functions)}
    if twice := sorted(given & {action.name for action in world.actions}):
        return f"tools: {twice[0]} is an action of the world {world.name}, too"
    from pytest_mint.tasks.world_sql import task_problem

    conditions = {"goal": task.goal, "forbidden": task.forbidden}
    return task_problem(world, task.start, conditions)


_CHECKS = (
    _kind_fits,
    _has_hints,
    _has_what_the_grader_needs,
    _number_is_meaningful,
    _option_exists,
    _fits_its_world,
)

assert set(KINDS) == set(CATEGORIES)
