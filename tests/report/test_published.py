from __future__ import annotations

import textwrap

import pytest

from pytest_mint.errors import UserError
from pytest_mint.report.plain import columns
from pytest_mint.report.published import lines
from pytest_mint.results.published import names
from tests.results.build import result, results_of, sample


def shown(results, name, width=80) -> str:
    return "\n".join(line.text for line in lines(results, name, width))


def test_the_sample_beside_gpt_4():
    assert shown(sample(), "gpt-4") == textwrap.dedent(
        """\
        Beside the published results of gpt-4
        subset: 14 tasks scheduled, the published numbers are over 598

        all tasks                  published    own  difference  tasks
          success@1, ef                 56.2   16.7       -39.5     12
          success@5, ef                 68.7   50.0       -18.7     12
          success@5, with hints         74.3   81.8        +7.5     11
          gain by hints                 +5.6  +30.0       +24.4     10
          HUR                           65.8   80.0       +14.2      5

        success@k, ef                 @1     @2     @3     @4     @5
          published                 56.2   63.1   66.8   68.2   68.7
          own                       16.7   25.0   33.3   41.7   50.0
          difference               -39.5  -38.1  -33.5  -26.5  -18.7

        success@5, with hints      published    own  difference  tasks
          reasoning                     71.3   80.0        +8.7      5
          coding                        82.4   80.0        -2.4      5
          decision_making               58.7      -           -      -
          information_retrieval         79.2      -           -      -
          creative_writing              68.1      -           -      -
          science                       64.5  100.0       +35.5      1
          tool_use                      85.3      -           -      -
          instruction_following         76.0      -           -      -

        HUR as published does not follow from the formula: 5.6 points gained of 31.3
             failed are 17.9 %, not 65.8 %.
        Published: commentary on MINT (arXiv 2401.15077 as cited there; the original is
             arXiv 2309.10691)"""
    )


def test_one_arm_beside_a_model_without_hur():
    found = shown(results_of([result("coding/a", {"ef": 2})]), "codellama-34b")
    assert found == textwrap.dedent(
        """\
        Beside the published results of codellama-34b
        subset: 1 task scheduled, the published numbers are over 598

        all tasks                  published    own  difference  tasks
          success@1, ef                 35.1    0.0       -35.1      1
          success@5, ef                 48.6  100.0       +51.4      1
          success@5, with hints         55.4      -           -      -
          gain by hints                 +6.8      -           -      -
          HUR                              -      -           -      -

        Published: commentary on MINT (arXiv 2401.15077 as cited there; the original is
             arXiv 2309.10691)"""
    )


def test_few_tasks_are_coloured_and_all_are_not_spoken_of():
    few = lines(sample(), "gpt-4", 80)
    assert [line.markup for line in few if line.markup] == ["bold", "yellow"]
    unplayed = {f"coding/{n}": ("ef", "nlf") for n in range(598)}
    assert "subset" not in shown(results_of([], unplayed), "gpt-4")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gpt-3.5-turbo", "9.7 points gained of 47.9 failed are 20.3 %, not 48.3 %."),
        ("claude-2", "7.6 points gained of 38.7 failed are 19.6 %, not 57.2 %."),
        ("llama-2-70b", "8.5 points gained of 60.3 failed are 14.1 %, not 35.6 %."),
    ],
)
def test_the_doubt_about_hur_has_the_numbers_of_the_model(name, says):
    assert f"does not follow from the formula: {says}" in shown(sample(), name, 120)


def test_that_fewer_turns_do_not_compare_is_said():
    played = [result("coding/a", {"ef": 3, "nlf": 3}, turns=3)]
    found = shown(results_of(played, max_turns=3), "gpt-4")
    assert "  success@5, ef                 68.7      -           -      -" in found
    assert "  own                        0.0    0.0  100.0      -      -" in found
    assert (
        "Episodes had at most 3 turns: nothing of one's own is comparable to 5 turns."
    ) in found
    assert "Episodes had" not in shown(sample(), "gpt-4")


def test_a_model_without_published_results_is_an_error():
    with pytest.raises(UserError, match="did you mean 'claude-2'"):
        lines(sample(), "claude-3", 80)


@pytest.mark.parametrize("width", [66, 80, 120])
@pytest.mark.parametrize("name", names())
def test_every_line_fits(name, width):
    played = [
        result(f"{category}/{n}", {"ef": "unsolved", "nlf": 1})
        for category in ("information_retrieval", "instruction_following")
        for n in range(500)
    ]
    for results in (
        sample(),
        results_of(played),
        results_of([result("coding/a", {"ef": 1}, turns=1)], max_turns=1),
    ):
        found = lines(results, name, width)
        assert max(columns(line.text) for line in found) <= width
