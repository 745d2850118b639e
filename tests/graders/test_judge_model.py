"""The judge that is a model, against a real server on loopback."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_mint.agents.chat import ChatAgent
from pytest_mint.agents.endpoints import JUDGE, find_endpoint
from pytest_mint.episode.background import Background
from pytest_mint.errors import GraderError
from pytest_mint.graders import Proposal, grade
from pytest_mint.graders.judge_model import JudgeModel
from pytest_mint.records import Tokens
from tests.agents.server import failed, ok, serve
from tests.graders.kinds import judged_task

POEM = Proposal("A poem.")


@pytest.fixture
def background():
    background = Background()
    yield background
    background.close()


@pytest.fixture
def judging(background):
    """Makes judges that ask a server; their agents are closed at the end."""
    agents = []

    def judge(server, task, **more):
        endpoint = find_endpoint("referee", server.url, {}, JUDGE)
        agent = ChatAgent(endpoint, **{"max_retries": 0, **more})
        agents.append(agent)
        return JudgeModel(agent, background.run, task)

    yield judge
    for agent in agents:
        background.run(agent.close())


def test_the_question_is_one_message_at_temperature_0(judging):
    task = judged_task()
    with serve(ok("Score: 4")) as server:
        verdict = grade(task, POEM, judge=judging(server, task))
    assert verdict.solved
    body = server.seen[0].body
    assert body["temperature"] == 0
    assert body["model"] == "referee"
    (message,) = body["messages"]
    assert message["role"] == "user"
    assert "A poem." in message["content"]
    assert "tools" not in body


def test_the_tokens_of_all_questions_are_counted(judging):
    task = judged_task(grader={"samples": 3})
    with serve(ok("Score: 4"), ok("Hm."), ok("Score: 3"), ok("Score: 1")) as server:
        judge = judging(server, task)
        verdict = grade(task, POEM, judge=judge)
    assert verdict.details["judge_samples"] == [4, 3, 1]
    assert judge.spent.tokens == Tokens(4 * 11, 4 * 7)


def test_a_refusal_for_now_is_tried_again(judging):
    task = judged_task()
    busy = failed(429, "slow down", headers={"retry-after": "0.01"})
    with serve(busy, ok("Score: 3")) as server:
        assert grade(task, POEM, judge=judging(server, task, max_retries=1)).solved


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (failed(500, "broken"), "the judge referee did not answer: 500: broken"),
        (failed(400, "maximum context length"), "too long for referee"),
        (ok("I cannot say."), "no usable score in 1 of 1"),
        (ok(None), "no usable score in 1 of 1"),
    ],
)
def test_a_judge_that_gives_no_score_is_missing_data(judging, answer, told):
    task = judged_task()
    with serve(answer) as server, pytest.raises(GraderError, match=told):
        grade(task, POEM, judge=judging(server, task))


def test_graders_in_many_threads_ask_at_once(judging, background):
    task = judged_task()
    together = ok("Score: 4")
    with serve(lambda seen: together) as server, ThreadPoolExecutor(8) as pool:
        judges = [judging(server, task) for _ in range(8)]
        graded = list(pool.map(lambda one: grade(task, POEM, judge=one), judges))
    assert all(verdict.solved for verdict in graded)
    assert {judge.spent.tokens for judge in judges} == {Tokens(11, 7)}


def test_an_ended_loop_is_said_and_not_waited_for(background):
    async def work():
        return 1

    assert background.run(work()) == 1
    background.close()
    with pytest.raises(RuntimeError, match="closed"):
        background.run(work())


def test_what_a_run_keeps_of_its_judge_holds_no_key():
    environ = {"MINT_JUDGE_API_KEY": "sk-secret"}
    endpoint = find_endpoint("referee", "http://localhost:1/v1", environ, JUDGE)
    assert endpoint.key == "sk-secret"
    assert endpoint.described() == {
        "model": "referee",
        "provider": "custom",
        "base_url": "http://localhost:1/v1",
    }


def test_the_agents_key_for_its_own_server_is_not_the_judges():
    endpoint = find_endpoint("m", "http://localhost:1/v1", {"MINT_API_KEY": "k"}, JUDGE)
    assert endpoint.key == ""
