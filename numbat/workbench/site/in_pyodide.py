"""The part of building a page that runs inside Pyodide: it compiles the modules and reads the packaged grammars.

Bytecode works with one version of Python only, so Pyodide compiles it; it makes a page start twice as fast.
`prepare.mjs` runs this file under Node.js and calls `prepare`.
"""

from __future__ import annotations

import ast
import marshal
import os
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Final

ROOTS: Final = ("numbat.workbench.facade", "pyodide", "_pyodide", "encodings", "tarfile")
"""Modules that a page or the start of Pyodide imports; the page has these and all that they import."""
WHOLE: Final = ("pyodide.", "_pyodide.", "encodings.")
"""Packages included whole, because their modules are imported by computed names."""
UNWANTED: Final = {
    *("_pyrepl", "doctest", "ensurepip", "pdb", "pip", "pydoc", "pydoc_data", "unittest"),
    *("asyncio.proactor_events", "asyncio.windows_events", "asyncio.windows_utils"),
    *("http.server", "multiprocessing", "sqlite3", "ssl", "webbrowser", "xml", "xmlrpc"),
    *("networkx", "numpy", "scipy", "numbat.labels"),
    *("numbat.languages.folder", "numbat.treebanks.verbs", "numbat.runs.cluster"),
    *("numbat.learning.costs", "numbat.corpus", "numbat.learning.importance", "numbat.learning.margin"),
    *(
        "numbat.structure.proposals",
        "numbat.structure.report",
        "numbat.authoring.permissiveness",
        "numbat.treebanks.induce",
    ),
}
"""Modules left out, because a page does not use the functions that import them."""
KEPT: Final = "kept"
"""Folder of the cached grammars, below that of the modules."""
LONG_AGO: Final = 315_532_800
"""Modification time of all files, 1980, so that builds are reproducible; `numbat.grammar.cache` compares times."""
HEADER: Final = MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
"""Header of a bytecode file that Python does not compare with a source."""


def prepare(modules: str, library: str, out: str, grammars: Iterable[str]) -> None:
    """Write `modules.tar` and `library.zip` into the folder `out`.

    `modules` is the folder of Numbat with its dependencies and data, at its path in the page; `library` is that of the
    standard library. Modules that the page does not need are removed, and sources are replaced by bytecode. The
    packaged `grammars` are put into the cache.
    """
    home, standard = Path(modules), Path(library)
    for path, tree in _needed((home, standard)):
        code = compile(tree, str(path), "exec", dont_inherit=True, optimize=2)  # without docstrings
        path.with_suffix(".pyc").write_bytes(HEADER + marshal.dumps(code))
    for folder in (home, standard):
        for source in list(folder.rglob("*.py")):
            source.unlink()
    _keep(grammars, home)
    _write_tar(home, Path(out, "modules.tar"))
    _write_zip(standard, Path(out, "library.zip"))


def _needed(folders: Iterable[Path]) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the source of each module that the roots import, at the top or inside functions."""
    sources = {_name(path.relative_to(folder)): path for folder in folders for path in folder.rglob("*.py")}
    waiting = [name for name in sources if name in {*ROOTS, *sys.modules} or name.startswith(WHOLE)]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in sources or not UNWANTED.isdisjoint(_with_packages(name)):
            continue
        seen.add(name)
        path = sources[name]
        tree = ast.parse(path.read_bytes(), str(path))
        yield path, tree
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        waiting += {part for imported in _imports(tree, package) for part in _with_packages(imported)}


def _with_packages(name: str) -> list[str]:
    """Return a module and the packages around it: `a`, `a.b`, `a.b.c`."""
    parts = name.split(".")
    return [".".join(parts[: i + 1]) for i in range(len(parts))]


def _imports(tree: ast.Module, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            around = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*around, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _name(path: Path) -> str:
    return ".".join(part for part in path.with_suffix("").parts if part != "__init__")


def _keep(grammars: Iterable[str], home: Path) -> None:
    """Load packaged grammars, which puts them into the cache."""
    for path in home.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    os.environ["NUMBAT_CACHE"] = str(home / KEPT)
    sys.path.insert(0, str(home))
    from numbat.grammar.loading import find, load_grammar

    for name in grammars:
        load_grammar(find(name))


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Return the files below a folder with their relative paths."""
    return ((path, path.relative_to(folder).as_posix()) for path in sorted(folder.rglob("*")) if path.is_file())


def _write_tar(folder: Path, into: Path) -> None:
    with tarfile.open(into, "w", format=tarfile.GNU_FORMAT) as archive:
        for path, name in _files(folder):
            archive.add(path, name, filter=_plain)


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o600
    entry.mtime = LONG_AGO
    return entry


def _write_zip(folder: Path, into: Path) -> None:
    """Write an archive without compression, because the page is compressed as a whole."""
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as archive:
        for path, name in _files(folder):
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
