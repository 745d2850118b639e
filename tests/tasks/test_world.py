"""World files, and how a task has its world."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_mint.choosing import why_not
from pytest_mint.tasks.load import TaskFileError, bundled_folder, load_tasks
from pytest_mint.tasks.model import Task
from pytest_mint.tasks.world import WorldSpec
from pytest_mint.tasks.write import to_yaml
from tests.graders.cases import HINTS
from tests.tools.shop import FORBIDDEN, GOAL, shop, shop_task

TASK = {
    "id": "tidy",
    "input": "Tidy up.",
    "hints": HINTS,
    "world": "shop",
    "goal": GOAL,
    "forbidden": FORBIDDEN,
}


def project(folder: Path, file: Any = None, at: str = "worlds", **fields: Any) -> Path:
    """A folder with a task and the file of its world."""
    tasks = folder / "decision_making" / "tidy.yaml"
    tasks.parent.mkdir(parents=True, exist_ok=True)
    tasks.write_text(yaml.safe_dump([{**TASK, **fields}]), "utf-8")
    if file is not None:
        path = folder / at / "shop.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = file if isinstance(file, str) else yaml.safe_dump(file, sort_keys=False)
        path.write_text(text, "utf-8")
    return folder


def refusal(folder: Path) -> str:
    with pytest.raises(TaskFileError) as error:
        load_tasks([folder])
    return str(error.value)


@pytest.mark.parametrize("at", ["worlds", "decision_making/worlds", "../worlds"])
def test_a_world_is_found_beside_the_file_or_above_it(tmp_path, at):
    (task,) = load_tasks([project(tmp_path / "tasks", shop(), at)])
    assert task.world_spec
    assert task.world_spec.description == "A shop with shelves."
    assert not why_not(task)


def test_the_nearest_world_counts(tmp_path):
    project(tmp_path, shop(description="far"))
    project(tmp_path, shop(description="near"), "decision_making/worlds")
    (task,) = load_tasks([tmp_path / "decision_making" / "tidy.yaml"])
    assert task.world_spec
    assert task.world_spec.description == "near"


def test_tasks_of_a_project_may_play_in_a_bundled_world(tmp_path):
    goal = [{"sql": "SELECT count(*) FROM vans", "expect": 0, "why": "none"}]
    folder = project(tmp_path, world="depot", goal=goal, forbidden=[])
    (task,) = load_tasks([folder])
    assert task.world_spec
    assert task.world_spec.name == "depot"


def test_the_digest_of_a_task_changes_with_its_world(tmp_path):
    def digest(**fields):
        return load_tasks([project(tmp_path, shop(**fields))])[0].digest

    assert digest() == digest() != digest(description="Another shop.")


def test_a_world_is_read_once_for_all_its_tasks():
    loaded = load_tasks([bundled_folder()])
    worlds = [task.world_spec for task in loaded if task.world_spec]
    assert len({id(one) for one in worlds}) == len({one.name for one in worlds})


def test_a_task_that_was_not_loaded_has_a_name_only_and_is_not_played():
    task = shop_task(world="shop")
    assert task.world_spec is None
    assert why_not(task) == "a world"
    assert not why_not(shop_task())


def test_a_task_can_be_written_with_its_world_and_read_again(tmp_path):
    task = shop_task()
    file = tmp_path / "decision_making" / "tidy.yaml"
    file.parent.mkdir()
    file.write_text(to_yaml([task]), "utf-8")
    assert load_tasks([file])[0].digest == task.digest


@pytest.mark.parametrize("name", ["shop", "../shop", "", "a b"])
def test_a_world_that_is_not_there_is_named(tmp_path, name):
    told = refusal(project(tmp_path, world=name))
    assert f'task "tidy": world: {name!r}: expected the name of a file' in told


def test_a_goal_needs_a_world(tmp_path):
    folder = project(tmp_path)
    task = {name: value for name, value in TASK.items() if name != "world"}
    (folder / "decision_making" / "tidy.yaml").write_text(yaml.safe_dump([task]))
    assert "world: '': expected the name of a file" in refusal(folder)


def _changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    world = shop()
    inner: Any = world
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    return world


ROWS = ("tables", "things", "rows")
MOVE = ("actions", 1)
GUARD = (*MOVE, "guards", 0)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("name",), "store", "name: 'store': expected shop, as the file is called"),
        (("nmae",), "shop", "nmae: there is no such field"),
        (("tables", "a b"), {"columns": {"x": "TEXT"}}, "string should match pattern"),
        (("tables", "more"), {}, "tables.more.columns: is missing"),
        (("tables", "more"), {"columns": {"x": "TEXT,,"}}, "tables.more.columns: near"),
        (
            ("tables", "more"),
            {"columns": {"x": "TEXT); ATTACH DATABASE 'f' AS f; --"}},
            "one statement at a time",
        ),
        ((*ROWS, 0, "shelf"), None, "tables.things.rows.0: NOT NULL constraint failed"),
        ((*ROWS, 1, "name"), "tin", "tables.things.rows.1: UNIQUE constraint failed"),
        ((*ROWS, 1, "colour"), "red", "rows.1: table things has no column named"),
        ((*ROWS, 1, "shelf"), False, "expected a text, a number or null; quote"),
        ((*ROWS, 1, "shelf"), [1], "expected a text, a number or null"),
        ((*ROWS, 1, "shelf"), 2**63, "expected a text, a number or null"),
        ((*ROWS, 1, "shelf"), float("nan"), "expected a text, a number or null"),
        ((*MOVE, "name"), "look", "actions: 'look' stands there twice"),
        ((*MOVE, "name"), "import", "expected a name that is no keyword of Python"),
        ((*MOVE, "name"), "move it", "actions.1.name: 'move it'"),
        ((*MOVE, "chnage"), [], "actions.1.chnage: there is no such field; did you"),
        ((*MOVE, "query"), "SELEC 1", "actions.1.query: 'SELEC 1': expected SQL"),
        ((*MOVE, "query"), "SELECT x", "actions.move.query: no such column: x"),
        ((*MOVE, "query"), "DELETE FROM log", "expected SQL that begins with SELECT"),
        ((*MOVE, "query"), "PRAGMA x", "expected SQL that begins with SELECT"),
        (
            (*MOVE, "change"),
            ["SELECT 1; SELECT 2"],
            "expected SQL that begins with INS",
        ),
        (
            (*MOVE, "change"),
            ["DELETE FROM log; DELETE FROM log"],
            "actions.move.change.0: You can only execute one statement at a time",
        ),
        (
            (*MOVE, "change"),
            ["ATTACH 'f' AS f"],
            "expected SQL that begins with INSERT",
        ),
        ((*GUARD, "sql"), "SELECT :thng", "actions.move.guards.0.sql: You did not"),
        (
            (*GUARD, "message"),
            "No {thng}.",
            "actions.move.guards.0.message: 'No {thng}.'",
        ),
        (
            (*GUARD, "message"),
            "No {0.x}.",
            "{0.x} stands there, expected {thing}, {shelf}",
        ),
        ((*GUARD, "message"), "No {thing.x}.", "{thing.x} stands there"),
        ((*GUARD, "message"), "No {thing[0]}.", "{thing[0]} stands there"),
        ((*GUARD, "message"), "No {}.", "{} stands there"),
        ((*GUARD, "message"), "No {thing!r}.", "{thing} stands there"),
        ((*GUARD, "message"), "No {thing:>9}.", "{thing} stands there"),
        ((*MOVE, "observation"), "{thing", "a brace that is meant is written twice"),
        (
            (*MOVE, "parameters", "required"),
            ["x"],
            "actions.move.parameters.required: 'x'",
        ),
        ((*MOVE, "parameters", "additionalProperties"), True, "additionalProperties"),
        ((*MOVE, "parameters", "type"), "array", "actions.1.parameters.type"),
    ],
    ids=str,
)
def test_a_wrong_world_names_file_field_and_what_was_expected(
    tmp_path, path, value, told
):
    problem = refusal(project(tmp_path, _changed(path, value)))
    assert problem.startswith(f"{tmp_path / 'worlds' / 'shop.yaml'}: ")
    assert told in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- a", "expected a world, found ['a']"),
        ("", "expected a world, found None"),
        ("a: [", "line 2: "),
        ("name: shop\nname: shop\n", "'name' stands here a second time"),
    ],
)
def test_what_is_no_world_at_all_is_named(tmp_path, text, told):
    text = text or "# nothing\n"
    assert told in refusal(project(tmp_path, text))


def test_a_wrong_world_is_told_once_and_not_once_for_every_task(tmp_path):
    folder = project(tmp_path, shop(name="store"))
    tasks = [TASK, {**TASK, "id": "again"}]
    (folder / "decision_making" / "tidy.yaml").write_text(yaml.safe_dump(tasks))
    assert len(refusal(folder).splitlines()) == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"start": {"thing": []}}, "start.thing: expected a table, one of things, log"),
        ({"start": {"things": [{"name": "x"}]}}, "start.things.0: NOT NULL"),
        ({"start": {"log": [{"said": "x"}, {"sad": 1}]}}, "start.log.1: table log has"),
        ({"start": {"log": [{"said": True}]}}, "expected a text, a number or null"),
        ({"goal": [{"sql": "SELECT x", "expect": 1}]}, "goal.0.sql: no such column: x"),
        ({"goal": [{"sql": "SELECT :x", "expect": 1}]}, "goal.0.sql: You did not"),
        ({"goal": [{"sql": "SELECT 1"}]}, "goal.0.expect: is missing"),
        ({"goal": [{"sql": "SELECT 1", "expect": [1]}]}, "expected a text, a number"),
        (
            {"goal": [{"sql": "DROP TABLE log", "expect": 1}]},
            "expected SQL that begins",
        ),
        ({"forbidden": [*FORBIDDEN, {"sql": "SELECT (", "expect": 1}]}, "forbidden.1."),
        ({"goal": []}, "goal is missing"),
        ({"world": 5}, "world: 5: input should be a valid dictionary"),
        (
            {"world": {**shop(), "name": 5}},
            "world.name: 5: input should be a valid str",
        ),
    ],
)
def test_a_task_that_does_not_fit_its_world_is_refused(tmp_path, fields, told):
    folder = project(tmp_path, shop(), **fields)
    problem = refusal(folder)
    assert problem.startswith(f"{folder / 'decision_making' / 'tidy.yaml'}: task")
    assert told in problem


def test_an_action_must_not_be_called_as_a_tool_is():
    world = copy.deepcopy(shop())
    world["actions"][0]["name"] = "calculator"
    with pytest.raises(ValueError, match="calculator is an action of the world shop"):
        shop_task(world=world, tools=["calculator"])


def test_a_world_that_was_checked_is_not_checked_again_for_every_task(monkeypatch):
    world = WorldSpec.model_validate(shop())
    monkeypatch.setattr(
        "pytest_mint.tasks.world_sql.world_problems", lambda world: ["again"]
    )
    assert shop_task(world=world).world is world
    assert Task.model_validate(shop_task(world=world)).world is world
