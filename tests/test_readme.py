"""The README and the pages of `docs/` are executed: commands with their output, Python, grammars by loading them.

A block whose paragraph says "Save this as `name`" is a file in the folder where the others run. The language of a block
decides how it is tested: `console` has lines `$ command` and their output, `python` is a session, `pg` and `yaml` a
grammar or an exercise without errors and warnings, `sh` one of the two set-up commands, which are compared with
`.ci/run` and not executed here.

    python tests/test_readme.py          # writes the current output into the pages; check it before you commit
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click
import pytest

import numbat
from numbat import errors
from numbat.acceptability.exercises import check_exercise
from numbat.cli.main import cli
from numbat.grammar.checks import check
from numbat.grammar.loading import packaged
from numbat.grammar.model import Semantics
from numbat.grammar.profiles import ELECTIONS, HEURISTICS, PROFILES
from numbat.grammar.relations import TABLE
from numbat.parsing.parser import ENGINES
from numbat.parsing.policies import VALUATIONS
from tests.fork_server import serving

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
DOCUMENTS = (
    *PAGES,
    *(ROOT / name for name in ("CHANGELOG.md", "corpora/README.md", "grammars/README.md", "models/README.md")),
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"Save\s+this\s+as\s+`([^`]+)`")
LANGUAGES = {"console", "python", "pg", "yaml", "tsv", "text", "sh"}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its page, language, text, first line, and the file to save it as."""

    page: Path
    language: str
    text: str
    line: int
    file: str = ""


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        paragraph = text[: match.start()].rstrip("\n").rpartition("\n\n")[2]
        saved = None if paragraph.endswith("```") else SAVED.search(paragraph)
        line = text.count("\n", 0, match.start()) + 2
        yield Block(page, match[1], match[2], line, saved[1] if saved else "")


TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCKS = tuple(block for page in PAGES for block in blocks(page))


def of(*languages: str) -> pytest.MarkDecorator:
    """One test for each block in one of the languages, named by its page and line."""
    chosen = [
        pytest.param(block, id=f"{block.page.stem}-{block.line}") for block in BLOCKS if block.language in languages
    ]
    return pytest.mark.parametrize("block", chosen)


@contextmanager
def furnished(folder: Path) -> Iterator[Path]:
    """Write the files that a page says to save, and a command `numbat` that runs this code."""
    for block in BLOCKS:
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")
    command = folder / "bin" / "numbat"
    command.parent.mkdir()
    with serving(command):
        yield folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with furnished(tmp_path_factory.mktemp("readme")) as path:
        yield path


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output below it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def output_of(command: str, folder: Path) -> str:
    """Return the output of a command in a shell, on both streams, without blank lines at the end."""
    environment = os.environ | {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", "")))),
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.stdout.rstrip("\n") + "\n"


def test_the_picture_of_the_readme_is_what_the_program_draws(folder: Path) -> None:
    drawn = output_of('numbat parse -f svg "These cat sleeps on mat the."', folder)
    assert drawn == (ROOT / "docs" / "first-parse.svg").read_text(encoding="utf-8").rstrip("\n") + "\n"


@cache
def printed_by_commands(path: Path, folder: Path) -> list[tuple[int, str, str, str]]:
    """Return for each command of a page its line, the command, the expected output, and the actual output.

    The blocks are run in order and once, because one may use the files of another.
    """
    console = [block for block in BLOCKS if block.page == path and block.language == "console"]
    said = [(block.line, *both) for block in console for both in commands_of(block)]
    return [(line, command, output, output_of(command, folder)) for line, command, output in said]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_commands_print_what_the_page_says(path: Path, folder: Path) -> None:
    printed = printed_by_commands(path, folder)
    assert [(line, command, found) for line, command, _, found in printed] == [
        (line, command, output.rstrip("\n") + "\n") for line, command, output, _ in printed
    ]


OF_EXTRAS: Final = {
    block: name for block in BLOCKS for name in ("spacy",) if block.text.startswith(f">>> import {name}\n")
}
"""Python blocks that begin with a library which the tests do not install; each is a separate session."""


def session(
    folder: Path, report: Callable[[Block, doctest.Example, str], None], blocks: Iterable[Block] | None = None
) -> None:
    """Run all Python blocks that need no further library as one session, and report the output of each example."""
    names: dict[str, object] = {}
    with chdir(folder):
        for block in BLOCKS if blocks is None else blocks:
            if block.language != "python" or (blocks is None and block in OF_EXTRAS):
                continue
            test = doctest.DocTestParser().get_doctest(
                block.text, names, block.page.name, str(block.page), block.line - 1
            )

            class Runner(doctest.DocTestRunner):
                def report_start(self, out: object, test: doctest.DocTest, example: doctest.Example) -> None:
                    pass

                def report_success(self, out: object, test: object, example: doctest.Example, got: str) -> None:
                    report(block, example, got)  # noqa: B023

                def report_failure(self, out: object, test: object, example: doctest.Example, got: str) -> None:
                    report(block, example, got)  # noqa: B023

                def report_unexpected_exception(
                    self, out: object, test: object, example: doctest.Example, exc_info: object
                ) -> None:
                    report(block, example, f"raised {exc_info}")  # noqa: B023

            Runner(verbose=False).run(test, clear_globs=False)
            names = test.globs


def test_python_prints_what_the_readme_says(folder: Path) -> None:
    printed: list[tuple[Path, int, str, str]] = []
    said: list[tuple[Path, int, str, str]] = []

    def report(block: Block, example: doctest.Example, got: str) -> None:
        line = block.line + example.lineno
        printed.append((block.page, line, example.source, got))
        said.append((block.page, line, example.source, example.want))

    for path in {block.page for block in BLOCKS if block.language == "python"}:
        printed_by_commands(path, folder)  # in another process than theirs this test has none of their files
    session(folder, report)
    assert len(printed) == TEXT.count("\n>>> ") - sum(f"\n{block.text}".count("\n>>> ") for block in OF_EXTRAS)
    assert printed == said


@pytest.mark.parametrize("block", OF_EXTRAS, ids=OF_EXTRAS.values())
def test_python_of_an_extra_prints_what_the_page_says(block: Block, folder: Path) -> None:
    pytest.importorskip(OF_EXTRAS[block], reason=f"install the extra {OF_EXTRAS[block]}")
    printed: list[tuple[str, str]] = []
    said: list[tuple[str, str]] = []

    def report(_: Block, example: doctest.Example, got: str) -> None:
        printed.append((example.source, got))
        said.append((example.source, example.want))

    session(folder, report, [block])
    assert len(printed) == f"\n{block.text}".count("\n>>> ")
    assert printed == said


@of("pg", "yaml")
def test_grammars_and_exercises_have_neither_mistakes_nor_doubts(block: Block, folder: Path) -> None:
    if block.text.startswith("exercise:"):
        path = folder / "block.exercise.yaml"
        path.write_text(block.text, encoding="utf-8")
        checked = check_exercise(str(path))
        assert (checked.errors, checked.warnings) == ((), ())
        return
    path = folder / (block.file or f"block.{block.language}")
    grammar = numbat.parse_grammar(block.text, str(path))
    assert grammar.constructions or grammar.features
    assert check(grammar, str(path)) == []


def test_every_block_is_of_a_language_that_is_tested() -> None:
    assert {block.language for block in BLOCKS} <= LANGUAGES
    assert [block.line for block in BLOCKS if block.language in ("tsv", "text") and not block.file] == []
    assert TEXT.count("\n```") == 2 * len(BLOCKS)


def test_there_are_two_set_up_commands_and_ci_calls_the_second() -> None:
    first, second = (block.text for block in BLOCKS if block.language == "sh")
    assert first.count("\n") == second.count("\n") == 1
    assert first.rstrip().endswith('numbat parse "The cats sleeps."')
    assert second.rstrip().endswith("pytest")
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines(keepends=True)
    assert lines.count(second) == 1


# Missing parts of the pages


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def missing(words: set[str], text: str) -> set[str]:
    return {word for word in words if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)}


def test_the_notation_section_has_every_word_of_the_notation() -> None:
    lark = (ROOT / "numbat" / "grammar" / "notation.lark").read_text(encoding="utf-8")
    keywords = set(re.findall(r'^[A-Z]+: "(\w+)"$', lark, re.MULTILINE))
    assert len(keywords) > 30
    assert missing(keywords, page("notation")) == set()


def test_the_notation_section_has_every_relation_and_switch() -> None:
    text = page("notation")
    rows = [relation for row in TABLE for relation in row.variants.values()]
    assert missing({relation.name for relation in rows}, text) == set()
    signs = {sign for relation in rows for sign in (relation.symbol, *relation.aliases)}
    assert {sign for sign in signs if sign not in text} == set()
    switches = {name for row in TABLE for name in (row.switch, *row.variants) if name}
    assert missing(switches | set(Semantics().switches), text) == set()


def test_the_readme_has_every_command_option_and_exit_code() -> None:
    text = TEXT
    assert isinstance(cli, click.Group)
    for command in cli.commands.values():
        options = {
            name for param in command.params if isinstance(param, click.Option) for name in param.opts if name != "-n"
        }
        assert missing(options, text) == set()
    assert missing({f"numbat {name}" for name in cli.commands}, text) == set()
    codes = {
        str(error.exit_code)
        for error in vars(errors).values()
        if isinstance(error, type) and issubclass(error, errors.NumbatError) and error is not errors.NumbatError
    }
    assert {code for code in codes if f"| {code} |" not in text} == set()


def test_the_readme_has_every_profile_election_valuation_heuristic_and_engine() -> None:
    text = page("search")
    assert missing({*PROFILES, *ELECTIONS, *VALUATIONS, *HEURISTICS, *ENGINES}, text) == set()
    for profile in PROFILES.values():
        heuristics = " ".join(sorted(profile.heuristics))
        row = re.search(rf"^\| `{profile.name}`.*$", text, re.MULTILINE)
        assert row is not None
        assert f"| {heuristics}" in row[0]
        assert f"| `{profile.election}` |" in row[0]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_between_documents_leads_somewhere(document: Path) -> None:
    links = [link.partition("#") for link in LINK.findall(prose(document)) if "://" not in link]
    missing_files = {name for name, _, _ in links if name and not (document.parent / name).exists()}
    assert missing_files == set()
    assert {
        f"{name}#{anchor}"
        for name, _, anchor in links
        if anchor and anchor not in anchors(document.parent / name if name else document)
    } == set()


def prose(document: Path) -> str:
    return FENCE.sub("", document.read_text(encoding="utf-8"))


def anchors(document: Path) -> set[str]:
    """The headings as links name them: lower case, blanks as hyphens, no other marks."""
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in HEADING.findall(prose(document))}


def test_the_readme_has_every_packaged_grammar() -> None:
    assert {name for name in packaged() if f"`{name}`" not in TEXT} == set()


def test_the_readme_has_every_public_name() -> None:
    assert missing(set(numbat.__all__), page("python")) == set()


def main() -> None:
    """Write the present output of all blocks into their pages."""
    texts = {path: path.read_text(encoding="utf-8") for path in PAGES}

    def put(block: Block, source: str, old: str, new: str) -> None:
        if old.rstrip("\n") != new.rstrip("\n"):
            blank = "\n" * (len(old) - len(old.rstrip("\n")) - 1)
            texts[block.page] = texts[block.page].replace(source + old, source + new + blank)

    with TemporaryDirectory() as name, furnished(Path(name)) as folder:
        for block in BLOCKS:
            for command, output in commands_of(block) if block.language == "console" else ():
                put(block, f"$ {command}\n", output, output_of(command, folder))

        def put_printed(block: Block, example: doctest.Example, got: str) -> None:
            put(block, prompted(example.source), example.want, got)

        session(folder, put_printed)
        for block, name in OF_EXTRAS.items():
            if find_spec(name) is not None:
                session(folder, put_printed, [block])
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


def prompted(source: str) -> str:
    lines = source.splitlines()
    return "".join(f"{'... ' if i else '>>> '}{line}".rstrip() + "\n" for i, line in enumerate(lines))


if __name__ == "__main__":
    os.environ |= {"NUMBAT_CACHE": "off", "SOURCE_DATE_EPOCH": "1767225600"}  # as in the tests: runs have one date
    main()
