from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mint import __version__
from pytest_mint.agents.base import Reply
from pytest_mint.cli import main
from pytest_mint.commands.init import TEST
from pytest_mint.episode.loop import play
from pytest_mint.records import TaskResult
from pytest_mint.results.store import create_run, read_results, read_run
from pytest_mint.tasks import mint_bench
from pytest_mint.tasks.load import load_tasks
from tests.commands.calling import refused
from tests.episode.scripted import WEIGH, Scripted, call, cast_of, sum_task
from tests.needs import need, pack
from tests.tasks.checkout import rows_of, write_checkout

WRONG, RIGHT = "<solution>7</solution>", "<solution>42</solution>"


class TestCommandLine:
    def test_the_version_is_told(self, capsys):
        with pytest.raises(SystemExit) as end:
            main(["--version"])
        assert end.value.code == 0
        assert capsys.readouterr().out == f"{__version__}\n"

    @pytest.mark.parametrize("arguments", [[], ["fly"], ["show"], ["import", "x", "y"]])
    def test_what_cannot_be_read_ends_with_2(self, capsys, arguments):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 2
        assert "usage: pytest-mint" in capsys.readouterr().err

    def test_every_command_is_in_the_reference(self, capsys):
        with pytest.raises(SystemExit):
            main(["--help"])
        commands = re.findall(r"^    (\w+) +\w", capsys.readouterr().out, re.MULTILINE)
        assert {"init", "import", "show", "grade", "image"} <= set(commands)
        reference = Path(__file__).parents[2] / "docs" / "reference.md"
        text = reference.read_text("utf-8")
        assert not [name for name in commands if f"`pytest-mint {name}" not in text]

    def test_the_installed_command_runs(self):
        command = Path(sys.executable).with_name("pytest-mint")
        done = subprocess.run(
            [str(command), "--version"], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == __version__


class TestInit:
    def test_writes_the_test(self, capsys):
        assert main(["init"]) == 0
        assert Path("tasks/test_mint.py").read_text("utf-8") == TEST
        assert "pytest --mint-model=oracle" in capsys.readouterr().out

    def test_writes_it_where_it_is_told(self):
        assert main(["init", "deep/er"]) == 0
        assert Path("deep/er/test_mint.py").exists()

    def test_never_overwrites(self, capsys):
        Path("tasks").mkdir()
        Path("tasks/test_mint.py").write_text("mine", encoding="utf-8")
        told = refused(capsys, "init")
        assert f"{Path('tasks/test_mint.py')} is there already" in told
        assert Path("tasks/test_mint.py").read_text("utf-8") == "mine"

    def test_a_folder_that_is_a_file_is_named(self, capsys):
        Path("tasks").write_text("", encoding="utf-8")
        assert "tasks" in refused(capsys, "init")


def record(*lines, task=None, arms=("ef", "nlf"), nlf=None, runs=".mint/runs") -> Path:
    """A run in which the task was played with these replies."""
    cast = cast_of(Scripted(lines, nlf=nlf), tools=[WEIGH])
    result = asyncio.run(play(task or sum_task(), cast, arms))
    return record_all([result], runs)


def record_all(results: list[TaskResult], runs: str = ".mint/runs") -> Path:
    run = create_run(Path(runs), "m", {"model": "m"})
    for result in results:
        run.append(result)
    run.finish()
    return run.path


class TestShow:
    def test_prints_the_conversation_of_the_last_run(self, capsys):
        record(WRONG, RIGHT)
        assert main(["show", "reasoning/sum"]) == 0
        told = capsys.readouterr().out
        parts = ["--- system", "--- user", "What is 40 + 2?", "--- assistant", WRONG]
        places = [told.index(part) for part in [*parts, RIGHT]]
        assert places == sorted(places)
        assert told.endswith("=== solved in arm ef at turn 2\n")

    def test_the_id_alone_will_do(self, capsys):
        record(RIGHT)
        assert main(["show", "sum"]) == 0
        assert RIGHT in capsys.readouterr().out

    def test_an_id_of_two_categories_has_to_be_told_apart(self, capsys):
        tasks = [sum_task(), sum_task(category="science")]
        casts = [cast_of(Scripted([RIGHT])) for _ in tasks]
        record_all(
            [asyncio.run(play(t, c, ["ef"])) for t, c in zip(tasks, casts, strict=True)]
        )
        told = refused(capsys, "show", "sum")
        assert "reasoning/sum, science/sum" in told
        assert main(["show", "science/sum"]) == 0

    def test_the_other_arm_and_another_run(self, capsys):
        old = record(WRONG, runs="old")
        record(RIGHT)
        assert main(["show", "sum", "--arm", "nlf", "--run", str(old)]) == 0
        told = capsys.readouterr().out
        assert "Hint: " in told
        assert told.endswith("=== unsolved in arm nlf\n")

    def test_the_last_run_is_the_one_written_last(self, capsys):
        first = record(RIGHT)
        second = record(WRONG)
        os.utime(first / "run.json", (1, 1))
        os.utime(second / "run.json", (2, 2))
        main(["show", "sum"])
        assert "unsolved" in capsys.readouterr().out

    def test_calls_and_their_results_are_told(self, capsys):
        record(Reply("", (call('{"what": "tin"}'),)), RIGHT)
        main(["show", "sum"])
        told = capsys.readouterr().out
        assert '[calls weigh] {"what": "tin"}' in told
        assert "--- tool\ntin: 21 kg" in told

    def test_nothing_reaches_the_terminal_that_it_would_act_on(self, capsys):
        odd = "a\x1b]0;title\x07b\x1b[31mc\x00\ud800\u202e\x9b2Jd"
        record(Reply(odd, (call(odd, name=odd),)), f"{odd}\r\nnext line")
        main(["show", "sum"])
        told = capsys.readouterr().out
        told.encode("utf-8")
        assert "abcd" in told
        assert "next line" in told
        assert not set(told) & set("\x1b\x07\x00\r\x9b\u202e\ud800")

    def test_json_are_chat_messages(self, capsys):
        record("\ud800 odd", RIGHT)
        assert main(["show", "sum", "--json"]) == 0
        messages = json.loads(capsys.readouterr().out)
        assert [m["role"] for m in messages][:3] == ["system", "user", "assistant"]
        assert messages[2]["content"] == "\ud800 odd"

    def test_an_unknown_task_is_named(self, capsys):
        run = record(RIGHT)
        told = refused(capsys, "show", "nothing", "--run", str(run))
        assert f"{run} has no task 'nothing'" in told

    def test_an_arm_that_was_not_played_is_named(self, capsys):
        record(RIGHT, arms=["ef"])
        told = refused(capsys, "show", "sum", "--arm", "nlf")
        assert "sum was not played in arm nlf" in told

    def test_without_a_run_it_says_how_to_name_one(self, capsys):
        assert "name one with --run DIR" in refused(capsys, "show", "sum")

    def test_a_folder_that_is_no_run_is_named(self, capsys):
        assert "no run there" in refused(capsys, "show", "sum", "--run", "x")

    def test_a_reader_that_goes_away_is_no_error(self):
        run = record("word " * 200_000)
        shown = subprocess.Popen(
            [sys.executable, "-m", "pytest_mint.cli", "show", "sum", "--run", str(run)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert shown.stdout is not None
        assert shown.stderr is not None
        with shown:
            shown.stdout.read(10)
            shown.stdout.close()
            assert shown.stderr.read() == b""
            assert shown.wait(30) == 0


class TestImport:
    MODEL = "gpt-3.5-turbo-0613"

    @pytest.fixture
    def source(self) -> Path:
        return need(pack(), "the pack of the MINT benchmark (MINT_PACK)")

    @pytest.fixture
    def checkout(self, source: Path, tmp_path: Path) -> Path:
        first = {}
        for row in rows_of(source):
            first.setdefault(row["dataset"], row["id"])
        folder = tmp_path / "mint-bench"
        write_checkout(
            source, folder, self.MODEL, lambda r: r["id"] == first[r["dataset"]]
        )
        return folder

    def bring(self, source: Path, *more: str) -> int:
        told = ["--to", "tasks", "--runs", "runs", *more]
        return main(["import", "mint-bench", str(source), *told])

    def test_a_checkout_becomes_tasks_and_a_run(self, checkout, capsys):
        assert self.bring(checkout) == 0
        told = capsys.readouterr().out
        assert "8 tasks as played by gpt-3.5-turbo-0613" in told
        written = {task.key: task for task in load_tasks([Path("tasks")])}
        assert written == {t.key: t for t in mint_bench.load_tasks(checkout)}
        (run,) = (path.parent for path in Path("runs").glob("*/run.json"))
        header, results = read_run(run)
        assert header["protocol"] == "text"
        assert header["tasks"] == {t.key: t.digest for t in written.values()}
        assert list(results) == list(mint_bench.results(checkout, self.MODEL))
        plan = read_results(run).plan
        assert len(plan.collected) == 8
        assert list(plan.not_applicable.values()) == ["the ALFWorld simulator"]

    def test_the_pack_and_the_checkout_give_the_same_files(self, checkout, source):
        assert self.bring(source, "--model", self.MODEL) == 0
        theirs = {t.key: t for t in load_tasks([Path("tasks")])}
        for task in mint_bench.load_tasks(checkout):
            assert theirs[task.key] == task

    def test_files_say_where_they_come_from(self, checkout):
        self.bring(checkout)
        for path in Path("tasks").rglob("*.yaml"):
            assert path.read_text("utf-8").startswith("# Imported from the MINT bench")

    def test_only_the_models_that_are_named(self, source, capsys):
        assert self.bring(source, "--model", "claude-2", "--model", "gpt-4-0613") == 0
        runs = [path.parent for path in Path("runs").glob("*/run.json")]
        played = [read_run(run)[0]["settings"] for run in runs]
        assert {one["model"] for one in played} == {"claude-2", "gpt-4-0613"}

    def test_an_unknown_model_is_refused_before_anything_is_written(
        self, checkout, capsys
    ):
        arguments = ["--to", "tasks", "--runs", "runs", "--model", "claude-9"]
        told = refused(capsys, "import", "mint-bench", str(checkout), *arguments)
        assert f"no recording of claude-9; it has {self.MODEL}" in told
        assert not Path("tasks").exists()
        assert not Path("runs").exists()

    def test_task_files_that_are_there_are_kept(self, checkout, capsys):
        Path("tasks/reasoning").mkdir(parents=True)
        Path("tasks/reasoning/gsm8k.yaml").write_text("mine", encoding="utf-8")
        told = ["--to", "tasks", "--runs", "runs"]
        problem = refused(capsys, "import", "mint-bench", str(checkout), *told)
        assert "gsm8k.yaml is there already" in problem
        assert Path("tasks/reasoning/gsm8k.yaml").read_text("utf-8") == "mine"
        assert not Path("runs").exists()

    def test_a_folder_without_a_benchmark_is_refused(self, tmp_path, capsys):
        told = refused(capsys, "import", "mint-bench", str(tmp_path), "--to", "tasks")
        assert "neither the MINT benchmark" in told
