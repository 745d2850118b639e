"""The controller: takes the results in, keeps the run, and decides by the gates.

Nothing is kept in globals of workers or read from their files: what a worker played
comes with the reports of its tests.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mint.episode import prompt
from pytest_mint.errors import UserError
from pytest_mint.plugin import is_task
from pytest_mint.plugin.keys import task_of
from pytest_mint.plugin.playing import FACTS
from pytest_mint.records import from_data
from pytest_mint.report.progress import progress
from pytest_mint.results.files import write_json
from pytest_mint.results.gates import Decision, decide, parse_gate
from pytest_mint.results.plan import Plan, Results, plan_to_data
from pytest_mint.results.prices import parse_price
from pytest_mint.results.published import published
from pytest_mint.results.rows import Row, row_of
from pytest_mint.results.store import Run, create_run
from pytest_mint.results.summary import summary
from pytest_mint.tasks.load import TaskFileError
from pytest_mint.words import MISSING

if TYPE_CHECKING:
    from pytest_mint.lineup import Lineup

#: How often a terminal is told how far the session is.
PROGRESS_SECONDS = 30.0

#: What to write where a model is given and no test asks for a task.
EXAMPLE = "def test_mint(mint_episode):\n    mint_episode.assert_solved()"


class Watching:
    """Hooks of the process that the user started.

    Raises:
        pytest.UsageError: a gate cannot be read, or the recording cannot be replayed.
    """

    def __init__(self, config: pytest.Config, lineup: Lineup) -> None:
        self._config = config
        self._lineup = lineup
        self._run: Run | None = None
        self._sandbox = ""
        self._plan = Plan(())
        self._rows: dict[str, Row] = {}
        self._lost: dict[str, str] = {}
        self._unsolved: list[tuple[str, list[str]]] = []  # test and what happened
        self._failures = 0  # of tests that are errors because data are missing
        self._began = self._told_progress = time.monotonic()
        self.interrupted = False
        self.decisions: tuple[Decision, ...] = ()
        self.problems: list[str] = []
        try:
            self.gates = tuple(parse_gate(text) for text in lineup.settings.gates)
            if lineup.settings.replay is not None:
                _ = lineup.recording  # a wrong one must stop the session here
            for text in lineup.settings.prices:
                parse_price(text)
            if name := lineup.settings.compare_published:
                published(name)
        except UserError as problem:
            raise pytest.UsageError(str(problem)) from None

    @property
    def run_dir(self) -> str:
        """The run's folder, empty if there is none."""
        return str(self._run.path) if self._run else ""

    @property
    def results(self) -> Results:
        """What was played so far."""
        return Results(
            self._plan, tuple(self._rows.values()), self.interrupted, self._lost
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Before workers start and before the header: the preflight, and the run."""
        if self._config.option.collectonly:
            return
        lineup = self._lineup
        try:
            self._sandbox = _sandbox_of(lineup)
            lineup.serve()
            lineup.preflight()
            settings = lineup.settings
            self._run = create_run(settings.run_dir, settings.model, settings.as_data())
        except UserError as problem:
            raise pytest.UsageError(str(problem)) from None

    def pytest_unconfigure(self) -> None:
        """At the very end, a failed start included: the local model goes."""
        self._lineup.close()

    def pytest_report_header(self) -> list[str]:
        """Who plays what, and where it is kept."""
        from pytest_mint.plugin.header import header_lines

        return header_lines(
            self._lineup, self.gates, sandbox=self._sandbox, run_dir=self.run_dir
        )

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without workers: the session knows its tests."""
        if not self._config.option.collectonly:
            self._set_plan([item.nodeid for item in session.items if is_task(item)])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """With workers: each tells its tests, all the same."""
        if not self._plan.collected:
            self._set_plan(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Every report of every test, wherever it ran."""
        told = getattr(report, "mint", None)
        if told is not None:
            if told.get("record"):
                self._take(told["record"])
                self._tell_progress()
            if report.failed and told.get("missing"):
                self._failures += 1
            if "unsolved" in told and report.when == "call":
                self._unsolved.append((report.nodeid, told["unsolved"]))
        elif report.failed and report.when in ("setup", "???"):
            self._lose(report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker ended: what it knows of how it played."""
        facts = getattr(node, "workeroutput", {}).get(FACTS)
        if facts:
            self.keep_facts(json.loads(facts))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(
        self, session: pytest.Session
    ) -> Generator[None, object, object]:
        """Decides by the gates when all tests have run and the player is closed.

        Here, because the exit code is made of ``session.testsfailed`` when the loop
        returns.
        """
        try:
            outcome = yield
        except BaseException:
            self.interrupted = True
            raise
        finally:
            self._end()
        if self.gates and not self._config.option.collectonly:
            unmet = sum(decision.state != "PASS" for decision in self.decisions)
            others = max(0, session.testsfailed - self._failures)
            session.testsfailed = others + unmet
        return outcome

    def pytest_report_teststatus(
        self, report: pytest.CollectReport | pytest.TestReport
    ) -> tuple[str, str, str | tuple[str, dict[str, bool]]] | None:
        """The turn of success as a letter, and ``U`` for unsolved."""
        told = getattr(report, "mint", None)
        if told is None or report.when != "call":
            return None
        if told.get("unsolved"):
            category = "failed" if report.failed else "unsolved"
            return category, "U", ("UNSOLVED", {"yellow": True})
        turn = told.get("turn")
        if not report.passed or turn is None:
            return None
        return "passed", str(turn) if turn < 10 else "+", f"SOLVED@{turn}"

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """The section at the end."""
        if self._config.option.collectonly:
            return
        from pytest_mint.report.text import heading, lines

        if self.gates and "U" in self._config.option.reportchars:
            for test, happened in self._unsolved:
                terminalreporter.section(test, sep="_")
                for told in happened:
                    terminalreporter.line(told)
        if not self._plan.collected:
            if not terminalreporter.stats.get("error"):  # else that is the news
                terminalreporter.section(heading(self._lineup.settings.model))
                terminalreporter.line("No test of a task was selected. Such a test is:")
                terminalreporter.line(EXAMPLE)
            return
        terminalreporter.section(heading(self._lineup.settings.model))
        for line in lines(
            self.results,
            self.decisions,
            run_dir=self.run_dir,
            problems=self.problems,
            prices=self._lineup.prices,
            compared=self._lineup.settings.compare_published,
            replayed=self._lineup.settings.replay is not None,
            seconds=time.monotonic() - self._began,
        ):
            markup = {line.markup: True} if line.markup else {}
            terminalreporter.line(line.text, **markup)

    def _set_plan(self, tests: Sequence[str]) -> None:
        lineup = self._lineup
        keys = [task_of(test, lineup.tasks) for test in tests]
        tasks = [lineup.tasks[key] for key in dict.fromkeys(filter(None, keys))]
        self._plan = lineup.plan(tasks)
        if self._run is not None:
            self._run.note(
                plan=plan_to_data(self._plan),
                tasks={task.key: task.digest for task in tasks},
                prompt=prompt.VERSION,
                protocol="tools" if lineup.native else "text",
                teacher=_teacher_of(lineup),
            )
            if lineup.judge is not None:
                self._run.note(judge=lineup.judge.endpoint.described())

    def _take(self, record: str) -> None:
        result = from_data(json.loads(record))
        self._rows[result.task] = row_of(result)
        self._lost.pop(result.task, None)
        if self._run is not None:
            self._run.append(result)

    def _tell_progress(self) -> None:
        """Now and then a line on how far it is, where somebody is looking."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        now = time.monotonic()
        if now - self._told_progress < PROGRESS_SECONDS or terminal is None:
            return
        self._told_progress = now
        if terminal.verbosity < 0 or not terminal.isatty:
            return
        arm = self._plan.verdict_arm
        played = [row.arms[arm] for row in self._rows.values() if arm in row.arms]
        graded = [one for one in played if one.outcome not in MISSING]
        line = progress(
            len(self._rows),
            len(self._plan.scheduled),
            solved=sum(one.success_turn is not None for one in graded),
            graded=len(graded),
            seconds=now - self._began,
        )
        terminal.write_line(f"mint: {line}")

    def _lose(self, report: pytest.TestReport) -> None:
        """A test that ended without a result: a dead worker, or a fault of ours."""
        task = task_of(report.nodeid, self._plan.arms)
        if task is None or task in self._rows:
            return
        self._failures += 1
        text = str(report.longrepr).strip() or "no reason given"
        self._lost[task] = text.splitlines()[-1]

    def keep_facts(self, facts: dict[str, Any]) -> None:
        """Takes in what a process that played knows of how it did."""
        for problem in facts["problems"]:
            if problem not in self.problems:
                self.problems.append(problem)
        if self._run is not None and "sandbox" in facts:
            self._run.note(sandbox=facts["sandbox"])

    def _end(self) -> None:
        if self._config.option.collectonly or self._run is None:
            return
        results = self.results
        self.decisions = tuple(decide(gate, results) for gate in self.gates)
        path = self._lineup.settings.json
        if path is not None:
            settings = self._lineup.settings
            data = summary(
                results,
                model=settings.model,
                decisions=self.decisions,
                prices=self._lineup.prices,
                compared=settings.compare_published,
            )
            try:
                write_json(path, data)
            except OSError as problem:
                self.problems.append(f"cannot write {path}: {problem.strerror}")
        self._run.finish()
        self.problems += [p for p in self._run.problems if p not in self.problems]


def _teacher_of(lineup: Lineup) -> dict[str, str]:
    """What a run keeps of whose hints were given."""
    if lineup.teacher is None:
        return {"name": lineup.hints_of}
    from pytest_mint.hints.prompt import prompts

    asked = lineup.teacher.endpoint.described()
    return {"name": lineup.hints_of, **asked, "prompt": prompts()["version"]}


def _sandbox_of(lineup: Lineup) -> str:
    """The name of the sandbox; tasks that cannot be read are told of later."""
    try:
        return lineup.sandbox_name()
    except TaskFileError:
        return ""
