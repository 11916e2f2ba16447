"""The README is executed: commands with their exact output, Python as doctests, grammars by loading them.

A block whose paragraph says "Save this as `name`" is a file in the folder where the others run. Blocks are told apart
by their language: `console` holds lines `$ command` and their output, `python` a session, `pg` and `yaml` a grammar
without mistakes or doubts, `sh` one of the two set-up commands, which are compared with `.ci/run` and not executed
here.

    python tests/test_readme.py          # writes the present output into README.md, to be checked and kept
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest

import numbat
from numbat import errors
from numbat.cli import cli
from numbat.grammar.checks import check
from numbat.grammar.loading import packaged
from numbat.grammar.model import Semantics
from numbat.grammar.relations import TABLE
from numbat.parsing.parser import ENGINES
from numbat.parsing.policies import ELECTIONS, HEURISTICS, PROFILES, VALUATIONS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"Save\s+this\s+as\s+`([^`]+)`")
LANGUAGES = {"console", "python", "pg", "yaml", "tsv", "text", "sh"}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, text, first line in the README, and the file that it is to be saved as."""

    language: str
    text: str
    line: int
    file: str = ""


def blocks(readme: str) -> Iterator[Block]:
    for match in FENCE.finditer(readme):
        paragraph = readme[: match.start()].rstrip("\n").rpartition("\n\n")[2]
        saved = None if paragraph.endswith("```") else SAVED.search(paragraph)
        line = readme.count("\n", 0, match.start()) + 2
        yield Block(match[1], match[2], line, saved[1] if saved else "")


TEXT = README.read_text(encoding="utf-8")
BLOCKS = tuple(blocks(TEXT))


def of(*languages: str) -> pytest.MarkDecorator:
    """One test for each block in one of the languages, named by the line of the block."""
    chosen = [pytest.param(block, id=f"line-{block.line}") for block in BLOCKS if block.language in languages]
    return pytest.mark.parametrize("block", chosen)


def furnish(folder: Path) -> None:
    """Write the files that the README tells to save, and a command `numbat` that runs this very code."""
    for block in BLOCKS:
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")
    command = folder / "bin" / "numbat"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m numbat "$@"\n', encoding="utf-8")
    command.chmod(0o755)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("readme")
    furnish(path)
    return path


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output below it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def output_of(command: str, folder: Path) -> str:
    """What a shell shows for a command, on both streams; blank lines at the end do not count."""
    environment = os.environ | {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", "")))),
        "PYTHONUTF8": "1",
        "NUMBAT_CACHE": str(folder / "cache"),
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


@of("console")
def test_commands_print_what_the_readme_says(block: Block, folder: Path) -> None:
    found = "".join(f"$ {command}\n{output_of(command, folder)}\n" for command, _ in commands_of(block))
    said = "".join(f"$ {command}\n{output.rstrip()}\n\n" for command, output in commands_of(block))
    assert found == said


def session(folder: Path, report: Callable[[Block, doctest.Example, str], None]) -> None:
    """Run all Python blocks as one session and report what each example printed."""
    names: dict[str, object] = {}
    with chdir(folder):
        for block in BLOCKS:
            if block.language != "python":
                continue
            test = doctest.DocTestParser().get_doctest(block.text, names, "README.md", str(README), block.line - 1)

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
    printed: list[tuple[int, str, str]] = []
    said: list[tuple[int, str, str]] = []

    def report(block: Block, example: doctest.Example, got: str) -> None:
        line = block.line + example.lineno
        printed.append((line, example.source, got))
        said.append((line, example.source, example.want))

    session(folder, report)
    assert len(printed) == TEXT.count("\n>>> ")
    assert printed == said


@of("pg", "yaml")
def test_grammars_have_neither_mistakes_nor_doubts(block: Block, folder: Path) -> None:
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


# What is missing in the README


def section(title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def missing(words: set[str], text: str) -> set[str]:
    return {word for word in words if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)}


def test_the_notation_section_has_every_word_of_the_notation() -> None:
    lark = (ROOT / "numbat" / "grammar" / "notation.lark").read_text(encoding="utf-8")
    keywords = set(re.findall(r'^[A-Z]+: "(\w+)"$', lark, re.MULTILINE))
    assert len(keywords) > 30
    assert missing(keywords, section("The notation")) == set()


def test_the_notation_section_has_every_relation_and_switch() -> None:
    text = section("The notation")
    rows = [relation for row in TABLE for relation in row.variants.values()]
    assert missing({relation.name for relation in rows}, text) == set()
    signs = {sign for relation in rows for sign in (relation.symbol, *relation.aliases)}
    assert {sign for sign in signs if sign not in text} == set()
    switches = {name for row in TABLE for name in (row.switch, *row.variants) if name}
    assert missing(switches | set(Semantics().switches), text) == set()


def test_the_readme_has_every_command_option_and_exit_code() -> None:
    text = section("Commands")
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
    text = section("What is best, and how it is searched")
    assert missing({*PROFILES, *ELECTIONS, *VALUATIONS, *HEURISTICS, *ENGINES}, text) == set()
    for profile in PROFILES.values():
        heuristics = " ".join(sorted(profile.heuristics))
        row = re.search(rf"^\| `{profile.name}`.*$", text, re.MULTILINE)
        assert row is not None
        assert f"| {heuristics}" in row[0]
        assert f"| `{profile.election}` |" in row[0]


def test_the_readme_has_every_packaged_grammar() -> None:
    assert {name for name in packaged() if f"`{name}`" not in TEXT} == set()


def test_the_readme_has_every_public_name() -> None:
    assert missing(set(numbat.__all__), section("Python")) == set()


def main() -> None:
    """Write the present output of all blocks into the README."""
    printed: dict[int, list[tuple[doctest.Example, str]]] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        furnish(folder)
        session(folder, lambda block, example, got: printed.setdefault(block.line, []).append((example, got)))
        text = TEXT
        for block in BLOCKS:
            new = block.text
            if block.language == "console":
                outputs = [f"$ {command}\n{output_of(command, folder)}" for command, _ in commands_of(block)]
                new = "\n".join(outputs)
            elif block.language == "python":
                pieces = []
                for example, got in printed[block.line]:
                    pieces.append(prompted(example.source) + got)
                new = "".join(pieces)
            text = text.replace(f"```{block.language}\n{block.text}```", f"```{block.language}\n{new}```")
    README.write_text(text, encoding="utf-8")


def prompted(source: str) -> str:
    lines = source.splitlines()
    return "".join(f"{'... ' if i else '>>> '}{line}".rstrip() + "\n" for i, line in enumerate(lines))


if __name__ == "__main__":
    os.environ["NUMBAT_CACHE"] = "off"
    main()
