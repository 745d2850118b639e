"""The actions of a world."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from pytest_mint.errors import GraderError
from pytest_mint.tools.base import MAX_OUTPUT, ToolError
from pytest_mint.tools.world import MAX_ROWS, World, action_tools
from tests.graders.kinds import state_task
from tests.tools.context import context
from tests.tools.shop import shop_task

START = [
    {"name": "jar", "shelf": 2, "note": "blue"},
    {"name": "tin", "shelf": 1, "note": None},
]


@pytest.fixture
def world():
    with closing(World(shop_task())) as opened:
        yield opened


def move(world, thing, shelf, **more):
    return world.act("move", {"thing": thing, "shelf": shelf, **more})


def test_an_action_changes_rows_and_says_so(world):
    assert move(world, "tin", 7, note="old") == "tin is on 7 now."
    assert world.state() == {
        "things": [START[0], {"name": "tin", "shelf": 7, "note": "old"}],
        "log": [{"said": "tin"}],
    }


def test_a_query_shows_rows_line_by_line(world):
    assert world.act("look", {"note": "blue"}) == (
        'Things (blue):\n{"name": "jar", "shelf": 2}'
    )
    assert len(world.act("look", {}).splitlines()) == 3


@pytest.mark.parametrize(
    ("thing", "shelf", "told"),
    [
        ("cup", 3, r"^There is no cup, \{so\}\.$"),  # no row
        ("tin", 1, r"^tin is on 1\.$"),
        ("tin", 12, "this cannot be done: CHECK constraint failed"),
        ("tin", 2**63, "'shelf' is too large a number"),
        ("tin", float("inf"), "'shelf' is no finite number"),
        ("x" * 10_001, 1, "'thing' is longer than 10000 characters"),
        ("\ud800", 1, "'thing' is no text"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_an_action_that_is_refused_changes_nothing(world, thing, shelf, told):
    before = world.state()
    with pytest.raises(ToolError, match=told):
        move(world, thing, shelf)
    assert world.state() == before
    assert move(world, "tin", 9) == "tin is on 9 now."


@pytest.mark.parametrize(
    "value",
    [
        "tin'; DROP TABLE things; --",
        "' OR '1'='1",
        "{0.__class__}",
        "{thing.__class__}",
        "{shelf}",
        "%s :shelf ?",
        "a\x00b",
        "",
    ],
)
def test_what_a_model_writes_is_a_value_and_nothing_else(world, value):
    with pytest.raises(ToolError) as refused:
        move(world, value, 3)
    assert str(refused.value) == f"There is no {value}, {{so}}."
    assert world.act("look", {"note": value}) == f"Things ({value}):"
    assert world.state() == {"things": START, "log": []}


def test_lists_are_json_and_defaults_are_filled_in(world):
    world.act("tag", {"tags": ["a", 2]})
    world.act("tag", {"tags": ["b"], "on": False})
    assert [row["said"] for row in world.state()["log"]] == ["a1", "21", "b0"]


def test_no_action_runs_for_ever(world):
    with pytest.raises(ToolError, match="interrupted"):
        world.act("count", {"most": 10**15})
    assert "1000" in world.act("count", {"most": 1000})


def test_a_world_does_not_grow_without_end(world):
    def fill():
        for _ in range(30):
            world.act("fill", {})

    with pytest.raises(ToolError, match="full"):
        fill()
    assert move(world, "tin", 3)


def test_what_is_seen_is_bounded(world):
    told = world.act("list_all", {"most": 10**4}).splitlines()
    assert told[-1] == f"[there are more than these {MAX_ROWS} rows]"
    assert len(told) == MAX_ROWS + 2
    with pytest.raises(ToolError) as refused:
        move(world, "x" * 10_000, 1)
    assert len(str(refused.value)) < 300
    for number in range(100):
        world.act("tag", {"tags": ["y" * 200 + str(number)]})
    assert len(world.act("look", {"note": "z" * 10_000})) < MAX_OUTPUT


def test_a_fork_has_the_same_rows_and_goes_its_own_way(world):
    move(world, "tin", 7)
    with closing(world.fork()) as twin:
        assert twin.state() == world.state()
        move(twin, "jar", 8)
        move(world, "tin", 3)
        assert [row["shelf"] for row in world.state()["things"]] == [2, 3]
        assert [row["shelf"] for row in twin.state()["things"]] == [8, 7]


def test_a_fork_before_any_action_is_at_the_start(world):
    with closing(world.fork()) as twin:
        move(world, "tin", 7)
        assert twin.state()["things"] == START


def test_the_start_of_a_task_replaces_rows_and_adds_some():
    start = {"things": [{"name": "tin", "shelf": 4}, {"name": "cup", "shelf": 3}]}
    with closing(World(shop_task(start=start))) as world:
        shelves = {row["name"]: row["shelf"] for row in world.state()["things"]}
    assert shelves == {"tin": 4, "jar": 2, "cup": 3}


def test_several_threads_may_act_one_at_a_time(world):
    def work(number):
        for _ in range(20):
            world.act("tag", {"tags": [str(number)]})

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(world.state()["log"]) == 80


def test_it_can_be_closed_twice_and_before_its_first_use():
    world = World(shop_task())
    world.close()
    world.state()
    world.close()
    world.close()


def test_a_task_without_a_world_cannot_be_played_in():
    task = state_task({"x": 1})
    assert action_tools(task) == ()
    with pytest.raises(GraderError, match="no world"):
        World(task).state()


def test_actions_are_tools_in_the_order_of_the_world(world):
    tools = action_tools(shop_task())
    assert [tool.name for tool in tools][:2] == ["look", "move"]
    assert tools[1].schema["function"]["parameters"]["required"] == ["thing", "shelf"]
    assert tools[1].signature == "move(thing, shelf, note=...)"
    there = context(world=lambda: world)
    assert tools[1].run({"thing": "tin", "shelf": 2}, there) == "tin is on 2 now."
    with pytest.raises(GraderError, match="no world"):
        tools[0].run({}, context())
