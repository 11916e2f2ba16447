"""Two grammars on one suite, a grammar with parts switched off (Prost 2006), and what of a grammar a suite tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.summary import BASELINES, columns_of, main_columns, main_statistic
from numbat.acceptability.verdicts import (
    LostItem,
    Predictor,
    ScoredItem,
    is_undecided,
    predicted,
    violated_by_known_words,
)
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import Property, format_named
from numbat.markup import Displayed
from numbat.parsing.analysis import check_grammar
from numbat.parsing.parser import Parser, parser_like
from numbat.records import frozen
from numbat.statistics.intervals import Estimate, difference

SAME: Final = "violates the same; costs, weights or what it satisfies differ"
"""Said of an item whose score differs and whose violated properties do not."""


@frozen
class ScoreChange:
    """An item whose score or violations two grammars differ in: the properties that are violated now, or no longer."""

    item: Item
    before: ScoredItem
    after: ScoredItem
    gained: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def difference(self) -> float:
        """The rise of the score."""
        return (self.after.value or 0.0) - (self.before.value or 0.0)

    @property
    def is_better(self) -> bool | None:
        """True if the change is as people judge: a good sentence rises, a bad one falls; None if it is neither.

        A bad sentence that falls for words that the lexicon does not have is undecided, so that it is neither.
        """
        good = self.item.is_good
        if good is None or not self.difference or (self.difference < 0 and is_undecided(self.after)):
            return None
        return (self.difference > 0) == good


@frozen
class Comparison(Displayed):
    """The items of a suite under two grammars, and those that changed; `lost` are items that are in neither."""

    SHOWN_BY: ClassVar = "numbat.acceptability.displays"

    before: tuple[ScoredItem, ...]
    after: tuple[ScoredItem, ...]
    changes: tuple[ScoreChange, ...]
    lost: tuple[LostItem, ...] = ()


def compare(before: Sequence[ScoredItem], after: Sequence[ScoredItem]) -> Comparison:
    """Return the items of one suite as an older and a newer grammar have them, side by side."""
    return Comparison(tuple(before), tuple(after), tuple(score_changes(before, after)))


def score_changes(before: Sequence[ScoredItem], after: Sequence[ScoredItem]) -> list[ScoreChange]:
    """Return the items that changed, in the order of the suite."""
    found = []
    for old, new in zip(before, after, strict=True):
        gone, come = _violated(old), _violated(new)
        if old.value != new.value or gone != come:
            found.append(
                ScoreChange(new.item, old, new, tuple((come - gone).elements()), tuple((gone - come).elements()))
            )
    return found


def _violated(scored: ScoredItem) -> Counter[str]:
    """Return the violated properties counted by construction and text: lines of a grammar move when it is edited."""
    named = Counter(format_named(each.property) for each in scored.parse.violated)
    if not scored.parse.is_full:
        named["fragments"] += 1
    return named


@frozen
class PropertyCoverage:
    """Counts of evaluations of a property on a suite: `good` and `bad` count violations in good and bad sentences.

    Violations that speak of words that the lexicon does not have are `undecided`, and not among the others.
    """

    property: Property
    satisfied: int
    violated: int
    good: int
    bad: int
    undecided: int = 0


@frozen
class Coverage(Displayed):
    """Every property of a grammar with how a suite tests it, and the items of the suite."""

    SHOWN_BY: ClassVar = "numbat.acceptability.displays"

    properties: tuple[PropertyCoverage, ...]
    items: tuple[ScoredItem, ...]


def coverage(items: Sequence[ScoredItem], grammar: Grammar, count_undecided: bool = False) -> list[PropertyCoverage]:
    """Return every property of the grammar, in its order, with how the suite tests it.

    `count_undecided`: violations count whatever words they speak of. Parses may come from another process.
    Raises DataError for one by another grammar.
    """
    counts: Counter[tuple[int, str]] = Counter()
    for scored in items:
        check_grammar(scored.parse, grammar)
        kind = {True: "good", False: "bad", None: ""}[scored.item.is_good]
        parse = scored.parse
        satisfied, violated = (
            [parse.number_of(e.property) for e in each] for each in (parse.satisfied, parse.violated)
        )
        known = parse.violated if count_undecided else violated_by_known_words(parse)
        decided = [parse.number_of(each.property) for each in known]
        undecided = Counter(violated) - Counter(decided)
        named = (("satisfied", satisfied), ("violated", decided), (kind, decided), ("undecided", undecided.elements()))
        counts.update((number, name) for name, numbers in named for number in numbers)
    names = ("satisfied", "violated", "good", "bad", "undecided")
    return [PropertyCoverage(prop, *(counts[i, name] for name in names)) for i, prop in enumerate(grammar.properties)]


@frozen
class Ablation:
    """The main statistic without a heuristic or a relation, and its loss."""

    name: str
    value: Estimate
    loss: Estimate
    full: int
    stopped: int


def weakenings(parser: Parser) -> list[str]:
    """Return the names of what can be switched off: heuristics, then relations of the grammar."""
    relations = dict.fromkeys(prop.type for prop in parser.grammar.properties)
    return [*sorted(parser.profile.heuristics), *relations]


def weakened_parsers(parser: Parser) -> Iterator[tuple[str, Parser]]:
    """Return the parser without each heuristic, then without each relation of its grammar, by the name of what is off.

    A relation is off when its properties are taken out of the grammar; the daughters that a construction may have stay
    as they were. Without H2 or H5 the phases engine runs, under its limits and with no more than `MAX_ASSIGNMENTS`.
    """
    grammar = parser.grammar
    for name in weakenings(parser):
        if name in parser.profile.heuristics:
            yield name, parser_like(parser, grammar, name)
        else:
            yield name, parser_like(parser, without_relation(grammar, name))


def without_relation(grammar: Grammar, relation: str) -> Grammar:
    """Return the grammar without the properties of a relation; what may be a daughter of a construction stays the
    same.
    """
    return replace(grammar, constructions=tuple(_without(form, relation) for form in grammar.constructions))


def violated_properties(items: Sequence[ScoredItem]) -> tuple[Property, ...]:
    """Return the properties that the parses of items violate, the most violated first."""
    counts = Counter(each.property for scored in items for each in scored.parse.violated)
    return tuple(sorted(counts, key=lambda prop: (-counts[prop], format_named(prop))))


def without_each(parser: Parser, properties: Sequence[Property]) -> Iterator[tuple[str, Parser]]:
    """Return the parser without each of the properties, by its name; daughters of constructions stay as they were."""
    grammar = parser.grammar
    for out in properties:
        forms = tuple(_kept(form, [prop for prop in form.properties if prop != out]) for form in grammar.constructions)
        yield format_named(out), parser_like(parser, replace(grammar, constructions=forms))


def _without(form: Construction, relation: str) -> Construction:
    return _kept(form, [prop for prop in form.properties if prop.type != relation])


def _kept(form: Construction, properties: Sequence[Property]) -> Construction:
    kept = tuple(properties)
    return replace(form, properties=kept, constituency=form.daughters, head=form.heads)


def ablation(
    name: str, whole: Sequence[ScoredItem], items: Sequence[ScoredItem], suite: Suite, seed: int = 0
) -> Ablation:
    """Return the loss of a suite that was scored without something of that name, against the `whole`."""
    one, other = main_columns(whole, suite), main_columns(items, suite)
    loss = difference(one.statistic, one.scores, other.scores, one.ratings, seed, one.units)
    full = sum(each.parse.is_full for each in items)
    return Ablation(name, other.estimate(seed), loss, full, sum(each.parse.stopped_by is not None for each in items))


# How much better a model does than something else: a baseline, another model, a regression on what is trivial.
#
# What it is compared with makes no claim about a direction: it is taken by its absolute value, that is turned round
# where that does better.

GAINS: Final = ("pearson", "spearman")
MIN_BESIDE_LENGTH: Final = 10
"""With fewer items nothing is said of whether a model is better than length."""


def gains(items: Sequence[ScoredItem], main: str, other: Predictor, seed: int = 0) -> dict[str, Estimate]:
    """Return the advantage of the scores of items over others, the same parts left out of both: correlations
    of ratings, AUC of signs and pairs.
    """
    names = GAINS if main == "spearman" else ("AUC",)
    return {name: columns_of(name, items).over(columns_of(name, items, other).scores, seed) for name in names}


def is_better(found: Estimate) -> bool:
    """True if a difference is above 0, with all of its interval."""
    return found.low is not None and found.low > 0


def notes_on_models(
    model: str, items: Sequence[ScoredItem], suite: Suite, others: Mapping[str, Predictor], seed: int
) -> Iterator[str]:
    """Return cautions about the figures of models: those that are not better than length, and that one of many was
    chosen by them.
    """
    predictors = {model: predicted, **others}
    if not suite.rated and not suite.pairs:
        return
    if len(predictors) > 2:
        yield (
            f"{len(predictors)} models are judged on the same sentences: the best of them is chosen by these figures, "
            "and will do less well on other sentences; choose it on one half and report it on the other"
        )
    length = main_columns(items, suite, BASELINES["length"]).scores
    if len(length) < MIN_BESIDE_LENGTH:
        return
    not_better = []
    for name, predictor in predictors.items():
        columns = main_columns(items, suite, predictor)
        found = columns.over(length, seed)
        if found.value is not None and not is_better(found):
            not_better.append(name)
    if not_better:
        yield (
            f"not better than the length of the sentences, by {main_statistic(suite)} (the 95 % interval of the "
            f"difference is not above 0): {', '.join(not_better)}"
        )
