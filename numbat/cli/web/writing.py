"""The verb `numbat site`: the workbench as a page that runs wholly in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from numbat.cli.options import takes
from numbat.cli.printing import Input, say
from numbat.cli.verbs import GRAMMAR, OUTPUT, option, verb
from numbat.cli.web.serving import check_base
from numbat.errors import UnwritableError, UsageError
from numbat.files import reason, write_whole
from numbat.records import frozen

SINGLE = "numbat.html"
"""The name of the one file of `--single`, in the folder."""


@frozen
class SiteOptions:
    """What `numbat site` is asked for."""

    folder: str
    grammar: str
    pyodide: str
    single: bool
    base: str


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
    show_default=True,
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
@takes(SiteOptions)
def site(asked: SiteOptions) -> None:
    """Write the workbench as a page that runs wholly in the browser into DIR: files for a web server, or one file that
    can be sent, opened and used offline. The page has Python and Numbat in it, and asks no other server for anything.
    Node.js is needed here, not where the page is used.
    """
    from numbat.web.site.pages import (
        TESTED,
        beginning_with,
        check_folder,
        folder_pages,
        parts_of,
        single_page,
        version_of,
    )

    if asked.grammar == "-":
        raise UsageError("the page reads no standard input\n  name a grammar file, or a packaged grammar")
    check_base(asked.base)
    beginning = beginning_with(asked.grammar, asked.base)
    pyodide = Path(asked.pyodide)
    check_folder(pyodide)
    if (version := version_of(pyodide)) != TESTED:
        say(f"numbat: this is Pyodide {version or 'of no version'}; the page was tested with {TESTED}")
    say("numbat: compiling the modules of the page and reading its grammars, which takes half a minute")
    parts = parts_of(pyodide)
    pages = {SINGLE: single_page(parts, beginning)} if asked.single else folder_pages(parts, beginning)
    _write(Path(asked.folder), pages)
    size = sum(map(len, pages.values())) / 1_000_000
    name = Path(asked.folder, SINGLE if asked.single else "index.html")
    say(f"numbat: {name} is written, {size:.1f} MB" + ("" if asked.single else "; it has to come from a web server"))


def _write(folder: Path, pages: dict[str, bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in pages.items():
            write_whole(folder / name, content)
    except OSError as error:
        raise UnwritableError(str(error.filename or folder), reason(error)) from None
