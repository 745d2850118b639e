from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from pytest_mint.choosing import find_tasks, why_not
from pytest_mint.errors import UserError
from pytest_mint.graders.verdict import Verdict, right
from pytest_mint.lineup import Lineup
from pytest_mint.player import Player
from pytest_mint.records import TaskResult
from pytest_mint.settings import Settings
from pytest_mint.tasks.load import bundled_folder, load_tasks
from pytest_mint.tasks.model import Task
from tests.agents.asking import KEY
from tests.agents.server import closed_port, failed, ok, serve
from tests.episode.scripted import Scripted, mint_task, sum_task
from tests.needs import need, pack
from tests.tasks.test_load import GOOD, good, write

RIGHT, WRONG = "<solution>42</solution>", "<solution>7</solution>"


def keys(settings: Settings, root: Path) -> list[str]:
    return [task.key for task in find_tasks(settings, root)]


class TestWhichTasks:
    """Each source replaces the next; added ones come on top."""

    def test_those_of_the_settings(self, tmp_path):
        chosen = write(tmp_path / "else", good(id="chosen"))
        write(tmp_path / "tasks", good(id="own"))
        settings = Settings(tasks=(chosen,))
        assert keys(settings, tmp_path) == ["reasoning/chosen"]

    def test_else_those_of_the_replay(self, tmp_path):
        source = need(pack(), "the pack of the MINT benchmark (MINT_PACK)")
        write(tmp_path / "tasks", GOOD)
        assert len(keys(Settings(model="claude-2", replay=source), tmp_path)) == 586

    def test_else_those_below_root(self, tmp_path):
        write(tmp_path / "tasks", GOOD)
        assert keys(Settings(), tmp_path) == ["reasoning/sum"]

    def test_else_the_bundled_ones(self, tmp_path):
        bundled = [task.key for task in load_tasks([bundled_folder()])]
        assert keys(Settings(), tmp_path) == bundled

    def test_a_folder_of_tests_called_tasks_holds_no_tasks(self, tmp_path):
        (tmp_path / "tasks" / "unrelated").mkdir(parents=True)
        assert len(keys(Settings(), tmp_path)) > 1

    def test_added_ones_come_on_top(self, tmp_path):
        write(tmp_path / "tasks", GOOD)
        more = write(tmp_path / "more", good(id="more"))
        assert keys(Settings(add_tasks=(more,)), tmp_path) == [
            "reasoning/sum",
            "reasoning/more",
        ]

    def test_an_added_one_that_is_there_already_is_refused(self, tmp_path):
        write(tmp_path / "tasks", GOOD)
        more = write(tmp_path / "more", GOOD)
        with pytest.raises(UserError, match="--mint-add-tasks: reasoning/sum is there"):
            find_tasks(Settings(add_tasks=(more,)), tmp_path)


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (sum_task(), ""),
        (sum_task(needs="a moon"), "a moon"),
        (sum_task(tools=["calculator", "python_interpreter"]), ""),
    ],
)
def test_what_a_task_needs_is_said_as_a_noun(task, reason):
    assert why_not(task) == reason


def lineup_of(tmp_path: Path, *lines: Any, **settings: Any) -> Lineup:
    return Lineup(Settings(model="m", **settings), tmp_path, agent=Scripted(lines))


def player_of(tmp_path: Path, *lines: Any, **settings: Any) -> Player:
    return Player(lineup_of(tmp_path, *lines, **settings))


class TestPlan:
    def test_tasks_are_not_applicable_or_scheduled(self, tmp_path):
        tasks = [sum_task(), sum_task(id="b", needs="a moon"), mint_task(id="c")]
        plan = lineup_of(tmp_path, RIGHT).plan(tasks)
        assert [one.key for one in plan.collected] == [task.key for task in tasks]
        assert dict(plan.not_applicable) == {"reasoning/b": "a moon"}
        assert dict(plan.arms) == {
            "reasoning/sum": ("ef", "nlf"),
            "reasoning/c": ("ef",),  # no hints, no arm with hints
        }

    @pytest.mark.parametrize("arm", ["both", "ef", "nlf"])
    def test_every_task_is_counted_once(self, tmp_path, arm):
        tasks = [sum_task(), sum_task(id="b", needs="a moon"), mint_task(id="c")]
        plan = lineup_of(tmp_path, RIGHT, arm=arm).plan(tasks)
        scheduled = [one.key for one in plan.scheduled]
        assert sorted([*plan.not_applicable, *scheduled]) == sorted(
            task.key for task in tasks
        )


class TestPlaying:
    def test_prefetched_tasks_are_handed_out_and_all_is_closed(self, tmp_path):
        before = set(threading.enumerate())
        player = player_of(tmp_path, WRONG, RIGHT)
        tasks = [sum_task(id=f"t{n}") for n in range(20)]
        player.prefetch([(task, "") for task in tasks])
        results = [player.take(task) for task in tasks]
        player.close()
        player.close()
        assert [result.task for result, _ in results] == [task.key for task in tasks]
        assert {e.success_turn for r, _ in results for e in r.episodes.values()} == {2}
        left = set(threading.enumerate()) - before
        assert not [thread for thread in left if thread.name == "mint-loop"]

    def test_closing_an_unused_player_opens_nothing(self, tmp_path):
        before = threading.active_count()
        player = player_of(tmp_path, RIGHT)
        player.close()
        assert threading.active_count() == before

    def test_only_endpoints_are_paid_and_journaled(self, tmp_path):
        lineup = lineup_of(tmp_path, RIGHT)
        player = Player(lineup, tmp_path / "journal" / "main.jsonl")
        assert not lineup.pays
        assert not (tmp_path / "journal").exists()
        lineup.preflight()  # nothing to call
        player.close()

    def test_graders_that_wait_for_the_loop_leave_it_its_threads(
        self, tmp_path, monkeypatch
    ):
        """A judge is asked on the loop, and its client needs threads of the loop."""
        player = player_of(tmp_path, RIGHT)

        def judged(*args: Any, **kwargs: Any) -> Verdict:
            player._background.run(asyncio.to_thread(int), timeout=20)
            return right()

        monkeypatch.setattr("pytest_mint.player.grade", judged)
        tasks = [sum_task(id=f"t{n}") for n in range(40)]
        player.prefetch([(task, "") for task in tasks])
        results = [player.take(task)[0] for task in tasks]
        player.close()
        assert all(result.episodes["ef"].solved for result in results)

    def test_the_sandbox_is_described_once_it_was_used(self, tmp_path):
        lines = ["<execute>40 + 2</execute>", RIGHT]
        player = player_of(tmp_path, *lines, sandbox="unsafe", protocol="text")
        task = sum_task(tools=["python_interpreter"])
        assert player.facts() == {"problems": []}
        result, _ = player.take(task)
        facts = player.facts()
        player.close()
        assert result.episodes["ef"].turns[0].runs[0].output == "42"
        assert facts["sandbox"]["name"] == "unsafe"

    @pytest.mark.parametrize(
        ("protocol", "agent_can", "native"),
        [
            ("auto", True, True),
            ("auto", False, False),
            ("tools", False, True),
            ("text", True, False),
        ],
    )
    def test_the_protocol_is_the_agents_unless_it_is_said(
        self, tmp_path, protocol, agent_can, native
    ):
        agent = Scripted([RIGHT], native_tools=agent_can)
        lineup = Lineup(Settings(model="m", protocol=protocol), tmp_path, agent=agent)
        assert lineup.native == native


class TestEndpoint:
    """Against a real server on loopback."""

    @pytest.fixture(autouse=True)
    def _key(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def lineup(self, server, tmp_path):
        settings = Settings(model="gpt-4o-mini", base_url=server.url, sandbox="unsafe")
        return Lineup(settings, tmp_path, calls=2)

    def test_replies_are_journaled_before_the_result_is_there(self, tmp_path):
        with serve(ok(WRONG), ok(RIGHT)) as server:
            lineup = self.lineup(server, tmp_path)
            player = Player(lineup, tmp_path / "journal" / "gw0.jsonl")
            try:
                result, _ = player.take(sum_task())
                text = (tmp_path / "journal" / "gw0.jsonl").read_text("utf-8")
            finally:
                player.close()
        assert lineup.pays
        assert {e.success_turn for e in result.episodes.values()} == {2}
        events = [json.loads(line) for line in text.splitlines()]
        assert [(e["turn"], e["text"]) for e in events] == [(1, WRONG), (2, RIGHT)]
        assert KEY not in text

    def test_a_journal_that_cannot_be_written_is_a_problem_and_no_more(self, tmp_path):
        (tmp_path / "journal").write_text("in the way", encoding="utf-8")
        with serve(ok(RIGHT)) as server:
            journal = tmp_path / "journal" / "main.jsonl"
            player = Player(self.lineup(server, tmp_path), journal)
            try:
                result, _ = player.take(sum_task())
                facts = player.facts()
            finally:
                player.close()
        assert result.episodes["ef"].solved
        (problem,) = facts["problems"]
        assert problem.startswith("cannot write the journal ")

    def test_the_preflight_asks_once_and_a_wrong_key_stops_it(self, tmp_path):
        with serve(failed(401, "bad key")) as server, pytest.raises(UserError):
            self.lineup(server, tmp_path).preflight()
        assert len(server.seen) == 1

    def test_an_endpoint_that_is_down_is_missing_data_in_both_arms(self, tmp_path):
        settings = Settings(
            model="gpt-4o-mini",
            base_url=f"http://127.0.0.1:{closed_port()}/v1",
            max_retries=0,
        )
        player = Player(Lineup(settings, tmp_path))
        try:
            result, _ = player.take(sum_task())
        finally:
            player.close()
        assert {e.outcome for e in result.episodes.values()} == {"provider_error"}


def replayed(
    source: Path, tasks: list[Task], model: str = "claude-2", **settings: Any
) -> dict[str, TaskResult]:
    chosen = Settings(model=model, replay=source, **settings)
    player = Player(Lineup(chosen, Path.cwd()))
    try:
        player.prefetch([(task, "") for task in tasks])
        return {task.key: player.take(task)[0] for task in tasks}
    finally:
        player.close()


@pytest.fixture(scope="module")
def source() -> Path:
    return need(pack(), "the pack of the MINT benchmark (MINT_PACK)")


class TestReplay:
    @pytest.mark.parametrize("model", ["claude-2", "Mistral-7B-Instruct-v0.1"])
    def test_recorded_episodes_come_out_as_recorded(self, source, model):
        from pytest_mint.tasks import mint_bench

        tasks = [t for t in mint_bench.load_tasks(source) if t.dataset == "gsm8k"]
        recorded = mint_bench.load_episodes(source, model)
        results = replayed(source, tasks, model, grading="faithful")
        assert len(results) == 48
        for key, result in results.items():
            for arm, episode in result.episodes.items():
                then = recorded[key, arm]
                assert (episode.outcome, episode.success_turn) == (
                    then.outcome,
                    then.success_turn,
                )
                assert len(episode.turns) == len(then.turns)
                assert not any(turn.drift for turn in episode.turns)
                assert [t.heard for t in episode.turns] == [t.heard for t in then.turns]

    def test_an_imported_run_replays_as_the_pack_does(self, source, tmp_path, capsys):
        from pytest_mint.cli import main

        to, runs = tmp_path / "tasks", tmp_path / "runs"
        told = ["--to", str(to), "--runs", str(runs), "--model", "claude-2"]
        assert main(["import", "mint-bench", str(source), *told]) == 0
        assert "586 tasks as played by claude-2" in capsys.readouterr().out
        (run,) = runs.glob("*/run.json")
        imported = {task.key: task for task in load_tasks([to])}
        assert len(imported) == 586
        tasks = [task for task in imported.values() if task.dataset == "gsm8k"]
        ours = replayed(run.parent, tasks, grading="faithful")
        theirs = replayed(source, tasks, grading="faithful")
        for key, result in ours.items():
            assert outcomes(result) == outcomes(theirs[key])
            assert not any(t.drift for e in result.episodes.values() for t in e.turns)


def outcomes(result: TaskResult) -> dict[str, Any]:
    return {
        arm: (one.outcome, one.success_turn, [turn.text for turn in one.turns])
        for arm, one in result.episodes.items()
    }
