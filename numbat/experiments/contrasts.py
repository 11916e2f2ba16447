"""Contrasts over a whole file: what each minimal pair, or each two conditions of an item, differ in by the grammar.

Sentence A is the bad one of a pair, or the first of two conditions. They differ in a property if one violates it
oftener than the other; `fragments` stands for a parse that is not full. What they should differ in is the property or
relation that the file names; where it names none, what most of their like differ in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from statistics import fmean
from typing import Final, Literal, NamedTuple

from numbat.acceptability.covariates import WordFrequencies
from numbat.acceptability.models import Contrast, Scorer, contrast
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.verdicts import NamedProperties, ScoredItem, named_properties
from numbat.errors import DataError
from numbat.experiments.materials import Condition, ItemKey, Materials
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property, format_named
from numbat.parsing.result import Parse
from numbat.records import frozen

FRAGMENTS: Final = "fragments"
"""The name of what a parse that is not full violates."""

Verdict = Literal["other", "nothing", "more", "expected"]
VERDICTS: Final[tuple[Verdict, ...]] = ("other", "nothing", "more", "expected")
"""What is wrong comes first: another difference than expected, none, the expected one and more."""


class Difference(NamedTuple):
    """A property by its name, and how much oftener A violates it than B."""

    name: str
    number: int


Signs = frozenset[tuple[str, bool]]
"""The properties that two sentences differ in, and whether A violates each oftener."""


@frozen
class FileContrast:
    """Two sentences of a file: `expected` are what they may differ in, empty for nothing, None where nobody knows."""

    name: str
    one: Item
    other: Item
    contrast: Contrast
    differences: tuple[Difference, ...]
    expected: Signs | None
    verdict: Verdict

    @property
    def signs(self) -> Signs:
        """What they differ in, without how much."""
        return signs_of(self.differences)


@frozen
class ContrastGroup:
    """Contrasts that are alike: the pairs of a phenomenon, or two conditions in every item of a set.

    `usual` is what most of them differ in, and `number` how many do.
    """

    name: str
    contrasts: tuple[FileContrast, ...]
    usual: Signs
    number: int

    @property
    def counts(self) -> Mapping[tuple[str, bool], tuple[int, int]]:
        """How many contrasts differ in each property, and in it alone; the most frequent first."""
        every = Counter(sign for each in self.contrasts for sign in each.signs)
        alone = Counter(sign for each in self.contrasts if len(each.signs) == 1 for sign in each.signs)
        return {sign: (number, alone[sign]) for sign, number in sorted(every.items(), key=lambda e: (-e[1], e[0]))}

    def with_verdict(self, verdict: Verdict) -> list[FileContrast]:
        """Return the contrasts of which that is so."""
        return [each for each in self.contrasts if each.verdict == verdict]


def violated_names(parse: Parse) -> Counter[str]:
    """Return the names of the properties that a parse violates, with how often, and `fragments` if it is not full."""
    named = Counter(format_named(each.property) for each in parse.violated)
    if not parse.is_full:
        named[FRAGMENTS] += 1
    return named


def differences(one: Parse, other: Parse) -> tuple[Difference, ...]:
    """Return what two parses violate in different numbers, by name."""
    first, second = violated_names(one), violated_names(other)
    names = sorted({*first, *second})
    return tuple(Difference(name, first[name] - second[name]) for name in names if first[name] != second[name])


def signs_of(found: Iterable[Difference]) -> Signs:
    """Return differences without how much."""
    return frozenset((each.name, each.number > 0) for each in found)


def pair_contrasts(suite: Suite, items: Sequence[ScoredItem], grammar: Grammar, score: Scorer) -> list[ContrastGroup]:
    """Return the minimal pairs of a suite by phenomenon, the bad sentence as A.

    Raises DataError where there is no pair, and for a property that the grammar does not have.
    """
    if not suite.pairs:
        raise DataError(
            f"{suite.path}: no minimal pair\n"
            "  a table has the columns good and bad, or pair and judgement; --pairs takes every two lines as one"
        )
    named = named_properties(suite, grammar)
    known = {each.item.id: each for each in items}
    both = [(known[bad.id], known[good.id]) for good, bad in suite.pairs if good.id in known and bad.id in known]
    groups: dict[str, list[tuple[str, ScoredItem, ScoredItem, Signs | None]]] = {}
    for bad, good in both:
        groups.setdefault(bad.item.phenomenon, []).append((bad.item.pair, bad, good, _meant(bad.item, named, grammar)))
    return [_group(name, rows, score, needs_difference=True) for name, rows in groups.items()]


def _meant(item: Item, named: NamedProperties, grammar: Grammar) -> Signs | None:
    """Return the properties of which a bad sentence should violate one, by name; None where the file does not say."""
    if item.named_property:
        found: Sequence[Property] = named[item.named_property]
    elif item.relations:
        found = [prop for prop in grammar.properties if prop.type in item.relations]
    else:
        return None
    return frozenset((format_named(prop), True) for prop in found)


def _group(
    name: str,
    rows: Sequence[tuple[str, ScoredItem, ScoredItem, Signs | None]],
    score: Scorer,
    needs_difference: bool,
) -> ContrastGroup:
    """Return the contrasts of a group. With `needs_difference` none at all is never as it should be."""
    found = [(*row, differences(row[1].parse, row[2].parse)) for row in rows]
    every = Counter(signs_of(row[-1]) for row in found)
    candidates = [(signs, number) for signs, number in every.most_common() if signs or not needs_difference]
    usual, number = candidates[0] if candidates else (frozenset(), 0)
    contrasts = tuple(
        FileContrast(
            called,
            one.item,
            other.item,
            contrast(one.parse, other.parse, score),
            differ,
            meant,
            _verdict(signs_of(differ), meant, usual, needs_difference),
        )
        for called, one, other, meant, differ in found
    )
    return ContrastGroup(name, contrasts, usual, number)


def _verdict(signs: Signs, meant: Signs | None, usual: Signs, needs_difference: bool) -> Verdict:
    """Return what a difference is against what is meant, of which one is enough, else against all that is usual."""
    if meant is not None and (meant or needs_difference):
        hit = signs & meant
        return "nothing" if not signs else "other" if not hit else "expected" if signs <= meant else "more"
    wanted = usual if meant is None else frozenset()
    if signs == wanted and (signs or not needs_difference):
        return "expected"
    return "nothing" if not signs else "more" if wanted and signs > wanted else "other"


# Conditions of an item: each two that differ in one factor alone, and the interaction of factors with two levels.


@frozen
class Comparison:
    """Two conditions that differ in one factor, in every item of a set."""

    factor: str
    one: Condition
    other: Condition
    of_set: tuple[str, ...]
    group: ContrastGroup


@frozen
class Interaction:
    """What the items of a set violate in the interaction of all factors, each of two levels.

    The first condition counts 1, as do those that differ from it in two factors; the others -1. `items` has the sums of
    each property that are not 0.
    """

    plus: tuple[Condition, ...]
    minus: tuple[Condition, ...]
    of_set: tuple[str, ...]
    items: Mapping[ItemKey, tuple[Difference, ...]]

    @property
    def counts(self) -> Counter[tuple[Difference, ...]]:
        """How many items have each row of sums; an empty row is an interaction that the grammar does not have."""
        return Counter(self.items.values())


def comparisons(materials: Materials, items: Sequence[ScoredItem], grammar: Grammar, score: Scorer) -> list[Comparison]:
    """Return each two conditions that differ in one factor, set by set; of three levels and more each with the first.

    `items` are those of `materials.suite()` that were parsed. Raises DataError for a property that the grammar lacks.
    """
    known = {(each.item.group, each.item.phenomenon): each for each in items}
    named = named_properties(materials.suite(), grammar)
    says = any(each.named_property for each in materials.targets)
    found = []
    for key, keys in materials.sets.items():
        conditions = [each for each in materials.conditions if each in materials.items[keys[0]]]
        for place, factor in enumerate(materials.factors):
            first = materials.levels[place][0]
            for one, other in combinations(conditions, 2):
                changed = [at for at, pair in enumerate(zip(one, other, strict=True)) if len(set(pair)) > 1]
                if changed != [place] or first not in (one[place], other[place]):
                    continue
                rows = []
                for item in keys:
                    name = " ".join(item)
                    both = [known.get((name, ", ".join(condition))) for condition in (one, other)]
                    if both[0] is not None and both[1] is not None:
                        rows.append(
                            (name, both[0], both[1], _should(both[0].item, both[1].item, named) if says else None)
                        )
                title = f"{', '.join(one)} - {', '.join(other)}"
                found.append(Comparison(factor, one, other, key, _group(title, rows, score, needs_difference=False)))
    return found


def _should(one: Item, other: Item, named: NamedProperties) -> Signs:
    """Return what two conditions should differ in: the properties that only one of them names."""
    first, second = (
        {format_named(prop) for prop in named[item.named_property]} if item.named_property else set()
        for item in (one, other)
    )
    return frozenset({*((name, True) for name in first - second), *((name, False) for name in second - first)})


def interactions(materials: Materials, items: Sequence[ScoredItem]) -> list[Interaction]:
    """Return the interaction of all factors in each set; none where there is one factor, or one with other than two
    levels.
    """
    if len(materials.factors) < 2 or any(len(levels) != 2 for levels in materials.levels):
        return []
    known = {(each.item.group, each.item.phenomenon): violated_names(each.parse) for each in items}
    signed: dict[Condition, int] = {}
    for condition in product(*materials.levels):
        turned = sum(level != levels[0] for level, levels in zip(condition, materials.levels, strict=True))
        signed[condition] = -1 if turned % 2 else 1
    found = []
    for key, keys in materials.sets.items():
        sums: dict[ItemKey, tuple[Difference, ...]] = {}
        for item in keys:
            name = " ".join(item)
            rows = {condition: known.get((name, ", ".join(condition))) for condition in signed}
            if any(row is None for row in rows.values()):
                continue
            total: Counter[str] = Counter()
            for condition, row in rows.items():
                for prop, number in (row or {}).items():
                    total[prop] += signed[condition] * number
            sums[item] = tuple(Difference(prop, total[prop]) for prop in sorted(total) if total[prop])
        plus, minus = (tuple(each for each, sign in signed.items() if sign == wanted) for wanted in (1, -1))
        found.append(Interaction(plus, minus, key, sums))
    return found


# What conditions should have in common: lengths, frequencies of words, words of the lexicon.


@frozen
class ConditionSummary:
    """A condition of a set: means over its items of words, letters, cost and frequency, and what the grammar lacks.

    `zipf` is the mean over the words of a sentence, then over sentences; None without a list. `farthest` is the
    greatest difference in words between a sentence of the condition and the mean of its item.
    """

    condition: Condition
    of_set: tuple[str, ...]
    items: int
    words: float
    letters: float
    farthest: float
    zipf: float | None
    unknown: int
    full: int
    well_formed: int


def condition_summaries(
    materials: Materials, items: Sequence[ScoredItem], frequencies: WordFrequencies | None = None
) -> list[ConditionSummary]:
    """Return a summary for each condition of each set, of the items that were parsed."""
    found = []
    known = {(each.item.group, each.item.phenomenon): each for each in items}
    for key, keys in materials.sets.items():
        of_item: dict[str, list[int]] = {}
        for each in items:
            of_item.setdefault(each.item.group, []).append(each.length)
        for condition in (each for each in materials.conditions if each in materials.items[keys[0]]):
            names = [(" ".join(item), ", ".join(condition)) for item in keys]
            own = [known[name] for name in names if name in known]
            if own:
                found.append(_summary(condition, key, own, of_item, frequencies))
    return found


def _summary(
    condition: Condition,
    of_set: tuple[str, ...],
    own: Sequence[ScoredItem],
    of_item: Mapping[str, Sequence[int]],
    frequencies: WordFrequencies | None,
) -> ConditionSummary:
    spoken = [[token for token in each.parse.lattice.tokens if any(map(str.isalpha, token))] for each in own]
    zipf = None
    if frequencies is not None:
        zipf = fmean(fmean(map(frequencies.zipf, words)) for words in spoken if words)
    return ConditionSummary(
        condition,
        of_set,
        len(own),
        fmean(each.length for each in own),
        fmean(sum(map(len, words)) for words in spoken),
        max((each.length - fmean(of_item[each.item.group]) for each in own), key=abs),
        zipf,
        sum(each.unknown for each in own),
        sum(each.parse.is_full for each in own),
        sum(each.parse.is_well_formed for each in own),
    )


def words_apart(one: ScoredItem, other: ScoredItem) -> tuple[list[str], list[str]]:
    """Return the words that only the first, and that only the other of two sentences has, each as often."""
    first, second = (Counter(token.lower() for token in each.parse.lattice.tokens) for each in (one, other))
    return [*(first - second).elements()], [*(second - first).elements()]


def in_order(groups: Sequence[ContrastGroup]) -> Iterator[tuple[ContrastGroup, FileContrast]]:
    """Return all contrasts, what is not as expected first."""
    for verdict in VERDICTS:
        for group in groups:
            yield from ((group, each) for each in group.with_verdict(verdict))


@frozen
class DesignChecks:
    """What a grammar says of the items of an experiment before anybody is asked."""

    materials: Materials
    items: tuple[ScoredItem, ...]
    comparisons: tuple[Comparison, ...]
    interactions: tuple[Interaction, ...]
    summaries: tuple[ConditionSummary, ...]
    frequencies: bool


def check_design(
    materials: Materials,
    items: Sequence[ScoredItem],
    grammar: Grammar,
    score: Scorer,
    frequencies: WordFrequencies | None = None,
) -> DesignChecks:
    """Return what the parsed items of `materials.suite()` differ in, and what they have in common."""
    return DesignChecks(
        materials,
        tuple(items),
        tuple(comparisons(materials, items, grammar, score)),
        tuple(interactions(materials, items)),
        tuple(condition_summaries(materials, items, frequencies)),
        frequencies is not None,
    )
