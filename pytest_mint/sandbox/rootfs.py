"""A root file system of the running interpreter, as a tar archive.

The interpreter and its standard library move to ``/usr/local``; shared libraries stay
where the loader looks for them. No shell, no package manager, no other program.
"""

from __future__ import annotations

import io
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from pytest_mint.errors import UserError
from pytest_mint.sandbox.cage import PACKAGES

_NAME = f"python{sys.version_info[0]}.{sys.version_info[1]}"
_LIBRARY = PurePosixPath(f"usr/local/lib/{_NAME}")

#: Folders of the standard library that programs have no use for.
_LEFT_OUT = {
    "site-packages",
    "dist-packages",
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "ensurepip",
    "lib2to3",
}
_USERS = {
    "etc/passwd": "root:x:0:0::/root:/sbin/nologin\n"
    "nobody:x:65534:65534::/mint:/sbin/nologin\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}


def write(file: IO[bytes]) -> str:
    """Write the archive; the version of the Python in it.

    Raises:
        UserError: this is no Linux, or its libraries cannot be listed.
    """
    if not sys.platform.startswith("linux") or shutil.which("ldd") is None:
        raise UserError("an image from this interpreter needs Linux and ldd")
    real = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]
    stdlib = Path(sysconfig.get_path("stdlib"))
    binaries = [real, *stdlib.rglob("*.so")]
    with tarfile.open(fileobj=file, mode="w") as archive:
        _add_folders(archive)
        _add_file(archive, real, PurePosixPath(f"usr/local/bin/{_NAME}"))
        _add_link(archive, "usr/local/bin/python3", _NAME)
        _add_tree(archive, stdlib, _LIBRARY, _LEFT_OUT)
        for package in _packages():
            target = _LIBRARY / "site-packages" / package.name
            _add_tree(archive, package, target, {"tests"})
            binaries += package.rglob("*.so*")
        for source, target in _shared_libraries(binaries):
            _add_file(archive, source, target)
        for name, text in _USERS.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return platform.python_version()


def _packages() -> Iterator[Path]:
    for name in PACKAGES:
        for key in ("purelib", "platlib"):
            folder = Path(sysconfig.get_path(key)) / name
            if folder.is_dir():
                yield folder
                break


def _shared_libraries(
    binaries: Iterable[Path],
) -> list[tuple[Path, PurePosixPath]]:
    """What the binaries need, with the place where the loader finds it."""
    listed = subprocess.run(  # noqa: S603 - our own files
        [str(shutil.which("ldd")), *map(str, binaries)],
        capture_output=True,
        text=True,
        check=False,  # a binary without any is an error to ldd
    ).stdout
    found: dict[PurePosixPath, Path] = {}
    for line in listed.splitlines():
        words = line.split()
        path = next((word for word in words if word.startswith("/")), "")
        if not line.startswith("\t") or not path or line.endswith("not found"):
            continue
        source = Path(path)
        if _belongs_to_package(source):
            continue
        found[_place(source)] = source.resolve()
    return [(source, target) for target, source in found.items()]


def _belongs_to_package(path: Path) -> bool:
    return "site-packages" in path.parts or "dist-packages" in path.parts


def _place(source: Path) -> PurePosixPath:
    """Where the loader looks: system folders stay, the interpreter's own move."""
    parts = source.parts
    if parts[1] in ("lib", "lib64"):
        return PurePosixPath("usr", *parts[1:])
    if parts[1:3] in (("usr", "lib"), ("usr", "lib64")):
        return PurePosixPath(*parts[1:])
    return PurePosixPath("usr/lib", source.name)


def _add_folders(archive: tarfile.TarFile) -> None:
    for name in ("usr/lib", "usr/lib64", "usr/local/bin", "usr/bin", "etc"):
        _add_folder(archive, name, 0o755)
    for name in ("proc", "sys", "dev"):
        _add_folder(archive, name, 0o755)
    _add_folder(archive, "tmp", 0o1777)
    for name in ("lib", "lib64", "bin"):
        _add_link(archive, name, f"usr/{name}")


def _add_folder(archive: tarfile.TarFile, name: str, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, mode
    archive.addfile(entry)


def _add_link(archive: tarfile.TarFile, name: str, target: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    archive.addfile(entry)


def _add_tree(
    archive: tarfile.TarFile, source: Path, target: PurePosixPath, skipped: set[str]
) -> None:
    for path in sorted(source.iterdir()):
        if path.name in skipped or path.name.startswith("config-"):
            continue
        if path.is_dir():
            _add_tree(archive, path, target / path.name, skipped)
        elif path.is_file() and ".opt-" not in path.name:
            _add_file(archive, path, target / path.name)


def _add_file(archive: tarfile.TarFile, source: Path, target: PurePosixPath) -> None:
    """Add a file as root's, readable by all; links become what they point to."""
    real = source.resolve()
    entry = tarfile.TarInfo(str(target))
    status = real.stat()
    entry.size, entry.mtime = status.st_size, int(status.st_mtime)
    entry.mode = 0o755 if status.st_mode & 0o111 else 0o644
    with real.open("rb") as file:
        archive.addfile(entry, file)
