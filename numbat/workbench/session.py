"""Sessions: the records of a request, its grammar, parser, scorer and clock, and the work kept for later requests."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from errno import ENOENT
from os import strerror
from pathlib import Path
from threading import Condition
from typing import Any, Final, Protocol, TypeVar

from numbat.acceptability.generate import property_named
from numbat.acceptability.models import MODELS, Scorer
from numbat.acceptability.scorers import parser_of, scorer_of
from numbat.acceptability.settings import ModelSettings
from numbat.authoring.checking import CheckedGrammar, judged
from numbat.errors import DataError, GrammarError, NumbatError, UsageError, close_match, visible
from numbat.evaluation.constituents import Characterization, Constituent, Instance
from numbat.files import grammar_folders, packaged_path
from numbat.grammar.constructions import Rereading
from numbat.grammar.loading import SUFFIXES, LoadedGrammar, load_grammar, packaged, read_grammar
from numbat.grammar.model import Grammar, PropertyWeights, property_types_of
from numbat.grammar.properties import MAX_WEIGHT, UNIT
from numbat.parsing.diagnoses import diagnosed
from numbat.parsing.parser import Parser
from numbat.parsing.policies import MARGIN, Limits, Overdue, ParserSettings, granularity_of, never
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.start_checks import KnownStarts
from numbat.records import Recent, cached_property, frozen
from numbat.runs.loop import Record
from numbat.settings import MOST_WHOLE, Range, in_range, settings_of
from numbat.words.judgement_marks import leading_mark
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import Words, read_text


class SupersededError(NumbatError):
    """A newer request has replaced this one, so its work ends."""


class Session:
    """A request with its grammar, parser and clock; `is_superseded` tells whether a newer request has replaced it."""

    def __init__(
        self, request: PageRequest, kept: KeptWork, is_superseded: Overdue = never, turns: Turns | None = None
    ) -> None:
        self.request = request
        self.kept = kept
        self._is_superseded = is_superseded
        self._turns = turns or Turns()
        self._clock: Overdue | None = None
        self._changes = GrammarDifferences()

    @cached_property
    def grammar_digest(self) -> str:
        """Digest of the grammar's texts."""
        return digest_of(self.request.grammar)

    @property
    def loaded(self) -> LoadedGrammar:
        """The grammar as far as it can be read, with its mistakes. Raises UsageError for an unknown name."""
        text = self.request.grammar
        earlier = self.kept.readings.made(text.main, Rereading)
        return self.kept.grammars.made(self.grammar_digest, lambda: loaded_of(text, earlier))

    @property
    def grammar(self) -> Grammar:
        """The grammar with its own weights and costs. Raises GrammarError and UsageError."""
        loaded = self.loaded
        if loaded.errors:
            raise GrammarError(loaded.errors)
        return loaded.grammar

    @property
    def language(self) -> LanguageOfPage | None:
        """The language of the page if the request is about its grammar, else None."""
        language = self.kept.language
        return language if language is not None and self.request.grammar.main == language.main else None

    @cached_property
    def any_parser(self) -> SentenceParser:
        """The parser that the settings ask for, of the language or by properties.

        Raises GrammarError, UsageError and DataError.
        """
        if self.language is None:
            return self.parser
        settings, grammar = self.request.settings, self.grammar
        if settings.parser != ParserSettings():
            raise UsageError(
                "the trees of a language are chosen by its expansions, without profiles and heuristics\n"
                f"  do not change these settings, or run numbat serve {self.language.grammar_file}"
            )
        if settings.strengths:
            grammar = grammar.with_weights(weights_under(settings.strengths, grammar))
        if settings.fragment_cost is not None:
            grammar = replace(grammar, fragment_cost_units=_units(settings.fragment_cost))
        return self.language.parser(grammar, Limits(seconds=settings.seconds))

    def judged(self) -> CheckedGrammar:
        """Return the grammar with its errors, or if there are none its warnings; only edited parts are checked again.

        Raises UsageError for an unknown name, and SupersededError.
        """
        main = self.request.grammar.main
        return judged(Path(main), self.loaded, self.go_on, self.kept.starts.made(main, KnownStarts))

    @cached_property
    def parser(self) -> Parser:
        """The parser by properties that the settings ask for. Raises GrammarError; UsageError also for a language."""
        if self.language is not None:
            raise UsageError(
                "the trees of a language are chosen by its expansions, not by properties alone\n"
                f"  run numbat serve {self.language.grammar_file} to ask such questions about its properties"
            )
        settings = self.request.settings
        parser = self.plain_parser
        if settings.strengths:
            parser = parser.with_weights(weights_under(settings.strengths, parser.grammar))
        if settings.fragment_cost is not None:
            parser = parser.with_granularity(granularity_of(settings.fragment_cost, parser.grammar))
        return parser

    @property
    def plain_parser(self) -> Parser:
        """The parser with the weights and costs of the grammar. Raises GrammarError and UsageError."""
        settings = self.request.settings
        options = replace(settings.parser, limits=Limits(seconds=settings.seconds))
        made = self.kept.parsers.made((self.grammar_digest, options), lambda: (options, self._new_parser(options)))
        return made[1]

    def _new_parser(self, options: ParserSettings) -> Parser:
        """Return a parser of the grammar; it shares the automata of an earlier one if the structure is the same."""
        for earlier_options, parser in reversed([*self.kept.parsers.values.values()]):
            if earlier_options == options and (shared := parser.with_grammar(self.grammar)) is not None:
                return shared
        return parser_of(self.grammar, options)

    @cached_property
    def score(self) -> Scorer:
        """The scorer that the settings ask for. Raises UsageError."""
        model = self.request.settings.model
        if model not in MODELS:  # the command line also takes a file here, but a page may not name files
            hint = close_match(model, MODELS) or f"the models are: {', '.join(MODELS)}"
            raise UsageError(f'"{model}" is not a gradience model\n  {hint}')
        return scorer_of(ModelSettings(model), self.any_parser.grammar)

    def get_ready(self) -> None:
        """Read the grammar and make its parser before the time limit starts. Raises the errors of either step."""
        _ = self.any_parser, self.score

    def get_ready_for_edits(self) -> None:
        """Read the texts of a grammar line by line, so that after an edit only the changed lines are read.

        Raises SupersededError as soon as another request waits.
        """
        text = self.request.grammar
        earlier = self.kept.readings.made(text.main, Rereading)
        if not earlier.is_empty:
            return
        earlier.before_block = self._end_for_others
        try:
            reread(text, earlier)
        finally:
            earlier.before_block = tuple

    def _end_for_others(self) -> None:
        if self._turns.is_waited_for or self._is_superseded():
            raise SupersededError("another request is waiting")

    def without_changes(self) -> Session:
        """Return a session of this request without its changes of weights and costs; both sessions share one clock."""
        settings = replace(self.request.settings, fragment_cost=None, strengths=())
        made = Session(replace(self.request, settings=settings), self.kept, self._is_superseded, self._turns)
        made._clock = self._clock
        return made

    def is_overdue(self) -> bool:
        """True if the time of the request is up, or nobody waits for it any more. The first call starts the clock."""
        if self._clock is None:
            self._clock = Limits(seconds=self.request.settings.seconds).clock()
        return self._is_superseded() or self._clock()

    def go_on(self) -> None:
        """Give way to requests that wait. Raises SupersededError if nobody waits for the answer any more."""
        self._turns.give_way()
        if self._is_superseded():
            raise SupersededError("a newer request has replaced this one")

    def lattice(self, typed: str) -> Lattice:
        """Return a sentence, without its judgement mark, as the parser takes it. Raises DataError if it is too long."""
        return self._read(leading_mark(typed)[1])

    def _read(self, text: str) -> Lattice:
        if len(text) > MAX_SENTENCE:
            raise DataError(f"this sentence has more than {MAX_SENTENCE:,} characters\n  split it into several")
        parser = self.any_parser
        readings = parser.words.readings
        return self.kept.lattices.made((text, id(readings)), lambda: (readings, self.read_of_suite(text, parser)))[1]

    def read_of_suite(self, sentence: str, parser: SentenceParser) -> Lattice:
        """Return a sentence of a suite as the parser takes it."""
        return (read_text if self.language is None else self.language.read)(sentence, parser.words)

    def parses(self, typed: str, n: int = 1) -> list[Parse]:
        """Return up to `n` parses of a sentence as it was typed, the best first. Raises DataError."""
        return self.parses_of(leading_mark(typed)[1], n)

    def parses_of(self, text: str, n: int = 1) -> list[Parse]:
        """Return up to `n` parses of a sentence without a judgement mark, the best first. Raises DataError."""
        key = self._key(text, n)
        parses = self.kept.parses.get(key)
        if parses is None:
            lattice = self._read(text)
            settings = self.request.settings
            sentence = text, n, settings.parser, settings.fragment_cost
            earlier = self.kept.known.get(sentence) or ()
            parser = self.any_parser
            parses = known_for(parser, earlier, lattice, self._changes) if isinstance(parser, Parser) else None
            nearby = None
            if parses is None:
                if isinstance(parser, Parser):
                    searched, nearby = parser.n_best_nearby(lattice, n, MARGIN, self.is_overdue)
                else:
                    searched = parser.n_best(lattice, n, overdue=self.is_overdue)
                parses = list(searched)
                self.go_on()
            is_whole = parses[0].stopped_by is None
            if is_whole and isinstance(parser, Parser):
                # Without diagnoses: an edit that leaves the best parses as they are may change what else is cheap.
                known = KnownParses(parser.weighted.compiled, tuple(parses))
                self.kept.known.put(sentence, (known, *earlier)[:MAX_VERSIONS])
                parses[0] = diagnosed(parser, parses[0], MARGIN, self.is_overdue, nearby)
            if is_whole:
                self.kept.parses.put(key, parses)
        return parses

    def has_parsed(self, typed: str) -> bool:
        """True if the best parse of a sentence is kept."""
        return self.kept.parses.get(self._key(leading_mark(typed)[1], 1)) is not None

    def key_of(self, sentence: str) -> Hashable:
        """Return the key of the record of a sentence in a suite."""
        return self._key(sentence, 1)

    def _key(self, text: str, n: int) -> Hashable:
        settings = self.request.settings
        how = (settings.parser, settings.fragment_cost, settings.strengths)
        return self.grammar_digest, how, text, n


# Requests of a page: the records that a request is made of, with the defaults of their fields.
#
# {"call": "parse", "grammar": {"main": "my.pg", "files": {"my.pg": "leaves: ..."}}, "given": {"sentence": "a b"}}

SCHEMA: Final = "numbat.web/1"
"""Version of requests and answers."""
MAX_SENTENCE: Final = 2_000
"""Maximal number of characters of a sentence; longer ones are refused."""
MAX_SENTENCES: Final = 2_000
"""Maximal number of sentences in one request."""
OF_PAGE: Final = tuple(setting.name for setting in settings_of(ParserSettings) if setting.metadata.get("page"))
"""Parser settings that a request may have."""
COST: Final = Range(-MAX_WEIGHT, MAX_WEIGHT)
"""The range of costs and weights."""
RANK: Final = Range(1, 100, is_whole=True)
"""The range of ranks of a parse, and of numbers of parses."""
MAX_SECONDS: Final = 60.0
"""Maximal time that a request may ask for, in seconds."""


@frozen
class GrammarText:
    """A grammar as the texts of its files.

    `main` is the name of its first file, or of a packaged grammar. `files` maps names to texts: the first file, the
    files that it includes, lexicon files. A name without a text here is that of a file that comes with Numbat.
    """

    main: str = "english"
    files: Mapping[str, str] = field(default_factory=dict)


@frozen
class StrengthChange:
    """A new cost or weight for all properties of a relation, or for one property such as `NP: Det < N`."""

    relation: str | None = None
    property: str | None = None
    cost: float | None = in_range(None, COST)
    weight: float | None = in_range(None, COST)


@frozen
class RequestSettings:
    """Settings of parsing and scoring: a gradience model, settings of the parser, changed costs and weights.

    In JSON the settings of the parser are fields of this record itself.
    `fragment_cost` and `strengths` override those of the grammar; a later strength overrides an earlier one.
    `seconds` limits the work on sentences, not the time to read a grammar.
    """

    model: str = "cost"
    parser: ParserSettings = field(default=ParserSettings(), metadata={"inlined": OF_PAGE})
    fragment_cost: float | None = in_range(None, COST)
    strengths: tuple[StrengthChange, ...] = ()
    seconds: float = in_range(5.0, Range(0, MAX_SECONDS, is_open=True))

    @property
    def has_changes(self) -> bool:
        """True if the request overrides costs or weights of the grammar."""
        return bool(self.strengths) or self.fragment_cost is not None


@frozen
class PageRequest:
    """A call by its name, the grammar, the settings, and the arguments of the call as `given`."""

    call: str
    grammar: GrammarText = GrammarText()
    settings: RequestSettings = RequestSettings()
    given: Mapping[str, Any] = field(default_factory=dict)


@frozen
class Nothing:
    """The arguments of a call about the grammar alone."""


@frozen
class PackagedName:
    """The name of a packaged grammar."""

    name: str


@frozen
class Sentences:
    """Sentences as they were typed; a judgement mark may stand before each: `* The cat sleep.`"""

    sentences: tuple[str, ...]


@frozen
class OneSentence:
    """A sentence, the number of parses wanted, and how trees are drawn.

    `features` is `some` (those in `tree_features` of the grammar), `all` or `none`. Phrases of the categories in
    `folded` are drawn as a triangle over their words; for the phrases whose numbers are in `flipped`, it
    is the other way round.
    """

    sentence: str
    n: int = in_range(1, RANK)
    features: str = "some"
    folded: tuple[str, ...] = ()
    flipped: tuple[int, ...] = ()


@frozen
class ConstituentOfSentence:
    """A sentence and a constituent that it might have, as `0-3:NP` or `the cat:NP`."""

    sentence: str
    constituent: str


@frozen
class TwoSentences:
    """Two sentences to be compared."""

    one: str
    other: str


@frozen
class SentenceToRepair:
    """A sentence, the number of words that may be changed in it, and the number of proposals wanted."""

    sentence: str
    edits: int = in_range(1, Range(1, 2, is_whole=True))
    most: int = in_range(5, Range(1, 50, is_whole=True))


@frozen
class SuiteText:
    """The text of a suite, a list with judgement marks or a table with a header line; `name` is used in messages."""

    text: str
    name: str = "suite.tsv"


@frozen
class ExerciseText:
    """The text of an exercise with the name of its file; without a text, the packaged exercise of this name."""

    name: str
    text: str | None = None


@frozen
class TreeFile:
    """A sentence, the rank of the parse wanted, its form (`svg` or `latex`), and how it is drawn, as in OneSentence."""

    sentence: str
    rank: int = in_range(1, RANK)
    form: str = "svg"
    features: str = "some"
    folded: tuple[str, ...] = ()
    flipped: tuple[int, ...] = ()


@frozen
class SentencesToMake:
    """The number of sentences to generate, the random seed, and the property that each must violate, if any."""

    number: int = in_range(10, Range(1, 1_000, is_whole=True))
    seed: int = in_range(0, Range(0, MOST_WHOLE, is_whole=True))
    violated: str | None = None


# The language that `numbat serve` may be given


class LanguageOfPage(Protocol):
    """A language as a page uses it: `main` is the name of its grammar in the page, `grammar_file` that file's path."""

    main: str
    grammar_file: str

    def parser(self, grammar: Grammar, limits: Limits) -> SentenceParser:
        """Return the parser of the language with its grammar as edited in the page."""
        ...

    def read(self, text: str, words: Words) -> Lattice:
        """Return a sentence; words that the lexicon lacks get the readings of the tagger."""
        ...

    def view(self, parse: Parse) -> dict[str, Any]:
        """Return the dependencies of a parse as a drawing, and its judgement or None."""
        ...


# Grammars, parsers and parses kept between requests, so that a keystroke is answered quickly

Value = TypeVar("Value")

MAX_GRAMMARS: Final = 3
"""Number of grammars and of parsers kept: for three pages, or for one grammar before and after an edit."""
MAX_PARSES_KEPT: Final = 5_000
"""Number of parses kept, and largest number of sentences in a suite."""


@dataclass
class KeptWork:
    """Results of earlier requests: grammars by their texts, parsers by grammar and settings, their parses.

    `readings` and `starts` hold, by the name of the first file of a grammar, the lines and the results of checks that
    can be reused after an edit. `lattices` are keyed by text and by the id of the readings of words, which are kept
    with them. `judged` has the records of sentences in suites, `known` the last parses of a sentence under any version
    of the grammar. `language` is the language that the page was given, if any.
    """

    language: LanguageOfPage | None = None

    grammars: Recent[LoadedGrammar] = field(default_factory=lambda: Recent(MAX_GRAMMARS))
    readings: Recent[Rereading] = field(default_factory=lambda: Recent(MAX_GRAMMARS))
    starts: Recent[KnownStarts] = field(default_factory=lambda: Recent(MAX_GRAMMARS))
    parsers: Recent[tuple[ParserSettings, Parser]] = field(default_factory=lambda: Recent(MAX_GRAMMARS))
    parses: Recent[list[Parse]] = field(default_factory=lambda: Recent(MAX_PARSES_KEPT))
    lattices: Recent[tuple[object, Lattice]] = field(default_factory=lambda: Recent(MAX_PARSES_KEPT))
    judged: Recent[Record[Any]] = field(default_factory=lambda: Recent(MAX_PARSES_KEPT))
    known: Recent[tuple[KnownParses, ...]] = field(default_factory=lambda: Recent(MAX_PARSES_KEPT))


# Parses that are known from an earlier version of the grammar and are still the best.
#
# Numbat does not search again if only places or words of other sentences changed. With the exact engine it does not
# search again either if only costs changed and no parse can have become better than the known one:
#
# - a parse that costs nothing violates nothing, and the same parses violate nothing as long as each cost is above 0;
# - if costs only rise, a parse that violates no property with a raised cost keeps its cost, and no other gets better.
#   If the best parse is such a parse, and no other was as good, it is still the only best one.

MAX_VERSIONS: Final = 4
"""Number of earlier answers kept for a sentence: with the grammar's own costs, and with those of the last changes."""


@frozen
class KnownParses:
    """The best parses of a lattice, and the automata that found them, for one grammar structure and one profile."""

    automata: object
    parses: tuple[Parse, ...]


class Change:
    """The difference between two grammars of the same structure: weights, costs, places, words."""

    def __init__(self, old: Grammar, new: Grammar) -> None:
        self.old, self.new = old, new  # kept alive, because the properties are looked up by `id`
        both = [*zip(old.properties, new.properties, strict=True)]
        self._replacements = {id(one): other for one, other in both if one is not other}
        self._has_same_weights = all(one.weight_units == other.weight_units for one, other in both)
        self._dearer = {id(one) for one, other in both if one.cost_units < other.cost_units}
        self._is_cheaper = any(one.cost_units > other.cost_units for one, other in both)
        self._is_never_free = all(one.cost_units > 0 and other.cost_units > 0 for one, other in both)
        self._known: dict[int, tuple[Characterization, Characterization]] = {}

    def keeps(self, parses: Sequence[Parse]) -> bool:
        """True if these are the best parses, in the same order, under the new grammar too."""
        if not self._has_same_weights:
            return False
        if not (self._dearer or self._is_cheaper):
            return True
        best = parses[0]
        if len(parses) > 1 or best.outcome.engine != "exact" or best.outcome.valuation != "relaxation":
            return False
        if best.cost_units == 0 and self._is_never_free:
            return True
        is_concerned = any(id(evaluated.property) in self._dearer for evaluated in best.violated)
        return best.count == 1 and not (self._is_cheaper or is_concerned)

    def taken_over(self, parse: Parse, lattice: Lattice) -> Parse:
        """Return a known parse with the properties of the new grammar."""
        tops = tuple([self._tree(top) for top in parse.constituents]) if self._replacements else parse.constituents
        return replace(parse, grammar=self.new, lattice=lattice, constituents=tops)

    def _tree(self, top: Constituent) -> Constituent:
        """Return a constituent with the properties of the new grammar, down to its words."""
        made: dict[int, Constituent] = {}  # bottom up, without recursion, because trees may be deep
        for constituent in reversed([*top.walk()]):
            if constituent.is_word:
                made[id(constituent)] = constituent
                continue
            daughters = tuple([made[id(daughter)] for daughter in constituent.daughters])
            both = self._characterization(constituent.characterization)
            made[id(constituent)] = constituent._replace(daughters=daughters, characterization=both)
        return made[id(top)]

    def _characterization(self, both: Characterization) -> Characterization:
        known = self._known.get(id(both))
        if known is None:
            changed = Characterization(*map(self._instances, both.parts))
            known = self._known[id(both)] = both, changed
        return known[1]

    def _instances(self, instances: Sequence[Instance]) -> tuple[Instance, ...]:
        new = self._replacements
        return tuple(
            [Instance(new.get(id(instance.property), instance.property), instance.elements) for instance in instances]
        )


class GrammarDifferences:
    """A cache of the differences between grammars."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Change] = {}

    def between(self, old: Grammar, new: Grammar) -> Change:
        """Return the change from one grammar to another of the same structure."""
        key = id(old), id(new)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Change(old, new)
        return known


def known_for(
    parser: Parser, earlier: Sequence[KnownParses], lattice: Lattice, changes: GrammarDifferences
) -> list[Parse] | None:
    """Return the best parses of a lattice, taken from earlier answers; None if the parser must search again."""
    for known in earlier:
        first = known.parses[0]
        if known.automata is parser.weighted.compiled and first.lattice == lattice:
            change = changes.between(first.grammar, parser.grammar)
            if change.keeps(known.parses):
                return [change.taken_over(parse, lattice) for parse in known.parses]
    return None


# Property weights with the user's overrides applied


def weights_under(strengths: Iterable[StrengthChange], grammar: Grammar) -> PropertyWeights:
    """Return the weights and costs of all properties; a later strength overrides an earlier one.

    Raises UsageError for a relation or property that the grammar does not have, and for a number out of bounds.
    """
    weights, costs = list(grammar.weights.weights), list(grammar.weights.costs)
    for strength in strengths:
        numbers = _meant(strength, grammar)
        for values, value in ((weights, strength.weight), (costs, strength.cost)):
            if value is not None:
                for number in numbers:
                    values[number] = _units(value)
    return PropertyWeights(tuple(weights), tuple(costs))


def _meant(strength: StrengthChange, grammar: Grammar) -> list[int]:
    """Return the numbers of the properties to which a strength applies."""
    properties = grammar.properties
    if (strength.relation is None) == (strength.property is None):
        raise UsageError("a strength names both a relation and a property, or neither\n  name one of the two")
    if strength.property is not None:
        wanted = property_named(strength.property, grammar)
        return [number for number, prop in enumerate(properties) if prop is wanted]
    names = property_types_of(grammar)
    if strength.relation not in names:
        hint = close_match(str(strength.relation), names) or f"the relations are: {', '.join(names)}"
        raise UsageError(f'"{strength.relation}" is not a relation of the grammar\n  {hint}')
    return [number for number, prop in enumerate(properties) if prop.type == strength.relation]


def _units(value: float) -> int:
    return round(value * UNIT)


# Grammars read from the texts of their files, and the packaged ones

READABLE: Final = (*SUFFIXES, ".tsv")
"""Suffixes of the packaged files that a grammar may name: grammars and lexicons."""


def digest_of(text: GrammarText) -> str:
    """Return the digest of all texts of a grammar."""
    content = json.dumps([text.main, sorted(text.files.items())], ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def loaded_of(text: GrammarText, earlier: Rereading | None = None) -> LoadedGrammar:
    """Return the grammar as far as it can be read, with its mistakes; lines of `earlier` texts are not read again.

    Raises UsageError for an unknown name.
    """
    if all(content == _packaged_content(name) for name, content in text.files.items()):
        with suppress(GrammarError):  # raised by a chapter that is not a grammar by itself
            grammar = load_grammar(text.main if Path(text.main).is_absolute() else _packaged_file(text.main))
            return LoadedGrammar(grammar, (), {Path(name): Path(name).read_bytes() for name in grammar.files})
    return reread(text, earlier)


def reread(text: GrammarText, earlier: Rereading | None = None) -> LoadedGrammar:
    """Return the grammar, read line by line except for the lines of `earlier` texts. Raises UsageError."""
    main = Path(text.main)
    if text.main not in text.files:
        main = Path(_packaged_file(text.main).name)
    return read_grammar(main, content_of=lambda path: _content(path, text), earlier=earlier)


def packaged_texts(name: str) -> GrammarText:
    """Return a packaged grammar as the texts of its files, without lexicon files. Raises UsageError."""
    file = _packaged_file(name)
    paths = [path for path in map(Path, load_grammar(file).files) if path.suffix in SUFFIXES]
    texts = {path.relative_to(file.parent).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return GrammarText(file.name, texts)


def _packaged_content(name: str) -> str | None:
    """Return the text of a grammar or lexicon file that comes with Numbat, None if there is no such file."""
    try:
        return _content(Path(name), GrammarText()).decode("utf-8")
    except OSError:
        return None


def _packaged_file(name: str) -> Path:
    """Return the first file of a packaged grammar."""
    stems = packaged()
    if name.rpartition(".")[0] in stems and name.endswith(SUFFIXES):
        name = name.rpartition(".")[0]
    if name not in stems:
        hint = close_match(name, stems) or f"the packaged grammars are: {', '.join(stems)}"
        raise UsageError(f'"{visible(name)}" has no text here, and it is not a packaged grammar\n  {hint}')
    return next(filter(None, (packaged_path(f"{name}{suffix}") for suffix in SUFFIXES)))


def _content(path: Path, text: GrammarText) -> bytes:
    """Return the content of a file: its text in the request, else the packaged file of this name. Raises OSError."""
    content = text.files.get(path.as_posix())
    if content is not None:
        return _bytes_of(content)
    for folder in grammar_folders():
        file = folder / path
        if ".." not in path.parts and folder in file.parents and path.suffix in READABLE and file.is_file():
            return file.read_bytes()
    raise FileNotFoundError(ENOENT, strerror(ENOENT), str(path))


def _bytes_of(text: str) -> bytes:
    """Return the bytes of a file; bytes that were not UTF-8 are in the text as surrogate escapes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # lone surrogates
        return text.encode("utf-8", "replace")


# Turns: one request works at a time, in order; long ones give way to others


class Turns:
    """Queue of requests, of which only one works at a time."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: deque[object] = deque()
        self._new = 0
        self._is_busy = False

    @property
    def is_waited_for(self) -> bool:
        """True if a request waits that has not started yet."""
        return self._new > 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until earlier requests have ended or given way, then hold the turn of one request."""
        with self._changed:
            self._new += 1
            self._wait()
            self._new -= 1
        try:
            yield
        finally:
            with self._changed:
                self._end()

    def give_way(self) -> None:
        """Let the requests that wait go first, then continue."""
        if self._waiting:
            with self._changed:
                self._end()
                self._wait()

    def _wait(self) -> None:
        me = object()
        self._waiting.append(me)
        self._changed.wait_for(lambda: not self._is_busy and self._waiting[0] is me)
        self._waiting.popleft()
        self._is_busy = True

    def _end(self) -> None:
        self._is_busy = False
        self._changed.notify_all()
