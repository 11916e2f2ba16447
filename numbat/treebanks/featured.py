"""Properties with features, induced where a feature value predicts order or presence better than the category alone.

A property such as `ADJ-P[NumType=Ord] < NOUN` is kept if it gains more than chance would in the number of trials, and
if its prediction also holds in every fifth sentence; these sentences are not used to choose it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Final

from numbat.records import frozen
from numbat.treebanks.conllu import FeaturePairs
from numbat.treebanks.example_phrases import ExamplePhrase, better
from numbat.treebanks.telling import gain

LEVEL: Final = 0.001
"""Significance level of all trials together: a gain must exceed log(trials / LEVEL)."""
CHECKED: Final = 5
"""One sentence in this many checks the results of the others."""
MAX_VALUES: Final = 3
"""Maximum number of properties with features for one relation between two categories."""

Featured = tuple[str, str, str, str]
"""A construction, the category of a daughter, a feature and its value."""
Pair = tuple[str, str, str, str, str]
"""A `Featured`, and the category of another daughter."""
OUTCOMES: Final = ("before", "after", "mixed")


ANY: Final = ("", "")
"""Feature and value that stand for any features."""


@dataclass(slots=True)
class FeaturePairCounts:
    """Occurrences of a construction, by the order of its daughters with a feature value and of another category."""

    before: int = 0
    after: int = 0
    mixed: int = 0
    phrases: dict[str, ExamplePhrase] = field(default_factory=dict)

    @property
    def together(self) -> int:
        """Number of occurrences that contain both."""
        return self.before + self.after + self.mixed


@dataclass(slots=True)
class FeatureCounts:
    """Counts of daughters by their features, alone and with another daughter.

    `labels` counts the occurrences of each category in a construction; `phrases` keeps some example phrases for each
    value, each with the categories of its daughters.
    """

    having: Counter[Featured] = field(default_factory=Counter)
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)
    pairs: dict[Pair, FeaturePairCounts] = field(default_factory=dict)
    phrases: dict[Featured, list[tuple[frozenset[str], ExamplePhrase]]] = field(default_factory=dict)

    def add(self, construction: str, shown: ExamplePhrase, feats: Sequence[FeaturePairs]) -> None:
        """Count an occurrence whose daughters have these features."""
        places: dict[tuple[str, str, str], list[int]] = {}
        of: dict[str, list[int]] = {}
        for place, (label, pairs) in enumerate(zip(shown.labels, feats, strict=True)):
            of.setdefault(label, []).append(place)
            for name, value in (ANY, *pairs):
                places.setdefault((label, name, value), []).append(place)
        self.labels.update((construction, label) for label in of)
        for (label, name, value), positions in places.items():
            key = construction, label, name, value
            self.having[key] += 1
            kept = self.phrases.setdefault(key, [])
            if len(kept) < MAX_PHRASES:
                kept.append((frozenset(of), shown))
            for other, others in of.items():
                if other == label:
                    continue
                counts = self.pairs.setdefault((*key, other), FeaturePairCounts())
                outcome = "before" if positions[-1] < others[0] else "after" if others[-1] < positions[0] else "mixed"
                setattr(counts, outcome, getattr(counts, outcome) + 1)
                counts.phrases[outcome] = better(counts.phrases.get(outcome), shown)


MAX_PHRASES: Final = 30
"""Maximum number of phrases kept for a value, among which one without another category may be found."""


@frozen
class FeaturedProperty:
    """A property of a construction; its operand with the index `at` has the `value` of the `feature`."""

    construction: str
    relation: str
    operands: tuple[str, str]
    at: int
    feature: str
    value: str
    valid: int
    violating: int
    gain: float
    example: ExamplePhrase | None
    counterexample: ExamplePhrase | None


Known = Collection[tuple[str, ...]]
"""Properties without features, as (relation, category, category); with a feature they would add nothing."""


class FeaturedCandidates:
    """Proposes properties with features, chosen by counts of some sentences and checked by counts of others.

    A property must apply to at least `least` occurrences of its construction, and hold in the share `w0` of these. All
    sentences count for this.
    """

    def __init__(self, chosen_by: FeatureCounts, checked_by: FeatureCounts, least: int, w0: float) -> None:
        self.chosen, self.checked, self.least, self.w0 = chosen_by, checked_by, least, w0
        self.needed = log(TRIALS * max(1, len(chosen_by.pairs)) / LEVEL)
        self._pairs: dict[str, list[Pair]] = {}
        for key in sorted(chosen_by.pairs):
            if key[2]:
                self._pairs.setdefault(key[0], []).append(key)

    def of(self, construction: str, known: Known) -> Iterator[FeaturedProperty]:
        """Yield, for each relation and pair of categories, the properties of a construction with the highest gains."""
        by_operands: dict[tuple[str, ...], list[FeaturedProperty]] = {}
        for key in self._pairs.get(construction, ()):
            for prop in (*self._orders(key, known), *self._company(key, known)):
                if prop.gain >= self.needed and prop.valid + prop.violating >= self.least:
                    by_operands.setdefault((prop.relation, *prop.operands), []).append(prop)
        for properties in by_operands.values():
            yield from sorted(properties, key=lambda prop: (-prop.gain, prop.feature, prop.value))[:MAX_VALUES]

    def _orders(self, key: Pair, known: Known) -> Iterator[FeaturedProperty]:
        """Yield linearities between a daughter with a value and another daughter."""
        label, other = key[1], key[4]
        if ("linearity", label, other) in known or ("linearity", other, label) in known:
            return
        pair, held, total = self._counted(key)
        for at, operands, of in ((0, (label, other), "before"), (1, (other, label), "after")):
            yes, held_yes, every = (getattr(pair_counts, of) for pair_counts in (pair, held, total))
            counts = (yes, pair.together - yes), (held_yes, held.together - held_yes)
            if gained := self._gain(*counts, every / total.together):
                phrases = pair.phrases.get(of), pair.phrases.get("after" if at == 0 else "before")
                yield self._made("linearity", key, operands, at, counts, gained, phrases)

    def _company(self, key: Pair, known: Known) -> Iterator[FeaturedProperty]:
        """Yield requirements and exclusions between a daughter with a value and another daughter."""
        construction, label, other = key[0], key[1], key[4]
        pair, held, total = self._counted(key)
        both, held_both = pair.together, held.together
        alone, held_alone = self.chosen.having[key[:4]] - both, self.checked.having[key[:4]] - held_both
        share = total.together / self.chosen.having[(construction, label, *ANY)]
        with_other, without = self._phrases(key, pair)
        counts = (both, alone), (held_both, held_alone)
        if ("requirement", label, other) not in known and (gained := self._gain(*counts, share)):
            yield self._made("requirement", key, (label, other), 0, counts, gained, (with_other, without))
        excluded = ("exclusion", label, other), ("exclusion", other, label)
        counts = (alone, both), (held_alone, held_both)
        if not any(prop in known for prop in excluded) and (gained := self._gain(*counts, 1 - share)):
            others = (
                self.chosen.labels[construction, other] - both,
                self.checked.labels[construction, other] - held_both,
            )
            counts = (alone + others[0], both), (held_alone + others[1], held_both)
            yield self._made("exclusion", key, (label, other), 0, counts, gained, (without, with_other))

    def _counted(self, key: Pair) -> tuple[FeaturePairCounts, FeaturePairCounts, FeaturePairCounts]:
        """Return the counts that choose, those that check, and those of the category with any features."""
        total = self.chosen.pairs[(*key[:2], *ANY, key[4])]
        return self.chosen.pairs[key], self.checked.pairs.get(key, FeaturePairCounts()), total

    def _gain(self, counts: Counts, held: Counts, share: float) -> float:
        """Return the gain over `share`, that of the category; 0 if w0 is not reached or the check fails."""
        yes, no = counts[0] + held[0], counts[1] + held[1]
        share_of_value = (counts[0] + 1) / (sum(counts) + 2)
        if yes < self.w0 * (yes + no) or not _foretells(*held, share_of_value, share):
            return 0.0
        return gain(*counts, share)

    def _phrases(self, key: Pair, pair: FeaturePairCounts) -> tuple[ExamplePhrase | None, ExamplePhrase | None]:
        """Return a phrase with the other daughter and one without it."""
        together: ExamplePhrase | None = None
        alone: ExamplePhrase | None = None
        for phrase in pair.phrases.values():
            together = better(together, phrase)
        for labels, phrase in self.chosen.phrases[key[:4]]:
            if key[4] not in labels:
                alone = better(alone, phrase)
        return together, alone

    @staticmethod
    def _made(
        relation: str,
        key: Pair,
        operands: tuple[str, str],
        at: int,
        counts: tuple[Counts, Counts],
        gained: float,
        phrases: tuple[ExamplePhrase | None, ExamplePhrase | None],
    ) -> FeaturedProperty:
        valid, violating = (sum(both) for both in zip(*counts, strict=True))
        return FeaturedProperty(key[0], relation, operands, at, key[2], key[3], valid, violating, gained, *phrases)


Counts = tuple[int, int]
"""Numbers of occurrences that satisfy and that violate a property."""
TRIALS: Final = 4
"""Number of properties tried for each pair."""


def _foretells(yes: int, no: int, of_value: float, share: float) -> bool:
    """Return True if the share of a value predicts the checking counts better than the share of its category."""
    share = min(max(share, 1e-6), 1 - 1e-6)
    return yes * log(of_value / share) + no * log((1 - of_value) / (1 - share)) > 0
