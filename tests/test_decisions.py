"""Citations exist: rulings in docs/decisions.md, files in the project, and names in the modules cited for them.

The texts of the project are code, tests, documents and grammars. Rulings are searched in whole texts, paths only in
comments, docstrings and the prose of documents, not in examples, string literals and imports.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import pytest

from numbat.grammar.model import Semantics
from numbat.grammar.profiles import HEURISTICS, PROFILES
from numbat.grammar.relations import TABLE
from numbat.parsing.policies import VALUATIONS

T = TypeVar("T")

ROOT: Final = Path(__file__).parents[1]
DECISIONS: Final = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
RULINGS: Final = {int(number): title for number, title in re.findall(r"^### Ruling (\d+)\. (.+)$", DECISIONS, re.M)}

UNREAD: Final = {"__pycache__", "build", "dist", "venv"}
"""Folders made by tools; hidden ones except `.ci` are also left out."""
READ: Final = {".py", ".pyi", ".c", ".h", ".lark", ".md", ".pg", ".yaml", ".toml", ".cff"}
"""Suffixes of the texts of the project, without tables of words and counts."""


def files(folder: Path = ROOT) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        is_made = path.name in UNREAD or path.name.endswith(".egg-info")
        if is_made or (path.name.startswith(".") and path.name != ".ci"):
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


FILES: Final = tuple(path.relative_to(ROOT).as_posix() for path in files())
TEXTS: Final = tuple(ROOT / name for name in FILES if Path(name).suffix in READ or name.startswith(".ci/"))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def wrong(found_in: Callable[[Path], list[T]]) -> dict[str, list[T]]:
    """Return the wrong citations by file."""
    found = {path.relative_to(ROOT).as_posix(): found_in(path) for path in TEXTS}
    return {name: each for name, each in found.items() if each}


# Rulings

NUMBERS: Final = r"\d+(?:\s*(?:,|and|or|to|-|–)\s*(?:and\s+|or\s+)?\d+)*"
CITED: Final = re.compile(rf"\b[Rr]ulings?\s+({NUMBERS})\b")
RANGE: Final = re.compile(r"(\d+)(?:\s*(?:to|-|–)\s*(\d+))?")


def rulings_in(text: str) -> list[int]:
    """Return the rulings that a text cites, with those inside ranges; a line break may be anywhere."""
    flowing = re.sub(r"\s*\n[\s#/*]*", " ", text)
    ranges = [RANGE.findall(numbers) for numbers in CITED.findall(flowing)]
    return [n for found in ranges for first, last in found for n in range(int(first), int(last or first) + 1)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the filter of H3 (ruling 7).", [7]),
        ("Ruling 18 lists the profiles, rulings 1 and 3 the valuations", [18, 1, 3]),
        ("rulings 1-3, ruling\n# 12; rulings 4 to 6", [1, 2, 3, 12, 4, 5, 6]),
        ("rulings 1, 2 and 4; rulings 7–8", [1, 2, 4, 7, 8]),
        ("a ruling of 1999, no rulings", []),
    ],
)
def test_citations_of_rulings_are_found(text: str, found: list[int]) -> None:
    assert rulings_in(text) == found


def test_rulings_are_numbered_without_gap() -> None:
    assert list(RULINGS) == list(range(1, len(RULINGS) + 1))
    assert len(RULINGS) >= 20


def test_every_ruling_cited_exists() -> None:
    assert wrong(lambda path: [number for number in rulings_in(text_of(path)) if number not in RULINGS]) == {}


def test_the_code_cites_rulings() -> None:
    """Otherwise the test above would pass without checking anything."""
    cited = Counter(n for path in TEXTS if path.suffix == ".py" for n in rulings_in(text_of(path)))
    assert cited.total() >= 60
    assert len(cited) >= 15


def test_every_ruling_says_where_the_code_does_it() -> None:
    for part in re.split(r"^### Ruling ", DECISIONS, flags=re.M)[1:]:
        body = part.partition("\n## ")[0]
        _, said, where = body.partition("**In the code**: ")
        assert said, body.splitlines()[0]
        assert paths_in(where.partition("\n\n")[0]), body.splitlines()[0]


def test_the_definitions_cover_what_the_code_has() -> None:
    """Relations, switches with their choices, heuristics, profiles and valuations."""
    relations = {relation.name for row in TABLE for relation in row.variants.values()}
    switches = {name for row in TABLE for name in (row.switch, *row.variants) if name} | set(Semantics().switches)
    named = relations | {f"`{name}`" for name in (*switches, *PROFILES, *VALUATIONS)}
    named |= {f"| {name} {title.partition(':')[0]} |" for name, title in HEURISTICS.items()}
    assert {name for name in named if name not in DECISIONS} == set()


# Files

SUFFIX: Final = r"(?:md|pyi?|c|h|lark|cff|toml)"
PATH: Final = re.compile(
    rf"(?<![\w./*<>{{}}$~-])(?:(?:numbat|tests|docs|grammars|corpora)/[\w./-]*[\w/]|(?:[\w-]+/)*\w[\w-]*\.{SUFFIX})(?![\w*{{}}<>(])"
)
"""A path from the root of the project, or a file of code or documentation. Paths of grammars and tables count only from
the root, because examples may have such files of users."""
FENCE: Final = re.compile(r"^```.*?^```$", re.M | re.S)


def paths_in(text: str) -> list[str]:
    return PATH.findall(text)


def is_there(cited: str) -> bool:
    """True if a file or folder has this path, from the root or from any folder: `parsing/result.py`, `oracle.py`."""
    return any(f"/{cited.rstrip('/')}/" in f"/{file}/" for file in FILES)


@cache
def told(path: Path) -> str:
    """Return the prose of a file: comments and docstrings of Python, documents without code blocks."""
    text = text_of(path)
    if path.suffix == ".md":
        return FENCE.sub("", text)
    if path.suffix in (".pg", ".yaml"):
        return "\n".join(re.findall(r"#.*", text))
    if path.suffix not in (".py", ".pyi"):
        return text
    comments = [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    strings = [
        node.value.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return "\n".join([*comments, *strings])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see docs/decisions.md.", ["docs/decisions.md"]),
        (
            "`numbat/grammar/` and `tests/oracle.py`, `_automata.c`",
            ["numbat/grammar/", "tests/oracle.py", "_automata.c"],
        ),
        ("`parsing/result.py`; X.md", ["parsing/result.py", "X.md"]),
        ("english.pg:31, mine.pg, suite.tsv, numbat.parsing.result", []),
        ("grammars/anbn.pg", ["grammars/anbn.pg"]),
    ],
)
def test_cited_paths_are_found(text: str, found: list[str]) -> None:
    assert paths_in(text) == found


def test_a_path_that_is_not_there_is_missed() -> None:
    assert all(map(is_there, ("numbat/grammar/", "tests/oracle.py", "grammar/model.py", "oracle.py", "search.md")))
    assert not any(map(is_there, ("numbat/no_such/", "docs/no_such.md", "no_such.py", "racle.py", "tests/search.md")))


def test_every_file_cited_exists() -> None:
    assert wrong(lambda path: [cited for cited in paths_in(told(path)) if not is_there(cited)]) == {}


NAMED: Final = re.compile(
    r"(?<![\w`])((?:`[A-Za-z_][\w.]*`(?:, | and |, and | or ))*`[A-Za-z_][\w.]*`) (?:in|of) `([\w/.-]+\.pyi?)`"
)
"""Names that a text says are in a module: "`UNIT` and `Property.place` in `numbat/grammar/properties.py`"."""


def names_in(text: str) -> list[tuple[str, str]]:
    """Return the names that a text places in a module, each with the module; a line break may be anywhere."""
    flowing = re.sub(r"\s*\n[\s#/*]*", " ", text)
    return [(name, path) for names, path in NAMED.findall(flowing) for name in re.findall(r"`([\w.]+)`", names)]


@cache
def defined_in(path: Path) -> frozenset[str]:
    """Return the names that a module defines, with the members of classes: `Grammar`, `Grammar.is_root`."""
    return frozenset(_defined(ast.parse(text_of(path)).body, ""))


def _defined(body: list[ast.stmt], before: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield before + node.name
        if isinstance(node, ast.ClassDef):
            yield from _defined(node.body, f"{before}{node.name}.")
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        yield from (before + each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))


def is_defined(name: str, cited: str) -> bool:
    return any(name in defined_in(ROOT / file) for file in FILES if f"/{file}".endswith(f"/{cited}"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`UNIT` and `MAX_SIZE` in\n`grammar/a.py`;", [("UNIT", "grammar/a.py"), ("MAX_SIZE", "grammar/a.py")]),
        ("for `counting: property` `counted` in `a.py`", [("counted", "a.py")]),
        ("`A.b`, `c` and `d` in `x.py`", [("A.b", "x.py"), ("c", "x.py"), ("d", "x.py")]),
        ("a row in `TABLE` of `relations.py`", [("TABLE", "relations.py")]),
        ("`A` is said in `x.py`, `B` in `x/`", []),
    ],
)
def test_names_placed_in_a_module_are_found(text: str, found: list[tuple[str, str]]) -> None:
    assert names_in(text) == found


def test_a_name_that_is_imported_there_is_not_defined_there() -> None:
    here = "numbat/grammar/properties.py"
    assert all(is_defined(name, here) for name in ("UNIT", "Property.operands", "Property.place", "format_number"))
    assert not any(is_defined(name, here) for name in ("Span", "BUILT_IN_BY_NAME", "Property.no_such", "place"))


def test_every_name_is_defined_in_the_module_that_is_cited_for_it() -> None:
    assert wrong(lambda path: [each for each in names_in(told(path)) if not is_defined(*each)]) == {}


def test_names_in_modules_are_cited() -> None:
    """Otherwise the test above would pass without checking anything."""
    assert sum(len(names_in(told(path))) for path in TEXTS) >= 25


def test_files_are_cited() -> None:
    """Otherwise the test above would pass without checking anything."""
    cited = Counter(path.suffix for path in TEXTS for _ in paths_in(told(path)))
    assert cited[".md"] >= 100
    assert cited[".py"] >= 20
    assert cited[".pg"] >= 10


# Files and names that are not in the project

OUTSIDE: Final = re.compile(r"\b(?:REFERENCE|DESIGN|STYLE\.md)\b|(?<![\w/-])(?:\.\./)*shared/")
"""Names of notes outside the project, and the folder that they lie in."""
UNNAMED_SECTION: Final = re.compile(r"(?<!\d{4}, )\bsection \d")
"""A section without its publication; "Canisius et al. 2006, section 4" is complete."""


def test_nothing_outside_is_cited() -> None:
    found = wrong(lambda path: OUTSIDE.findall(text_of(path)) + UNNAMED_SECTION.findall(text_of(path)))
    assert found.keys() == {"tests/test_decisions.py"}  # which must name what it searches for


def test_notes_outside_would_be_found() -> None:
    cited = ("(REFERENCE section 2)", "DESIGN.md", "see ../shared/STYLE.md", "shared/x")
    assert all(OUTSIDE.search(text) for text in cited)
    assert not any(OUTSIDE.search(text) for text in ("a shared design", "references:", "shared.pg", "<STYLE>"))
    assert UNNAMED_SECTION.search("as section 2 says")
    assert not UNNAMED_SECTION.search("(Canisius et al. 2006, section 4)")
