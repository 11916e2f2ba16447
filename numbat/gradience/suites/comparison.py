"""Two grammars on one suite, a grammar with parts switched off (Prost 2006), and what of a grammar a suite tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from numbat.gradience.suites import statistics
from numbat.gradience.suites.scored_items import LostItem, ScoredItem, comparable, predicted, ratings_of, score_pairs
from numbat.gradience.suites.statistics import Estimate, Statistic
from numbat.gradience.suites.suite import Item, Suite
from numbat.gradience.suites.summary import main_statistic
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import Property, format_named
from numbat.parsing.parse_record import check_grammar
from numbat.parsing.parser import Parser
from numbat.parsing.policies import HEURISTICS

SAME: Final = "violates the same; costs, weights or what it satisfies differ"
"""Said of an item whose score differs and whose violated properties do not."""


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """An item whose score or violations two grammars differ in: the properties that are violated now, or no longer."""

    item: Item
    before: ScoredItem
    after: ScoredItem
    gained: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def difference(self) -> float:
        """How much the score rises."""
        return (self.after.value or 0.0) - (self.before.value or 0.0)

    @property
    def is_better(self) -> bool | None:
        """Whether the change is as people judge: a good sentence rises, a bad one falls; None where it is neither."""
        good = self.item.is_good
        if good is None or not self.difference:
            return None
        return (self.difference > 0) == good


@dataclass(frozen=True, slots=True)
class Comparison:
    """The items of a suite under two grammars, and those that changed; `lost` are items that are in neither."""

    before: tuple[ScoredItem, ...]
    after: tuple[ScoredItem, ...]
    changes: tuple[ScoreChange, ...]
    lost: tuple[LostItem, ...] = ()


def compare(before: Sequence[ScoredItem], after: Sequence[ScoredItem]) -> Comparison:
    """The items of one suite as an older and a newer grammar have them, side by side."""
    return Comparison(tuple(before), tuple(after), tuple(score_changes(before, after)))


def score_changes(before: Sequence[ScoredItem], after: Sequence[ScoredItem]) -> list[ScoreChange]:
    """The items that changed, in the order of the suite."""
    found = []
    for old, new in zip(before, after, strict=True):
        gone, come = _violated(old), _violated(new)
        if old.value != new.value or gone != come:
            found.append(
                ScoreChange(new.item, old, new, tuple((come - gone).elements()), tuple((gone - come).elements()))
            )
    return found


def _violated(scored: ScoredItem) -> Counter[str]:
    """The violated properties counted by construction and text: lines of a grammar move when it is edited."""
    named = Counter(format_named(each.property) for each in scored.parse.violated)
    if not scored.parse.is_full:
        named["fragments"] += 1
    return named


@dataclass(frozen=True, slots=True)
class PropertyCoverage:
    """How often a property was evaluated on a suite: `good` and `bad` count violations in good and bad sentences."""

    property: Property
    satisfied: int
    violated: int
    good: int
    bad: int


def coverage(items: Sequence[ScoredItem], grammar: Grammar) -> list[PropertyCoverage]:
    """Every property of the grammar, in its order, with how the suite tests it.

    Parses may come from another process. Raises DataError for one by another grammar.
    """
    counts: Counter[tuple[int, str]] = Counter()
    for scored in items:
        check_grammar(scored.parse, grammar)
        kind = {True: "good", False: "bad", None: ""}[scored.item.is_good]
        for each in scored.parse.evaluated:
            key = scored.parse.number_of(each.property)
            counts[key, "satisfied" if each.satisfied else "violated"] += 1
            if not each.satisfied:
                counts[key, kind] += 1
    names = ("satisfied", "violated", "good", "bad")
    return [PropertyCoverage(prop, *(counts[i, name] for name in names)) for i, prop in enumerate(grammar.properties)]


@dataclass(frozen=True, slots=True)
class Ablation:
    """What the main statistic is without a heuristic or a relation, and how much it loses by that."""

    name: str
    value: Estimate
    loss: Estimate
    full: int
    stopped: int


def weakenings(parser: Parser) -> list[str]:
    """The names of what can be switched off: heuristics, then relations of the grammar."""
    relations = dict.fromkeys(prop.relation for prop in parser.grammar.properties)
    return [*sorted(parser.profile.heuristics), *relations]


def weakened_parsers(parser: Parser) -> Iterator[tuple[str, Parser]]:
    """The parser without each heuristic, then without each relation of its grammar, by the name of what is off.

    A relation is off when its properties are taken out of the grammar; the daughters that a construction may have stay
    as they were. Without H1, H2 or H5 the phases engine runs, under its limits.
    """
    grammar = parser.grammar
    for name in weakenings(parser):
        if name in parser.profile.heuristics:
            yield name, parser_like(parser, grammar, name)
        else:
            yield name, parser_like(parser, without_relation(grammar, name))


def parser_like(parser: Parser, grammar: Grammar, *without: str) -> Parser:
    """A parser with the profile, election, valuation and limits of another one, but for these heuristics."""
    profile = parser.profile
    off = (HEURISTICS.keys() - profile.heuristics) | {*without}
    return Parser(grammar, profile.name, profile.election, parser.valuation.name, parser.limits, off)


def without_relation(grammar: Grammar, relation: str) -> Grammar:
    """The grammar without the properties of a relation; what may be a daughter of a construction stays the same."""
    return replace(grammar, constructions=tuple(_without(form, relation) for form in grammar.constructions))


def _without(form: Construction, relation: str) -> Construction:
    kept = tuple(prop for prop in form.properties if prop.relation != relation)
    return replace(form, properties=kept, constituency=form.daughters, head=form.heads)


def ablation(
    name: str, whole: Sequence[ScoredItem], items: Sequence[ScoredItem], suite: Suite, seed: int = 0
) -> Ablation:
    """What a suite loses that was scored without something of that name, against the `whole`."""
    statistic, one, ratings = _columns(whole, suite)
    other = _columns(items, suite)[1]
    value = statistics.estimate(statistic, other, ratings, seed)
    loss = statistics.difference(statistic, one, other, ratings, seed)
    full = sum(each.parse.is_full for each in items)
    return Ablation(name, value, loss, full, sum(each.parse.stopped_by is not None for each in items))


def _columns(items: Sequence[ScoredItem], suite: Suite) -> tuple[Statistic, list[float], list[float]]:
    """The main statistic of the suite, scores and ratings; of minimal pairs how they end: won 1, tied .5, lost 0."""
    main = main_statistic(suite)
    if main == "pair accuracy":
        ends = [1.0 if good > bad else 0.5 if good == bad else 0.0 for good, bad in score_pairs(items, suite)]
        return statistics.mean, ends, ends
    compared = comparable(items)
    statistic = statistics.auc if main == "AUC" else statistics.spearman
    return statistic, [predicted(each) for each in compared], ratings_of(compared)
