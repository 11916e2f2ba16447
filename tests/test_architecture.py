"""docs/architecture.md, held by imports: which floor may use which, and where third-party libraries live."""

from __future__ import annotations

import ast
import graphlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from numbat.grammar.relations import BUILT_IN_BY_NAME

PACKAGE = Path(__file__).parents[1] / "numbat"
MODULES: Final = sorted(PACKAGE.rglob("*.py"))

FLOORS: Final = (
    {
        "clock",
        "errors",
        "version",
        "native",
        "files",
        "markup",
        "records",
        "settings",
        "sheets",
        "derivations",
    },
    {"statistics", "grammar"},
    {"words"},
    {"evaluation"},
    {"automata"},
    {"parsing"},
    {"runs"},
    {"reports"},
    {"treebanks", "corpus"},
    {"labels", "structure"},
    {"acceptability"},
    {"experiments", "parses"},
    {"learning"},
    {"languages"},
    {"authoring"},
    {"workbench", "spacy"},
    {"editor"},
    {"cli"},
    {"__main__"},
)
"""Rooms by floor, from the ground up; a module may import from its room and from lower floors."""
GROUND: Final = FLOORS[0]
LEVELS: Final = {room: level for level, floor in enumerate(FLOORS) for room in floor}

LIBRARIES: Final = {
    "lark": {"grammar", "corpus.query_notation"},
    "yaml": {"grammar"},
    "sentencex": {"runs.sentences"},
    "networkx": {"parsing.explanation.json_format", "parsing.result", "authoring.report"},
    "click": {"cli"},
    "pandas": {"parsing.explanation.json_format"},
    "polars": {"parsing.explanation.json_format"},
    "numpy": {
        *("statistics", "labels", "acceptability", "structure", "learning", "experiments"),
        *("treebanks.judgement", "treebanks.material"),
    },
    "scipy": {"statistics", "learning", "structure"},
    "distributed": {"runs.cluster"},
    "dask": {"runs.cluster"},
    "pygls": {"editor.server"},
    "cattrs": {"editor.server"},
    "lsprotocol": {"editor"},
    "pygments": {"editor.colours"},
    "pyarrow": {"corpus.parquet"},
    "openpyxl": {"sheets"},
    "spacy": {"spacy"},
}
"""The rooms, packages or modules in which a third-party library may be imported."""
WHEN_CALLED: Final = {"networkx", "sentencex", "numpy", "scipy", "distributed", "dask", "pyarrow", "openpyxl"}
"""Libraries that are imported in functions only."""

UPWARD: Final = {
    ("parsing.result", "treebanks.dependencies"),
    ("parsing.sentence_parser", "runs.piping"),
    ("parsing.sentence_parser", "runs.pool"),
}
"""The exceptions: the methods `Parse.to_conllu` and `Parser.pipe` use packages of higher floors."""

HEAVY: Final = {"lark", "yaml", "networkx", "sentencex", "numpy", "scipy", "distributed", "dask"}

MAX_MODULE_LINES: Final = 800
SMALL_MODULE_LINES: Final = 50
MAX_SMALL_MODULES: Final = 15
"""Maximal number of small modules besides `__init__`, because a file should cover a whole subject."""
MAX_FUNCTION_LINES: Final = 60


@dataclass(frozen=True)
class Import:
    """One imported module: `inside` a function, or for the `types` only."""

    module: str
    imported: str
    inside: bool
    types: bool

    def __str__(self) -> str:
        return f"{self.module} imports {self.imported}"


def name_of(path: Path) -> str:
    """`parsing.result`; the package itself is empty."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def room(module: str) -> str:
    return module.split(".")[0]


@cache
def imports_of(path: Path) -> tuple[Import, ...]:
    def visit(node: ast.AST, inside: bool, types: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(name_of(path), alias.name, inside, types)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            base = node.module or ""
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                is_module = any((PACKAGE.parent / whole.replace(".", "/")).with_suffix(s).exists() for s in (".py", ""))
                yield Import(name_of(path), whole if is_module else base, inside, types)
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        types = types or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside, types)

    return tuple(visit(ast.parse(path.read_text(encoding="utf-8")), False, False))


def own(every: Iterable[Import]) -> list[Import]:
    """Return the imports of this package, without the prefix `numbat.`"""
    return [
        Import(each.module, each.imported.removeprefix("numbat."), each.inside, each.types)
        for each in every
        if each.imported.split(".")[0] == "numbat"
    ]


def test_every_room_is_on_a_floor() -> None:
    assert {room(name_of(path)) for path in MODULES} - {""} <= set(LEVELS)


def for_each(paths: Sequence[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """Return a decorator: one test of all modules, as a test for each of hundreds takes more time than what it does."""

    def over_all(check: Callable[[Path], None]) -> Callable[[], None]:
        def test() -> None:
            wrong = {}
            for path in paths:
                try:
                    check(path)
                except AssertionError as error:
                    wrong[name_of(path) or "numbat"] = str(error)
            assert wrong == {}

        test.__doc__ = check.__doc__
        return test

    return over_all


@for_each(MODULES)
def test_imports_go_down(path: Path) -> None:
    """Rooms of one floor do not import each other, except on the ground floor, which is one room of several files."""
    module = name_of(path)
    if not module:  # `numbat/__init__.py` names modules for type checkers; it imports them lazily
        assert {each.imported for each in own(imports_of(path)) if not each.types} == {"version"}
        return
    upward = [
        str(each)
        for each in own(imports_of(path))
        if room(each.imported) != room(module)
        and not LEVELS[room(each.imported)] < LEVELS[room(module)]
        and not {room(each.imported), room(module)} <= GROUND
        and not ((each.inside or each.types) and (module, each.imported) in UPWARD)
    ]
    assert upward == []


def test_the_exceptions_are_few_and_still_needed() -> None:
    assert len(UPWARD) <= 3
    modules = ("parsing/result", "parsing/sentence_parser")
    found = {(e.module, e.imported) for m in modules for e in own(imports_of(PACKAGE / f"{m}.py"))}
    assert found >= UPWARD


def naming_relations() -> list[str]:
    """Return the modules, except the table of relations, whose code mentions a built-in relation by name."""
    quoted = re.compile("|".join(f'"{name}"' for name in BUILT_IN_BY_NAME))
    texts = {name_of(path): path.read_text(encoding="utf-8") for path in MODULES}
    return sorted(
        module
        for module, text in texts.items()
        if module != "grammar.relations"
        and quoted.search(text)
        and any(isinstance(node, ast.Constant) and node.value in BUILT_IN_BY_NAME for node in ast.walk(ast.parse(text)))
    )


def test_few_modules_ask_for_a_relation_by_name() -> None:
    """A new relation must be added to these modules; docs/architecture.md gives the reasons."""
    assert naming_relations() == [
        "acceptability.mistakes",
        "acceptability.verdicts",
        "authoring.checking",
        "editor.colours",
        "grammar.names",
        "structure.proposals",
        "structure.report",
        "treebanks.example_phrases",
        "treebanks.featured",
        "treebanks.induce",
        "treebanks.telling",
    ]


PARSING: Final = (
    {"policies"},
    {"analysis"},
    {"explanation", "phases", "exact", "treebank_grammar"},
    {"tree_model", "preferences"},
    {"result"},
    {"sentence_parser"},
    {"parser", "treebank_parser"},
    {"diagnoses", "queries"},
    {"start_checks"},
)
"""The parts of parsing from the ground up; parts of one floor do not import each other."""


@for_each([path for path in MODULES if name_of(path).startswith("parsing.")])
def test_imports_inside_parsing_go_down(path: Path) -> None:
    levels = {part: level for level, floor in enumerate(PARSING) for part in floor}
    module = name_of(path).split(".")
    upward = []
    for each in own(imports_of(path)):
        imported = each.imported.split(".")
        if imported[0] == "parsing" and len(imported) > 1 and imported[1] != module[1]:
            upward += [str(each)] if levels[imported[1]] >= levels[module[1]] else []
    assert upward == []


def test_there_is_no_circle_of_modules() -> None:
    """With few exceptions, no module imports itself through others, at the top, in a function or for types."""
    needs: dict[str, set[str]] = {name_of(path): set() for path in MODULES if name_of(path)}
    for path in MODULES:
        for each in own(imports_of(path)):
            if each.imported in needs and each.module in needs and (each.module, each.imported) not in UPWARD:
                needs[each.module].add(each.imported)
    order = graphlib.TopologicalSorter(needs)
    order.prepare()  # raises CycleError, which names the circle


def surface(package: Path) -> set[str]:
    """Return the names in `__all__` of a package."""
    for node in ast.parse((package / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


PACKAGES: Final = sorted({path.parent for path in MODULES} - {PACKAGE})


def test_packages_are_entered_by_what_they_declare() -> None:
    """Of another package only those modules or names are imported that its `__all__` has."""
    hidden = []
    for path in MODULES:
        for each in imports_of(path):
            parts = each.imported.split(".")
            for depth in range(2, len(parts)):
                package = PACKAGE.parent.joinpath(*parts[:depth])
                if parts[0] == "numbat" and package in PACKAGES and package not in path.parents:
                    hidden += [str(each)] if parts[depth] not in surface(package) else []
    assert hidden == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_what_a_package_declares_is_there(package: Path) -> None:
    text = (package / "__init__.py").read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    given = {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(text))  # a name that is loaded late is imported for types
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    modules = {path.stem for path in package.glob("*.py")} | {path.name for path in package.iterdir() if path.is_dir()}
    assert surface(package) <= given | modules


@for_each(MODULES)
def test_third_party_libraries_stay_in_their_rooms(path: Path) -> None:
    for each in imports_of(path):
        library = each.imported.split(".")[0]
        if library == "numbat" or library in sys.stdlib_module_names:
            continue
        assert library in LIBRARIES, f"{each}: no library that docs/architecture.md knows"
        assert {each.module, each.module.rpartition(".")[0], room(each.module)} & LIBRARIES[library], str(each)
        assert each.types or each.inside or library not in WHEN_CALLED, f"{each} on import"


def test_the_rule_about_libraries_is_about_what_is_there() -> None:
    used = {each.imported.split(".")[0] for path in MODULES for each in imports_of(path)}
    assert {"lark", "yaml", "networkx", "click"} <= used


def test_a_class_name_has_one_meaning() -> None:
    named = Counter(
        node.name
        for path in MODULES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, times in named.items() if times > 1] == []


@for_each(MODULES)
def test_modules_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_MODULE_LINES
    functions = [
        (node.name, node.lineno, (node.end_lineno or 0) - node.lineno + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert [each for each in functions if each[-1] > MAX_FUNCTION_LINES] == []


def test_few_modules_are_small() -> None:
    lengths = {name_of(p): len(p.read_text(encoding="utf-8").splitlines()) for p in MODULES if p.stem != "__init__"}
    small = [module for module, lines in lengths.items() if lines < SMALL_MODULE_LINES]
    assert len(small) <= MAX_SMALL_MODULES, small


# Imports at the start of the program


def started(cache: Path, *arguments: str) -> tuple[str, set[str]]:
    """The output of `python -m numbat`, and the modules that it imports."""
    environment = os.environ | {"NUMBAT_CACHE": str(cache)}
    command = [sys.executable, "-X", "importtime", "-m", "numbat", *arguments]
    done = subprocess.run(
        command, env=environment, cwd=PACKAGE.parent, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return done.stdout, {line.split("|")[-1].strip() for line in lines}


def test_parsing_with_a_grammar_that_was_read_before_imports_nothing_heavy(tmp_path: Path) -> None:
    cold, read_by = started(tmp_path, "parse", "The cat sleeps")
    assert "lark" in read_by
    warm, imported = started(tmp_path, "parse", "The cat sleeps")
    assert warm == cold
    assert {"numbat", "click"} <= imported
    assert not imported & HEAVY


def test_help_imports_nothing_heavy_and_nothing_of_parsing(tmp_path: Path) -> None:
    printed, imported = started(tmp_path, "--help")
    assert printed.startswith("Usage: ")
    assert not imported & HEAVY
    assert not list(tmp_path.iterdir())


LATER: Final = {
    "html", "numbat.parses.parts", "numbat.acceptability.verbs", "numbat.runs.journal", "numbat.runs.pool",
    "numbat.reports.pages", "numbat.parsing.explanation.json_format", "numbat.parsing.phases",
    "numbat.parsing.treebank_grammar", "numbat.grammar.notation", "numbat.treebanks.conllu",
    "numbat.acceptability.suite", "numbat.labels",
}  # fmt: skip
"""Modules that are not imported to parse a sentence with a cached grammar for a terminal."""


def test_a_sentence_for_a_terminal_loads_nothing_of_other_verbs_and_formats(tmp_path: Path) -> None:
    started(tmp_path, "parse", "The cat sleeps.")
    printed, imported = started(tmp_path, "parse", "The cat sleeps.")
    assert "full parse" in printed
    assert not imported & LATER


@pytest.mark.parametrize(
    "module", ["numbat", "numbat.parsing.phases.phases", "numbat.grammar.model", "numbat.words.lattice"]
)
def test_importing_does_nothing(module: str) -> None:
    """No file is read, no library of a room below is loaded, nothing is printed."""
    unwanted = {*HEAVY, "click", "logging"}
    code = f"import sys, {module}; print(sorted({unwanted!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


EACH_ALONE: Final = """
import sys
from importlib import import_module


def load(modules):
    for module in modules:
        try:
            import_module(module)
        except ModuleNotFoundError as error:  # an extra that is not installed
            if error.name.partition(".")[0] == "numbat":
                raise


load(GROUND)
for floor in FLOORS:
    for room, modules in floor.items():
        before = set(sys.modules)
        load(modules)
        loaded = {name for name in set(sys.modules) - before if name.startswith("numbat.")}
        others = {name.split(".")[1] for name in loaded} - {room}
        if others:
            print(room, "loads", *sorted(others))
        if len(floor) > 1:  # so that its neighbours find it as little as it found them
            for name in loaded:
                del sys.modules[name]
    if len(floor) > 1:
        load(module for modules in floor.values() for module in modules)
"""


def test_a_subject_loads_nothing_of_its_neighbours_and_of_higher_floors() -> None:
    """With all modules of lower floors loaded, importing the modules of a room loads nothing else."""
    rooms: dict[str, list[str]] = {}
    for path in MODULES:
        if (module := name_of(path)) and room(module) not in GROUND | {"__main__"}:
            rooms.setdefault(room(module), []).append(f"numbat.{module}")
    ground = [f"numbat.{each}" for each in sorted(GROUND)]
    floors = [{each: rooms[each] for each in sorted(floor)} for floor in FLOORS[1:-1]]
    code = EACH_ALONE.replace("GROUND", repr(ground)).replace("FLOORS", repr(floors))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert (done.stdout, done.stderr) == ("", "")
