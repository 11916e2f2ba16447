"""One request at work: its grammar, parser, scorer and clock, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property

from numbat.commands.parsing import parser_of, scorer_of
from numbat.commands.settings import ModelSettings
from numbat.errors import DataError, GrammarError, NumbatError, UsageError, close_match
from numbat.gradience.models import MODELS, Scorer
from numbat.grammar.constructions import Rereading
from numbat.grammar.loading import LoadedGrammar
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits, Overdue, ParserSettings, granularity_of, never
from numbat.parsing.result import Parse
from numbat.web.grammar_texts import digest_of, loaded_of, reread
from numbat.web.kept_work import KeptWork
from numbat.web.known_parses import MOST_VERSIONS, Changes, KnownParses, known_for
from numbat.web.requests import LONGEST_SENTENCE, MOST_SECONDS, Request
from numbat.web.strengths import weights_under
from numbat.web.turns import Turns
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import read_text
from numbat.words.typed import leading_mark


class SupersededError(NumbatError):
    """The end of the work on a request whose place a newer one has taken."""


class Session:
    """A request, and what it takes to answer it. `is_superseded` says that nobody waits for the answer any more."""

    def __init__(
        self, request: Request, kept: KeptWork, is_superseded: Overdue = never, turns: Turns | None = None
    ) -> None:
        if not 0 < request.settings.seconds <= MOST_SECONDS:
            raise UsageError(
                f"settings.seconds is {request.settings.seconds:g}\n  give more than 0, and up to {MOST_SECONDS:g}"
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

    @cached_property
    def parser(self) -> Parser:
        """The parser that the settings ask for. Raises GrammarError and UsageError."""
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
        asked = replace(settings.parser, limits=Limits(seconds=settings.seconds))
        made = self.kept.parsers.made((self.grammar_digest, asked), lambda: (asked, self._new_parser(asked)))
        return made[1]

    def _new_parser(self, asked: ParserSettings) -> Parser:
        """A parser of the grammar, with the automata of an earlier one where the structure is as it was."""
        for asked_before, parser in reversed([*self.kept.parsers.values.values()]):
            if asked_before == asked and (shared := parser.with_grammar(self.grammar)) is not None:
                return shared
        return parser_of(self.grammar, asked)

    @cached_property
    def score(self) -> Scorer:
        """The scorer that the settings ask for. Raises UsageError."""
        model = self.request.settings.model
        if model not in MODELS:  # elsewhere it may be a file, which no page may name
            hint = close_match(model, MODELS) or f"the models are: {', '.join(MODELS)}"
            raise UsageError(f'"{model}" is no gradience model\n  {hint}')
        return scorer_of(ModelSettings(model), self.parser.grammar)

    def get_ready(self) -> None:
        """Read the grammar and make its parser, for that is no time of sentences. Raises as these do."""
        _ = self.parser, self.score

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
        """The same under the numbers that the grammar states; both have one clock."""
        settings = replace(self.request.settings, fragment_cost=None, strengths=())
        made = Session(replace(self.request, settings=settings), self.kept, self._is_superseded, self._turns)
        made._clock = self._clock
        return made

    def is_overdue(self) -> bool:
        """Whether the time of the request is up, or nobody waits for it any more.

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
        """A sentence without the judgement mark before it, as it is to be parsed. Raises DataError for a long one."""
        return self._read(leading_mark(typed)[1])

    def _read(self, text: str) -> Lattice:
        if len(text) > LONGEST_SENTENCE:
            raise DataError(f"this sentence has more than {LONGEST_SENTENCE:,} characters\n  cut it into several")
        words = self.parser.words
        key = text, id(words.readings)
        return self.kept.lattices.made(key, lambda: (words.readings, read_text(text, words)))[1]

    def parses(self, typed: str, n: int = 1) -> list[Parse]:
        """Up to `n` parses of a sentence as it was typed, the best first. Raises DataError."""
        return self.parses_of(leading_mark(typed)[1], n)

    def parses_of(self, text: str, n: int = 1) -> list[Parse]:
        """Up to `n` parses of a sentence without a mark before it, the best first. Raises DataError."""
        key = self._key(text, n)
        found = self.kept.parses.get(key)
        if found is None:
            lattice = self._read(text)
            settings = self.request.settings
            sentence = text, n, settings.parser, settings.fragment_cost
            earlier = self.kept.known.get(sentence) or ()
            found = known_for(self.parser, earlier, lattice, self._changes)
            if found is None:
                found = self.parser.n_best(lattice, n, overdue=self.is_overdue)
                self.go_on()
            if found[0].stopped_by is None:
                self.kept.parses.put(key, found)
                known = KnownParses(self.parser.weighted.compiled, tuple(found))
                self.kept.known.put(sentence, (known, *earlier)[:MOST_VERSIONS])
        return found

    def has_parsed(self, typed: str) -> bool:
        """Whether the best parse of a sentence is kept."""
        return self.kept.parses.get(self._key(leading_mark(typed)[1], 1)) is not None

    def _key(self, text: str, n: int) -> Hashable:
        settings = self.request.settings
        how = (settings.parser, settings.fragment_cost, settings.strengths)
        return self.grammar_digest, how, text, n
