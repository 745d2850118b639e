from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mint.tasks.load import bundled_folder, load_tasks
from pytest_mint.tasks.model import Task
from pytest_mint.tasks.write import to_yaml, write_tasks

# UTF-8 files cannot hold lone surrogates.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
WORDS = TEXT.filter(bool)
NAME = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,8}", fullmatch=True)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=6,
)
HINTS = st.fixed_dictionaries(dict.fromkeys(("vague", "specific", "direct"), WORDS))
FORMS = st.lists(st.fixed_dictionaries({"answer": JSON, "why": WORDS}), max_size=2)
CALLS = st.fixed_dictionaries(
    {"tool": WORDS, "arguments": st.dictionaries(TEXT, JSON, max_size=2)}
)
COMMON: dict[str, st.SearchStrategy[Any]] = {
    "id": NAME,
    "input": WORDS,
    "hints": HINTS,
    "tools": st.sets(st.sampled_from(["python_interpreter", "calculator"])).map(list),
    "solution": st.lists(
        st.fixed_dictionaries({"calls": st.lists(CALLS, max_size=1), "answer": TEXT}),
        max_size=2,
    ),
    "derivation": TEXT,
    "accept": FORMS,
    "reject": FORMS,
    "difficulty": st.integers(1, 5),
    "tags": st.lists(TEXT, max_size=2),
    "files": st.dictionaries(TEXT, TEXT, max_size=2),
    "dataset": NAME,
    "rules": st.sampled_from(["mint", "mint-bench"]),
    "frame": st.dictionaries(st.sampled_from(["ef", "nlf"]), TEXT),
}
NUMBERS = st.fixed_dictionaries(
    {
        **COMMON,
        "category": st.just("reasoning"),
        "expected_output": st.integers(1, 9999) | st.sampled_from(["0.10", 2.5, 1e3]),
        "grader": st.fixed_dictionaries(
            {}, optional={"unit": TEXT, "locale": st.sampled_from(["", "de"])}
        ),
    }
)
SHORT = st.fixed_dictionaries(
    {
        **COMMON,
        "category": st.just("reasoning"),
        "grader": st.just({"kind": "short"}),
        "expected_output": JSON.filter(lambda value: value is not None),
    }
)
CODE = st.fixed_dictionaries(
    {
        **COMMON,
        "category": st.just("coding"),
        "grader": st.fixed_dictionaries({"entry_point": WORDS, "prelude": TEXT}),
        "tests": st.lists(
            st.fixed_dictionaries({"args": st.lists(JSON, max_size=2)}), min_size=1
        ),
        "reference": TEXT,
    }
)
TASKS = st.lists(
    (NUMBERS | SHORT | CODE).map(Task.model_validate),
    max_size=4,
    min_size=1,
    unique_by=lambda task: task.key,
)


@settings(deadline=None, max_examples=50)
@given(TASKS, st.sampled_from(["", "# Where they come from\n"]))
def test_tasks_that_were_written_load_again(tasks, head):
    with tempfile.TemporaryDirectory() as folder:
        write_tasks(tasks, Path(folder), head)
        loaded = load_tasks([Path(folder)])
    assert {task.key: task for task in loaded} == {task.key: task for task in tasks}
    assert {task.digest for task in loaded} == {task.digest for task in tasks}


def test_the_bundled_tasks_survive_being_written(tmp_path):
    tasks = load_tasks([bundled_folder()])
    named = [task.model_copy(update={"dataset": "own"}) for task in tasks]
    write_tasks(named, tmp_path)
    assert {t.key: t.digest for t in load_tasks([tmp_path])} == {
        task.key: task.digest for task in named
    }


def task(**more: Any) -> Task:
    return Task.model_validate(
        {
            "id": "sum",
            "category": "reasoning",
            "input": "40 + 2?",
            "expected_output": 42,
            "rules": "mint-bench",
            "dataset": "gsm8k",
            **more,
        }
    )


def test_there_is_a_file_for_each_dataset_of_a_category(tmp_path):
    tasks = [task(), task(id="b", dataset="math"), task(id="c")]
    files = write_tasks(tasks, tmp_path, "# head\n")
    assert [file.relative_to(tmp_path).as_posix() for file in files] == [
        "reasoning/gsm8k.yaml",
        "reasoning/math.yaml",
    ]
    assert all(file.read_text("utf-8").startswith("# head\n- ") for file in files)


def test_a_file_that_is_there_is_kept_and_nothing_else_is_written(tmp_path):
    write_tasks([task()], tmp_path)
    before = (tmp_path / "reasoning" / "gsm8k.yaml").read_bytes()
    new = [task(id="new"), task(id="b", dataset="aaa")]
    with pytest.raises(FileExistsError, match=r"gsm8k\.yaml is there already"):
        write_tasks(new, tmp_path)
    assert (tmp_path / "reasoning" / "gsm8k.yaml").read_bytes() == before
    assert not (tmp_path / "reasoning" / "aaa.yaml").exists()


def test_a_frame_that_tasks_share_is_written_once():
    frame = {"ef": "a long frame"}
    text = to_yaml([task(frame=frame), task(id="b", frame=dict(frame))])
    assert text.count("a long frame") == 1


def test_tasks_of_one_dataset_may_have_different_frames(tmp_path):
    tasks = [task(frame={"ef": "one"}), task(id="b", frame={"ef": "two"})]
    write_tasks(tasks, tmp_path)
    assert [t.frame["ef"] for t in load_tasks([tmp_path])] == ["one", "two"]


def test_text_of_several_lines_is_written_as_a_block():
    assert "input: |" in to_yaml([task(input="one\ntwo\n")])
