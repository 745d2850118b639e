"""The image of containers, from the command line, with an engine of a few answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from pytest_mint.cli import main
from pytest_mint.sandbox import image
from tests.commands.calling import refused

VERSION = {"Version": "27.0", "ApiVersion": "1.44", "MinAPIVersion": "1.24"}
FOUND = {"Id": "sha256:abc", "Config": {"Labels": {image.PYTHON_LABEL: "3.12.1"}}}


@contextmanager
def engine(answers: dict[str, tuple[int, Any]]) -> Iterator[tuple[str, list[str]]]:
    """An engine that answers requests whose path holds one of these words."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            asked.append(self.path)
            known = {"version": (200, VERSION), **answers}
            found = (one for word, one in known.items() if word in self.path)
            status, data = next(found, (404, {"message": "No such image"}))
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(data).encode())

        do_GET = do_POST = answer

        def log_message(self, *args: Any) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"tcp://127.0.0.1:{server.server_address[1]}", asked
        finally:
            server.shutdown()
            thread.join()


def test_an_image_that_is_there_is_told(capsys, monkeypatch):
    with engine({"images": (200, FOUND)}) as (address, _):
        monkeypatch.setenv("DOCKER_HOST", address)
        assert main(["image"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{image.default_name()} is at {address}\n")
    assert "id sha256:abc, Python 3.12.1" in told


def test_an_image_that_is_not_there_is_1_and_tells_the_way(capsys, monkeypatch):
    with engine({}) as (address, _):
        monkeypatch.setenv("DOCKER_HOST", address)
        assert main(["image"]) == 1
    told = capsys.readouterr().out
    assert f"{image.default_name()} is not at {address}" in told
    assert "pytest-mint image build --from-host" in told


def test_the_image_of_the_settings_is_asked_for(monkeypatch):
    monkeypatch.setenv("MINT_DOCKER_IMAGE", "mine:7")
    with engine({"images": (200, FOUND)}) as (address, asked):
        monkeypatch.setenv("DOCKER_HOST", address)
        assert main(["image"]) == 0
    assert asked[-1].endswith("/images/mine:7/json")


def test_the_engine_is_told_to_build_it(capsys, monkeypatch):
    with engine({"build": (200, {"stream": "done\n"})}) as (address, asked):
        monkeypatch.setenv("DOCKER_HOST", address)
        assert main(["image", "build"]) == 0
    assert capsys.readouterr().out == f"made {image.default_name()}\n"
    assert "/build?" in asked[-1]


def test_without_a_registry_it_is_made_from_the_interpreter(capsys, monkeypatch):
    made = {"images/create": (200, {"status": "sha256:abc"}), "/tag": (201, {})}
    with engine(made) as (address, asked):
        monkeypatch.setenv("DOCKER_HOST", address)
        assert main(["image", "build", "--from-host"]) == 0
    assert capsys.readouterr().out == f"made {image.default_name()}\n"
    assert any("/images/create?" in path for path in asked)
    assert any(f"repo={image.REPOSITORY}" in path for path in asked)


@pytest.mark.parametrize("arguments", [["image"], ["image", "build"]])
def test_no_engine_is_told(capsys, monkeypatch, tmp_path, arguments):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert "no container engine answers" in refused(capsys, *arguments)
