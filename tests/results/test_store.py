from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path

import pytest

from pytest_mint.errors import UserError
from pytest_mint.records import (
    Episode,
    Hint,
    Judgement,
    TaskResult,
    Tokens,
    ToolRun,
    Turn,
    to_data,
)
from pytest_mint.results import store
from pytest_mint.results.files import to_line
from pytest_mint.results.plan import plan_to_data
from pytest_mint.results.store import create_run, read_results, read_run
from tests.results.build import result, results_of, sample

NOON = datetime(2026, 11, 29, 23, 15, 2, tzinfo=timezone.utc)

FULL = TaskResult(
    "coding/merge",
    "coding",
    dataset="mbpp",
    trial=2,
    digest="0123456789abcdef",
    episodes={
        "ef": Episode(
            "ef",
            "solved",
            success_turn=2,
            opening=({"role": "user", "content": "\ud800 NUL \0 é \u2028"},),
            turns=(
                Turn(
                    1,
                    "text \udfff",
                    runs=(ToolRun("python_interpreter", "1/0", "\0", ok=False),),
                    heard="3 turns left",
                    hint=Hint("think", "vague", Tokens(3, 4)),
                    tokens=Tokens(5, 6),
                    seconds=0.25,
                    shared=True,
                    drift="other",
                ),
                Turn(2, "", proposal="42", verdict=Judgement(True, 1.0, "right")),
            ),
            seconds=1.5,
        ),
        "nlf": Episode("nlf", "provider_error", error="529 six times"),
    },
)


def begin(folder: Path, hint: str = "claude-2", **settings):
    return create_run(folder, hint, settings, now=NOON)


def test_a_run_is_read_back_as_it_was_written(tmp_path):
    run = begin(tmp_path / ".mint" / "runs", model="claude-2", api_key="sk-secret")
    run.note(tasks={"coding/merge": "0123456789abcdef"})
    run.append(FULL)
    run.finish()
    header, results = read_run(run.path)
    assert list(results) == [FULL]
    assert run.problems == []
    assert header["schema"] == 1
    assert header["id"] == run.id == "20261129-231502-claude-2"
    assert header["started"] == "2026-11-29T23:15:02Z"
    assert header["finished"].endswith("Z")
    assert header["settings"] == {"model": "claude-2", "api_key": "(hidden)"}
    assert header["tasks"] == {"coding/merge": "0123456789abcdef"}
    assert {"python", "platform", "pytest", "pydantic"} <= set(header["versions"])
    assert "sk-secret" not in (run.path / "run.json").read_text()


def test_results_arrive_on_disk_one_by_one(tmp_path):
    run = begin(tmp_path)
    for n in range(3):
        run.append(result(f"coding/t{n}", {"ef": 1}))
        header, results = read_run(run.path)
        assert header["finished"] is None
        assert [one.task for one in results] == [f"coding/t{m}" for m in range(n + 1)]
    run.finish()


def test_the_summary_can_be_made_again_from_disk(tmp_path):
    expected = sample()
    run = begin(tmp_path)
    run.note(plan=plan_to_data(expected.plan))
    for row in expected.rows:
        run.append(
            result(
                row.task,
                {arm: p.success_turn or p.outcome for arm, p in row.arms.items()},
            )
        )
    assert read_results(run.path).interrupted
    run.finish()
    assert read_results(run.path) == expected


@pytest.mark.parametrize(
    ("hint", "name"),
    [
        ("claude-2", "claude-2"),
        ("openrouter/Meta Llama:70b", "openrouter-meta-llama-70b"),
        ("../../etc", "etc"),
        ("", "run"),
        ("\ud800é", "run"),
        ("x" * 300, "x" * 40),
    ],
)
def test_the_folder_is_named_for_time_and_model(tmp_path, hint, name):
    run = begin(tmp_path, hint)
    run.finish()
    assert run.path == tmp_path / f"20261129-231502-{name}"


def test_runs_that_begin_at_once_have_folders_of_their_own(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        runs = list(pool.map(lambda _: begin(tmp_path / "runs"), range(32)))
    for run in runs:
        run.append(result("coding/a", {"ef": 1}))
        run.finish()
    numbers = ["", *(f"-{n}" for n in range(2, 33))]
    assert {run.id for run in runs} == {f"20261129-231502-claude-2{n}" for n in numbers}
    assert all(len(list(read_run(run.path)[1])) == 1 for run in runs)


def test_a_new_folder_is_kept_out_of_version_control(tmp_path):
    begin(tmp_path / ".mint" / "runs").finish()
    assert (tmp_path / ".mint" / ".gitignore").read_text() == "*\n"
    (tmp_path / ".mint" / ".gitignore").write_text("!runs\n")
    begin(tmp_path / ".mint" / "runs").finish()
    assert (tmp_path / ".mint" / ".gitignore").read_text() == "!runs\n"
    assert list(tmp_path.rglob(".gitignore")) == [tmp_path / ".mint" / ".gitignore"]


def test_a_folder_of_the_user_gets_no_gitignore(tmp_path):
    begin(tmp_path).finish()
    assert not (tmp_path / ".gitignore").exists()


def test_a_folder_that_cannot_be_made_is_said_before_anything_is_played(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write a run below .*--mint-run-dir"):
        begin(tmp_path / "file" / "runs")


def test_of_several_lines_of_one_task_the_last_counts(tmp_path):
    run = begin(tmp_path)
    for end in ("provider_error", 4, 2):
        run.append(result("coding/a", {"ef": end}))
        run.append(result("coding/b", {"ef": 1}))
    run.finish()
    found = {one.task: one for one in read_run(run.path)[1]}
    assert len(list(read_run(run.path)[1])) == 2
    assert found["coding/a"].episodes["ef"].success_turn == 2


def test_trials_of_one_task_are_kept_apart(tmp_path):
    run = begin(tmp_path)
    one = {"ef": Episode("ef", "unsolved")}
    for trial in (1, 2):
        run.append(TaskResult("coding/a", "coding", trial=trial, episodes=one))
    run.finish()
    assert [one.trial for one in read_run(run.path)[1]] == [1, 2]


def test_a_file_cut_at_any_byte_gives_every_whole_line(tmp_path):
    run = begin(tmp_path)
    lines = [to_line(to_data(FULL)), to_line(to_data(result("coding/b", {"ef": 1})))]
    text = b"".join(lines)
    run.finish()
    for size in range(len(text) + 1):
        (run.path / "episodes.jsonl").write_bytes(text[:size])
        # A line is whole with its last bracket, the newline or not.
        whole = sum(size >= end for end in (len(lines[0]) - 1, len(text) - 1))
        tasks = [one.task for one in read_run(run.path)[1]]
        assert tasks == ["coding/merge", "coding/b"][:whole]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 2: no JSON value"),
        ("[]", "line 2: no record of a task"),
        ("3", "line 2: no record of a task"),
        ('{"task": "coding/a"}', "line 2: no record of a task"),
        ('{"task": "a/b", "category": "a", "x": 1}', "line 2: no record of a task"),
        ('{"task": "a/b", "category": "a", "episodes": {"ef": 1}}', "no record"),
        ('{"task": "a/b", "category": "a", "episodes": [1]}', "no record"),
    ],
)
def test_a_line_that_is_no_record_is_named_at_once(tmp_path, line, says):
    run = begin(tmp_path)
    good = to_line(to_data(FULL)).decode()
    run.finish()
    (run.path / "episodes.jsonl").write_text(f"{good}{line}\n{good}")
    with pytest.raises(UserError, match=says) as raised:
        read_run(run.path)
    assert "episodes.jsonl" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, r"no run there \(run.json is missing\)"),
        ("{", "cannot be read"),
        ("\ud800", "cannot be read"),
        ("[]", "expected schema 1"),
        ('{"schema": 2}', "expected schema 1"),
    ],
)
def test_a_folder_that_is_no_run_is_named(tmp_path, text, says):
    if text is not None:
        header = tmp_path / "run.json"
        header.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UserError, match=says):
        read_run(tmp_path)


def test_a_run_that_ended_before_its_first_result_has_none(tmp_path):
    run = begin(tmp_path)
    run.finish()
    (run.path / "episodes.jsonl").unlink()
    assert list(read_run(run.path)[1]) == []
    with pytest.raises(UserError, match="ended before it knew its tasks"):
        read_results(run.path)


@pytest.mark.parametrize("plan", [{}, {"collected": 1}, []])
def test_a_plan_that_is_none_is_named(tmp_path, plan):
    run = begin(tmp_path)
    run.note(plan=plan)
    run.finish()
    with pytest.raises(UserError, match="not a run as it is written"):
        read_results(run.path)


def test_a_result_that_was_not_planned_is_named(tmp_path):
    run = begin(tmp_path)
    run.note(plan=plan_to_data(results_of([]).plan))
    run.append(result("coding/a", {"ef": 1}))
    run.finish()
    with pytest.raises(UserError, match=r"coding/a.*was played but not scheduled"):
        read_results(run.path)


def play_on_full_disk(tmp_path: Path, script: str) -> dict:
    """Runs a script in a process whose files cannot grow beyond a limit.

    The limit of the operating system fails a write in the middle, as a full disk
    does, and can be lifted again.
    """
    pytest.importorskip("resource", reason="the limit of a file's size is POSIX")
    head = """
        import json, resource, sys
        from pathlib import Path
        from pytest_mint.records import Episode, TaskResult, Turn
        from pytest_mint.results.store import create_run

        def limit(size):
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

        def play(number, size=1000):
            turns = (Turn(1, "x" * size),)
            episodes = {"ef": Episode("ef", "unsolved", turns=turns)}
            run.append(TaskResult(f"coding/t{number}", "coding", episodes=episodes))

        def report():
            limit(resource.RLIM_INFINITY)  # whoever measures coverage writes as well
            print(json.dumps({"path": str(run.path), "problems": run.problems}))

        run = create_run(Path(sys.argv[1]), "m", {})
    """
    (tmp_path / "tmp").mkdir()
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-c",
            textwrap.dedent(head) + textwrap.dedent(script),
            str(tmp_path / "runs"),
        ],
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


def tasks_in(folder: str | Path) -> list[str]:
    return [one.task for one in read_run(Path(folder))[1]]


def test_on_a_full_disk_a_run_goes_on_elsewhere(tmp_path):
    said = play_on_full_disk(
        tmp_path,
        """
        for number in range(4): play(number)
        limit(5000)
        for number in range(4, 7): play(number)
        run.finish()
        report()
        """,
    )
    # Four lines of a good 1000 bytes are below the limit, the fifth is not.
    (refuge,) = (tmp_path / "tmp").iterdir()
    assert refuge.name.startswith("mint-run-")
    (problem,) = said["problems"]
    assert "episodes.jsonl: File too large" in problem
    assert f"this and all later episodes are in {refuge}" in problem
    expected = [f"coding/t{n}" for n in range(7)]
    assert tasks_in(said["path"]) == expected
    assert tasks_in(refuge) == expected
    # The half of the line that was refused is not left behind.
    assert (Path(said["path"]) / "episodes.jsonl").read_bytes().endswith(b"}\n")
    assert read_run(Path(said["path"]))[0]["problems"] == said["problems"]


def test_a_run_that_moved_and_was_killed_is_read_from_both_folders(tmp_path):
    said = play_on_full_disk(
        tmp_path,
        """
        import os
        limit(2500)
        for number in range(4): play(number)
        report()
        sys.stdout.flush()
        os._exit(1)
        """,
    )
    assert tasks_in(said["path"]) == [f"coding/t{n}" for n in range(4)]
    header, _ = read_run(Path(said["path"]))
    assert header["finished"] is None


def test_episodes_that_no_disk_takes_are_written_at_the_end(tmp_path):
    said = play_on_full_disk(
        tmp_path,
        """
        limit(3000)
        for number in range(6): play(number)
        limit(resource.RLIM_INFINITY)
        for number in range(6, 8): play(number)  # not before those that wait
        run.finish()
        report()
        """,
    )
    assert tasks_in(said["path"]) == [f"coding/t{n}" for n in range(8)]
    moved, kept, written = said["problems"]
    assert "all later episodes are in" in moved
    assert "kept in memory until the end" in kept
    assert "written at the end after all" in written


def test_episodes_that_no_disk_ever_takes_are_said_to_be_lost(tmp_path):
    said = play_on_full_disk(
        tmp_path,
        """
        play(0)
        limit(1)
        for number in range(1, 4): play(number)
        run.finish()
        report()
        """,
    )
    assert tasks_in(said["path"]) == ["coding/t0"]
    assert "neither is there a place in" in said["problems"][0]
    assert "3 episodes are in no file" in said["problems"][1]
    assert "cannot write" in said["problems"][2]
    # The file of the start is still whole.
    assert read_run(Path(said["path"]))[0]["finished"] is None


def test_the_same_problem_is_said_once(tmp_path):
    run = begin(tmp_path)
    (run.path / f".run.json.{os.getpid()}.tmp").mkdir()
    run.note(tasks={"coding/a": "1"})
    run.note(tasks={"coding/a": "2"})
    run.finish()
    (problem,) = run.problems
    assert problem.startswith(f"cannot write {run.path / 'run.json'}: ")


def test_a_package_that_is_not_installed_has_no_version(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_PACKAGES", ("pytest", "no-package-of-this-name"))
    run = begin(tmp_path)
    run.finish()
    versions = read_run(run.path)[0]["versions"]
    assert set(versions) == {"python", "platform", "pytest"}


def test_a_folder_on_a_full_disk_is_said_before_anything_is_played(tmp_path):
    said = play_on_full_disk(
        tmp_path,
        """
        from pytest_mint.errors import UserError
        limit(1)
        try:
            create_run(Path(sys.argv[1]), "n", {})
        except UserError as problem:
            limit(resource.RLIM_INFINITY)
            print(json.dumps({"said": str(problem)}))
        run.finish()
        """,
    )
    assert "File too large; make room there or give another" in said["said"]


def test_a_killed_run_keeps_every_result(tmp_path):
    script = """
        import os, signal, sys
        from pathlib import Path
        from pytest_mint.records import Episode, TaskResult
        from pytest_mint.results.store import create_run

        run = create_run(Path(sys.argv[1]), "m", {})
        for number in range(50):
            episodes = {"ef": Episode("ef", "unsolved")}
            run.append(TaskResult(f"coding/t{number}", "coding", episodes=episodes))
        os.kill(os.getpid(), signal.SIGTERM)
    """
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "runs")],
        timeout=60,
        check=False,
    )
    (run,) = (path for path in (tmp_path / "runs").iterdir() if path.is_dir())
    assert tasks_in(run) == [f"coding/t{n}" for n in range(50)]
