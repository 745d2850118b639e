"""The episode: the agent replies, tools run, proposals are graded, and it hears of it.

Up to the first hint both arms are one conversation, played once and forked there::

    turn 1 -> heard -> turn 2 -+-> heard          -> turn 3 -> ...   arm ef
                               +-> heard and hint -> turn 3 -> ...   arm nlf
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from pytest_mint.agents.base import Agent, Message, Reply, Request
from pytest_mint.episode.environment import Environment
from pytest_mint.episode.mint_rules import MintRules
from pytest_mint.episode.our_rules import OurRules
from pytest_mint.episode.rules import Action, Happened, Rules
from pytest_mint.errors import Missing
from pytest_mint.graders.verdict import Proposal, Verdict
from pytest_mint.hints.teacher import Moment, Teacher
from pytest_mint.records import (
    NOTHING,
    Episode,
    Judgement,
    Spent,
    TaskResult,
    ToolRun,
    Turn,
)
from pytest_mint.tasks.model import Task
from pytest_mint.tools.base import Tool
from pytest_mint.words import LADDER

#: Labels that are the outcome where the last turn bears them.
_FINAL_LABELS = ("empty", "refused")


@dataclass(frozen=True)
class Cast:
    """Everyone and everything that an episode is played with.

    Attributes:
        agent: who is tested.
        teachers: who gives hints, by arm; arm ``ef`` has nobody.
        grade: judges a proposal; may block, so it is called in a thread.
        graders: the threads for that, None: the loop's own. A grader that waits for a
            judge on this loop must not take the threads that the judge's call needs.
        tools: the tools of a task.
        environment: opens a conversation's environment from task, tools, arm, whether
            calls are native, and trial.
        max_turns: at least 1.
        hints_from: the turn after which the first hint comes, from 1.
        hint_level: a level for all hints, or ``ladder``: one higher each time.
        native: whether this agent is to make native tool calls.
        seconds: time of model and tools after which an episode ends.
        timed: whether the tools' time is measured; to look results up takes none.
        journal: is told of every reply before it is used.
    """

    agent: Agent
    teachers: Mapping[str, Teacher]
    grade: Callable[[Task, Proposal], Verdict]
    tools: Callable[[Task], Sequence[Tool]]
    environment: Callable[[Task, Sequence[Tool], str, bool, int], Environment]
    max_turns: int = 5
    hints_from: int = 2
    hint_level: str = LADDER
    native: bool = True
    seconds: float = 1800.0
    timed: bool = True
    journal: Callable[[Mapping[str, Any]], None] = lambda event: None
    graders: Executor | None = None


@dataclass
class Conversation:
    """An episode while it is played."""

    task: Task
    arm: str
    trial: int
    rules: Rules
    native: bool
    schemas: tuple[Mapping[str, Any], ...]
    environment: Environment
    opening: tuple[Message, ...]
    messages: list[Message] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    unjudged: list[ToolRun] = field(default_factory=list)  # since the last verdict
    proposals: int = 0
    last: Happened | None = None
    outcome: str = ""
    error: str = ""
    lost: Spent = NOTHING

    @property
    def seconds(self) -> float:
        """Time that models and tools took."""
        return sum(turn.seconds for turn in self.turns)

    def episode(self) -> Episode:
        """What is left when it is over."""
        solved = self.outcome == "solved"
        return Episode(
            self.arm,
            self.outcome,
            success_turn=len(self.turns) if solved else None,
            error=self.error,
            opening=self.opening,
            turns=tuple(self.turns),
            seconds=round(self.seconds, 3),
            lost=self.lost,
        )


async def play(
    task: Task, cast: Cast, arms: Sequence[str], trial: int = 1
) -> TaskResult:
    """Play a task in these arms.

    Missing data end the arm that they hit and are its outcome; no error of endpoint,
    sandbox, teacher or grader is raised.
    """
    rules = _rules(task, cast)
    if len(arms) > 1 and cast.agent.forks and rules.arms_fork:
        ended = await _play_forked(
            _begin(task, cast, rules, arms[0], trial), cast, arms
        )
    else:
        begun = [_begin(task, cast, rules, arm, trial) for arm in arms]
        ended = await asyncio.gather(*(_play_on(one, cast) for one in begun))
    return TaskResult(
        task.key,
        task.category,
        task.dataset,
        trial,
        task.digest,
        {episode.arm: episode for episode in ended},
    )


def _rules(task: Task, cast: Cast) -> Rules:
    if task.rules == "mint-bench":
        return MintRules(cast.max_turns)
    return OurRules(cast.max_turns, cast.hints_from, cast.hint_level)


def _begin(task: Task, cast: Cast, rules: Rules, arm: str, trial: int) -> Conversation:
    native = cast.native and task.rules == "mint"
    tools = cast.tools(task)
    opening = rules.opening(task, arm, tools, native)
    return Conversation(
        task,
        arm,
        trial,
        rules,
        native,
        tuple(tool.schema for tool in tools) if native else (),
        cast.environment(task, tools, arm, native, trial),
        opening,
        messages=list(opening),
    )


async def _play_forked(
    trunk: Conversation, cast: Cast, arms: Sequence[str]
) -> list[Episode]:
    """Play up to the first hint once, and from there every arm for itself.

    Args:
        trunk: a conversation that has just begun, in the first of the arms.
    """
    twins: list[Conversation] = []
    lost: list[Episode] = []
    try:
        await _play_until(trunk, cast, trunk.rules.first_hint)
        trunk.turns = [dataclasses.replace(turn, shared=True) for turn in trunk.turns]
        for arm in () if trunk.outcome else arms[1:]:
            try:
                twins.append(await _fork(trunk, arm))
            except Missing as problem:  # there is no further environment; others go on
                lost.append(
                    dataclasses.replace(
                        trunk.episode(),
                        arm=arm,
                        outcome=problem.outcome,
                        error=str(problem),
                    )
                )
    except BaseException:
        for talk in (trunk, *twins):
            await talk.environment.close()
        raise
    if trunk.outcome:
        ended = await _play_on(trunk, cast)
        others = [dataclasses.replace(ended, arm=arm, lost=NOTHING) for arm in arms[1:]]
        return [ended, *others]
    talks = (trunk, *twins)
    return [*await asyncio.gather(*(_play_on(one, cast) for one in talks)), *lost]


async def _fork(trunk: Conversation, arm: str) -> Conversation:
    return dataclasses.replace(
        trunk,
        arm=arm,
        environment=await trunk.environment.fork(arm),
        messages=list(trunk.messages),
        turns=list(trunk.turns),
        unjudged=list(trunk.unjudged),
    )


async def _play_on(talk: Conversation, cast: Cast) -> Episode:
    """Play to the end from wherever the conversation is."""
    try:
        await _play_until(talk, cast, cast.max_turns)
    finally:
        await talk.environment.close()
    return talk.episode()


async def _play_until(talk: Conversation, cast: Cast, last: int) -> None:
    """Play turns until the episode is over or turn ``last`` has been taken."""
    try:
        while not talk.outcome and len(talk.turns) < last:
            if talk.last is not None:
                await _hear(talk, cast, talk.last)
            await _take_turn(talk, cast)
    except Missing as problem:
        talk.outcome, talk.error = problem.outcome, str(problem)
        talk.lost = problem.spent or NOTHING


async def _take_turn(talk: Conversation, cast: Cast) -> None:
    number = len(talk.turns) + 1
    request = Request(
        talk.task, talk.arm, number, tuple(talk.messages), talk.schemas, talk.trial
    )
    reply = await cast.agent.reply(request)
    cast.journal(_journal_entry(request, reply))
    if reply.label == "context_overflow":
        talk.outcome, talk.error = "context_overflow", "the conversation is too long"
        return
    reply = _answerable(reply, talk.native)
    talk.messages += talk.rules.said(reply)
    action = talk.rules.read(reply, talk.native)
    began = asyncio.get_running_loop().time()
    runs = await talk.environment.run(number, action.calls)
    talk.messages += _tool_messages(runs)
    talk.unjudged += runs
    ran = asyncio.get_running_loop().time() - began if cast.timed and runs else 0.0
    verdict = await _judge(talk, cast, action)  # a slow judge is not the agent's fault
    talk.proposals += action.proposes
    talk.turns.append(
        Turn(
            number,
            reply.text,
            runs,
            proposal=action.proposal,
            verdict=verdict,
            label=reply.label,
            tokens=reply.tokens,
            seconds=round(reply.seconds + ran, 3),
            tool_seconds=round(ran, 3),
            drift=reply.drift,
        )
    )
    most = talk.rules.max_proposals
    left = cast.max_turns - number
    chances = left if most is None else most - talk.proposals
    talk.last = Happened(action, reply.label, runs, verdict, left, chances)
    talk.outcome, talk.error = _ended(talk, cast, talk.last)


def _answerable(reply: Reply, native: bool) -> Reply:
    """The reply with calls that can be answered: each under an id of its own.

    Endpoints refuse a conversation in which a call has no answer. Calls that were not
    offered get none and are no part of it.
    """
    if not native:
        return dataclasses.replace(reply, calls=())
    ids = {call.id for call in reply.calls if call.id}
    if len(ids) == len(reply.calls):
        return reply
    calls = tuple(
        dataclasses.replace(call, id=f"call_{number}")
        for number, call in enumerate(reply.calls, 1)
    )
    return dataclasses.replace(reply, calls=calls)


async def _judge(talk: Conversation, cast: Cast, action: Action) -> Judgement | None:
    """The verdict on what was handed in, or on a world that is as it should be.

    A world is looked at after every turn; where nothing was handed in and the goal is
    not reached, there is nothing to be told.
    """
    in_world = talk.task.grader.kind == "state"
    if action.proposal is None and not in_world:
        return None
    world = await talk.environment.state() if in_world else None
    proposal = Proposal(action.proposal or "", tuple(talk.unjudged), world)
    loop = asyncio.get_running_loop()
    verdict = await loop.run_in_executor(cast.graders, cast.grade, talk.task, proposal)
    if action.proposal is None and not verdict.solved:
        return None
    talk.unjudged.clear()
    return Judgement(
        verdict.solved,
        verdict.score,
        verdict.reason,
        verdict.rule,
        verdict.spent.tokens,
        verdict.spent.seconds,
    )


def _ended(talk: Conversation, cast: Cast, last: Happened) -> tuple[str, str]:
    """Outcome and error if this turn was the last, else two empty texts."""
    if last.verdict and last.verdict.solved:
        return "solved", ""
    if last.turns_left == 0 or last.proposals_left <= 0:
        return last.label if last.label in _FINAL_LABELS else "unsolved", ""
    if talk.seconds > cast.seconds:
        return "limit", f"models and tools took more than {cast.seconds:g} s"
    return "", ""


async def _hear(talk: Conversation, cast: Cast, last: Happened) -> None:
    """Append what the agent is told before its next turn."""
    turn = talk.turns[-1]
    heard, hint = talk.rules.heard(last, None), None
    teacher = cast.teachers.get(talk.arm)
    if teacher is not None and turn.number >= talk.rules.first_hint:
        hint = await teacher.hint(_moment(talk, heard))
        heard = talk.rules.heard(last, hint)
    talk.turns[-1] = dataclasses.replace(turn, heard=heard, hint=hint)
    talk.messages.append({"role": "user", "content": heard})


def _moment(talk: Conversation, heard: str) -> Moment:
    number = len(talk.turns)
    told = {"role": "user", "content": heard}
    level = talk.rules.hint_level(number)
    return Moment(talk.task, talk.arm, number, level, (*talk.messages, told))


def _tool_messages(runs: Sequence[ToolRun]) -> list[Message]:
    """The answer to every native call; text cells are answered in what is heard."""
    return [
        {"role": "tool", "tool_call_id": run.call_id, "content": run.output}
        for run in runs
        if run.call_id
    ]


def _journal_entry(request: Request, reply: Reply) -> dict[str, Any]:
    return {
        "task": request.task.key,
        "arm": request.arm,
        "trial": request.trial,
        "turn": request.turn,
        "text": reply.text,
        "calls": [dataclasses.asdict(call) for call in reply.calls],
        "label": reply.label,
        "tokens": dataclasses.asdict(reply.tokens),
        "retries": reply.retries,
        "meta": dict(reply.meta),
    }
