"""Scores of trees: brackets as evalb counts them, totals with intervals, and attachment scores of dependencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field
from math import comb
from random import Random
from typing import Final, NamedTuple

from numbat.errors import Problem, Span, data_error, quotable, shortened, whole_of
from numbat.grammar.names import WRAPPERS
from numbat.records import frozen
from numbat.treebank.crossing import CrossingTree, inner, leaves_in_order, position_of
from numbat.treebank.trees import EMPTY_TAG, Tree, bare_label

LEVEL: Final = 0.95
"""Confidence level of intervals."""
STEP: Final = 10
"""Width of a row in tables by sentence length."""


@frozen
class Measure:
    """Precision, recall and F1 from counts of brackets; 0 if there are none."""

    gold: int
    predicted: int
    matched: int

    @property
    def precision(self) -> float:
        return self.matched / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.matched / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        both = self.gold + self.predicted
        return 2 * self.matched / both if both else 0.0


@frozen
class TreebankScores:
    """Scores of all sentences of a run; those with an error count in `coverage` only."""

    sentences: tuple[SentenceScore, ...]

    @property
    def scored(self) -> tuple[SentenceScore, ...]:
        """The sentences that could be compared."""
        return tuple(each for each in self.sentences if not each.error)

    @property
    def labelled(self) -> Measure:
        """Brackets with their labels."""
        return self._measure(sum(each.matched for each in self.scored))

    @property
    def unlabelled(self) -> Measure:
        """Brackets without their labels."""
        return self._measure(sum(each.unlabelled for each in self.scored))

    @property
    def discontinuous(self) -> Measure:
        """Brackets with their labels over words that do not stand together."""
        gold, predicted, matched = (sum(each.gaps[i] for each in self.scored) for i in range(3))
        return Measure(gold, predicted, matched)

    def _measure(self, matched: int) -> Measure:
        return Measure(sum(each.gold for each in self.scored), sum(each.predicted for each in self.scored), matched)

    @property
    def exact(self) -> float:
        """The share of sentences whose brackets are all right."""
        return _share(sum(each.is_exact for each in self.scored), len(self.scored))

    @property
    def crossing(self) -> float:
        """Crossing brackets per sentence."""
        return _share(sum(each.crossing for each in self.scored), len(self.scored))

    @property
    def uncrossed(self) -> float:
        """The share of the sentences without crossing brackets."""
        return _share(sum(not each.crossing for each in self.scored), len(self.scored))

    @property
    def coverage(self) -> float:
        """The share of all sentences whose prediction is one tree over all words."""
        return _share(sum(each.full for each in self.scored), len(self.sentences))

    @property
    def tagging(self) -> float:
        """The share of words with the right tag."""
        return _share(sum(each.tags for each in self.scored), sum(each.words for each in self.scored))

    def by_label(self) -> dict[str, Measure]:
        """Return the measure of each label, most frequent in gold first."""
        counts: dict[str, list[int]] = {}
        for each in self.scored:
            for label, *numbers in each.labels:
                seen = counts.setdefault(label, [0, 0, 0])
                for i, number in enumerate(numbers):
                    seen[i] += number
        return {label: Measure(*counts[label]) for label in sorted(counts, key=lambda each: (-counts[each][0], each))}

    def by_length(self) -> dict[tuple[int, int], TreebankScores]:
        """Group sentences by their number of words: 1 to 10, 11 to 20 and so on."""
        bins: dict[tuple[int, int], list[SentenceScore]] = {}
        for each in self.sentences:
            low = max(0, each.words - 1) // STEP * STEP
            bins.setdefault((low + 1, low + STEP), []).append(each)
        return {key: TreebankScores(tuple(bins[key])) for key in sorted(bins)}

    def up_to(self, longest: int) -> TreebankScores:
        """Select the sentences of at most `longest` words."""
        return TreebankScores(tuple(each for each in self.sentences if each.words <= longest))


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0


def intervals(scores: TreebankScores, seed: int = 0, samples: int = 1_000) -> dict[str, tuple[float, float]]:
    """Return percentile bootstrap intervals (Efron 1979) of labelled precision, recall, F1 and exact match."""
    rng = Random(seed)
    rows = [(each.gold, each.predicted, each.matched, int(each.is_exact)) for each in scores.scored]
    if not rows:
        return {}
    found: dict[str, list[float]] = {"precision": [], "recall": [], "f1": [], "exact": []}
    for _ in range(samples):
        drawn = rng.choices(rows, k=len(rows))
        gold, predicted, matched, exact = (sum(column) for column in zip(*drawn, strict=True))
        measure = Measure(gold, predicted, matched)
        for name, value in zip(found, (measure.precision, measure.recall, measure.f1, exact / len(rows)), strict=True):
            found[name].append(value)
    return {name: _percentiles(values) for name, values in found.items()}


def _percentiles(values: list[float]) -> tuple[float, float]:
    ordered = sorted(values)
    cut = round((1 - LEVEL) / 2 * (len(ordered) - 1))
    return ordered[cut], ordered[len(ordered) - 1 - cut]


# Bracket scores as of evalb (Sekine & Collins 1997).
#
# Words with the tags of `deleted` are left out of both trees, phrases with those labels lose their bracket, labels lose
# their functions, and labels that `equal` makes the same are the same. Brackets are counted as often as they occur; the
# brackets of tags do not count. The defaults are those of evalb's COLLINS.prm, and wrappers other than TOP. Where both
# trees have the same words, the tags of the gold tree say which are left out: a prediction with other tags is compared
# too, which evalb cannot do. A bracket is a label over a set of words, so that trees with crossing branches are scored
# as disco-dop does (van Cranenburgh, Scha & Bod 2016); without these it is evalb's measure.

Bracket = tuple[str, int]
"""Label, and words as a bit set: of a tree with crossing branches they need not stand together."""

COLLINS: Final = frozenset({"TOP", EMPTY_TAG, ",", ":", "``", "''", "."})


@frozen
class EvalbParameters:
    """Parameters of evalb. Sentences of more than `longest` words are counted apart.

    `tags` lists the right predicted tags of a gold tag, if a tag map changed them.
    """

    deleted: frozenset[str] = COLLINS
    equal: Mapping[str, str] = field(default_factory=lambda: {"PRT": "ADVP"}, hash=False)
    longest: int = 40
    tags: Mapping[str, Container[str]] = field(default_factory=dict, hash=False)

    def label(self, text: str) -> str:
        """Normalise a label for comparison: without functions, mapped by `equal`."""
        bare = bare_label(text)
        return self.equal.get(bare, bare)

    def is_right(self, gold: str, predicted: str) -> bool:
        """Return True if a predicted tag is right for this gold tag."""
        return predicted in self.tags.get(gold, (gold,))


DEFAULT_PARAMETERS: Final = EvalbParameters()


def read_parameters(lines: Iterable[str], path: str) -> EvalbParameters:
    """Read DELETE_LABEL, EQ_LABEL and CUTOFF_LEN of an evalb file. Raises DataError listing all other lines."""
    deleted: set[str] = set()
    equal: dict[str, str] = {}
    longest = DEFAULT_PARAMETERS.longest
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        key, *values = line.split("#", 1)[0].split() or [""]
        if key == "DELETE_LABEL" and len(values) == 1:
            deleted.add(values[0])
        elif key == "EQ_LABEL" and len(values) > 1:
            equal |= dict.fromkeys(values[1:], values[0])
        elif key == "CUTOFF_LEN" and len(values) == 1 and values[0].isdecimal():
            longest = whole_of(values[0])
        elif key not in ("", "DEBUG", "MAX_ERROR", "LABELED", "DELETE_LABEL_FOR_LENGTH", "DISC_ONLY"):
            start = line.index(key) + 1
            span = Span(path, number, start, start + len(line.split("#", 1)[0].strip()))
            found = f"not understood: {shortened(line.strip())}"
            problems.append(
                Problem(found, span, hint="an example is DELETE_LABEL TOP", source_line=quotable(line.rstrip("\r\n")))
            )
    if problems:
        raise data_error(*problems)
    return EvalbParameters(frozenset(deleted), equal, longest)


@frozen
class SentenceScore:
    """Score of one sentence: numbers of gold, predicted and shared brackets.

    `crossing` brackets of the prediction overlap a gold bracket without one holding the other. `full`: the prediction
    is one tree, not fragments. `gaps` are the numbers of gold, predicted and shared brackets over words that do not
    stand together. `error` says why the trees cannot be compared; then nothing else counts.
    """

    id: str
    words: int
    gold: int = 0
    predicted: int = 0
    matched: int = 0
    unlabelled: int = 0
    crossing: int = 0
    tags: int = 0
    full: bool = False
    labels: tuple[tuple[str, int, int, int], ...] = ()
    error: str = ""
    gaps: tuple[int, int, int] = (0, 0, 0)

    @property
    def is_exact(self) -> bool:
        """True if every bracket is right and none is missing."""
        return not self.error and self.gold == self.predicted == self.matched


def score_tree(
    id: str,
    gold: Tree | CrossingTree,
    predicted: Tree | CrossingTree | None,
    parameters: EvalbParameters = DEFAULT_PARAMETERS,
) -> SentenceScore:
    """Score one sentence; record an error if the prediction is missing or has other words."""
    gold_words, gold_brackets = _brackets(gold, _counted(gold, parameters), parameters)
    if predicted is None:
        return SentenceScore(id, len(gold_words), error="no prediction")
    counting = _counted(gold if _has_same_words(gold, predicted) else predicted, parameters)
    words, brackets = _brackets(predicted, counting, parameters)
    if len(words) != len(gold_words):
        return SentenceScore(
            id, len(gold_words), error=f"{len(gold_words)} words in gold, {len(words)} in the prediction"
        )
    different = next((i for i, (g, p) in enumerate(zip(gold_words, words, strict=True)) if g[0] != p[0]), None)
    if different is not None:
        found = f'"{gold_words[different][0]}" in gold, "{words[different][0]}" in the prediction'
        return SentenceScore(id, len(gold_words), error=f"word {different + 1}: {found}")
    spans = {words for _, words in gold_brackets}
    matched = gold_brackets & brackets
    in_gold, in_predicted, in_both = _labels(gold_brackets), _labels(brackets), _labels(matched)
    labels = sorted({*in_gold, *in_predicted})
    return SentenceScore(
        id,
        len(words),
        gold_brackets.total(),
        brackets.total(),
        matched.total(),
        (_spans(gold_brackets) & _spans(brackets)).total(),
        sum(count for (_, words), count in brackets.items() if _crosses(words, spans)),
        sum(parameters.is_right(g[1], p[1]) for g, p in zip(gold_words, words, strict=True)),
        len(_tops(inner(predicted))) == 1,
        tuple((label, in_gold[label], in_predicted[label], in_both[label]) for label in labels),
        gaps=(_with_gaps(gold_brackets), _with_gaps(brackets), _with_gaps(matched)),
    )


def _tops(tree: Tree) -> tuple[Tree, ...]:
    while tree.label in WRAPPERS and tree.form is None:
        if len(tree.daughters) != 1:
            return tree.daughters
        (tree,) = tree.daughters
    return (tree,)


def _has_same_words(gold: Tree | CrossingTree, predicted: Tree | CrossingTree) -> bool:
    words = ([form for form, _ in tree.words(empty=False)] for tree in (gold, predicted))
    return next(words) == next(words)


def _counted(tree: Tree | CrossingTree, parameters: EvalbParameters) -> list[bool]:
    """Return for each word except empty elements whether it counts."""
    return [tag not in parameters.deleted for _, tag in tree.words(empty=False)]


def _brackets(
    tree: Tree | CrossingTree, counted: Iterable[bool], parameters: EvalbParameters
) -> tuple[list[tuple[str, str]], Counter[Bracket]]:
    """Return the words that count, with their tags, and the brackets over them."""
    if isinstance(tree, CrossingTree):
        return _crossing_brackets(tree, counted, parameters)
    spoken = iter(counted)
    words: list[tuple[str, str]] = []
    brackets: Counter[Bracket] = Counter()
    waiting: list[tuple[Tree, int]] = [(tree, -1)]
    while waiting:
        node, start = waiting.pop()
        if node.form is not None:
            if EMPTY_TAG not in parameters.deleted if node.label == EMPTY_TAG else next(spoken):
                words.append((node.form, bare_label(node.label)))
        elif start < 0:
            waiting.append((node, len(words)))
            waiting += ((daughter, -1) for daughter in reversed(node.daughters))
        else:
            label = parameters.label(node.label)
            if len(words) > start and label not in parameters.deleted and label not in WRAPPERS:
                brackets[label, (1 << len(words)) - (1 << start)] += 1
    return words, brackets


def _crossing_brackets(
    tree: CrossingTree, counted: Iterable[bool], parameters: EvalbParameters
) -> tuple[list[tuple[str, str]], Counter[Bracket]]:
    spoken = iter(counted)
    words: list[tuple[str, str]] = []
    own: dict[int, int] = {}
    for leaf in leaves_in_order(tree.tree):
        own[position_of(leaf)] = 0
        if EMPTY_TAG not in parameters.deleted if leaf.label == EMPTY_TAG else next(spoken):
            own[position_of(leaf)] = 1 << len(words)
            words.append((leaf.form or "", bare_label(leaf.label)))
    brackets: Counter[Bracket] = Counter()
    below: list[int] = []
    for node in reversed(list(tree.tree.walk())):
        if node.form is not None:
            below.append(own[position_of(node)])
            continue
        count = len(node.daughters)
        covered = sum(below[-count:])  # no two daughters share a word
        below[-count:] = [covered]
        label = parameters.label(node.label)
        if covered and label not in parameters.deleted and label not in WRAPPERS:
            brackets[label, covered] += 1
    return words, brackets


def _with_gaps(brackets: Counter[Bracket]) -> int:
    """Return the number of brackets over words that do not stand together."""
    return sum(count for (_, words), count in brackets.items() if _has_gap(words))


def _has_gap(words: int) -> bool:
    return words & (words + (words & -words)) != 0


def _spans(brackets: Counter[Bracket]) -> Counter[int]:
    found: Counter[int] = Counter()
    for (_, words), count in brackets.items():
        found[words] += count
    return found


def _labels(brackets: Counter[Bracket]) -> Counter[str]:
    return Counter(label for label, _ in brackets.elements())


def _crosses(words: int, others: set[int]) -> bool:
    return any(words & other not in (0, words, other) for other in others)


# Attachment scores: F1 of links except those to the root (Smith & Eisner 2006, appendix).


class Attachments(NamedTuple):
    """Counts of links, root links excluded: found, known, right, and right in either direction."""

    found: int = 0
    known: int = 0
    right: int = 0
    either_way: int = 0

    def __add__(self, other: object) -> Attachments:
        if not isinstance(other, Attachments):
            return NotImplemented
        return Attachments(*(mine + its for mine, its in zip(self, other, strict=True)))

    @property
    def f1(self) -> float:
        """F1 of directed links, 0 to 1; 0 if there are none."""
        return 2 * self.right / (self.found + self.known) if self.found + self.known else 0.0

    @property
    def undirected(self) -> float:
        """F1 of links in either direction."""
        return 2 * self.either_way / (self.found + self.known) if self.found + self.known else 0.0


def score_heads(known: Sequence[int], found: Sequence[int]) -> Attachments:
    """Score one sentence: heads by word, counting from 1; 0 is the root."""
    links = {(head, child) for child, head in enumerate(known, start=1) if head}
    made = {(head, child) for child, head in enumerate(found, start=1) if head}
    either_way = links | {(child, head) for head, child in links}
    return Attachments(len(made), len(links), len(links & made), len(either_way & made))


class Changes(NamedTuple):
    """Words that only the first or only the second of two models attaches correctly."""

    corrected: int = 0
    newly_wrong: int = 0

    @property
    def p_value(self) -> float:
        """p-value of the two-sided sign test."""
        total, fewer = sum(self), min(self)
        tail = sum(comb(total, k) for k in range(fewer + 1))
        return min(1.0, tail / 2 ** (total - 1)) if total else 1.0


def changes(known: Sequence[Sequence[int]], before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> Changes:
    """Count the changes of a second model over sentences; links to the root are left out."""
    corrected = newly_wrong = 0
    for heads, first, second in zip(known, before, after, strict=True):
        for head, was, now in zip(heads, first, second, strict=True):
            corrected += bool(head) and was != head == now
            newly_wrong += bool(head) and was == head != now
    return Changes(corrected, newly_wrong)
