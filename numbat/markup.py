"""Text and HTML for all packages: aligned columns, tables, escaping, styles; display of results in notebooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple

from numbat.errors import columns, counted, visible


def aligned(rows: Sequence[Sequence[str]], numbers: int = 0) -> Iterator[str]:
    """Yield the rows of a table with columns of equal width; the last `numbers` columns are aligned to the right."""
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        room = [" " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)]
        first = len(row) - numbers
        yield "  ".join(room[i] + cell if i >= first else cell + room[i] for i, cell in enumerate(row)).rstrip()


def safe(text: str) -> str:
    """Return text escaped for HTML."""
    from html import escape  # here, because output on a terminal needs no HTML

    return escape(visible(text))


# The palette of `assets/colors.css`, light and dark

DARK: Final = "@media screen and (prefers-color-scheme: dark)"


def read(name: str) -> str:
    """Return a style, script or body of a page as text."""
    from importlib.resources import files

    return files("numbat").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def stand_alone(name: str) -> str:
    """Return a style for a drawing outside a page, with colours instead of their names.

    First the light colours, then the same rules with dark ones for readers who prefer these.
    """
    light, dark = map(_colours, read("colors.css").split(DARK))
    rules = read(name).strip()
    coloured = "\n".join(line for line in rules.splitlines() if "var(" in line)
    return f"{_filled(rules, light)}\n{DARK} {{\n{_filled(coloured, light | dark)}\n}}"


def _colours(sheet: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): ([^;]+);", sheet))


def _filled(rules: str, colours: dict[str, str]) -> str:
    return re.sub(r"var\(--([\w-]+)\)", lambda match: colours[match[1]], rules)


CLASS_N: Final = ' class="n"'


@cache
def _display_style() -> str:
    return f"{stand_alone('display.css')}\n{stand_alone('drawing.css')}"


def html_table(rows: Iterable[Sequence[str]], numbers: int = 0) -> Iterator[str]:
    """Yield rows as an HTML table; the first is its head unless empty; the last `numbers` columns are aligned right."""
    head, *others = rows
    yield "<table>"
    for kind, row in (*([("th", head)] if any(head) else []), *(("td", row) for row in others)):
        first = len(row) - numbers
        cells = (f"<{kind}{CLASS_N if i >= first else ''}>{safe(cell)}</{kind}>" for i, cell in enumerate(row))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</table>"


def paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{safe(text)}</p>' if kind else f"<p>{safe(text)}</p>"


MOST: Final = 20
"""Maximum number of parses, changed sentences or repairs that a notebook shows; it counts the others."""


def others_left(number: int, what: str) -> Iterator[str]:
    """Yield a line with the number of items that are not shown, if there are any."""
    if number > MOST:
        yield f"and {counted(number - MOST, f'other {what}')}"


class Displayed:
    """A result that a notebook shows as HTML, and a terminal or `print` as text.

    `SHOWN_BY` names the module whose `DISPLAYS` has both forms; it is loaded on first use.
    """

    __slots__ = ()
    SHOWN_BY: ClassVar[str]

    def __str__(self) -> str:
        return "\n".join(self._display().lines(self))

    def _repr_html_(self) -> str:
        body = "\n".join(self._display().html(self))
        return f'<div class="numbat-result">\n<style>\n{_display_style()}\n</style>\n{body}\n</div>'

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _display(self) -> Display:
        displays: Mapping[type, Display] = import_module(self.SHOWN_BY).DISPLAYS
        return next(display for kind, display in displays.items() if isinstance(self, kind))


class Display(NamedTuple):
    """Two forms of a result: HTML without its frame, and lines of text."""

    html: Callable[[Any], Iterable[str]]
    lines: Callable[[Any], Iterable[str]]
