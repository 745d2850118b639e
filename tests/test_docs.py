"""The README and the reference say what is true."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mint.options import OPTIONS, Option
from pytest_mint.words import CATEGORIES, MISSING, VALID

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)


def row(option: Option) -> str:
    """The option as a row of the reference."""
    value = option.metavar or option.choice
    default = "" if option.default in (None, "", ()) else f"`{option.default}`"
    flag = f"{option.flag} {value}".replace("|", "\\|")
    return f"| `{flag}` | {default} | {option.help} |"


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.flag)
def test_the_reference_has_the_option_as_it_is(option: Option) -> None:
    assert row(option) in REFERENCE


def test_the_reference_has_no_option_that_is_not_there() -> None:
    named = re.findall(r"^\| `(--mint-[\w-]+)", REFERENCE, re.MULTILINE)
    assert named == [option.flag for option in OPTIONS]


def test_the_reference_has_every_outcome() -> None:
    named = re.findall(r"`([a-z_]+)`", REFERENCE)
    assert set(VALID) | set(MISSING) - {"budget_stop"} <= set(named)


def test_options_of_the_readme_are_there() -> None:
    flags = {option.flag for option in OPTIONS}
    assert set(re.findall(r"--mint-[a-z-]+", README)) <= flags


def test_the_gate_runs_the_command_of_the_readme() -> None:
    commands = [text.strip() for kind, text in BLOCKS if not kind]
    assert commands[1] in (ROOT / ".ci" / "run").read_text().splitlines()


def test_the_first_command_of_the_readme_plays_the_bundled_tasks() -> None:
    command = next(text.strip() for kind, text in BLOCKS if not kind)
    install, local, play = command.split(" && ")
    assert install == "pip install ."
    assert local == "pip install --no-deps -r requirements-local.txt"
    assert (ROOT / "requirements-local.txt").is_file()
    more = ["-p", "no:cacheprovider", "--co", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(play), *more],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    played = re.findall(r"^tasks/test_mint\.py::test_mint\[(\w+)/", done.stdout, re.M)
    judged = {"creative_writing", "instruction_following"}
    assert sorted(played) == sorted(set(CATEGORIES) - judged)


def test_the_task_of_the_readme_is_a_task_and_its_test_passes(
    pytester: pytest.Pytester,
) -> None:
    (task,) = [text for kind, text in BLOCKS if kind == "yaml"]
    (test,) = [
        text for kind, text in BLOCKS if kind == "python" and "def test_" in text
    ]
    folder = pytester.mkdir("tasks")
    (folder / "reasoning").mkdir()
    (folder / "reasoning" / "trains.yaml").write_text(task)
    (folder / "test_mint.py").write_text(test)
    for model, outcome in (("oracle", "passed"), ("nop", "failed")):
        result = pytester.runpytest_subprocess(f"--mint-model={model}")
        result.assert_outcomes(**{outcome: 1})


def test_the_example_without_pytest_runs() -> None:
    (example,) = [text for kind, text in BLOCKS if kind == "python" and "eval" in text]
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert re.fullmatch(r"[1-5] True\n", done.stdout)


def test_links_lead_to_files() -> None:
    for text in (README, (ROOT / "CONTRIBUTING.md").read_text()):
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", text):
            assert (ROOT / target).exists(), target


def test_the_project_speaks_only_of_itself() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True
    )
    if tracked.returncode:
        pytest.skip("not a git checkout")
    words = re.compile("/" + "work/|/" + "root/|/" + "tmp/v")
    for name in filter(None, tracked.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and path.suffix in (
            ".py",
            ".md",
            ".toml",
            ".yaml",
            ".yml",
            "",
        ):
            assert not words.search(path.read_text(encoding="utf-8")), name
