"""Files and error messages of `numbat site`, tested without a browser and without Pyodide."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest

from numbat.files import packaged_folder
from numbat.workbench import facade, serving
from numbat.workbench.site import pages as site_parts
from numbat.workbench.site.in_pyodide import UNWANTED, prepare
from numbat.workbench.site.pages import beginning_with, folder_pages, single_page
from tests.command_line import failure

ROOT = Path(__file__).parents[1]
PARTS = {"modules.tar": gzip.compress(b"modules"), "pyodide.mjs": gzip.compress(b"export const one = 1;")}
EVIL = '# </script><script>alert(1)</script> <!--\nleaves: N\nNP:\n    uniq N\nlexicon:\n    "<b>": N\n'


class Elements(HTMLParser):
    """The elements of a page: their names with attributes, and the text in each."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.is_inside = False
        self.found: list[tuple[str, dict[str, str], str]] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_inside = True
        self.found.append((tag, {name: value or "" for name, value in attrs}, ""))

    def handle_endtag(self, tag: str) -> None:
        self.is_inside = False

    def handle_data(self, data: str) -> None:
        if self.found and self.is_inside:
            tag, attributes, text = self.found[-1]
            self.found[-1] = tag, attributes, text + data

    def of(self, tag: str) -> list[tuple[dict[str, str], str]]:
        return [(attributes, text) for name, attributes, text in self.found if name == tag]

    def policy(self) -> dict[str, list[str]]:
        (stated,) = (each["content"] for each, _ in self.of("meta") if "http-equiv" in each)
        return {words[0]: words[1:] for words in (each.split() for each in stated.split(";"))}


def digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    file = tmp_path / "evil.pg"
    file.write_text(EVIL, encoding="utf-8")
    return file


def test_one_file_has_all_parts_and_runs_one_script(evil: Path) -> None:
    elements = Elements(single_page(PARTS, beginning_with(str(evil))))
    data = {each["id"]: text for each, text in elements.of("script") if "id" in each}
    assert {name: gzip.decompress(b64decode(data[f"part-{name}"])) for name in PARTS} == {
        "modules.tar": b"modules",
        "pyodide.mjs": b"export const one = 1;",
    }
    site = json.loads(data["site"])
    assert site["own"] == {"main": "evil.pg", "files": {"evil.pg": EVIL}}
    assert site["parts"] == ["modules.tar", "pyodide.mjs"]
    scripts = dict(json.loads(gzip.decompress(b64decode(data["scripts"]))))
    assert set(scripts) == {*(name for name in serving.names() if name.endswith(".js")), "pyodide_worker.js"}
    (run,) = (text for each, text in elements.of("script") if not each)
    policy = elements.policy()
    assert policy["script-src"] == [digest(run), "blob:", "'wasm-unsafe-eval'"]
    assert policy["style-src"] == [digest(text) for _, text in elements.of("style")]
    assert policy["default-src"] == ["'none'"]
    assert "connect-src" not in policy
    assert [each for _, each, _ in elements.found if "src" in each or each.get("href", "data:,") != "data:,"] == []


def test_scripts_stand_behind_what_they_import() -> None:
    elements = Elements(single_page(PARTS, beginning_with("english-np")))
    (packed,) = (text for each, text in elements.of("script") if each.get("id") == "scripts")
    seen: set[str] = set()
    for name, text in json.loads(gzip.decompress(b64decode(packed))):
        assert set(re.findall(r'from "\./([\w.]+)"', text)) <= seen
        assert not re.search(r'import\("\./', text), f"{name} imports by a call, which one file does not have"
        seen.add(name)
    assert "main.js" in seen


def test_a_folder_has_the_files_that_its_page_names(evil: Path) -> None:
    pages = folder_pages(PARTS, beginning_with(str(evil)))
    elements = Elements(pages["index.html"])
    named = [each["src"] for each, _ in elements.of("script") if "src" in each]
    named += [each["href"] for each, _ in elements.of("link") if each["rel"] == "stylesheet"]
    assert {*named, *(f"{name}.part" for name in PARTS), "pyodide_worker.js"} <= set(pages)
    assert elements.policy()["connect-src"] == ["'self'"]
    assert "'unsafe-inline'" not in str(elements.policy())
    assert elements.of("script")[-1][0]["id"] == "site"


def test_the_licences_of_all_that_is_in_a_page_stand_in_it() -> None:
    page = single_page(PARTS, beginning_with("english-np")).decode()
    for words in ("Mozilla Public License 2.0", "PYTHON SOFTWARE FOUNDATION LICENSE", "Attribution-ShareAlike 4.0"):
        assert words in page
    assert re.search(r"\nlark \d.*?Permission is hereby granted", page, re.DOTALL)
    assert re.search(r"\nPyYAML \d.*?Kirill Simonov", page, re.DOTALL)
    assert "Marijn Haverbeke" in page


def test_what_a_page_begins_with_is_known_before_python_starts(evil: Path) -> None:
    packaged, own = beginning_with("english-np.pg", "https://example.org/"), beginning_with(str(evil))
    assert (packaged["grammar"], packaged["own"], packaged["base"]) == ("english-np", None, "https://example.org/")
    assert [(each["call"], each["given"]) for each in packaged["known"]] == [
        ("grammars", {}),
        ("packaged", {"name": "english-np"}),
    ]
    assert packaged["known"][1]["answer"]["main"] == "english-np.pg"
    assert (own["grammar"], [each["call"] for each in own["known"]]) == ("", ["grammars"])
    exercise = next(packaged_folder("exercises").glob("*.exercise.yaml"))
    known = beginning_with(str(exercise))["known"]
    assert known[1]["given"] == {"name": exercise.name, "text": exercise.read_text("utf-8")}
    assert known[1]["answer"]["name"] == exercise.name


def test_pyodide_is_pinned_by_digest_and_no_host_is_named() -> None:
    lock = json.loads((ROOT / "tools" / "browser_python" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert lock["node_modules/pyodide"]["version"] == lock[""]["dependencies"]["pyodide"] == site_parts.TESTED
    assert all(each.get("integrity") for name, each in lock.items() if name)
    assert not [name for name, each in lock.items() if "resolved" in each]


def test_a_folder_without_pyodide_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert failure(capsys, 66, "site", str(tmp_path / "out"), "--pyodide", str(tmp_path)) == (
        f"{tmp_path}/pyodide.mjs is missing, so this is not a folder of Pyodide\n"
        "  run `npm install pyodide@314.0.7`, and name the folder node_modules/pyodide"
    )
    assert not (tmp_path / "out").exists()


BEGUN = (
    "this is Pyodide of an unknown version; the page was tested with 314.0.7\n"
    "numbat: compiling the modules of the page and reading its grammars; this takes half a minute\nnumbat: "
)
"""Messages before the work begins, if the folder looks like one of Pyodide."""


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    """A folder whose files have the names of those of Pyodide."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    for name in (*site_parts.PROGRAMS, site_parts.LIBRARY):
        (folder / name).write_bytes(b"export {};")
    (folder / site_parts.LOCK).write_text('{"info": {"version": "1"}, "packages": {"numpy": {}}}', encoding="utf-8")
    return folder


def test_without_node_no_page_is_written(
    tmp_path: Path, pyodide: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert failure(capsys, 2, "site", str(tmp_path / "out"), "--pyodide", str(pyodide)) == (
        f"{BEGUN}the page needs Node.js to compile its modules\n  install Node.js 18 or later"
    )


def test_what_node_says_of_another_pyodide_is_told(
    tmp_path: Path, pyodide: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    node = tmp_path / "node"
    node.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('first\\nloadPyodide is not a function')\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert failure(capsys, 65, "site", str(tmp_path / "out"), "--pyodide", str(pyodide)) == (
        f"{BEGUN}{pyodide}: this Pyodide cannot prepare the page: loadPyodide is not a function\n"
        "  use version 314.0.7, and Node.js 18 or later"
    )


def test_a_list_of_packages_that_is_none_is_told(
    tmp_path: Path, pyodide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pyodide / site_parts.LOCK).write_text("{}", encoding="utf-8")
    assert failure(capsys, 65, "site", str(tmp_path / "out"), "--pyodide", str(pyodide)) == (
        f"{BEGUN}pyodide-lock.json: this is not a lock file of Pyodide\n  install Pyodide again"
    )


def test_a_page_reads_no_standard_input(tmp_path: Path, pyodide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert failure(capsys, 2, "site", str(tmp_path), "--pyodide", str(pyodide), "--grammar", "-") == (
        "the page cannot read standard input\n  name a grammar file, or a packaged grammar"
    )


def test_a_place_that_cannot_be_written_is_told(
    tmp_path: Path, pyodide: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: dict[str, Any] = {name: gzip.compress(b"") for name in site_parts.PROGRAMS}
    monkeypatch.setattr(site_parts, "parts_of", lambda folder: made)
    (tmp_path / "file").touch()
    said = failure(capsys, 73, "site", str(tmp_path / "file" / "out"), "--pyodide", str(pyodide))
    assert said == (
        f"{BEGUN}{tmp_path}/file/out: cannot be written: Not a directory\n"
        "  give another place with write permission and space"
    )


def test_the_modules_that_a_page_needs_are_found_by_their_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules that the roots import anywhere become bytecode; others are removed, and data stay."""
    monkeypatch.setattr(sys, "path", [*sys.path])  # it puts the modules first, where spawned processes would find them
    modules, library, out = (tmp_path / name for name in ("modules", "library", "out"))
    for folder in (modules / "numbat" / "workbench", library, out):
        folder.mkdir(parents=True)
    for place, text in {
        "numbat/__init__.py": "",
        "numbat/workbench/__init__.py": "",
        "numbat/workbench/facade.py": "def answer():\n    from numbat.workbench import far\n    import used.deep\n",
        "numbat/workbench/far.py": "import unittest\n",
        "numbat/workbench/near.py": "",
        "numbat/workbench/words.tsv": "a\tN\n",
    }.items():
        (modules / place).write_text(text, encoding="utf-8")
    (library / "used").mkdir()
    for place in ("used/__init__.py", "used/deep.py", "used/other.py", "unittest.py", "unused.py"):
        (library / place).write_text("", encoding="utf-8")
    prepare(str(modules), str(library), str(out), ())
    assert sorted(path.relative_to(modules).as_posix() for path in modules.rglob("*.*")) == [
        "numbat/__init__.pyc",
        "numbat/workbench/__init__.pyc",
        "numbat/workbench/facade.pyc",
        "numbat/workbench/far.pyc",
        "numbat/workbench/words.tsv",
    ]
    assert sorted(path.relative_to(library).as_posix() for path in library.rglob("*.*")) == [
        "used/__init__.pyc",
        "used/deep.pyc",
    ]


def test_a_worker_looks_for_newer_requests_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """It calls `look` at the first check after each pause, and never again after `look` returned True."""
    clock, looks = iter((0.0, 0.01, 0.04, 0.05, 0.06, 0.09, 0.1)), iter((False, True))
    monkeypatch.setattr(facade, "monotonic", lambda: next(clock))
    is_superseded = facade.looking_now_and_then(lambda: next(looks))
    assert [is_superseded() for _ in range(5)] == [False, False, False, True, True]
    assert next(clock, None) is None


WITHOUT: Final = """
import subprocess
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if any(name == each or name.startswith(each + ".") for each in sys.argv[1:]):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refused())
from numbat.workbench.facade import Facade
print(Facade().answer({"call": "packaged", "given": {"name": "anbn"}})["answer"]["main"])
"""


def test_the_page_answers_without_the_modules_that_it_leaves_out() -> None:
    """A test in a browser takes long, and a page that does not start shows no reason."""
    done = subprocess.run([sys.executable, "-c", WITHOUT, *UNWANTED], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("anbn.pg\n", "")
