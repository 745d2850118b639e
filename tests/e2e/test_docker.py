"""Containers on a real engine: what holds them, and that none is left behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_mint.errors import SandboxError, UserError
from pytest_mint.sandbox import container, engine, image, open_sandbox, reaper
from pytest_mint.sandbox.base import Limits
from pytest_mint.sandbox.owner import me
from tests.processes import until
from tests.sandbox.kinds import missing, opened
from tests.sandbox.test_pool import processes_of


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    try:
        found = engine.connect()
    except UserError as problem:
        missing(str(problem))
    yield found
    found.close()


def image_or_skip(client: Any) -> str:
    name = image.default_name()
    if image.inspect(client, name) is None:
        missing(f"the engine has no image {name}")
    return name


def containers(client: Any, owner: str = "") -> list[dict[str, Any]]:
    found = client.containers(all=True, filters={"label": reaper.LABEL})
    return [one for one in found if owner in one["Labels"][reaper.LABEL]]


def test_auto_takes_the_engine_where_it_has_the_image(client: Any) -> None:
    image_or_skip(client)
    sandbox = open_sandbox("auto")
    about = sandbox.describe()
    sandbox.close()
    assert about["name"] == "docker"
    assert about["image"] == image.default_name()
    assert about["image_id"].startswith("sha256:")
    assert about["python"]


def test_a_missing_image_is_named_with_the_way_to_make_it(client: Any) -> None:
    with pytest.raises(UserError, match="has no image nobody/has-this:1") as caught:
        open_sandbox("docker", image="nobody/has-this:1")
    assert "pytest-mint image build" in str(caught.value)


def test_a_container_is_held_by_all_that_it_should(client: Any) -> None:
    with opened("docker") as sandbox:
        interpreter = sandbox.open()
        inside = interpreter.execute("""
import os
status = dict(
    line.split(":", 1) for line in open("/proc/self/status").read().splitlines()
)
names = ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp", "Uid")
print({name: status[name].split()[0] for name in names})
print(os.listdir("/sys/class/net"), os.access("/", os.W_OK), os.listdir("/mint"))
""").stdout
        (one,) = containers(client, me())
        told = client.inspect_container(one["Id"])["HostConfig"]
        interpreter.close()
    facts, rest = inside.splitlines()
    assert json.loads(facts.replace("'", '"')) == {
        "CapEff": "0000000000000000",
        "CapBnd": "0000000000000000",
        "NoNewPrivs": "1",
        "Seccomp": "2",
        "Uid": "65534",
    }
    assert rest == "['lo'] False ['work']"
    assert told["NetworkMode"] == "none"
    assert told["ReadonlyRootfs"]
    assert told["PidsLimit"] == container.PROCESSES
    assert told["Memory"] == told["MemorySwap"] == 2 << 30
    assert told["NanoCpus"] == 1_000_000_000
    assert not told["Privileged"]
    assert not told["Binds"]


def test_numpy_and_sympy_are_in_the_image(client: Any) -> None:
    with opened("docker") as sandbox:
        result = sandbox.call(
            "import numpy, sympy\n"
            "def f(n):\n"
            "    x = sympy.Symbol('x')\n"
            "    return [int(numpy.arange(n).sum()), str(sympy.diff(x ** 3, x))]",
            "f",
            [5],
            Limits(seconds=30),
        )
    assert result.value == [10, "3*x**2"]


def test_nothing_is_left_after_closing(client: Any) -> None:
    with opened("docker") as sandbox:
        interpreter = sandbox.open()
        interpreter.execute("x = 1")
        sandbox.call("def f(): return 1", "f", [])
        assert len(containers(client, me())) == 2
    assert until(lambda: containers(client, me()) == [])


@pytest.mark.parametrize(
    ("ending", "number"),
    [
        ("kept[0].execute('while True: pass')", signal.SIGKILL),
        (
            "kept[0].execute('import os\\nfor _ in range(5): os.fork()\\n"
            "while True: pass')",
            signal.SIGKILL,
        ),
        ("time.sleep(100)", signal.SIGKILL),
        ("time.sleep(100)", signal.SIGTERM),
        ("time.sleep(100)", signal.SIGINT),
        ("pass", 0),
        ("import os; os._exit(1)", 0),
    ],
    ids=[
        "kill busy",
        "kill forking",
        "kill idle",
        "terminate",
        "interrupt",
        "end",
        "hard exit",
    ],
)
def test_no_container_outlives_its_owner(ending: str, number: int, client: Any) -> None:
    image_or_skip(client)
    owner, processes = processes_of("docker", ending, number)
    assert len(processes) >= 2
    assert until(lambda: containers(client, f".{owner}.") == [], 20)


def test_a_container_that_never_started_is_reaped(client: Any) -> None:
    name = image_or_skip(client)
    owner = subprocess.run(
        [sys.executable, "-c", "from pytest_mint.sandbox.owner import me; print(me())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    left = client.create_container(name, ["true"], labels={reaper.LABEL: owner})["Id"]
    mine = client.create_container(name, ["true"], labels={reaper.LABEL: me()})["Id"]
    try:
        assert reaper.reap(client) >= 1
        known = {one["Id"] for one in containers(client)}
        assert left not in known
        assert mine in known
    finally:
        client.remove_container(mine, force=True)


def test_a_container_that_is_removed_is_missing_data(client: Any) -> None:
    with opened("docker") as sandbox:
        interpreter = sandbox.open()
        interpreter.execute("x = 1")
        (one,) = containers(client, me())
        client.remove_container(one["Id"], force=True)
        with pytest.raises(SandboxError, match="the sandbox"):
            interpreter.execute("x")
        interpreter.close()


def test_a_single_call_survives_the_loss_of_its_container(client: Any) -> None:
    with opened("docker") as sandbox:
        assert sandbox.call("def f(): return 1", "f", []).value == 1
        (one,) = containers(client, me())
        client.remove_container(one["Id"], force=True)
        assert sandbox.call("def f(): return 2", "f", []).value == 2


def test_memory_of_a_whole_container_is_bounded(client: Any) -> None:
    code = """
import os
for _ in range(6):
    if os.fork() == 0:
        kept = [bytearray(b"x" * (1 << 20)) for _ in range(900)]
        os._exit(0)
for _ in range(6): print(os.WIFSIGNALED(os.wait()[1]))
"""
    with opened("docker") as sandbox:
        interpreter = sandbox.open()
        result = interpreter.execute(code, Limits(seconds=60, memory_mb=1024))
        assert "True" in result.stdout  # the kernel took some of them
        assert interpreter.execute("1 + 1").value == "2"
        interpreter.close()


def test_an_image_is_made_from_this_interpreter(client: Any) -> None:
    name = f"{image.REPOSITORY}:test"
    image.build_from_host(name)
    try:
        found = image.inspect(client, name)
        assert found is not None
        assert image.python_version(found) == sys.version.split()[0]
        sandbox = open_sandbox("docker", image=name)
        try:
            result = sandbox.call(
                "import os, sqlite3, ssl, zlib\ndef f(): return os.listdir('/bin')",
                "f",
                [],
            )
            assert result.value == []  # no shell, no tools
        finally:
            sandbox.close()
    finally:
        client.remove_image(name, force=True)
