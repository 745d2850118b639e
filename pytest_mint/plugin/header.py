"""The lines at the top of a session: who plays what, and by which gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_mint.errors import UserError
from pytest_mint.report.numbers import count
from pytest_mint.report.plain import plain
from pytest_mint.results.gates import Gate, gate_size, noise
from pytest_mint.results.plan import Plan
from pytest_mint.settings import LOCAL

if TYPE_CHECKING:
    from pytest_mint.lineup import Lineup


def header_lines(
    lineup: Lineup, gates: Sequence[Gate], *, sandbox: str = "", run_dir: str = ""
) -> list[str]:
    """What the header says.

    Tasks that cannot be read are told of by the collection, which comes next.
    """
    settings = lineup.settings
    who = [f"mint: {plain(settings.model)} ({_source(lineup)})"]
    if settings.arm != "ef":
        who.append(f"hints: {plain(lineup.hints_of)}")
    try:
        plan = lineup.plan(lineup.tasks.values())
    except UserError:
        return [" · ".join(who)]
    if sandbox:
        who.append(f"sandbox: {sandbox}")
    if lineup.judges:
        who.append(f"judge: {plain(settings.judge_model)}")
    lines = [" · ".join(who)]
    limit = f"at most {settings.limit} of " if settings.limit else ""
    what = f"mint: {limit}{len(plan.collected)} tasks, {_arms(settings.arms)}"
    what += f", {settings.grading} grading"
    lines.append(f"{what} · run {run_dir}" if run_dir else what)
    lines += [f"mint: {note}" for note in _of_the_judge(lineup, plan)]
    lines += [f"mint: gate {plain(gate.text)}{_noise(gate, plan)}" for gate in gates]
    return lines


def _source(lineup: Lineup) -> str:
    if lineup.settings.replay is not None:
        return f"recorded in {lineup.settings.replay}"
    if not lineup.pays:
        return "probe"
    endpoint = getattr(lineup.agent, "endpoint", None)
    provider = f"{endpoint.provider}, " if endpoint is not None else ""
    if lineup.settings.serves_local and lineup.settings.model == LOCAL:
        provider = "a model of 135 million parameters on this machine, "
    return f"{provider}{count(lineup.settings.calls(), 'call')} in flight"


def _of_the_judge(lineup: Lineup, plan: Plan) -> list[str]:
    """What a reader of the rates has to know of the judge, or of its absence."""
    from pytest_mint.agents.family import same_family

    settings = lineup.settings
    if lineup.judges and same_family(settings.model, settings.judge_model):
        return [
            f"warning: the judge {plain(settings.judge_model)} and the agent are of "
            "one family, and models favour their kin"
        ]
    judged = [key for key in plan.arms if lineup.tasks[key].rubric]
    if lineup.samples_only and judged:
        tasks = count(len(judged), "task")
        return [
            f"{tasks} with a rubric: the oracle hands in their good samples, and "
            "checks alone decide"
        ]
    return []


def _arms(arms: Sequence[str]) -> str:
    *first, last = arms
    return f"arms {', '.join(first)} and {last}" if first else f"arm {last}"


def _noise(gate: Gate, plan: Plan) -> str:
    points = noise(gate, gate_size(gate, plan))
    if points is None:
        return ""
    return f" (drops under {100 * points:.1f} points cannot be told from noise)"
