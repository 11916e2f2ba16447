"""Max-margin learning of property costs and weights from pairs of a better and a worse sentence.

Learning alternates: parse under the current costs, then learn costs that rank the parses, until costs are stable or the
rounds are used up. A worse sentence must cost more in all parses that were best in any round so far. As new parses may
make a round worse, `Learner.learn` keeps the costs with the least objective under their own best parses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from random import Random
from statistics import median_low
from typing import Final, NamedTuple

from numbat.acceptability.fitting import Feature, Fitted
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.terms import OF_ALL, levels_of, totals_of
from numbat.grammar.model import Grammar, PropertyWeights
from numbat.grammar.properties import MAX_WEIGHT, UNIT, Property
from numbat.parsing.policies import Valuation
from numbat.parsing.result import Parse
from numbat.records import cached_property, frozen
from numbat.treebanks.corruptions import IsWord, neighbours

# Tuning of the strength by cross-validation

STRENGTHS: Final = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Strengths tried. 0 keeps the costs of the grammar."""


def tuned(
    learner: Learner,
    comparisons: Sequence[RankedPair],
    known: Mapping[str, Sequence[Counted]],
    fold_of: Mapping[str, int],
) -> Learner:
    """Return the learner with the strength that ranks held-out comparisons best; ties go to the smallest strength.

    `known` are the parses under the grammar's own costs; sentences are not parsed again. Each fold is held out in turn,
    and comparisons between it and other folds are left out; a neighbour is in the fold of its sentence.
    """
    nothing = (0.0,) * len(learner.tying.names)
    divided = _divided(comparisons, fold_of)
    before = [learner.pairs(held, known, nothing)[1] for held, _ in divided]
    gains = {strength: 0.0 for strength in STRENGTHS if divided}
    for strength in filter(None, gains):
        trying = replace(learner, strength=strength)
        for (held, rest), before_learning in zip(divided, before, strict=True):
            values = trying.solved(trying.pairs(rest, known, nothing)[0]).weights
            gains[strength] += len(held) * (trying.pairs(held, known, values)[1] - before_learning)
    return replace(learner, strength=max(gains, key=gains.__getitem__)) if gains else learner


def _divided(
    comparisons: Sequence[RankedPair], fold_of: Mapping[str, int]
) -> list[tuple[list[RankedPair], list[RankedPair]]]:
    """Split comparisons for each fold into those within it and those outside it; skip folds that lack either."""
    both = [(fold := fold_of[pair.better], fold_of.get(pair.worse, fold), pair) for pair in comparisons]
    divisions = []
    for fold in sorted({fold for fold, _, _ in both}):
        held = [pair for one, other, pair in both if one == fold == other]
        rest = [pair for one, other, pair in both if fold not in (one, other)]
        if held and rest:
            divisions.append((held, rest))
    return divisions


# Learned costs as a fitted model (`numbat.acceptability.fitting`)

SCALE: Final = 1e6
"""Scale of terms, so large that the fitted model never clips costs."""


def model_of(learned: Learned, tying: Tying, name: str, about: tuple[str, ...]) -> Fitted:
    """Return the learned costs as a fitted model for parses under the grammar's own costs.

    Its score is minus the grammar's cost of violations and fragments, minus the learned parts by relation, by relation
    in a construction, and by property.
    """
    grammar: Grammar = tying.grammar
    parts = [
        _feature(f"{part}{OF_ALL}", -value * tying.usual / UNIT)
        for part, value in zip(tying.names, learned.values, strict=True)
        if value
    ]
    features = [_feature(f"cost{OF_ALL}", -1.0), _feature("fragments", -grammar.fragment_cost)]
    return Fitted(name, grammar.name, 0.0, (*features, *parts), about, more=totals_of)


def _feature(name: str, weight: float) -> Feature:
    return Feature(name, weight * SCALE, 0.0, SCALE, 0)


# Comparisons: which sentence should cost less, and by what margin

PARTNERS: Final = 10
"""Maximum number of better sentences of about the same length that a sentence is compared with."""
LENGTH: Final = 0.1
"""Maximum relative difference in length of compared sentences; one word is always allowed."""

Length = Callable[[str], int]
"""Function that counts the words of a sentence."""


@frozen
class RankedPair:
    """Two sentences, the better one first. The worse one should cost more by `margin`, in usual costs of a property."""

    better: str
    worse: str
    margin: float = 1.0


def comparisons_of(items: Sequence[Item], seed: int, length: Length) -> list[RankedPair]:
    """Return the distinct comparisons between rated items, in the order of the items.

    Items of a minimal pair are compared whatever their lengths, other items within their group (or among those without
    a group) if they are of about the same length. The margin is the difference of the ratings, 1 for the largest one.
    """
    pairs: dict[RankedPair, None] = {}
    minimal = Suite("", tuple(items)).pairs
    for better, worse in minimal:
        pairs[RankedPair(better.sentence, worse.sentence)] = None
    in_pairs = {item.id for pair in minimal for item in pair}
    rated = [item for item in items if item.rating is not None and item.id not in in_pairs]
    ratings = [item.rating or 0.0 for item in rated]
    widest = max(ratings, default=0.0) - min(ratings, default=0.0)
    groups: dict[str, list[Item]] = {}
    for item in rated:
        groups.setdefault(item.group, []).append(item)
    random = Random(seed)
    for group in groups.values():
        pairs |= dict.fromkeys(_within(group, widest, random, length))
    return [pair for pair in pairs if pair.better != pair.worse]


def _within(group: Sequence[Item], widest: float, random: Random, length: Length) -> list[RankedPair]:
    """Compare the items of one group, each with at most `PARTNERS` better ones."""
    by_length: dict[int, list[Item]] = {}
    for item in group:
        by_length.setdefault(length(item.sentence), []).append(item)
    pairs = []
    for worse in group:
        words = length(worse.sentence)
        about = range(words - max(1, int(LENGTH * words)), words + max(1, int(LENGTH * words)) + 1)
        better = [item for number in about for item in by_length.get(number, ()) if _above(item, worse)]
        for item in random.sample(better, min(PARTNERS, len(better))):
            margin = ((item.rating or 0.0) - (worse.rating or 0.0)) / widest
            pairs.append(RankedPair(item.sentence, worse.sentence, margin))
    return pairs


def _above(one: Item, other: Item) -> bool:
    return (one.rating or 0.0) > (other.rating or 0.0)


# Neighbours of good sentences: a word dropped, or two adjacent words swapped. Most are worse than the sentence, so good
# sentences alone suffice to learn (contrastive estimation: Smith & Eisner 2005).

KINDS: Final = ("drop", "swap")
MAX_PER_KIND: Final = 3
"""Maximum number of neighbours of each kind per sentence."""
MAX_NEIGHBOURS: Final = 5_000
"""Maximum number of neighbours of each kind in all, but at least one per sentence."""


def contrasts(sentences: Sequence[str], kinds: Collection[str], seed: int, is_word: IsWord) -> list[RankedPair]:
    """Compare each sentence with some of its neighbours, drawn by `seed`, except those that are good sentences too."""
    good = dict.fromkeys(sentences)
    number = max(1, min(MAX_PER_KIND, MAX_NEIGHBOURS // max(1, len(good))))
    pairs = []
    for sentence in good:
        for kind in (kind for kind in KINDS if kind in kinds):
            worse = [text for text in dict.fromkeys(neighbours(sentence, kind, is_word)) if text not in good]
            drawn = Random(f"{seed} {kind} {sentence}").sample(worse, min(number, len(worse)))
            pairs += [RankedPair(sentence, text) for text in drawn]
    return pairs


# Max-margin ranking of pairs, solved in the dual by exact steps over two variables of a pair at a time.
#
# A pair i has one or several alternatives j (the parses of the worse sentence), each with a sparse difference vector
# d_ij and a margin m_ij, and a cap c_i. The problem is
#
#     minimise over w:  1/2 |w|^2 + sum over i of c_i max(0, max over j of m_ij - w . d_ij)
#
# and its dual, with w = sum over i and j of a_ij d_ij,
#
#     maximise over a:  sum over i and j of a_ij m_ij - 1/2 |w|^2
#     with a_ij >= 0 and, for each i, sum over j of a_ij <= c_i.
#
# One step takes two variables of a pair, the slack among them: the alternative that gains most, and of those with a
# share of the cap the one that gains least. It moves share from one to the other as far as the dual rises (sequential
# minimal optimisation: Platt 1998; of structures: Taskar et al. 2004). With one alternative it is dual coordinate
# descent (Hsieh et al. 2008). The dual never falls, and the duality gap, primal minus dual, bounds how far each is from
# the optimum.

PASSES: Final = 1_000
GAP: Final = 1e-3
"""Relative duality gap at which the solver stops."""
EPSILON: Final = 1e-12
AGAIN: Final = 5
"""Additional passes over the pairs that moved in a full pass."""

Vector = Mapping[int, float]
"""A sparse vector: values by feature number."""
Sparse = tuple[tuple[int, float], ...]
"""A sparse vector as pairs, ordered by feature number and without zeros."""


@frozen
class RankingConstraint:
    """Difference vectors, each with the margin that its product with the weights should reach.

    `cap` is the cost per unit of the largest shortfall.
    """

    alternatives: tuple[tuple[Sparse, float], ...]
    cap: float

    def loss(self, weights: Sequence[float]) -> float:
        """Return the largest shortfall of an alternative, 0 if none falls short."""
        return max(0.0, max((_short(alternative, weights) for alternative in self.alternatives), default=0.0))


@frozen
class Objectives:
    """Primal and dual objective after a pass over the pairs."""

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """Duality gap: an upper bound on the distance of each objective from the optimum."""
        return self.primal - self.dual


@frozen
class MarginSolution:
    """The weights with their certificate: dual variables of each pair, objectives after each pass.

    `converged`: the gap is small enough.
    """

    weights: tuple[float, ...]
    duals: tuple[tuple[float, ...], ...]
    passes: tuple[Objectives, ...]
    converged: bool


def merged(pairs: Iterable[tuple[Iterable[tuple[Vector, float]], float]]) -> list[RankingConstraint]:
    """Merge pairs with the same alternatives; add their caps."""
    caps: dict[tuple[tuple[Sparse, float], ...], float] = {}
    for alternatives, cap in pairs:
        key = tuple(dict.fromkeys((_sparse(vector), margin) for vector, margin in alternatives))
        caps[key] = caps.get(key, 0.0) + cap
    return [RankingConstraint(alternatives, cap) for alternatives, cap in caps.items()]


def _sparse(vector: Vector) -> Sparse:
    return tuple(sorted((i, value) for i, value in vector.items() if value))


def solve(
    pairs: Sequence[RankingConstraint],
    features: int,
    gap: float = GAP,
    passes: int = PASSES,
    seed: int = 0,
    on_progress: Callable[[Objectives], None] = lambda _: None,
) -> MarginSolution:
    """Return optimal weights of `features` features. `gap` is relative; the order of pairs is random.

    `on_progress` is called with the objectives after each pass.
    """
    weights = [0.0] * features
    duals = [[0.0] * len(pair.alternatives) for pair in pairs]
    order = list(range(len(pairs)))
    history: list[Objectives] = []
    random = Random(seed)
    while len(history) < passes and not (history and _is_closed(history[-1], gap)):
        random.shuffle(order)
        moved = [i for i in order if _step(pairs[i], duals[i], weights)]
        for _ in range(AGAIN):
            moved = [i for i in moved if _step(pairs[i], duals[i], weights)]
        weights = _weights(pairs, duals, features)
        history.append(objectives(pairs, duals, weights))
        on_progress(history[-1])
    return MarginSolution(
        tuple(weights),
        tuple(map(tuple, duals)),
        tuple(history),
        bool(history) and _is_closed(history[-1], gap),
    )


def _is_closed(last: Objectives, gap: float) -> bool:
    return last.gap <= gap * abs(last.primal) + EPSILON


def _short(alternative: tuple[Sparse, float], weights: Sequence[float]) -> float:
    """Return the shortfall of an alternative from its margin; negative if there is none."""
    difference, short = alternative
    for feature, value in difference:
        short -= weights[feature] * value
    return short


def _step(pair: RankingConstraint, shares: list[float], weights: list[float]) -> bool:
    """Maximise the dual over two variables of a pair, one of which may be its slack; return True if anything moved."""
    slack = pair.cap - sum(shares)
    best, highest = -1, 0.0  # -1 is the slack, which loses and gains nothing
    worst, lowest = -1, 0.0 if slack > EPSILON else float("inf")
    for j, alternative in enumerate(pair.alternatives):
        short = _short(alternative, weights)
        if short > highest:
            best, highest = j, short
        if short < lowest and shares[j] > 0:
            worst, lowest = j, short
    if best == worst or highest - lowest <= EPSILON:
        return False
    change: dict[int, float] = {}
    for j, sign in ((best, 1.0), (worst, -1.0)):
        for feature, value in pair.alternatives[j][0] if j >= 0 else ():
            change[feature] = change.get(feature, 0.0) + sign * value
    square = sum(value * value for value in change.values())
    most = shares[worst] if worst >= 0 else slack
    share = most if square <= EPSILON else min(most, (highest - lowest) / square)
    if best >= 0:
        shares[best] += share
    if worst >= 0:
        shares[worst] = shares[worst] - share if share < most else 0.0
    for feature, value in change.items():
        weights[feature] += share * value
    return share > EPSILON


def _weights(pairs: Sequence[RankingConstraint], duals: Sequence[Sequence[float]], features: int) -> list[float]:
    """Return the weights of dual variables, summed afresh to avoid the rounding errors of the steps."""
    weights = [0.0] * features
    for pair, shares in zip(pairs, duals, strict=True):
        for (difference, _), share in zip(pair.alternatives, shares, strict=True):
            for feature, value in difference if share else ():
                weights[feature] += share * value
    return weights


def objectives(
    pairs: Sequence[RankingConstraint], duals: Sequence[Sequence[float]], weights: Sequence[float]
) -> Objectives:
    """Return the primal objective of the weights and the dual objective of the dual variables that they are made of."""
    norm = fsum(weight * weight for weight in weights) / 2
    gains = fsum(
        share * margin
        for pair, shares in zip(pairs, duals, strict=True)
        for (_, margin), share in zip(pair.alternatives, shares, strict=True)
    )
    return Objectives(primal(pairs, weights), gains - norm)


def primal(pairs: Sequence[RankingConstraint], weights: Sequence[float]) -> float:
    """Return the primal objective of weights."""
    norm = fsum(weight * weight for weight in weights) / 2
    return norm + fsum(pair.cap * pair.loss(weights) for pair in pairs)


# Parameter tying.
#
# The cost of a property is its cost in the grammar, plus a part of its relation, plus a part of its relation in its
# construction, plus a part of the property. The sum of the squared parts is kept small: a property with little evidence
# follows those of its relation, one without evidence keeps its cost. No cost falls below 0. Learned weights work alike.

LEVELS: Final = {
    "relation": "one part for each relation",
    "construction": "a second one for each relation in each construction",
    "property": "a third one for each property",
}
STEP: Final = UNIT // 1000
"""Learned numbers are multiples of this: grammar files stay readable, and tiny differences change nothing."""
BOUND: Final = 100.0
"""Cost of violating the bounds of a cost, relative to that of losing all pairs that involve it."""


class Counted(NamedTuple):
    """Violated and satisfied instances of a parse by property number, and its `fixed` costs, a multiple of 1/UNIT.

    Fixed costs are those of fragments and, under `net`, nodes. `final` is true if the parse costs nothing: whatever the
    costs, it remains the best one.
    """

    violated: tuple[tuple[int, float], ...]
    satisfied: tuple[tuple[int, float], ...]
    fixed: float
    final: bool


NOTHING: Final = Counted((), (), 0.0, True)


def counts_of(parse: Parse, valuation: Valuation) -> Counted:
    """Return the counts of a parse: absolute if costs come first in the search, per word under `net`."""
    violated: dict[int, float] = {}
    satisfied: dict[int, float] = {}
    words = 1 if valuation.lexicographic else max(1, len(parse.lattice.tokens))
    for evaluated in parse.evaluated:
        if evaluated.satisfied and valuation.lexicographic:
            continue
        number = parse.number_of(evaluated.property)
        counts = satisfied if evaluated.satisfied else violated
        counts[number] = counts.get(number, 0.0) + 1 / words
    fixed = parse.fragment_cost_units + (0 if valuation.lexicographic else parse.nodes * parse.grammar.node_cost_units)
    final = valuation.lexicographic and parse.cost_units == 0
    return Counted(tuple(sorted(violated.items())), tuple(sorted(satisfied.items())), fixed / words, final)


def cost_of(parse: Counted, weights: PropertyWeights) -> float:
    """Return the cost of a parse as a multiple of 1/UNIT; under `net`, minus the weights of satisfied instances."""
    violated = sum(count * weights.costs[number] for number, count in parse.violated)
    return violated + parse.fixed - sum(count * weights.weights[number] for number, count in parse.satisfied)


@dataclass(frozen=True)
class Tying:
    """The parts that make up the costs of a grammar's properties and, with `weights`, their weights.

    Values are in usual costs (the median over the properties), so that learning does not depend on the scale of the
    grammar's numbers. Hard properties stay unchanged.
    """

    grammar: Grammar
    level: str = "construction"
    weights: bool = False

    @cached_property
    def usual(self) -> int:
        """Median cost of a property, as a multiple of 1/UNIT."""
        return median_low([prop.cost_units for prop in self.grammar.properties if prop.cost_units] or [UNIT])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parts by name: `violated linearity`, `violated NP linearity`, `violated NP Det < N linearity`."""
        return tuple(self._numbered)

    @cached_property
    def _numbered(self) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for kind in self._kinds:
            for prop in self.grammar.properties:
                for name in self._names(kind, prop):
                    numbers.setdefault(name, len(numbers))
        return numbers

    @property
    def _kinds(self) -> tuple[str, ...]:
        return ("violated", "satisfied") if self.weights else ("violated",)

    def _names(self, kind: str, prop: Property) -> Iterator[str]:
        if prop.hard:
            return
        number = list(LEVELS).index(self.level) + 1
        yield from (f"{kind} {name}" for name in levels_of(prop)[:number])

    @cached_property
    def parts(self) -> Mapping[str, tuple[tuple[int, ...], ...]]:
        """The numbers of the parts of each property: those of its cost (`violated`) and of its weight (`satisfied`)."""
        properties = self.grammar.properties
        return {
            kind: tuple(tuple(self._numbered[name] for name in self._names(kind, prop)) for prop in properties)
            for kind in self._kinds
        }

    @cached_property
    def _before(self) -> PropertyWeights:
        return self.grammar.weights

    def gap(self, better: Counted, worse: Counted) -> tuple[dict[int, float], float]:
        """Return by how much the worse parse costs more: as a vector over the parts, and under the grammar's costs."""
        vector: dict[int, float] = {}
        difference = worse.fixed - better.fixed
        for parse, sign in ((worse, 1.0), (better, -1.0)):
            for number, count in parse.violated:
                difference += sign * count * self._before.costs[number]
                _add(vector, self.parts["violated"][number], sign * count)
            for number, count in parse.satisfied if self.weights else ():
                difference -= sign * count * self._before.weights[number]
                _add(vector, self.parts["satisfied"][number], -sign * count)
        return vector, difference / self.usual

    def cost(self, parse: Counted, values: Sequence[float]) -> float:
        """Return the cost of a parse under values of the parts, in usual costs."""
        vector, fixed = self.gap(NOTHING, parse)
        return fixed + sum(values[part] * value for part, value in vector.items())

    def bounds(self, used: Collection[int], cap: float) -> list[RankingConstraint]:
        """Return constraints that keep costs and weights with parts in `used` from being negative."""
        least: dict[tuple[int, ...], int] = {}
        for kind, before in zip(self._kinds, (self._before.costs, self._before.weights), strict=False):
            for parts, value in zip(self.parts[kind], before, strict=True):
                if any(part in used for part in parts):
                    least[parts] = min(least.get(parts, value), value)
        return [
            RankingConstraint(((tuple((part, 1.0) for part in parts), -value / self.usual),), BOUND * cap)
            for parts, value in sorted(least.items())
        ]

    def learned(self, values: Sequence[float]) -> PropertyWeights:
        """Return the weights and costs of properties for values of the parts."""

        def all_of(kind: str, before: Sequence[int]) -> tuple[int, ...]:
            if kind not in self.parts:
                return tuple(before)
            both = zip(self.parts[kind], before, strict=True)
            return tuple(_legal(value, sum(values[part] for part in parts) * self.usual) for parts, value in both)

        return PropertyWeights(all_of("satisfied", self._before.weights), all_of("violated", self._before.costs))


def _add(vector: dict[int, float], parts: Sequence[int], value: float) -> None:
    for part in parts:
        vector[part] = vector.get(part, 0.0) + value


def _legal(before: int, change: float) -> int:
    """Round to a number of the notation; keep a number that hardly changes."""
    if abs(change) < STEP / 2:
        return before
    return min(max(round((before + change) / STEP) * STEP, 0), MAX_WEIGHT * UNIT)


ROUNDS: Final = 4
STRENGTH: Final = 100.0
"""Weight of all pairs together against one squared unit of change (`Learner.strength`)."""
STABLE: Final = 0.01
"""Costs are stable if none changes by more than this share of the usual cost."""

TIED: Final = 1e-6
"""Largest difference of costs that count as equal, in usual costs."""

ParseAll = Callable[[PropertyWeights, Sequence[str]], Mapping[str, Counted]]
"""Function that parses sentences under some weights and costs, and leaves out those that cannot be parsed."""


@frozen
class MarginRound:
    """Result of a round: objective at the costs used for parsing, largest change of a cost (in usual costs), duality
    gap as a share of the objective, and share of comparisons won by the better sentence, ties half.
    """

    objective: float
    change: float
    gap: float
    right: float


@frozen
class Learned:
    """Learned weights and costs, the values of their parts, and the rounds.

    `stable`: the last round changed nothing. `before` and `right` are the shares of comparisons won before and after
    learning.
    """

    weights: PropertyWeights
    values: tuple[float, ...]
    rounds: tuple[MarginRound, ...]
    stable: bool
    comparisons: int
    before: float
    right: float


@dataclass(frozen=True)
class Learner:
    """A learner of costs: how they are divided into parts (`tying`), and the strength of learning.

    A comparison counts `strength` divided by their number, against half the sum of the squared parts: a higher strength
    moves costs farther from those of the grammar; with 0 they stay.
    """

    tying: Tying
    strength: float = STRENGTH
    rounds: int = ROUNDS
    seed: int = 0

    def learn(
        self,
        comparisons: Sequence[RankedPair],
        parses: ParseAll,
        on_progress: Callable[[int, MarginRound], None] = lambda number, round: None,
    ) -> Learned:
        """Learn from comparisons; call `on_progress` after each round with its number, from 1, and result."""
        sentences = list(dict.fromkeys(text for pair in comparisons for text in (pair.better, pair.worse)))
        values: Sequence[float] = (0.0,) * len(self.tying.names)
        weights = self.tying.grammar.weights
        known = {text: [parse] for text, parse in parses(weights, sentences).items()}
        best: tuple[float, PropertyWeights, Sequence[float], float] | None = None
        before, stable = 0.0, not self.strength
        rounds: list[MarginRound] = []
        while True:
            pairs, right = self.pairs(comparisons, known, values)
            now = primal(pairs, values)
            if best is None:
                before = right
            if best is None or now < best[0]:
                best = now, weights, values, right
            if stable or len(rounds) == self.rounds:
                break
            solved = self.solved(pairs)
            after = self.tying.learned(solved.weights)
            change = self._change(weights, after)
            last = solved.passes[-1]
            rounds.append(MarginRound(now, change, last.gap / max(abs(last.primal), 1e-12), right))
            on_progress(len(rounds), rounds[-1])
            values, weights, stable = solved.weights, after, change <= STABLE
            for text, parse in parses(weights, [text for text in sentences if text in known]).items():
                if parse not in known[text]:
                    known[text].append(parse)
        return Learned(best[1], tuple(best[2]), tuple(rounds), stable, len(comparisons), before, best[3])

    def pairs(
        self, comparisons: Sequence[RankedPair], known: Mapping[str, Sequence[Counted]], values: Sequence[float]
    ) -> tuple[list[RankingConstraint], float]:
        """Return constraints for the comparisons whose sentences have parses, and the share of these comparisons won.

        A constraint has the best parse of the better sentence under `values`, and all known parses of the worse one.
        """
        constraints = []
        right = 0.0
        usable = [pair for pair in comparisons if pair.better in known and pair.worse in known]
        costs = {text: [self.tying.cost(parse, values) for parse in parses] for text, parses in known.items()}
        for pair in usable:
            good, bad = costs[pair.better], costs[pair.worse]
            better = known[pair.better][good.index(min(good))]
            gaps = [self.tying.gap(better, worse) for worse in known[pair.worse]]
            constraints.append(
                ([(vector, pair.margin - cost_gap) for vector, cost_gap in gaps], self.strength / len(usable))
            )
            above = min(bad) - min(good)
            right += 1.0 if above > TIED else 0.5 if above >= -TIED else 0.0
        return merged(constraints), right / max(1, len(usable))

    def solved(self, pairs: Sequence[RankingConstraint]) -> MarginSolution:
        """Return the values of the parts that satisfy the constraints best."""
        used = {part for pair in pairs for difference, _ in pair.alternatives for part, _ in difference}
        return solve([*pairs, *self.tying.bounds(used, self.strength)], len(self.tying.names), seed=self.seed)

    def _change(self, before: PropertyWeights, after: PropertyWeights) -> float:
        """Return the largest change of a weight or cost, in usual costs."""
        both = zip((*before.weights, *before.costs), (*after.weights, *after.costs), strict=True)
        return max((abs(one - other) for one, other in both), default=0) / self.tying.usual
