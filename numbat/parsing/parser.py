"""`Parser`, the public interface to the engines `exact` and `phases`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from functools import partial
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, Concatenate, Final, NamedTuple, ParamSpec

from numbat.errors import ArgumentError, UsageError, nearest
from numbat.evaluation.constituents import Constituent, lexical_costs
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.digest import structure
from numbat.grammar.model import Grammar, PropertyWeights
from numbat.grammar.profiles import HEURISTICS, Profile
from numbat.grammar.properties import UNIT
from numbat.parsing.analysis import Outcome, Solution, fragment_cost_of
from numbat.parsing.exact.chart import (
    Chart,
    allows,
    contiguous_solutions,
    costliest,
    grammar_of_bounds,
    has_bounds,
    is_same,
    solve,
)
from numbat.parsing.exact.compiled_grammar import CompiledGrammar, WeightedGrammar
from numbat.parsing.policies import (
    GREEDY,
    Limits,
    Overdue,
    ParserSettings,
    SearchLock,
    Valuation,
    known,
    never,
    profile_named,
    scaled,
    valuation_named,
)
from numbat.parsing.result import Parse, Parses
from numbat.parsing.sentence_parser import PipedParser, SentenceReader, announce, check_count, checked_limits, share
from numbat.records import cached_property
from numbat.settings import option_name
from numbat.words.lattice import Lattice

if TYPE_CHECKING:
    from numbat.parsing.explanation.obstacles import PieceReasons
    from numbat.parsing.phases.trace import Observer
    from numbat.parsing.preferences import PreferredChoice

S = ParamSpec("S")

ENGINES: Final = {
    "auto": "exact if the profile allows it, else phases",
    "exact": "compiled properties and a search for the optimum, in polynomial time",
    "phases": "the eight phases of the paper, literally",
}

OF_WEIGHTS: Final = ("evaluator", "_of_bounds", "_piece_reasons")
"""Cached attributes that depend on weights: a parser with other weights must compute them anew."""
SOLUTIONS_SHOWN: Final = 3
"""Number of best solutions that an observer receives at least, if there are that many."""


def _taking_settings(
    settings: Callable[S, ParserSettings],
) -> Callable[[Callable[[Any, Grammar, ParserSettings], None]], Callable[Concatenate[Any, Grammar, S], None]]:
    """Return a decorator: `__init__` then takes the fields of a settings record as its arguments after the grammar."""

    def decorate(start: Callable[[Any, Grammar, ParserSettings], None]) -> Callable[..., None]:
        def start_with(self: Any, grammar: Grammar, *arguments: S.args, **named: S.kwargs) -> None:
            if unknown := [name for name in named if name not in names]:
                raise ArgumentError(f"Parser takes no argument {unknown[0]}\n  {_right_argument(unknown[0], names)}")
            start(self, grammar, settings(*arguments, **named))

        names = [field.name for field in fields(ParserSettings)]

        kind = Parameter.POSITIONAL_OR_KEYWORD
        first = (Parameter("self", kind), Parameter("grammar", kind, annotation="Grammar"))
        fields_of_settings = (
            Parameter(f.name, kind, default=f.default, annotation=f.type) for f in fields(ParserSettings)
        )
        start_with.__signature__ = Signature((*first, *fields_of_settings))  # type: ignore[attr-defined]
        return start_with

    return decorate


def _right_argument(name: str, names: Sequence[str]) -> str:
    """Return what to write instead of an argument that `Parser` lacks: a command-line option, a limit, or a typo."""
    limits = {field.name: option_name(field) for field in fields(Limits)}
    for limit, option in limits.items():
        if name in (limit, option):
            return f"write limits=numbat.Limits({limit}=...)"
    options = {option_name(field): field.name for field in fields(ParserSettings)}
    close = options.get(name) or nearest(name, names)
    return f"write {close}=..." if close else f"its arguments are {', '.join(names)}"


class Nearby(NamedTuple):
    """Chart of all parses of a sentence that cost at most a margin more than a best one, which costs `least` units."""

    chart: Chart
    least: int


NO_PREFERENCES: Final = "none"
"""Name for no preferences, not even packaged ones."""


class Parser(PipedParser):
    """Parser that uses the properties of a grammar; `TreebankParser` uses the counts of a treebank instead.

    `profile` names a set of heuristics (`default`, `paper`, `strict`, `loose`, `discontinuous`, or a profile of the
    grammar; None: the one that the grammar chooses, else `default`), `without` switches off some of H1 to H5,
    `election` overrides that of the profile (`per-construction`, `best-combination`, `beam`, `all`), `valuation` is
    `relaxation` or `net`, `engine` is `auto`, `exact` or `phases`. `check` compares the value found by each search with
    the sums of the evaluator and raises AssertionError if they differ. The grammar's fragment cost is multiplied by
    `granularity`. `termination` (`exhausted`, `first-solution`) overrides that of the grammar. `elect_by` is a function
    by which the election `best-combination` chooses: it takes a constituent as a separate parse and returns what the
    constituent adds to the worth of a combination; the same function chooses the solution (ruling 32).

    Raises UsageError for an unknown name, an engine that does not support the profile, an invalid granularity
    (`policies.scaled`), and negative weights under `relaxation` (ruling 3).
    """

    @_taking_settings(ParserSettings)
    def __init__(self, grammar: Grammar, settings: ParserSettings) -> None:
        self._reader = SentenceReader(grammar, "Parser")
        self.limits = checked_limits(settings.limits, Limits())
        without = settings.without
        if isinstance(without, str) or not isinstance(without, Iterable):
            raise UsageError(f'without takes a list of heuristics, not {without!r}\n  as in without=["H4"]')
        self.settings = settings = replace(settings, without=tuple(without))
        self.grammar = grammar
        self.profile = profile_named(
            settings.profile, settings.election, settings.without, settings.termination, grammar
        )
        self._elect_by = _valuation_function(settings.elect_by, self.profile)
        self.scaled_grammar = scaled(grammar, settings.granularity, self.profile)
        """Grammar with the fragment cost times `granularity`, used in the search; parses refer to `grammar`."""
        self.valuation = valuation_named(settings.valuation)
        self.engine = _engine(known(settings.engine, ENGINES, "engine"), self.profile)
        self.words = self._reader.words
        """Lexicon and token rules of the grammar."""
        compiled = CompiledGrammar(self.evaluator, self.profile)
        self.weighted = WeightedGrammar(compiled, self.scaled_grammar, self.valuation)
        """Grammar as compiled for the exact engine, with weights."""
        _check_signs(grammar, self.valuation)
        if settings.preferences not in (None, NO_PREFERENCES) and not self._may_prefer:
            raise UsageError(
                "preferences need the exact engine, the valuation relaxation, whole trees and no limit of states\n"
                "  leave out what chooses others, or the preferences"
            )
        if isinstance(settings.preferences, str):
            _ = self.preferred  # a file with a mistake is told here, and not for each sentence
        share(self)

    def __repr__(self) -> str:
        return (
            f"<Parser {self.grammar.name or 'without name'}, {self.profile.name}, {self.valuation.name}, {self.engine}>"
        )

    def __reduce__(self) -> tuple[type[Parser], tuple[object, ...]]:
        # A parser is pickled as its arguments, without its caches.
        announce(type(self))
        return type(self), (self.grammar, *self.settings.in_order())

    @cached_property
    def evaluator(self) -> Evaluator:
        """Evaluator of the grammar's properties."""
        return Evaluator(build_table(self.scaled_grammar))

    @cached_property
    def preferred(self) -> PreferredChoice | None:
        """The choice by preferences among parses that cost about the same; None without preferences."""
        given = self.settings.preferences
        if given == NO_PREFERENCES or not self._may_prefer:
            return None
        # Imported on use, as most grammars have no preferences.
        from numbat.parsing.preferences import PreferredChoice, preferences_of

        preferences = preferences_of(given, self.grammar)
        return None if preferences is None else PreferredChoice(preferences, self.evaluator.table)

    @property
    def _may_prefer(self) -> bool:
        """True if preferences may choose; of chunks, those with most words are better, whatever is frequent."""
        return self.searches_by_cost and self.limits.states is None and not self.grammar.is_shallow

    @property
    def granularity(self) -> float:
        """Number by which the grammar's fragment cost is multiplied."""
        return float(self.settings.granularity)

    @property
    def lock(self) -> SearchLock:
        """Lock of the exact engine, which parses one sentence at a time because threads share its tables."""
        return self.weighted.compiled.lock

    @property
    def states(self) -> int:
        """Number of automaton states that the exact engine has built so far; all sentences share them."""
        return self.weighted.compiled.states

    def with_weights(self, weights: PropertyWeights) -> Parser:
        """Return a parser of the same grammar with other weights and costs, indexed by the numbers of the properties.

        Both parsers share the automata and cached moves, so the new one is as fast as this one; only one thread can use
        them at a time. Raises UsageError for invalid weights (`Grammar.with_weights`, ruling 3).
        """
        grammar = self.grammar.with_weights(weights)
        _check_signs(grammar, self.valuation)
        return self._sharing(grammar, self.settings)

    def with_granularity(self, granularity: float) -> Parser:
        """Return a parser of the same grammar with another granularity; it shares automata as in `with_weights`.

        Raises UsageError for an invalid granularity (`policies.scaled`).
        """
        return self._sharing(self.grammar, replace(self.settings, granularity=granularity))

    def with_grammar(self, grammar: Grammar) -> Parser | None:
        """Return a parser of another grammar with the settings of this one; None if the grammars differ in structure.

        Both parsers share the automata, and the lexicon if it is unchanged. Raises UsageError as `with_weights` does.
        """
        if structure(grammar) != structure(self.grammar):
            return None
        _check_signs(grammar, self.valuation)
        made = self._sharing(grammar, self.settings)
        made._reader = self._reader.for_grammar(grammar)
        made.words = made._reader.words
        return made

    def _sharing(self, grammar: Grammar, settings: ParserSettings) -> Parser:
        """Return a parser of a grammar of the same structure that uses the automata of this one."""
        made = object.__new__(type(self))
        made.__dict__.update({name: value for name, value in self.__dict__.items() if name not in OF_WEIGHTS})
        made.grammar, made.settings = grammar, settings
        made.scaled_grammar = scaled(grammar, settings.granularity, self.profile)
        made.weighted = WeightedGrammar(self.weighted.compiled, made.scaled_grammar, self.valuation)
        share(made)
        return made

    def parse(self, sentence: str | Lattice, observer: Observer | None = None, overdue: Overdue | None = None) -> Parse:
        """Return the best parse of a sentence; there is always one. With an `observer`, the phases engine runs too.

        `overdue` is a running clock, for parsing many sentences under one limit of seconds.
        """
        return self.n_best(sentence, 1, observer, overdue)[0]

    def n_best(
        self, sentence: str | Lattice, n: int, observer: Observer | None = None, overdue: Overdue | None = None
    ) -> Parses:
        """Return up to n parses, best first; exact under the elections `per-construction` and `all`."""
        check_count(n)
        overdue = overdue or self.limits.clock()
        lattice = self._reader.lattice(sentence)
        if not lattice.tokens:
            return self.parses_of(lattice, [Solution((), 0)], 1, 0, self.engine, None)
        if self.engine == "phases":
            known = self._without_holes(lattice, n, overdue)
            parses = self._by_phases(lattice, n, observer, overdue, costliest(known))
            if known and parses[0].stopped_by is not None and parses[0].cost_units > (costliest(known) or 0):
                return self.parses_of(lattice, known, 1, parses[0].outcome.rounds, "phases", parses[0].stopped_by)
            return self._beside_the_best(parses, overdue)
        parses, _ = self._by_search(lattice, n, overdue)
        if observer is not None:
            self._show(parses, observer, overdue)
        return parses

    def n_best_nearby(
        self, sentence: str | Lattice, n: int, margin: float, overdue: Overdue | None = None
    ) -> tuple[Parses, Nearby | None]:
        """Return up to n parses, best first, and the chart of all parses within a margin, by one search.

        There is no chart if the search met a limit or does not go by cost (`searches_by_cost`).
        """
        overdue = overdue or self.limits.clock()
        lattice = self._reader.lattice(sentence)
        if not (self.searches_by_cost and lattice.tokens):
            return self.n_best(lattice, n, None, overdue), None
        check_count(n)
        return self._by_search(lattice, n, overdue, round(margin * UNIT))

    def chart(
        self,
        lattice: Lattice,
        keep_all_edges: bool = False,
        ceiling: int | None = None,
        overdue: Overdue = never,
        margin: int | None = None,
    ) -> Chart:
        """Run one exact search of a lattice, for queries beyond the best parses (`queries`, `diagnoses`).

        `keep_all_edges` keeps all alternatives up to the `ceiling`, the maximum cost, `margin` those that are in a
        parse which costs at most so much more than the best one. Hold the `lock` for as long as the chart is in use.
        """
        readings, tokens = lexical_costs(lattice), len(lattice.tokens)
        self.weighted.prepare(tokens)
        return Chart(readings, tokens, self.weighted, self.limits, keep_all_edges, ceiling, overdue, margin)

    def _by_search(
        self, lattice: Lattice, n: int, overdue: Overdue | None, margin: int | None = None
    ) -> tuple[Parses, Nearby | None]:
        preferred = self.preferred
        margins = [margin, None if preferred is None else preferred.margin]
        wide = max([given for given in margins if given is not None], default=None)
        with self.lock:
            solutions, chart, within = solve(lattice, self.weighted, self.limits, n, overdue, wide)
            if self.settings.check:
                chart.check(solutions[0])
            count = chart.count()
            chosen = preferred.choice(within, self.weighted, solutions[0]) if preferred and within else None
        parses, least = self.parses_of(lattice, solutions, count, 1, "exact", chart.stopped_by), chart.least_cost
        if preferred and chosen and (why := preferred.reason(chosen, solutions[0])):
            (first,) = self.parses_of(lattice, [chosen], count, 1, "exact", None)
            others = [one for one in parses if not is_same(one, first)]
            parses = _ranked([replace(first, outcome=replace(first.outcome, preferred=why)), *others][:n])
        nearby = None if within is None or margin is None else Nearby(within, chart.level)
        return parses if least is None else _with_bounds(parses, least_cost=least / UNIT), nearby

    def _show(self, parses: Sequence[Parse], observer: Observer, overdue: Overdue | None) -> None:
        """Run the phases for the observer on a sentence whose best parses are known.

        Under `relaxation`, the rounds drop candidates that cost more than each of these parses.
        """
        known = self.valuation.lexicographic and parses[0].stopped_by is None
        bound = max(parse.cost_units for parse in parses) if known else None
        self._by_phases(parses[0].lattice, len(parses), observer, overdue, bound)

    def _without_holes(self, lattice: Lattice, n: int, overdue: Overdue | None) -> list[Solution]:
        """Return exact contiguous solutions, whose costs bound those of the best solutions under the profile."""
        if self.settings.engine != "auto" or not has_bounds(self.profile, self.valuation):
            return []
        spans = self.profile.has("H5")
        with self.lock:
            return contiguous_solutions(lattice, self._of_bounds, self.scaled_grammar, spans, self.limits, n, overdue)

    @property
    def searches_by_cost(self) -> bool:
        """True if a search within a ceiling finds the parses that this parser would find (`queries`, `diagnoses`)."""
        return self.engine == "exact" and self.valuation.lexicographic

    @property
    def asks_best_cost(self) -> bool:
        """True if, after a greedy election, an exact search of the sentence also finds the cost of the best parse.

        It does not with the engine `phases`, which runs the eight phases alone; with a valuation function (`elect_by`),
        which is not a sum of costs; or without H2 and H5, which the exact engine needs.
        """
        exhaustive = replace(self.profile, election="per-construction", termination="exhausted")
        is_greedy = self.profile.election == GREEDY and self._elect_by is None
        return is_greedy and self.settings.engine == "auto" and allows(exhaustive)

    def _beside_the_best(self, parses: Parses, overdue: Overdue) -> Parses:
        """Return parses found by a greedy election with the cost of the best parse added, unless a limit is met."""
        if not self.asks_best_cost or overdue():
            return parses
        return _with_bounds(parses, best_cost=self._best_cost(parses[0], overdue))

    def _best_cost(self, parse: Parse, overdue: Overdue) -> float | None:
        """Return the cost of the best parse (it may be `parse` itself) as a float; None if the search met a limit."""
        with self.lock:
            chart = self.chart(parse.lattice, overdue=overdue)
            if chart.stopped_by is not None:
                return None
            (best,) = chart.best(1)
        solution = Solution(parse.constituents, parse.fragment_cost_units)
        better = min(solution, best, key=lambda one: self.valuation.value(one.cost, one.gain))
        return better.cost / UNIT

    @cached_property
    def _of_bounds(self) -> WeightedGrammar:
        return grammar_of_bounds(self.weighted, self.scaled_grammar, self.profile, self.valuation)

    def _by_phases(
        self,
        lattice: Lattice,
        n: int,
        observer: Observer | None,
        overdue: Overdue | None,
        bound: int | None = None,
    ) -> Parses:
        # Imported on use, so that the command line starts quickly.
        from numbat.parsing.phases.loop import ElectedForest, Guidance, each_once, run
        from numbat.parsing.phases.trace import Choice

        worth = None if self._elect_by is None else each_once(partial(self._worth, lattice))
        guidance = Guidance(bound, worth, self._best_by)
        built = run(lattice, self.evaluator, self.profile, self.valuation, self.limits, observer, overdue, guidance)
        spans = self.profile.has("H5")
        tokens = len(lattice.tokens)
        forest = ElectedForest(
            built.constituents, built.packed, tokens, self.scaled_grammar, self.valuation, spans, worth
        )
        if built.stopped_by is not None and overdue is not None and overdue():
            solutions, count = [forest.at_once()], 1
        else:
            solutions, count = forest.best(n if observer is None else max(n, SOLUTIONS_SHOWN)), forest.count()
        if observer is not None:
            observer.chosen(Choice(tuple(solutions), count, spans, tokens, built.stopped_by or built.ended_by))
        return self.parses_of(lattice, solutions[:n], count, built.rounds, "phases", built.stopped_by)

    @property
    def _best_by(self) -> str:
        """Name of the valuation, or of the function `elect_by` that replaces the valuation."""
        return self.valuation.name if self._elect_by is None else _name_of(self._elect_by)

    def _worth(self, lattice: Lattice, constituent: Constituent) -> float:
        """Return the value of a constituent under `elect_by`."""
        assert self._elect_by is not None
        fragments = fragment_cost_of((constituent,), len(lattice.tokens), self.scaled_grammar)
        (alone,) = self.parses_of(lattice, [Solution((constituent,), fragments)], 1, 0, "phases", None)
        return self._elect_by(alone)

    def parses_of(
        self,
        lattice: Lattice,
        solutions: Sequence[Solution],
        count: int,
        rounds: int,
        engine: str,
        stopped_by: str | None,
    ) -> Parses:
        """Convert the solutions of a search, best first, to parses by this parser."""
        parses = Parses()
        for rank, solution in enumerate(solutions, start=1):
            why_partial = self._why_partial(solution, stopped_by)
            outcome = self.outcome(solution.fragment_cost, count, rank, rounds, engine)
            outcome = replace(outcome, why_partial=why_partial, stopped_by=stopped_by)
            parses.append(Parse(self.grammar, lattice, solution.constituents, outcome))
        return parses

    def outcome(self, fragment_cost: int, count: int, rank: int, rounds: int, engine: str) -> Outcome:
        """Return the outcome of a search that met no limit, with the settings of this parser."""
        profile = self.profile
        return Outcome(
            fragment_cost, count, rank, rounds, engine, profile.name, profile.election, self._best_by, self.granularity
        )

    def _why_partial(self, solution: Solution, stopped_by: str | None) -> str:
        """Say why the fragments of a solution do not form a phrase; empty for other solutions."""
        if len(solution.constituents) < 2 or stopped_by or self.grammar.is_shallow:
            return ""
        return self._piece_reasons.why_partial(solution.constituents)

    @cached_property
    def _piece_reasons(self) -> PieceReasons:
        # Imported on use, as most sentences have a full parse.
        from numbat.parsing.explanation.obstacles import PieceReasons

        return PieceReasons(self.evaluator, self.profile)


def _ranked(parses: Iterable[Parse]) -> Parses:
    """Return parses with the ranks of their order."""
    return Parses(replace(one, outcome=replace(one.outcome, rank=rank)) for rank, one in enumerate(parses, start=1))


def _with_bounds(parses: Parses, *, best_cost: float | None = None, least_cost: float | None = None) -> Parses:
    """Return the parses with `best_cost` and `least_cost` set in their outcomes (`Outcome`)."""
    return Parses(
        replace(parse, outcome=replace(parse.outcome, best_cost=best_cost, least_cost=least_cost)) for parse in parses
    )


def _check_signs(grammar: Grammar, valuation: Valuation) -> None:
    negative = next((prop for prop in grammar.properties if prop.weight_units < 0), None)
    if valuation.lexicographic and negative is not None:
        place = f" ({negative.span})" if negative.span else ""
        raise UsageError(
            f"negative weights{place} need the valuation net\n  the valuation relaxation does not allow them"
        )


def _valuation_function(
    elect_by: Callable[[Parse], float] | str | None, profile: Profile
) -> Callable[[Parse], float] | None:
    if elect_by is not None and profile.election != "best-combination":
        raise UsageError(
            f"the election {profile.election} does not use a valuation function\n"
            "  only best-combination uses one: choose that election, or the profile paper"
        )
    if isinstance(elect_by, str):
        raise UsageError(
            f'elect_by must be a function of a parse, not "{elect_by}"\n'
            f'  for a gradience model, give numbat.acceptability.models.valuation_function("{elect_by}")'
        )
    return elect_by


def _name_of(valuation_function: Callable[[Parse], float]) -> str:
    """Return the name of a valuation function, or of its class."""
    names = (getattr(valuation_function, attribute, None) for attribute in ("name", "__name__"))
    return next((name for name in names if isinstance(name, str)), type(valuation_function).__name__)


def _engine(engine: str, profile: Profile) -> str:
    possible = allows(profile)
    if engine == "exact" and not possible:
        raise UsageError(
            "the exact engine needs H2, H5, the election per-construction and the termination exhausted\n"
            "  use --engine auto or --engine phases"
        )
    return ("exact" if possible else "phases") if engine == "auto" else engine


MAX_ASSIGNMENTS: Final = 300
"""Maximum number of assignments per sentence if an ablation switches off H2 or H5, so that it ends soon.

Even so, no parse costs more than the one with H2 and H5.
"""


def parser_like(parser: Parser, grammar: Grammar, *without: str) -> Parser:
    """Return a parser with the profile, election, valuation and limits of another one, `without` these heuristics."""
    profile = parser.profile
    off = (HEURISTICS.keys() - profile.heuristics) | {*without}
    limits = parser.limits
    if off & {"H2", "H5"}:
        limits = replace(limits, assignments=min(MAX_ASSIGNMENTS, limits.assignments or MAX_ASSIGNMENTS))
    return Parser(grammar, profile.name, profile.election, parser.valuation.name, limits, off)
