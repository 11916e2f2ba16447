"""Loads a `Grammar` from a file or packaged name, with includes and lexicon files, and reports all mistakes at once."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from numbat.errors import (
    EMPTY_NAME,
    DataError,
    GrammarError,
    MissingFileError,
    Problem,
    Span,
    UsageError,
    half_character,
    nearest,
)
from numbat.files import (
    SAVE,
    cannot_be_looked_at,
    composed,
    is_utf16,
    packaged_files,
    packaged_path,
    reason,
    unreadable,
    whole,
)
from numbat.grammar import cache
from numbat.grammar.model import Grammar
from numbat.records import frozen
from numbat.sheets import sheet_of, table_of_sheet

if TYPE_CHECKING:
    from numbat.grammar.constructions import Rereading
    from numbat.grammar.included import IncludedGrammar
    from numbat.grammar.inflection import Lemma, Paradigms
    from numbat.grammar.statements import EntryStatement, PlacedText, Statement, TemplateStatement

YAML: Final = (".yaml", ".yml")
SUFFIXES: Final = (".pg", *YAML)
MANY: Final = 20
"""If more lines than this, and at least half of all lines, have mistakes, only the first few mistakes are shown."""
FIRST: Final = 3
"""The number of mistakes shown for a file that seems not to be a grammar or lexicon at all."""
GRAMMAR_HINT: Final = (
    'a grammar has lines such as "leaves: Det, N", "NP:" and, indented below it, "Det < N"; the first mistakes:'
)
NAME_HINT: Final = "give a file or the name of a packaged grammar; in Python, parse_grammar takes the text itself"
FOLDER_GRAMMAR: Final = "grammar.pg"
"""The grammar file of a folder in which no grammar file has the folder's own name."""
STDIN: Final = Path("<stdin>")
"""The file name of a grammar read from standard input."""


def packaged() -> tuple[str, ...]:
    """Return the names of the packaged grammars."""
    return tuple(sorted({path.stem for path in packaged_files(*SUFFIXES)}))


def find(name: str) -> Path:
    """Return the file of a grammar, given a file, a folder with a grammar, `-` (standard input) or a packaged name.

    Raises MissingFileError, and MissingExtraError for a packaged grammar that comes with models not yet installed.
    """
    if name == "-":
        return STDIN
    if not name:
        raise MissingFileError(f"{EMPTY_NAME} is not the name of a grammar\n  name a file or a packaged grammar")
    path = Path(name)
    if os.path.exists(name) and not os.path.isdir(name):  # a pipe is fine, too
        return path
    if path.name == name:
        names = (*(f"{name}{suffix}" for suffix in SUFFIXES), *((name,) if path.suffix in SUFFIXES else ()))
        if (candidate := next(filter(None, map(packaged_path, names)), None)) is not None:
            return candidate
    if os.path.isdir(name):
        inside = (path / f"{path.resolve().name}.pg", path / FOLDER_GRAMMAR)
        if (candidate := next(filter(os.path.isfile, inside), None)) is not None:
            return candidate
        raise MissingFileError(
            f"{name}: this folder has neither {inside[0].name} nor {FOLDER_GRAMMAR}\n  name the grammar file in it"
        )
    if (wrong := cannot_be_looked_at(name)) is not None:
        raise wrong
    hint = _similar(path) or f"the packaged grammars are: {', '.join(packaged())}"
    raise MissingFileError(f"{name}: no such grammar file\n  {hint}")


def _similar(path: Path) -> str:
    """Return a hint that names the file with another ending, or the similar name, that may be meant; else empty."""
    names: dict[str, str] = {}
    with suppress(OSError):
        similar = sorted(file.name for file in path.parent.iterdir() if file.suffix in SUFFIXES)
        names = {name: str(path.with_name(name)) for name in similar}
    meant = next((name for name in names if Path(name).stem == path.name), "")
    meant = meant or nearest(path.name, (*names, *packaged())) or nearest(path.stem, packaged())
    return f'did you mean "{names.get(meant, meant)}"?' if meant else ""


def load_grammar(name: str | Path) -> Grammar:
    """Load a grammar from a file (`.pg` for the notation, or `.yaml`), from standard input (`-`), or by packaged name.

    Raises GrammarError with all mistakes in the file and in included files, MissingFileError for a file that does not
    exist, and UsageError if the argument cannot be a name.
    """
    if not isinstance(name, str | Path):
        raise UsageError(f"a grammar is loaded by its name, not by {_kind(name)}\n  {NAME_HINT}")
    if "\n" in str(name) and not os.path.exists(name):
        raise UsageError(f"a grammar is loaded by its name, not by a text of several lines\n  {NAME_HINT}")
    path = find(str(name))
    cacheable = path != STDIN and os.path.isfile(path)  # a pipe can be read only once
    cached = cache.get(path) if cacheable else None
    if cached is not None:
        return cached
    loaded = read_grammar(path)
    if loaded.errors:
        raise GrammarError(loaded.errors)
    if cacheable:
        cache.put(path, loaded.grammar, loaded.files)
    return loaded.grammar


def parse_grammar(text: str, path: str = "<grammar>") -> Grammar:
    """Parse a text in the notation, or in YAML if `path` ends in .yaml. Raises GrammarError and UsageError."""
    if not isinstance(text, str):
        raise UsageError(
            f"a grammar is parsed from a text, not from {_kind(text)}\n  load_grammar takes a file or a name"
        )
    if not isinstance(path, str | Path):
        raise UsageError(
            f"the path of a grammar is a text, not {_kind(path)}\n  leave it out, or give the name of a file"
        )
    halves = [
        Problem(wrong, Span(str(path), number), hint="write the character itself")
        for number, line in enumerate(text.split("\n"), start=1)
        if (wrong := half_character(line))
    ]
    if halves:
        raise GrammarError(halves)
    loaded = read_grammar(Path(path), text)
    if loaded.errors:
        raise GrammarError(loaded.errors)
    return loaded.grammar


def _kind(value: object) -> str:
    """Return the type of a wrong argument, for a message."""
    return f"a value of type {type(value).__name__}"


@frozen
class LoadedGrammar:
    """A grammar as far as it could be read, with all errors and the content of every file that was read.

    `unread` are files that the grammar names but that could not be read.
    """

    grammar: Grammar
    errors: tuple[Problem, ...]
    files: dict[Path, bytes]
    unread: tuple[Path, ...] = ()

    def with_source_lines(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return the problems with the text of their source lines."""
        listed = tuple(problems)
        paths = {problem.span.path for problem in listed}
        lines = {str(path): _text(text).split("\n") for path, text in self.files.items() if str(path) in paths}
        return tuple(_with_line(problem, lines.get(problem.span.path, [])) for problem in listed)

    @property
    def source_lines(self) -> dict[str, list[str]]:
        """The lines of every file by path."""
        return {str(path): _text(content).split("\n") for path, content in self.files.items()}


def _with_line(problem: Problem, lines: list[str]) -> Problem:
    number = problem.span.line
    return replace(problem, source_line=lines[number - 1] if 0 < number <= len(lines) else "")


def _text(content: bytes) -> str:
    """Return the text of a file without byte order mark, with `\\n` line ends, in NFC (ä is one character)."""
    text = composed(content.decode("utf-8", "replace").removeprefix("\ufeff"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_grammar(
    path: Path, text: str | None = None, content_of: ContentOf | None = None, earlier: Rereading | None = None
) -> LoadedGrammar:
    """Read a grammar file and all that it includes, as far as mistakes allow; `text` replaces the content of the file.

    `content_of` replaces reading from the disk; it returns the content of a file, or raises OSError. `earlier` caches
    what previous readings read; only what has changed is read again.
    """
    from numbat.grammar.building import build

    if earlier is not None:
        earlier.begin()
    reader = _FileReader(content_of or _on_disk, earlier, keeps=content_of is None and earlier is None)
    statements = list(reader.statements(path, Span(str(path), 1), text))
    grammar, problems = build(statements, reader.includers, reader.rereading() if reader.included else earlier)
    order = {str(name): i for i, name in enumerate(reader.files)}
    every = sorted(
        _counted_once(dict.fromkeys([*reader.problems, *([] if reader.missing else problems)])),
        key=lambda problem: (order.get(problem.span.path, 0), problem.span.line, problem.span.column),
    )
    on_disk = (name for name in reader.files if name != STDIN and (text is None or name != path))
    loaded = LoadedGrammar(replace(grammar, files=tuple(map(str, on_disk))), (), reader.files, tuple(reader.unread))
    return replace(loaded, errors=loaded.with_source_lines(every))


ContentOf = Callable[[Path], bytes]
"""Function that returns the content of a file. Raises OSError."""


def _on_disk(path: Path) -> bytes:
    sheet = sheet_of(str(path))
    with nullcontext(sys.stdin.buffer) if path == STDIN else open(sheet[0] if sheet else path, "rb") as file:
        content = whole(file, str(path))
    return table_of_sheet(content, *sheet) if sheet else content


@dataclass
class _FileReader:
    """State of reading a grammar: files and problems so far. No file is read twice.

    `open` are the files now being read, each included by the one before it. `missing` is true if an included file could
    not be read or is not a grammar, so that its names are unknown. With `keeps` included grammars are cached between
    runs; `included` are those found in the cache. `inflected` counts the forms that paradigms made, `characters` the
    characters of the lexicon files. `includers` maps each included file to the file that includes it. `absolute` are
    the absolute paths of `files`.
    """

    content_of: ContentOf
    earlier: Rereading | None = None
    keeps: bool = False
    included: list[IncludedGrammar] = field(default_factory=list)
    includers: dict[str, str] = field(default_factory=dict)
    files: dict[Path, bytes] = field(default_factory=dict)
    absolute: set[str] = field(default_factory=set)
    unread: list[Path] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    open: list[Path] = field(default_factory=list)
    missing: bool = False
    inflected: int = 0
    characters: int = 0

    def text(self, path: Path, place: Span) -> str | None:
        """Return the text of a file that is named at `place`; None, with a problem, if unreadable or already read."""
        if (again := self.included_before(path)) is not None:
            self.problems.append(replace(again, span=place))
            return None
        try:
            content = self.content_of(path)
        except DataError as error:
            if not self.files:
                raise
            self.problems.append(Problem(str(error), place))
            return None
        except (OSError, ValueError) as error:
            if not self.files:
                raise unreadable(str(path), error) from None
            self.unread.append(path)
            folder = self.open[-1].parent
            name = path.relative_to(folder) if path.is_relative_to(folder) else path
            hint = f"{_meant(path, folder)}a path is relative to the folder of the file that names it, here {folder}"
            if not str(name).isprintable():
                hint = "in quoted YAML text a backslash begins a special character: separate folders with /"
            elif "\\" in str(name) and os.sep == "/":
                hint = f"separate folders with /, on Windows too; {hint}"
            self.problems.append(Problem(f'"{name}" cannot be read: {reason(error)}', place, hint=hint))
            return None
        self.files[path] = content
        self.absolute.add(os.path.abspath(path))
        problem = _not_utf8(content, path)
        self.problems += problem
        return None if problem else _text(content)

    def included_before(self, path: Path) -> Problem | None:
        """Return the problem that a file is included twice, perhaps under another name; None if it is new."""
        here = os.path.abspath(path)
        if here not in self.absolute:
            return None
        circle = [file for file in self.open if os.path.abspath(file) == here]
        if not circle:
            return Problem(f'"{path.name}" is included a second time', Span("", 0), hint="include it once")
        round_trip = " -> ".join(file.name for file in (*self.open[self.open.index(circle[0]) :], path))
        return Problem(
            f"files include each other in a circle: {round_trip}", Span("", 0), hint="remove one of the includes"
        )

    def statements(self, path: Path, place: Span, text: str | None = None) -> Iterator[Statement]:
        """Yield the statements of a file; those of included files and lexicon files come where they are included."""
        from numbat.grammar import lexicon, notation
        from numbat.grammar.statements import SettingStatement
        from numbat.grammar.syntax_errors import EXAMPLES

        if text is None:
            text = self.text(path, place)
        else:
            self.files[path] = text.encode("utf-8", "replace")
            self.absolute.add(os.path.abspath(path))
            text = _text(self.files[path])
        if text is None:
            self.missing |= len(self.open) > 0 and path not in self.open
            return
        if path.suffix in YAML:
            from numbat.grammar.yaml_format import read

            statements, problems = read(text, str(path))
        else:
            again = (self.earlier.line, self.earlier.block) if self.earlier else ()
            statements, problems = notation.read(text, str(path), *again)
        few = _of_another_kind(problems, text, path, "grammar", GRAMMAR_HINT)
        self.missing |= len(few) < len(problems)
        self.problems += few
        if self.open:
            self.includers[str(path)] = str(self.open[-1])
        self.open.append(path)
        parts = _parts_in(path.parent, statements)
        for statement in statements:
            yield statement
            if isinstance(statement, SettingStatement) and statement.key in ("include", "lexicon_file"):
                for value in statement.values:
                    word = value.category
                    if not word.strip():
                        self.problems.append(
                            Problem("a file name is missing here", word.span, hint=EXAMPLES[statement.key])
                        )
                    elif statement.key == "include":
                        yield from self.included_in(path.parent, word, parts)
                    elif (content := self.text(path.parent / word, word.span)) is not None:
                        name = path.parent / word
                        read_file = self.earlier.lexicon_file if self.earlier else lexicon.read
                        entries, wrong = read_file(content, str(name))
                        self.problems += _of_another_kind(wrong, content, name, "lexicon", "the first mistakes:")
                        yield from self.counted(entries, len(content), word.span)
        self.open.pop()

    def counted(self, entries: list[EntryStatement], characters: int, place: Span) -> list[EntryStatement]:
        """Return the entries of a lexicon file; none, with a problem, if paradigms have made too many forms."""
        from numbat.grammar.inflection import most_forms
        from numbat.grammar.lexicon import too_many_forms

        self.characters += characters
        self.inflected += sum(entry.readings[0].lemma is not None for entry in entries)
        if self.inflected <= (most := most_forms(self.characters)):
            return entries
        self.problems.append(too_many_forms(place, self.inflected, most))
        return []

    def included_in(self, folder: Path, word: PlacedText, parts: dict[Path, list[PlacedText]]) -> Iterable[Statement]:
        """Return the statements of the file that `word` includes, from the cache if possible.

        `parts` lists the included parts of each file, such as `english/NP`; the first one brings the others along.
        """
        from numbat.grammar import included
        from numbat.grammar.declarations import MAX_DEEP
        from numbat.grammar.parts import part_of

        path, part = _included_file(folder, word)
        asked = parts.pop(path, []) if part else []
        if part and not asked:
            return ()
        name = word.rpartition("/")[0]
        known = included.get(path, partial(_entries_of, path, self.content_of)) if self.keeps else None
        if known is not None and not any(map(self.included_before, known.contents)):
            self.files |= known.contents
            self.absolute.update(map(os.path.abspath, known.contents))
            self.includers |= {**known.includers, str(path): str(self.open[-1])}
            if asked:
                known, wrong = known.part(asked, name)
                self.problems += wrong
            self.included.append(known)
            return known.statements
        if len(self.open) > MAX_DEEP or len(self.files) > MAX_FILES:
            self.missing = True
            self.problems.append(_too_many_includes(word, len(self.open) > MAX_DEEP))
            return ()
        number_of_files, before = len(self.files), (len(self.problems), self.missing)
        statements: Sequence[Statement] = list(self.statements(path, word.span))
        if before != (len(self.problems), self.missing):
            return statements
        if self.keeps:
            contents = dict(list(self.files.items())[number_of_files:])
            included.put(path, statements, contents, self.includers, self.rereading())
        if asked:
            statements, wrong = part_of(statements, asked, name)
            self.problems += wrong
        return statements

    def rereading(self) -> Rereading:
        """Return the caches to build the grammar with; they contain the constructions of included grammars."""
        from numbat.grammar.constructions import Rereading

        return Rereading(included=[(grammar.names, grammar.built) for grammar in self.included])


def _parts_in(folder: Path, statements: Iterable[Statement]) -> dict[Path, list[PlacedText]]:
    """Return the parts of each file that a file in this folder includes."""
    from numbat.grammar.statements import PlacedText, SettingStatement

    parts: dict[Path, list[PlacedText]] = {}
    for statement in statements:
        for value in statement.values if isinstance(statement, SettingStatement) and statement.key == "include" else ():
            path, part = _included_file(folder, value.category)
            if part:
                parts.setdefault(path, []).append(PlacedText(part, value.category.span))
    return parts


def _included_file(folder: Path, word: str) -> tuple[Path, str]:
    """Return the file that `word` includes, relative to `folder`, and the part of it (empty for the whole file)."""
    path = folder / word
    if path.suffix or _is_file(path):
        return path, ""
    whole, _, part = word.rpartition("/")
    for name, rest in ((word, ""), (whole, part)):
        if name in packaged() and not _is_file(folder / name):
            return find(name), rest
    return (folder / whole, part) if Path(whole).suffix in SUFFIXES else (path, "")


def _is_file(path: Path) -> bool:
    """True for a file or pipe. A folder is none: it may hold the chapters of the grammar `FOLDER.pg` beside it."""
    return os.path.exists(path) and not os.path.isdir(path)


def _meant(path: Path, folder: Path) -> str:
    """Return a hint that names the file in the folder, or the packaged grammar, that resembles a missing one."""
    beside: dict[str, str] = {}
    with suppress(OSError, ValueError):
        written = Path(os.path.relpath(path, folder))
        endings = (path.suffix,) if path.suffix else SUFFIXES
        files = sorted(file for file in path.parent.iterdir() if file.suffix in endings)
        beside = {file.stem: str(written.with_name(file.name)) for file in files}
    exact = path.name in beside or path.stem in packaged()
    meant = (path.name if path.name in beside else path.stem) if exact else nearest(path.stem, (*beside, *packaged()))
    return f'did you mean "{beside.get(meant, meant)}"? ' if meant else ""


def _entries_of(path: Path, content_of: ContentOf) -> list[EntryStatement]:
    """Return the entries of the lexicon of a grammar, with their places."""
    from numbat.grammar.statements import EntryStatement

    statements = _FileReader(content_of).statements(path, Span(str(path), 1))
    return [
        statement
        for statement in statements
        if isinstance(statement, EntryStatement) and statement.section == "lexicon"
    ]


def place_of_entry(forms: Collection[str], files: Iterable[str]) -> Span | None:
    """Return where one of these word forms is first entered in the grammar's files, or None."""
    from numbat.grammar import lexicon, notation, yaml_format
    from numbat.grammar.statements import EntryStatement

    for name in files:
        with suppress(OSError):
            read = yaml_format.read if name.endswith(YAML) else notation.read if name.endswith(".pg") else lexicon.read
            statements: Iterable[Statement] = read(_text(_on_disk(Path(name))), name)[0]
            entries = (
                statement
                for statement in statements
                if isinstance(statement, EntryStatement) and statement.section == "lexicon"
            )
            for entry in entries:
                if " ".join(entry.form.split()) in forms:
                    return entry.form.span
    return None


def templates_in(files: Sequence[str]) -> tuple[dict[str, TemplateStatement], Sequence[EntryStatement]]:
    """Return the templates of a grammar, whose main file is the first, and its words with templates expanded."""
    from numbat.grammar.building import templates_of

    with suppress(OSError):
        return templates_of(list(_FileReader(_on_disk).statements(Path(files[0]), Span(files[0], 1))))
    return {}, []


def lemmas_of(files: Iterable[str]) -> Iterator[tuple[Paradigms, list[Lemma]]]:
    """Yield, for each lexicon file among a grammar's files, its paradigms and its lemmas."""
    from numbat.grammar import lexicon

    for name in files:
        if not name.endswith(SUFFIXES):
            with suppress(OSError):
                yield lexicon.read_lemmas(_text(_on_disk(Path(name))), name)


def _of_another_kind(problems: list[Problem], text: str, path: Path, what: str, hint: str) -> list[Problem]:
    """Return the problems of a file; if it seems not to be a `what` at all, only one that says so and the first few."""
    wrong = len({problem.span.line for problem in problems})
    if wrong <= MANY:
        return problems
    lines = sum(bool(line.strip()) and not line.startswith("#") for line in text.split("\n"))
    if 2 * wrong < lines:
        return problems
    message = f"this is not a {what}: {wrong} of its {lines} lines cannot be read"
    return [Problem(message, Span(str(path), 0), hint=hint), *problems[:FIRST]]


def _counted_once(problems: Collection[Problem]) -> Iterator[Problem]:
    """Yield the problems; a message that occurs more than `MANY` times in a file is yielded once, with the count."""
    times = Counter((problem.message, problem.span.path) for problem in problems)
    counted: set[tuple[str, str]] = set()
    for problem in problems:
        what = problem.message, problem.span.path
        if times[what] <= MANY or problem.expected:
            yield problem
        elif what not in counted:
            counted.add(what)
            yield replace(problem, message=f"{problem.message} ({times[what]:,} times in this file)")


MAX_FILES: Final = 1_000
"""Maximum number of files of a grammar."""


def _too_many_includes(word: PlacedText, is_deep: bool) -> Problem:
    from numbat.grammar.declarations import MAX_DEEP

    message = (
        f"includes are nested more than {MAX_DEEP} deep" if is_deep else f"a grammar has more than {MAX_FILES:,} files"
    )
    return Problem(message, word.span, hint="put the content of several files into one")


def _not_utf8(content: bytes, path: Path) -> list[Problem]:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        before = content[content.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")
        column = len(before.removeprefix("\ufeff")) + 1
        span = Span(str(path), line, column, column + 1)
        encoding = "UTF-16" if is_utf16(content) else f"the byte {content[error.start]:02X}"
        return [Problem("this is not UTF-8", span, found=encoding, hint=SAVE)]
    return []
