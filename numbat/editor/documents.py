"""The texts open in an editor, the outline of each text, and the results of checking the grammars.

Diagnostics come in two waves. `GrammarDocument.outline` has the syntax errors a few milliseconds after a keystroke,
because it reads only the lines that changed. `Documents.check` checks a whole grammar, as `numbat check` does, and
stops as soon as its texts change again.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from numbat.acceptability.exercises import is_exercise, judged_exercise
from numbat.acceptability.settings import SuiteSettings
from numbat.acceptability.suite_files import looks_judged, names_beside
from numbat.acceptability.verbs import judge_parsed
from numbat.editor.names import GrammarSymbol, Meanings, NamePlace, occurrences_of
from numbat.errors import DataError, NumbatError, Problem, Span
from numbat.experiments.suites import suite_of
from numbat.files import composed
from numbat.grammar import lexicon, notation, yaml_format
from numbat.grammar.line_parser import tree_of
from numbat.grammar.loading import SUFFIXES
from numbat.grammar.model import Grammar
from numbat.grammar.notation import Block, LogicalLine
from numbat.grammar.properties import format_named
from numbat.grammar.statements import Statement, TemplateStatement
from numbat.parsing.policies import Overdue, never
from numbat.parsing.result import Parse
from numbat.records import cached_property, frozen
from numbat.workbench.facade import Facade
from numbat.workbench.session import (
    MAX_SECONDS,
    MAX_SENTENCES,
    GrammarText,
    PageRequest,
    RequestSettings,
    Session,
    SupersededError,
)

TABLES: Final = (".tsv", ".csv")
LINE_END: Final = re.compile(r"\r\n|\r|\n")
"""Line ends of the protocol, which are also those of grammars."""
ROOTS: Final = re.compile(r"""^[ \t]*["']?roots["']?[ \t]*:""", re.MULTILINE)
"""Beginning of a `roots` line: a file with roots is a whole grammar, even if another one includes it."""
REMEDY: Final = "run numbat check, which has no time limit"
"""Hint if the check of a grammar takes too long."""
MAX_BLOCKS: Final = 20_000
"""Maximal number of `TextPiece` that are cached for a text."""


@dataclass(frozen=True)
class TextPiece:
    """Lines of a text, from one without indentation to before the next; places in them count from line `first`."""

    block: Block
    first: int
    lines: int
    occurrences: tuple[NamePlace, ...]

    @cached_property
    def definitions(self) -> tuple[NamePlace, ...]:
        """The names that these lines declare."""
        return tuple(place for place in self.occurrences if place.is_definition)


class Outline:
    """The statements, names and mistakes of one text, read without other files; lines count from 1."""

    def __init__(self, pieces: Sequence[tuple[int, TextPiece]]) -> None:
        self._pieces = pieces
        self._begins = [first for first, _ in pieces]

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The mistakes that need no other file."""
        return tuple(
            replace(problem, span=_moved(problem.span, first - piece.first))
            for first, piece in self._pieces
            for problem in piece.block.problems
        )

    @cached_property
    def occurrences(self) -> list[NamePlace]:
        """All names, in the order of the text."""
        return [place for first, piece in self._pieces for place in _names_in(first, piece)]

    def definitions(self) -> Iterator[NamePlace]:
        """Yield the names that the text declares; their places may be those of an earlier version."""
        for _, piece in self._pieces:
            yield from piece.definitions

    def names_at(self, line: int) -> list[NamePlace]:
        """Return the names in the `TextPiece` that contains a line."""
        index = bisect_right(self._begins, line) - 1
        return _names_in(*self._pieces[index]) if index >= 0 else []

    def statements(self) -> Iterator[tuple[int, int, Sequence[Statement]]]:
        """Yield for each `TextPiece` its first line, the number of lines that places have moved, and the statements."""
        for first, piece in self._pieces:
            yield first, first - piece.first, piece.block.statements


def _names_in(first: int, piece: TextPiece) -> list[NamePlace]:
    shift = first - piece.first
    if not shift:
        return list(piece.occurrences)
    return [replace(place, span=_moved(place.span, shift)) for place in piece.occurrences]


def _moved(span: Span, lines: int) -> Span:
    return replace(span, line=span.line + lines) if lines and span.line else span


class Version:
    """A version of a text with its lines and outline; a thread that reads an old version does not affect a new one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.outline: Outline | None = None

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return LINE_END.split(self.text)


class GrammarDocument:
    """A text in the editor or on the disk; each `TextPiece` is cached for the next version."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self._pieces: dict[Hashable, TextPiece] = {}
        self._trees: dict[tuple[str, str], Any] = {}
        self._version = Version(text)

    def change(self, text: str) -> None:
        """Set a new version of the text."""
        self._version = Version(text)

    @property
    def text(self) -> str:
        """The current text."""
        return self._version.text

    @property
    def is_grammar(self) -> bool:
        """True for a grammar in the notation or as YAML."""
        return self.path.suffix in SUFFIXES and not self.is_exercise

    @property
    def is_exercise(self) -> bool:
        """True for an exercise."""
        return is_exercise(self.path.name)

    @property
    def is_notation(self) -> bool:
        """True for a grammar in the notation."""
        return self.path.suffix == ".pg"

    @property
    def lines(self) -> list[str]:
        """The lines of the text without their ends."""
        return self._version.lines

    @property
    def outline(self) -> Outline:
        """The outline of this version."""
        version = self._version
        if version.outline is None:
            version.outline = self._read(version.lines)
        return version.outline

    def _read(self, lines: Sequence[str]) -> Outline:
        text, path = "\n".join(map(composed, lines)).removeprefix("\ufeff"), str(self.path)
        if not self.is_notation:
            statements: list[Statement] = []
            problems: list[Problem] = []
            if self.is_grammar:
                statements, problems = yaml_format.read(text, path)
            elif self.path.suffix in TABLES:
                entries, problems = lexicon.read(text, path)
                statements += entries
            block = Block(tuple(statements), tuple(problems), None, None, "")
            return Outline([(1, TextPiece(block, 1, len(lines), tuple(occurrences_of(statements))))])
        pieces: list[tuple[int, TextPiece]] = []
        if len(self._pieces) > MAX_BLOCKS:
            self._pieces.clear()
            self._trees.clear()

        def of_block(key: Hashable, make: Callable[[], Block]) -> Block:
            assert isinstance(key, tuple)
            source, number, _, section, _, misspelt = key
            piece = self._pieces.get((source, section, misspelt))
            if piece is None:
                block = make()
                piece = TextPiece(block, number, source.count("\n"), tuple(occurrences_of(block.statements)))
                self._pieces[source, section, misspelt] = piece
            pieces.append((number, piece))
            return piece.block

        notation.read(text, path, self.parse_line, of_block)
        return Outline(pieces)

    def parse_line(self, line: LogicalLine, start: str) -> tuple[list[Any], Problem | None]:
        """Return the statements of a line of the notation, or its mistake; syntax trees are cached."""
        return notation.parse(line, start, self._tree)

    def _tree(self, text: str, start: str) -> Any:
        known = self._trees.get((text, start))
        if known is None:
            known = self._trees[text, start] = tree_of(text, start)
        return known

    def column(self, line: int, character: int) -> int:
        """Return the column (from 1, in NFC as the text is read) of a character (from 0) of a line."""
        return len(composed(self.line(line)[:character])) + 1

    def character(self, line: int, column: int) -> int:
        """Return the character (from 0) of a line at a column (from 1, in NFC as the text is read)."""
        written = self.line(line)
        if written.isascii() or composed(written) == written:
            return min(column - 1, len(written))
        return next((i for i in range(len(written)) if len(composed(written[:i])) >= column - 1), len(written))

    def line(self, number: int) -> str:
        """Return a line by its number from 1, empty if there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def source(self, span: Span) -> str:
        """Return the text at a place."""
        begin, end = self.character(span.line, span.column), self.character(span.line, span.end_column)
        return self.line(span.line)[begin:end]


@frozen
class KnownGrammar:
    """A version of a grammar, and the lines of its files."""

    grammar: Grammar
    lines: Mapping[str, list[str]]


@frozen
class Checked:
    """The result of the last check of a grammar: its problems, as `numbat check` reports them, and its files.

    `good` is the last version without mistakes, None if there was none yet; `partial` is the version that was checked
    as far as it can be read, None if it has no mistake.
    """

    problems: tuple[Problem, ...]
    files: tuple[Path, ...]
    good: KnownGrammar | None = None
    partial: KnownGrammar | None = None
    templates: tuple[str, ...] = ()
    text: GrammarText | None = None
    """The texts that were checked; None if they have mistakes."""

    @property
    def meanings(self) -> Meanings:
        """Resolves the names in the grammar."""
        known = self.good or self.partial
        return Meanings(None if known is None else known.grammar, self.templates)


@frozen
class Use:
    """Numbers of sentences that satisfy and that violate a property, and an example, if possible of a violation."""

    satisfied: int = 0
    violated: int = 0
    example: str = ""


@frozen
class Tested:
    """Results of the suites next to a grammar: sentences that fail, and the uses of properties by their names.

    `of` are the texts that were tested: that of the grammar, and each suite with its file.
    """

    of: tuple[Any, ...]
    suites: tuple[Path, ...] = ()
    problems: tuple[Problem, ...] = ()
    uses: Mapping[str, Use] = field(default_factory=dict)


class Documents:
    """All open texts, and the results of checking their grammars.

    One thread opens and closes texts and answers, another one checks; each iterates over copies of shared collections.
    """

    def __init__(self) -> None:
        self.open: dict[Path, GrammarDocument] = {}
        self.checked: dict[Path, Checked] = {}
        self.tested: dict[Path, Tested] = {}
        self._facade = Facade()
        self._on_disk: dict[Path, tuple[float, GrammarDocument]] = {}

    def get(self, path: Path) -> GrammarDocument | None:
        """Return an open text, or else the one on the disk; None if it cannot be read."""
        if (document := self.open.get(path)) is not None:
            return document
        try:
            time = path.stat().st_mtime
            known = self._on_disk.get(path)
            if known is None or known[0] != time:
                known = self._on_disk[path] = time, GrammarDocument(path, _decoded(path.read_bytes()))
        except (OSError, ValueError):
            return None
        return known[1]

    def close(self, path: Path) -> None:
        """Forget a text that the editor closed."""
        self.open.pop(path, None)
        self.checked.pop(path, None)

    def mains(self) -> list[Path]:
        """Return the first files of the open grammars; if one file includes another, the outermost.

        A chapter belongs to the grammar that includes it, and a lexicon table to the one that names it, even if that
        grammar is not open.
        """
        opened = list(self.open.items())
        order = {path: number for number, (path, _) in enumerate(opened)}
        included = {
            file
            for main, checked in list(self.checked.items())
            for file in checked.files
            if file != main and main in order
            # if two files include each other, the one opened first counts as the outermost
            if not (file in order and main in self._files(file) and order[file] < order[main])
        }
        paths = [self._book_of(path) for path, document in opened if document.is_grammar and path not in included]
        covered = {file for main in paths for file in self._files(main)}
        tables = [path for path, _ in opened if path.suffix in TABLES]
        paths += [main for path in tables if path not in covered and (main := self._book_of(path)) != path]
        others = [path for path, document in opened if not document.is_grammar and path.suffix not in TABLES]
        return list(dict.fromkeys([*paths, *others, *tables]))

    def _book_of(self, path: Path) -> Path:
        """Return the outermost grammar that a table, or a file without roots, is part of; else the file itself.

        Numbat looks for grammars in the folder of the file and in the folder above.
        """
        seen: list[Path] = []
        while path not in seen:
            seen.append(path)
            document, above = self.get(path), self._naming(path)
            if document is None or above is None or (document.is_grammar and ROOTS.search(document.text)):
                break
            if path.suffix in SUFFIXES and (checked := self.checked.get(above)) and path not in checked.files:
                break  # it names the file, but could not read it
            path = above
        return path

    def _naming(self, path: Path) -> Path | None:
        """Return the first grammar, in the folder of a file or in the folder above, that names it as a part."""
        for folder in (path.parent, path.parent.parent):
            for grammar in _grammars_in(folder):
                if grammar == path or (document := self.get(grammar)) is None or path.name not in document.text:
                    continue
                named = (place.name for place in document.outline.occurrences if place.kind == "file")
                if any(Path(os.path.abspath(folder / name)) == path for name in named):
                    return grammar
        return None

    def keep(self, mains: Sequence[Path]) -> None:
        """Forget the results for files other than `mains`."""
        for results in (self.checked, self.tested):
            for path in {*list(results)} - {*mains}:
                results.pop(path, None)

    def mains_of(self, path: Path) -> list[Path]:
        """Return the grammars that a file is part of."""
        return [main for main, checked in list(self.checked.items()) if path in checked.files] or [path]

    def check(self, main: Path, is_superseded: Overdue = never) -> None:
        """Check the grammar, exercise or suite that begins with a file. Raises SupersededError."""
        document = self.get(main)
        if document is None:
            self.checked.pop(main, None)
        elif document.is_exercise:
            exercise = judged_exercise(_as_read(document.text), str(main))
            self.checked[main] = Checked((*exercise.errors, *exercise.warnings), (main,))
        elif document.is_grammar:
            self._check_grammar(main, document, is_superseded)
        elif _is_suite(document):
            self.checked[main] = Checked(_problems_of_suite(document), (main,))

    def _check_grammar(self, main: Path, document: GrammarDocument, is_superseded: Overdue) -> None:
        before = self.checked.get(main)
        texts = {str(main): document.text}
        texts |= self._texts(before.files if before else ())
        while True:
            request = PageRequest("check", GrammarText(str(main), texts))
            with self._facade.session(request, is_superseded) as session, self._facade.in_time(REMEDY):
                loaded = session.loaded
                named = [Path(os.path.abspath(path)) for path in (*loaded.files, *loaded.unread)]
                written = dict(zip(named, map(str, (*loaded.files, *loaded.unread)), strict=True))
                missing = {written[path]: text for path, text in self._by_path(named).items()}
                if missing.keys() <= texts.keys():
                    result = session.judged()
                    break
            texts |= missing
        read = KnownGrammar(result.grammar, loaded.source_lines)
        good, partial = (before.good if before else None, read) if result.errors else (read, None)
        templates = [
            str(statement.name)
            for path in written
            if (file := self.get(path)) is not None and file.is_grammar
            for _, _, statements in file.outline.statements()
            for statement in statements
            if isinstance(statement, TemplateStatement)
        ]
        problems = (*result.errors, *result.warnings)
        text = None if result.errors else request.grammar
        self.checked[main] = Checked(problems, tuple(written), good, partial, tuple(templates), text)

    def _texts(self, paths: Iterable[Path]) -> dict[str, str]:
        return {str(path): text for path, text in self._by_path(paths).items()}

    def _by_path(self, paths: Iterable[Path]) -> dict[Path, str]:
        return {path: document.text for path in paths if (document := self.get(path)) is not None}

    # The suites next to a grammar

    def suites_of(self, main: Path) -> list[GrammarDocument]:
        """Return the suites next to a grammar (`names_beside`).

        If it is the only open grammar in its folder, all open suites there belong to it.
        """
        paths = {main.parent / name: None for name in names_beside(main)}
        beside = [path for path in self.mains() if path.parent == main.parent and path.suffix in SUFFIXES]
        if len(beside) == 1:
            paths |= dict.fromkeys(path for path in list(self.open) if path.parent == main.parent)
        documents = filter(None, map(self.get, paths))
        return [document for document in documents if not document.is_grammar and _is_suite(document)]

    def test(self, main: Path, is_superseded: Overdue = never) -> bool:
        """Test the suites next to a grammar without mistakes; return True if anything had changed.

        A sentence is parsed again only if an edit can have changed its parse (`workbench.session.known_for`). Raises
        SupersededError.
        """
        checked, suites = self.checked.get(main), self.suites_of(main)
        if checked is None or checked.text is None:
            return False
        of = checked.text, *((suite.path, suite.text) for suite in suites)
        before = self.tested.get(main)
        if (before is None and not suites) or (before is not None and before.of == of):
            return False
        problems: list[Problem] = []
        uses: dict[str, Use] = {}
        for suite in suites:
            request = PageRequest("suite", checked.text, settings=RequestSettings(seconds=MAX_SECONDS))
            with self._facade.session(request, is_superseded) as session:
                problems += _failures(suite, session, uses)
        self.tested[main] = Tested(of, tuple(suite.path for suite in suites), tuple(problems), uses)
        return True

    def uses(self, path: Path, name: str) -> tuple[Use, list[str]] | None:
        """Return the uses of a property in the suites next to the grammar of a file, and the names of the suites."""
        tested = next(filter(None, map(self.tested.get, self.mains_of(path))), None)
        if tested is None or not tested.suites:
            return None
        return tested.uses.get(name, Use()), [suite.name for suite in tested.suites]

    def diagnostics(self, path: Path) -> list[Problem]:
        """Return the problems of a file in all open grammars that it is part of."""
        problems: dict[Problem, None] = {}
        for main in self.mains_of(path):
            for problem in checked.problems if (checked := self.checked.get(main)) else ():
                if Path(os.path.abspath(problem.span.path)) == path:
                    problems[problem] = None
        for tested in list(self.tested.values()):
            problems |= dict.fromkeys(self._of_suite(tested, path))
        return sorted(problems, key=lambda problem: (problem.span.line, problem.span.column))

    def _of_suite(self, tested: Tested, path: Path) -> list[Problem]:
        """Return the sentences of a suite that fail; after an edit, those in unchanged lines, at their new places."""
        if (checked := self.checked.get(path)) and checked.problems:
            return []
        problems = [problem for problem in tested.problems if problem.span.path == str(path)]
        document = self.get(path)
        then = next((text for name, text in tested.of[1:] if name == path), "") if problems else ""
        if document is None or not problems or document.text == then:
            return problems
        return kept_until_checked(LINE_END.split(then), document.lines, problems)

    def project(self, path: Path) -> list[GrammarDocument]:
        """Return all files of the grammars that a file is part of, the file itself first."""
        paths = {path: None} | {file: None for main in self.mains_of(path) for file in self._files(main)}
        return [document for file in paths if (document := self.get(file)) is not None]

    def _files(self, main: Path) -> tuple[Path, ...]:
        checked = self.checked.get(main)
        return checked.files if checked is not None else ()

    def meanings(self, path: Path) -> Meanings:
        """Return the resolver of names in the first checked grammar that a file is part of."""
        for main in self.mains_of(path):
            if (checked := self.checked.get(main)) is not None:
                return checked.meanings
        return Meanings(None)

    def known(self, path: Path) -> list[KnownGrammar]:
        """Return the last version without mistakes of the first grammar that a file is part of and that has one.

        If a grammar has a mistake now, what can be read of it comes second.
        """
        mains = [checked for main in self.mains_of(path) if (checked := self.checked.get(main)) is not None]
        goods = [checked.good for checked in mains if checked.good is not None]
        return [*goods[:1], *[checked.partial for checked in mains if checked.partial is not None][:1]]

    def occurrences(self, path: Path, symbol: GrammarSymbol) -> list[tuple[GrammarDocument, NamePlace]]:
        """Return all places of a symbol in the grammars that a file is part of."""
        meanings = self.meanings(path)
        return [
            (document, place)
            for document in self.project(path)
            for place in document.outline.occurrences
            if place.name == symbol.name or place.kind == "relation"
            if meanings.symbol(place) == symbol
        ]


def _decoded(content: bytes) -> str:
    """Return the content of a file as text; bytes that are not UTF-8 become surrogate escapes."""
    return content.decode("utf-8", "surrogateescape")


def _as_read(text: str) -> str:
    """Return a text as if read from a file: in NFC, with `\\n` at the ends of lines."""
    return composed("\n".join(LINE_END.split(text)).removeprefix("\ufeff"))


def _grammars_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)
    except OSError:
        return []


def _is_suite(document: GrammarDocument) -> bool:
    return looks_judged(document.path.name, document.text)


def _problems_of_suite(document: GrammarDocument) -> tuple[Problem, ...]:
    try:
        suite_of(SuiteSettings(str(document.path)), document.text)
    except NumbatError as error:
        return _problems_of(error, document)
    return ()


def _problems_of(error: NumbatError, document: GrammarDocument) -> tuple[Problem, ...]:
    """Return the problems that an error holds; if it holds none, the error as a problem of the whole file."""
    message, _, hint = str(error).partition("\n")
    whole = Problem(message, Span(str(document.path), 0), hint=hint.strip())
    return (error.problems if isinstance(error, DataError) else ()) or (whole,)


def _failures(document: GrammarDocument, session: Session, uses: dict[str, Use]) -> Iterator[Problem]:
    """Yield the sentences of a suite that fail or are undecided; add the uses of properties to `uses`."""

    def parse_of(sentence: str) -> Parse:
        parse = session.parses_of(sentence)[0]
        if parse.stopped_by is not None:
            raise DataError(f"the suite takes more than {MAX_SECONDS:g} seconds\n  make it shorter")
        return parse

    try:
        suite = suite_of(SuiteSettings(str(document.path)), document.text)
        if len(suite.items) > MAX_SENTENCES or all(item.judgement is None for item in suite.items):
            return
        tested = judge_parsed(suite, session.parser.grammar, parse_of)
    except SupersededError:
        raise
    except NumbatError as error:
        yield from () if _problems_of_suite(document) else _problems_of(error, document)
        return
    for result in tested:
        item, parse = result.scored.item, result.scored.parse
        violated = {format_named(one.property) for one in parse.violated}
        for name in {format_named(one.property) for one in parse.satisfied} | violated:
            use, is_violated = uses.get(name, Use()), name in violated
            example = item.sentence if not use.example or (is_violated and not use.violated) else use.example
            uses[name] = Use(use.satisfied + (not is_violated), use.violated + is_violated, example)
        verdict = result.outcome.verdict
        if verdict in ("fail", "undecided"):
            line = document.line(item.line)
            begin = max(line.find(item.sentence), 0)
            end = begin + len(item.sentence) if begin else len(line)
            span = Span(str(document.path), item.line, begin + 1, end + 1)
            message = f"{verdict}: {result.reason}" if result.reason else str(result.outcome)
            yield Problem(message, span, severity="warning" if verdict == "fail" else "note")


def kept_until_checked(before: Sequence[str], lines: Sequence[str], problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems of an earlier version in lines that the edit to `lines` left, at their new places."""
    same = 0
    while same < min(len(before), len(lines)) and before[same] == lines[same]:
        same += 1
    ends = 0
    while ends < min(len(before), len(lines)) - same and before[-1 - ends] == lines[-1 - ends]:
        ends += 1
    shift = len(lines) - len(before)
    kept = []
    for problem in problems:
        if problem.span.line <= same:
            kept.append(problem)
        elif problem.span.line > len(before) - ends:
            kept.append(replace(problem, span=_moved(problem.span, shift)))
    return kept
