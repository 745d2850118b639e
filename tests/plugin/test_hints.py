"""Hints from a teacher over HTTP: every number of the summary by hand.

Agent and teacher are scripts behind real endpoints. What the agent does depends on the
task, the turn and the last hint only, so that all of this can be counted with a pencil.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import rouge_score.rouge_scorer  # noqa: F401 (kept over inner sessions)

import pytest_mint.agents.chat
import pytest_mint.agents.preflight
import pytest_mint.hints.model  # noqa: F401 (kept over inner sessions)
from pytest_mint.hints.teacher import PLACEBO
from pytest_mint.results.intervals import wilson
from tests.agents.server import Answer, Seen, Server, failed, ok, said, serve
from tests.plugin.conftest import TEST, a_task, summary_of, the_run

NEVER = 9
#: By task: the turn at which it is solved without a hint, and the level of hint after
#: which it is solved at once.
EPISODES = {
    "reasoning": {
        "r1": (1, ""),
        "r2": (2, ""),
        "r3": (3, "vague"),
        "r4": (NEVER, "vague"),
        "r5": (NEVER, "specific"),
        "r6": (NEVER, "direct"),
    },
    "science": {
        "s1": (4, "never"),  # hints make it worse
        "s2": (NEVER, "never"),
        "s3": (5, "vague"),
        "s4": (NEVER, "vague"),  # whose teacher gives the answer away once
        "s5": (NEVER, "specific"),  # whose teacher does so twice
        "s6": (3, "vague"),  # whose teacher says nothing
    },
}
#: Every task has an answer of its own, so that hints of others do not give it away.
ANSWERS = {
    name: 70 + 3 * number
    for number, name in enumerate(n for tasks in EPISODES.values() for n in tasks)
}
ENDS = {name: end for tasks in EPISODES.values() for name, end in tasks.items()}
NAME = re.compile(r"Task ([rs]\d):")
HINT = re.compile(r"^Hint: (.*)", re.MULTILINE)
OWN = {"vague": "Add.", "specific": "Add both numbers."}


def is_ping(seen: Seen) -> bool:
    return len(seen.body["messages"]) == 1


def turn_of(seen: Seen) -> int:
    return 1 + sum(m["role"] == "assistant" for m in seen.body["messages"])


def name_of(seen: Seen) -> str:
    found = NAME.search(str(seen.body["messages"]))
    return found[1] if found else ""


def hint_of(seen: Seen) -> str:
    found = HINT.findall(seen.body["messages"][-1]["content"])
    return found[-1] if found else ""


def level_of(hint: str) -> str:
    """The level that a hint of the teacher's, or of the task's own ladder, has."""
    own = {text: level for level, text in OWN.items()}
    if hint.startswith("It is "):
        return "direct"
    return own.get(hint) or hint.split(" hint")[0].lower()


def agent(seen: Seen) -> Answer:
    if is_ping(seen):
        return ok("pong")
    alone, enough = ENDS[name_of(seen)]
    hint = hint_of(seen)
    right = level_of(hint) == enough if hint else turn_of(seen) == alone
    answer = ANSWERS[name_of(seen)] if right else 1
    return used(f"<solution>{answer}</solution>", 100, 10)


def used(text: str, prompt: int, completion: int) -> Answer:
    body = json.loads(ok(text).body)
    body["usage"] = {"prompt_tokens": prompt, "completion_tokens": completion}
    return said(body)


def teacher(seen: Seen) -> Answer:
    if is_ping(seen):
        return ok("pong")
    name, asked = name_of(seen), str(seen.body["messages"][1]["content"])
    level = re.search(r"Write a ([A-Z]+) hint", asked)[1].lower()
    again = len(seen.body["messages"]) > 2
    if name == "s6":
        return used("", 20, 0)
    leaks = level == "vague" and (name == "s5" or (name == "s4" and not again))
    text = (
        f"It is {ANSWERS[name]}."
        if leaks
        else f"{level.capitalize()} hint: count again."
    )
    return used(text, 20, 2)


def task_of(name: str) -> dict[str, Any]:
    answer = ANSWERS[name]
    return a_task(name, answer, hints={**OWN, "direct": f"It is {answer}."})


@pytest.fixture
def twelve(pytester: pytest.Pytester, write_tasks) -> pytest.Pytester:
    for category, tasks in EPISODES.items():
        write_tasks(category, *(task_of(name) for name in tasks))
    return pytester


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    with serve(agent) as agents, serve(teacher) as teachers:
        yield agents, teachers


PRICES = ("--mint-price=tester=1/2", "--mint-price=expert=10/20")


def play(
    project: pytest.Pytester, agents: Server, teachers: Server | None, *args: str
) -> tuple[pytest.RunResult, dict[str, Any]]:
    taught = (
        ("--mint-feedback-model=expert", f"--mint-feedback-base-url={teachers.url}")
        if teachers
        else ()
    )
    run = project.runpytest_subprocess if "-n2" in args else project.runpytest
    result = run(
        "--mint-model=tester",
        f"--mint-base-url={agents.url}",
        "--mint-json=out.json",
        *PRICES,
        *taught,
        *args,
    )
    return result, summary_of(project)


def part(solved: list[int], tasks: int) -> dict[str, Any]:
    return {
        "tasks": tasks,
        "solved": solved[-1],
        "success_at": [n / tasks for n in solved],
    }


def test_every_cell_of_the_summary_is_what_was_counted_by_hand(twelve, servers) -> None:
    result, found = play(twelve, *servers, "--mint-gate=coverage>=0.9")
    assert (found["collected"], found["scheduled"]) == (12, 12)
    assert found["coverage"] == 11 / 12  # s6 is missing in one arm
    ef, nlf = found["arms"]["ef"], found["arms"]["nlf"]
    # ef: r1@1 r2@2 r3@3 | s6@3 s1@4 s3@5
    assert ef["by_category"] == {
        "reasoning": part([1, 2, 3, 3, 3], 6),
        "science": part([0, 0, 1, 2, 3], 6),
    }
    assert {k: ef[k] for k in ("tasks", "solved", "success_at")} == part(
        [1, 2, 4, 5, 6], 12
    )
    assert ef["intervals"] == [list(wilson(n, 12)) for n in (1, 2, 4, 5, 6)]
    # nlf: r1@1 r2@2 r3@3 r4@3 r5@4 r6@5 | s3@3 s4@3 s5@4; s6 is missing
    assert nlf["by_category"] == {
        "reasoning": part([1, 2, 4, 5, 6], 6),
        "science": part([0, 0, 2, 3, 3], 5),
    }
    assert {k: nlf[k] for k in ("tasks", "solved", "success_at")} == part(
        [1, 2, 6, 8, 9], 11
    )
    assert [(m["task"], m["arm"], m["outcome"]) for m in found["missing"]] == [
        ("science/s6", "nlf", "feedback_error")
    ]
    assert "empty hint 3 times" in found["missing"][0]["reason"]

    # Failed without hints and graded in both: r4 r5 r6 s2 s4 s5; s1 is made worse.
    hur = found["hur"]
    assert (hur["failed_ef"], hur["rescued"], hur["hurt"]) == (6, 5, 1)
    assert hur["rate"] == 5 / 6
    assert hur["interval"] == list(wilson(5, 6))
    assert hur["by_level"] == {"vague": 2, "specific": 2, "direct": 1}
    assert hur["without_direct"] == 4 / 6
    difference = hur["difference"]
    assert (difference["tasks"], difference["better"], difference["worse"]) == (
        11,
        5,
        1,
    )
    assert difference["rate"] == 4 / 11
    assert difference["p"] == 2 * (1 + 6) / 64  # of six pairs one or none the other way
    assert difference["tells"]
    by_category = {
        name: (one["failed_ef"], one["rescued"], one["hurt"])
        for name, one in hur["by_category"].items()
    }
    assert by_category == {"reasoning": (3, 3, 0), "science": (3, 2, 1)}
    assert found["hints"] == {"leaked": 3, "replaced": 1}

    # Replies of the agent, ef: r1 1, r2 2, r3 3, r4 r5 r6 5 each; s1 4, s2 5, s3 5,
    # s4 5, s5 5, s6 3. With hints, after turn 2: r3 1, r4 1, r5 2, r6 3; s1 3, s2 3,
    # s3 1, s4 1, s5 2.
    alone, hinted = (1 + 2 + 3 + 15) + (4 + 5 + 5 + 5 + 5 + 3), 7 + 10
    # Hints that were paid: r3 1, r4 1, r5 2, r6 3; s1 3, s2 3, s3 1, s4 2 (one leaks),
    # s5 2 leak and 1. The silent teacher of s6 is asked three times and says nothing.
    hints, silent = 7 + 3 + 3 + 1 + 2 + 3, 3
    items = found["cost"]["items"]
    assert set(items) == {"agent", "hints"}
    agents_usd = 120e-6 * (alone + hinted)
    hints_usd = 240e-6 * hints + 200e-6 * silent
    assert items["agent"]["prompt"] == 100 * (alone + hinted)
    assert items["agent"]["completion"] == 10 * (alone + hinted)
    assert items["agent"]["usd"] == pytest.approx(agents_usd)
    assert items["hints"]["prompt"] == 20 * (hints + silent)
    assert items["hints"]["completion"] == 2 * hints
    assert items["hints"]["usd"] == pytest.approx(hints_usd)
    assert all(item["seconds"] > 0 for item in items.values())
    cost = found["cost"]
    total, hinting = agents_usd + hints_usd, 120e-6 * hinted + hints_usd
    assert cost["usd"] == pytest.approx(total)
    assert cost["hints_share"] == pytest.approx(hints_usd / total)
    assert cost["hinting_usd"] == pytest.approx(hinting)
    assert cost["additional"] == 5 - 1
    assert cost["usd_per_additional_task"] == pytest.approx(hinting / 4)

    assert result.ret == 0
    assert found["gates"][0]["state"] == "PASS"
    result.stdout.fnmatch_lines(
        [
            "mint: tester (custom, 16 calls in flight) · hints: expert*",
            "HUR  83.3 %  (5 of 6 tasks that fail without hints, 95 % 44-97; 1*",
            "     by level that was enough: vague 2, specific 2, direct 1",
            "     without direct hints, which give the answer: 66.7 % (4 of 6,*",
            "Hints change success@5 by +36.4 points (*; 5 better, 1 worse;*",
            "Leaks: 3 hints of the teacher gave the answer away *",
            "  reasoning             3        3       1     0  100.0  44-100     few",
            "  science               3        2       0     1   66.7   21-94     few",
            "  all                   6        5       1     1   83.3   44-97   0.219",
        ]
    )


def asked_by_turn(server: Server, name: str) -> Counter[int]:
    pings = [seen for seen in server.seen if not is_ping(seen)]
    return Counter(turn_of(seen) for seen in pings if name_of(seen) == name)


@pytest.mark.parametrize(
    ("controls", "workers"),
    [("", "-n0"), ("placebo", "-n0"), ("placebo,swapped", "-n2")],
)
def test_all_arms_share_the_turns_before_the_first_hint(
    twelve, servers, controls, workers
) -> None:
    agents, teachers = servers
    args = [f"--mint-controls={controls}"] if controls else []
    play(twelve, agents, teachers, "-k", "r6 or s2", workers, *args)
    arms = 2 + len(controls.split(",")) * bool(controls)
    assert asked_by_turn(agents, "s2") == {1: 1, 2: 1, 3: arms, 4: arms, 5: arms}
    assert asked_by_turn(agents, "r6") == {1: 1, 2: 1, 3: arms, 4: arms, 5: arms}
    # Request for request: what the arms were asked with at turn 3 begins alike.
    third = [
        seen.body["messages"]
        for seen in agents.seen
        if not is_ping(seen) and name_of(seen) == "s2" and turn_of(seen) == 3
    ]
    assert len({json.dumps(messages[:-1]) for messages in third}) == 1
    last = sorted(messages[-1]["content"] for messages in third)
    assert all(text.startswith(last[0]) for text in last)
    assert len(set(last)) == arms


@pytest.mark.parametrize("turn", [1, 3])
def test_the_fork_is_where_the_first_hint_comes(twelve, servers, turn) -> None:
    agents, _ = servers
    play(twelve, *servers, "-k", "s2", f"--mint-hints-from-turn={turn}")
    expected = {n: 1 if n <= turn else 2 for n in range(1, 6)}
    assert asked_by_turn(agents, "s2") == expected


@pytest.mark.parametrize("level", ["vague", "specific", "direct"])
def test_all_hints_have_the_level_that_was_asked_for(twelve, servers, level) -> None:
    agents, _ = servers
    play(twelve, *servers, "-k", "s2", f"--mint-hint-level={level}")
    heard = [hint_of(seen) for seen in agents.seen if not is_ping(seen)]
    assert [level_of(hint) for hint in heard if hint] == [level] * 3


def test_a_controls_cost_appears_under_its_own_name(twelve, servers) -> None:
    agents, _ = servers
    _, plain = play(twelve, *servers)
    result, found = play(twelve, *servers, "--mint-controls=swapped,placebo")
    assert {r: i["usd"] for r, i in plain["cost"]["items"].items()} == {
        role: item["usd"]
        for role, item in found["cost"]["items"].items()
        if role not in ("placebo", "swapped")
    }
    assert found["hur"] == plain["hur"]
    # After turn 2, three turns each for what no empty hint solves: r3 r4 r5 r6 and all
    # of science; the placebo helps nobody, and calls nobody but the agent.
    placebo = found["cost"]["items"]["placebo"]
    assert placebo["prompt"] == 100 * 3 * 10
    assert placebo["usd"] == pytest.approx(120e-6 * 30)
    # Swapped hints are own hints of other tasks, which read like the task's own here:
    # r3 1, r4 1, r5 2, r6 3; s1 3, s2 3, s3 1, s4 1, s5 2, s6 1.
    assert found["cost"]["items"]["swapped"]["prompt"] == 100 * (7 + 11)
    assert found["controls"]["placebo"]["rescued"] == 0
    assert found["controls"]["placebo"]["net"]["rate"] == 5 / 6
    assert found["controls"]["swapped"]["rescued"] == 5
    assert found["controls"]["swapped"]["net"]["rate"] == 0
    heard = Counter(hint_of(seen) for seen in agents.seen if not is_ping(seen))
    assert heard[PLACEBO] == 30
    result.stdout.fnmatch_lines(
        [
            "Control placebo: rescues 0.0 % (0 of 6 tasks); HUR net of it +83.3*",
            "Control swapped: rescues 83.3 % (5 of 6 tasks); HUR net of it +0.0*",
            "  placebo *",
            "  swapped *",
        ]
    )
    result.stdout.no_fnmatch_line("success@k, placebo*")


def test_the_run_keeps_the_teacher_its_prompt_and_the_level(twelve, servers) -> None:
    _, teachers = servers
    play(twelve, *servers, "-k", "r5 or r1 or s5")
    run = the_run(twelve)
    kept = json.loads((run / "run.json").read_text())
    assert kept["teacher"] == {
        "name": "expert",
        "model": "expert",
        "provider": "custom",
        "base_url": teachers.url,
        "prompt": "1",
    }
    lines = (run / "episodes.jsonl").read_text().splitlines()
    played = {one["task"]: one for one in map(json.loads, lines)}
    levels = {task: one.get("sufficient_level") for task, one in played.items()}
    assert levels == {
        "reasoning/r1": "none",
        "reasoning/r5": "specific",
        "science/s5": "specific",
    }
    (journal,) = (run / "journal").iterdir()
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    said_by_teacher = [e["text"] for e in events if e.get("role") == "teacher"]
    assert said_by_teacher.count(f"It is {ANSWERS['s5']}.") == 2


def test_what_was_taught_can_be_replayed(twelve, servers) -> None:
    _, first = play(twelve, *servers, "--mint-controls=placebo")
    result = twelve.runpytest(
        "--mint-model=tester",
        f"--mint-replay={the_run(twelve)}",
        "--mint-controls=placebo",
        "--mint-json=again.json",
        "--mint-run-dir=second",
        *PRICES,
    )
    again = summary_of(twelve, "again.json")
    for key in ("arms", "hur", "controls", "hints"):
        assert again[key] == first[key]
    assert again["cost"]["prices"] == first["cost"]["prices"]
    # What the silent teacher of s6 took led to nothing that could be replayed.
    silent = 3 * 200e-6
    assert again["cost"]["usd"] == pytest.approx(first["cost"]["usd"] - silent)
    result.stdout.fnmatch_lines(["*hints: as recorded*"])
    result.stdout.no_fnmatch_line("*Drift*")


class TestTeacherThatFails:
    def test_errors_are_missing_data_of_the_arm_with_hints(self, twelve) -> None:
        def down(seen: Seen) -> Answer:
            return ok("pong") if is_ping(seen) else failed(500, "out of chalk")

        with serve(agent) as agents, serve(down) as teachers:
            result, found = play(
                twelve, agents, teachers, "-k", "r4 or r2", "--mint-max-retries=0"
            )
        assert [(m["arm"], m["outcome"]) for m in found["missing"]] == [
            ("nlf", "feedback_error")
        ]
        assert "the teacher expert did not answer" in found["missing"][0]["reason"]
        assert found["arms"]["ef"]["tasks"] == 2
        assert found["hur"]["failed_ef"] == 0  # r4 says nothing about hints
        result.assert_outcomes(passed=1, errors=1)

    def test_a_teacher_that_is_not_there_stops_the_session(self, twelve) -> None:
        def unknown(seen: Seen) -> Answer:
            return failed(404, "model expert not found", "model_not_found")

        with serve(agent) as agents, serve(unknown) as teachers:
            result = twelve.runpytest(
                "--mint-model=tester",
                f"--mint-base-url={agents.url}",
                "--mint-feedback-model=expert",
                f"--mint-feedback-base-url={teachers.url}",
            )
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*--mint-feedback-model=expert:*not found*"])


def test_the_teachers_key_is_its_own_and_stays_secret(
    twelve, servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINT_API_KEY", "sk-agents-0123456789")
    monkeypatch.setenv("MINT_FEEDBACK_API_KEY", "sk-teachers-0123456789")
    agents, teachers = servers
    result, _ = play(twelve, agents, teachers, "-k", "r4")
    keys = [
        {seen.headers["authorization"] for seen in server.seen} for server in servers
    ]
    assert keys == [{"Bearer sk-agents-0123456789"}, {"Bearer sk-teachers-0123456789"}]
    written = [
        p.read_text() for p in twelve.path.rglob("*") if p.suffix in (".json", ".jsonl")
    ]
    assert not [
        text for text in [*written, result.stdout.str()] if "0123456789" in text
    ]


class TestParrot:
    """A teacher that always tells: a parrot gets what the guard lets through."""

    def test_guarded_hints_give_it_nothing_and_direct_ones_all(self, twelve) -> None:
        solved = {}

        def tell(seen: Seen) -> Answer:
            return ok(f"The answer is: {ANSWERS.get(name_of(seen), 'pong')}")

        with serve(tell) as tells:
            for level in ("vague", "specific", "direct"):
                twelve.runpytest(
                    "--mint-model=parrot",
                    "--mint-json=out.json",
                    "--mint-feedback-model=expert",
                    f"--mint-feedback-base-url={tells.url}",
                    f"--mint-hint-level={level}",
                )
                found = summary_of(twelve)
                solved[level] = found["arms"]["nlf"]["solved"]
                assert found["arms"]["nlf"]["tasks"] == 12
                assert (found["hints"]["replaced"] > 0) == (level != "direct")
        assert solved == {"vague": 0, "specific": 0, "direct": 12}


def test_a_teacher_that_tells_gives_the_parrot_no_bundled_task(
    pytester: pytest.Pytester,
) -> None:
    """It says the reference that it was shown, and the guard lets none through."""
    pytester.mkdir("mine")
    (pytester.path / "mine" / "test_mint.py").write_text(TEST)
    solved = {}
    with serve(tell_the_reference) as tells:
        for level in ("vague", "specific"):
            pytester.runpytest(
                "mine",
                "--mint-model=parrot",
                "--mint-json=out.json",
                "--mint-feedback-model=expert",
                f"--mint-feedback-base-url={tells.url}",
                f"--mint-hint-level={level}",
                "--mint-limit=48",
            )
            found = summary_of(pytester)
            solved[level] = found["arms"]["nlf"]["solved"]
            assert not found["missing"]
            assert found["scheduled"] == 48
            assert found["hints"]["replaced"] >= 3 * 18
    pytester.runpytest(
        "mine",
        "--mint-model=parrot",
        "--mint-json=out.json",
        "--mint-hint-level=direct",
    )
    found = summary_of(pytester)
    solved["direct"] = found["arms"]["nlf"]["solved"]
    assert solved == {"vague": 0, "specific": 0, "direct": found["scheduled"]}


def tell_the_reference(seen: Seen) -> Answer:
    if is_ping(seen):
        return ok("pong")
    shown = str(seen.body["messages"][1]["content"])
    known = shown.split("for your eyes only:")[1].rsplit("\n\nWrite a", 1)[0].strip()
    program = known.partition("A program that passes all tests:")[2].strip()
    if program:
        return ok(f"```python\n{program}\n```")
    return ok(f"The answer is: {known.removeprefix('Expected output: ')}")


def test_a_task_without_another_of_its_category_has_nothing_to_swap(
    pytester: pytest.Pytester, write_tasks
) -> None:
    write_tasks("science", a_task("alone"))
    write_tasks("reasoning", task_of("r1"), task_of("r2"))
    pytester.runpytest(
        "--mint-model=nop", "--mint-controls=swapped,placebo", "--mint-json=out.json"
    )
    arms = summary_of(pytester)["arms"]
    assert (arms["swapped"]["tasks"], arms["placebo"]["tasks"]) == (2, 3)
