"""The verbs doctor and man, about the installation and for the manual page."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import click

from numbat import native
from numbat.cli.options import HEADINGS, Option, Verb, format_option, verb
from numbat.cli.printing import write_in_form, write_out
from numbat.errors import UsageError, close_match, installing
from numbat.files import MODELS, models, packaged_folder
from numbat.grammar import cache
from numbat.records import frozen
from numbat.reports.report import Items, Line, Member, Members, Part, attributes, report
from numbat.version import __version__

LIBRARIES: Final = {"lark": "", "PyYAML": "", "networkx": "", "click": ""} | {
    "sentencex": "text",
    "numpy": "sequence",
    "scipy": "statistics",
    "distributed": "cluster",
    "pygls": "editor",
    "pyarrow": "parquet",
    "openpyxl": "excel",
    "spacy": "spacy",
    MODELS: "models",
}
"""Libraries and models that Numbat uses, with their extras."""


@frozen
class Library:
    """A library: its version, None if it is missing, and the extra that installs it, empty if it is always needed."""

    name: str
    version: str | None
    extra: str


@frozen
class Cache:
    """Cache of grammars: its folder, None if it is switched off, and its contents."""

    folder: str | None
    files: int = 0
    bytes: int = 0
    is_writable: bool = False


@verb("doctor", "numbat doctor", "numbat doctor -f json")
@format_option("text", "json")
def doctor(form: str) -> None:
    """Show what is installed: versions, compiled modules, libraries of extras and how to add missing ones, the cache of
    grammars, and the folders of packaged files.
    """
    from numbat.reports.answers import Answer

    libraries, cached = libraries_found(), cache_found()
    write_in_form(form, Answer(installed(libraries, cached)))


def libraries_found() -> list[Library]:
    """Return all libraries that Numbat uses."""
    return [Library(name, _version_of(name), extra) for name, extra in LIBRARIES.items()]


def _version_of(name: str) -> str | None:
    if name == MODELS:
        module = models()
        return None if module is None else module.version
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def cache_found() -> Cache:
    """Return the state of the cache; a missing folder is writable if it can be made."""
    folder = cache.folder()
    if folder is None:
        return Cache(None)
    sizes = [file.stat().st_size for file in folder.iterdir() if file.is_file()] if folder.is_dir() else []
    path = next((parent for parent in (folder, *folder.absolute().parents) if parent.exists()), folder)
    return Cache(str(folder), len(sizes), sum(sizes), os.access(path, os.W_OK | os.X_OK))


def folders() -> dict[str, str]:
    """Return the folders of packaged files, by contents."""
    schemas = Path(__file__).parents[1] / "editor"
    return {"grammars": str(packaged_folder("grammars")), "schemas": str(schemas)}


@report("numbat.doctor/1")
def installed(libraries: list[Library], cached: Cache) -> Iterator[Part]:
    """Return the report of doctor."""
    python, system = platform.python_version(), f"{platform.system()} {platform.machine()}"
    yield Member("version", __version__, f"numbat {__version__}, Python {python}, {system}")
    yield Members({"python": python, "platform": system})
    yield Items("compiled", [tuple(_compiled(kernel)) for kernel in native.kernels()])
    yield Items("libraries", [tuple(_library(library)) for library in libraries])
    text = "cache: switched off by NUMBAT_CACHE"
    if cached.folder is not None:
        state = "" if cached.is_writable else "; it cannot be written, so grammars are read again at every start"
        text = f"cache: {cached.folder}, {cached.files:,} files, {cached.bytes / 1_000_000:.1f} MB{state}"
    yield Member("cache", attributes(cached, "folder", "files", "bytes", "is_writable"), text)
    yield Member("folders", folders(), [f"{what}: {folder}" for what, folder in folders().items()])


def _compiled(kernel: native.Kernel) -> Iterator[Part]:
    yield Line(f"{kernel.work}: {kernel.state}" + (f", {kernel.reason}; {kernel.slower}" if kernel.reason else ""))
    yield Members({"work": kernel.work, "state": kernel.state, "reason": kernel.reason})


def _library(library: Library) -> Iterator[Part]:
    extra = f" (extra {library.extra})" if library.extra else ""
    state = library.version or f"missing; {installing(library.extra)}"
    if library.name == MODELS and library.version not in (None, __version__):
        state += f", not of this version; {installing(library.extra)}"
    yield Line(f"{library.name}{extra}: {state}")
    yield Members({"name": library.name, "version": library.version, "extra": library.extra})


# man


@verb("man", "numbat man > numbat.1", "numbat man parse > numbat-parse.1")
@click.argument("name", metavar="[COMMAND]", nargs=-1)
def man(name: tuple[str, ...]) -> None:
    """Print the manual page of a COMMAND, or of all, made from the help, for man(1). man finds it in a folder man1 of
    MANPATH.
    """
    root = click.get_current_context().find_root()
    command: click.Command = root.command
    for number, word in enumerate(name):
        names = command.commands if isinstance(command, click.Group) else {}
        if word not in names:
            hint = close_match(word, names) or "numbat -h lists the commands"
            raise UsageError(f'"{" ".join(name[: number + 1])}" is not a command\n  {hint}')
        command = names[word]
    title = " ".join(("numbat", *name))
    write_out("\n".join(page_lines(title, command, click.Context(command, info_name=title))))


def page_lines(name: str, command: click.Command, context: click.Context) -> Iterator[str]:
    """Return the lines of the manual page of a command, in the macros of man(7)."""
    about = " ".join((command.help or "").replace("\b", "").split())
    yield f'.TH "{name.replace(" ", "-").upper()}" 1 "" "numbat {__version__}" "Numbat"'
    yield from (".SH NAME", _plain(f"{name.replace(' ', '-')} - {about.partition('. ')[0].rstrip('.')}"))
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (".SH SYNOPSIS", f".B {_plain(name)}", _plain(usage), ".SH DESCRIPTION", _plain(about))
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        for word, subcommand in command.commands.items():
            yield from (".TP", f".B {_plain(f'{name} {word}')}", _plain(subcommand.get_short_help_str(200)))
    options = [param for param in command.params if isinstance(param, Option)]
    for heading in HEADINGS:
        rows = [option.get_help_record(context) for option in options if option.under == heading]
        yield from (f'.SH "{heading.upper()}"',) if rows else ()
        for row in rows:
            if row is not None:
                yield from (".TP", f".B {_plain(row[0])}", _plain(row[1]))
    if isinstance(command, Verb):
        yield from (".SH EXAMPLES", ".nf", *map(_plain, command.examples), ".fi")
    if command.epilog:
        _, *codes = command.epilog.replace("\b", "").strip().split("\n")
        yield from (".SH EXIT STATUS", ".nf", *map(_plain, codes), ".fi")


def _plain(text: str) -> str:
    """Return a line of text with the signs of roff escaped."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
