"""The verbs serve, site and lsp: the workbench in a browser, and the language server for editors."""

from __future__ import annotations

import sys

import click

from numbat.cli.options import GRAMMAR, OUTPUT, option, verb
from numbat.cli.parsers import grammar_of, language_of, tell_of_edits
from numbat.cli.printing import Input, Output, Whole, say, write_out
from numbat.errors import require_pygls
from numbat.runs.pool import let_pipes_fail, pipes_that_fail
from numbat.workbench.verbs import PORTS, SINGLE


@verb("serve", "numbat serve", "numbat serve mine.pg --open", "numbat serve first.exercise.yaml --port 0")
@click.argument("grammar", default="english", type=Input("grammar"))
@option(
    OUTPUT,
    "--port",
    type=Whole(0, 65535),
    show_default=f"{PORTS[0]}, or the next free port",
    help="Port of the page, 0 for any; the browser keeps what you type separately for each port.",
)
@option(
    OUTPUT,
    "--base",
    metavar="URL",
    default="",
    help="Public address for shared links: https://example.org/numbat/.",
    advanced=True,
)
@option(OUTPUT, "--open", "shown", is_flag=True, help="Open the page in the browser.")
def serve(grammar: str, port: int | None, shown: bool, base: str) -> None:
    """Serve the workbench, a page in the browser for working on GRAMMAR and sentences. GRAMMAR is a file, which the
    page can save (with my.pg it opens my.suite.tsv or suite.tsv beside it), a packaged grammar, or the folder of a
    language; a store of numbat parse -f store has a page for queries. Only this computer can open the page, with the
    link that is printed; Ctrl-C ends it.
    """
    from numbat.workbench.verbs import corpus_server, server_of

    server = corpus_server(grammar, port)
    if server is None:
        language = language_of(grammar)
        if language is not None:
            tell_of_edits(grammar, grammar_of(grammar))
        server = server_of(grammar, port, base, language, say)
    write_out(server.link)
    say("numbat: open this address on this computer; Ctrl-C ends the server")
    if shown:
        import webbrowser

        webbrowser.open(server.link_for_once())
    if server.grammar:
        server.read_ahead()
    let_pipes_fail()  # not only in a block: threads may still write answers after the server is closed
    with server:
        server.serve_forever()


# site


@verb(
    "site",
    "numbat site public --pyodide node_modules/pyodide",
    "numbat site . --single -g mine.pg --pyodide node_modules/pyodide",
)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@option(OUTPUT, "--pyodide", required=True, metavar="FOLDER", help="Folder of Pyodide: `npm install pyodide@314.0.7`.")
@option(
    GRAMMAR,
    "-g",
    "--grammar",
    metavar="GRAMMAR",
    default="english",
    type=Input("grammar"),
    help="Grammar file, exercise, or packaged grammar.",
)
@option(OUTPUT, "--single", is_flag=True, help=f"Write one file, {SINGLE}, that opens without a server.")
@option(
    OUTPUT,
    "--base",
    metavar="URL",
    default="",
    show_default="the page's own address",
    help="Public address for shared links.",
    advanced=True,
)
def site(folder: str, grammar: str, pyodide: str, single: bool, base: str) -> None:
    """Write the workbench into DIR as a page that runs entirely in the browser: files for a web server, or one file
    that can be sent and used offline. The page contains Python and Numbat, and contacts no other server. Node.js is
    needed only here, not where the page is used.
    """
    from numbat.workbench.verbs import write_site

    write_site(folder, grammar, language_of(grammar), pyodide, single, base, say)


# lsp


@verb("lsp", "numbat lsp", "numbat lsp --log lsp.log")
@option(OUTPUT, "--log", type=Output(), help="Log errors of the server to this file.")
def lsp(log: str | None) -> None:
    """Run a language server over standard input and output: mistakes while typing, explanations of properties,
    definitions and references, completion, renaming across files. Editors start it themselves; docs/editors.md has
    their settings.
    """
    require_pygls("numbat lsp")
    from numbat.editor.relay import relay

    from_editor = open(0, "rb", closefd=False)  # noqa: SIM115 - Python closes sys.stdin, and would wait for its reader
    with pipes_that_fail():
        code = relay(from_editor, sys.stdout.buffer, log).run()
    sys.exit(code)
