"""A grammar made ready to parse: the front door to both engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Final, SupportsIndex

from numbat.errors import DataError, UsageError
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.lookup_table import build_table
from numbat.grammar.features import Bundle
from numbat.grammar.model import Grammar
from numbat.grammar.names import WILDCARD
from numbat.grammar.weights import PropertyWeights
from numbat.parsing.exact.chart import allows, solve
from numbat.parsing.exact.compiled_grammar import CompiledGrammar
from numbat.parsing.exact.weighted_grammar import WeightedGrammar
from numbat.parsing.limits import Limits, Overdue
from numbat.parsing.policies import Profile, Valuation, known, profile_named, valuation_named
from numbat.parsing.records import Solution
from numbat.parsing.result import Parse
from numbat.source import close_match
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import words_of
from numbat.words.plain_text import read_text

if TYPE_CHECKING:
    from numbat.parsing.phases.trace import Observer
    from numbat.parsing.treebank_grammar.expansions import Expansions
    from numbat.parsing.treebank_grammar.guided import Guide

ENGINES: Final = {
    "auto": "exact where the profile allows it, else phases",
    "exact": "compiled properties and a search of the optimum, in polynomial time",
    "phases": "the eight phases of the paper, literally",
}
NO_TRACE: Final = (
    "a trace tells the eight phases, and expansions take the likeliest tree without them\n"
    "  leave --trace or --expansions out"
)
PRUNE: Final = 6.0
"""With expansions: what the likeliest coarse tree is likelier than by this natural logarithm is left out."""
MOST: Final = 1_000_000
"""What `prune` and `properties` may be at most: the engine has room for so much in its costs."""


class Parser:
    """A grammar, made ready, with the way to parse by it.

    `profile` names a set of heuristics (`default`, `paper`, `strict`, `loose`, `discontinuous`), `without` switches
    some of H1 to H5 off, `election` replaces the profile's own (`per-construction`, `best-combination`, `beam`,
    `all`), `valuation` is `relaxation` or `net`, `engine` is `auto`, `exact` or `phases`. `check` compares the value
    of each search with the sums of the evaluator (AssertionError). With `expansions` the likeliest tree is taken
    instead (`guided`), and pruned is what is less likely by `prune` natural logarithms; None: nothing. `properties`
    times the net value of a tree counts with its log-likelihood. Raises UsageError for an unknown name, for a number
    out of its range, for an engine that does not do what the profile asks, and for a grammar with negative weights
    under `relaxation` (ruling 3).
    """

    def __init__(
        self,
        grammar: Grammar,
        profile: str = "default",
        election: str | None = None,
        valuation: str = "relaxation",
        limits: Limits | None = None,
        without: Iterable[str] = (),
        engine: str = "auto",
        check: bool = False,
        expansions: Expansions | None = None,
        prune: float | None = PRUNE,
        properties: float = 0.0,
    ) -> None:
        if not isinstance(grammar, Grammar):
            raise UsageError(
                f"a parser takes a grammar, not {grammar!r}\n  load one: numbat.Parser(numbat.load_grammar(...))"
            )
        if limits is not None and not isinstance(limits, Limits):
            raise UsageError(f"limits are numbat.Limits, not {limits!r}\n  as in limits=numbat.Limits(seconds=10)")
        if isinstance(without, str) or not isinstance(without, Iterable):
            raise UsageError(f'without takes a list of heuristics, not {without!r}\n  as in without=["H4"]')
        without = tuple(without)
        _check_number("prune", 0.0 if prune is None else prune)
        _check_number("properties", properties)
        self._arguments = (
            grammar, profile, election, valuation, limits, without, engine, check, expansions, prune, properties
        )  # fmt: skip
        self.grammar = grammar
        self.profile = profile_named(profile, election, without)
        self.valuation = valuation_named(valuation)
        self.limits = limits or Limits()
        self.engine = _engine(known(engine, ENGINES, "engine"), self.profile)
        self.check = check
        self.words = words_of(grammar)
        self._readings: set[tuple[str, Bundle]] = set()
        compiled = CompiledGrammar(self.evaluator, self.profile)
        self.weighted = WeightedGrammar(compiled, grammar, self.valuation)
        """The compiled grammar of the exact engine, under the weights of the grammar; a search holds its lock."""
        self.guide = _guide(expansions, self.evaluator, prune, properties) if expansions is not None else None
        _check_signs(grammar, self.valuation)

    def __repr__(self) -> str:
        return (
            f"<Parser {self.grammar.name or 'without name'}, {self.profile.name}, {self.valuation.name}, {self.engine}>"
        )

    def __reduce__(self) -> tuple[type[Parser], tuple[object, ...]]:
        # A parser goes to another process as what it was made of: what it has learned of sentences stays.
        return type(self), self._arguments

    @cached_property
    def evaluator(self) -> Evaluator:
        """The one evaluator of the grammar's properties."""
        return Evaluator(build_table(self.grammar))

    def with_weights(self, weights: PropertyWeights) -> Parser:
        """A parser of the same grammar under other weights and costs, by the numbers of the properties.

        Both parsers share the automata and all that was learned of them: parsing goes on as fast as before, in one
        thread at a time. Raises UsageError where the weights do not fit (`Grammar.with_weights`, ruling 3).
        """
        grammar = self.grammar.with_weights(weights)
        _check_signs(grammar, self.valuation)
        made = object.__new__(type(self))
        made.__dict__.update({name: value for name, value in self.__dict__.items() if name != "evaluator"})
        made.grammar = grammar
        made.weighted = WeightedGrammar(self.weighted.compiled, grammar, self.valuation)
        made._arguments = (grammar, *self._arguments[1:])
        return made

    def parse(self, sentence: str | Lattice, observer: Observer | None = None, overdue: Overdue | None = None) -> Parse:
        """The best parse of a sentence; an analysis always comes back. An `observer` makes the phases engine run.

        `overdue` is a clock that was started before, for who parses many sentences under one limit of seconds.
        """
        return self.n_best(sentence, 1, observer, overdue)[0]

    def n_best(
        self, sentence: str | Lattice, n: int, observer: Observer | None = None, overdue: Overdue | None = None
    ) -> list[Parse]:
        """Up to n parses, the best first; exact under the elections `per-construction` and `all`."""
        if not isinstance(n, SupportsIndex) or n < 1:
            raise UsageError(f"{n} parses cannot be asked for\n  ask for 1 or more")
        lattice = read_text(sentence, self.words) if isinstance(sentence, str) else self._checked(sentence)
        if not lattice.tokens:
            return self.parses_of(lattice, [Solution((), 0)], 1, 0, self.engine, None)
        if self.guide is not None:
            return self._by_expansions(self.guide, lattice, n, observer)
        if observer is None and self.engine == "exact":
            return self._by_search(lattice, n, overdue)
        return self._by_phases(lattice, n, observer, overdue)

    def _checked(self, lattice: Lattice) -> Lattice:
        """A lattice that somebody made: what is read from a text needs no check."""
        if not isinstance(lattice, Lattice):
            raise UsageError(
                f"a sentence is a text or a Lattice, not {type(lattice).__name__}\n"
                '  words that are cut already become one with " ".join(words)'
            )
        check_lattice(lattice)
        _check_names(lattice, self.grammar, self._readings)
        return lattice

    @property
    def states(self) -> int:
        """The number of automaton states that the exact engine has built so far; they serve all sentences."""
        return self.weighted.compiled.states

    def _by_search(self, lattice: Lattice, n: int, overdue: Overdue | None) -> list[Parse]:
        with self.weighted.compiled.lock:
            solutions, chart = solve(lattice, self.weighted, self.limits, n, overdue)
            if self.check:
                chart.check(solutions[0])
            count = chart.count()
        return self.parses_of(lattice, solutions, count, 1, "exact", chart.stopped_by)

    def _by_expansions(self, guide: Guide, lattice: Lattice, n: int, observer: Observer | None) -> list[Parse]:
        if observer is not None:
            raise UsageError(NO_TRACE)
        guided = guide.solve(lattice, n)
        parses = self.parses_of(lattice, [each.solution for each in guided], 1, 1, "expansions", None)
        pruned_by = guided[0].pruned_by
        how = "likeliest" if pruned_by is None else f"likeliest, pruned by {pruned_by:g}"
        valuation = f"likelihood + {guide.properties:g} net" if guide.properties else "likelihood"
        return [
            replace(parse, profile="none", election=how, valuation=valuation, log_likelihood=each.log_likelihood)
            for parse, each in zip(parses, guided, strict=True)
        ]

    def _by_phases(self, lattice: Lattice, n: int, observer: Observer | None, overdue: Overdue | None) -> list[Parse]:
        # The phases engine is loaded when it is asked for, so that the command line starts quickly.
        from numbat.parsing.phases.forest import Forest
        from numbat.parsing.phases.loop import run

        built = run(lattice, self.evaluator, self.profile, self.valuation, self.limits, observer, overdue)
        spans = self.profile.has("H5")
        tokens = len(lattice.tokens)
        forest = Forest(built.constituents, built.packed, tokens, self.grammar, self.valuation, spans)
        return self.parses_of(lattice, forest.best(n), forest.count(), built.rounds, "phases", built.stopped_by)

    def parses_of(
        self,
        lattice: Lattice,
        solutions: Sequence[Solution],
        count: int,
        rounds: int,
        engine: str,
        stopped_by: str | None,
    ) -> list[Parse]:
        """Solutions of a search as parses of this parser, the best first."""
        return [
            Parse(
                grammar=self.grammar,
                lattice=lattice,
                constituents=solution.constituents,
                fragment_cost=solution.fragment_cost,
                count=count,
                rounds=rounds,
                engine=engine,
                profile=self.profile.name,
                election=self.profile.election,
                valuation=self.valuation.name,
                stopped_by=stopped_by,
                rank=rank,
            )
            for rank, solution in enumerate(solutions, start=1)
        ]


def _check_signs(grammar: Grammar, valuation: Valuation) -> None:
    negative = next((prop for prop in grammar.properties if prop.weight < 0), None)
    if valuation.lexicographic and negative is not None:
        place = f" ({negative.span})" if negative.span else ""
        raise UsageError(f"negative weights{place} need the valuation net\n  the valuation relaxation takes none")


def _check_number(name: str, number: float) -> None:
    if not isinstance(number, int | float) or not 0 <= number <= MOST:
        raise UsageError(f"{name} is a number from 0 to {MOST:,}, not {number!r}\n  leave it out, or give one")


def _guide(expansions: Expansions, evaluator: Evaluator, prune: float | None, properties: float) -> Guide:
    # Loaded when expansions are given, so that the command line starts quickly.
    from numbat.parsing.treebank_grammar.expansions import Expansions
    from numbat.parsing.treebank_grammar.guided import Guide

    if not isinstance(expansions, Expansions):
        raise UsageError(
            f"expansions are numbat.parsing.treebank_grammar.expansions.Expansions, not {expansions!r}\n"
            "  read_expansions, which is there too, reads those of a file"
        )
    return Guide(expansions, evaluator, prune, properties)


def _engine(asked: str, profile: Profile) -> str:
    possible = allows(profile)
    if asked == "exact" and not possible:
        raise UsageError(
            "the exact engine needs H1, H2, H5 and the election per-construction\n"
            "  leave the choice to --engine auto, or take --engine phases"
        )
    return ("exact" if possible else "phases") if asked == "auto" else asked


def check_lattice(lattice: Lattice) -> None:
    """Raises DataError for an arc that is none, and where a token has no reading, so that nothing could cover it.

    Raises UsageError where the lattice is made of something else than tokens and arcs.
    """
    try:
        _check_arcs(lattice)
    except (TypeError, AttributeError) as error:
        raise UsageError(
            f"what this lattice is made of is wrong: {error}\n"
            '  as in numbat.Lattice(("cats",), (numbat.Arc(0, 1, "cats", "N", (("number", "pl"),)),))'
        ) from None


def _check_arcs(lattice: Lattice) -> None:
    covered: set[int] = set()
    tokens = len(lattice.tokens)
    for arc in lattice.arcs:
        hash(arc)  # TypeError for features in a list or a dict
        if not 0 <= arc.start < arc.end <= tokens:
            raise DataError(
                f'the arc "{arc.form}/{arc.category}" goes from {arc.start} to {arc.end}\n'
                f"  an arc begins before it ends, within the tokens, here from 0 to {tokens}"
            )
        if not isfinite(arc.log_weight):
            raise DataError(
                f'the arc "{arc.form}/{arc.category}" has the log weight {arc.log_weight}\n  it is a finite number'
            )
        if arc.end == arc.start + 1:
            covered.add(arc.start)
    for position, token in enumerate(lattice.tokens):
        if position not in covered:
            raise DataError(f'token {position + 1}, "{token}", has no reading of its own\n  give it one arc at least')


def _check_names(lattice: Lattice, grammar: Grammar, known: set[tuple[str, Bundle]]) -> None:
    """Raises DataError for names in an arc that the grammar does not have; `known` readings are not asked again."""
    for arc in lattice.arcs:
        if (reading := (arc.category, arc.features)) not in known:
            _check_reading(arc, grammar)
            known.add(reading)


def _check_reading(arc: Arc, grammar: Grammar) -> None:
    categories = [*grammar.categories, WILDCARD]
    declared = dict(grammar.features)
    unknown = [("category", arc.category, categories)] if arc.category not in categories else []
    for feature, value in arc.features:
        if value not in declared.get(feature, ()):
            where = ("feature", feature, [*declared])
            unknown.append((f"value of {feature}", value, [*declared[feature]]) if feature in declared else where)
    for what, name, names in unknown:
        hint = close_match(name, names) or f"the grammar has: {', '.join(names) or 'none'}"
        raise DataError(f'"{name}" in the arc "{arc.form}/{arc.category}" is no {what} of the grammar\n  {hint}')
