"""What the arms share where they part: variables, chance and a world's rows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from pytest_mint.agents.base import Reply
from pytest_mint.hints.teacher import Ladder, Placebo
from pytest_mint.sandbox.base import Sandbox
from pytest_mint.tools import find_tool
from pytest_mint.tools.world import action_tools
from tests.episode.scripted import Scripted, played
from tests.sandbox.kinds import opened
from tests.tools.shop import shop_task

ARMS = ("ef", "nlf", "placebo", "swapped")
TASK = shop_task(tools=["python_interpreter"])

BEGIN = """<execute>
import random
n = [1, 2]
move('tin', 5)
print(random.random())
</execute>"""
ON = "<execute>n.append(random.random()); move('jar', 6); print(n)</execute>"
LOOK = "<execute>print(n, random.random(), random.gauss(0, 1), look())</execute>"
CHANGE = (
    "<execute>n.append('{arm}'); move('tin', {shelf}); random.seed({shelf})</execute>"
)


class EachItsOwn(Scripted):
    """At turn 4 every arm does something else with what it was given."""

    async def reply(self, request):
        self.asked.append(request)
        await asyncio.sleep(0)
        shelf = 1 + ARMS.index(request.arm)
        change = CHANGE.format(arm=request.arm, shelf=shelf)
        return Reply((BEGIN, ON, LOOK, change, LOOK)[request.turn - 1])


@pytest.fixture(params=["unsafe", "cage", "docker"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with opened(request.param, size=4) as found:
        yield found


def test_all_arms_go_on_from_the_same_state_and_then_their_own_ways(sandbox) -> None:
    agent = EachItsOwn([])
    tools = (find_tool("python_interpreter"), *action_tools(TASK))
    teachers = {"nlf": Ladder(), "placebo": Placebo(), "swapped": Placebo()}
    episodes = played(
        TASK,
        agent,
        ARMS,
        tools=tools,
        native=False,
        sandbox=lambda: sandbox,
        teachers=teachers,
    )
    for arm in ARMS:
        turns = [1, 2, 3, 4, 5] if arm == "ef" else [3, 4, 5]
        assert agent.turns_asked(arm) == turns
    first = {episodes[arm].turns[2].runs[0].output for arm in ARMS}
    assert len(first) == 1, first
    (seen,) = first
    assert seen.startswith("[1, 2, 0.")
    assert '"tin", "shelf": 5' in seen
    assert '"jar", "shelf": 6' in seen
    for number, arm in enumerate(ARMS):
        last = episodes[arm].turns[4].runs[0].output
        assert f"'{arm}']" in last
        assert f'"tin", "shelf": {1 + number}' in last
        assert not [other for other in ARMS if other != arm and f"'{other}'" in last]
    assert len({episodes[arm].turns[4].runs[0].output for arm in ARMS}) == len(ARMS)
