"""An agent and a teacher that say what was said in a recorded run."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_mint.agents.base import Reply, Request, ToolCall
from pytest_mint.errors import ProviderError
from pytest_mint.records import Episode, Hint, ToolRun, Turn

#: Recorded episodes by task key and arm.
Episodes = Mapping[tuple[str, str], Episode]


class Recording:
    """Answers as the named model did.

    Args:
        name: the model's name.
        episodes: what was recorded.
        forks: whether the two arms were one conversation up to the first hint.
        native_tools: whether the recorded model made native tool calls.
        teacher, judge: the models that wrote the hints and went by the rubrics, empty
            where none did.
    """

    def __init__(
        self,
        name: str,
        episodes: Episodes,
        *,
        forks: bool,
        native_tools: bool,
        teacher: str = "",
        judge: str = "",
    ) -> None:
        self.name = name
        self.teacher = teacher
        self.judge = judge
        self.forks = forks
        self.native_tools = native_tools
        self._episodes = episodes

    async def reply(self, request: Request) -> Reply:
        """The recorded reply of this turn.

        Raises:
            ProviderError: nothing was recorded here.
        """
        episode = self._episode(request.task.key, request.arm)
        turn = self._turn(episode, request.turn)
        if turn is None and episode.outcome == "context_overflow":
            return Reply("", label="context_overflow")
        if turn is None:
            raise ProviderError(
                f"the recording ends after turn {len(episode.turns)} "
                f"({episode.outcome} there)"
            )
        calls = tuple(
            ToolCall(run.tool, run.arguments, run.call_id)
            for run in turn.runs
            if run.call_id
        )
        drift = self._drift(episode, request)
        seconds = turn.seconds - turn.tool_seconds
        return Reply(turn.text, calls, turn.label, turn.tokens, seconds, drift=drift)

    async def close(self) -> None:
        """Nothing is held."""

    def has(self, task: str, arm: str) -> bool:
        """Whether the task was recorded in this arm."""
        return (task, arm) in self._episodes

    def hint(self, task: str, arm: str, turn: int) -> Hint | None:
        """What the recorded teacher said after this turn."""
        found = self._turn(self._episode(task, arm), turn)
        return found.hint if found else None

    def runs(self, task: str, arm: str, turn: int) -> tuple[ToolRun, ...]:
        """The recorded tool results of this turn."""
        found = self._turn(self._episode(task, arm), turn)
        return found.runs if found else ()

    def _episode(self, task: str, arm: str) -> Episode:
        found = self._episodes.get((task, arm))
        if found is None:
            raise ProviderError(f"not recorded: {task} in arm {arm}")
        return found

    @staticmethod
    def _turn(episode: Episode, number: int) -> Turn | None:
        turns = episode.turns
        return turns[number - 1] if 0 < number <= len(turns) else None

    @staticmethod
    def _drift(episode: Episode, request: Request) -> str:
        """How the last message of the prompt differs from the recorded one."""
        if request.turn == 1:
            recorded = [dict(message) for message in episode.opening]
            asked = [dict(message) for message in request.messages]
            return "" if not recorded or recorded == asked else "the opening differs"
        heard = episode.turns[request.turn - 2].heard
        now = str(request.messages[-1].get("content") or "")
        if heard == now:
            return ""
        pairs = enumerate(zip(heard, now, strict=False))
        shorter = min(len(heard), len(now))
        at = next((place for place, (a, b) in pairs if a != b), shorter)
        return (
            f"the message after turn {request.turn - 1} differs at character {at}: "
            f"recorded {heard[at : at + 40]!r}, now {now[at : at + 40]!r}"
        )
