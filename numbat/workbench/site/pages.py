"""Assembles the page that runs in the browser alone, as the files of a folder or as one file.

The one file holds scripts and parts as packed data; a short script, the only one that the page's policy allows, unpacks
the scripts. Texts of grammars and sentences are in the page only as JSON without `<`.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import tarfile
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from hashlib import sha256
from html import escape
from importlib.metadata import Distribution, distributions
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from numbat.acceptability.exercises import exercise_of, is_exercise
from numbat.errors import DataError, MissingFileError, UsageError
from numbat.files import MODELS, grammar_folders, models, packaged_folder
from numbat.grammar.loading import SUFFIXES, find, packaged
from numbat.workbench import serving
from numbat.workbench.facade import Facade
from numbat.workbench.folder import Folder

IMPORT: Final = re.compile(r'\bfrom "\./([\w.]+)"')
"""Import of another script of the page; `unpack.js` has the same pattern."""
STYLE: Final = re.compile(r'<link rel="stylesheet" href="([\w.]+)">')
MAIN: Final = re.compile(r'<script type="module" src="([\w.]+)"></script>')
CHARSET: Final = '<meta charset="utf-8">'
LOOKS: Final = "site.css"
WORKER: Final = "pyodide_worker.js"
UNPACK: Final = "unpack.js"
NO_SERVER: Final = "from_file.js"
OWN: Final = (LOOKS, WORKER, UNPACK, NO_SERVER)
"""Files that a page of `numbat serve` does not have."""
COMMON: Final = "default-src 'none'; img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'"
"""Common part of the security policies of both kinds of page."""
FOLDER_POLICY: Final = f"{COMMON}; script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'"


def folder_pages(parts: Mapping[str, bytes], beginning: Beginning) -> dict[str, bytes]:
    """Return the files of a folder for a web server, by name."""
    index = _with_policy(_page(parts, beginning), FOLDER_POLICY)
    index = MAIN.sub(lambda match: f'<script src="{NO_SERVER}"></script>\n{match[0]}', index)
    names = {*serving.names(), *OWN} - {serving.INDEX, UNPACK}
    others = {name: _text(name).encode() for name in sorted(names)}
    return {serving.INDEX: index.encode(), **others, **{f"{name}.part": content for name, content in parts.items()}}


def single_page(parts: Mapping[str, bytes], beginning: Beginning) -> bytes:
    """Return one file with everything in it, which a browser opens from the disk."""
    page = _page(parts, beginning)
    styles, unpack, (main,) = [_text(name) for name in STYLE.findall(page)], _text(UNPACK), MAIN.findall(page)
    scripts = f"script-src {_digest(unpack)} blob: 'wasm-unsafe-eval'"
    page = _with_policy(page, f"{COMMON}; {scripts}; style-src {' '.join(map(_digest, styles))}")
    packed = gzip.compress(json.dumps([*_in_order(main), (WORKER, _text(WORKER))]).encode(), 9, mtime=0)
    data = [_data(f"part-{name}", content) for name, content in parts.items()]
    ending = "\n".join([*data, _data("scripts", packed), f"<script>{unpack}</script>", "</body>"])
    page = page.replace("<html ", '<html data-single="" ')
    page = STYLE.sub(lambda match: f"<style>{_text(match[1])}</style>", MAIN.sub("", page))
    return page.replace("</body>", ending).encode()


def _page(parts: Mapping[str, bytes], beginning: Beginning) -> str:
    """Return the page of the workbench with its beginning and all licences."""
    site = _json({**beginning, "parts": sorted(parts)})
    details = (
        f"<details><summary>Licences of the software in this page</summary><pre>{escape(licences())}</pre></details>"
    )
    ending = f'<footer>{details}</footer>\n<script type="application/json" id="site">{site}</script>\n</body>'
    page = _text(serving.INDEX).replace('data-backend="http"', 'data-backend="pyodide"')
    return page.replace("</head>", f'<link rel="stylesheet" href="{LOOKS}">\n</head>').replace("</body>", ending)


def _with_policy(page: str, policy: str) -> str:
    return page.replace(CHARSET, f'{CHARSET}\n<meta http-equiv="Content-Security-Policy" content="{policy}">')


def _in_order(main: str) -> list[tuple[str, str]]:
    """Return a script and all scripts that it imports, each after those that it imports itself."""
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
    return files("numbat.workbench").joinpath("site" if name in OWN else "page", name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    """Return JSON that is safe inside an element of a page."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _data(name: str, content: bytes) -> str:
    return f'<script type="application/octet-stream" id="{name}">{b64encode(content).decode()}</script>'


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


# The Python parts of the page: Pyodide, the standard library, Numbat with its grammars; each compressed by gzip

PROGRAMS: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
"""Files of Pyodide that go into a page unchanged."""
LIBRARY: Final = "python_stdlib.zip"
LOCK: Final = "pyodide-lock.json"
TESTED: Final = "314.0.7"
"""Version of Pyodide that the tests use."""
PACKAGES: Final = ("lark", "yaml")
"""Dependencies of Numbat in a page, of which only the Python files are used."""
CODE: Final = (".py", ".lark")
DATA: Final = (".pg", ".yaml", ".tsv")
PATIENCE: Final = 600.0
"""Time limit in seconds for the work under Node.js, which usually takes twenty."""


def parts_of(folder: Path, grammars: Iterable[str] | None = None) -> dict[str, bytes]:
    """Return the parts of a page by name, with the Pyodide in a folder; the same input gives the same bytes.

    `grammars` are cached in the page, so that they open quickly; None means all packaged ones.
    Raises MissingFileError, UsageError if Node.js is missing, and DataError for a Pyodide that does not work.
    """
    check_folder(folder)
    contents = {name: (folder / name).read_bytes() for name in PROGRAMS}
    contents[LOCK] = _short_lock((folder / LOCK).read_bytes())
    contents |= _prepared(folder, packaged() if grammars is None else grammars)
    return {name: gzip.compress(content, 9, mtime=0) for name, content in contents.items()}


def check_folder(folder: Path) -> None:
    """Raise MissingFileError for a folder without Pyodide."""
    for name in (*PROGRAMS, LIBRARY, LOCK):
        if not (folder / name).is_file():
            raise MissingFileError(
                f"{folder / name} is missing, so this is not a folder of Pyodide\n"
                f"  run `npm install pyodide@{TESTED}`, and name the folder node_modules/pyodide"
            )


def version_of(folder: Path) -> str:
    """Return the version of the Pyodide in a folder; empty if it is unknown."""
    try:
        return str(json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _short_lock(content: bytes) -> bytes:
    """Return the lock file of Pyodide without packages, because a page loads nothing from another server."""
    try:
        info = json.loads(content)["info"]
    except (ValueError, LookupError, TypeError):
        raise DataError(f"{LOCK}: this is not a lock file of Pyodide\n  install Pyodide again") from None
    return json.dumps({"info": info, "packages": {}}).encode()


def _prepared(folder: Path, grammars: Iterable[str]) -> Mapping[str, bytes]:
    """Return the modules of Python and Numbat as files prepared inside Pyodide."""
    node = shutil.which("node")
    if node is None:
        raise UsageError("the page needs Node.js to compile its modules\n  install Node.js 18 or later")
    here = Path(__file__).parent
    with TemporaryDirectory() as place:
        modules, out = Path(place, "given.tar"), Path(place, "out")
        out.mkdir()
        with tarfile.open(modules, "w") as archive:
            for path, name in sorted(sources(), key=lambda pair: pair[1]):
                archive.add(path, name)
        arguments = (folder, modules, here / "in_pyodide.py", out, *grammars)
        command = [node, str(here / "prepare.mjs"), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["it gives no reason"])[-1]
            raise DataError(
                f"{folder}: this Pyodide cannot prepare the page: {last[:500]}\n"
                f"  use version {TESTED}, and Node.js 18 or later"
            )
        return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def sources() -> Iterator[tuple[Path, str]]:
    """Yield each file of Numbat and of its dependencies with its path in the page."""
    for package in ("numbat", *PACKAGES):
        folder = _folder_of(package)
        for path in _files_below(folder):
            if path.suffix in CODE:
                yield path, f"{package}/{path.relative_to(folder).as_posix()}"
    folders = [(folder, "grammars") for folder in grammar_folders()]
    folders += [(packaged_folder("corpora"), "corpora"), (packaged_folder("exercises"), "exercises")]
    for data, name in folders:
        for path in _files_below(data):
            if path.suffix in DATA:
                yield path, f"numbat/{name}/{path.relative_to(data).as_posix()}"


def _files_below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [folder for folder in folders if folder != "__pycache__"]
        yield from (Path(place, name) for name in names)


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None, f"Numbat runs with {package}"
    return Path(str(spec.origin)).parent


# The contents of the page before Python has started

Beginning = dict[str, Any]


def beginning_with(grammar: str, base: str = "") -> Beginning:
    """Return the beginning of a page: a packaged grammar, a grammar file with the files that it names, or an exercise.

    `own` has the files, `grammar` the name of a packaged grammar, `known` requests with their answers. Shared links
    begin with `base`; if it is empty, with the address of the page. Raises MissingFileError and DataError.
    """
    path = Path(grammar)
    requests: list[Beginning] = [{"call": "grammars", "given": {}}]
    user_files = None
    if find(grammar) == path:
        files = {file.name: file.text for file in Folder(path.absolute().parent, path.name).grammar()}
        user_files = {"main": path.name, "files": files}
        if is_exercise(path.name):
            exercise_of(files[path.name], path.name)
            requests.append({"call": "exercise", "given": {"name": path.name, "text": files[path.name]}})
    else:
        name = path.stem if path.suffix in SUFFIXES else grammar
        requests.append({"call": "packaged", "given": {"name": name}})
    facade = Facade()
    known = [{**request, "answer": facade.answer(request)["answer"]} for request in requests]
    return {"grammar": "" if user_files else name, "own": user_files, "base": base, "known": known}


# Licences of everything in the page, as one text

DISTRIBUTIONS: Final = ("numbat-pg", "lark", "PyYAML")
"""Distributions whose licences the page shows, besides those of the models; Numbat's include that of the editor."""
RULE: Final = "\n\n" + "-" * 40 + "\n\n"


def licences() -> str:
    """Return the texts of all licences, each under the name of its software."""
    pyodide = files("numbat.workbench").joinpath("site", "pyodide.txt").read_text(encoding="utf-8")
    texts = (text for name in DISTRIBUTIONS for text in _of(name))
    return RULE.join([*texts, *_of_models(), f"Pyodide\n\n{pyodide}"])


def _of_models() -> Iterator[str]:
    """Yield the licences of models, from the folder of a checkout or from the installed distribution."""
    models_folder = models()
    if models_folder is None or models_folder.folder not in grammar_folders():
        return
    beside = sorted((models_folder.folder.parent / "LICENSES").glob("*.txt"))
    if beside:
        heading = f"{MODELS} {models_folder.version}"
        yield from (f"{heading}\n\n{path.read_text(encoding='utf-8').strip()}" for path in beside)
    else:
        yield from _of(MODELS)


def _of(name: str) -> Iterator[str]:
    for distribution in distributions(name=name):  # one in a source folder, without licences, may come first
        if texts := list(_texts(distribution)):
            yield from (f"{name} {distribution.version}\n\n{text.strip()}" for text in texts)
            return
    yield f"{name}: see the licence in its sources"


def _texts(distribution: Distribution) -> Iterator[str]:
    for path in distribution.files or ():
        is_licence = "licenses" in path.parts or path.name.upper().startswith(("LICENSE", "LICENCE", "COPYING"))
        if is_licence and path.parts[0].endswith(".dist-info"):
            yield path.read_text(encoding="utf-8")
