"""Common parts of all parsers: their protocol, and reading their input, texts or lattices."""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from math import isfinite
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol, SupportsIndex
from weakref import WeakKeyDictionary, WeakValueDictionary

from numbat.errors import DataError, UsageError, close_match, half_character
from numbat.grammar.digest import has_same_words
from numbat.grammar.marks import AFTER, BEFORE
from numbat.grammar.model import Grammar
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import Bundle
from numbat.parsing.policies import Limits, Overdue
from numbat.parsing.result import Parse, Parses
from numbat.words.beside import disagreement
from numbat.words.lattice import Arc, Lattice, check_arcs, check_tokens
from numbat.words.lexical_lookup import Words, read_text, words_of

if TYPE_CHECKING:
    from numbat.runs.piping import Pipe
    from numbat.runs.pool import WorkerLimits


class SentenceParser(Protocol):
    """Interface of parsers: `Parser` uses the properties of a grammar, `TreebankParser` counts of trees.

    A sentence is a text, looked up in `words`, or a lattice; every sentence has a parse. `overdue` is a clock that
    already runs, for parsing many sentences under one limit of seconds.
    """

    @property
    def grammar(self) -> Grammar: ...
    @property
    def words(self) -> Words: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def states(self) -> int: ...
    def parse(self, sentence: str | Lattice, *, overdue: Overdue | None = None) -> Parse: ...
    def n_best(self, sentence: str | Lattice, n: int, *, overdue: Overdue | None = None) -> Parses: ...


class PipedParser:
    """Base class that parses many texts, in this process or in several."""

    def pipe(self: SentenceParser, texts: Iterable[str], jobs: int = 1, limits: WorkerLimits | None = None) -> Pipe:
        """Return the parses of texts in order, computed on demand; a text that cannot be parsed has the reason instead.

        `jobs` is the number of processes; `limits` bound the work on each text in these, by default 600 seconds.
        """
        # Imported on use, as runs over many sentences are a layer above this package.
        from numbat.runs.piping import pipe

        return pipe(self, texts, jobs, limits)


MAX_LOG_WEIGHT: Final = 1_000_000
"""Maximum absolute log weight of an arc, so that the costs of a sentence fit into 64 bits."""


class SentenceReader:
    """Reads a parser's input: looks up texts in the words of a grammar, and checks lattices.

    Raises UsageError if `grammar` is not a grammar, or has invalid numbers; `parser` is the class that messages name.
    """

    def __init__(self, grammar: Grammar, parser: str) -> None:
        if not isinstance(grammar, Grammar):
            raise UsageError(
                f"a parser takes a grammar, not {grammar!r}\n  load one: numbat.{parser}(numbat.load_grammar(...))"
            )
        grammar.check_numbers()
        self.grammar = grammar
        self.words = words_of(grammar)
        self._known: set[tuple[str, Bundle]] = set()
        """Pairs of category and features that were checked in arcs."""

    def for_grammar(self, grammar: Grammar) -> SentenceReader:
        """Return a reader for another grammar of the same structure; both share the lexicon if it is unchanged."""
        if not has_same_words(grammar, self.grammar):
            return SentenceReader(grammar, "Parser")
        made = object.__new__(SentenceReader)
        made.grammar, made._known = grammar, self._known
        made.words = replace(self.words, grammar=grammar)
        return made

    def lattice(self, sentence: str | Lattice) -> Lattice:
        """Return the checked lattice of a sentence. Raises DataError or UsageError for an invalid sentence."""
        if isinstance(sentence, str):
            _check_characters(sentence)
            lattice = read_text(sentence, self.words)
            _check_work(len(lattice.tokens), self.grammar)
            return lattice
        if not isinstance(sentence, Lattice):
            raise UsageError(
                f"a sentence is a text or a Lattice, not {type(sentence).__name__}\n"
                '  words that are cut already become one with " ".join(words)'
            )
        check_lattice(sentence)
        _check_work(len(sentence.tokens), self.grammar)
        for arc in sentence.arcs:
            if (reading := (arc.category, arc.features)) not in self._known:
                _check_reading(arc, self.grammar)
                self._known.add(reading)
        if self.grammar.marks:
            _check_marks(sentence)
        return sentence


def checked_limits(limits: Limits | None, default: Limits) -> Limits:
    """Return the given limits, or the default. Raises UsageError for another type."""
    if limits is not None and not isinstance(limits, Limits):
        raise UsageError(f"limits are numbat.Limits, not {limits!r}\n  as in limits=numbat.Limits(seconds=10)")
    return limits or default


def check_count(n: object) -> None:
    """Raise UsageError for an invalid number of parses."""
    if not isinstance(n, SupportsIndex) or n.__index__() < 1:
        raise UsageError(f"{n} parses cannot be requested\n  request 1 or more")


def check_lattice(lattice: Lattice) -> None:
    """Raise DataError for an invalid lattice, UsageError for a lattice with a part of the wrong type.

    A lattice is invalid if an arc is wrong, if a token has no reading (then nothing could cover it), if a text has half
    a character (which cannot be written to a file), or if it has more tokens or arcs than a sentence may have.
    """
    try:
        check_tokens(len(lattice.tokens))
        check_arcs(len(lattice.arcs))
        _check_arcs(lattice)
        _check_characters(" ".join((lattice.text, *lattice.tokens, *(arc.form for arc in lattice.arcs))))
    except (TypeError, AttributeError) as error:
        raise UsageError(
            f"this lattice has a part of the wrong type: {error}\n"
            '  as in numbat.Lattice(("cats",), (numbat.Arc(0, 1, "cats", "N", (("number", "pl"),)),))'
        ) from None


MAX_WORK: Final = 20_000_000
"""Maximum product of the number of words in a sentence and the number of properties in the grammar.

A search has unfinished phrases at each word, and their records grow with the number of properties.
"""


def _check_work(tokens: int, grammar: Grammar) -> None:
    """Raise DataError for a sentence that is too long for a grammar with this many properties."""
    properties = sum(len(construction.properties) for construction in grammar.constructions)
    if tokens * properties > MAX_WORK:
        raise DataError(
            f"the sentence has {tokens:,} words, but with the {properties:,} properties of this grammar "
            f"{MAX_WORK // properties:,} are allowed\n  write one sentence per line"
        )


def _check_characters(text: str) -> None:
    if wrong := half_character(text):
        raise DataError(f"{wrong}\n  Python strings may contain it, but files cannot: write the whole character")


def _check_arcs(lattice: Lattice) -> None:
    covered: set[int] = set()
    tokens = len(lattice.tokens)
    for arc in lattice.arcs:
        hash(arc)  # TypeError for features in a list or a dict
        if not 0 <= arc.start < arc.end <= tokens:
            raise DataError(
                f'the arc "{arc.form}/{arc.category}" goes from {arc.start} to {arc.end}\n'
                f"  an arc must begin before it ends, within the tokens, here from 0 to {tokens}"
            )
        if not isfinite(arc.log_weight):
            raise DataError(
                f'the arc "{arc.form}/{arc.category}" has the log weight {arc.log_weight}\n  it must be a finite number'
            )
        if abs(arc.log_weight) > MAX_LOG_WEIGHT:
            raise DataError(
                f'the arc "{arc.form}/{arc.category}" has the log weight {arc.log_weight:g}\n'
                f"  it must lie between -{MAX_LOG_WEIGHT:,} and {MAX_LOG_WEIGHT:,}, so that costs fit into 64 bits"
            )
        if arc.end == arc.start + 1:
            covered.add(arc.start)
    for position, token in enumerate(lattice.tokens):
        if position not in covered:
            raise DataError(f'token {position + 1}, "{token}", has no reading by itself\n  give it at least one arc')


def _check_marks(lattice: Lattice) -> None:
    """Raise DataError if two arcs that begin or end at the same place state different marks there."""
    place = disagreement(lattice)
    if place is not None:
        where = f"before token {place + 1}" if place < len(lattice.tokens) else "behind the last token"
        raise DataError(
            f"the arcs of this lattice disagree about the mark {where}\n"
            f'  arcs that end there have the mark as "{AFTER}", arcs that begin there as "{BEFORE}"'
        )


def _check_reading(arc: Arc, grammar: Grammar) -> None:
    """Raise DataError if an arc has a category, feature or value that the grammar lacks."""
    categories = [*grammar.categories, WILDCARD]
    declared = dict(grammar.features)
    unknown = [("category", arc.category, categories)] if arc.category not in categories else []
    for feature, value in arc.features:
        if value not in declared.get(feature, ()):
            where = ("feature", feature, [*declared])
            unknown.append((f"value of {feature}", value, [*declared[feature]]) if feature in declared else where)
    for what, name, names in unknown:
        hint = close_match(name, names) or f"the grammar has: {', '.join(names) or 'none'}"
        raise DataError(f'"{name}" in the arc "{arc.form}/{arc.category}" is not a {what} of the grammar\n  {hint}')


# Parsers in other processes: each process receives a parser once, not with every sentence.
#
# A parser is pickled as its arguments, mainly its grammar. Between processes of one program, as in
# `executor.map(parser.parse, sentences)`, `multiprocessing` sends less: the key of the parser, and the name of a file
# with its pickle. A process that was forked after the parser was made already has it, including its caches; any other
# process reads the file once. The files are in a private folder, which is removed when the program ends.

MAX_RECEIVED: Final = 4
"""Maximum number of parsers received from other processes that are kept: the most recently used ones."""
MAX_FILES: Final = 16
"""Maximum number of files that are kept for parsers that no longer exist, because a queued task may still need one."""


_keys: WeakKeyDictionary[object, str] = WeakKeyDictionary()
_parsers: WeakValueDictionary[str, object] = WeakValueDictionary()
_received: OrderedDict[str, Any] = OrderedDict()
_files: dict[str, str] = {}
_lock = Lock()


def share(parser: object) -> None:
    """Register a parser, so that processes forked later find it by its key instead of reading a file."""
    key = os.urandom(16).hex()
    _keys[parser] = key
    _parsers[key] = parser
    announce(type(parser))


def announce(kind: type[object]) -> None:
    """Make `multiprocessing`, if it is loaded, pickle parsers of a class by key and file name."""
    reduction = sys.modules.get("multiprocessing.reduction")
    if reduction is not None:
        reduction.ForkingPickler.register(kind, _sent)


def _sent(parser: object) -> tuple[Any, ...]:
    """Return the pickle reduction of a parser for another process of this program; in full if it has no file."""
    key = _keys[parser]
    with _lock:
        try:
            path = _files.get(key) or _write(key, parser)
        except OSError:
            path = None
    return parser.__reduce__() if path is None else (_receive, (key, path))  # type: ignore[return-value]


def _receive(key: str, path: str) -> Any:
    """Return the parser with a key: the one that this process has, or else the one in the file."""
    parser: Any = _parsers.get(key)
    if parser is not None:
        return parser
    with _lock:
        if key not in _received:
            import pickle

            with open(path, "rb") as file:
                _received[key] = pickle.load(file)
        _received.move_to_end(key)
        if len(_received) > MAX_RECEIVED:
            _received.popitem(last=False)
        return _received[key]


def _write(key: str, parser: object) -> str | None:
    """Write the file of a parser and return its path; None in a worker process, which would not remove the file."""
    import pickle
    from multiprocessing import parent_process

    if parent_process() is not None:
        return None
    for gone in [key for key in _files if key not in _parsers][:-MAX_FILES]:
        os.unlink(_files.pop(gone))
    path = os.path.join(_Folder.of_this_process(), key)
    with open(path, "wb") as file:
        pickle.dump(parser, file, pickle.HIGHEST_PROTOCOL)
    _files[key] = path
    return path


class _Folder:
    """Private folder for the files of parsers, created on first use."""

    path: str | None = None
    process = 0

    @classmethod
    def of_this_process(cls) -> str:
        if cls.path is None or cls.process != os.getpid():
            import atexit
            from tempfile import mkdtemp

            cls.path, cls.process = mkdtemp(prefix="numbat-"), os.getpid()
            atexit.register(_remove, cls.path, cls.process)
        return cls.path


def _remove(folder: str, process: int) -> None:
    from shutil import rmtree

    if os.getpid() == process:
        rmtree(folder, ignore_errors=True)


def _begin_anew() -> None:
    """Reset a forked process: other threads' unfinished work is lost, and the files belong to the parent process."""
    global _lock
    _lock = Lock()
    _files.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
