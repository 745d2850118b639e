"""Which tests there are, what they are called, and how they are chosen."""

from __future__ import annotations

import pytest
import yaml

from tests.plugin.conftest import TEST, a_task


def collected(project: pytest.Pytester, *args: str) -> list[str]:
    result = project.runpytest("--collect-only", "-q", "--mint-model=nop", *args)
    return [line for line in result.outlines if "::" in line]


def test_every_task_is_a_test_named_category_and_id(project: pytest.Pytester) -> None:
    assert collected(project) == [
        "tasks/test_mint.py::test_mint[reasoning/first]",
        "tasks/test_mint.py::test_mint[reasoning/second]",
        "tasks/test_mint.py::test_mint[reasoning/third]",
        "tasks/test_mint.py::test_mint[science/never]",
    ]


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (["-k", "science"], ["science/never"]),
        (["-k", "reasoning and not third"], ["reasoning/first", "reasoning/second"]),
        (["-m", "mint(category='science')"], ["science/never"]),
        (["-m", "mint(task='first')"], ["reasoning/first"]),
        (["tasks/test_mint.py::test_mint[science/never]"], ["science/never"]),
    ],
)
def test_tasks_are_selected(
    project: pytest.Pytester, args: list[str], names: list[str]
) -> None:
    assert collected(project, *args) == [
        f"tasks/test_mint.py::test_mint[{name}]" for name in names
    ]


def test_without_a_model_tasks_are_deselected_and_the_header_says_so(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(test_other="def test_other(): pass")
    result = project.runpytest("test_other.py", "tasks")
    result.assert_outcomes(passed=1, deselected=4)
    result.stdout.fnmatch_lines(["mint: no model given, its tasks are deselected*"])
    result.stdout.no_fnmatch_line("*= mint*")
    assert not (project.path / ".mint").exists()


def test_a_project_without_tasks_sees_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other(): pass")
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("mint:*")
    assert not (pytester.path / ".mint").exists()


def test_with_a_model_only_tasks_are_played(project: pytest.Pytester) -> None:
    project.makepyfile(test_other="def test_other(): assert 0")
    result = project.runpytest("--mint-model=oracle", "-k", "first or other")
    result.assert_outcomes(passed=1, deselected=4)


def test_a_session_without_a_test_of_tasks_is_told_how_to_write_one(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile("def test_other(): pass")
    result = pytester.runpytest("--mint-model=nop")
    result.stdout.fnmatch_lines(
        ["No test of a task was selected. Such a test is:", *TEST.splitlines()]
    )
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_bundled_tasks_play_without_any_file(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest(
        "--pyargs", "pytest_mint.bench", "--mint-model=nop", "--collect-only", "-q"
    )
    named = [line for line in result.outlines if "::test_mint[" in line]
    assert len(named) >= 24


def test_users_put_their_own_assertions_on_the_same_episode(
    project: pytest.Pytester,
) -> None:
    (project.path / "tasks" / "test_more.py").write_text(
        "def test_answer(mint_task, mint_episode):\n"
        "    assert mint_episode.answer == f'<solution>{mint_task.expected_output}"
        "</solution>'\n"
        "def test_short(mint_episode):\n"
        "    assert mint_episode.success_turn == 2 and len(mint_episode.turns) == 2\n"
        "    assert mint_episode.trajectory[-1]['role'] == 'assistant'\n"
    )
    result = project.runpytest("--mint-model=oracle", "-k", "second", "-v")
    result.assert_outcomes(passed=3, deselected=9)
    run = next((project.path / ".mint" / "runs").iterdir())
    assert len((run / "episodes.jsonl").read_text().splitlines()) == 1


def test_a_parametrized_test_of_tasks_is_one_task_all_the_same(
    project: pytest.Pytester,
) -> None:
    (project.path / "tasks" / "test_mint.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('x', [1, 2])\n"
        "def test_mint(mint_episode, x):\n"
        "    mint_episode.assert_solved()\n"
    )
    result = project.runpytest("--mint-model=oracle", "-k", "first", "--mint-json=o")
    result.assert_outcomes(passed=2, deselected=6)
    assert '"collected": 1' in (project.path / "o").read_text()


@pytest.mark.parametrize(
    ("file", "named"),
    [("test_coding.py", "the file name"), ("test_mint.py", "the id of science/")],
)
def test_names_that_would_make_k_inexact_are_refused(
    pytester: pytest.Pytester, write_tasks, file: str, named: str
) -> None:
    (pytester.path / "tasks" / "test_mint.py").unlink()
    (pytester.path / "tasks" / file).write_text(TEST)
    name = "decoding" if file == "test_mint.py" else "plain"
    write_tasks("science", a_task(name))
    write_tasks("reasoning", a_task("other"))
    result = pytester.runpytest("--mint-model=nop")
    result.stdout.fnmatch_lines([f"*{named}*'coding'*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_all_bad_tasks_of_a_file_are_told_at_once(
    pytester: pytest.Pytester, write_tasks
) -> None:
    write_tasks(
        "reasoning",
        a_task("fine"),
        a_task("no-number", expected="five"),
        {**a_task("no-hints"), "hints": {"vague": "Add."}},
    )
    result = pytester.runpytest("--mint-model=nop")
    result.stdout.fnmatch_lines(
        [
            "*some.yaml: task \"no-number\": *expected a number, not 'five'*",
            '*some.yaml: task "no-hints": hints.specific: is missing*',
            '*some.yaml: task "no-hints": hints.direct: is missing*',
        ]
    )
    result.stdout.no_fnmatch_line('*task "fine"*')
    result.stdout.no_fnmatch_line("*Such a test is:*")
    assert result.ret == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize("args", [[], ["-n", "2"]])
def test_bad_tasks_are_a_clean_error_with_and_without_workers(
    pytester: pytest.Pytester, write_tasks, args: list[str]
) -> None:
    write_tasks("reasoning", a_task("twice"), a_task("twice"))
    result = pytester.runpytest("--mint-model=nop", *args)
    result.stdout.fnmatch_lines(['*task "twice": id: there is another*'])
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    assert result.ret in (1, 2)


def test_tasks_that_cannot_be_played_are_skipped_and_named(
    pytester: pytest.Pytester, write_tasks
) -> None:
    write_tasks("reasoning", a_task("here"))
    write_tasks(
        "creative_writing", {**a_task("poem"), "rubric": "Is it good?", "checks": []}
    )
    result = pytester.runpytest("--mint-model=nop", "-rs")
    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["subset: 1 of 2; 1 needs a judge", "*not applicable: needs a judge*"]
    )


def test_hints_alone_need_tasks_that_have_hints(pytester: pytest.Pytester) -> None:
    task = {**a_task("bare"), "rules": "mint-bench", "category": "reasoning"}
    del task["hints"]
    path = pytester.path / "own.yaml"
    path.write_text(yaml.safe_dump([task]))
    args = ("--pyargs", "pytest_mint.bench", "--mint-model=nop", f"--mint-tasks={path}")
    result = pytester.runpytest(*args, "--mint-arm=nlf", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*not applicable: needs hints*"])


def test_tasks_beside_the_test_are_found_whatever_their_folder(
    pytester: pytest.Pytester, write_tasks
) -> None:
    task = {**a_task("mine"), "category": "science"}
    (pytester.path / "tasks" / "mine.yaml").write_text(yaml.safe_dump([task]))
    result = pytester.runpytest("--mint-model=oracle")
    result.assert_outcomes(passed=1)
