"""Theories of gradience side by side: each predicts acceptability from violations by a formula, compared out of sample.

A *kind* of violation is a relation, a relation in a construction, or a property; `fragments` is one more, which counts
the parts of a parse that is not full. In formulas, n is the number of violations of a kind in a sentence and w its
weight. Each theory is fitted to the ratings of all folds but one and predicts the ratings of that fold, so that more
parameters are no advantage.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from numbat.acceptability.fitting import FOLDS, folds_of
from numbat.acceptability.models import MODELS, score
from numbat.acceptability.suite import Item, Suite, name_of_units, units_of
from numbat.acceptability.suite_report import ceiling_line
from numbat.acceptability.summary import Ceiling, columns_of, split_half
from numbat.acceptability.terms import levels_of
from numbat.acceptability.verdicts import LostItem, Predictor, ScoredItem, comparable, lost_items, ratings_of
from numbat.errors import DataError, counted
from numbat.parsing.policies import known
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.reports.report import Column, Line, Lines, Member, Part, Table, attributes, cautions, report
from numbat.statistics.correlations import spearman
from numbat.statistics.distributions import t_quantile
from numbat.statistics.intervals import LEVEL, Estimate, difference, jackknife_error
from numbat.statistics.regression import Regression, Sums, falling, solutions, squares_left, sums_of

FRAGMENTS: Final = "fragments"
LEVELS: Final = ("relation", "construction", "property")
"""Levels of detail of a kind: a relation, a relation in a construction, a property."""
PENALTY: Final = 0.01
"""Ridge penalty of all fits, relative to the variance of a standardised term: it only keeps them solvable."""
EXPONENTS: Final = tuple(step / 4 for step in range(17))
"""Exponents tried first, from 0 to 4."""
FINER: Final = 0.05
"""Step between the exponents tried around the best of them; a parabola interpolates the least error."""
BLOCKS: Final = 40
"""Largest number of blocks of whole groups for jackknife intervals."""
LEAST_REPEATS: Final = 8
"""Least number of sentences with two violations of a kind, or of two kinds, for an estimate of their effect."""
LEAST_BLOCKS: Final = 8
"""Least number of blocks with relevant sentences for an interval."""
ADDITIVE: Final = "additive"

Kinds = Mapping[str, int]


@frozen
class ViolationProfile:
    """A rated sentence: its violations by kind, and the scores of models by name."""

    kinds: Kinds
    indices: Mapping[str, float]


Prediction = Callable[[ViolationProfile], float]


class Theory(NamedTuple):
    """A theory with its formula and source; `learn` fits it to examples and their ratings."""

    name: str
    formula: str
    source: str
    learn: Callable[[Sequence[ViolationProfile], Sequence[float]], Prediction]


def kinds_of(parse: Parse, level: str = "relation") -> Kinds:
    """Return the number of violations of each kind in a parse. Raises UsageError for an unknown level."""
    place = LEVELS.index(known(level, LEVELS, "kind of violation"))
    counts = Counter(levels_of(evaluated.property)[place] for evaluated in parse.violated)
    if not parse.is_full:
        counts[FRAGMENTS] = len(parse.constituents)
    return counts


# The theories: linear ones map each sentence to a row of terms for a regression


def _linear(
    terms: Callable[[Kinds, Sequence[str]], list[float]],
) -> Callable[[Sequence[ViolationProfile], Sequence[float]], Prediction]:
    def learn(examples: Sequence[ViolationProfile], ratings: Sequence[float]) -> Prediction:
        names = names_of(examples)
        rows = [terms(profile.kinds, names) for profile in examples]
        fitted = _solved(sums_of(rows, ratings))
        return lambda example: float(fitted.predict(terms(example.kinds, names)))

    return learn


def names_of(examples: Sequence[ViolationProfile]) -> list[str]:
    """Return the kinds that examples violate, sorted by name."""
    return sorted({name for profile in examples for name in profile.kinds})


def _solved(sums: Sums) -> Regression:
    return solutions(sums, (PENALTY,))[0]


def _error(sums: Sums) -> float:
    """Return the residual sum of squares of the regression."""
    return squares_left(sums, _solved(sums))


def _counts(kinds: Kinds, names: Sequence[str]) -> list[float]:
    return [float(kinds.get(name, 0)) for name in names]


def _presence(kinds: Kinds, names: Sequence[str]) -> list[float]:
    return [float(kinds.get(name, 0) > 0) for name in names]


def _ganging(kinds: Kinds, names: Sequence[str]) -> list[float]:
    return [*_counts(kinds, names), pairs_of_kinds(kinds)]


def pairs_of_kinds(kinds: Kinds) -> float:
    """Return the number of pairs of different kinds that a sentence violates."""
    number = sum(count > 0 for count in kinds.values())
    return number * (number - 1) / 2


def powers(kinds: Kinds, names: Sequence[str], exponent: float) -> list[float]:
    """Return the counts of kinds raised to a power; with exponent 0, each kind that is violated counts 1."""
    return [float(kinds[name]) ** exponent if kinds.get(name, 0) else 0.0 for name in names]


def _learn_power(examples: Sequence[ViolationProfile], ratings: Sequence[float]) -> Prediction:
    names = names_of(examples)
    tried = {}
    for exponent in _tried(examples, ratings):
        tried[exponent] = _error(sums_of([powers(profile.kinds, names, exponent) for profile in examples], ratings))
    best = least_exponent(tried)
    fitted = _solved(sums_of([powers(profile.kinds, names, best) for profile in examples], ratings))
    return lambda example: float(fitted.predict(powers(example.kinds, names, best)))


def _tried(examples: Sequence[ViolationProfile], ratings: Sequence[float]) -> list[float]:
    """Return the exponents to try: coarse ones, and fine ones around the best of these."""
    names = names_of(examples)
    errors = {e: _error(sums_of([powers(profile.kinds, names, e) for profile in examples], ratings)) for e in EXPONENTS}
    best = min(EXPONENTS, key=errors.__getitem__)
    steps = range(-round(EXPONENTS[1] / FINER), round(EXPONENTS[1] / FINER) + 1)
    fine = (round(best + step * FINER, 6) for step in steps)
    return sorted({*EXPONENTS, *(e for e in fine if EXPONENTS[0] <= e <= EXPONENTS[-1])})


def _learn_strongest(examples: Sequence[ViolationProfile], ratings: Sequence[float]) -> Prediction:
    """Fit by turns: assign each sentence to its heaviest kind, then fit each weight to its sentences."""
    names = names_of(examples)
    clean = [rating for profile, rating in zip(examples, ratings, strict=True) if not profile.kinds]
    top = fmean(clean or ratings)
    weights = {
        name: top - fmean(r for e, r in zip(examples, ratings, strict=True) if name in e.kinds) for name in names
    }
    for _ in range(50):
        of: dict[str, list[float]] = {name: [] for name in names}
        for profile, rating in zip(examples, ratings, strict=True):
            if profile.kinds:
                of[max(profile.kinds, key=lambda name: (weights[name], name))].append(rating)
        again = {name: top - fmean(row) if row else weights[name] for name, row in of.items()}
        if again == weights:
            break
        weights = again
    return lambda example: top - max((weights.get(name, 0.0) for name in example.kinds), default=0.0)


def ranking_of(examples: Sequence[ViolationProfile], ratings: Sequence[float]) -> list[str]:
    """Rank the kinds: each has the lowest mean rating among the sentences without a higher kind."""
    left = list(zip(examples, ratings, strict=True))
    waiting, order = set(names_of(examples)), []
    while waiting:
        means = {name: [rating for profile, rating in left if name in profile.kinds] for name in waiting}
        whole = fmean(rating for _, rating in left) if left else 0.0
        # The mean of all is added as one more sentence, so that a single sentence does not decide the rank of a kind.
        low = min(sorted(waiting), key=lambda name: (fsum(means[name]) + whole) / (len(means[name]) + 1))
        order.append(low)
        waiting.discard(low)
        left = [(profile, rating) for profile, rating in left if low not in profile.kinds]
    return order


def _learn_strict(examples: Sequence[ViolationProfile], ratings: Sequence[float]) -> Prediction:
    """Rank the kinds, then fit ratings that fall in the lexicographic order of the violations (isotonic regression)."""
    order = ranking_of(examples, ratings)

    def key(kinds: Kinds) -> tuple[int, ...]:
        return tuple(kinds.get(name, 0) for name in order)

    of: dict[tuple[int, ...], list[float]] = {}
    for profile, rating in zip(examples, ratings, strict=True):
        of.setdefault(key(profile.kinds), []).append(rating)
    keys = sorted(of)
    levels = falling([fmean(of[row]) for row in keys], [len(of[row]) for row in keys])
    return lambda example: levels[max(0, bisect_right(keys, key(example.kinds)) - 1)]


def _index(name: str) -> Callable[[Sequence[ViolationProfile], Sequence[float]], Prediction]:
    def learn(examples: Sequence[ViolationProfile], ratings: Sequence[float]) -> Prediction:
        fitted = _solved(sums_of([[profile.indices[name]] for profile in examples], ratings))
        return lambda example: float(fitted.predict([example.indices[name]]))

    return learn


LENGTH: Final = "length"
BOUNDED_COST: Final = "cost, bounded"
INDICES: Final = (
    *("density", "satisfaction", "precision", "grammaticality-index", "applicable-index"),
    *("grammaticality", "coherence", "fitness"),
)
"""Models of the literature that are also theories, each fitted to the ratings by a straight line."""

THEORIES: Final[Mapping[str, Theory]] = {
    theory.name: theory
    for theory in (
        Theory(LENGTH, "a + b words", "baseline", _index(LENGTH)),
        Theory(
            "strict domination",
            "falls along the order of n1, n2, ... by rank",
            "Prince & Smolensky 1993",
            _learn_strict,
        ),
        Theory("strongest", "a - max w over the kinds that are violated", "Numbat", _learn_strongest),
        Theory(
            "ganging-up",
            "a - sum of w [n > 0]: kinds add up, repeats do not count",
            "Jäger & Rosenbach 2006",
            _linear(_presence),
        ),
        Theory(ADDITIVE, "a - sum of w n: kinds and repeats add up", "Keller 2000", _linear(_counts)),
        Theory("power", "a - sum of w n^c, c fitted", "Numbat", _learn_power),
        Theory("super-additive", "a - sum of w n - g pairs of kinds, g fitted", "Numbat", _linear(_ganging)),
        Theory(BOUNDED_COST, "a + b/(1 + cost)", "Numbat", _index(BOUNDED_COST)),
        *(Theory(name, f"a + b ({MODELS[name].formula})", MODELS[name].source, _index(name)) for name in INDICES),
    )
}
"""Theories by name."""


def example_of(item: ScoredItem, level: str = "relation") -> ViolationProfile:
    """Return a rated sentence as an example for the theories."""
    cost = -score(item.parse).value
    indices = {name: score(item.parse, name).value for name in INDICES}
    return ViolationProfile(
        kinds_of(item.parse, level), {LENGTH: float(item.length), BOUNDED_COST: 1 / (1 + max(0.0, cost)), **indices}
    )


# Out of sample: folds that share no group, and folds that share no condition


@frozen
class TheoryResult:
    """A theory out of sample: Pearson's r with held-out items and, if conditions recur in several folds, with held-out
    conditions; `behind` is how much better `additive` is, with the interval of the difference.
    """

    theory: Theory
    items: Estimate
    conditions: Estimate | None
    behind: Estimate | None
    predictions: tuple[float, ...]


@frozen
class FittedNumber:
    """A number estimated from all sentences, with its 95 % interval; `missing` is the reason why there is none.

    `sentences` is the number of sentences that bear on it.
    """

    value: float | None
    low: float | None
    high: float | None
    sentences: int
    missing: str = ""


@frozen
class KindWeight:
    """A kind in the additive theory: its weight with interval, and the loss out of sample without it.

    `sentences` is the number of sentences that violate it.
    """

    name: str
    sentences: int
    weight: FittedNumber
    without: Estimate
    lost: Estimate


@frozen
class TheoryReport:
    """All theories on one suite.

    `exponent` is the effect of a second violation of a kind, `ganging` the effect of each pair of kinds beyond their
    sum, in points of rating (above 0: worse together).
    """

    items: tuple[ScoredItem, ...]
    results: tuple[TheoryResult, ...]
    exponent: FittedNumber
    ganging: FittedNumber
    kinds: tuple[KindWeight, ...]
    ceiling: Ceiling | None
    level: str
    notes: tuple[str, ...]


def compare_theories(
    items: Sequence[ScoredItem],
    names: Sequence[str] = (),
    level: str = "relation",
    seed: int = 0,
    folds: int = FOLDS,
    advance: Callable[[], object] = lambda: None,
) -> TheoryReport:
    """Compare the theories of these names, or all, on rated sentences. `advance` is called after each theory.

    Raises UsageError for an unknown theory or kind, DataError for too few ratings.
    """
    chosen = [THEORIES[known(name, THEORIES, "theory")] for name in names] or list(THEORIES.values())
    rated = comparable(items)
    ratings = ratings_of(rated)
    if len(rated) < 2 * folds or len(set(ratings)) < 2:
        raise DataError(
            f"{counted(len(rated), 'rated sentence')}, {counted(len(set(ratings)), 'different rating')}: "
            "too few to compare\n"
            f"  theories need at least {2 * folds} sentences that are not all rated the same"
        )
    examples = [example_of(item, level) for item in rated]
    by_items, by_conditions = fold_assignments(rated, seed, folds)
    reference = held_out(THEORIES[ADDITIVE], examples, ratings, by_items)
    results = []
    for theory in chosen:
        predicted = reference if theory.name == ADDITIVE else held_out(theory, examples, ratings, by_items)
        columns = columns_of("pearson", rated, _predictor(rated, predicted))
        others = None if by_conditions is None else held_out(theory, examples, ratings, by_conditions)
        results.append(
            TheoryResult(
                theory,
                columns.estimate(seed),
                None if others is None else columns_of("pearson", rated, _predictor(rated, others)).estimate(seed),
                None if theory.name == ADDITIVE else _behind(rated, reference, predicted, seed),
                tuple(predicted),
            )
        )
        advance()
    blocks = _blocks(rated, seed)
    return TheoryReport(
        rated,
        tuple(results),
        exponent_of(examples, ratings, blocks),
        ganging_of(examples, ratings, blocks),
        tuple(_weights(rated, examples, ratings, blocks, by_items, reference, seed)),
        split_half([scored_item.item for scored_item in rated], seed),
        level,
        tuple(filter(None, (on_depth(rated),))),
    )


def _predictor(items: Sequence[ScoredItem], values: Sequence[float]) -> Predictor:
    of = {id(item): value for item, value in zip(items, values, strict=True)}
    return lambda scored_item: of[id(scored_item)]


def _behind(items: Sequence[ScoredItem], reference: Sequence[float], other: Sequence[float], seed: int) -> Estimate:
    columns = columns_of("pearson", items, _predictor(items, reference))
    return difference(columns.statistic, columns.scores, other, columns.ratings, seed, columns.units)


def fold_assignments(items: Sequence[ScoredItem], seed: int, folds: int) -> tuple[list[int], list[int] | None]:
    """Return the fold of each item in two divisions: one that divides no group, pair or variants, one no condition.

    The second is None if there are fewer conditions than folds, or if the first divides no condition.
    """
    suite_items = [scored_item.item for scored_item in items]
    words = [item.parse.lattice.tokens for item in items]
    by_items = folds_of(suite_items, words, seed, folds).of
    if len(set(by_items)) < folds:
        raise DataError(
            f"{counted(len(items), 'sentence')} in {counted(len(set(by_items)), 'group')}: too few for {folds} folds\n"
            "  a group stays in one fold: use fewer --folds, or add other sentences"
        )
    conditions: dict[str, set[int]] = {}
    for item, fold in zip(suite_items, by_items, strict=True):
        conditions.setdefault(item.phenomenon, set()).add(fold)
    if len(conditions) < folds or all(len(folds_with) == 1 for folds_with in conditions.values()):
        return by_items, None
    return by_items, folds_of([_by_condition(item) for item in suite_items], words, seed, folds).of


def _by_condition(item: Item) -> Item:
    return replace(item, group=item.phenomenon or "(none)", pair="")


def held_out(
    theory: Theory, examples: Sequence[ViolationProfile], ratings: Sequence[float], fold_of: Sequence[int]
) -> list[float]:
    """Return the predictions of a theory for each item, learned from the other folds."""
    predictions = [0.0] * len(examples)
    for fold in sorted(set(fold_of)):
        train = [i for i, fold_i in enumerate(fold_of) if fold_i != fold]
        predict = theory.learn([examples[i] for i in train], [ratings[i] for i in train])
        for i, fold_i in enumerate(fold_of):
            if fold_i == fold:
                predictions[i] = predict(examples[i])
    return predictions


# The effect of a second violation: fits on all sentences, with jackknife intervals (t) over blocks of groups


def least_exponent(errors: Mapping[float, float]) -> float:
    """Return the exponent with the least error, by a parabola through the best one tried and its neighbours."""
    tried = sorted(errors)
    best = min(range(len(tried)), key=lambda place: errors[tried[place]])
    if best in (0, len(tried) - 1):
        return tried[best]
    low, middle, high = tried[best - 1 : best + 2]
    left, right = middle - low, high - middle
    below, above = errors[middle] - errors[low], errors[middle] - errors[high]
    bend = left * above + right * below
    return middle - (left * left * above - right * right * below) / (2 * bend) if bend < 0 else middle


def exponent_of(examples: Sequence[ViolationProfile], ratings: Sequence[float], blocks: Sequence[int]) -> FittedNumber:
    """Return the exponent of `power`: 1 if a second violation counts as much as the first, 0 if it does not count."""
    repeats = sum(any(count > 1 for count in example.kinds.values()) for example in examples)
    if repeats < LEAST_REPEATS:
        return FittedNumber(None, None, None, repeats, "too few sentences violate one kind twice")
    names = names_of(examples)
    whole, parts = {}, {}
    for exponent in _tried(examples, ratings):
        rows = [powers(profile.kinds, names, exponent) for profile in examples]
        whole[exponent], parts[exponent] = sums_of(rows, ratings), _of_blocks(rows, ratings, blocks)
    value = least_exponent({exponent: _error(sums) for exponent, sums in whole.items()})
    left_out = [least_exponent({e: _error(whole[e] - parts[e][block]) for e in whole}) for block in sorted(set(blocks))]
    if value in (EXPONENTS[0], EXPONENTS[-1]):
        edge = f"{value:g} or {'less' if value == EXPONENTS[0] else 'more'}: at the end of the exponents tried"
        return FittedNumber(value, None, None, repeats, edge)
    blocks_with = {b for e, b in zip(examples, blocks, strict=True) if max(e.kinds.values(), default=0) > 1}
    return _with_interval(value, left_out, repeats, len(blocks_with))


def ganging_of(examples: Sequence[ViolationProfile], ratings: Sequence[float], blocks: Sequence[int]) -> FittedNumber:
    """Return the effect of each pair of kinds beyond their sum, in points of rating."""
    several = sum(pairs_of_kinds(profile.kinds) > 0 for profile in examples)
    if several < LEAST_REPEATS:
        return FittedNumber(None, None, None, several, "too few sentences violate two kinds")
    names = names_of(examples)
    rows = [_ganging(profile.kinds, names) for profile in examples]
    return _slopes(rows, ratings, blocks, [several] * len(rows[0]))[-1]


def _slopes(
    rows: Sequence[Sequence[float]], ratings: Sequence[float], blocks: Sequence[int], sentences: Sequence[int]
) -> list[FittedNumber]:
    """Return the effect of each term, with its interval."""
    whole, parts = sums_of(rows, ratings), _of_blocks(rows, ratings, blocks)
    value = (-_solved(whole).slopes).tolist()
    left_out = [(-_solved(whole - parts[block]).slopes).tolist() for block in sorted(set(blocks))]
    numbers = []
    for place, slope in enumerate(value):
        blocks_with = {block for row, block in zip(rows, blocks, strict=True) if row[place]}
        numbers.append(_with_interval(slope, [row[place] for row in left_out], sentences[place], len(blocks_with)))
    return numbers


def _with_interval(value: float, left_out: Sequence[float], sentences: int, blocks: int) -> FittedNumber:
    """Return a number with its jackknife interval: t with one degree of freedom less than blocks.

    `blocks` is the number of blocks with relevant sentences; with too few there is no interval.
    """
    if blocks < LEAST_BLOCKS:
        return FittedNumber(value, None, None, sentences, f"in fewer than {LEAST_BLOCKS} groups: no interval")
    reach = t_quantile((1 + LEVEL) / 2, len(left_out) - 1) * jackknife_error(left_out)
    return FittedNumber(value, value - reach, value + reach, sentences)


def _of_blocks(rows: Sequence[Sequence[float]], ratings: Sequence[float], blocks: Sequence[int]) -> dict[int, Sums]:
    sums = {}
    for block in sorted(set(blocks)):
        places = [i for i, block_of in enumerate(blocks) if block_of == block]
        sums[block] = sums_of([rows[i] for i in places], [ratings[i] for i in places])
    return sums


def _blocks(items: Sequence[ScoredItem], seed: int) -> list[int]:
    """Return the block of each item: whole groups and pairs, shuffled into at most `BLOCKS` blocks of similar size."""
    units = units_of([item.item for item in items])
    size: dict[Hashable, int] = Counter(units)
    order = list(size)
    Random(seed).shuffle(order)
    filled = [0] * min(BLOCKS, len(order))
    block: dict[Hashable, int] = {}
    for unit in sorted(order, key=lambda unit: -size[unit]):
        least = min(range(len(filled)), key=filled.__getitem__)
        block[unit] = least
        filled[least] += size[unit]
    return [block[unit] for unit in units]


def _weights(
    items: Sequence[ScoredItem],
    examples: Sequence[ViolationProfile],
    ratings: Sequence[float],
    blocks: Sequence[int],
    fold_of: Sequence[int],
    reference: Sequence[float],
    seed: int,
) -> list[KindWeight]:
    """Return the `MOST_KINDS` most frequent kinds of the additive theory, those with the greatest loss first."""
    frequency = Counter(name for profile in examples for name in profile.kinds)
    names = names_of(examples)
    if not names:
        return []
    slopes = _slopes([_counts(e.kinds, names) for e in examples], ratings, blocks, [frequency[n] for n in names])
    weights = []
    for name, weight in zip(names, slopes, strict=True):
        if (frequency[name], name) < sorted(((n, k) for k, n in frequency.items()), reverse=True)[:MOST_KINDS][-1]:
            continue
        less = [replace(e, kinds={k: n for k, n in e.kinds.items() if k != name}) for e in examples]
        without = held_out(THEORIES[ADDITIVE], less, ratings, fold_of)
        columns = columns_of("pearson", items, _predictor(items, without))
        lost = _behind(items, reference, without, seed)
        weights.append(KindWeight(name, frequency[name], weight, columns.estimate(seed), lost))
    return sorted(weights, key=lambda weight: (-(weight.lost.value or 0.0), weight.name))


MOST_KINDS: Final = 15
"""Largest number of kinds that are left out one by one: the most frequent ones."""

# Published indices under a broad grammar

DEEP: Final = 0.5
"""A caution is given if the rank correlation of an index with the number of phrases is minus this or below."""
LEAST_WELL_FORMED: Final = 10
OF_DEPTH: Final = ("grammaticality-index", "grammaticality")
"""Indices that multiply completeness along the tree; it is small if few of a grammar's many properties apply."""


def on_depth(items: Sequence[ScoredItem], names: Sequence[str] = OF_DEPTH) -> str:
    """Return a caution if published indices fall with the number of phrases, over well-formed sentences; else empty.

    In well-formed sentences nothing else can change these indices.
    """
    parses = [item.parse for item in items if item.parse.is_well_formed]
    if len(parses) < LEAST_WELL_FORMED:
        return ""
    phrases = [float(sum(not constituent.is_word for constituent in parse.walk())) for parse in parses]
    scored = [(name, [score(parse, name) for parse in parses]) for name in names]
    rhos = [(name, spearman([value.value for value in scores], phrases)) for name, scores in scored]
    deep = [(name, rho) for name, rho in rhos if rho is not None and rho <= -DEEP]
    if not deep:
        return ""
    counts = [term.counts for _, scores in scored[:1] for value in scores for term in value.terms]
    apply, whole = fmean(count.evaluated for count in counts), fmean(count.total for count in counts)
    which = ", ".join(f"{name} (rho {rho:.2f})" for name, rho in deep)
    return (
        "measures depth: it falls with the number of phrases in "
        f"{counted(len(parses), 'well-formed sentence')}: {which}; "
        f"on average {apply:.0f} of {whole:.0f} properties apply to a phrase, so that completeness is small and each "
        "level multiplies by it; applicable-index counts in T only the properties that apply"
    )


# The report


@report("numbat.theories/1")
def theory_report(theories: TheoryReport, suite: Suite, grammar: str, lost: Sequence[LostItem] = ()) -> Iterator[Part]:
    """Yield each theory with its predictions out of sample, the effect of a second violation, and each kind."""
    rated = f"{counted(len(theories.items), 'rated sentence')}{suite.means}"
    yield Member("suite", suite.name, cautions(suite.notes))
    yield Member("grammar", grammar, f"{suite.name}: {rated}, grammar {grammar}, kinds by {theories.level}")
    yield Member("kinds_by", theories.level)
    yield Member("sentences", len(theories.items))
    yield Member("notes", [*suite.notes, *theories.notes], [*cautions(theories.notes), ""])
    yield Table(_theory_columns(theories), theories.results, "theories")
    yield Member("ids", [item.id for item in theories.items])
    if theories.ceiling is None:
        yield Member("ceiling", None)
    else:
        yield Member("ceiling", theories.ceiling.value, ceiling_line(theories.ceiling))
    units = name_of_units([scored_item.item for scored_item in theories.items])
    text = f"Pearson's r of ratings and the predictions of each theory from other folds; intervals over {units}"
    yield Lines(["", text])
    if any(result.conditions is not None for result in theories.results):
        held_out = "items held out: the theory learned from other sentences of the same conditions"
        yield Line(f"{held_out}; conditions held out: it learned from none")
    yield Line()
    yield Table(FORMULAS, theories.results)
    text = f"n violations of a kind count as n^c (c = 1: as n, c = 0: as one): c = {_fitted(theories.exponent)}"
    yield Member("exponent", _number(theories.exponent), ["", text])
    text = f"two kinds together take off more than their sum, in points of rating: g = {_fitted(theories.ganging)}"
    yield Member("ganging", _number(theories.ganging), text)
    if theories.kinds:
        yield Line()
        yield Table(KINDS, theories.kinds, "kinds")
        how = "in points of rating; r without: fitted again without the kind, items held out"
        yield Line(f"the theory {ADDITIVE}, {how}")
    else:
        yield Member("kinds", [])
    yield lost_items(lost)


def _theory_columns(theories: TheoryReport) -> Sequence[Column[TheoryResult]]:
    both = any(result.conditions is not None for result in theories.results)
    return (
        Column("theory", "", "name", lambda row: row.theory.name),
        Column(key="formula", value=lambda row: row.theory.formula),
        Column(key="source", value=lambda row: row.theory.source),
        Column("items held out", lambda row: str(row.items), "items_held_out", lambda row: _interval(row.items)),
        Column(
            "conditions held out",
            (lambda row: "-" if row.conditions is None else str(row.conditions)) if both else None,
            "conditions_held_out",
            lambda row: _interval(row.conditions),
        ),
        Column(
            f"{ADDITIVE} is better by",
            lambda row: "" if row.behind is None else str(row.behind),
            "additive_is_better_by",
            lambda row: _interval(row.behind),
        ),
        Column(key="predictions", value=lambda row: list(row.predictions)),
    )


FORMULAS: Final[Sequence[Column[TheoryResult]]] = (
    Column("", lambda row: row.theory.name),
    Column("", lambda row: row.theory.formula),
    Column("", lambda row: row.theory.source),
)
KINDS: Final[Sequence[Column[KindWeight]]] = (
    Column("kind", "", "name"),
    Column("sentences", "", "sentences"),
    Column(
        "takes off",
        lambda row: _fitted(row.weight, with_sentences=False),
        "takes_off",
        lambda row: _number(row.weight),
    ),
    Column("r without", lambda row: str(row.without), "without", lambda row: _interval(row.without)),
    Column("lost", lambda row: str(row.lost), "lost", lambda row: _interval(row.lost)),
)


def _fitted(number: FittedNumber, with_sentences: bool = True) -> str:
    if number.value is None:
        return f"unknown ({number.missing}: {number.sentences})"
    interval = f" [{number.low:.2f}, {number.high:.2f}]" if number.low is not None and number.high is not None else ""
    where = (
        f" ({number.missing})"
        if number.missing
        else f" ({counted(number.sentences, 'sentence')})"
        if with_sentences
        else ""
    )
    return f"{number.value:.2f}{interval}{where}"


def _interval(estimate: Estimate | None) -> dict[str, float | None] | None:
    return attributes(estimate, "value", "low", "high")


def _number(number: FittedNumber) -> dict[str, Any]:
    value = {"value": number.value, "low": number.low, "high": number.high, "sentences": number.sentences}
    return value | ({"missing": number.missing} if number.missing else {})
