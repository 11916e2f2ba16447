"""docs/architecture.md and docstrings name packages, modules, functions and classes that exist."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import numbat
from tests.test_architecture import FLOORS, MODULES, PACKAGE, PACKAGES, UPWARD, name_of, naming_relations, surface

ARCHITECTURE: Final = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")


def part(heading: str) -> str:
    """The text below a heading of docs/architecture.md."""
    return ARCHITECTURE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


# The document


def test_the_drawing_has_the_floors_of_the_tests() -> None:
    lines = [line.strip() for line in part("Floors").splitlines() if line.startswith("    ")]
    drawn = [set(re.split(r"\s{2,}", line)[0].split(" · ")) for line in lines]
    assert drawn == list(reversed(FLOORS))


def test_the_drawing_names_the_imports_that_go_up() -> None:
    paragraph = next(each for each in part("Floors").split("\n\n") if "need packages above their own" in each)
    named = re.findall(r"`([\w/]+)\.py`", paragraph)
    assert {each.replace("/", ".") for each in named} == {module for pair in UPWARD for module in pair}


ROWS: Final = [[cell.strip() for cell in line.strip("|").split("|")] for line in part("The map").splitlines()]
MAP: Final = {cells[0].strip("`"): cells[1:] for cells in ROWS if re.fullmatch(r"`\w+`", cells[0])}


def test_the_map_has_each_package() -> None:
    assert set(MAP) == {package.name for package in PACKAGES if package.parent == PACKAGE}


@pytest.mark.parametrize("package", MAP)
def test_the_names_of_the_map_can_be_imported_and_its_pages_read(package: str) -> None:
    _, begin, page = MAP[package]
    names = re.findall(r"`([\w.]+)`", begin)
    assert len(names) == 5
    for each in names:
        module, _, name = each.rpartition(".")
        assert callable(getattr(importlib.import_module(f"numbat.{package}.{module}"), name)), each
        assert module.partition(".")[0] in surface(PACKAGE / package), f"{package} does not declare {module}"
    pages = re.findall(r"\]\((\w+\.md)\)", page)
    assert pages
    assert all((PACKAGE.parent / "docs" / each).exists() for each in pages)


def test_the_drawing_of_the_readme_names_each_package() -> None:
    readme = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    drawing = readme.partition("## How it is built")[2].partition("\n\n\n")[0]
    lines = [line for line in drawing.splitlines() if line.startswith("    ")]
    assert [package for package in MAP if not re.search(rf"\b{package}\b", "\n".join(lines))] == []


def test_the_document_says_who_asks_for_a_relation_by_name() -> None:
    rows = re.findall(r"^\| (`.+`) \|", part("The way of a grammar"), re.M)
    named = [path for row in rows for path in re.findall(r"`([\w/]+)\.py`", row)]
    assert sorted(each.replace("/", ".") for each in named) == naming_relations()


# Docstrings and comments


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.relative_to(PACKAGE).as_posix())
def test_a_package_says_where_to_begin_and_names_its_modules(package: Path) -> None:
    told = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert re.search(r"\b[Bb]egin (with|here)\b", told)
    modules = {path.stem for path in package.glob("*.py")} | {path.parent.name for path in package.glob("*/*.py")}
    named = {name.partition(".")[0] for name in re.findall(r"`([\w.]+)`", told)}
    assert modules - {"__init__", package.name} - named == set()


OUTERMOST: Final = re.compile(r"(?:class|def) (\w+)|(\w+)(?:, \w+)*(?:: [^=]+)? = |(\w+): ")
INSIDE: Final = re.compile(r"    (?:def )?(\w+)|\s+self\.(\w+)(?:, self\.\w+)*(?:: [^=]+)? = ")


@cache
def defined() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the names that each module defines, and the members of each class, including inherited ones."""
    modules: dict[str, set[str]] = {}
    members: dict[str, set[str]] = {}
    bases: dict[str, set[str]] = {}
    for path in MODULES:
        names = modules[name_of(path)] = set()
        inside: set[str] = set()
        for line in path.read_text(encoding="utf-8").splitlines():
            if found := OUTERMOST.match(line):
                names.update(name for name in found.groups() if name)
                inside = members.setdefault(found[1], set()) if line.startswith("class ") else set()
                if line.startswith("class "):
                    bases.setdefault(found[1], set()).update(re.findall(r"\w+", line)[2:])
            elif found := INSIDE.match(line):
                inside.update(name for name in found.groups() if name)
    for name in members:
        waiting, seen = list(bases[name]), {name}
        while waiting:
            if (base := waiting.pop()) in members and base not in seen:
                seen.add(base)
                members[name] |= members[base]
                waiting += bases[base]
    modules[""] = set(numbat.__all__)
    return modules, members


def is_there(cited: str, module: str) -> bool:
    """Return True if a dotted name is that of a class, a module, or a name that the module defines."""
    modules, members = defined()
    first, *rest = cited.split(".")
    if first in members:
        return rest[0] in members[first]
    around = module.split(".") if first != "numbat" else []
    wanted = rest if first == "numbat" else [first, *rest]
    for depth in range(len(around) + 1):
        whole = [*around[:depth], *wanted]
        for end in range(len(whole) + 1):
            of, left = ".".join(whole[:end]), whole[end:]
            if of in modules and (end or first == "numbat") and (not left or left[0] in modules[of]):
                return len(left) < 2 or left[1] in members.get(left[0], left)
    return False


DOTTED: Final = re.compile(r"`([A-Za-z]\w*(?:\.\w+)+)(?:\(.*?\))?`", re.S)
FILE: Final = re.compile(r"\.(?:c|csv|js|json|lark|mjs|pg|py|R|tar|tsv|txt|zip|cells|part|journal|shard)$")
"""Suffixes of files; tests/test_decisions.py checks the paths in the project."""
OTHERS: Final = {"a", "click", "executor", "json", "read", "sys", "token"}
"""Roots of names that are not checked: libraries, functions of R, parameters without a type, an example."""


def missing_in(path: Path) -> list[str]:
    """Return the dotted names in the comments and docstrings of a module that do not exist, except parameters."""
    text = path.read_text(encoding="utf-8")
    return [
        cited
        for cited in DOTTED.findall(text)
        if not FILE.search(cited)
        and (first := cited.partition(".")[0]) not in OTHERS
        and not is_there(cited, name_of(path))
        and not re.search(rf"\b{first}: ", text)
    ]


def test_every_dotted_name_in_docstrings_and_comments_is_there() -> None:
    missing = {name_of(path): missing_in(path) for path in MODULES}
    assert {name: each for name, each in missing.items() if each} == {}


def test_dotted_names_are_found_and_missed() -> None:
    there = ("parsing.result.Parse", "numbat.Parser", "Parse.tree", "policies.Limits", "numbat.labels", "exact.items")
    assert [each for each in there if not is_there(each, "parsing.parser")] == []
    gone = ("commands.preparing", "parsing.result.No", "Parse.no_such", "items.BeamBudget", "numbat.treebank.reading")
    assert [each for each in gone if is_there(each, "parsing.parser")] == []
    assert sum(len(DOTTED.findall(path.read_text(encoding="utf-8"))) for path in MODULES) >= 80
