from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mint.tasks.load import TaskFileError, bundled_folder, load_tasks
from pytest_mint.words import CATEGORIES
from tests.programs import run_python

GOOD = """\
- id: sum
  input: What is 40 + 2?
  expected_output: 42
  hints: {vague: Look., specific: Add., direct: Add 40 and 2.}
"""


def write(folder: Path, text: str | bytes, name: str = "reasoning/sums.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refusal(*paths: Path) -> str:
    with pytest.raises(TaskFileError) as error:
        load_tasks(paths)
    return str(error.value)


def _say(path: Path) -> str:
    try:
        return ", ".join(task.key for task in load_tasks([path]))
    except TaskFileError as problem:
        return str(problem)


def good(**changes: str | None) -> str:
    """The good task with other lines for some fields; None leaves one out."""
    lines = dict(line.strip(" -").split(": ", 1) for line in GOOD.splitlines())
    kept = {**lines, **changes}.items()
    fields = [f"{name}: {text}" for name, text in kept if text is not None]
    return "- " + "\n  ".join(fields) + "\n"


class TestWhatIsRead:
    def test_a_task_is_what_its_file_says(self, tmp_path):
        (task,) = load_tasks([write(tmp_path, GOOD)])
        assert (task.key, task.input) == ("reasoning/sum", "What is 40 + 2?")
        assert task.expected_output == 42
        assert task.grader.kind == "number"

    @pytest.mark.parametrize("suffix", ["yaml", "yml"])
    def test_folders_are_searched_to_the_bottom(self, tmp_path, suffix):
        write(tmp_path, GOOD, f"deep/reasoning/down/a.{suffix}")
        assert len(load_tasks([tmp_path])) == 1

    def test_files_are_read_in_the_order_of_their_names(self, tmp_path):
        names = ["reasoning/b.yaml", "coding/c.yaml", "reasoning/a.yaml"]
        for number, name in enumerate(names):
            write(tmp_path, good(id=f"t{number}", category="reasoning"), name)
        assert [task.id for task in load_tasks([tmp_path])] == ["t1", "t2", "t0"]

    def test_a_file_that_is_named_twice_is_read_once(self, tmp_path):
        path = write(tmp_path, GOOD)
        assert len(load_tasks([tmp_path, path, path])) == 1

    def test_what_belongs_to_tasks_is_no_task_file(self, tmp_path):
        write(tmp_path, GOOD)
        for folder in ("articles", "pages", "worlds", "data"):
            write(tmp_path, "no: task", f"{folder}/x.yaml")
        (tmp_path / "folder.yaml").mkdir()
        assert len(load_tasks([tmp_path])) == 1

    def test_a_folder_inside_one_called_data_is_searched(self, tmp_path):
        write(tmp_path / "data", GOOD)
        assert len(load_tasks([tmp_path / "data"])) == 1

    @pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "dos"])
    @pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
    def test_a_byte_order_mark_and_dos_lines_are_fine(self, tmp_path, mark, end):
        text = mark + GOOD.replace("\n", end)
        assert load_tasks([write(tmp_path, text)])[0].id == "sum"

    def test_text_may_be_of_any_script(self, tmp_path):
        text = "Ⅻ 42 は? 🙂 ё"
        (task,) = load_tasks([write(tmp_path, good(input=text))])
        assert task.input == text

    def test_the_field_says_the_category_before_the_folder_does(self, tmp_path):
        field = good(category="science")
        assert load_tasks([write(tmp_path, field)])[0].category == "science"

    def test_the_nearest_folder_that_is_a_category_counts(self, tmp_path):
        path = write(tmp_path, GOOD, "coding/science/more/sums.yaml")
        assert load_tasks([path])[0].category == "science"

    def test_a_number_is_kept_as_it_was_written(self, tmp_path):
        (task,) = load_tasks([write(tmp_path, good(expected_output="'0.10'"))])
        assert task.expected_output == "0.10"

    def test_the_bundled_tasks_load(self):
        assert {task.category for task in load_tasks([bundled_folder()])} == set(
            CATEGORIES
        )


class TestYaml:
    def test_a_tab_is_named(self, tmp_path):
        path = write(tmp_path, "- id: a\n\tinput: x\n")
        assert refusal(path) == (
            f"{path}, line 2: there is a tab; YAML is indented with spaces only"
        )

    def test_another_encoding_is_named_with_line_and_byte(self, tmp_path):
        path = write(tmp_path, GOOD.encode() + "# Zürich".encode("latin-1"))
        assert refusal(path) == (
            f"{path}, line 5: byte 0xfc is no UTF-8; save the file as UTF-8"
        )

    def test_utf_16_is_no_utf_8(self, tmp_path):
        assert "byte 0xff is no UTF-8" in refusal(
            write(tmp_path, GOOD.encode("utf-16"))
        )

    def test_a_control_character_is_refused(self, tmp_path):
        path = write(tmp_path, good(input="a \x07 b"))
        assert refusal(path).startswith(f"{path}")
        assert "control characters are not allowed" in refusal(path)

    @pytest.mark.parametrize(
        ("text", "line", "told"),
        [
            (GOOD + "  input: again\n", 5, "'input' stands here a second time"),
            (good(hints="{vague: a, vague: b}"), 4, "'vague' stands here a second"),
            ("- ? [a, b]\n  : 1\n", 1, "a list or mapping cannot be a key"),
            ("- ? {a: b}\n  : 1\n", 1, "a list or mapping cannot be a key"),
            ("- id: [1\n", 2, ""),
            ("- id: 'x\n", 2, ""),
            ("- id: *nowhere\n", 1, "alias"),
            ("- id: !!python/object:os.system x\n", 1, "tag"),
            ("- !!python/object/apply:os.getcwd []\n", 1, "tag"),
        ],
    )
    def test_a_fault_is_named_with_its_line(self, tmp_path, text, line, told):
        path = write(tmp_path, text)
        problem = refusal(path)
        assert problem.startswith(f"{path}, line {line}: ")
        assert told in problem
        assert "\n" not in problem

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("", "nothing"),
            ("# only a comment\n", "nothing"),
            ("id: x\n", "a dict"),
            ("sum\n", "a str"),
            ("3\n", "a int"),
        ],
    )
    def test_a_file_is_a_list(self, tmp_path, text, found):
        path = write(tmp_path, text)
        assert refusal(path) == f"{path}: expected a list of tasks, found {found}"

    def test_an_item_is_a_mapping(self, tmp_path):
        path = write(tmp_path, f"- sum\n- 3\n- {'x' * 500}\n{GOOD}")
        first, second, third = refusal(path).splitlines()
        assert first == f"{path}: item 1: expected a task, found 'sum'"
        assert second == f"{path}: item 2: expected a task, found 3"
        assert len(third) < len(first) + 80

    @pytest.mark.parametrize("text", [GOOD, GOOD + "  input: again\n"])
    def test_the_loader_in_python_says_the_same(self, tmp_path, text):
        path = write(tmp_path, text)
        told = _say(path)
        code = (
            "import yaml; del yaml.CSafeLoader\n"
            "from pathlib import Path; from tests.tasks.test_load import _say\n"
            f"print(_say(Path({str(path)!r})))"
        )
        assert run_python(code) == told


class TestPaths:
    def test_a_missing_path_is_named(self, tmp_path):
        path = tmp_path / "nowhere"
        assert refusal(path) == f"{path}: no such task file or folder"

    def test_an_empty_folder_says_what_was_expected(self, tmp_path):
        told = refusal(tmp_path)
        assert told.startswith(f"{tmp_path}: no task files in this folder; expected ")
        assert "CATEGORY/THEME.yaml" in told
        assert all(category in told for category in CATEGORIES)

    def test_files_without_a_task_are_named(self, tmp_path):
        path = write(tmp_path, "[]\n")
        assert refusal(tmp_path) == f"{tmp_path}: the task files hold no task"
        assert load_tasks([path, write(tmp_path, GOOD, "reasoning/b.yaml")])

    def test_a_link_to_nowhere_is_named(self, tmp_path):
        (tmp_path / "gone.yaml").symlink_to(tmp_path / "nothing")
        assert refusal(tmp_path) == (
            f"{tmp_path / 'gone.yaml'}: No such file or directory"
        )


class TestTasks:
    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"hints": None}, "hints are missing: expected vague, specific and direct"),
            (
                {"hints": "{vague: a, specific: b}"},
                "hints.direct: is missing",
            ),
            ({"hints": "{vague: '', specific: b, direct: c}"}, "hints.vague: ''"),
            (
                {"hints": "{vague: a, specific: b, direct: c, vauge: d}"},
                "hints.vauge: there is no such field; did you mean 'vague'?",
            ),
            (
                {"expected_ouput": "1"},
                "expected_ouput: there is no such field; did you mean "
                "'expected_output'?",
            ),
            (
                {"grader": "{tolerence: 1}"},
                "grader.tolerence: there is no such field; did you mean 'tolerance'?",
            ),
            (
                {"solution": "[{anwser: '1'}]"},
                "solution.0.anwser: there is no such field; did you mean 'answer'?",
            ),
            ({"xyzzy": "1"}, "xyzzy: there is no such field"),
            ({"expected_output": ".nan"}, "expected a finite number, not nan"),
            ({"expected_output": "-.inf"}, "expected a finite number, not -inf"),
            ({"expected_output": "true"}, "expected a number, not True"),
            ({"expected_output": "[1]"}, "expected a number, not [1]"),
            ({"expected_output": "2024-01-01"}, "expected a number, not "),
            ({"expected_output": None}, "expected_output is missing"),
            ({"expected_output": "0.05"}, "set grader.tolerance or grader.rel_tol"),
            ({"expected_output": "10001"}, "set grader.tolerance or grader.rel_tol"),
            ({"grader": "{tolerance: .nan}"}, "grader.tolerance: nan"),
            ({"grader": "{tolerance: -1}"}, "grader.tolerance: -1"),
            ({"grader": "{tolerance: 5}"}, "above 10 % of expected_output 42"),
            ({"grader": "{tolerance: 1, rel_tol: 0.1}"}, "give one"),
            ({"grader": "{kind: nummer}"}, "nummer"),
            ({"grader": "{kind: code, entry_point: f}"}, "reasoning has number"),
            ({"id": "Sum"}, "id: 'Sum': expected lower-case letters"),
            ({"id": "a/b"}, "id: 'a/b': expected lower-case letters"),
            ({"id": "3"}, "id: 3: input should be a valid string"),
            ({"id": "no"}, "id: False: input should be a valid string"),
            ({"id": None}, "id: is missing"),
            ({"input": None}, "input: is missing"),
            ({"input": "''"}, "input: ''"),
            ({"tools": "[abacus]"}, "unknown ['abacus']; expected some of python_"),
            ({"category": "maths"}, "category: 'maths': input should be 'reasoning'"),
            ({"solution": "[{}]"}, "a turn needs calls, an answer, or both"),
            ({"solution": "[{answer: 42}]"}, "solution.0.answer: 42"),
            ({"difficulty": "6"}, "difficulty: 6"),
            ({"hosts": "[10.0.0.1]"}, "expected host names"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_a_fault_is_named(self, tmp_path, changes, told):
        path = write(tmp_path, good(**changes))
        problems = refusal(path).splitlines()
        name = {None: "number 1", "3": 3, "no": False}.get(
            changes.get("id", "sum"), changes.get("id", "sum")
        )
        assert all(line.startswith(f'{path}: task "{name}": ') for line in problems)
        assert any(told in line for line in problems), problems
        assert len(problems) == 1, problems

    def test_without_a_category_the_field_is_named(self, tmp_path):
        path = write(tmp_path, GOOD, "sums.yaml")
        assert "category: is missing" in refusal(path)

    def test_all_bad_tasks_of_all_files_are_told_at_once(self, tmp_path):
        one = write(
            tmp_path, good(id="a", hints=None) + GOOD + good(id="b", difficulty="9")
        )
        two = write(tmp_path, good(id="c", input="''", tools="[x]"), "coding/x.yaml")
        told = refusal(tmp_path)
        for file, task in [(one, "a"), (one, "b"), (two, "c")]:
            assert f'{file}: task "{task}": ' in told
        assert '"sum"' not in told

    def test_a_good_file_beside_a_bad_one_is_no_help(self, tmp_path):
        write(tmp_path, GOOD)
        bad = write(tmp_path, "- 1\n", "reasoning/bad.yaml")
        assert refusal(tmp_path).startswith(f"{bad}: item 1")

    def test_two_tasks_with_one_id_in_one_file(self, tmp_path):
        path = write(tmp_path, GOOD + GOOD)
        assert refusal(path) == (
            f'{path}: task "sum": id: there is another reasoning/sum in {path}; '
            "ids are unique in their category"
        )

    def test_two_tasks_with_one_id_name_both_files(self, tmp_path):
        one = write(tmp_path, GOOD, "reasoning/one.yaml")
        two = write(tmp_path, GOOD, "reasoning/two.yaml")
        told = refusal(tmp_path)
        assert str(one) in told
        assert told.startswith(f"{two}: ")

    def test_one_id_in_two_categories_is_fine(self, tmp_path):
        write(tmp_path, GOOD, "reasoning/one.yaml")
        write(tmp_path, GOOD, "science/one.yaml")
        assert len(load_tasks([tmp_path])) == 2
