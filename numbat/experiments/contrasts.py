"""Contrasts over a file: how minimal pairs, or two conditions of an item, differ under the grammar.

Sentence A is the bad one of a pair, or the first of two conditions. The two differ in a property if their numbers of
violations differ; `fragments` stands for a parse that is not full. The expected difference is the property or relation
that the file names, or else the most frequent difference among contrasts of the same kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from statistics import fmean
from typing import Any, Final, Literal, NamedTuple

from numbat.acceptability.covariates import WordFrequencies
from numbat.acceptability.models import Contrast, Scorer, contrast
from numbat.acceptability.reasons import contrast as contrast_report
from numbat.acceptability.scores import figure
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.verdicts import (
    LostItem,
    NamedProperties,
    ScoredItem,
    another_grammar,
    lost_items,
    named_properties,
    unknown_in_all,
)
from numbat.errors import DataError, counted, first_of
from numbat.experiments.materials import (
    TARGET,
    Condition,
    ItemKey,
    Materials,
    OrderConstraints,
    Stimulus,
    TrialList,
    unequal,
)
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property, format_named
from numbat.parsing.explanation.violations import on_one_line
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.reports.report import Column, Items, Line, Lines, Member, Members, Part, Table, cautions, report

FRAGMENTS: Final = "fragments"
"""The name under which a parse that is not full counts."""

Verdict = Literal["other", "nothing", "more", "expected"]
VERDICTS: Final[tuple[Verdict, ...]] = ("other", "nothing", "more", "expected")
"""Problems come first: an unexpected difference, none, more than the expected one."""


class Difference(NamedTuple):
    """The name of a property, and by how much A's violations of it outnumber B's."""

    name: str
    number: int


Signs = frozenset[tuple[str, bool]]
"""The properties in which two sentences differ, each with True if A violates it more often."""


@frozen
class FileContrast:
    """Two sentences from a file: `expected` are the differences that they may have, empty for none, None if unknown."""

    name: str
    one: Item
    other: Item
    contrast: Contrast
    differences: tuple[Difference, ...]
    expected: Signs | None
    verdict: Verdict

    @property
    def signs(self) -> Signs:
        """The properties in which the sentences differ, each with True if A violates it more often."""
        return signs_of(self.differences)


@frozen
class ContrastGroup:
    """Contrasts of one kind: the pairs of a phenomenon, or two conditions in every item of a set.

    `usual` is the most frequent difference, and `number` its frequency.
    """

    name: str
    contrasts: tuple[FileContrast, ...]
    usual: Signs
    number: int

    @property
    def counts(self) -> Mapping[tuple[str, bool], tuple[int, int]]:
        """Number of contrasts that differ in each property, and in it alone, the most frequent first."""
        signs = Counter(sign for contrast in self.contrasts for sign in contrast.signs)
        alone = Counter(sign for contrast in self.contrasts if len(contrast.signs) == 1 for sign in contrast.signs)
        return {sign: (number, alone[sign]) for sign, number in sorted(signs.items(), key=lambda e: (-e[1], e[0]))}

    def with_verdict(self, verdict: Verdict) -> list[FileContrast]:
        """Return the contrasts with this verdict."""
        return [contrast for contrast in self.contrasts if contrast.verdict == verdict]


def violated_names(parse: Parse) -> Counter[str]:
    """Return how often a parse violates each property, by name; `fragments` counts 1 if the parse is not full."""
    named = Counter(format_named(evaluated.property) for evaluated in parse.violated)
    if not parse.is_full:
        named[FRAGMENTS] += 1
    return named


def differences(one: Parse, other: Parse) -> tuple[Difference, ...]:
    """Return the properties that two parses violate in different numbers, by name."""
    first, second = violated_names(one), violated_names(other)
    names = sorted({*first, *second})
    return tuple(Difference(name, first[name] - second[name]) for name in names if first[name] != second[name])


def signs_of(differences: Iterable[Difference]) -> Signs:
    """Return the properties of differences, each with True if A violates it more often."""
    return frozenset((difference.name, difference.number > 0) for difference in differences)


def pair_contrasts(suite: Suite, items: Sequence[ScoredItem], grammar: Grammar, score: Scorer) -> list[ContrastGroup]:
    """Return the minimal pairs of a suite by phenomenon, the bad sentence as A.

    Raises DataError for a suite without pairs, and for a property that is not in the grammar.
    """
    if not suite.pairs:
        raise DataError(
            f"{suite.path}: no minimal pair\n"
            "  a table has the columns good and bad, or pair and judgement; --pairs takes every two lines as a pair"
        )
    named = named_properties(suite, grammar)
    known = {item.item.id: item for item in items}
    both = [(known[bad.id], known[good.id]) for good, bad in suite.pairs if good.id in known and bad.id in known]
    groups: dict[str, list[tuple[str, ScoredItem, ScoredItem, Signs | None]]] = {}
    for bad, good in both:
        groups.setdefault(bad.item.phenomenon, []).append((bad.item.pair, bad, good, _meant(bad.item, named, grammar)))
    return [_group(name, rows, score, needs_difference=True) for name, rows in groups.items()]


def _meant(item: Item, named: NamedProperties, grammar: Grammar) -> Signs | None:
    """Return the properties of which a bad sentence should violate one, by name; None if the file does not say."""
    if item.named_property:
        properties: Sequence[Property] = named[item.named_property]
    elif item.relations:
        properties = [prop for prop in grammar.properties if prop.type in item.relations]
    else:
        return None
    return frozenset((format_named(prop), True) for prop in properties)


def _group(
    name: str,
    rows: Sequence[tuple[str, ScoredItem, ScoredItem, Signs | None]],
    score: Scorer,
    needs_difference: bool,
) -> ContrastGroup:
    """Return the contrasts of a group. With `needs_difference`, a contrast without differences is never `expected`."""
    rows_with_differences = [(*row, differences(row[1].parse, row[2].parse)) for row in rows]
    signs_counts = Counter(signs_of(row[-1]) for row in rows_with_differences)
    candidates = [(signs, number) for signs, number in signs_counts.most_common() if signs or not needs_difference]
    usual, number = candidates[0] if candidates else (frozenset(), 0)
    contrasts = tuple(
        FileContrast(
            name_of,
            one.item,
            other.item,
            contrast(one.parse, other.parse, score),
            differ,
            meant,
            _verdict(signs_of(differ), meant, usual, needs_difference),
        )
        for name_of, one, other, meant, differ in rows_with_differences
    )
    return ContrastGroup(name, contrasts, usual, number)


def _verdict(signs: Signs, meant: Signs | None, usual: Signs, needs_difference: bool) -> Verdict:
    """Return the verdict: a difference in one property of `meant` is enough; if None, in the `usual` ones."""
    if meant is not None and (meant or needs_difference):
        hit = signs & meant
        return "nothing" if not signs else "other" if not hit else "expected" if signs <= meant else "more"
    wanted = usual if meant is None else frozenset()
    if signs == wanted and (signs or not needs_difference):
        return "expected"
    return "nothing" if not signs else "more" if wanted and signs > wanted else "other"


# Conditions of an item: pairs that differ in one factor alone, and the interaction of factors with two levels.


@frozen
class ConditionContrast:
    """Two conditions that differ in one factor, in every item of a set."""

    factor: str
    one: Condition
    other: Condition
    of_set: tuple[str, ...]
    group: ContrastGroup


@frozen
class Interaction:
    """The interaction of all factors, of two levels each, in the violations of each item in a set.

    Violations count +1 in the first condition and in those that differ from it in an even number of factors, -1 in the
    others. `items` has, for each item, the properties for which the sum of these is not 0.
    """

    plus: tuple[Condition, ...]
    minus: tuple[Condition, ...]
    of_set: tuple[str, ...]
    items: Mapping[ItemKey, tuple[Difference, ...]]

    @property
    def counts(self) -> Counter[tuple[Difference, ...]]:
        """Number of items with the same sums; without any sums, the grammar predicts no interaction for these items."""
        return Counter(self.items.values())


def comparisons(
    materials: Materials, items: Sequence[ScoredItem], grammar: Grammar, score: Scorer
) -> list[ConditionContrast]:
    """Return each pair of conditions that differ in one factor, by set; one of the two has the factor's first level.

    `items` are those of `materials.suite()`, parsed. Raises DataError for a property that is not in the grammar.
    """
    known = {(scored_item.item.group, scored_item.item.phenomenon): scored_item for scored_item in items}
    named = named_properties(materials.suite(), grammar)
    says = any(stimulus.named_property for stimulus in materials.targets)
    contrasts = []
    for key, keys in materials.sets.items():
        conditions = [condition for condition in materials.conditions if condition in materials.items[keys[0]]]
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
                contrasts.append(
                    ConditionContrast(factor, one, other, key, _group(title, rows, score, needs_difference=False))
                )
    return contrasts


def _should(one: Item, other: Item, named: NamedProperties) -> Signs:
    """Return the intended difference of two conditions: the properties that only one of them names."""
    first, second = (
        {format_named(prop) for prop in named[item.named_property]} if item.named_property else set()
        for item in (one, other)
    )
    return frozenset({*((name, True) for name in first - second), *((name, False) for name in second - first)})


def interactions(materials: Materials, items: Sequence[ScoredItem]) -> list[Interaction]:
    """Return the interaction of all factors in each set; none for one factor, or for one without two levels."""
    if len(materials.factors) < 2 or any(len(levels) != 2 for levels in materials.levels):
        return []
    known = {
        (scored_item.item.group, scored_item.item.phenomenon): violated_names(scored_item.parse)
        for scored_item in items
    }
    signed: dict[Condition, int] = {}
    for condition in product(*materials.levels):
        turned = sum(level != levels[0] for level, levels in zip(condition, materials.levels, strict=True))
        signed[condition] = -1 if turned % 2 else 1
    interactions_found = []
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
        plus, minus = (tuple(name for name, sign in signed.items() if sign == wanted) for wanted in (1, -1))
        interactions_found.append(Interaction(plus, minus, key, sums))
    return interactions_found


# Properties that conditions should share: lengths, word frequencies, words in the lexicon.


@frozen
class ConditionSummary:
    """A condition of a set: means over its items of words, letters and frequency; unknown words, parses.

    `zipf` is the mean over the words of a sentence, then over sentences; None without a frequency list. `farthest` is
    the greatest difference in words between a sentence of the condition and the mean of its item.
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
    """Return a summary of each condition of each set, over the parsed items."""
    summaries = []
    known = {(item.item.group, item.item.phenomenon): item for item in items}
    for key, keys in materials.sets.items():
        of_item: dict[str, list[int]] = {}
        for scored_item in items:
            of_item.setdefault(scored_item.item.group, []).append(scored_item.length)
        for condition in filter(materials.items[keys[0]].__contains__, materials.conditions):
            names = [(" ".join(item), ", ".join(condition)) for item in keys]
            scored_items = [known[name] for name in names if name in known]
            if scored_items:
                summaries.append(_summary(condition, key, scored_items, of_item, frequencies))
    return summaries


def _summary(
    condition: Condition,
    of_set: tuple[str, ...],
    items: Sequence[ScoredItem],
    of_item: Mapping[str, Sequence[int]],
    frequencies: WordFrequencies | None,
) -> ConditionSummary:
    spoken = [[token for token in item.parse.lattice.tokens if any(map(str.isalpha, token))] for item in items]
    zipf = None
    if frequencies is not None:
        zipf = fmean(fmean(map(frequencies.zipf, words)) for words in spoken if words)
    return ConditionSummary(
        condition,
        of_set,
        len(items),
        fmean(item.length for item in items),
        fmean(sum(map(len, words)) for words in spoken),
        max((item.length - fmean(of_item[item.item.group]) for item in items), key=abs),
        zipf,
        sum(item.unknown for item in items),
        sum(item.parse.is_full for item in items),
        sum(item.parse.is_well_formed for item in items),
    )


def words_apart(one: ScoredItem, other: ScoredItem) -> tuple[list[str], list[str]]:
    """Return the words that only the first sentence has, and those that only the second has, with repetitions."""
    first, second = (Counter(token.lower() for token in item.parse.lattice.tokens) for item in (one, other))
    return [*(first - second).elements()], [*(second - first).elements()]


def in_order(groups: Sequence[ContrastGroup]) -> Iterator[tuple[ContrastGroup, FileContrast]]:
    """Yield all contrasts, the unexpected ones first."""
    for verdict in VERDICTS:
        for group in groups:
            yield from ((group, file_contrast) for file_contrast in group.with_verdict(verdict))


@frozen
class DesignChecks:
    """Predictions of a grammar about the items of an experiment, before it is run."""

    materials: Materials
    items: tuple[ScoredItem, ...]
    comparisons: tuple[ConditionContrast, ...]
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
    """Return the differences between conditions in the parsed items of `materials.suite()`, and their summaries."""
    return DesignChecks(
        materials,
        tuple(items),
        tuple(comparisons(materials, items, grammar, score)),
        tuple(interactions(materials, items)),
        tuple(condition_summaries(materials, items, frequencies)),
        frequencies is not None,
    )


# The report on the items of an experiment

CONFOUNDED: Final = 1.0
"""Least mean difference in length between two conditions, in words, that is reported."""


@report("numbat.design/1")
def design_report(
    checks: DesignChecks,
    lists: Sequence[TrialList],
    constraints: OrderConstraints,
    grammar: Grammar,
    lost: Sequence[LostItem] = (),
) -> Iterator[Part]:
    """Yield the items, the lists, the conditions side by side, then each comparison of conditions."""
    materials = checks.materials
    parses = [scored_item.parse for scored_item in checks.items]
    another = another_grammar(parses, grammar) if parses else ""
    yield Lines([*cautions([another] if another else []), _title(materials)])
    yield Members(
        {
            "factors": dict(zip(materials.factors, map(list, materials.levels), strict=True)),
            "within": list(materials.within),
            "items": len(materials.items),
            "sentences": len(materials.targets),
        }
    )
    odd, design_notes = unequal(materials), [*design_cautions(checks)]
    yield Member("notes", [*materials.notes, *odd, *design_notes], cautions(materials.notes))
    kept = {"apart": constraints.apart, "between": constraints.between, "first": constraints.first}
    yield Member("constraints", kept, _on_lists(lists, materials, constraints))
    if not materials.fillers:
        yield Line("! no fillers: people see only targets, and may guess the purpose")
    if odd:
        yield Line(f"! conditions are not equally frequent within a list: {first_of(odd, 3)}")
    full, well = (sum(getattr(parse, name) for parse in parses) for name in ("is_full", "is_well_formed"))
    yield Line(f"grammar {grammar.title}: {counted(full, 'full parse')}, {well:,} of them well formed")
    yield Lines([*_on_parses(parses), *cautions(design_notes), ""])
    yield Table(LISTS, lists, "lists")
    yield Table(_condition_columns(checks), checks.summaries, "conditions")
    known = {(item.item.group, item.item.phenomenon): item for item in checks.items}
    yield Items(
        "comparisons", [[*_comparison(condition_contrast, checks, known)] for condition_contrast in checks.comparisons]
    )
    yield Items("interactions", [[*_interaction(interaction, materials)] for interaction in checks.interactions])
    yield lost_items(lost)


LISTS: Final[Sequence[Column[TrialList]]] = (
    Column(key="list", value=lambda trial_list: trial_list.number),
    Column(key="order"),
    Column(key="trials", value=lambda row: [_trial(trial) for trial in row.trials]),
)


def _trial(stimulus: Stimulus) -> dict[str, Any]:
    trial = {
        "kind": stimulus.kind,
        "item": stimulus.name,
        "condition": list(stimulus.condition),
        "sentence": stimulus.sentence,
    }
    return trial | ({"columns": dict(stimulus.extra)} if stimulus.extra else {})


def _title(materials: Materials) -> str:
    levels = " × ".join(
        f"{name} ({', '.join(values)})" for name, values in zip(materials.factors, materials.levels, strict=True)
    )
    sets = f" in {counted(len(materials.sets), 'set')} ({', '.join(materials.within)})" if materials.within else ""
    return f"{counted(len(materials.items), 'item')}{sets}, {levels}: {counted(len(materials.targets), 'sentence')}"


def _on_lists(lists: Sequence[TrialList], materials: Materials, constraints: OrderConstraints) -> str:
    first = lists[0].trials
    numbers = Counter(stimulus.kind for stimulus in first)
    kinds = ", ".join(counted(numbers[kind], kind) for kind in (TARGET, "filler") if numbers[kind] or kind == TARGET)
    practice = f", {counted(len(materials.practice), 'sentence')} of practice before" if materials.practice else ""
    number = len({trial_list.number for trial_list in lists})
    orders = f" in {counted(len(lists) // number, 'order')} each" if len(lists) > number else ""
    kept = [f"at least {counted(constraints.apart, 'other sentence')} between two of one condition"] * bool(
        constraints.apart
    )
    kept += [f"at least {counted(constraints.between, 'filler')} between two targets"] * bool(constraints.between)
    kept += [f"{counted(constraints.first, 'filler')} first"] * bool(constraints.first)
    return f"{counted(number, 'list')}{orders}: {kinds}{practice}; orders keep {', '.join(kept) or 'nothing'}"


def design_cautions(checks: DesignChecks) -> Iterator[str]:
    """Yield the main problems: lengths that vary with a factor, interactions that the grammar does not predict."""
    summary = {(summary.of_set, summary.condition): summary for summary in checks.summaries}
    longest: dict[tuple[tuple[str, ...], str], tuple[float, str]] = {}
    for comparison in checks.comparisons:
        one, other = (summary.get((comparison.of_set, at)) for at in (comparison.one, comparison.other))
        if one is None or other is None:
            continue
        apart = one.words - other.words
        key = (comparison.of_set, comparison.factor)
        if abs(apart) >= CONFOUNDED and abs(apart) > abs(longest.get(key, (0.0, ""))[0]):
            longest[key] = (apart, comparison.group.name)
    for (of_set, factor), (apart, name) in longest.items():
        where = f" of {' '.join(of_set)}" if of_set else ""
        yield f"sentence length varies with {factor}{where}: {name} is {apart:+.1f} words"
    for interaction in checks.interactions:
        none = sum(not sums for sums in interaction.items.values())
        if 2 * none > len(interaction.items):
            where = f" of {' '.join(interaction.of_set)}" if interaction.of_set else ""
            yield f"the grammar predicts no interaction in {none} of {counted(len(interaction.items), 'item')}{where}"
    odd = Counter(contrast.verdict for comparison in checks.comparisons for contrast in comparison.group.contrasts)
    if bad := sum(odd.values()) - odd["expected"]:
        yield (
            f"{bad} of {odd.total()} contrasts of conditions differ in other properties than intended, in more, "
            "or in nothing"
        )


def _condition_columns(checks: DesignChecks) -> Sequence[Column[ConditionSummary]]:
    of_set = (lambda row: " ".join(row.of_set)) if checks.materials.within else None
    return (
        Column("set", of_set, "set", lambda row: list(row.of_set)),
        Column("condition", lambda row: ", ".join(row.condition), "condition", lambda row: list(row.condition)),
        Column("items", "", "items"),
        Column("words", ".1f", "words"),
        Column("farthest", "+.1f", "farthest"),
        Column("letters", ".1f", "letters"),
        Column("Zipf", ".2f" if checks.frequencies else None, "zipf"),
        Column("unknown", "", "unknown"),
        Column("full", "", "full"),
        Column("well formed", "", "well_formed"),
    )


def _comparison(
    comparison: ConditionContrast, checks: DesignChecks, known: Mapping[tuple[str, str], ScoredItem]
) -> Iterator[Part]:
    group, of_set = comparison.group, " ".join(comparison.of_set)
    words = {summary.condition: summary.words for summary in checks.summaries if summary.of_set == comparison.of_set}
    apart = words.get(comparison.one, 0.0) - words.get(comparison.other, 0.0)
    title = f"{of_set + ': ' if of_set else ''}{comparison.factor}, {group.name} ({apart:+.1f} words)"
    yield Member("factor", comparison.factor, ["", title])
    yield Members({"set": list(comparison.of_set), "A": list(comparison.one), "B": list(comparison.other)})
    usual = {"differences": _signs(group.usual), "items": group.number}
    yield Member("usual", usual, f"  {group.number} of {counted(len(group.contrasts), 'item')}: {signed(group.usual)}")
    odd = [contrast for _, contrast in in_order([group]) if contrast.verdict != "expected"]
    yield Lines([f"  {contrast.verdict:8} {contrast.name}: {_differing(contrast.differences)}" for contrast in odd])
    yield Table((*CONTRAST, *_only_words(known)), group.contrasts, "items")


def _only_words(known: Mapping[tuple[str, str], ScoredItem]) -> Iterator[Column[FileContrast]]:
    """Yield the columns with the words that only one of the sentences has."""

    def only(contrast: FileContrast, place: int) -> list[str]:
        one, other = (known[item.group, item.phenomenon] for item in (contrast.one, contrast.other))
        return words_apart(one, other)[place]

    yield Column(key="only_in_A", value=lambda row: only(row, 0))
    yield Column(key="only_in_B", value=lambda row: only(row, 1))


CONTRAST: Final[Sequence[Column[FileContrast]]] = (
    Column(key="name"),
    Column(key="verdict"),
    Column(key="expected", value=lambda row: None if row.expected is None else _signs(row.expected)),
    Column(key="differences", value=lambda row: _counted_more(row.differences)),
    Column(key="sentences", value=lambda row: {"A": row.one.sentence, "B": row.other.sentence}),
    Column(key="scores", value=lambda row: {"A": row.contrast.one.value, "B": row.contrast.other.value}),
)


def _interaction(interaction: Interaction, materials: Materials) -> Iterator[Part]:
    plus, minus = (
        " + ".join(f"({', '.join(condition)})" for condition in part) for part in (interaction.plus, interaction.minus)
    )
    of_set = " ".join(interaction.of_set)
    factors = " × ".join(materials.factors)
    title = f"{of_set + ': ' if of_set else ''}{factors}, {plus} - {minus.replace(' + ', ' - ')}"
    yield Member("set", list(interaction.of_set), ["", title])
    yield Members({"plus": list(map(list, interaction.plus)), "minus": list(map(list, interaction.minus))})
    for sums, number in interaction.counts.most_common():
        which = [" ".join(item) for item, differing in interaction.items.items() if differing == sums]
        named = f" ({first_of(which, 3)})" if 2 * number < len(interaction.items) else ""
        yield Line(f"  {number} of {counted(len(interaction.items), 'item')}: {_differing(sums)}{named}")
    rows = [{"item": " ".join(item), "differences": _counted_more(sums)} for item, sums in interaction.items.items()]
    yield Member("items", rows)


def _on_parses(parses: Sequence[Parse]) -> Iterator[str]:
    """Yield the words that are not in the lexicon, and the number of parses that may not be the best."""
    yield from unknown_in_all(parses)
    if stopped := sum(parse.stopped_by is not None for parse in parses):
        yield f"! sentences whose parse reached a limit, so that a better one may exist: {stopped}"


def signed(signs: Signs) -> str:
    """Return the differences of two sentences: `+` before what A violates more often, `-` before what B does."""
    ordered = sorted(signs, key=lambda sign: (not sign[1], sign[0]))
    return "; ".join(f"{'+' if is_more else '-'} {name}" for name, is_more in ordered) or "nothing"


def _differing(differences: Sequence[Difference]) -> str:
    ordered = sorted(differences, key=lambda difference: (-difference.number, difference.name))
    times = ((name, n, "" if abs(n) == 1 else f" ({abs(n)} times)") for name, n in ordered)
    return "; ".join(f"{'+' if n > 0 else '-'} {name}{often}" for name, n, often in times) or "nothing"


def _counted_more(differences: Iterable[Difference]) -> list[dict[str, Any]]:
    return [{"property": difference.name, "A_minus_B": difference.number} for difference in differences]


def _signs(signs: Signs) -> list[dict[str, Any]]:
    return [{"property": name, "violated_more_by": "A" if is_more else "B"} for name, is_more in sorted(signs)]


# The report on the minimal pairs of a file: A is the bad sentence

MOST: Final = 20
"""Maximum number of unexpected pairs that are shown."""


@report("numbat.contrasts/1")
def pairs_report(
    groups: Sequence[ContrastGroup], notes: Sequence[str] = (), lost: Sequence[LostItem] = ()
) -> Iterator[Part]:
    """Yield the number of pairs that differ as expected, counts by property, then the other pairs, each by name.

    `notes` are those of the suite.
    """
    contrasts = [contrast for group in groups for contrast in group.contrasts]
    parses = [parse for contrast in contrasts for parse in contrast.contrast.parses]
    yield Lines([*cautions(notes), *_on_parses(parses), *_turning_on(contrasts), ""])
    counts = ContrastGroup("", tuple(contrasts), frozenset(), 0).counts
    yield Table(_property_columns(groups), [*counts.items()], "properties")
    phenomena = Table(PHENOMENA, groups)
    yield Member("phenomena", phenomena.objects, ["", *phenomena.lines()] if len(groups) > 1 else ())
    pairs = [*in_order(groups)]
    wrong = [(group, contrast) for group, contrast in pairs if contrast.verdict != "expected"]
    yield Lines([line for group, contrast in wrong[:MOST] for line in ("", *_pair_lines(group, contrast))])
    if len(wrong) > MOST:
        yield Lines(["", f"and {len(wrong) - MOST} more: -f json lists all"])
    yield Table(PAIRS, [contrast for _, contrast in pairs], "pairs")
    yield lost_items(lost)


def _turning_on(contrasts: Sequence[FileContrast]) -> Iterator[str]:
    verdicts = Counter(contrast.verdict for contrast in contrasts)
    said = sum(contrast.expected is not None for contrast in contrasts)
    by = (
        "the property that the file names"
        if said == len(contrasts)
        else "the usual difference of their phenomenon"
        if not said
        else "the expected difference"
    )
    yield f"{counted(len(contrasts), 'pair')}, A is bad: {verdicts['expected']} differ in {by} and nothing else"
    yield (
        f"{verdicts['more']} differ in that and more, {verdicts['other']} in something else, "
        f"{verdicts['nothing']} in no property of the grammar"
    )


def _property_columns(
    groups: Sequence[ContrastGroup],
) -> Sequence[Column[tuple[tuple[str, bool], tuple[int, int]]]]:
    """Return the columns of properties, with the numbers of pairs that differ in each, and in it alone."""
    where = {
        sign: first_of([group.name or "(none)" for group in groups if sign in group.counts], 3)
        for sign in {sign for group in groups for sign in group.counts}
    }
    return (
        Column("property", lambda row: f"{'+' if row[0][1] else '-'} {row[0][0]}", "property", lambda row: row[0][0]),
        Column(key="violated_more_by", value=lambda row: "A" if row[0][1] else "B"),
        Column("pairs", "", "pairs", lambda row: row[1][0]),
        Column("alone", "", "alone", lambda row: row[1][1]),
        Column("phenomena", lambda row: where[row[0]]),
    )


PHENOMENA: Final[Sequence[Column[ContrastGroup]]] = (
    Column("phenomenon", lambda group: group.name or "(none)", "name", lambda group: group.name),
    Column("pairs", "", "pairs", lambda group: len(group.contrasts)),
    Column("as expected", lambda group: str(len(group.with_verdict("expected")))),
    Column("usually", lambda group: signed(group.usual), "usual", lambda group: _signs(group.usual)),
    Column(key="number"),
)


def _pair_lines(group: ContrastGroup, file_contrast: FileContrast) -> Iterator[str]:
    named = f" ({group.name})" if group.name else ""
    name = file_contrast.name or file_contrast.one.id
    yield f"{file_contrast.verdict} {name}{named}: {_differing(file_contrast.differences)}"
    yield f"  A {figure(file_contrast.contrast.one.value):>6}  {on_one_line(file_contrast.one.sentence)}"
    yield f"  B {figure(file_contrast.contrast.other.value):>6}  {on_one_line(file_contrast.other.sentence)}"


PAIRS: Final[Sequence[Column[FileContrast]]] = (
    *CONTRAST,
    Column(key="phenomenon", value=lambda row: row.one.phenomenon),
    Column(key="contrast", value=lambda row: contrast_report(row.contrast).value()),
)
