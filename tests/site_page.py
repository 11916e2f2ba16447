"""The page that is one file, as tests open it: its parts are built once for a state of Numbat, and then kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from numbat.workbench.site import pages
from numbat.workbench.site.pages import beginning_with, parts_of, single_page

ROOT = Path(__file__).parents[1]
PYODIDE = ROOT / "tools" / "browser_python" / "node_modules" / "pyodide"
KEPT = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "numbat-tests"
MOST = 4
"""Number of states of Numbat whose parts are kept, for several clones may be tested at one time."""
GRAMMAR = Path(__file__).parent / "web_cases" / "tiny.pg"


def pyodide_folder() -> Path:
    """Return the folder of Pyodide; skip the test if it or Node.js is missing."""
    if not PYODIDE.is_dir():
        pytest.skip("no Pyodide here: run `npm ci` in tools/browser_python")
    if shutil.which("node") is None:
        pytest.skip("no Node.js here, which prepares the page")
    return PYODIDE


def page_file(folder: Path, grammar: str = str(GRAMMAR)) -> Path:
    """Write the page of a grammar into a folder of the test, for runs of other clones delete kept parts."""
    file = folder / "page.html"
    file.write_bytes(single_page(built_parts(), beginning_with(grammar)))
    return file


def built_parts() -> dict[str, bytes]:
    """The parts of the page: twenty seconds of work where Numbat has changed since they were made."""
    folder = pyodide_folder()
    file = KEPT / f"parts-{_digest()}.json"
    KEPT.mkdir(parents=True, exist_ok=True)
    with _alone(KEPT / "lock"):
        if not file.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(pages, "PATIENCE", 3600.0)
                made = parts_of(folder)
            _write(file, json.dumps({name: b64encode(content).decode() for name, content in made.items()}).encode())
            for old in sorted(KEPT.glob("*.*"), key=lambda each: each.stat().st_mtime)[:-MOST]:
                old.unlink()
        content = file.read_bytes()
    return {name: b64decode(part) for name, part in json.loads(content).items()}


def _digest() -> str:
    """A name of all that the parts are made of."""
    found = hashlib.sha256(f"{sys.version}{pages.TESTED}".encode())
    inputs = [*pages.sources(), *((path, path.name) for path in Path(pages.__file__).parent.glob("*.*"))]
    for path, name in sorted(inputs, key=lambda pair: pair[1]):
        found.update(f"{name}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:24]


def _write(file: Path, content: bytes) -> None:
    part = file.with_suffix(f".{os.getpid()}")
    part.write_bytes(content)
    part.rename(file)


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Let one process work at a time, while others wait for its result."""
    fcntl = pytest.importorskip("fcntl", reason="tests of the page in one file run where files can be locked")
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
