"""Preferences among parses that cost about the same: a linear model over phrases, learned from a treebank.

Most sentences have several parses of the least cost: which phrase an adjunct belongs to, what is coordinated. The
properties say nothing about that. A model of preferences adds up weights of features of phrases: the construction, its
daughters, pairs of neighbours, lengths, and the words that bear the features of a phrase and of its daughters. Of the
parses within a margin of the best, the one with the highest sum minus its cost is shown. So a preference never
outweighs what costs more than the margin.

The analyses of an item with the highest sums are kept (`folding`), `MOST` of them, since words further up may change
the order: the result is nearly always the exact best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import islice
from operator import is_
from typing import Final, NamedTuple

from numbat.derivations import build_bottom_up
from numbat.errors import DataError
from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import evaluated_phrase
from numbat.evaluation.matching import LookupTable
from numbat.files import lines_of, packaged_file, shown
from numbat.grammar.model import Grammar, remembered
from numbat.grammar.properties import UNIT, Bundle
from numbat.parsing.exact.chart import Chart, Node
from numbat.parsing.explanation.violations import bearer, bundle, decimal, spine
from numbat.parsing.folding import Folding, Partial, fold, parses_of
from numbat.parsing.parser import Nearby, Parser
from numbat.parsing.policies import Overdue, never
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.settings import Range

MOST: Final = 8
"""Maximum number of analyses kept for an item."""
MOST_SUMS: Final = 100_000
"""Number of sums that are kept, some 30 MB, so that memory does not grow with the text."""
LENGTHS: Final = ((3, "3 words or fewer"), (6, "4 to 6 words"), (12, "7 to 12 words"))
MARGIN: Final = Range(0)
"""The range of a margin, in costs."""
WEIGHT: Final = Range()
"""The range of a weight."""
HEADER: Final = "# numbat preferences/1"
SUFFIX: Final = ".preferences"
"""End of the name of a packaged file of preferences."""
TOLD: Final = 2
"""Maximum number of features that the reason of a choice names."""


@frozen
class Preferences:
    """Weights of features by name, on the scale of costs; `grammar` is the name of the grammar that they are for.

    `about` says what they were learned from. Only parses within `margin` of the best are compared. Sums of weights that
    recur are kept: of `shapes` of phrases, with the number of the head, and of `links`.
    """

    grammar: str
    margin: float
    about: str
    weights: Mapping[str, float]
    shapes: dict[Shape, tuple[float, int]] = field(default_factory=dict, compare=False, repr=False)
    links: dict[Link, float] = field(default_factory=dict, compare=False, repr=False)

    def __reduce__(self) -> tuple[type[Preferences], tuple[object, ...]]:
        return type(self), (self.grammar, self.margin, self.about, self.weights)

    def of_phrase(self, phrase: Constituent, parts: Weighed, table: LookupTable) -> Weighed:
        """Return the sum of the weights of a phrase, given that of its daughters, `parts`."""
        shapes, links = self.shapes, self.links
        if len(shapes) + len(links) > MOST_SUMS:
            shapes.clear()
            links.clear()
        shape = phrase.construction, phrase.features, tuple(map(_seen_of, phrase.daughters))
        if shape not in shapes:
            shapes[shape] = self._sum(_features_of_shape(phrase, table)), _head_of(phrase, table)
        total, head = shapes[shape]
        for link in _links_of(phrase, head, parts.bearers):
            if link not in links:
                links[link] = self._sum(_features_of_link(*link))
            total += links[link]
        return Weighed(parts.sum + total, (parts.bearers[head],))

    def _sum(self, features: Iterator[str]) -> float:
        return sum(self.weights.get(name, 0.0) for name in features)


class Weighed(NamedTuple):
    """The sum of the weights of a part of a parse, and the words from which its constituents have their features."""

    sum: float
    bearers: tuple[Constituent, ...]


def features_of(phrase: Constituent, table: LookupTable) -> Iterator[str]:
    """Yield the features of a phrase, as often as each occurs, or of a word: its form with its category.

    Of the features in a bundle, those are used that trees show, except those of agreement.
    """
    if not phrase.daughters:
        yield _reading(phrase)
        return
    yield from _features_of_shape(phrase, table)
    bearers = [bearer(daughter, table.constructions) for daughter in phrase.daughters]
    for link in _links_of(phrase, _head_of(phrase, table), bearers):
        yield from _features_of_link(*link)


def _reading(word: Constituent) -> str:
    return f"{word.form.lower()}/{word.construction}"


Shape = tuple[str, Bundle, tuple[tuple[str, Bundle, str], ...]]
"""A phrase as its category, its features, and what `_seen_of` returns for each daughter."""
Link = tuple[str, str, str, str, str, int]
"""Categories of a phrase and its head word, the form of that, category and head word of a daughter, their distance."""


def _links_of(phrase: Constituent, head: int, bearers: Sequence[Constituent]) -> Iterator[Link]:
    """Yield the links of a phrase: from the word of the daughter that is the head to those of all other daughters."""
    of = bearers[head]
    for number, (daughter, word) in enumerate(zip(phrase.daughters, bearers, strict=True)):
        if number != head:
            away = abs(word.start - of.start)
            yield phrase.construction, of.construction, of.form, daughter.construction, word.form, away


def _seen_of(daughter: Constituent) -> tuple[str, Bundle, str]:
    """Return what the shape of a phrase has of a daughter: its category, its features, the length of a phrase."""
    length = _length(daughter.end - daughter.start) if daughter.daughters else ""
    return daughter.construction, daughter.features, length


def _head_of(phrase: Constituent, table: LookupTable) -> int:
    """Return the number of the daughter that is the head."""
    head = next(islice(spine(phrase, table.constructions), 1, None))
    return next(number for number, daughter in enumerate(phrase.daughters) if daughter is head)


def _features_of_shape(phrase: Constituent, table: LookupTable) -> Iterator[str]:
    mother, shown = phrase.construction, _shown(table.grammar)
    yield mother
    yield f"{mother}{bundle(phrase, shown)}"
    yield f"{mother} > {' '.join(daughter.construction for daughter in phrase.daughters)}"
    before = ""
    for daughter in phrase.daughters:
        name, of = daughter.construction, f"{mother} > {daughter.construction}"
        yield of
        yield f"{of}{bundle(daughter, shown)}"
        if daughter.daughters:
            yield f"{of} of {_length(daughter.end - daughter.start)}"
        if before:
            yield f"{mother} > {before} + {name}"
        before = name


def _features_of_link(mother: str, head: str, form: str, daughter: str, word: str, away: int) -> Iterator[str]:
    one, other = form.lower(), word.lower()
    yield f'{mother} "{one}" > {daughter}'
    yield f'{mother} > {daughter} "{other}"'
    yield f'{mother} "{one}" > {daughter} "{other}"'
    yield f"{mother} {head} > {daughter} {_length(away)} away"


def features_of_parse(parse: Parse, table: LookupTable, without: Collection[int] = ()) -> Counter[str]:
    """Return how often each feature occurs in a parse, outside the constituents with these identities."""
    nodes = (node for node in parse.walk() if id(node) not in without)
    counts = Counter(feature for node in nodes for feature in features_of(node, table))
    counts.update(f"top {top.construction}" for top in parse.constituents)
    return counts


OF_AGREEMENT: Final = frozenset({"number", "person", "gender"})
"""Features that agreement decides, not the choice of a parse."""


@remembered
def _shown(grammar: Grammar) -> frozenset[str]:
    return frozenset(grammar.tree_features or ()) - OF_AGREEMENT


def _length(words: int) -> str:
    return next((name for most, name in LENGTHS if words <= most), "more than 12 words")


class _Preferring(Folding[Weighed]):
    """Analyses with the sums of their weights."""

    def __init__(self, parser: Parser, parse: Parse, limit: int, preferences: Preferences) -> None:
        super().__init__(parser, parse, limit, Weighed(0.0, ()))
        self._preferences, self._table = preferences, parser.evaluator.table

    def phrase(
        self, chart: Chart, node: Node, number: int, nodes: Sequence[Node], daughters: Assignment
    ) -> Constituent:
        """Return a phrase whose properties are not evaluated, which would take most of the time."""
        construction, features = chart.kind(node)
        cover = sum(daughter.cover for daughter in daughters)
        return Constituent(construction, cover, features, daughters=tuple(daughters))

    def of_word(self, leaf: Constituent) -> Weighed:
        return Weighed(self._preferences.weights.get(_reading(leaf), 0.0), (leaf,))

    def of_phrase(self, phrase: Constituent, parts: Weighed) -> Weighed:
        return self._preferences.of_phrase(phrase, parts, self._table)

    def of_cover(self, top: Constituent, fragment_cost: int) -> Weighed:
        return Weighed(self._preferences.weights.get(f"top {top.construction}", 0.0), ())

    def joined(self, one: Weighed, other: Weighed) -> Weighed:
        return Weighed(one.sum + other.sum, one.bearers + other.bearers)

    def kept(self, ways: Sequence[Partial[Weighed]], rest: int, is_open: bool) -> list[Partial[Weighed]]:
        if len(ways) == 1:
            return list(ways)
        within = (way for way in ways if self.level(way.value) + rest <= self.limit)
        return sorted(within, key=self._order)[:MOST]

    def _order(self, way: Partial[Weighed]) -> tuple[float, int]:
        """Return the sort key of an analysis, the best first: its cost minus the sum of its weights, then its value."""
        return round(self.level(way.value) / UNIT - way.note.sum, 6), way.value


def preferred(
    parser: Parser,
    parse: Parse,
    preferences: Preferences,
    overdue: Overdue = never,
    nearby: Nearby | None = None,
) -> Parse:
    """Return the preferred parse among those within the margin of a best one; its outcome says what was decisive.

    It is the best parse itself if there is no other one, if a limit was met, or without the exact engine.
    """
    analyses = fold(parser, parse, nearby, preferences.margin, overdue, partial(_Preferring, preferences=preferences))
    if not analyses:
        return parse
    best = analyses[0]
    known = {_key(node, node.daughters): node for node in parse.walk()}
    tops = tuple(build_bottom_up(top, _opened, partial(_evaluated, parser, known)) for top in best.constituents)
    if all(map(is_, tops, parse.constituents)):
        return parse
    (chosen,) = parses_of(parser, parse, [best._replace(constituents=tops)])
    why = _decisive(parser, chosen, parse, preferences)
    return replace(chosen, outcome=replace(chosen.outcome, preferred=why)) if why else parse


def _key(node: Constituent, daughters: Assignment) -> tuple[object, ...]:
    """Return what two constituents share if they are the same, given that they share the same daughters."""
    return node.construction, node.cover, node.features, node.form, tuple(map(id, daughters))


def _opened(node: Constituent) -> tuple[Constituent, Sequence[Constituent]]:
    return node, node.daughters


def _evaluated(
    parser: Parser, known: Mapping[tuple[object, ...], Constituent], node: Constituent, daughters: Assignment
) -> Constituent:
    """Return a constituent with its properties evaluated, given its evaluated daughters; those known are shared."""
    if shared := known.get(_key(node, daughters)):
        return shared
    if not daughters:
        return node
    return evaluated_phrase(parser.evaluator.table.constructions[node.construction], daughters, parser.evaluator)


def _decisive(parser: Parser, chosen: Parse, other: Parse, preferences: Preferences) -> str:
    """Name the features that speak most for a parse and against a best one; empty if both are the same."""
    table = parser.evaluator.table
    differing = features_of_parse(chosen, table, {*map(id, other.walk())})
    differing.subtract(features_of_parse(other, table, {*map(id, chosen.walk())}))
    gains = {name: number * preferences.weights.get(name, 0.0) for name, number in differing.items() if number}
    if not any(gains.values()):
        return ""
    strongest = sorted(gains, key=lambda name: (-abs(gains[name]), name))[:TOLD]
    listed = ", ".join(f"{name} {decimal(round(100 * gains[name]) * UNIT // 100)}" for name in strongest)
    more = chosen.cost_units - other.cost_units
    beside = f"that costs {decimal(more)} less" if more else "of equal cost"
    return f"chosen before a parse {beside}: {listed}"


# Files of preferences: a header, lines that begin with #, then a weight and a feature on each line.


def format_preferences(preferences: Preferences) -> str:
    """Return the text of a file of preferences, the strongest first."""
    rows = sorted(preferences.weights.items(), key=lambda item: (-abs(item[1]), item[0]))
    head = (HEADER, f"# grammar: {preferences.grammar}", f"# margin: {preferences.margin:g}", f"# {preferences.about}")
    return "".join(f"{line}\n" for line in (*head, *(f"{weight:.2f}\t{feature}" for feature, weight in rows)))


def read_preferences(path: str, grammar: Grammar) -> Preferences:
    """Read a file of preferences, or packaged ones by the name of their grammar.

    Raises MissingFileError; DataError if it is another file, for another grammar, or for constructions that are gone.
    """
    path = packaged_file(path, SUFFIX) or path
    lines = lines_of(path)
    hint = "\n  numbat learn preferences writes such files"
    if not lines or lines[0].rstrip() != HEADER:
        raise DataError(f'{shown(path)}:1: not a file of preferences: its first line is not "{HEADER}"{hint}')
    comments = [line.removeprefix("# ") for line in lines if line.startswith("#")]
    named = {key: value for key, colon, value in (line.partition(": ") for line in comments) if colon}
    if named.get("grammar") != grammar.name:
        raise DataError(
            f'{shown(path)}:2: these preferences are for the grammar "{named.get("grammar", "")}", not "{grammar.name}"'
            "\n  learn others with numbat learn preferences"
        )
    margin = _number(named.get("margin", "0.3"), MARGIN)
    if margin is None:
        raise DataError(f"{shown(path)}: its margin is not {MARGIN}{hint}")
    known = {*grammar.categories}
    weights: dict[str, float] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        written, tab, feature = line.partition("\t")
        weight = _number(written, WEIGHT)
        if weight is None or not tab:
            raise DataError(f"{shown(path)}:{number}: not a weight, a tab and a feature{hint}")
        if feature in weights:
            raise DataError(f"{shown(path)}:{number}: a second weight of {feature}\n  leave one of them out")
        if (gone := _category_of(feature)) not in known:
            raise DataError(
                f"{shown(path)}:{number}: {gone} is no category of the grammar {grammar.name}\n"
                "  the grammar has changed: learn the preferences again"
            )
        weights[feature] = weight
    return Preferences(grammar.name, margin, comments[-1], weights)


def _number(text: str, within: Range) -> float | None:
    """Return the number in a text, None unless it is one in the range."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if within.has(number) else None


def _category_of(feature: str) -> str:
    """Return the category of the phrase or word that has a feature."""
    if " > " not in feature and "/" in feature:
        return feature.rpartition("/")[2]
    return feature.removeprefix("top ").partition(" ")[0].partition("[")[0]
