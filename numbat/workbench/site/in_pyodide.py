"""What the build of a page does inside Pyodide: bytecode of the modules that it needs, and grammars that are read.

Bytecode belongs to one version of Python, that of Pyodide; with it a page starts twice as fast. `prepare.mjs` runs this
file under Node.js and calls `prepare`.
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
"""What a page imports, and what Pyodide needs at its start; all else is what these import."""
WHOLE: Final = ("pyodide.", "_pyodide.", "encodings.")
"""Packages whose modules are imported by names that no source says."""
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
"""Modules that others import for uses which a page does not make of them."""
KEPT: Final = "kept"
"""The folder of the grammars that were read, below that of the modules."""
LONG_AGO: Final = 315_532_800
"""The time of all files, 1980: the same input gives the same bytes, and `numbat.grammar.cache` looks at times."""
HEADER: Final = MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
"""The first bytes of a file of bytecode that is not compared with a source."""


def prepare(modules: str, library: str, out: str, grammars: Iterable[str]) -> None:
    """Write `modules.tar` and `library.zip` into `out`.

    `modules` has Numbat with what it needs and its data, at the path that it has in the page; `library` is Python's
    own. Both lose what the page does not need, and keep bytecode in the place of the sources. The packaged `grammars`
    are kept as they are when they have been read.
    """
    home, standard = Path(modules), Path(library)
    for path, tree in _needed((home, standard)):
        # Nobody reads the documentation of modules in a page.
        code = compile(tree, str(path), "exec", dont_inherit=True, optimize=2)
        path.with_suffix(".pyc").write_bytes(HEADER + marshal.dumps(code))
    for folder in (home, standard):
        for source in list(folder.rglob("*.py")):
            source.unlink()
    _keep(grammars, home)
    _write_tar(home, Path(out, "modules.tar"))
    _write_zip(standard, Path(out, "library.zip"))


def _needed(folders: Iterable[Path]) -> Iterator[tuple[Path, ast.Module]]:
    """Return the source of each module that the roots import, in whatever place of their code."""
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
        waiting += {each for imported in _imports(tree, package) for each in _with_packages(imported)}


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
    """Read packaged grammars, so that they are kept in the form in which they are quickly read again."""
    for path in home.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    os.environ["NUMBAT_CACHE"] = str(home / KEPT)
    sys.path.insert(0, str(home))
    from numbat.grammar.loading import find, load_grammar

    for name in grammars:
        load_grammar(find(name))


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Return the files below a folder, each with its path from there."""
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
    """The archive is not compressed: it is part of a page that is."""
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as archive:
        for path, name in _files(folder):
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
