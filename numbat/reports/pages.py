"""The common parts of HTML pages, which need no network: beginning and end, data, run record."""

from __future__ import annotations

import json
from typing import Any, Final

from numbat.markup import read, safe
from numbat.runs.record import RunRecord, run_line

HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'{scripts}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
"""
SCRIPTS: Final = "; script-src 'unsafe-inline'"
END: Final = "</body>\n</html>\n"
NO_SCRIPT: Final = (
    '<noscript><p class="note">This page draws its tables and trees with JavaScript: please switch it on. '
    "It loads nothing from elsewhere.</p></noscript>\n"
)


def page(title: str, styles: tuple[str, ...], body: str, record: RunRecord | None = None) -> str:
    """Return a page without a script, with additional `styles` (names of files), `body` as HTML, and the run record."""
    return f"{opening(title, *styles)}<h1>{safe(title)}</h1>\n{body}{closing(record)}"


def scripted_page(title: str, name: str, content: dict[str, Any], record: RunRecord | None = None) -> str:
    """Return a page that a script draws from `content`; style, body and script are packaged files called `name`."""
    data = f'<script id="data" type="application/json">{inert(content)}</script>\n'
    script = f'<script>\n"use strict";\n{read("boxes.js")}{read(f"{name}.js")}</script>\n'
    head = opening(title, *SHEETS.get(name, ()), f"{name}.css", scripts=SCRIPTS)
    return f"{head}{NO_SCRIPT}{read(f'{name}.html')}{footer(record)}{data}{script}{END}"


OPENED: Final = 10
"""Number of sections of a page that are open at first."""
SHEETS: Final = {"suite": ("designs.css",)}
"""Additional style sheets for pages that a script draws, by name of the page."""


def opening(title: str, *styles: str, scripts: str = "") -> str:
    """Return the beginning of a page, up to its body; `scripts` is what its security policy allows beyond styles."""
    shared = ("colors.css", "page.css", *styles)
    return HEAD.format(title=safe(title), style="".join(map(read, shared)), scripts=scripts)


def closing(record: RunRecord | None) -> str:
    """Return the record of the run and the end of a page."""
    return footer(record) + END


def unfolded(section: str, number: int) -> str:
    """Return section `number` of a page, from 1: one of the first is opened, the others open at a click."""
    return section.replace("<details>", "<details open>", 1) if number <= OPENED else section


def footer(record: RunRecord | None) -> str:
    """Return the record of a run as HTML: a line, and the whole record, which a click shows; nothing for None."""
    if record is None:
        return ""
    lines = json.dumps(record.as_json(), ensure_ascii=False, indent=1).split("\n")
    whole = "\n".join(map(safe, lines))
    line = safe(run_line(record))
    return f'<footer><details class="run"><summary>Run: {line}</summary><pre>{whole}</pre></details></footer>\n'


def inert(content: dict[str, Any]) -> str:
    """Return data as JSON for a script element in a page, without characters that could end the element."""
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
