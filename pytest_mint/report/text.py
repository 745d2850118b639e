"""What a session prints at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_mint.report import cost, hints, published
from pytest_mint.report.line import Line, wrapped
from pytest_mint.report.numbers import count, percent
from pytest_mint.report.plain import columns, fit, pad, plain
from pytest_mint.report.table import Part, Table, tables
from pytest_mint.results.cost import Prices, bill
from pytest_mint.results.gates import Decision
from pytest_mint.results.plan import NOT_PLAYED, Cell, Plan, Results
from pytest_mint.results.rates import coverage, gain, mean_turns, solved_later
from pytest_mint.results.summary import categories, datasets
from pytest_mint.words import CONTROLS, MAX_K

_ARMS = {"ef": "ef", "nlf": "with hints", **{name: name for name in CONTROLS}}
_NAMED = 10  # missing tasks
_COLOURS = {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}


def heading(model: str) -> str:
    """The title of the section."""
    return f"mint: {fit(plain(model), 60)}"


def lines(
    results: Results,
    decisions: Sequence[Decision] = (),
    *,
    width: int = 80,
    run_dir: str = "",
    problems: Sequence[str] = (),
    prices: Prices | None = None,
    compared: str = "",
    replayed: bool = False,
    seconds: float | None = None,
) -> list[Line]:
    """The section, the answer first.

    Args:
        decisions: what became of the gates.
        width: columns of the terminal; below 66 the tables do not fit.
        run_dir: where the trajectories are, empty if nowhere.
        problems: what else a reader must know, such as a full disk.
        prices: of tokens, by role.
        compared: a model of the published table, empty for none.
        replayed: whether a recording was played.
        seconds: how long it took.
    """
    blocks = [
        [*_incomplete(results), *_subset(results.plan, width)],
        *_tables(results, width),
        hints.lines(results, width),
        hints.by_category(results, width),
        [*_late_turns(results), *_turns_played(results, width)],
        published.lines(results, compared, width) if compared else [],
        cost.lines(
            bill(results, prices or {}),
            seconds=seconds,
            replayed=replayed,
            width=width,
        ),
        [
            *_coverage(results),
            *_mean_turns(results),
            *_drift(results, width),
            *_missing(results, width),
        ],
        _gates(decisions, width),
        [
            *(line for text in problems for line in wrapped(plain(text), width, "red")),
            *([Line(f"Run: {plain(run_dir)}")] if run_dir else []),
        ],
    ]
    shown = [block for block in blocks if block]
    return [
        line
        for number, block in enumerate(shown)
        for line in ([Line("")] if number else []) + block
    ]


def _incomplete(results: Results) -> list[Line]:
    if not results.interrupted:
        return []
    open_ = {cell.task for cell in results.missing if cell.error == NOT_PLAYED}
    scheduled = count(len(results.plan.scheduled), "task")
    return [
        Line(
            f"incomplete: interrupted with {len(open_)} of {scheduled} not played",
            "yellow",
        )
    ]


def _subset(plan: Plan, width: int) -> list[Line]:
    reasons = Counter(plan.not_applicable.values()).most_common()
    if not reasons:
        return []
    needs = ", ".join(f"{n} need{'s' * (n == 1)} {plain(what)}" for what, n in reasons)
    total = len(plan.collected)
    return wrapped(f"subset: {len(plan.scheduled)} of {total}; {needs}", width)


def _tables(results: Results, width: int) -> list[list[Line]]:
    # Controls measure hints; how they did stands beside HUR.
    arms = [arm for arm in results.plan.played_arms if arm not in CONTROLS]
    wanted = []
    for arm in arms:
        parts = [Part(name, category=name) for name in categories(results, arm)]
        wanted.append(Table(arm, f"success@k, {_ARMS[arm]}", parts))
    for arm in arms:
        if parts := [Part(name, dataset=name) for name in datasets(results, arm)]:
            wanted.append(Table(arm, f"by dataset, {_ARMS[arm]}", parts))
    return tables(results, wanted, width)


def _late_turns(results: Results) -> list[Line]:
    arm, turns = results.plan.verdict_arm, results.plan.max_turns
    late = gain(results, arm, first=3)
    if late is None or turns < 4:
        return []
    if turns == 4:
        return [Line(f"Turn 4 adds {percent(late)} points.")]
    last = percent(gain(results, arm, first=4))
    return [Line(f"Turns 4 and 5 add {percent(late)} points; turn 5 alone {last}.")]


def _turns_played(results: Results, width: int) -> list[Line]:
    turns = results.plan.max_turns
    if turns == MAX_K:
        return []
    if turns < MAX_K:
        text = (
            f"Episodes had at most {count(turns, 'turn')}: "
            f"the columns after @{turns} repeat it."
        )
        return wrapped(text, width)
    later = ", ".join(
        f"{_ARMS[arm]} {solved_later(results, arm)}" for arm in results.plan.played_arms
    )
    text = (
        f"Episodes had at most {turns} turns; all rates count the first {MAX_K}. "
        f"Solved later: {later}."
    )
    return wrapped(text, width)


def _coverage(results: Results) -> list[Line]:
    share = coverage(results)
    if not share.total:
        return [Line("Nothing was scheduled.", "yellow")]
    tasks = count(share.total, "scheduled task")
    return [
        Line(
            f"Coverage {percent(share.rate)} % ({share.hits} of {tasks} graded)",
            "" if share.hits == share.total else "yellow",
        )
    ]


def _mean_turns(results: Results) -> list[Line]:
    means = [
        f"{_ARMS[arm]} {mean:.2f}"
        for arm in results.plan.played_arms
        if (mean := mean_turns(results, arm)) is not None
    ]
    return [Line(f"Mean turns: {', '.join(means)}")] if means else []


def _drift(results: Results, width: int) -> list[Line]:
    drifted = [row.drift for row in results.rows if row.drift]
    if not drifted:
        return []
    text = (
        f"Drift: {count(sum(drifted), 'prompt')} in {count(len(drifted), 'task')} "
        "not as recorded; the replies answer another conversation"
    )
    return wrapped(text, width, "yellow")


def _missing(results: Results, width: int) -> list[Line]:
    # What went wrong comes before what was merely never begun.
    cells = sorted(results.missing, key=lambda cell: cell.error == NOT_PLAYED)
    if not cells:
        return []
    by_task: dict[str, list[Cell]] = {}
    for cell in cells:
        by_task.setdefault(cell.task, []).append(cell)
    scheduled = len(results.plan.scheduled)
    found = [Line(f"Missing {len(by_task)} of {count(scheduled, 'task')}:", "red")]
    for task in list(by_task)[:_NAMED]:
        for what, arms in _by_reason(by_task[task]).items():
            text = f"  {plain(task)} ({', '.join(arms)}): {what}"
            found.append(Line(fit(text, width)))
    if len(by_task) > _NAMED:
        found.append(Line(f"  and {len(by_task) - _NAMED} more: see the run"))
    return found


def _by_reason(cells: Sequence[Cell]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for cell in cells:
        error = plain(cell.error)
        what = f"{cell.outcome}: {error}" if error else cell.outcome
        reasons.setdefault(what, []).append(cell.arm)
    return reasons


def _gates(decisions: Sequence[Decision], width: int) -> list[Line]:
    room = width - 30  # state and value stand beside it
    texts = [fit(plain(decision.gate.text), room) for decision in decisions]
    first = max(map(columns, texts), default=0)
    second = max((len(decision.state) for decision in decisions), default=0)
    found: list[Line] = []
    for decision, text in zip(decisions, texts, strict=True):
        value, ends = percent(decision.value), _ends(decision)
        head = f"gate {pad(text, first)}   {decision.state:<{second}}   {value}"
        if ends and columns(head) + columns(ends) + 3 <= width:
            head, ends = f"{head} ({ends})", ""
        found.append(Line(head, _COLOURS[decision.state]))
        detail = "; ".join(filter(None, [ends, decision.why]))
        found += wrapped(f"     {detail}", width) if detail else []
    return found


def _ends(decision: Decision) -> str:
    if decision.worst == decision.best:
        return ""
    return f"worst {percent(decision.worst)}, best {percent(decision.best)}"
