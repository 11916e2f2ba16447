"""A request at work: its records, its grammar, parser, scorer and clock, and what later requests reuse of them."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from errno import ENOENT
from os import strerror
from pathlib import Path
from threading import Condition
from typing import Any, Final, Generic, Protocol, TypeVar

from numbat.acceptability.generate import property_named
from numbat.acceptability.models import MODELS, Scorer
from numbat.acceptability.scorers import parser_of, scorer_of
from numbat.acceptability.settings import ModelSettings
from numbat.authoring.checking import CheckedGrammar, judged
from numbat.errors import DataError, GrammarError, NumbatError, UsageError, close_match
from numbat.evaluation.constituents import Characterization, Constituent, Instance
from numbat.files import grammar_folders, packaged_path
from numbat.grammar.constructions import Rereading
from numbat.grammar.loading import SUFFIXES, LoadedGrammar, load_grammar, packaged, read_grammar
from numbat.grammar.model import Grammar, PropertyWeights, property_types_of
from numbat.grammar.properties import MAX_WEIGHT, UNIT
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits, Overdue, ParserSettings, granularity_of, never
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.start_checks import KnownStarts
from numbat.records import cached_property, frozen
from numbat.settings import settings_of
from numbat.words.judgement_marks import leading_mark
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import Words, read_text


class SupersededError(NumbatError):
    """The end of the work on a request whose place a newer one has taken."""


class Session:
    """A request, and what it takes to answer it. `is_superseded` says that nobody waits for the answer any more."""

    def __init__(
        self, request: PageRequest, kept: KeptWork, is_superseded: Overdue = never, turns: Turns | None = None
    ) -> None:
        if not 0 < request.settings.seconds <= MAX_SECONDS:
            raise UsageError(
                f"settings.seconds is {request.settings.seconds:g}\n  give more than 0, and up to {MAX_SECONDS:g}"
            )
        self.request = request
        self.kept = kept
        self._is_superseded = is_superseded
        self._turns = turns or Turns()
        self._clock: Overdue | None = None
        self._changes = Changes()

    @cached_property
    def grammar_digest(self) -> str:
        """The name of the grammar's texts."""
        return digest_of(self.request.grammar)

    @property
    def loaded(self) -> LoadedGrammar:
        """The grammar as far as it can be read, with its mistakes. Raises UsageError for a name of none."""
        text = self.request.grammar
        earlier = self.kept.readings.made(text.main, Rereading)
        return self.kept.grammars.made(self.grammar_digest, lambda: loaded_of(text, earlier))

    @property
    def grammar(self) -> Grammar:
        """The grammar as it is written. Raises GrammarError and UsageError."""
        loaded = self.loaded
        if loaded.errors:
            raise GrammarError(loaded.errors)
        return loaded.grammar

    @property
    def language(self) -> LanguageOfPage | None:
        """The language whose grammar the request has, None for any other grammar."""
        language = self.kept.language
        return language if language is not None and self.request.grammar.main == language.main else None

    @cached_property
    def any_parser(self) -> SentenceParser:
        """The parser that the settings ask for: that of the language where there is one.

        Raises GrammarError, UsageError and DataError.
        """
        if self.language is None:
            return self.parser
        settings, grammar = self.request.settings, self.grammar
        if settings.parser != ParserSettings():
            raise UsageError(
                "this is a language, whose trees are chosen by its expansions, without profiles and heuristics\n"
                f"  leave them as they are, or numbat serve {self.language.grammar_file}"
            )
        if settings.strengths:
            grammar = grammar.with_weights(weights_under(settings.strengths, grammar))
        if settings.fragment_cost is not None:
            grammar = replace(grammar, fragment_cost=_units(settings.fragment_cost))
        return self.language.parser(grammar, Limits(seconds=settings.seconds))

    def judged(self) -> CheckedGrammar:
        """Return the grammar with its mistakes, or else its doubts; what an edit left as it was is not judged again.

        Raises UsageError for a name of none, and SupersededError.
        """
        main = self.request.grammar.main
        return judged(Path(main), self.loaded, self.go_on, self.kept.starts.made(main, KnownStarts))

    @cached_property
    def parser(self) -> Parser:
        """The parser by properties that the settings ask for. Raises GrammarError and UsageError, also for a language,
        whose trees are others.
        """
        if self.language is not None:
            raise UsageError(
                "this is a language, whose trees are chosen by its expansions, not by properties alone\n"
                f"  numbat serve {self.language.grammar_file} answers such questions about its properties"
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
        """The parser under the numbers that the grammar states. Raises GrammarError and UsageError."""
        settings = self.request.settings
        options = replace(settings.parser, limits=Limits(seconds=settings.seconds))
        made = self.kept.parsers.made((self.grammar_digest, options), lambda: (options, self._new_parser(options)))
        return made[1]

    def _new_parser(self, options: ParserSettings) -> Parser:
        """Return a parser of the grammar, with the automata of an earlier one where the structure is as it was."""
        for asked_before, parser in reversed([*self.kept.parsers.values.values()]):
            if asked_before == options and (shared := parser.with_grammar(self.grammar)) is not None:
                return shared
        return parser_of(self.grammar, options)

    @cached_property
    def score(self) -> Scorer:
        """The scorer that the settings ask for. Raises UsageError."""
        model = self.request.settings.model
        if model not in MODELS:  # elsewhere it may be a file, which no page may name
            hint = close_match(model, MODELS) or f"the models are: {', '.join(MODELS)}"
            raise UsageError(f'"{model}" is no gradience model\n  {hint}')
        return scorer_of(ModelSettings(model), self.any_parser.grammar)

    def get_ready(self) -> None:
        """Read the grammar and make its parser, for that is no time of sentences. Raises as these do."""
        _ = self.any_parser, self.score

    def get_ready_for_edits(self) -> None:
        """Read the texts of a grammar that was not read line by line, so that after an edit only that is read.

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
        """Return the same settings under the numbers that the grammar states; both have one clock."""
        settings = replace(self.request.settings, fragment_cost=None, strengths=())
        made = Session(replace(self.request, settings=settings), self.kept, self._is_superseded, self._turns)
        made._clock = self._clock
        return made

    def is_overdue(self) -> bool:
        """True if the time of the request is up, or nobody waits for it any more.

        The time is counted from the first question on, when the grammar has been read.
        """
        if self._clock is None:
            self._clock = Limits(seconds=self.request.settings.seconds).clock()
        return self._is_superseded() or self._clock()

    def go_on(self) -> None:
        """Give way to requests that wait. Raises SupersededError where nobody waits for the answer any more."""
        self._turns.give_way()
        if self._is_superseded():
            raise SupersededError("a newer request has taken the place of this one")

    def lattice(self, typed: str) -> Lattice:
        """Return a sentence without the judgement mark before it, as it is to be parsed.

        Raises DataError for a long one.
        """
        return self._read(leading_mark(typed)[1])

    def _read(self, text: str) -> Lattice:
        if len(text) > MAX_SENTENCE:
            raise DataError(f"this sentence has more than {MAX_SENTENCE:,} characters\n  cut it into several")
        parser = self.any_parser
        readings = parser.words.readings
        return self.kept.lattices.made((text, id(readings)), lambda: (readings, self.read_of_suite(text, parser)))[1]

    def read_of_suite(self, sentence: str, parser: SentenceParser) -> Lattice:
        """Return a sentence of a suite as the parser of the session takes it."""
        return (read_text if self.language is None else self.language.read)(sentence, parser.words)

    def parses(self, typed: str, n: int = 1) -> list[Parse]:
        """Up to `n` parses of a sentence as it was typed, the best first. Raises DataError."""
        return self.parses_of(leading_mark(typed)[1], n)

    def parses_of(self, text: str, n: int = 1) -> list[Parse]:
        """Up to `n` parses of a sentence without a mark before it, the best first. Raises DataError."""
        key = self._key(text, n)
        parses = self.kept.parses.get(key)
        if parses is None:
            lattice = self._read(text)
            settings = self.request.settings
            sentence = text, n, settings.parser, settings.fragment_cost
            earlier = self.kept.known.get(sentence) or ()
            parser = self.any_parser
            parses = known_for(parser, earlier, lattice, self._changes) if isinstance(parser, Parser) else None
            if parses is None:
                parses = list(parser.n_best(lattice, n, overdue=self.is_overdue))
                self.go_on()
            if parses[0].stopped_by is None:
                self.kept.parses.put(key, parses)
                if isinstance(parser, Parser):
                    known = KnownParses(parser.weighted.compiled, tuple(parses))
                    self.kept.known.put(sentence, (known, *earlier)[:MAX_VERSIONS])
        return parses

    def has_parsed(self, typed: str) -> bool:
        """True if the best parse of a sentence is kept."""
        return self.kept.parses.get(self._key(leading_mark(typed)[1], 1)) is not None

    def _key(self, text: str, n: int) -> Hashable:
        settings = self.request.settings
        how = (settings.parser, settings.fragment_cost, settings.strengths)
        return self.grammar_digest, how, text, n


# What a page may ask: the records that a request is made of, with the value that each field has where nobody asks.
#
# {"call": "parse", "grammar": {"main": "my.pg", "files": {"my.pg": "leaves: ..."}}, "given": {"sentence": "a b"}}

SCHEMA: Final = "numbat.web/1"
"""The version of requests and answers."""
MAX_SENTENCE: Final = 2_000
"""Characters of a sentence; a longer one is refused before it is parsed."""
MAX_SENTENCES: Final = 2_000
"""Sentences of one request."""
OF_PAGE: Final = tuple(each.name for each in settings_of(ParserSettings) if each.metadata.get("page"))
"""Settings of a parser that a request has."""
MAX_SECONDS: Final = 60.0
"""Seconds that a request may ask for."""


@frozen
class GrammarText:
    """A grammar as the texts of its files.

    `main` is the name of its first file, or of a packaged grammar. `files` has texts by name: of the first file, of
    those that it includes, of lexicon files. A name that has no text here is one of the files that come with Numbat.
    """

    main: str = "english"
    files: Mapping[str, str] = field(default_factory=dict)


@frozen
class StrengthChange:
    """Another cost or weight for all properties of a relation, or for one property that is written `NP: Det < N`."""

    relation: str | None = None
    property: str | None = None
    cost: float | None = None
    weight: float | None = None


@frozen
class RequestSettings:
    """Settings of parsing and scoring: a gradience model, settings of the parser, other numbers.

    The settings of the parser stand among the others in a request.
    `fragment_cost` and `strengths` take the place of what the grammar says; of two strengths the later one counts.
    `seconds` is the limit of the work on sentences: to read a grammar takes as long as it takes.
    """

    model: str = "cost"
    parser: ParserSettings = field(default=ParserSettings(), metadata={"inlined": OF_PAGE})
    fragment_cost: float | None = None
    strengths: tuple[StrengthChange, ...] = ()
    seconds: float = 5.0

    @property
    def has_changes(self) -> bool:
        """True if other numbers than those of the grammar count."""
        return bool(self.strengths) or self.fragment_cost is not None


@frozen
class PageRequest:
    """A call by its name, the grammar, the settings, and what this call is `given`."""

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
    """A sentence, how many parses of it are wanted, and how trees are drawn.

    `features` is `some` (those that the grammar says trees show), `all` or `none`; phrases of the categories `folded`
    are a triangle over their words, and those of the numbers `flipped` are the other way round.
    """

    sentence: str
    n: int = 1
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
    """A sentence, how many words may be changed in it, and how many proposals are wanted."""

    sentence: str
    edits: int = 1
    most: int = 5


@frozen
class SuiteText:
    """The text of a suite: a starred list, or a table whose first line names its columns; `name` stands in messages."""

    text: str
    name: str = "suite.tsv"


@frozen
class ExerciseText:
    """The text of an exercise with the name of its file; without a text it is a packaged exercise of this name."""

    name: str
    text: str | None = None


@frozen
class TreeFile:
    """A sentence, which of its parses is wanted, in which form (`svg` or `latex`), and how it is drawn (see above)."""

    sentence: str
    rank: int = 1
    form: str = "svg"
    features: str = "some"
    folded: tuple[str, ...] = ()
    flipped: tuple[int, ...] = ()


@frozen
class SentencesToMake:
    """The number of sentences to make, the random seed, and the property that each has to violate."""

    number: int = 10
    seed: int = 0
    violated: str | None = None


# A language, where `numbat serve` was given one


class LanguageOfPage(Protocol):
    """What a page takes of a language: `main` is the name of its grammar there, `grammar_file` the path of that."""

    main: str
    grammar_file: str

    def parser(self, grammar: Grammar, limits: Limits) -> SentenceParser:
        """Return the parser of the language under its grammar as it is in the page."""
        ...

    def read(self, text: str, words: Words) -> Lattice:
        """Return a sentence, with what the tagger says of words that the lexicon does not have."""
        ...

    def view(self, parse: Parse) -> dict[str, Any]:
        """Return what a language says more of a parse: its dependencies as a drawing, its judgement or null."""
        ...


# Grammars, parsers and parses kept between requests, so that a keystroke is answered quickly

Value = TypeVar("Value")

MAX_GRAMMARS: Final = 3
"""So many grammars and parsers are kept: those of three pages, or of one grammar before and after an edit."""
MAX_PARSES: Final = 5_000
"""So many parses are kept: those of a suite under a few vectors of weights."""


@dataclass
class Recent(Generic[Value]):
    """The values that were used last, by what they were made of; `most` of them are kept."""

    most: int
    values: OrderedDict[Hashable, Value] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self.values)

    def get(self, key: Hashable) -> Value | None:
        """Return the value that is kept under a key, None where there is none."""
        if key not in self.values:
            return None
        self.values.move_to_end(key)
        return self.values[key]

    def put(self, key: Hashable, value: Value) -> Value:
        """Keep a value, in the place of the one that was not used for the longest time."""
        self.values[key] = value
        self.values.move_to_end(key)
        if len(self.values) > self.most:
            self.values.popitem(last=False)
        return value

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, which is made where it is not kept."""
        found = self.get(key)
        return self.put(key, make()) if found is None else found


@dataclass
class KeptWork:
    """Results of earlier requests: grammars by their texts, parsers by grammar and settings, their parses.

    `readings` and `starts` are by the name of the first file of a grammar: what its texts from edit to edit have in
    common, and what the checks find of them.
    `lattices` are by text and by the readings of the words, beside which they are kept; `known` has the last parses of
    a sentence, whatever the texts and the numbers of the grammar. `language` is that of the page, None where it has
    none.
    """

    language: LanguageOfPage | None = None

    grammars: Recent[LoadedGrammar] = field(default_factory=lambda: Recent(MAX_GRAMMARS))
    readings: Recent[Rereading] = field(default_factory=lambda: Recent(MAX_GRAMMARS))
    starts: Recent[KnownStarts] = field(default_factory=lambda: Recent(MAX_GRAMMARS))
    parsers: Recent[tuple[ParserSettings, Parser]] = field(default_factory=lambda: Recent(MAX_GRAMMARS))
    parses: Recent[list[Parse]] = field(default_factory=lambda: Recent(MAX_PARSES))
    lattices: Recent[tuple[object, Lattice]] = field(default_factory=lambda: Recent(MAX_PARSES))
    known: Recent[tuple[KnownParses, ...]] = field(default_factory=lambda: Recent(MAX_PARSES))


# Parses of a sentence that are known under other numbers, words or places of the grammar, and are the best still.
#
# A search need not be made again where only places or words of other sentences changed; nor, by the exact engine, where
# only costs changed and no parse can have become better than the known one:
#
# - a parse that costs nothing is one of those that violate nothing, and these are the same while each cost is above 0;
# - where costs only rise, what does not violate a property that is dearer now stays as it is, and all else gets no
#   better. If the best parse is one of these, and no other one was as good, it is the only best one still.

MAX_VERSIONS: Final = 4
"""So many earlier answers are kept of a sentence: under the grammar's own numbers, and those of the last moves."""


@frozen
class KnownParses:
    """The best parses of a lattice, and the automata with which they were found: those of a structure and a profile."""

    automata: object
    parses: tuple[Parse, ...]


class Change:
    """The difference between two grammars of one structure: weights, costs, places, words."""

    def __init__(self, old: Grammar, new: Grammar) -> None:
        self.old, self.new = old, new  # kept, so that the properties that are known by `id` stay
        both = [*zip(old.properties, new.properties, strict=True)]
        self._own = {id(one): other for one, other in both if one is not other}
        self._has_same_weights = all(one.weight == other.weight for one, other in both)
        self._dearer = {id(one) for one, other in both if one.cost < other.cost}
        self._is_cheaper = any(one.cost > other.cost for one, other in both)
        self._is_never_free = all(one.cost > 0 and other.cost > 0 for one, other in both)
        self._known: dict[int, tuple[Characterization, Characterization]] = {}

    def keeps(self, parses: Sequence[Parse]) -> bool:
        """True if these are the best parses, in their order, under the new grammar too."""
        if not self._has_same_weights:
            return False
        if not (self._dearer or self._is_cheaper):
            return True
        best = parses[0]
        if len(parses) > 1 or best.outcome.engine != "exact" or best.outcome.valuation != "relaxation":
            return False
        if best.cost == 0 and self._is_never_free:
            return True
        is_concerned = any(id(evaluated.property) in self._dearer for evaluated in best.violated)
        return best.count == 1 and not (self._is_cheaper or is_concerned)

    def taken_over(self, parse: Parse, lattice: Lattice) -> Parse:
        """Return a parse that is kept, with the properties of the new grammar."""
        tops = tuple([self._tree(top) for top in parse.constituents]) if self._own else parse.constituents
        return replace(parse, grammar=self.new, lattice=lattice, constituents=tops)

    def _tree(self, top: Constituent) -> Constituent:
        """Return a constituent with all below it; without recursion, for trees may be deep."""
        made: dict[int, Constituent] = {}
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
            changed = Characterization(self._instances(both.satisfied), self._instances(both.violated))
            known = self._known[id(both)] = both, changed
        return known[1]

    def _instances(self, instances: Sequence[Instance]) -> tuple[Instance, ...]:
        own = self._own
        return tuple(
            [Instance(own.get(id(instance.property), instance.property), instance.elements) for instance in instances]
        )


class Changes:
    """The differences between the grammars of a request and earlier ones, each pair compared once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Change] = {}

    def between(self, old: Grammar, new: Grammar) -> Change:
        """Return the change from one grammar to another one of its structure."""
        key = id(old), id(new)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Change(old, new)
        return known


def known_for(parser: Parser, earlier: Sequence[KnownParses], lattice: Lattice, changes: Changes) -> list[Parse] | None:
    """Return the best parses of a lattice by a parser, from what was known earlier; None where it has to be
    searched.
    """
    for known in earlier:
        first = known.parses[0]
        if known.automata is parser.weighted.compiled and first.lattice == lattice:
            change = changes.between(first.grammar, parser.grammar)
            if change.keeps(known.parses):
                return [change.taken_over(parse, lattice) for parse in known.parses]
    return None


# Property weights with the user's overrides applied


def weights_under(strengths: Iterable[StrengthChange], grammar: Grammar) -> PropertyWeights:
    """Return the weights and costs of all properties; of two strengths for one property the later one counts.

    Raises UsageError for a relation or property that the grammar does not have, and for a number out of bounds.
    """
    weights, costs = list(grammar.weights.weights), list(grammar.weights.costs)
    for strength in strengths:
        numbers = _meant(strength, grammar)
        for into, value in ((weights, strength.weight), (costs, strength.cost)):
            if value is not None:
                for number in numbers:
                    into[number] = _units(value)
    return PropertyWeights(tuple(weights), tuple(costs))


def _meant(strength: StrengthChange, grammar: Grammar) -> list[int]:
    """Return the numbers of the properties that a strength is for."""
    properties = grammar.properties
    if (strength.relation is None) == (strength.property is None):
        raise UsageError("a strength is for one relation or for one property\n  name one of the two")
    if strength.property is not None:
        wanted = property_named(strength.property, grammar)
        return [number for number, each in enumerate(properties) if each is wanted]
    names = property_types_of(grammar)
    if strength.relation not in names:
        hint = close_match(str(strength.relation), names) or f"the relations are: {', '.join(names)}"
        raise UsageError(f'"{strength.relation}" is not a relation of the grammar\n  {hint}')
    return [number for number, prop in enumerate(properties) if prop.type == strength.relation]


def _units(value: float) -> int:
    if not -MAX_WEIGHT <= value <= MAX_WEIGHT:
        raise UsageError(f"{value:g} is no cost or weight\n  they lie between {-MAX_WEIGHT:,} and {MAX_WEIGHT:,}")
    return round(value * UNIT)


# Grammars read from the texts of their files, and the packaged ones

READABLE: Final = (*SUFFIXES, ".tsv")
"""The endings of packaged files that a grammar may name: grammars and lexicons."""


def digest_of(text: GrammarText) -> str:
    """Return a name of all the texts of a grammar: the same for the same texts."""
    content = json.dumps([text.main, sorted(text.files.items())], ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def loaded_of(text: GrammarText, earlier: Rereading | None = None) -> LoadedGrammar:
    """Return the grammar of the texts as far as it can be read, with its mistakes; what `earlier` texts had is not read
    again.

    Raises UsageError for a name of none.
    """
    if all(given == _packaged_content(name) for name, given in text.files.items()):
        with suppress(GrammarError):  # of a chapter that is no grammar by itself
            grammar = load_grammar(text.main if Path(text.main).is_absolute() else _packaged_file(text.main))
            return LoadedGrammar(grammar, (), {Path(name): Path(name).read_bytes() for name in grammar.files})
    return reread(text, earlier)


def reread(text: GrammarText, earlier: Rereading | None = None) -> LoadedGrammar:
    """Return the grammar of the texts, read line by line but for what `earlier` texts had. Raises UsageError."""
    main = Path(text.main)
    if text.main not in text.files:
        main = Path(_packaged_file(text.main).name)
    return read_grammar(main, content_of=lambda path: _content(path, text), earlier=earlier)


def packaged_texts(name: str) -> GrammarText:
    """Return a packaged grammar as the texts of its own files, but for words. Raises UsageError."""
    file = _packaged_file(name)
    read = [path for path in map(Path, load_grammar(file).files) if path.suffix in SUFFIXES]
    texts = {each.relative_to(file.parent).as_posix(): each.read_text(encoding="utf-8") for each in read}
    return GrammarText(file.name, texts)


def _packaged_content(name: str) -> str | None:
    """Return the text of a grammar or lexicon file that comes with Numbat, None where there is none of that name."""
    try:
        return _content(Path(name), GrammarText()).decode("utf-8")
    except OSError:
        return None


def _packaged_file(name: str) -> Path:
    """Return the first file of a packaged grammar: no other file is looked for."""
    stems = packaged()
    if name.rpartition(".")[0] in stems and name.endswith(SUFFIXES):
        name = name.rpartition(".")[0]
    if name not in stems:
        hint = close_match(name, stems) or f"the packaged grammars are: {', '.join(stems)}"
        raise UsageError(f'"{name}" has no text, and no packaged grammar is called so\n  {hint}')
    return next(filter(None, (packaged_path(f"{name}{suffix}") for suffix in SUFFIXES)))


def _content(path: Path, text: GrammarText) -> bytes:
    """Return the content of a file: its text, else that of the packaged file of this name.

    Raises OSError where there is none.
    """
    given = text.files.get(path.as_posix())
    if given is not None:
        return _bytes_of(given)
    for folder in grammar_folders():
        file = folder / path
        if ".." not in path.parts and folder in file.parents and path.suffix in READABLE and file.is_file():
            return file.read_bytes()
    raise FileNotFoundError(ENOENT, strerror(ENOENT), str(path))


def _bytes_of(given: str) -> bytes:
    """Return what a file holds; bytes of one that is not UTF-8 come as Python decodes names of files."""
    try:
        return given.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half characters
        return given.encode("utf-8", "replace")


# Turns: requests work one at a time, in order; long ones give way


class Turns:
    """The order of requests."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: deque[object] = deque()
        self._new = 0
        self._is_busy = False

    @property
    def is_waited_for(self) -> bool:
        """True if a request waits that has not begun yet."""
        return self._new > 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Return the time in which one request is at work, once those that came before have ended or given way."""
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
        """Let those that wait go first; the request at work goes on behind them."""
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
