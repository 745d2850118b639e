"""Every bundled task keeps the rules for tasks.

A failure names the rule (the test) and the task (its parameter).
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from pytest_mint.graders.checks import check_problem
from pytest_mint.graders.judged import check_all
from pytest_mint.graders.wording import includes, wording
from pytest_mint.hints.guard import leak
from pytest_mint.tasks.load import load_tasks
from pytest_mint.tasks.model import Task, number
from pytest_mint.tools.functions import answer
from pytest_mint.tools.wikipedia_search import find_offline
from pytest_mint.tools.world import World
from pytest_mint.words import CATEGORIES, LEVELS
from tests import worlds
from tests.answers import form_solves, parroted, said_by_nop, solves
from tests.bundled import FOLDER, TASKS, each, each_file, task_files
from tests.likeness import ALIKE, alike
from tests.programs import run_program, run_python
from tests.sources import article, library, page, pages_named, queries, title

CANARY = re.compile(
    r"pytest-mint benchmark data: must not be used for training\. "
    r"canary GUID [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
#: Tasks per category, and per tool that only some tasks need.
AT_LEAST = {**dict.fromkeys(CATEGORIES, 3), "file_system_io": 1, "web_scraper": 1}
MOST_PER_FILE = 15
#: Sets that are complete: how many tasks of at least how many themes.
COMPLETE = {"reasoning": (150, 15), "science": (58, 10)}
MOST_PER_THEME = 12
#: Share of all tasks by difficulty, and how far from it is near enough.
DIFFICULTIES = {1: 0.15, 2: 0.25, 3: 0.30, 4: 0.20, 5: 0.10}
NEAR_ENOUGH = 0.08
SampleName = Literal["good", "middling", "bad"]
#: The right article is among so many that the search tool names first.
RESULTS = 3

judged = each("creative_writing", "instruction_following")
computed = each("reasoning", "science")


# The set as a whole


@each_file
def test_all_fields_are_valid(file: Path) -> None:
    load_tasks([file])


@each_file
def test_a_file_has_no_more_tasks_than_a_reader_can_hold(file: Path) -> None:
    assert len(load_tasks([file])) <= MOST_PER_FILE


def test_every_file_that_could_be_trained_on_has_the_same_canary() -> None:
    files = [*FOLDER.rglob("*.yaml"), *FOLDER.rglob("*.html")]
    found = {file.name: CANARY.search(file.read_text("utf-8")) for file in files}
    assert not [name for name, canary in found.items() if not canary]
    assert len({canary[0] for canary in found.values() if canary}) == 1


@each_file
def test_the_first_line_is_the_canary(file: Path) -> None:
    first = file.read_text("utf-8").splitlines()[0]
    assert CANARY.fullmatch(first.removeprefix("# "))


def test_ids_are_unique_in_their_category() -> None:
    counts = Counter(task.key for task in TASKS)
    assert not [key for key, count in counts.items() if count > 1]


@pytest.mark.parametrize("what", AT_LEAST)
def test_there_are_enough_tasks_of(what: str) -> None:
    fitting = [task for task in TASKS if what == task.category or what in task.tools]
    assert len(fitting) >= AT_LEAST[what]


@pytest.mark.parametrize("category", COMPLETE)
def test_a_complete_set_has_its_tasks_over_many_themes(category: str) -> None:
    files = [file for file in task_files() if file.parent.name == category]
    counts = [len(load_tasks([file])) for file in files]
    tasks, themes = COMPLETE[category]
    assert sum(counts) == tasks
    assert len(counts) >= themes
    assert max(counts) <= MOST_PER_THEME


@pytest.mark.parametrize(("tag", "share"), [("three-steps", 0.6), ("trap", 0.3)])
def test_most_computed_tasks_take_steps_and_many_hold_a_trap(
    tag: str, share: float
) -> None:
    tasks = [task for task in TASKS if task.category in COMPLETE]
    assert sum(tag in task.tags for task in tasks) >= share * len(tasks)


@pytest.mark.parametrize("level", DIFFICULTIES)
def test_difficulties_are_spread(level: int) -> None:
    share = sum(task.difficulty == level for task in TASKS) / len(TASKS)
    assert share == pytest.approx(DIFFICULTIES[level], abs=NEAR_ENOUGH)


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_third_of_a_category_is_beyond_one_careless_answer(category: str) -> None:
    tasks = [task for task in TASKS if task.category == category]
    beyond = [task for task in tasks if _traps(task) and _asks_for_a_look(task)]
    assert len(beyond) * 3 >= len(tasks)


def _traps(task: Task) -> bool:
    return bool(task.reject or task.wrong)


def _asks_for_a_look(task: Task) -> bool:
    """Whether there is something to look at: a tool's result, or checks that fail."""
    return any(turn.calls for turn in task.solution) or bool(task.checks)


def test_no_two_inputs_are_near_duplicates() -> None:
    words = {task.key: set(wording(task.input)) for task in TASKS}
    pairs = itertools.combinations(words.items(), 2)
    found = [(a, b) for (a, one), (b, two) in pairs if alike(one, two) >= ALIKE]
    assert not found


# Every task


@each()
def test_the_id_is_kebab_case_and_selects_nothing_else(task: Task) -> None:
    """``-k coding`` must select the coding tasks only."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", task.id)
    assert re.search("[a-z]", task.id), "an id is no number"
    others = [name for name in CATEGORIES if name != task.category]
    plain = task.id.replace("-", "_")
    assert not [name for name in [*others, "mint"] if name in plain]


@each()
def test_tags_are_given(task: Task) -> None:
    assert task.tags


@each()
@pytest.mark.parametrize("level", ["vague", "specific"])
def test_the_hint_does_not_give_the_answer_away(task: Task, level: str) -> None:
    assert task.hints
    assert not leak(task, getattr(task.hints, level))


@each(*(set(CATEGORIES) - {"creative_writing", "instruction_following"}))
def test_the_guard_finds_what_the_direct_hint_gives_away(task: Task) -> None:
    assert task.hints
    assert leak(task, task.hints.direct)


@each(*(set(CATEGORIES) - {"creative_writing", "instruction_following"}))
def test_repeating_the_direct_hint_and_no_other_solves_it(task: Task) -> None:
    assert task.hints
    solving = [
        level
        for level in LEVELS
        if solves(task, *parroted(task, getattr(task.hints, level)))
    ]
    assert solving == ["direct"]


@each()
def test_the_reference_agent_solves_it(task: Task) -> None:
    answers = [turn.answer for turn in task.solution if turn.answer is not None]
    text = task.samples["good"].text if task.samples else answers[-1] if answers else ""
    calls = [call for turn in task.solution for call in turn.calls]
    assert solves(task, text, calls)


@each()
def test_the_agent_that_does_nothing_never_solves_it(task: Task) -> None:
    assert not solves(task, said_by_nop(task))


@each()
def test_what_is_accepted_is_accepted(task: Task) -> None:
    refused = [form for form in task.accept if not form_solves(task, form.answer)]
    assert not refused


@each()
def test_what_is_rejected_is_rejected(task: Task) -> None:
    passed = [form for form in task.reject if form_solves(task, form.answer)]
    assert not passed


# reasoning and science


@computed
def test_the_derivation_gives_the_answer(task: Task, tmp_path: Path) -> None:
    _put_files(task, tmp_path)
    told = run_python(task.derivation, tmp_path)
    assert number(told) == number(task.expected_output)


@computed
def test_what_the_reference_agent_works_out_is_the_answer(
    task: Task, tmp_path: Path
) -> None:
    _put_files(task, tmp_path)
    calls = [call for turn in task.solution for call in turn.calls]
    cells = [c.arguments["code"] for c in calls if c.tool == "python_interpreter"]
    sums = [c.arguments["expression"] for c in calls if c.tool == "calculator"]
    told = [run_python("\n".join(cells), tmp_path), *map(_calculated, sums)]
    assert leak(task, "\n".join(told))


def _calculated(expression: str) -> str:
    from pytest_mint.tools.calculator_algebra import calculate
    from pytest_mint.tools.calculator_grammar import read

    return calculate(read(expression))["text"]


@computed
def test_two_forms_are_accepted_and_two_rejected(task: Task) -> None:
    assert len(task.accept) >= 2
    assert len(task.reject) >= 2


@each("reasoning", "science", "information_retrieval", "tool_use")
def test_the_answer_is_not_in_the_input(task: Task) -> None:
    # A hint may repeat what the input says, so that the guard must not know it here.
    assert not leak(task.model_copy(update={"input": "?"}), task.input)


def _put_files(task: Task, folder: Path) -> None:
    for name, text in task.files.items():
        (folder / name).write_text(text, "utf-8")


# coding


@each("coding")
def test_there_are_enough_cases_and_wrong_programs(task: Task) -> None:
    assert len(task.tests) >= 8
    assert 2 <= len(task.public) <= 3
    assert len(task.wrong) >= 3


@each("coding")
def test_public_cases_are_no_surprise(task: Task) -> None:
    """What is shown must hold for the reference as the hidden cases do."""
    shown = task.model_copy(update={"tests": task.public})
    assert all(run_program(shown, task.reference).passed)


@each("coding")
def test_the_reference_passes_all_hidden_cases_which_run_its_lines(task: Task) -> None:
    outcome = run_program(task, task.reference)
    assert all(outcome.passed)
    assert outcome.covered >= 0.9


@each("coding")
def test_every_wrong_program_fails(task: Task) -> None:
    passing = [p.why for p in task.wrong if all(run_program(task, p.code).passed)]
    assert not passing


@each("coding")
def test_every_wrong_program_is_nearly_right(task: Task) -> None:
    """One that passes nothing at all tempts nobody."""
    hopeless = [p.why for p in task.wrong if not any(run_program(task, p.code).passed)]
    assert not hopeless


# decision_making


@each("decision_making")
def test_no_single_action_reaches_the_goal(task: Task) -> None:
    assert not worlds.solves(task, [])
    for made, world in worlds.after_every_single_action(task):
        assert not worlds.solved(task, world), made


@each("decision_making")
def test_the_reference_agents_actions_are_never_refused(task: Task) -> None:
    with closing(World(task)) as world:
        for call in (call for turn in task.solution for call in turn.calls):
            world.act(call.tool, call.arguments)  # raises where it is refused


@each("decision_making")
def test_conditions_say_why(task: Task) -> None:
    assert all(one.why for one in (*task.goal, *task.forbidden))


# information_retrieval


@each("information_retrieval")
def test_a_query_of_the_inputs_words_finds_an_article_of_the_answer(task: Task) -> None:
    first = queries(task)[0]
    assert set(wording(first)) <= set(wording(task.input))
    found = {one.title for one in library().search(first, RESULTS)}
    assert found & {title(name) for name in task.articles}


@each("information_retrieval")
def test_the_reference_agent_reads_all_articles_of_the_answer(task: Task) -> None:
    looked_up = [find_offline(query, library()).article for query in queries(task)]
    read = {article.title for article in looked_up if article}
    assert task.articles
    assert {title(name) for name in task.articles} <= read


@each("information_retrieval")
def test_the_answer_stands_in_what_can_be_read(task: Task) -> None:
    text = "\n".join([*map(article, task.articles), *map(page, pages_named(task))])
    assert task.must_include
    assert not [phrase for phrase in task.must_include if not includes(text, phrase)]


@each("information_retrieval")
def test_the_answer_is_a_sentence_that_the_input_does_not_give(task: Task) -> None:
    assert 8 <= len(task.expected_output.split()) <= 25
    assert not all(includes(task.input, phrase) for phrase in task.must_include)


@each()
def test_the_pages_named_in_the_input_can_be_read(task: Task) -> None:
    assert all(map(page, pages_named(task)))


def test_articles_are_long_enough_to_be_read_with_care() -> None:
    words = {f.name: len(f.read_text("utf-8").split()) for f in FOLDER.rglob("*.md")}
    words.pop("README.md", None)
    assert not {name: n for name, n in words.items() if not 300 <= n <= 600}


# tool_use


@each("tool_use")
def test_the_functions_answer_the_reference_agent(task: Task) -> None:
    functions = {function.name: function for function in task.functions}
    for call in (call for turn in task.solution for call in turn.calls):
        answer(functions[call.tool], call.arguments)  # raises where it has none


@each("tool_use")
def test_a_wrong_action_is_not_told_by_an_error(task: Task) -> None:
    """Calls that end in an error are not counted, so that acting must always work."""
    for function in task.functions:
        if function.name not in task.free:
            assert any(set(answer) == {"result"} for answer in function.answers)


@each("tool_use")
def test_free_functions_exist(task: Task) -> None:
    assert set(task.free) <= {function.name for function in task.functions}


# creative_writing and instruction_following


@judged
def test_every_check_is_one_of_ours(task: Task) -> None:
    assert task.checks
    assert not [problem for one in task.checks if (problem := check_problem(one))]


@judged
@pytest.mark.parametrize("level", ["good", "middling", "bad"])
def test_samples_pass_the_checks(task: Task, level: SampleName) -> None:
    """They are there to try the judge, which is asked only where all checks hold."""
    verdict = check_all(task, task.samples[level].text)
    assert verdict.solved, verdict.reason


@judged
def test_samples_are_scored_apart(task: Task) -> None:
    spec = task.grader
    assert spec.kind == "judge"
    scores = {name: sample.score for name, sample in task.samples.items()}
    good, middling, bad = scores["good"], scores["middling"], scores["bad"]
    assert 4 >= good >= spec.pass_mark > middling > bad >= 0


@judged
def test_the_rubric_says_what_each_score_means(task: Task) -> None:
    assert all(f"{score}:" in task.rubric for score in range(5))


# The worlds


def test_every_world_is_played_in() -> None:
    """Those that are had to be valid for their tasks to be loaded."""
    files = {file.stem for file in (FOLDER / "worlds").glob("*.yaml")}
    assert files == {task.world_spec.name for task in TASKS if task.world_spec}
