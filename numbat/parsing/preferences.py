"""Preferences among parses that cost about the same: a linear model over phrases, learned from a treebank.

Most sentences have several parses of the least cost: which phrase an adjunct belongs to, what is coordinated. The
properties say nothing about that. A model of preferences adds up weights of features of phrases: the construction, its
daughters, pairs of neighbours, lengths, and the words that bear the features of a phrase and of its daughters. Of the
parses within a margin of the best, the one with the highest sum minus its cost is chosen (`exact.choice`). So a
preference never outweighs what costs more than the margin.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from numbat.automata.records import Kinds, Memo, Numbering
from numbat.errors import DataError, visible
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.matching import LookupTable
from numbat.files import digest_of, keep, kept, lines_of, packaged_file, packaged_files, shown
from numbat.grammar.cache import file_of
from numbat.grammar.model import Grammar, remembered
from numbat.grammar.properties import UNIT, Bundle, Operand, format_bundle
from numbat.parsing.analysis import Analysis, Solution
from numbat.parsing.exact.chart import Chart, is_same
from numbat.parsing.exact.choice import LENGTHS, NEVER, choose, class_of
from numbat.parsing.exact.compiled_grammar import WeightedGrammar
from numbat.parsing.explanation.violations import bearer, decimal, head_of
from numbat.records import cached_property, frozen
from numbat.version import __version__
from numbat.words.lattice import Arc

MOST: Final = 8
"""Maximum number of analyses kept for an item."""
MOST_SUMS: Final = 100_000
"""Number of sums that are kept, some 30 MB, so that memory does not grow with the text."""
HEADER: Final = "# numbat preferences/1"
SUFFIX: Final = ".preferences"
"""End of the name of a packaged file of preferences."""
MOST_WEIGHT: Final = 1_000_000
"""Maximum absolute weight, so that the sums of a sentence fit into 64 bits."""
MANY_WEIGHTS: Final = 1_000
"""Number of weights from which on a file is kept in the cache."""
SOUGHT: Final = 2_000
"""Number of features that are sought in the rows of the cache before a dictionary is made."""
TOLD: Final = 2
"""Maximum number of features that the reason of a choice names."""

Known = TypeVar("Known")


@frozen
class Preferences:
    """Weights of features by name, on the scale of costs; `grammar` is the name of the grammar that they are for.

    `about` says what they were learned from. Only parses within `margin` of the best are compared.
    """

    grammar: str
    margin: float
    about: str
    weights: Mapping[str, float]

    @property
    def margin_units(self) -> int:
        """The margin in fixed-point units."""
        return round(self.margin * UNIT)


class PhrasePart(NamedTuple):
    """A phrase or a daughter of it as its features see it; the class of the length of a word is 0."""

    category: str
    features: Bundle
    length: int = 0


class HeadLink(NamedTuple):
    """A phrase with the word of its head, and another daughter with its word; `away` is the class of their distance.

    Words are form and category, the form in small letters.
    """

    mother: str
    head: Word
    daughter: str
    word: Word
    away: int


Word = tuple[str, str]
"""Form in small letters, and category."""


def features_of_parse(parse: Analysis, table: LookupTable) -> Counter[str]:
    """Return how often each feature occurs in a parse.

    Of the features in a bundle, those are used that trees show, except those of agreement.
    """
    counts = Counter(feature for node in parse.walk() for feature in _features_of(node, table))
    counts.update(_at_the_top(top.construction) for top in parse.constituents)
    return counts


def _features_of(node: Constituent, table: LookupTable) -> Iterator[str]:
    """Yield the features of a phrase, as often as each occurs, or of a word: its form with its category."""
    if not node.daughters:
        yield _of_word(*_word(node))
        return
    daughters = [PhrasePart(one.construction, one.features, _length_of(one)) for one in node.daughters]
    yield from _of_shape(PhrasePart(node.construction, node.features), daughters, _shown(table.grammar))
    words = [bearer(daughter, table.constructions) for daughter in node.daughters]
    head = head_of(_heads(table.grammar).get(node.construction, ()), [daughter[:2] for daughter in daughters])
    for number, (daughter, word) in enumerate(zip(node.daughters, words, strict=True)):
        if number != head:
            away = class_of(abs(word.start - words[head].start))
            yield from _of_link(
                HeadLink(node.construction, _word(words[head]), daughter.construction, _word(word), away)
            )


def _word(word: Constituent) -> Word:
    return word.form.lower(), word.construction


def _length_of(node: Constituent) -> int:
    return class_of(node.end - node.start) if node.daughters else 0


@remembered
def _heads(grammar: Grammar) -> dict[str, tuple[Operand, ...]]:
    return {construction.name: construction.heads for construction in grammar.constructions}


def _of_word(form: str, category: str) -> str:
    return f"{form}/{category}"


def _at_the_top(category: str) -> str:
    return f"top {category}"


def _of_shape(mother: PhrasePart, daughters: Sequence[PhrasePart], shown: frozenset[str]) -> Iterator[str]:
    name, names = mother.category, [daughter.category for daughter in daughters]
    yield from _of_mother(mother, shown)
    yield _of_expansion(name, names)
    for daughter in daughters:
        yield from _of_daughter(name, daughter, shown)
    for pair in pairwise(names):
        yield _of_pair(name, *pair)


def _of_mother(mother: PhrasePart, shown: frozenset[str]) -> tuple[str, str]:
    return mother.category, f"{mother.category}{_bundle(mother.features, shown)}"


def _of_expansion(mother: str, daughters: Sequence[str]) -> str:
    return f"{mother} > {' '.join(daughters)}"


def _of_daughter(mother: str, daughter: PhrasePart, shown: frozenset[str]) -> Iterator[str]:
    of = f"{mother} > {daughter.category}"
    yield of
    yield f"{of}{_bundle(daughter.features, shown)}"
    if daughter.length:
        yield f"{of} of {_length(daughter.length)}"


def _of_pair(mother: str, one: str, other: str) -> str:
    return f"{mother} > {one} + {other}"


def _of_link(link: HeadLink) -> Iterator[str]:
    mother, (head, category), daughter, (word, _), away = link
    yield f'{mother} "{head}" > {daughter}'
    yield f'{mother} > {daughter} "{word}"'
    yield f'{mother} "{head}" > {daughter} "{word}"'
    yield f"{mother} {category} > {daughter} {_length(away)} away"


OF_AGREEMENT: Final = frozenset({"number", "person", "gender"})
"""Features that agreement decides, not the choice of a parse."""


@remembered
def _shown(grammar: Grammar) -> frozenset[str]:
    return frozenset(grammar.tree_features or ()) - OF_AGREEMENT


@lru_cache(4096)
def _bundle(features: Bundle, shown: frozenset[str]) -> str:
    return visible(format_bundle(tuple([pair for pair in features if pair[0] in shown])))


@cache
def _length(of_class: int) -> str:
    """Return the words for a class of lengths (`exact.choice.class_of`)."""
    if of_class > len(LENGTHS):
        return f"more than {LENGTHS[-1]} words"
    most, least = LENGTHS[of_class - 1], LENGTHS[of_class - 2] + 1
    return f"{most} words or fewer" if of_class == 1 else f"{least} to {most} words"


# Preferences in use: a parser has one `PreferredChoice`, whose sums all its sentences share.


class _Sums(dict[bytes, Known]):
    """Results of a function of numbers, which are the key as bytes; each is computed when first looked up."""

    def __init__(self, of: Callable[[array[int]], Known]) -> None:
        self._of = of

    def __missing__(self, key: bytes) -> Known:
        value = self[key] = self._of(array("i", key))
        return value


class PreferredChoice:
    """Choice by preferences among the parses of a chart, with the sums that it needs (`exact.choice.PhraseSums`)."""

    def __init__(self, preferences: Preferences, table: LookupTable) -> None:
        self.preferences, self.margin = preferences, preferences.margin_units
        self._table, self._shown = table, _shown(table.grammar)
        self._begin(Kinds())

    def _begin(self, kinds: Kinds) -> None:
        """Forget all sums; numbers of kinds are those of `kinds`."""
        self._kinds = kinds
        self.shapes, self.links, self._tops = _Sums(self._of_shape), _Sums(self._of_link), _Sums(self._of_top)
        self._mothers = Memo[tuple[int], int](self._of_mother)
        self._daughters = Memo[tuple[str, int, int], int](self._of_daughter)
        self._pairs = Memo[tuple[str, str, str], int](lambda *pair: self._sum((_of_pair(*pair),)))
        self.categories = array("i")
        """The number of the category of each kind."""
        self._names, self._words = Numbering[str](), Numbering[Word]()
        self._readings = Memo[Word, tuple[int, int]](self._of_reading)

    def choice(self, chart: Chart, weighted: WeightedGrammar, best: Solution) -> Solution | None:
        """Return the preferred solution of a chart of all within the margin of a best one; None if it was not kept.

        Where words begin and end is as in the best one: treebanks have their words cut, so nothing was learned of that.
        What costs more than the best has constructions of it at the top: headings do not make a clause a noun phrase.
        """
        kinds = weighted.kinds
        if kinds is not self._kinds or len(self.shapes) + len(self.links) + len(self._readings) > MOST_SUMS:
            self._begin(kinds)
        self.categories.extend(self._names.number(kinds[i][0]) for i in range(len(self.categories), len(kinds)))
        cut = {(word.start, word.end) for top in best.constituents for word in top.words()}
        limit = best.cost + self.margin
        chosen = choose(chart, weighted, self, self._tops, cut, limit, MOST)
        at_top = {top.construction for top in best.constituents}
        if chosen is None or chosen.cost <= best.cost or {top.construction for top in chosen.constituents} <= at_top:
            return chosen
        return choose(chart, weighted, self, self._tops_of(at_top), cut, limit, MOST)

    def _of_top(self, numbers: array[int]) -> int:
        return self._sum((_at_the_top(self._kinds[numbers[0]][0]),))

    def _tops_of(self, categories: Container[str]) -> Mapping[bytes, int]:
        """Return the sums of constituents at the top, where only some categories are allowed."""
        return _Sums[int](lambda numbers: self._of_top(numbers) if self._kinds[numbers[0]][0] in categories else NEVER)

    def reading(self, arc: Arc) -> tuple[int, int]:
        """Return the number of a word and the sum of its weights."""
        return self._readings[arc.form.lower(), arc.category]

    def _of_reading(self, form: str, category: str) -> tuple[int, int]:
        return self._words.number((form, category)), self._sum((_of_word(form, category),))

    def _of_shape(self, numbers: array[int]) -> tuple[int, int]:
        mother, *daughters = numbers
        category, kinds = self._kinds[mother][0], daughters[::2]
        names = [self._kinds[kind][0] for kind in kinds]
        total = self._mothers[mother,] + self._sum((_of_expansion(category, names),))
        total += sum([self._daughters[category, *one] for one in zip(kinds, daughters[1::2], strict=True)])
        total += sum([self._pairs[category, *pair] for pair in pairwise(names)])
        return total, head_of(_heads(self._table.grammar).get(category, ()), [self._kinds[kind] for kind in kinds])

    def _of_mother(self, kind: int) -> int:
        return self._sum(_of_mother(PhrasePart(*self._kinds[kind]), self._shown))

    def _of_daughter(self, mother: str, kind: int, length: int) -> int:
        return self._sum(_of_daughter(mother, PhrasePart(*self._kinds[kind], length), self._shown))

    def _of_link(self, numbers: array[int]) -> int:
        mother, head, daughter, word, away = numbers
        names, words = self._names, self._words
        return self._sum(_of_link(HeadLink(names[mother], words[head], names[daughter], words[word], away)))

    def _sum(self, features: Iterable[str]) -> int:
        return round(UNIT * sum(self.preferences.weights.get(name, 0.0) for name in features))

    def reason(self, chosen: Solution, other: Solution) -> str:
        """Name the features that speak most for a solution and against a best one; empty if none does.

        It is empty, too, if other properties are violated: why a sentence is ill-formed is no matter of frequency.
        """
        if is_same(chosen, other) or _violated_in(chosen) != _violated_in(other):
            return ""
        numbers = Numbering[object]()
        one, both = _by_subtree(chosen, numbers), _by_subtree(other, numbers)
        differing = Counter(_at_the_top(top.construction) for top in chosen.constituents)
        differing.subtract(_at_the_top(top.construction) for top in other.constituents)
        for number in one.keys() - both.keys():
            differing.update(_features_of(one[number], self._table))
        for number in both.keys() - one.keys():
            differing.subtract(_features_of(both[number], self._table))
        weights = self.preferences.weights
        gains = {name: number * weights.get(name, 0.0) for name, number in differing.items() if number}
        for_it = sorted([name for name in gains if gains[name] > 0], key=lambda name: (-gains[name], name))[:TOLD]
        if not for_it:
            return ""
        listed = ", ".join(
            f"{'no ' * (differing[name] < 0)}{in_words(name)} ({decimal(round(100 * gains[name]) * UNIT // 100)})"
            for name in for_it
        )
        more = chosen.cost - other.cost
        beside = f"that costs {decimal(more)} less" if more else "of equal cost"
        return f"chosen before a parse {beside}: {listed}"


def in_words(feature: str) -> str:
    """Return a feature of a phrase or word as words: `PP with "of" in NP` for `NP > PP "of"`."""
    mother, is_inside, rest = feature.partition(" > ")
    category, _, head = mother.partition(" ")
    if not is_inside:
        form, is_word, category = feature.rpartition("/")
        if is_word and "[" not in form:
            return f'"{form}" as {category}'
        return f"{feature.removeprefix('top ')} at the top" if feature.startswith("top ") else feature
    if head and not head.startswith('"'):
        return f"{rest} from {head} in {category}"
    daughter, is_long, more = rest.partition(" ")
    if more.startswith("+ "):
        return f"{more[2:]} after {daughter} in {category}"
    if more.startswith('"'):
        rest = f"{daughter} with {more}"
    elif is_long and not more.startswith("of ") and "[" not in daughter:
        return f"{category} of {rest}"
    return f"{rest} in {category}" + (f" with {head}" if head else "")


def _violated_in(solution: Solution) -> Counter[object]:
    """Return how often each property is violated in a solution, and what its fragments cost."""
    nodes = (node for top in solution.constituents for node in top.walk())
    violated = Counter[object](id(one.property) for node in nodes for one in node.characterization.violated)
    violated["fragments"] = solution.fragment_cost
    return violated


def _by_subtree(solution: Solution, numbers: Numbering[object]) -> dict[int, Constituent]:
    """Return the constituents of a solution by numbers, which are equal if all that is below is equal, too."""
    known: dict[int, int] = {}
    by_number: dict[int, Constituent] = {}
    for node in reversed([node for top in solution.constituents for node in top.walk()]):
        below = tuple([known[id(daughter)] for daughter in node.daughters])
        number = known[id(node)] = numbers.number((node.construction, node.features, node.cover, node.form, below))
        by_number[number] = node
    return by_number


# Files of preferences begin with comments; the first says what the file is. Each other line has a weight and a feature.


def format_preferences(preferences: Preferences) -> str:
    """Return the text of a file of preferences, the strongest first."""
    rows = sorted(preferences.weights.items(), key=lambda item: (-abs(item[1]), item[0]))
    categories = " ".join(sorted({*map(_category_of, preferences.weights)}))
    head = f"grammar: {preferences.grammar}", f"margin: {preferences.margin:g}", f"categories: {categories}"
    comments = (HEADER, *(f"# {line}" for line in (*head, preferences.about)))
    return "".join(f"{line}\n" for line in (*comments, *(f"{weight:.2f}\t{feature}" for feature, weight in rows)))


def read_preferences(path: str, grammar: Grammar) -> Preferences:
    """Read a file of preferences, or packaged ones by the name of their grammar.

    Raises MissingFileError; DataError if it is another file, for another grammar, or for constructions that are gone.
    """
    path = packaged_file(path, SUFFIX) or path
    file = _kept_file(path)
    content = None if file is None else kept(file)
    lines = lines_of(path) if content is None else content.decode().split("\n")
    if not lines or lines[0].rstrip() != HEADER:
        raise DataError(f'{shown(path)}:1: not a file of preferences: its first line is not "{HEADER}"{HINT}')
    comments = [line.removeprefix("# ") for line in _comments(lines)]
    named = {key: value for key, colon, value in (line.partition(": ") for line in comments) if colon}
    if named.get("grammar") != grammar.name:
        raise DataError(
            f'{shown(path)}:2: these preferences are for the grammar "{named.get("grammar", "")}", not "{grammar.name}"'
            "\n  learn others with numbat learn preferences"
        )
    if gone := sorted({*named.get("categories", "").split()} - {*grammar.categories}):
        raise DataError(
            f"{shown(path)}: {gone[0]} is no category of the grammar {grammar.name}\n"
            "  the grammar has changed: learn the preferences again"
        )
    margin = _margin(path, named.get("margin", ""))
    if content is not None:
        return Preferences(grammar.name, margin, comments[-1], SortedWeights(lines[len(comments) + 1 :]))
    weights = _weights(path, lines)
    if file is not None and len(weights) >= MANY_WEIGHTS:
        rows = sorted(f"{feature}\t{weight!r}" for feature, weight in weights.items())
        with suppress(OSError):
            keep(file, "\n".join((*_comments(lines), "", *rows)).encode())
    return Preferences(grammar.name, margin, comments[-1], weights)


HINT: Final = "\n  numbat learn preferences writes such files"


def _margin(path: str, text: str) -> float:
    with suppress(ValueError):
        if 0 <= (margin := float(text)) <= MOST_WEIGHT:
            return margin
    raise DataError(f'{shown(path)}:3: the margin "{text}" is no number from 0 to {MOST_WEIGHT:,}{HINT}')


def _comments(lines: Sequence[str]) -> list[str]:
    """Return the comments at the beginning of a file."""
    return [*takewhile(lambda line: line.startswith("#"), lines)]


def _weights(path: str, lines: Sequence[str]) -> dict[str, float]:
    rows = lines[len(_comments(lines)) : -1 if not lines[-1] else None]
    columns = "\t".join(rows).split("\t")
    with suppress(ValueError):
        numbers = [*map(float, columns[::2])]
        weights = dict(zip(columns[1::2], numbers, strict=True))
        if len(weights) == len(rows) and isfinite(sum(numbers)) and max(map(abs, numbers), default=0) <= MOST_WEIGHT:
            return weights
    known: dict[str, float] = {}
    for number, line in enumerate(lines, start=1):
        if line and not line.startswith("#"):
            weight, *features = line.split("\t")
            if len(features) != 1 or features[0] in known or not _fits(weight):
                wanted = f"a weight from -{MOST_WEIGHT:,} to {MOST_WEIGHT:,}, a tab and a new feature"
                raise DataError(f"{shown(path)}:{number}: not {wanted}{HINT}")
            known[features[0]] = float(weight)
    return known


def _kept_file(path: str) -> Path | None:
    """Return the file of the cache for a file of preferences, by its content; None for a pipe, or without a cache."""
    with suppress(OSError, ValueError):
        return file_of("weights", (digest_of(Path(path)), __version__))
    return None


class SortedWeights(Mapping[str, float]):
    """Weights in sorted rows of a feature, a tab and its weight, as the cache has them.

    A sentence asks for hundreds of tens of thousands, so the first ones are sought in the rows: to make a dictionary of
    all takes a tenth of a short run.
    """

    def __init__(self, rows: Sequence[str]) -> None:
        self._rows, self._asked = rows, 0

    @cached_property
    def _all(self) -> dict[str, float]:
        columns = "\t".join(self._rows).split("\t")
        return dict(zip(columns[::2], map(float, columns[1::2]), strict=True))

    def get(self, feature: str, default: Any = None) -> Any:
        if self._asked >= SOUGHT:
            return self._all.get(feature, default)
        self._asked += 1
        begin = f"{feature}\t"
        place = bisect_left(self._rows, begin)
        is_there = place < len(self._rows) and self._rows[place].startswith(begin)
        return float(self._rows[place].removeprefix(begin)) if is_there else default

    def __getitem__(self, feature: str) -> float:
        return self._all[feature]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._rows)


def _fits(text: str) -> bool:
    try:
        return abs(float(text)) <= MOST_WEIGHT
    except ValueError:
        return False


def preferences_of(given: Preferences | str | None, grammar: Grammar) -> Preferences | None:
    """Return preferences for a grammar: those given, in a file, or packaged for it; None if none are packaged.

    Raises MissingFileError and DataError as `read_preferences` does.
    """
    if given is not None:
        return read_preferences(given, grammar) if isinstance(given, str) else given
    packaged = (path for path in packaged_files(SUFFIX) if path.stem == grammar.name)
    try:
        return next((read_preferences(str(path), grammar) for path in packaged), None)
    except DataError:  # another grammar has the name of a packaged one
        return None


def _category_of(feature: str) -> str:
    """Return the category of the phrase or word that has a feature."""
    if " > " not in feature and "/" in feature:
        return feature.rpartition("/")[2]
    return feature.removeprefix("top ").partition(" ")[0].partition("[")[0]
