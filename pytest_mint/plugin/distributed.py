"""The plugin under xdist: places for the workers, and blocks of tests for them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_mint.errors import UserError
from pytest_mint.plugin.blocks import deal, share
from pytest_mint.plugin.keys import key_of
from pytest_mint.settings import Settings

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

#: What the controller tells a worker, in xdist's ``workerinput``.
INPUT = "mint"


class Place(NamedTuple):
    """A worker's place among the workers."""

    number: int  # from 0
    workers: int
    calls: int  # model calls in flight in this worker
    run_dir: str  # the run's folder, empty: there is none
    name: str  # of the worker
    replacement: bool  # takes over the rest of a dead worker's block
    local_url: str = ""  # where the session serves its local model, if it does

    def block(self, tests: list[str]) -> range:
        """Which of the tests are this worker's from the start."""
        if self.replacement:
            return range(0)
        return deal([key_of(test) for test in tests], self.workers)[self.number]


class Distributing:
    """Hooks of the controller of a distributed session.

    Args:
        settings: how many calls may be in flight.
        run_dir: gives the run's folder, empty if there is none.
        local_url: gives the address of the local model, empty if none is served.
    """

    def __init__(
        self,
        settings: Settings,
        run_dir: Callable[[], str],
        local_url: Callable[[], str] = lambda: "",
    ) -> None:
        self._settings = settings
        self._run_dir = run_dir
        self._local_url = local_url
        self._numbers = count()
        self._workers = 1

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: list[Any]) -> None:
        """Before the workers start: how many there will be."""
        self._workers = len(specs)
        try:
            self._settings.calls(self._workers)
        except UserError as problem:
            raise pytest.UsageError(str(problem)) from None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Before a worker starts, and before one that replaces a dead one."""
        number = next(self._numbers)
        place = number % self._workers
        calls = share(self._settings.calls(self._workers), self._workers, place)
        node.workerinput[INPUT] = tuple(
            Place(
                place,
                self._workers,
                calls,
                self._run_dir(),
                str(node.gateway.id),
                replacement=number >= self._workers,
                local_url=self._local_url(),
            )
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Our own blocks, whatever --dist says: stealing would pay for tasks twice."""
        from xdist.scheduler import LoadScheduling

        class BlockScheduling(LoadScheduling):  # type: ignore[misc] # xdist is untyped
            collection: list[str] | None

            def schedule(self) -> None:
                begun = self.collection is not None
                if begun or not self._check_nodes_have_same_collection():
                    super().schedule()
                    return
                self.collection = next(iter(self.node2collection.values()))
                self.pending[:] = range(len(self.collection))
                self.maxschedchunk = len(self.collection)  # for what a dead one leaves
                nodes = sorted(self.nodes, key=_number)
                blocks = deal([key_of(test) for test in self.collection], len(nodes))
                for node, block in zip(nodes, blocks, strict=True):
                    self._send_tests(node, len(block))
                for node in nodes:
                    node.shutdown()

        return BlockScheduling(config, log)


def place_of(config: pytest.Config) -> Place | None:
    """This process's place, None if it is no worker."""
    told = getattr(config, "workerinput", {}).get(INPUT)
    return Place(*told) if told else None


def refuse_each(config: pytest.Config) -> None:
    """Raise a usage error for the one way of distributing that cannot be ours."""
    if config.getoption("dist", "no") == "each":
        raise pytest.UsageError(
            "--dist=each would play every task on every worker; leave it out"
        )


def is_controller(config: pytest.Config) -> bool:
    """Whether other processes run the tests of this session."""
    return bool(
        config.getoption("dist", "no") != "no"
        and config.getoption("tx", [])
        and not hasattr(config, "workerinput")
    )


def _number(node: WorkerController) -> int:
    return Place(*node.workerinput[INPUT]).number
