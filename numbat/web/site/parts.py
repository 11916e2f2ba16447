"""The parts of a page that are Python: Pyodide, Python's own modules, Numbat with its grammars; each packed by gzip."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from numbat.errors import DataError, MissingFileError, UsageError
from numbat.files import packaged_folder
from numbat.grammar.loading import packaged

PROGRAMS: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
"""The files of Pyodide that go into a page as they are."""
LIBRARY: Final = "python_stdlib.zip"
LOCK: Final = "pyodide-lock.json"
TESTED: Final = "314.0.7"
"""The version of Pyodide that the tests run."""
PACKAGES: Final = ("lark", "yaml")
"""What Numbat needs of others in a page; without what is compiled in them."""
CODE: Final = (".py", ".lark")
DATA: Final = (".pg", ".yaml", ".tsv")
PATIENCE: Final = 600.0
"""Seconds for the work under Node.js, which takes twenty."""


def parts_of(folder: Path, grammars: Iterable[str] | None = None) -> dict[str, bytes]:
    """The parts of a page by name, of the Pyodide in a folder; the same input gives the same bytes.

    `grammars` are kept as they are when they have been read, so that they open quickly: all where none are named.
    Raises MissingFileError, UsageError where there is no Node.js, and DataError for a Pyodide of which nothing is made.
    """
    check_folder(folder)
    found = {name: (folder / name).read_bytes() for name in PROGRAMS}
    found[LOCK] = _short_lock((folder / LOCK).read_bytes())
    found |= _prepared(folder, packaged() if grammars is None else grammars)
    return {name: gzip.compress(content, 9, mtime=0) for name, content in found.items()}


def check_folder(folder: Path) -> None:
    """Raises MissingFileError for a folder without Pyodide."""
    for name in (*PROGRAMS, LIBRARY, LOCK):
        if not (folder / name).is_file():
            raise MissingFileError(
                f"{folder / name}: not there, so this is no folder of Pyodide\n"
                f"  get it by `npm install pyodide@{TESTED}`, and name the folder node_modules/pyodide"
            )


def version_of(folder: Path) -> str:
    """The version of the Pyodide in a folder; empty where it does not say it."""
    try:
        found = json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return str(found)


def _short_lock(content: bytes) -> bytes:
    """The list of the packages that Pyodide could load, without any: a page asks no other server."""
    try:
        info = json.loads(content)["info"]
    except (ValueError, LookupError, TypeError):
        raise DataError(f"{LOCK}: this is no list of the packages of Pyodide\n  install Pyodide anew") from None
    return json.dumps({"info": info, "packages": {}}).encode()


def _prepared(folder: Path, grammars: Iterable[str]) -> Mapping[str, bytes]:
    """What is made of Python's modules and Numbat's by Pyodide itself."""
    node = shutil.which("node")
    if node is None:
        raise UsageError("no Node.js here, which compiles the modules of the page\n  install Node.js 18 or later")
    here = Path(__file__).parent
    with TemporaryDirectory() as place:
        modules, out = Path(place, "given.tar"), Path(place, "out")
        out.mkdir()
        with tarfile.open(modules, "w") as archive:
            for path, name in sorted(sources(), key=lambda pair: pair[1]):
                archive.add(path, name)
        given = (folder, modules, here / "in_pyodide.py", out, *grammars)
        command = [node, str(here / "prepare.mjs"), *map(str, given)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason is told"])[-1]
            raise DataError(
                f"{folder}: this Pyodide does not prepare the page: {last[:500]}\n"
                f"  take version {TESTED}, and Node.js 18 or later"
            )
        return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def sources() -> Iterator[tuple[Path, str]]:
    """Each file of Numbat and of what it needs, with its path in the page."""
    for package in ("numbat", *PACKAGES):
        folder = _folder_of(package)
        for path in _files_below(folder):
            if path.suffix in CODE:
                yield path, f"{package}/{path.relative_to(folder).as_posix()}"
    for data in (packaged_folder("grammars"), packaged_folder("corpora"), packaged_folder("exercises")):
        for path in data.iterdir():
            if path.suffix in DATA:
                yield path, f"numbat/{data.name}/{path.name}"


def _files_below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each != "__pycache__"]
        yield from (Path(place, each) for each in files)


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None, f"Numbat runs with {package}"
    return Path(str(spec.origin)).parent
