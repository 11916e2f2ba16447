"""Expansions: rules with refined categories, counted in trees; and their file format.

The category of a phrase is refined by the label above it (Johnson 1998) and by details of its daughters (Klein &
Manning 2003), the category of a frequent word by its form. A file of expansions has a line for each rule: count,
refined phrase and refined daughters, separated by tabs: `17        NP^S~base       DT/the NN`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple
from zlib import crc32

from numbat.errors import DataError, Problem, Span, counted, data_error, quotable
from numbat.files import lines_of, packaged_file, shown
from numbat.records import cached_property

HEADER: Final = "# numbat expansions/1"
SUFFIX: Final = ".exp"
TOP: Final = "TOP"
"""Label above the outermost phrase."""
MAX_COUNT: Final = 10**18 - 1
"""Maximum count of a rule."""
_COUNT: Final = re.compile(r"\d{1,18}")
_RESERVED: Final = "%^~/ \t\n\r"


class Symbol(NamedTuple):
    """Refined category of a phrase, with the label `above` it and details, or of a word, with its form if frequent."""

    label: str
    above: str = ""
    detail: str = ""

    @property
    def is_phrase(self) -> bool:
        return bool(self.above)

    @property
    def plain(self) -> Symbol:
        """Return the symbol without its details."""
        return Symbol(self.label, self.above)

    def __str__(self) -> str:
        mark = ("~" if self.above else "/") if self.detail else ""
        return _quoted(self.label) + (f"^{_quoted(self.above)}" if self.above else "") + mark + _quoted(self.detail)


Rule = tuple[Symbol, tuple[Symbol, ...]]


@dataclass(frozen=True)
class Expansions:
    """Counts of refined rules, and of phrases as roots, sorted. Raises DataError for an invalid count."""

    counts: tuple[tuple[Rule, int], ...]
    roots: tuple[tuple[Symbol, int], ...]

    def __post_init__(self) -> None:
        for what, count in (*self.counts, *self.roots):
            if type(count) is not int or not 0 < count <= MAX_COUNT:
                phrase, daughters = what if isinstance(what[1], tuple) else (what, ())
                raise DataError(
                    f'expansions: the count of "{" ".join(map(str, (phrase, *daughters)))}" is {_brief(count)}\n'
                    f"  it must be a whole number from 1 to {MAX_COUNT:,}"
                )

    @classmethod
    def from_rules(cls, rules: Counter[Rule]) -> Expansions:
        """Make expansions from counted rules; roots are the phrases below `TOP`."""
        roots: Counter[Symbol] = Counter()
        for (phrase, _), count in rules.items():
            if phrase.above == TOP:
                roots[phrase] += count
        return cls(tuple(sorted(rules.items())), tuple(sorted(roots.items())))

    @cached_property
    def phrases(self) -> Counter[Symbol]:
        """Number of occurrences of each refined phrase."""
        counts: Counter[Symbol] = Counter()
        for (phrase, _), count in self.counts:
            counts[phrase] += count
        return counts

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of phrases, sorted."""
        return tuple(sorted({phrase.label for phrase in self.phrases}))

    @cached_property
    def leaves(self) -> tuple[Symbol, ...]:
        """Categories of words, with and without a form, sorted."""
        symbols = {symbol for (_, daughters), _ in self.counts for symbol in daughters if not symbol.is_phrase}
        return tuple(sorted(symbols | {leaf.plain for leaf in symbols}))

    @cached_property
    def digest(self) -> int:
        """Checksum of the counts; it is never 0, which stands for no expansions."""
        return crc32("\n".join(expansion_lines(self)).encode("utf-8", "surrogatepass")) or 1

    def coarse(self) -> Expansions:
        """Return the same rules over bare labels, without refinements."""
        rules: Counter[Rule] = Counter()
        roots: Counter[Symbol] = Counter()
        for (phrase, daughters), count in self.counts:
            rules[coarse(phrase), tuple(map(coarse, daughters))] += count
        for phrase, count in self.roots:
            roots[coarse(phrase)] += count
        return Expansions(tuple(sorted(rules.items())), tuple(sorted(roots.items())))


def _brief(count: object) -> str:
    """Format a count for a message; Python cannot print more than 4,300 digits."""
    return f"a number of {count.bit_length():,} bits" if type(count) is int and abs(count) >= 2**64 else repr(count)


def coarse(symbol: Symbol) -> Symbol:
    """Return a symbol without refinements: the bare label of a phrase, or the category of a word."""
    return Symbol(symbol.label, "*" if symbol.is_phrase else "")


def expansion_lines(expansions: Expansions, notes: Iterable[str] = ()) -> Iterator[str]:
    """Yield the lines of a file of expansions; `notes` are comments at its top."""
    yield HEADER
    yield from (f"# {line}" for note in notes for line in note.splitlines())
    symbols = {symbol for (phrase, daughters), _ in expansions.counts for symbol in (phrase, *daughters)}
    names = {symbol: str(symbol) for symbol in symbols}
    for (phrase, daughters), count in expansions.counts:
        yield f"{count}\t{names[phrase]}\t{' '.join([names[daughter] for daughter in daughters])}"


def read_expansions(path: str) -> Expansions:
    """Read expansions from a file, or packaged expansions by the name of their grammar.

    Raises MissingFileError, and DataError that lists the invalid lines.
    """
    lines = lines_of(packaged_file(path, SUFFIX) or path, "write it again with numbat expansions")
    return parse_expansions(lines, shown(path))


def parse_expansions(lines: Iterable[str], path: str) -> Expansions:
    """Parse the lines of a file of expansions, called `path` in messages. Raises DataError with all invalid lines."""
    rules: Counter[Rule] = Counter()
    known: dict[str, Symbol] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r\n")
        if number == 1 and text != HEADER:
            raise DataError(f'{path}:1: not a file of expansions\n  its first line is "{HEADER}"')
        if not text or text.startswith("#"):
            continue
        count, *rest = text.split("\t")
        names = [rest[0], *rest[1].split(" ")] if len(rest) == 2 else []
        symbols = [known.get(name) or known.setdefault(name, _symbol(name)) for name in names]
        if not (_COUNT.fullmatch(count) and int(count) > 0 and symbols and symbols[0].is_phrase and all(names)):
            problems.append(_problem(text, symbols, Span(path, number)))
            continue
        rules[symbols[0], tuple(symbols[1:])] += int(count)
    if problems:
        raise data_error(*problems)
    if not rules:
        raise DataError(f"{path}: the file has no expansions\n  count some with numbat expansions TREES -o FILE")
    return Expansions.from_rules(rules)


def _problem(text: str, symbols: Sequence[Symbol], span: Span) -> Problem:
    """Return the problem of an invalid line; it points at the first invalid cell."""
    cells, hint = text.split("\t"), "write three cells separated by tabs, as in 17, NP^S, DT NN"
    if len(cells) != 3:
        return Problem(
            f"not an expansion: {counted(len(cells), 'cell')}, not 3", span, hint=hint, source_line=quotable(text)
        )
    place, what = 2, "its daughters must be separated by single blanks"
    if not (_COUNT.fullmatch(cells[0]) and int(cells[0]) > 0):
        place, what = 0, "its count must be a whole number above 0 with at most 18 digits"
    elif not (symbols[0].is_phrase and cells[1]):
        place, what = 1, "the second cell must be a phrase with the label above it"
    start = 1 + sum(len(cell) + 1 for cell in cells[:place])
    where = replace(span, column=start, end_column=start + len(cells[place]))
    return Problem(f"not an expansion: {what}", where, hint=hint, source_line=quotable(text))


def _symbol(text: str) -> Symbol:
    label, mark, rest = text.partition("^")
    if mark and "/" not in label:
        above, _, detail = rest.partition("~")
        return Symbol(_unquoted(label), _unquoted(above), _unquoted(detail))
    label, _, detail = text.partition("/")
    return Symbol(_unquoted(label), "", _unquoted(detail))


def _quoted(text: str) -> str:
    return "".join(f"%{ord(char):02X}" if char in _RESERVED else char for char in text)


def _unquoted(text: str) -> str:
    if "%" not in text:
        return text
    for char in (*_RESERVED[1:], "%"):
        text = text.replace(f"%{ord(char):02X}", char)
    return text
