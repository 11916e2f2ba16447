"""The language server under random edits and requests: after each its diagnostics are those of `check` and `test`.

Two folders are open: a grammar in three files with a suite beside it, and a grammar in YAML with a suite and an
exercise. Files are edited, closed, opened again, and changed on the disk.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from numbat import Parser
from numbat.acceptability import verdicts
from numbat.acceptability.exercises import check_exercise
from numbat.acceptability.settings import SuiteSettings
from numbat.acceptability.verbs import judge_suite
from numbat.authoring.checking import check_grammar
from numbat.errors import DataError, NumbatError, Problem
from numbat.experiments.suites import suite_of
from numbat.grammar.model import Grammar
from tests.editing import Editor, shown_as

MAIN: Final = """\
# 𝒩 stands outside the first plane
include: "parts/base.pg"
lexicon_file: "words.tsv"
roots: S
S "sentence":
    oblig V
    NP < V          # 𝒩
    NP ~> V [number] cost 3
"""
BASE: Final = """\
leaves: Det, N, V
features:
    number: sg, pl
NP "noun phrase":
    oblig N
    uniq Det
    Det < N
    N[number=sg] => Det
"""
WORDS: Final = "the\tDet\ndog\tN\tnumber=sg\ndogs\tN\tnumber=pl\nbarks\tV\tnumber=sg\nbark\tV\tnumber=pl\n"
SUITE: Final = "the dog barks\n* barks the dog\nthe dogs bark\nthe dogs barks\n* dog barks\n"
YAML: Final = """\
leaves: [Det, N, V]
roots: [S]
constructions:
  S:
    properties:
    - oblig V
    - NP < V
  NP:
    properties:
    - oblig N
    - uniq Det
    - Det < N
lexicon:
  the: Det
  cat: N
  sleeps: V
"""
TABLE: Final = "sentence\tjudgement\nthe cat sleeps\tgood\nsleeps the cat\tgood\ncat the sleeps\tbad\n"
EXERCISE: Final = """\
exercise: The order of determiner and noun
grammar: |
    leaves: Det, N
    roots: NP
    NP:
        oblig N
        uniq {Det, N}
    lexicon:
        the: Det
        cat: N
task: |
    Say it.
hints:
  - "A < B says that A comes before B."
suite: |
    the cat
    * cat the
"""
TEXTS: Final = {
    "one/main.pg": MAIN,
    "one/parts/base.pg": BASE,
    "one/words.tsv": WORDS,
    "one/suite.txt": SUITE,
    "two/small.yaml": YAML,
    "two/small.suite.tsv": TABLE,
    "two/order.exercise.yaml": EXERCISE,
}
MAINS: Final = ("one/main.pg", "two/small.yaml")
SUITES: Final = {"one/suite.txt": "one/main.pg", "two/small.suite.tsv": "two/small.yaml"}
LINES: Final = {
    "pg": (
        *("    N < 𝒩", "NP:", "    oblig", "# 𝒩 note", "", "leaves: Adj", "    V => NP", "    uniq {NP, V}"),
        *("    Det < Nn", "    number: sg, du", "features:", "    NP ~> V [case]", "roots: NP", '    "a'),
        *("include: anbn", "    V < Á", 'include: "parts/base.pg"', 'lexicon_file: "words.tsv"'),
    ),
    "tsv": ("the\tN", "dog\tV", "a", "cat\tN\tnumber=du", "Á\tDet", "# note", "𝒩\tN"),
    "txt": ("the dog", "* the dog", "dogs bark", "? barks", "# note", "𝒩 barks", ""),
    "yaml": ("  dog: N", "  VP:", "    - oblig X", "    - V < NP", "a: [", "", "# note", "  á: [N, V]"),
}
Shown = set[tuple[int, int, int, str]]


def random_edit(name: str, text: str, made: random.Random) -> str:
    lines, kind = text.split("\n"), name.rpartition(".")[2]
    first = name.endswith("suite.tsv")  # the columns of a table stay
    number = made.randrange(first, len(lines))
    match made.randrange(4):
        case 0 if len(lines) > 2:
            lines.pop(number)
        case 1 if not first:
            lines.insert(number, made.choice(LINES[kind]))
        case 2:
            line, at = lines[number], made.randrange(len(lines[number]) + 1)
            lines[number] = line[:at] + made.choice(("N", " ", "<", "[", "]", ":", '"', "𝒩", "#", "V", "d")) + line[at:]
        case _:
            lines[number] = lines[number].replace(*made.choice((("N", "V"), ("dog", "dogs"), ("the", "* the"))), 1)
    return "\n".join(lines)


class Model:
    """The diagnostics that the server should show for the files on the disk, which are open in the editor."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.good: dict[str, list[Grammar]] = {main: [] for main in MAINS}
        """The last versions without mistakes: edits may follow each other so soon that not all of them are tested."""

    def checked(self, main: str) -> tuple[list[Problem], Grammar | None]:
        known = check_grammar(str(self.folder / main))
        return [*known.errors, *known.warnings], None if known.errors else known.grammar

    def failing(self, grammar: Grammar, suite: str) -> Shown:
        """Return the sentences that fail or are undecided, each with its line and its message."""
        path = str(self.folder / suite)
        try:
            items = suite_of(SuiteSettings(path))
            if all(each.judgement is None for each in items.items):
                return set()
            tested = judge_suite(items, Parser(grammar))
        except NumbatError:
            return set()
        text = (self.folder / suite).read_text(encoding="utf-8").split("\n")
        found = set()
        for each in tested:
            if each.outcome.verdict in ("fail", "undecided"):
                found.add(self.mark(text[each.scored.item.line - 1], each))
        return found

    def mark(self, line: str, tested: verdicts.TestedItem) -> tuple[int, int, int, str]:
        """A sentence that fails: its place in its line, by UTF-16, or all of the line."""
        item, outcome = tested.scored.item, tested.outcome
        begin = max(line.find(item.sentence), 0)
        end = begin + len(item.sentence) if begin else len(line)
        begins, ends = (len(line[:at].encode("utf-16-le")) // 2 for at in (begin, end))
        said = f"{outcome.verdict}: {tested.reason}" if tested.reason else str(outcome)
        return item.line - 1, begins, ends, said

    def expected(self, closed: Collection[str]) -> tuple[dict[str, Shown], dict[str, Shown]]:
        """Return the problems of each file, and those that may also be shown for suites whose grammar has mistakes.

        A closed file counts only as part of a grammar.
        """
        problems: dict[str, Shown] = {name: set() for name in TEXTS}
        kept: dict[str, Shown] = {}
        mains, good = [*MAINS], {}
        for main in mains:
            told, good[main] = self.checked(main)
            self._add(problems, told)
            base = "one/parts/base.pg"
            files = check_grammar(str(self.folder / main)).grammar.files
            if main == MAINS[0] and base not in closed and str(self.folder / base) not in files:
                self._add(problems, self.checked(base)[0])
        for suite, main in SUITES.items():
            grammar = good[main]
            if grammar is not None:
                self.good[main] = [*self.good[main][-3:], grammar]
                problems[suite] |= self.failing(grammar, suite)
            else:
                kept[suite] = {each for before in self.good[main] for each in self.failing(before, suite)}
            try:
                suite_of(SuiteSettings(str(self.folder / suite)))
            except NumbatError as error:
                problems[suite] = set() if suite in closed else self.unreadable(suite, error)
        if "two/order.exercise.yaml" not in closed:
            exercise = check_exercise(str(self.folder / "two/order.exercise.yaml"))
            self._add(problems, [*exercise.errors, *exercise.warnings])
        return problems, kept

    def unreadable(self, suite: str, error: NumbatError) -> Shown:
        if isinstance(error, DataError) and error.problems:
            return {shown_as(self.folder / suite, each) for each in error.problems}
        return {(0, 0, 0, "\n".join(line.strip() for line in str(error).split("\n")))}

    def _add(self, problems: dict[str, Shown], told: list[Problem]) -> None:
        for each in told:
            path = Path(each.span.path)
            if path.is_relative_to(self.folder):  # and no packaged grammar
                problems[path.relative_to(self.folder).as_posix()].add(shown_as(path, each))


class Driver:
    """Edits and saves files, sends requests, and looks at the diagnostics."""

    def __init__(self, folder: Path, made: random.Random) -> None:
        self.folder, self.made, self.model = folder, made, Model(folder)
        self.texts = dict(TEXTS)
        for name, text in TEXTS.items():
            self.save(name, text)
        self.editor = Editor(folder / "one", folder / "two")
        self.closed: set[str] = set()
        for name in TEXTS:
            self.editor.open(folder / name)

    def save(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.texts[name] = text

    def step(self, number: int) -> str:
        """Do something to a file, and return a description of it."""
        made, name = self.made, self.made.choice([*TEXTS, *MAINS])
        path = self.folder / name
        if name in self.closed:
            self.editor.open(path)
            self.closed.remove(name)
            return f"opened {name}"
        if name not in MAINS and made.random() < 0.1:
            self.editor.close(path)
            self.closed.add(name)
            if made.random() < 0.5:
                return f"closed {name}"
            self.save(name, random_edit(name, self.texts[name], made))  # by another program
            changed = lsp.FileEvent(path.as_uri(), lsp.FileChangeType.Changed)
            self.editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([changed]))
            return f"changed {name} on the disk"
        text = random_edit(name, self.texts[name], made) if number % 6 else TEXTS[name]
        self.save(name, text)
        self.editor.send(path, text)
        return f"changed {name}"

    def look(self) -> None:
        """Wait until the right diagnostics are shown. Fails if they do not arrive."""
        problems, kept = self.model.expected(self.closed)

        def as_expected(shown: dict[str, Shown]) -> bool:
            return all(
                problems[name] == shown[name] or problems[name] <= shown[name] <= problems[name] | kept.get(name, set())
                for name in TEXTS
            )

        shown = self.editor.shown(lambda: self.shown(), as_expected)
        assert as_expected(shown), {
            name: (shown[name] - problems[name], problems[name] - shown[name])
            for name in TEXTS
            if shown[name] != problems[name]
        }

    def shown(self) -> dict[str, Shown]:
        found: dict[str, Shown] = {}
        for name in TEXTS:
            told = self.editor.latest(self.folder / name)
            found[name] = {
                (each.range.start.line, each.range.start.character, each.range.end.character, each.message)
                for each in told
            }
            assert len(found[name]) == len(told), told  # no message occurs twice
        return found

    def ask(self) -> None:
        """Send any request about some place: the server must answer, or refuse with a reason."""
        made, name = self.made, self.made.choice([*TEXTS])
        text, client, file = self.texts[name], self.editor.client, self.editor.at(self.folder / name)
        at = lsp.Position(made.randrange(text.count("\n") + 2), made.randrange(30))
        everything = lsp.Range(lsp.Position(0, 0), lsp.Position(1000, 0))
        told = self.editor.latest(self.folder / name)
        asked: list[Callable[[], Any]] = [
            lambda: client.text_document_hover_async(lsp.HoverParams(file, at)),
            lambda: client.text_document_completion_async(lsp.CompletionParams(file, at)),
            lambda: client.text_document_definition_async(lsp.DefinitionParams(file, at)),
            lambda: client.text_document_references_async(lsp.ReferenceParams(lsp.ReferenceContext(True), file, at)),
            lambda: client.text_document_document_highlight_async(lsp.DocumentHighlightParams(file, at)),
            lambda: client.text_document_document_symbol_async(lsp.DocumentSymbolParams(file)),
            lambda: client.text_document_folding_range_async(lsp.FoldingRangeParams(file)),
            lambda: client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(file)),
            lambda: client.text_document_inlay_hint_async(lsp.InlayHintParams(file, everything)),
            lambda: client.text_document_code_lens_async(lsp.CodeLensParams(file)),
            lambda: client.text_document_prepare_rename_async(lsp.PrepareRenameParams(file, at)),
            lambda: client.text_document_rename_async(lsp.RenameParams(file, at, "Neu")),
            lambda: client.text_document_formatting_async(
                lsp.DocumentFormattingParams(file, lsp.FormattingOptions(4, True))
            ),
            lambda: client.text_document_code_action_async(
                lsp.CodeActionParams(file, everything, lsp.CodeActionContext(told))
            ),
        ]
        with suppress(JsonRpcInvalidParams):  # how a request is refused; others are mistakes of the server
            self.editor.wait(made.choice(asked)())


@pytest.fixture
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    made = Driver(tmp_path, random.Random(request.param))
    yield made
    made.editor.end()


EDITS: Final = int(os.environ.get("NUMBAT_EDITS", "60"))
"""More are asked for by name: 1,000 take a minute."""


@pytest.mark.parametrize(("driver", "edits"), [(1, EDITS)], indirect=["driver"])
def test_after_any_edit_all_diagnostics_are_those_of_check_and_test(driver: Driver, edits: int) -> None:
    driver.look()
    for number in range(edits):
        done = driver.step(number)
        driver.ask()
        if number % 3 == 0:  # the next edit comes before the check has ended
            driver.model.expected(driver.closed)
            continue
        try:
            driver.look()
        except AssertionError as error:
            raise AssertionError(number, done, driver.texts) from error
    assert driver.editor.said == []
