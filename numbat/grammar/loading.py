"""From a file or a packaged name to a `Grammar`: includes, lexicon files, all mistakes of all files in one run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from numbat.errors import GrammarError, MissingFileError
from numbat.grammar import cache
from numbat.grammar.model import Grammar
from numbat.source import Problem, Span

if TYPE_CHECKING:
    from numbat.grammar import written as w

YAML: Final = (".yaml", ".yml")
SUFFIXES: Final = (".pg", *YAML)


def packaged_folder() -> Path:
    """The folder of the grammars that come with Numbat: in the package where it is installed, else beside it."""
    package = Path(__file__).parents[1]
    inside = package / "grammars"
    return inside if inside.is_dir() else package.parent / "grammars"


def packaged() -> tuple[str, ...]:
    """The names of the grammars that come with Numbat."""
    return tuple(sorted({path.stem for path in packaged_folder().glob("*") if path.suffix in SUFFIXES}))


def find(name: str) -> Path:
    """The file of a grammar: a path, or the name of a packaged grammar.

    Raises MissingFileError where there is none.
    """
    path = Path(name)
    if path.is_file():
        return path
    for suffix in SUFFIXES:
        candidate = packaged_folder() / f"{name}{suffix}"
        if path.name == name and candidate.is_file():
            return candidate
    if path.suffix in SUFFIXES and path.name == name and (packaged_folder() / name).is_file():
        return packaged_folder() / name
    there = ", ".join(packaged())
    raise MissingFileError(f"{name}: no such grammar file\n  the packaged grammars are: {there}")


def load_grammar(name: str | Path) -> Grammar:
    """The grammar of a file (`.pg` in the notation, `.yaml`), or a packaged one by its name.

    Raises GrammarError with all mistakes of the file and of what it includes, MissingFileError.
    """
    path = find(str(name))
    kept = cache.get(path)
    if kept is not None:
        return kept
    loaded = read_grammar(path)
    if loaded.errors:
        raise GrammarError(loaded.errors)
    cache.put(path, loaded.grammar, loaded.files)
    return loaded.grammar


def parse_grammar(text: str, path: str = "<grammar>") -> Grammar:
    """The grammar of a text in the notation, or in YAML when the path ends so. Raises GrammarError."""
    loaded = read_grammar(Path(path), text)
    if loaded.errors:
        raise GrammarError(loaded.errors)
    return loaded.grammar


@dataclass(frozen=True, slots=True)
class Loaded:
    """A grammar as far as it could be read, every error found, and the content of every file that was read."""

    grammar: Grammar
    errors: tuple[Problem, ...]
    files: dict[Path, bytes]

    def with_source_lines(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """The problems with the text of the line that each speaks of."""
        lines = {str(path): content.decode("utf-8", "replace").split("\n") for path, content in self.files.items()}
        return tuple(_with_line(problem, lines.get(problem.span.path, [])) for problem in problems)


def _with_line(problem: Problem, lines: list[str]) -> Problem:
    number = problem.span.line
    return replace(problem, source_line=lines[number - 1].rstrip("\r") if number <= len(lines) else "")


def read_grammar(path: Path, text: str | None = None) -> Loaded:
    """Read a file and all that it includes, as far as mistakes allow; `text` stands in for the content of the file."""
    from numbat.grammar.building import build

    reader = _Files()
    statements = list(reader.statements(path, Span(str(path), 1), text))
    grammar, problems = build(statements, str(path))
    order = {str(name): i for i, name in enumerate(reader.files)}
    every = sorted(
        dict.fromkeys([*reader.problems, *problems]),
        key=lambda problem: (order.get(problem.span.path, 0), problem.span.line, problem.span.column),
    )
    loaded = Loaded(grammar, (), reader.files)
    return replace(loaded, errors=loaded.with_source_lines(every))


@dataclass
class _Files:
    """Reads files into statements, each file once."""

    files: dict[Path, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def text(self, path: Path, asked: Span) -> str | None:
        """The text of a file; None with a problem where it is not there, is no UTF-8 or was read before."""
        if path in self.files:
            self.problems.append(Problem(f'"{path}" is included a second time', asked, hint="include it once"))
            return None
        try:
            content = path.read_bytes()
        except OSError as error:
            if not self.files:
                raise MissingFileError(f"{path}: cannot be read: {error.strerror}") from None
            self.problems.append(Problem(f'"{path}" cannot be read: {error.strerror}', asked))
            return None
        self.files[path] = content
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
            span = Span(str(path), line, column, column + 1)
            self.problems.append(Problem("this is not UTF-8", span, hint="save the file in the encoding UTF-8"))
            return content.decode("utf-8", "replace")

    def statements(self, path: Path, asked: Span, text: str | None = None) -> Iterator[w.Statement]:
        """The statements of a file, those of included files and lexicon files in their places."""
        from numbat.grammar import lexicon, notation, written

        if text is None:
            text = self.text(path, asked)
        else:
            self.files[path] = text.encode("utf-8")
        if text is None:
            return
        if path.suffix in YAML:
            from numbat.grammar import yaml_notation

            found, problems = yaml_notation.read(text, str(path))
        else:
            found, problems = notation.read(text, str(path))
        self.problems += problems
        for statement in found:
            yield statement
            if isinstance(statement, written.Setting) and statement.key in ("include", "lexicon_file"):
                for value in statement.values:
                    name, place = path.parent / value.category, value.category.span
                    if statement.key == "include":
                        yield from self.statements(name, place)
                    elif (content := self.text(name, place)) is not None:
                        entries, wrong = lexicon.read(content, str(name))
                        self.problems += wrong
                        yield from entries
