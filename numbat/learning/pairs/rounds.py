"""The rounds of learning: parse under the present costs, learn costs of what the parses violate, parse anew.

The parse of a sentence is the best one under the costs that are learned, so costs and parses have to agree. A round
takes the parses as given and learns; the next one parses under what was learned. It ends when costs do not change any
more, or after a number of rounds. A worse sentence has to cost more in all parses that were best in any round so far,
or it would get around a cost by a parse that it had before. Still a round may do worse than that before, for new parses
come up: what is kept are the costs with the least objective, judged by the parses that are best under them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from numbat.grammar.model import PropertyWeights
from numbat.learning.pairs.comparisons import Comparison
from numbat.learning.pairs.ranking import Pair, Solved, merged, primal, solve
from numbat.learning.pairs.tying import Counted, Tying
from numbat.records import frozen

ROUNDS: Final = 4
STRENGTH: Final = 100.0
"""How much the pairs count together against one squared unit of change (`Learner.strength`)."""
STABLE: Final = 0.01
"""Costs are stable when none changes by more than this part of the usual cost."""

TIED: Final = 1e-6
"""Costs that differ by less, in usual costs, are the same."""

ParseAll = Callable[[PropertyWeights, Sequence[str]], Mapping[str, Counted]]
"""Parses sentences under some weights and costs; a sentence that is lost is left out."""


@frozen
class Round:
    """What came of a round: the objective at the costs under which it parsed, the largest change of a cost that it
    learned (in usual costs), the duality gap as a part of the objective, and the share of the comparisons in which the
    better sentence costs less, ties counted half."""

    objective: float
    change: float
    gap: float
    right: float


@frozen
class Learned:
    """Weights and costs, the values of the parts that they are made of, and the rounds that led there. `stable`: the
    last round changed nothing. `right`: as in a round, under what was learned."""

    weights: PropertyWeights
    values: tuple[float, ...]
    rounds: tuple[Round, ...]
    stable: bool
    comparisons: int
    before: float
    right: float


@dataclass(frozen=True)
class Learner:
    """How costs are learned: which parts they have, and how far they may go.

    `strength` divided by the number of comparisons is what one of them counts, against half the sum of the squared
    parts: the higher, the farther costs go from those of the grammar. With 0 these are kept.
    """

    tying: Tying
    strength: float = STRENGTH
    rounds: int = ROUNDS
    seed: int = 0

    def learn(
        self,
        comparisons: Sequence[Comparison],
        parses: ParseAll,
        told: Callable[[int, Round], None] = lambda number, round: None,
    ) -> Learned:
        """Learn from comparisons; `told` is called after each round with its number, from 1, and what came of it."""
        sentences = list(dict.fromkeys(text for each in comparisons for text in (each.better, each.worse)))
        values: Sequence[float] = (0.0,) * len(self.tying.names)
        weights = self.tying.grammar.weights
        known = {text: [parse] for text, parse in parses(weights, sentences).items()}
        best: tuple[float, PropertyWeights, Sequence[float], float] | None = None
        before, stable = 0.0, not self.strength
        found: list[Round] = []
        while True:
            pairs, right = self.pairs(comparisons, known, values)
            now = primal(pairs, values)
            if best is None:
                before = right
            if best is None or now < best[0]:
                best = now, weights, values, right
            if stable or len(found) == self.rounds:
                break
            solved = self.solved(pairs)
            after = self.tying.learned(solved.weights)
            change = self._change(weights, after)
            last = solved.passes[-1]
            found.append(Round(now, change, last.gap / max(abs(last.primal), 1e-12), right))
            told(len(found), found[-1])
            values, weights, stable = solved.weights, after, change <= STABLE
            for text, parse in parses(weights, [text for text in sentences if text in known]).items():
                if parse not in known[text]:
                    known[text].append(parse)
        return Learned(best[1], tuple(best[2]), tuple(found), stable, len(comparisons), before, best[3])

    def pairs(
        self, comparisons: Sequence[Comparison], known: Mapping[str, Sequence[Counted]], values: Sequence[float]
    ) -> tuple[list[Pair], float]:
        """The pairs of the comparisons whose sentences have parses; the share of them that these values get right.

        Of the better sentence it is the parse that is best under the values, of the worse one all that are known.
        """
        found = []
        right = 0.0
        usable = [each for each in comparisons if each.better in known and each.worse in known]
        costs = {text: [self.tying.cost(parse, values) for parse in parses] for text, parses in known.items()}
        for each in usable:
            good, bad = costs[each.better], costs[each.worse]
            better = known[each.better][good.index(min(good))]
            gaps = [self.tying.gap(better, worse) for worse in known[each.worse]]
            found.append(([(vector, each.margin - own) for vector, own in gaps], self.strength / len(usable)))
            above = min(bad) - min(good)
            right += 1.0 if above > TIED else 0.5 if above >= -TIED else 0.0
        return merged(found), right / max(1, len(usable))

    def solved(self, pairs: Sequence[Pair]) -> Solved:
        """The values of the parts that rank the pairs best."""
        used = {part for pair in pairs for difference, _ in pair.alternatives for part, _ in difference}
        return solve([*pairs, *self.tying.bounds(used, self.strength)], len(self.tying.names), seed=self.seed)

    def _change(self, before: PropertyWeights, after: PropertyWeights) -> float:
        """The largest change of a weight or cost, in usual costs."""
        both = zip((*before.weights, *before.costs), (*after.weights, *after.costs), strict=True)
        return max((abs(one - other) for one, other in both), default=0) / self.tying.usual
