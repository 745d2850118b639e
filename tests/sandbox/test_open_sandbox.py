"""Choosing a sandbox: what is taken, what is said when there is none, what it costs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mint.errors import SandboxError, UserError
from pytest_mint.sandbox import cage, container, engine, image, open_sandbox
from pytest_mint.sandbox.owner import is_dead, me


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules); import pytest_mint.sandbox;"
        "print({'docker', 'ctypes', 'socket', 'subprocess', 'json'} &"
        " (set(sys.modules) - before))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout == "set()\n"


def test_an_unknown_choice_names_the_known_ones() -> None:
    with pytest.raises(UserError, match="auto, docker, cage, unsafe"):
        open_sandbox("podman")


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(engine, "_context_name", lambda: "")
    monkeypatch.setattr(engine, "_sockets", lambda: [Path("/nowhere/docker.sock")])


@pytest.mark.usefixtures("no_engine")
def test_without_an_engine_auto_takes_the_cage() -> None:
    if why := cage.why_not():
        pytest.skip(why)
    sandbox = open_sandbox("auto")
    try:
        assert sandbox.name == "cage"
        assert sandbox.describe()["python"] == sys.version.split()[0]
    finally:
        sandbox.close()


@pytest.mark.usefixtures("no_engine")
def test_without_anything_auto_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cage, "why_not", lambda: "the cage needs Linux, this is beos")
    with pytest.raises(UserError, match="no container engine answers") as caught:
        open_sandbox("auto")
    assert "needs Linux" in str(caught.value)
    assert "--mint-sandbox unsafe" in str(caught.value)
    with pytest.raises(UserError, match="use a container engine"):
        open_sandbox("cage")


@pytest.mark.usefixtures("no_engine")
def test_docker_by_name_does_not_fall_back() -> None:
    with pytest.raises(UserError, match=r"/nowhere/docker\.sock"):
        open_sandbox("docker")


def test_nothing_is_started_before_it_is_used() -> None:
    sandbox = open_sandbox("unsafe")
    folders = set(Path(cage.tempfile.gettempdir()).glob(f"pytest-mint-{me()}-*"))
    interpreter = sandbox.open()
    assert (
        set(Path(cage.tempfile.gettempdir()).glob(f"pytest-mint-{me()}-*")) == folders
    )
    interpreter.close()
    sandbox.close()


def test_a_closed_sandbox_says_so() -> None:
    sandbox = open_sandbox("unsafe")
    sandbox.close()
    sandbox.close()
    with pytest.raises(SandboxError, match="closed"):
        sandbox.call("def f(): pass", "f", [])


def test_preloaded_modules_are_there() -> None:
    sandbox = open_sandbox("unsafe", preload=["fractions", "no_such_module"])
    interpreter = sandbox.open()
    try:
        found = interpreter.execute("import sys\n'fractions' in sys.modules")
    finally:
        interpreter.close()
        sandbox.close()
    assert found.value == "True"


# The image and the engine


def test_the_images_name_follows_the_dockerfile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert image.dockerfile().name == "Dockerfile"
    first = image.default_name()
    other = tmp_path / "Dockerfile"
    other.write_text("FROM scratch")
    monkeypatch.setattr(image, "dockerfile", lambda: other)
    assert first != image.default_name()
    assert image.default_name().startswith("pytest-mint-sandbox:")


@pytest.mark.parametrize(
    ("config", "version"),
    [
        ({"Labels": {image.PYTHON_LABEL: "3.11.7"}}, "3.11.7"),
        ({"Env": ["PATH=/bin", "PYTHON_VERSION=3.12.4"], "Labels": None}, "3.12.4"),
        ({}, ""),
        (None, ""),
    ],
)
def test_an_image_tells_its_python(config: object, version: str) -> None:
    assert image.python_version({"Config": config}) == version


def test_docker_host_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://10.0.0.1:2375")
    assert engine.find() == "tcp://10.0.0.1:2375"


def test_a_context_is_followed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import hashlib

    name = hashlib.sha256(b"remote").hexdigest()
    meta = tmp_path / "contexts/meta" / name / "meta.json"
    meta.parent.mkdir(parents=True)
    meta.write_text(
        json.dumps(
            {
                "Name": "remote",
                "Metadata": {},
                "Endpoints": {"docker": {"Host": "unix:///remote.sock"}},
            }
        )
    )
    (tmp_path / "config.json").write_text(json.dumps({"currentContext": "remote"}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.delenv("DOCKER_CONTEXT", raising=False)
    assert engine.find() == "unix:///remote.sock"


def test_an_engine_that_does_not_answer_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(UserError, match=r"none\.sock"):
        open_sandbox("docker")


def test_an_engine_that_is_gone_is_missing_data(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="no container engine answers"):
        container.start(f"unix://{tmp_path}/none.sock", "image")


# Owners


def test_a_living_owner_is_not_dead() -> None:
    assert not is_dead(me())


@pytest.mark.parametrize("owner", ["", "x", "a.b.c", "a.b.c.d.e", "other.0.1.5"])
def test_other_owners_are_unknown(owner: str) -> None:
    assert not is_dead(owner)


def test_an_owner_that_ended_is_dead() -> None:
    child = subprocess.run(
        [
            sys.executable,
            "-c",
            "from pytest_mint.sandbox.owner import me; print(me())",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert is_dead(child.stdout.strip())
    host, _, rest = me().partition(".")
    assert is_dead(f"{host}.another-boot.{rest.partition('.')[2]}")
