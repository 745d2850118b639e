from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pytest_mint
from pytest_mint import (
    MINTEvalResult,
    compute_hur,
    compute_k_turn_success,
    evaluate_multi_turn,
    load_tasks,
)
from pytest_mint.agents.base import Reply
from pytest_mint.errors import (
    FeedbackError,
    GraderError,
    Missing,
    ProviderError,
    SandboxError,
    UserError,
)
from pytest_mint.records import TaskResult
from pytest_mint.tasks.load import bundled_folder
from tests.agents.server import ok, serve
from tests.episode.scripted import Scripted, mint_task, sum_task
from tests.graders.kinds import judged_task
from tests.programs import run_python

ROOT = Path(__file__).parent.parent

RIGHT, WRONG = "<solution>42</solution>", "<solution>7</solution>"


class TestEvaluate:
    def test_the_oracle_solves_a_bundled_task(self):
        tasks = {task.key: task for task in load_tasks([bundled_folder()])}
        task = next(task for task in tasks.values() if task.category == "reasoning")
        result = evaluate_multi_turn("oracle", task, sandbox="unsafe")
        assert (result.task_id, result.category) == (task.id, "reasoning")
        assert result.success_turn == len(task.solution)
        assert (result.ef_only_success, result.ef_nlf_success) == (True, True)
        assert result.result.task == task.key
        assert compute_k_turn_success([result], 5) == 1.0
        assert compute_hur([result]) is None

    def test_an_agent_of_ones_own_plays(self):
        agent = Scripted([WRONG], nlf=[WRONG, WRONG, RIGHT])
        result = evaluate_multi_turn(agent, sum_task())
        assert result.success_turn is None
        assert (result.ef_only_success, result.ef_nlf_success) == (False, True)
        assert len(agent.turns_asked("ef")) == 5

    def test_the_trajectory_is_that_of_environment_feedback(self):
        agent = Scripted([WRONG, RIGHT])
        result = evaluate_multi_turn(agent, sum_task())
        roles = [message["role"] for message in result.trajectory]
        assert roles == ["system", "user", "assistant", "user", "assistant"]
        assert result.trajectory[-1]["content"] == RIGHT

    @pytest.mark.parametrize("turns", [1, 3])
    def test_max_turns_is_the_length_of_the_episode(self, turns):
        agent = Scripted([WRONG])
        evaluate_multi_turn(agent, sum_task(), max_turns=turns)
        assert agent.turns_asked("ef") == list(range(1, turns + 1))

    def test_without_hints_the_other_arm_is_not_played(self):
        agent = Scripted([WRONG])
        result = evaluate_multi_turn(agent, sum_task(), use_nlf=False)
        assert result.ef_nlf_success is None
        assert agent.turns_asked("nlf") == []

    def test_a_task_without_hints_has_no_other_arm(self):
        result = evaluate_multi_turn(Scripted([RIGHT]), mint_task())
        assert result.ef_nlf_success is None

    def test_it_may_be_called_inside_a_running_loop(self):
        async def inside() -> MINTEvalResult:
            return evaluate_multi_turn(Scripted([RIGHT]), sum_task())

        assert asyncio.run(inside()).success_turn == 1

    def test_an_agent_may_play_many_tasks_and_is_not_closed(self):
        class Held(Scripted):
            async def close(self):
                raise AssertionError("closed by another")

        agent = Held([RIGHT])
        for number in range(3):
            task = sum_task(id=f"t{number}")
            assert evaluate_multi_turn(agent, task).task_id == f"t{number}"

    @pytest.mark.parametrize(
        "error",
        [ProviderError("down"), SandboxError("gone"), FeedbackError("mute")],
        ids=lambda error: error.outcome,
    )
    def test_missing_data_raise_what_they_are(self, error):
        agent = Scripted([WRONG, WRONG, WRONG], nlf=[WRONG, WRONG, error])
        with pytest.raises(type(error), match=f"reasoning/sum: {error}"):
            evaluate_multi_turn(agent, sum_task())

    def test_a_task_that_cannot_be_graded_raises(self):
        broken = sum_task().model_copy(update={"expected_output": "many"})
        with pytest.raises(GraderError):
            evaluate_multi_turn(Scripted([RIGHT]), broken)

    def test_an_error_of_an_unlisted_kind_is_still_missing_data(self):
        class Odd(Missing):
            outcome = "budget_stop"

        with pytest.raises(Missing, match="spent"):
            evaluate_multi_turn(Scripted([Odd("spent")]), sum_task())

    @pytest.mark.parametrize(
        ("settings", "told"),
        [
            ({"sandbx": "cage"}, "no setting 'sandbx'; did you mean 'sandbox'?"),
            ({"zzz": 1}, "no setting 'zzz'"),
            ({"grading": "lax"}, "--mint-grading=lax: expected one of"),
            ({"max_turns": 0}, "--mint-max-turns=0: expected a whole number"),
            ({"timeout": "soon"}, "--mint-timeout=soon: expected a number"),
        ],
    )
    def test_a_wrong_setting_is_named(self, settings, told):
        with pytest.raises(UserError) as error:
            evaluate_multi_turn(Scripted([RIGHT]), sum_task(), **settings)
        assert told in str(error.value)

    def test_task_files_of_the_folder_are_not_read(self, tmp_path, monkeypatch):
        broken = tmp_path / "tasks" / "science" / "broken.yaml"
        broken.parent.mkdir(parents=True)
        broken.write_text("- id: x")
        monkeypatch.chdir(tmp_path)
        result = evaluate_multi_turn(Scripted([WRONG]), sum_task())
        assert result.ef_nlf_success is False

    def test_hints_and_controls_are_settings(self):
        with serve(lambda seen: ok("Look at the sign.")) as teacher:
            result = evaluate_multi_turn(
                Scripted([WRONG]),
                sum_task(),
                feedback_model="expert",
                feedback_base_url=teacher.url,
                hints_from_turn=4,
                controls=["placebo"],
            )
        (hint,) = [t.hint for t in result.result.episodes["nlf"].turns if t.hint]
        assert (hint.text, hint.level) == ("Look at the sign.", "vague")
        assert set(result.result.episodes) == {"ef", "nlf", "placebo"}

    def test_the_environment_does_not_change_a_call(self, monkeypatch):
        monkeypatch.setenv("MINT_MAX_TURNS", "1")
        monkeypatch.setenv("MINT_ARM", "nlf")
        agent = Scripted([WRONG])
        evaluate_multi_turn(agent, sum_task())
        assert agent.turns_asked("ef") == [1, 2, 3, 4, 5]

    def test_a_task_that_needs_what_is_not_there_is_refused(self):
        with pytest.raises(ValueError, match="cannot be played: it needs a moon"):
            evaluate_multi_turn("nop", sum_task(needs="a moon"))

    def test_a_rubric_needs_a_judge_that_is_a_setting(self):
        task = judged_task()
        with pytest.raises(ValueError, match="cannot be played: it needs a judge"):
            evaluate_multi_turn(Scripted(["A poem."]), task)
        with serve(ok("Score: 3")) as server:
            judge = {"judge_model": "referee", "judge_base_url": server.url}
            result = evaluate_multi_turn(Scripted(["A poem."]), task, **judge)
        assert (result.success_turn, result.ef_nlf_success) == (1, True)
        assert len(server.seen) == 1

    def test_labels_of_replies_are_kept(self):
        agent = Scripted([Reply("", label="refused")])
        result = evaluate_multi_turn(agent, sum_task(), use_nlf=False)
        assert result.result.episodes["ef"].outcome == "refused"


def result(turn: int | None, nlf: bool | None = None) -> MINTEvalResult:
    played = TaskResult("reasoning/x", "reasoning")
    return MINTEvalResult("x", "reasoning", turn, turn is not None, nlf, (), played)


RESULTS = st.lists(
    st.builds(result, st.none() | st.integers(1, 5), st.none() | st.booleans())
)


class TestSuccess:
    @pytest.mark.parametrize(("k", "share"), [(1, 0.25), (2, 0.5), (3, 0.5), (5, 0.75)])
    def test_counts_the_tasks_solved_by_turn_k(self, k, share):
        results = [result(1), result(2), result(4), result(None)]
        assert compute_k_turn_success(results, k) == share

    def test_takes_an_iterator(self):
        assert compute_k_turn_success(iter([result(1), result(None)]), 1) == 0.5

    def test_of_nothing_is_nothing(self):
        assert compute_k_turn_success([], 5) is None

    @pytest.mark.parametrize("k", [0, -1])
    def test_turns_are_counted_from_one(self, k):
        with pytest.raises(ValueError, match="from 1"):
            compute_k_turn_success([result(1)], k)

    @given(RESULTS.filter(bool))
    def test_never_falls_with_k_and_ends_at_the_share_solved(self, results):
        rates = [compute_k_turn_success(results, k) for k in range(1, 6)]
        assert rates == sorted(rates, key=float)
        assert rates[-1] == sum(r.ef_only_success for r in results) / len(results)

    @given(RESULTS.filter(bool), st.integers(1, 5))
    def test_does_not_hang_on_the_order(self, results, k):
        turned = list(reversed(results))
        assert compute_k_turn_success(results, k) == compute_k_turn_success(turned, k)


class TestHur:
    @pytest.mark.parametrize(
        ("results", "rate"),
        [
            ([], None),
            ([result(1, True)], None),
            ([result(None, None)], None),
            ([result(None, True)], 1.0),
            ([result(None, False)], 0.0),
            ([result(None, True), result(None, False), result(2, True)], 0.5),
            ([result(None, True), result(None, None)], 1.0),
            ([result(None, True), result(1, False)], 1.0),
        ],
    )
    def test_is_the_share_of_failed_tasks_that_hints_rescue(self, results, rate):
        assert compute_hur(results) == rate

    @given(RESULTS)
    def test_tasks_solved_without_hints_do_not_count(self, results):
        assert compute_hur([*results, result(3, False)]) == compute_hur(results)

    @given(RESULTS)
    def test_is_a_share_or_nothing(self, results):
        rate = compute_hur(results)
        assert rate is None or 0 <= rate <= 1


def test_the_example_of_the_readme_runs():
    text = (ROOT / "README.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (example,) = [code for code in examples if "evaluate_multi_turn" in code]
    run_python(f"{example}\nassert result.success_turn", folder=ROOT)


class TestPackage:
    def test_every_public_name_is_there_once(self):
        assert len(set(pytest_mint.__all__)) == len(pytest_mint.__all__)
        found: dict[str, Any] = {
            n: getattr(pytest_mint, n) for n in pytest_mint.__all__
        }
        assert all(value.__doc__ for value in found.values())

    def test_another_name_is_an_attribute_error(self):
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            pytest_mint.nothing  # noqa: B018
