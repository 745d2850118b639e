"""Answers, cases and recorded answers, graded from the command line."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_mint.cli import main
from pytest_mint.tasks import mint_bench
from pytest_mint.tasks.write import write_tasks
from tests.agents.server import ok, serve
from tests.commands.calling import refused
from tests.needs import need, pack
from tests.sandbox.kinds import opened

HINTS = {"vague": "Look.", "specific": "Look closer.", "direct": "It is 42."}


def a_task(name: str = "sum", **fields: Any) -> dict[str, Any]:
    given = {"id": name, "category": "reasoning", "input": "What is 40 + 2?"}
    return {**given, "expected_output": 42, "hints": HINTS, **fields}


def task_file(*tasks: dict[str, Any]) -> str:
    Path("tasks.yaml").write_text(yaml.safe_dump(list(tasks or [a_task()])))
    return "tasks.yaml"


def case(**fields: Any) -> dict[str, Any]:
    task = {"answer": 42, "tolerance": 0.01}
    given = {"id": "c1", "category": "reasoning", "task": task, "response": "42"}
    return {**given, "right": True, **fields}


def lines_file(*rows: Any, name: str = "rows.jsonl") -> str:
    text = "".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in rows)
    Path(name).write_text(text, encoding="utf-8")
    return name


def differing(name: str, *more: str) -> dict[str, Any]:
    """What --json writes."""
    assert main(["grade", "--cases", name, "--json", "out.json", *more]) == 0
    found: dict[str, Any] = json.loads(Path("out.json").read_text("utf-8"))
    return found


class TestOneAnswer:
    @pytest.mark.parametrize(
        ("answer", "code", "told"),
        [
            ("I think the answer is 42.", 0, ["right", "final_line"]),
            ("<solution>41</solution>", 1, ["not solved", "solution", "wrong"]),
            ("", 1, ["not solved"]),
        ],
    )
    def test_the_verdict_and_the_rule_are_shown(self, capsys, answer, code, told):
        assert main(["grade", "--task", task_file(), "--answer", answer]) == code
        out = capsys.readouterr().out
        assert out.startswith("reasoning/sum: ")
        assert not [word for word in told if word not in out]

    def test_the_answer_may_stand_in_a_file_or_come_by_a_pipe(self, monkeypatch):
        Path("answer.txt").write_text("Answer: 42", encoding="utf-8")
        name = task_file()
        assert main(["grade", "--task", name, "--answer-file", "answer.txt"]) == 0
        monkeypatch.setattr("sys.stdin", io.StringIO("Answer: 42"))
        assert main(["grade", "--task", name, "--answer-file", "-"]) == 0

    def test_a_task_is_named_where_there_are_several(self, capsys):
        name = task_file(a_task(), a_task("other", expected_output=7))
        assert main(["grade", "--task", name, "--id", "other", "--answer", "7"]) == 0
        assert "reasoning/other" in capsys.readouterr().out
        told = refused(capsys, "grade", "--task", name, "--answer", "7")
        assert "reasoning/sum, reasoning/other" in told
        arguments = ["--task", name, "--id", "none", "--answer", "7"]
        assert "no task 'none'" in refused(capsys, "grade", *arguments)

    def test_a_program_runs_in_the_sandbox(self, capsys):
        with opened("cage"):  # skips where there is none
            pass
        tests = [{"args": [1], "expected": 2}, {"args": [2], "expected": 3}]
        name = task_file(
            a_task(
                category="coding",
                expected_output=None,
                tests=tests,
                grader={"entry_point": "f"},
            )
        )
        arguments = ["grade", "--task", name, "--sandbox", "cage", "--answer"]
        assert main([*arguments, "def f(x):\n    return x + 1"]) == 0
        assert main([*arguments, "def f(x):\n    return 2"]) == 1
        told = capsys.readouterr().out
        assert "score 0.5" in told
        assert '"expected": "3"' in told

    def test_the_original_rules_are_chosen(self):
        task = a_task(rules="mint-bench", dataset="gsm8k", hints=None)
        name = task_file(task)
        arguments = ["grade", "--task", name, "--answer", "43"]  # within 5 %
        assert main([*arguments, "--grading", "faithful"]) == 0
        assert main([*arguments, "--grading", "strict"]) == 1

    def test_what_needs_a_judge_cannot_be_graded_without(self, capsys):
        task = a_task(
            category="creative_writing", expected_output=None, rubric="4: good"
        )
        told = refused(capsys, "grade", "--task", task_file(task), "--answer", "A poem")
        assert "needs a judge" in told

    @pytest.mark.parametrize(("score", "code"), [(4, 0), (1, 1)])
    def test_a_judge_goes_by_the_rubric(self, capsys, score, code):
        task = a_task(
            category="creative_writing", expected_output=None, rubric="4: good"
        )
        arguments = ["grade", "--task", task_file(task), "--answer", "A poem"]
        with serve(ok(f"Score: {score}")) as server:
            judge = ["--judge-model", "referee", "--judge-base-url", server.url]
            assert main([*arguments, *judge]) == code
        assert f"judge_score: {score}" in capsys.readouterr().out

    def test_what_a_terminal_would_act_on_is_left_out(self, capsys):
        task = a_task(
            category="instruction_following",
            expected_output=None,
            checks=[{"check": "starts_with", "text": "\x1b]0;x\x07Dear"}],
        )
        main(["grade", "--task", task_file(task), "--answer", "\x1b[31mred"])
        assert "\x1b" not in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--task", "tasks.yaml"], "--task needs --answer"),
            (["--task", "no.yaml", "--answer", "1"], "no.yaml: no such task file"),
            (["--task", "tasks.yaml", "--answer-file", "no.txt"], "no.txt"),
            (["--cases", "rows.jsonl", "--answer", "1"], "go with --task"),
            (["--answers", "rows.jsonl"], "--answers needs --tasks DIR"),
            (["--cases", "no.jsonl"], "no.jsonl"),
            (["--cases", "rows.jsonl", "--tasks", "x"], "--tasks goes with --answers"),
            (["--task", "tasks.yaml", "--answer", "1", "--json", "o"], "--json goes"),
        ],
    )
    def test_what_does_not_fit_together_is_told(self, capsys, arguments, told):
        task_file()
        lines_file(case())
        assert told in refused(capsys, "grade", *arguments)


CASES = [
    case(response="41", right=False),
    case(category="science", task={"answer": 9.81, "unit": "m/s^2"}, response="9.81"),
    case(task={"answer": 0.005, "tolerance": 0.01}, right="error"),
    case(category="information_retrieval", task={"reference": "In the old town"},
         response="it is in the old town"),
    case(category="information_retrieval", response="Paris",
         task={"reference": "It is Paris", "references_list": ["Paris"]}),
    case(category="decision_making", response="Done.",
         task={"expected_state": {"a": 1}, "observed_state": {"a": 1, "b": 2},
               "rules": {"ignore": ["b"]}}),
    case(category="decision_making", response="Done.", right=False,
         task={"expected_state": {"a": 1}, "observed_state": {"a": 2}}),
    case(category="tool_use", response='{"name": "f", "arguments": {"x": 1}}',
         task={"tools": [{"name": "f", "parameters": {"type": "object",
               "properties": {"x": {"type": "integer"}}}}], "order": "any",
               "expected_calls": [{"name": "f", "arguments": {"x": 1}}]}),
    case(category="creative_writing", response="A poem.", right=2,
         task={"scale": [0, 4], "judge_replies": ["Score: 2"]}),
    case(category="creative_writing", response="A poem.", right="error",
         task={"scale": [0, 4], "judge_replies": ["Good!", "Fine!"]}),
    case(category="instruction_following", response="one two", right=False,
         task={"constraints": [{"type": "word_count", "exactly": 3}]}),
    case(category="instruction_following", response="one two", right=True,
         task={"constraints": [], "judge_replies": ["VERDICT: PASS"]}),
]  # fmt: skip


class TestCases:
    @pytest.mark.parametrize("one", CASES, ids=lambda one: one["category"])
    def test_a_case_that_gets_its_verdict_does_not_differ(self, one):
        assert differing(lines_file(one)) == {"cases": 1, "differ": []}

    @pytest.mark.parametrize("one", CASES, ids=lambda one: one["category"])
    def test_a_case_that_asks_for_another_verdict_differs(self, one):
        other = 1 if one["right"] == 2 else one["right"] is False
        found = differing(lines_file({**one, "right": other}))
        (differ,) = found["differ"]
        assert set(differ) == {"id", "right", "got", "reason"}
        assert differ["right"] == other
        assert differ["got"] == one["right"] or one["right"] == "error"

    def test_programs_run_in_the_sandbox_and_get_a_share(self):
        with opened("cage"):
            pass
        tests = [{"args": [1], "expected": 2}, {"args": [2], "expected": 3}]
        task = {"entry_point": "f", "tests": tests, "timeout_s": 3}
        half = "def f(x):\n    return 2"
        rows = [
            case(category="coding", task=task, response=half, right=0.5),
            case(id="c2", category="coding", task=task, response=half, right=1.0),
        ]
        found = differing(lines_file(*rows), "--sandbox", "cage")
        assert [(one["id"], one["got"]) for one in found["differ"]] == [("c2", 0.5)]

    def test_a_very_long_reply_is_given_in_parts(self):
        parts = {"parts": [["x ", 3], ["Answer: 42", 1]]}
        assert not differing(lines_file(case(response=parts)))["differ"]

    def test_further_demands_of_a_case_are_made(self):
        Path("there").touch()
        rows = [
            case(id="slow", task={"answer": 42, "max_seconds": 0}),
            case(id="ran", task={"answer": 42, "forbid_file": "there"}),
            case(id="fine", task={"answer": 42, "max_seconds": 60}),
        ]
        found = differing(lines_file(*rows))["differ"]
        assert [one["id"] for one in found] == ["slow", "ran"]
        assert "the answer was run" in found[1]["reason"]

    @pytest.mark.parametrize(
        ("row", "told"),
        [
            ("{", "line 2: Expecting"),
            ("[]", "line 2: expected a JSON object"),
            ("", "line 2: "),
            ({"id": "x"}, "line 2: category is missing"),
            (case(category="cooking"), "line 2: category is 'cooking'"),
            (case(rihgt=1), "line 2: there is no field 'rihgt'; did you mean 'right'?"),
            (case(task={"anwser": 1}), "task: there is no field 'anwser'; did you"),
            (case(task={"unit": "m", "stemmer": "en"}), "no field 'stemmer'"),
            (case(task=[]), "line 2: task: expected an object"),
            (case(task={"rules": {"x": 1}}), "task.rules: there is no field 'x'"),
            (case(task={"rules": 1}), "task.rules: expected an object"),
            (case(task={"metric": "bleu"}), "task.metric is 'bleu'; texts have"),
            (case(right="maybe"), "line 2: right is 'maybe'"),
            (case(response=5), "line 2: response: expected a text or parts"),
            ('{"a": "\\ud800', "line 2"),
        ],
    )
    def test_a_line_that_is_no_case_is_named(self, capsys, row, told):
        name = lines_file(case(), row)
        problem = refused(capsys, "grade", "--cases", name)
        assert f"{name}, " in problem
        assert told in problem

    def test_programs_cannot_be_graded_where_there_is_no_sandbox(
        self, capsys, monkeypatch, tmp_path
    ):
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
        task = {"entry_point": "f", "tests": [{"args": [1], "expected": 2}]}
        name = lines_file(case(category="coding", task=task, right=1.0))
        told = refused(capsys, "grade", "--cases", name, "--sandbox", "docker")
        assert "no container engine answers" in told

    def test_a_terminal_is_told_how_far_it_is(self, capsys, monkeypatch):
        name = lines_file(case(), case(id="c2"))
        main(["grade", "--cases", name])
        assert capsys.readouterr().err == ""
        with opened("cage"):
            pass
        task = {"entry_point": "f", "tests": [{"args": [1], "expected": 2}]}
        code = case(category="coding", task=task, response="def f(x): return 2")
        rows = [case(), {**code, "right": 1.0}, {**code, "right": 0.0}]
        name = lines_file(*rows)
        monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
        main(["grade", "--cases", name, "--sandbox", "cage"])
        told = capsys.readouterr().err.split("\r\x1b[K")
        assert told == ["", "1/3 graded", "2/3 graded", ""]

    def test_a_file_without_cases_is_refused(self, capsys):
        told = refused(capsys, "grade", "--cases", lines_file())
        assert "holds no case" in told

    def test_what_is_no_text_is_refused(self, capsys):
        Path("rows.jsonl").write_bytes(b"\xff\xfe")
        assert "line 1" in refused(capsys, "grade", "--cases", "rows.jsonl")

    @pytest.mark.parametrize(("name", "n"), [("grading", 207), ("choices", 36)])
    def test_all_shared_cases_get_their_verdict(self, name, n):
        folder = need(pack(), "the pack with the grading cases beside it")
        path = need(folder.parent / "cases" / f"{name}.jsonl", "the grading cases")
        with opened("cage"):
            pass
        found = differing(str(path), "--sandbox", "cage")
        assert found == {"cases": n, "differ": []}


@pytest.fixture
def source() -> Path:
    return need(pack(), "the pack of the MINT benchmark (MINT_PACK)")


def row(answer: str, adjudicated: bool | None, **fields: Any) -> dict[str, Any]:
    given = {"dataset": "gsm8k", "id": 2, "answer": answer, "flag": True}
    return {**given, "adjudicated": adjudicated, **fields}


def compared(name: str, tasks: Path, *more: str) -> dict[str, Any]:
    arguments = ["grade", "--answers", name, "--tasks", str(tasks), "--json", "o.json"]
    assert main([*arguments, *more]) == 0
    found: dict[str, Any] = json.loads(Path("o.json").read_text("utf-8"))
    return found


class TestAnswers:
    def test_those_with_a_verdict_are_compared(self, source, capsys):
        rows = [row("175", True), row("9", True), row("5", None), row("6", False)]
        found = compared(lines_file(*rows), source)
        assert (found["cases"], found["agree"]) == (3, 2)
        (differ,) = found["differ"]
        assert (differ["id"], differ["answer"], differ["got"]) == (
            "gsm8k-2",
            "9",
            False,
        )
        assert "gsm8k             3 answers,  66.67 % agree, 1 differ" in (
            capsys.readouterr().out
        )

    def test_the_original_rules_are_held_against_the_recorded_flag(self, source):
        rows = [row("176", False), row("175", None), row("1", True, flag="mixed")]
        found = compared(lines_file(*rows), source, "--grading", "faithful")
        assert found == {"cases": 2, "agree": 2, "differ": []}  # 176 is within 5 %

    def test_imported_tasks_and_a_compressed_file_do_as_well(self, source):
        tasks = [t for t in mint_bench.load_tasks(source) if t.dataset == "gsm8k"]
        write_tasks(tasks, Path("imported"), "")
        with gzip.open("rows.jsonl.gz", "wt") as file:
            file.write(json.dumps(row("175", True)) + "\n")
        assert compared("rows.jsonl.gz", Path("imported"))["agree"] == 1

    def test_programs_run_in_the_sandbox(self, source):
        with opened("cage"):
            pass
        task = next(
            t for t in mint_bench.load_tasks(source) if t.dataset == "humaneval"
        )
        id_ = int(task.id.removeprefix("humaneval-"))
        rows = [row("def nothing(): pass", False, dataset="humaneval", id=id_)]
        found = compared(lines_file(*rows), source, "--sandbox", "cage")
        assert found == {"cases": 1, "agree": 1, "differ": []}

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            ("{", "line 2: "),
            ({"dataset": "gsm8k"}, "line 2: id is missing"),
            (row("1", True, id=9999), "has no task 'gsm8k-9999'"),
            (row("1", "yes"), "expected a text as answer, and true, false or null"),  # type: ignore[arg-type]
        ],
    )
    def test_a_line_that_is_no_answer_is_named(self, source, capsys, line, told):
        name = lines_file(row("175", True), line)
        arguments = ["--answers", name, "--tasks", str(source)]
        problem = refused(capsys, "grade", *arguments)
        assert f"{name}, line 2" in problem
        assert told in problem

    def test_a_file_that_is_cut_off_is_refused(self, source, capsys):
        whole = gzip.compress(json.dumps(row("175", True)).encode() + b"\n")
        Path("cut.jsonl.gz").write_bytes(whole[:-10])
        arguments = ["--answers", "cut.jsonl.gz", "--tasks", str(source)]
        assert "cut.jsonl.gz, line" in refused(capsys, "grade", *arguments)

    def test_a_file_without_verdicts_is_refused(self, source, capsys):
        arguments = ["--answers", lines_file(row("1", None)), "--tasks", str(source)]
        assert "no answer with a verdict" in refused(capsys, "grade", *arguments)
