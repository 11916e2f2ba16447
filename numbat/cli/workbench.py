"""The verbs serve, site and lsp: grammars in a browser, on this computer or as a page of its own, and in an editor."""

from __future__ import annotations

import gc
from typing import Final

import click

from numbat.cli.options import GRAMMAR, OUTPUT, option, verb
from numbat.cli.parsers import grammar_of, language_of, tell_of_edits
from numbat.cli.printing import Input, Output, say, write_out
from numbat.errors import require_pygls
from numbat.runs.pool import pipes_that_fail
from numbat.workbench.verbs import PORTS, SINGLE

RARE: Final = (50_000, 20, 1_000)
"""Thresholds of the collector of garbage: in a process that holds grammars it takes half a second to look at all."""


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
def serve(grammar: str, port: int | None, shown: bool, base: str) -> None:
    """Serve the workbench, a page in the browser where GRAMMAR and sentences meet. GRAMMAR is a file, which the page
    can save, a packaged grammar, or the folder of a language; a store of numbat parse -f store gets a page of its own.
    The page is for this computer alone, for whoever has the link that is printed; Ctrl-C ends it.
    """
    from numbat.workbench.verbs import corpus_server, server_of

    server = corpus_server(grammar, port)
    if server is None:
        language = language_of(grammar)
        if language is not None:
            tell_of_edits(grammar, grammar_of(grammar))
        server = server_of(grammar, port, base, language, say)
    write_out(server.link)
    say("numbat: the page is at this address, on this computer alone; Ctrl-C ends it")
    if shown:
        import webbrowser

        webbrowser.open(server.link_for_once())
    gc.set_threshold(*RARE)
    if server.grammar:
        server.read_ahead()
    with pipes_that_fail(), server:
        server.serve_forever()


# site


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
    from numbat.workbench.verbs import write_site

    write_site(folder, grammar, language_of(grammar), pyodide, single, base, say)


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
    from numbat.editor.server import EditorServer

    if log is not None:
        logging.basicConfig(filename=log, format="%(asctime)s %(name)s: %(message)s")
    gc.set_threshold(*RARE)
    with pipes_that_fail():
        EditorServer().start()
