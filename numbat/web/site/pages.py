"""Puts a page together that runs wholly in the browser: as the files of a folder, or as one file.

The one file has scripts and parts as data, packed; a short script, the only one that the page's policy lets run,
unpacks the scripts. What a grammar or a sentence says is never part of the page but as JSON without `<`.
"""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any, Final

from numbat.web.serving import assets
from numbat.web.site.beginning import Beginning
from numbat.web.site.licences import licences

IMPORT: Final = re.compile(r'\bfrom "\./([\w.]+)"')
"""How a script of the page names another one; `unpack.js` replaces the same."""
STYLE: Final = re.compile(r'<link rel="stylesheet" href="([\w.]+)">')
MAIN: Final = re.compile(r'<script type="module" src="([\w.]+)"></script>')
CHARSET: Final = '<meta charset="utf-8">'
LOOKS: Final = "site.css"
WORKER: Final = "pyodide_worker.js"
UNPACK: Final = "unpack.js"
NO_SERVER: Final = "from_file.js"
OWN: Final = (LOOKS, WORKER, UNPACK, NO_SERVER)
"""The files that a page of `numbat serve` does not have."""
COMMON: Final = "default-src 'none'; img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'"
"""What the page of either kind may load and run."""
FOLDER_POLICY: Final = f"{COMMON}; script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'"


def folder_pages(parts: Mapping[str, bytes], beginning: Beginning) -> dict[str, bytes]:
    """The files of a folder for a web server, by name."""
    index = _with_policy(_page(parts, beginning), FOLDER_POLICY)
    index = MAIN.sub(lambda found: f'<script src="{NO_SERVER}"></script>\n{found[0]}', index)
    names = {*assets.names(), *OWN} - {assets.INDEX, UNPACK}
    others = {name: _text(name).encode() for name in sorted(names)}
    return {assets.INDEX: index.encode(), **others, **{f"{name}.part": content for name, content in parts.items()}}


def single_page(parts: Mapping[str, bytes], beginning: Beginning) -> bytes:
    """One file with everything in it, which a browser opens from the disk."""
    page = _page(parts, beginning)
    styles, unpack, (main,) = [_text(name) for name in STYLE.findall(page)], _text(UNPACK), MAIN.findall(page)
    scripts = f"script-src {_digest(unpack)} blob: 'wasm-unsafe-eval'"
    page = _with_policy(page, f"{COMMON}; {scripts}; style-src {' '.join(map(_digest, styles))}")
    packed = gzip.compress(json.dumps([*_in_order(main), (WORKER, _text(WORKER))]).encode(), 9, mtime=0)
    data = [_data(f"part-{name}", content) for name, content in parts.items()]
    ending = "\n".join([*data, _data("scripts", packed), f"<script>{unpack}</script>", "</body>"])
    page = page.replace("<html ", '<html data-single="" ')
    page = STYLE.sub(lambda found: f"<style>{_text(found[1])}</style>", MAIN.sub("", page))
    return page.replace("</body>", ending).encode()


def _page(parts: Mapping[str, bytes], beginning: Beginning) -> str:
    """The page of the workbench with its beginning and the licences of what is in it."""
    site = _json({**beginning, "parts": sorted(parts)})
    told = f"<details><summary>Licences of what is in this page</summary><pre>{escape(licences())}</pre></details>"
    ending = f'<footer>{told}</footer>\n<script type="application/json" id="site">{site}</script>\n</body>'
    page = _text(assets.INDEX).replace('data-backend="http"', 'data-backend="pyodide"')
    return page.replace("</head>", f'<link rel="stylesheet" href="{LOOKS}">\n</head>').replace("</body>", ending)


def _with_policy(page: str, policy: str) -> str:
    return page.replace(CHARSET, f'{CHARSET}\n<meta http-equiv="Content-Security-Policy" content="{policy}">')


def _in_order(main: str) -> list[tuple[str, str]]:
    """A script and all that it imports, each behind those that it needs itself."""
    needs: dict[str, list[str]] = {}
    waiting = [main]
    while waiting:
        name = waiting.pop()
        if name not in needs:
            needs[name] = IMPORT.findall(_text(name))
            waiting += needs[name]
    try:
        return [(name, _text(name)) for name in TopologicalSorter(needs).static_order()]
    except CycleError as error:
        raise AssertionError(f"scripts of the page import each other: {error.args[1]}") from None


def _text(name: str) -> str:
    return files("numbat.web").joinpath("site" if name in OWN else "page", name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    """JSON that ends no element and opens none, wherever it stands in a page."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _data(name: str, content: bytes) -> str:
    return f'<script type="application/octet-stream" id="{name}">{b64encode(content).decode()}</script>'


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
