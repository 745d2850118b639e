"""``pytest-mint image``: the image that containers are made of."""

from __future__ import annotations

import argparse

from pytest_mint.sandbox import engine, image
from pytest_mint.settings import resolve


def run(options: argparse.Namespace) -> int:
    """Make the image, or say which one is used; 1 where the engine does not have it.

    Raises:
        UserError: no engine answers, or the image cannot be made.
    """
    name = resolve({}).docker_image or image.default_name()
    if options.action == "build":
        made = image.build_from_host(name) if options.from_host else image.build(name)
        print(f"made {made}")
        return 0
    address = engine.find()
    client = engine.connect(address)
    try:
        found = image.inspect(client, name)
    finally:
        client.close()
    if found is None:
        print(f"{name} is not at {address}; make it:")
        print("  pytest-mint image build")
        print("  pytest-mint image build --from-host   (needs no image registry)")
        return 1
    print(f"{name} is at {address}")
    print(f"  id {found['Id']}, Python {image.python_version(found) or 'unknown'}")
    return 0
