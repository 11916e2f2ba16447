"""The verbs serve, site and lsp: grammars in a browser, on this computer or as a page of its own, and in an editor."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import GRAMMAR, OUTPUT, grammar_of, option, verb
from numbat.cli.parsers import language_of, tell_of_edits
from numbat.cli.printing import Input, Output, say, write_out
from numbat.errors import UnwritableError, UsageError, require_pygls
from numbat.files import reason, write_whole
from numbat.records import frozen
from numbat.runs.pool import pipes_that_fail

if TYPE_CHECKING:
    from numbat.workbench.serving import Server


PORTS: Final = range(8731, 8741)
"""The ports that are tried in turn, so that a page finds what the browser has kept of it."""
RARE: Final = (50_000, 20, 1_000)
"""Thresholds of the collector of garbage: in a process that holds grammars it takes half a second to look at all."""


@frozen
class ServeOptions:
    """Options of `numbat serve`."""

    grammar: str
    port: int | None
    shown: bool
    base: str


@verb("serve", "numbat serve", "numbat serve mine.pg --open", "numbat serve first.exercise.yaml --port 0")
@click.argument("grammar", default="english", type=Input("grammar"))
@option(
    OUTPUT,
    "--port",
    type=click.IntRange(0, 65535),
    show_default=f"{PORTS[0]}, or the next that is free",
    help="Port of the page; the browser keeps what was typed for each. 0: any.",
)
@option(
    OUTPUT,
    "--base",
    metavar="URL",
    default="",
    help="Where the page lives for others, as https://example.org/numbat/: links that are shared begin so.",
    advanced=True,
)
@option(OUTPUT, "--open", "shown", is_flag=True, help="Show the page in the browser at once.")
def serve(options: ServeOptions) -> None:
    """Serve the workbench, a page in the browser where GRAMMAR and sentences meet. GRAMMAR is a file, which the page
    can save, a packaged grammar, or the folder of a language; a store of numbat parse -f store gets a page of its own.
    The page is for this computer alone, for whoever has the link that is printed; Ctrl-C ends it.
    """
    server = _corpus_server(options) or _server(options)
    write_out(server.link)
    say("numbat: the page is at this address, on this computer alone; Ctrl-C ends it")
    if options.shown:
        import webbrowser

        webbrowser.open(server.link_for_once())
    gc.set_threshold(*RARE)
    if server.grammar:
        server.read_ahead()
    with pipes_that_fail(), server:
        server.serve_forever()


def _corpus_server(options: ServeOptions) -> Server | None:
    """Return the server of a store, None where none is named."""
    from numbat.corpus.schema import is_store

    if not is_store(options.grammar):
        return None
    from numbat.corpus.store import Store
    from numbat.workbench.corpus_page import CorpusServer

    Store(options.grammar).close()  # what is wrong with it is told now
    try:
        return CorpusServer(options.grammar, None, options.port or 0)
    except OSError as error:
        raise UsageError(f"--port {options.port}: {reason(error)}\n  leave it out, and a free one is taken") from None


def _server(options: ServeOptions) -> Server:
    from numbat.grammar.loading import find
    from numbat.workbench.folder import Folder
    from numbat.workbench.serving import Server

    check_base(options.base)
    path = Path(options.grammar)
    if options.grammar == "-":
        raise UsageError("the page reads no standard input\n  name a grammar file, or a packaged grammar")
    found = find(options.grammar)
    language = language_of(options.grammar)
    is_own = found == path or (path.is_dir() and found.parent == path)
    folder = Folder(found.absolute().parent, found.name) if is_own else None
    served = None
    if language is not None:
        from numbat.workbench.languages import ServedLanguage

        tell_of_edits(options.grammar, grammar_of(options.grammar))
        served = ServedLanguage(language)
    for port in (*PORTS, 0) if options.port is None else (options.port,):
        try:
            server = Server(folder, options.grammar, port, base=options.base, language=served)
        except OSError as error:
            if options.port is not None:
                hint = "leave it out, and a free one is taken"
                raise UsageError(f"--port {port}: {reason(error)}\n  {hint}") from None
            continue
        if options.port is None and port != PORTS[0]:
            say(f"numbat: port {PORTS[0]} is taken, so what was typed there is not at {server.server_port}")
        return server
    raise AssertionError("any free port can be taken")


def check_base(base: str) -> None:
    """Raises UsageError for an address that no shared link can begin with."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(base)
    except ValueError:
        parts = urlsplit("")
    is_page = parts.scheme in ("http", "https") and parts.netloc
    if base and (not (is_page or parts.scheme == "file") or parts.fragment or any(map(str.isspace, base))):
        raise UsageError(f"--base {base}: no address of a page\n  give one as https://example.org/numbat/")


# site

SINGLE = "numbat.html"
"""The name of the one file of `--single`, in the folder."""


@verb(
    "site",
    "numbat site public --pyodide node_modules/pyodide",
    "numbat site . --single -g mine.pg --pyodide node_modules/pyodide",
)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@option(
    OUTPUT, "--pyodide", required=True, metavar="FOLDER", help="The folder of Pyodide: `npm install pyodide@314.0.7`."
)
@option(
    GRAMMAR,
    "-g",
    "--grammar",
    metavar="GRAMMAR",
    default="english",
    type=Input("grammar"),
    help="A grammar file, an exercise, or a packaged grammar.",
)
@option(OUTPUT, "--single", is_flag=True, help=f"One file, {SINGLE}, which opens from the disk and needs no server.")
@option(
    OUTPUT,
    "--base",
    metavar="URL",
    default="",
    show_default="its own address",
    help="Where the page lives for others: links that are shared begin so.",
    advanced=True,
)
def site(folder: str, grammar: str, pyodide: str, single: bool, base: str) -> None:
    """Write the workbench as a page that runs wholly in the browser into DIR: files for a web server, or one file that
    can be sent, opened and used offline. The page has Python and Numbat in it, and asks no other server for anything.
    Node.js is needed here, not where the page is used.
    """
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
        raise UsageError("the page reads no standard input\n  name a grammar file, or a packaged grammar")
    check_base(base)
    if language_of(grammar) is not None:
        raise UsageError(
            f"{grammar}: a language, whose parts need numpy, which a page alone does not have\n"
            "  numbat serve shows it; -g with its grammar.pg makes a page of its properties alone"
        )
    beginning = beginning_with(grammar, base)
    runtime = Path(pyodide)
    check_folder(runtime)
    if (version := version_of(runtime)) != TESTED:
        say(f"numbat: this is Pyodide {version or 'of no version'}; the page was tested with {TESTED}")
    say("numbat: compiling the modules of the page and reading its grammars, which takes half a minute")
    parts = parts_of(runtime)
    pages = {SINGLE: single_page(parts, beginning)} if single else folder_pages(parts, beginning)
    _write(Path(folder), pages)
    size = sum(map(len, pages.values())) / 1_000_000
    name = Path(folder, SINGLE if single else "index.html")
    say(f"numbat: {name} is written, {size:.1f} MB" + ("" if single else "; it has to come from a web server"))


def _write(folder: Path, pages: dict[str, bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in pages.items():
            write_whole(folder / name, content)
    except OSError as error:
        raise UnwritableError(str(error.filename or folder), reason(error)) from None


# lsp


@verb("lsp", "numbat lsp", "numbat lsp --log lsp.log")
@option(OUTPUT, "--log", type=Output(), help="Write what goes wrong in the server to this file.")
def lsp(log: str | None) -> None:
    """Answer an editor by the Language Server Protocol over standard input and output: mistakes and doubts as one
    types, what a property means, where a name is defined and used, completion, renaming in all files. Editors start
    this themselves; docs/editors.md has their settings.
    """
    import logging

    require_pygls("numbat lsp")
    from numbat.editor.server import Server

    if log is not None:
        logging.basicConfig(filename=log, format="%(asctime)s %(name)s: %(message)s")
    gc.set_threshold(*RARE)
    with pipes_that_fail():
        Server().start()
