"""Functions of `serve` and `site`: servers for a grammar, a language or a store, and pages without a server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from numbat.errors import UnwritableError, UsageError
from numbat.files import reason, write_whole

if TYPE_CHECKING:
    from numbat.languages.folder import Language
    from numbat.workbench.serving import Server

PORTS: Final = range(8731, 8741)
"""Ports to try in turn. A browser keeps what was typed for each port, so the same port is used if it is free."""
SINGLE: Final = "numbat.html"
"""Name of the file that `--single` writes into the folder."""


def corpus_server(store: str, port: int | None) -> Server | None:
    """Return the server of a store, None if the file is not a store."""
    from numbat.corpus.schema import is_store

    if not is_store(store):
        return None
    from numbat.corpus.store import Store
    from numbat.workbench.corpus_page import CorpusServer

    Store(store).close()  # report a damaged store now
    try:
        return CorpusServer(store, None, port or 0)
    except OSError as error:
        raise UsageError(f"--port {port}: {reason(error)}\n  leave it out to use a free port") from None


def server_of(
    name: str, port: int | None, base: str, language: Language | None, say: Callable[[str], object]
) -> Server:
    """Return the server of a grammar or a language, at a port or the first free one. Raises UsageError."""
    from numbat.grammar.loading import find
    from numbat.workbench.folder import Folder
    from numbat.workbench.serving import Server

    check_base(base)
    path = Path(name)
    if name == "-":
        raise UsageError("the page cannot read standard input\n  name a grammar file, or a packaged grammar")
    grammar = find(name)
    is_users = grammar == path or (path.is_dir() and grammar.parent == path)
    folder = Folder(grammar.absolute().parent, grammar.name) if is_users else None
    served = None
    if language is not None:
        from numbat.workbench.languages import ServedLanguage

        served = ServedLanguage(language)
    for tried in (*PORTS, 0) if port is None else (port,):
        try:
            server = Server(folder, name, tried, base=base, language=served)
        except OSError as error:
            if port is not None:
                raise UsageError(f"--port {port}: {reason(error)}\n  leave it out to use a free port") from None
            continue
        if port is None and tried != PORTS[0]:
            say(f"numbat: port {PORTS[0]} is in use; port {server.server_port} does not have what you typed there")
        return server
    raise AssertionError("port 0 is always free")


def check_base(base: str) -> None:
    """Raise UsageError for an address that cannot be the beginning of shared links."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(base)
    except ValueError:
        parts = urlsplit("")
    is_page = parts.scheme in ("http", "https") and parts.netloc
    if base and (not (is_page or parts.scheme == "file") or parts.fragment or any(map(str.isspace, base))):
        raise UsageError(f"--base {base}: not the address of a page\n  give one such as https://example.org/numbat/")


def write_site(
    folder: str,
    grammar: str,
    language: Language | None,
    pyodide: str,
    single: bool,
    base: str,
    say: Callable[[str], object],
) -> None:
    """Write the workbench as files for a web server, or with `single` as one file. Raises UsageError."""
    from numbat.workbench.site.pages import (
        TESTED,
        beginning_with,
        check_folder,
        folder_pages,
        parts_of,
        single_page,
        version_of,
    )

    if grammar == "-":
        raise UsageError("the page cannot read standard input\n  name a grammar file, or a packaged grammar")
    check_base(base)
    if language is not None:
        raise UsageError(
            f"{grammar} is a language: it needs numpy, which a page without a server does not have\n"
            "  run numbat serve, or give its grammar.pg to -g for a page of its properties alone"
        )
    beginning = beginning_with(grammar, base)
    runtime = Path(pyodide)
    check_folder(runtime)
    if (version := version_of(runtime)) != TESTED:
        say(f"numbat: this is Pyodide {version or 'of an unknown version'}; the page was tested with {TESTED}")
    say("numbat: compiling the modules of the page and reading its grammars; this takes half a minute")
    parts = parts_of(runtime)
    pages = {SINGLE: single_page(parts, beginning)} if single else folder_pages(parts, beginning)
    _write(Path(folder), pages)
    size = sum(map(len, pages.values())) / 1_000_000
    name = Path(folder, SINGLE if single else "index.html")
    say(f"numbat: wrote {name}, {size:.1f} MB" + ("" if single else "; put the folder on a web server"))


def _write(folder: Path, pages: dict[str, bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in pages.items():
            write_whole(folder / name, content)
    except OSError as error:
        raise UnwritableError(str(error.filename or folder), reason(error)) from None
