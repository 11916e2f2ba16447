"""Scores of trees: brackets as in evalb, totals with intervals, attachments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final, NamedTuple

from numbat.errors import Problem, Span, data_error, quotable, shortened, whole_of
from numbat.grammar.names import WRAPPERS
from numbat.records import frozen, pattern
from numbat.treebanks.crossing import CrossingTree, inner, leaves_in_order, position_of
from numbat.treebanks.link_scores import LinkCounts, Measure, RelationCount, summed
from numbat.treebanks.trees import Tree, bare_label
from numbat.words.tag_maps import EMPTY_TAG

STEP: Final = 10
"""Width of a bin in tables by sentence length."""


@frozen
class TreebankScores:
    """Scores of all sentences of a run; those with an error count only in `coverage`."""

    sentences: tuple[SentenceScore, ...]

    @property
    def scored(self) -> tuple[SentenceScore, ...]:
        """Sentences that could be compared."""
        return tuple(score for score in self.sentences if not score.error)

    @property
    def counted(self) -> tuple[SentenceScore, ...]:
        """Compared sentences with words that count; evalb skips the others."""
        return tuple(score for score in self.scored if score.words)

    @property
    def labelled(self) -> Measure:
        """Score of brackets with their labels."""
        return self._measure(sum(score.matched for score in self.scored))

    @property
    def of_several(self) -> Measure:
        """Score of labelled brackets over two words or more; brackets over one word do not group words."""
        singles = [sum(column) for column in zip(*(score.singles for score in self.scored), strict=True)] or [0, 0, 0]
        whole = self.labelled
        return Measure(whole.gold - singles[0], whole.predicted - singles[1], whole.matched - singles[2])

    @property
    def links(self) -> LinkCounts | None:
        """Counts of dependencies, None if none were compared; sentences with an error count too."""
        return summed(self.link_rows) if self.link_rows else None

    @property
    def link_rows(self) -> list[LinkCounts]:
        """Counts of dependencies of each sentence that has any."""
        return [score.links for score in self.sentences if any(score.links)]

    @property
    def relations(self) -> list[RelationCount]:
        """Counts of words by their relations in gold and in the prediction."""
        words, heads = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for one in (one for score in self.sentences for one in score.relations):
            words[one[:2]] += one.words
            heads[one[:2]] += one.heads
        return [RelationCount(*pair, words[pair], heads[pair]) for pair in sorted(words)]

    @property
    def compared(self) -> tuple[SentenceScore, ...]:
        """Sentences that could be compared, by brackets or by dependencies."""
        return tuple(score for score in self.sentences if not score.error or score.links.aligned)

    @property
    def unlabelled(self) -> Measure:
        """Score of brackets without their labels."""
        return self._measure(sum(score.unlabelled for score in self.scored))

    @property
    def discontinuous(self) -> Measure:
        """Score of discontinuous brackets with their labels."""
        gold, predicted, matched = (sum(score.gaps[i] for score in self.scored) for i in range(3))
        return Measure(gold, predicted, matched)

    def _measure(self, matched: int) -> Measure:
        return Measure(
            sum(score.gold for score in self.scored),
            sum(score.predicted for score in self.scored),
            matched,
        )

    @property
    def exact(self) -> float:
        """Share of sentences whose brackets are all right."""
        return _share(sum(score.is_exact for score in self.counted), len(self.counted))

    @property
    def crossing(self) -> float:
        """Number of crossing brackets per sentence."""
        return _share(sum(score.crossing for score in self.counted), len(self.counted))

    @property
    def uncrossed(self) -> float:
        """Share of sentences without crossing brackets."""
        return _share(sum(not score.crossing for score in self.counted), len(self.counted))

    @property
    def coverage(self) -> float:
        """Share of all sentences whose prediction is one tree over all words."""
        return _share(sum(score.full for score in self.scored), len(self.sentences))

    @property
    def tagging(self) -> float:
        """Share of words with the right tag."""
        return _share(sum(score.tags for score in self.scored), sum(score.words for score in self.scored))

    def by_label(self) -> dict[str, Measure]:
        """Return the measure of each label, most frequent in gold first."""
        counts: dict[str, list[int]] = {}
        for score in self.scored:
            for label, *numbers in score.labels:
                seen = counts.setdefault(label, [0, 0, 0])
                for i, number in enumerate(numbers):
                    seen[i] += number
        return {label: Measure(*counts[label]) for label in sorted(counts, key=lambda name: (-counts[name][0], name))}

    def by_length(self) -> dict[tuple[int, int], TreebankScores]:
        """Group sentences by their number of words: 1 to 10, 11 to 20 and so on."""
        bins: dict[tuple[int, int], list[SentenceScore]] = {}
        for score in self.sentences:
            low = max(0, score.words - 1) // STEP * STEP
            bins.setdefault((low + 1, low + STEP), []).append(score)
        return {key: TreebankScores(tuple(bins[key])) for key in sorted(bins)}

    def up_to(self, longest: int) -> TreebankScores:
        """Select the sentences of at most `longest` words, counted with punctuation as in evalb."""
        return TreebankScores(tuple(score for score in self.sentences if (score.length or score.words) <= longest))


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0


def intervals(scores: TreebankScores, seed: int = 0, samples: int = 1_000) -> dict[str, tuple[float, float]]:
    """Return percentile bootstrap intervals (Efron 1979) of labelled precision, recall, F1 and exact match."""
    from random import Random  # few starts need it

    rng = Random(seed)
    rows = [(score.gold, score.predicted, score.matched, int(score.is_exact)) for score in scores.counted]
    if not rows:
        return {}
    by_name: dict[str, list[float]] = {"precision": [], "recall": [], "f1": [], "exact": []}
    for _ in range(samples):
        drawn = rng.choices(rows, k=len(rows))
        gold, predicted, matched, exact = (sum(column) for column in zip(*drawn, strict=True))
        measure = Measure(gold, predicted, matched)
        for name, value in zip(
            by_name, (measure.precision, measure.recall, measure.f1, exact / len(rows)), strict=True
        ):
            by_name[name].append(value)
    from numbat.statistics.intervals import percentiles

    return {name: percentiles(values) for name, values in by_name.items()}


# Bracket scores as in evalb (Sekine & Collins 1997).
#
# Words with `deleted` tags are left out of both trees, phrases with such labels lose their bracket, labels lose their
# functions, and labels that `equal` maps together are the same. Repeated brackets count repeatedly; brackets of tags do
# not count. The defaults are those of evalb's COLLINS.prm plus wrappers other than TOP; a parameter file replaces them.
# If both trees have the same words, the tags of the gold tree decide which are left out, so that predictions with other
# tags can be compared, unlike in evalb. A bracket is a label over a set of words, so that trees with crossing branches
# are scored as in disco-dop (van Cranenburgh, Scha & Bod 2016); without these it is evalb's measure.

Bracket = tuple[str, int]
"""A label and its words as a bit set, which may be discontinuous in a tree with crossing branches."""

COLLINS: Final = frozenset({*WRAPPERS, EMPTY_TAG, ",", ":", "``", "''", "."})


@frozen
class EvalbParameters:
    """Parameters of evalb.

    Sentences of up to `longest` words, without words whose tags are in `without_length`, are also counted separately.
    `tags` lists the right predicted tags of a gold tag, if a tag map changed them. `words` are left out with any tag.
    """

    deleted: frozenset[str] = COLLINS
    equal: Mapping[str, str] = field(default_factory=lambda: {"PRT": "ADVP"}, hash=False)
    longest: int = 40
    tags: Mapping[str, Container[str]] = field(default_factory=dict, hash=False)
    without_length: frozenset[str] = frozenset({EMPTY_TAG})
    words: frozenset[str] = frozenset()
    equal_words: Mapping[str, str] = field(default_factory=dict, hash=False)

    def label(self, text: str) -> str | None:
        """Return the label of a bracket for comparison, or None if the bracket is left out."""
        bare = without_functions(text)
        return None if bare in self.deleted or not bare else self.equal.get(bare, bare)

    def counts(self, form: str, tag: str) -> bool:
        """Return True if a word is not left out."""
        return tag not in self.deleted and form not in self.words

    def is_right(self, gold: str, predicted: str) -> bool:
        """Return True if a predicted tag is right for this gold tag."""
        return predicted in self.tags.get(gold, self.tags.get(bare_label(gold), (gold,)))


DEFAULT_PARAMETERS: Final = EvalbParameters()
WITHOUT_FUNCTIONS: Final = pattern(r"-[A-Z]+-|[^-=]+")


def without_functions(label: str) -> str:
    """Strip everything after `-` or `=`, as evalb does; PRT|ADVP is kept, unlike in `bare_label`."""
    match = WITHOUT_FUNCTIONS.match(label)
    return match[0] if match else label


def made_equal(equal: Mapping[str, str], labels: Sequence[str]) -> dict[str, str]:
    """Add to a map of equal labels that these labels, and all that are equal to one of them, are equal."""
    first, *others = (equal.get(label, label) for label in labels)
    joined = {label: first if of in others else of for label, of in equal.items()}
    return joined | {other: first for other in others if other != first}


def read_parameters(lines: Iterable[str], path: str) -> EvalbParameters:
    """Read a parameter file of evalb or disco-dop. Raises DataError listing all unknown lines."""
    sets: dict[str, set[str]] = {key: set() for key in SETS}
    equal: dict[str, dict[str, str]] = {"EQ_LABEL": {}, "EQ_WORD": {}}
    longest = DEFAULT_PARAMETERS.longest
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        text = COMMENT.split(line, maxsplit=1)[0].strip()
        key, *values = text.split() or [""]
        if key in SETS and len(values) == 1:
            sets[key].add(values[0])
        elif key in equal and len(values) > 1:
            equal[key] = made_equal(equal[key], values)
        elif key == "CUTOFF_LEN" and len(values) == 1 and values[0].isdecimal():
            longest = whole_of(values[0])
        elif key not in WITHOUT_EFFECT and values[:1] != ["0"]:
            start = line.index(key) + 1
            span = Span(path, number, start, start + len(text))
            message = f"not understood: {shortened(line.strip())}"
            problems.append(
                Problem(message, span, hint="an example is DELETE_LABEL TOP", source_line=quotable(line.rstrip("\r\n")))
            )
    if problems:
        raise data_error(*problems)
    deleted, without_length, words = (frozenset(sets[key]) for key in SETS)
    return EvalbParameters(
        deleted, equal["EQ_LABEL"], longest, without_length=without_length, words=words, equal_words=equal["EQ_WORD"]
    )


SETS: Final = ("DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "DELETE_WORD")
WITHOUT_EFFECT: Final = ("", "DEBUG", "MAX_ERROR", "LABELED", "DISC_ONLY", "LA", "TED", "DEP", "QUOTE_LABEL")
"""Keys about output, and QUOTE_LABEL, which is not needed as the tags of the gold tree decide."""
COMMENT: Final = pattern(r"^\s*#|\s#\s")


@frozen
class SentenceScore:
    """Score of one sentence: numbers of gold, predicted and shared brackets.

    `crossing` brackets of the prediction overlap a gold bracket without one containing the other. `full`: the
    prediction is one tree, not fragments. `gaps` are the numbers of gold, predicted and shared discontinuous brackets,
    `singles` those over one word. `length` counts punctuation too. `links` are 0 and `relations` empty without
    dependencies. `error` says why the trees cannot be compared; then only `links` and `relations` count.
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
    singles: tuple[int, int, int] = (0, 0, 0)
    links: LinkCounts = LinkCounts()
    length: int = 0
    relations: tuple[RelationCount, ...] = ()

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
    length = sum(tag not in parameters.without_length for _, tag in gold.words())
    if predicted is None:
        return SentenceScore(id, len(gold_words), error="no prediction", length=length)
    words, brackets = _predicted_brackets(gold, predicted, parameters)
    if len(words) != len(gold_words):
        difference = f"{len(gold_words)} words in gold, {len(words)} in the prediction"
        return SentenceScore(id, len(gold_words), error=difference, length=length)
    alike = parameters.equal_words
    different = next(
        (
            i
            for i, (g, p) in enumerate(zip(gold_words, words, strict=True))
            if g[0] != p[0] and alike.get(g[0], g[0]) != alike.get(p[0], p[0])
        ),
        None,
    )
    if different is not None:
        difference = f'"{gold_words[different][0]}" in gold, "{words[different][0]}" in the prediction'
        return SentenceScore(id, len(gold_words), error=f"word {different + 1}: {difference}", length=length)
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
        singles=(_singles(gold_brackets), _singles(brackets), _singles(matched)),
        length=length,
    )


def long_spans(gold: Tree | CrossingTree, predicted: Tree | CrossingTree) -> tuple[set[int], set[int]] | None:
    """Return the spans of several words that have a bracket in two trees; None if the trees have other words.

    A span is a number with a bit for each word that counts.
    """
    words, brackets = _brackets(gold, _counted(gold, DEFAULT_PARAMETERS), DEFAULT_PARAMETERS)
    others, guesses = _predicted_brackets(gold, predicted, DEFAULT_PARAMETERS)
    if len(words) != len(others):
        return None
    return {span for _, span in brackets if span.bit_count() > 1}, {span for _, span in guesses if span.bit_count() > 1}


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
    """Return, for each word except empty elements, True if it counts."""
    return [parameters.counts(*word) for word in tree.words(empty=False)]


def _predicted_brackets(
    gold: Tree | CrossingTree, predicted: Tree | CrossingTree, parameters: EvalbParameters
) -> tuple[list[tuple[str, str]], Counter[Bracket]]:
    """Return the words and brackets of a prediction, without what gold's tags leave out if both have the same words."""
    counting = _counted(gold if _has_same_words(gold, predicted) else predicted, parameters)
    return _brackets(predicted, counting, parameters)


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
                words.append((node.form, without_functions(node.label)))
        elif start < 0:
            waiting.append((node, len(words)))
            waiting += ((daughter, -1) for daughter in reversed(node.daughters))
        else:
            label = parameters.label(node.label)
            if len(words) > start and label is not None:
                brackets[label, (1 << len(words)) - (1 << start)] += 1
    return words, brackets


def _crossing_brackets(
    tree: CrossingTree, counted: Iterable[bool], parameters: EvalbParameters
) -> tuple[list[tuple[str, str]], Counter[Bracket]]:
    spoken = iter(counted)
    words: list[tuple[str, str]] = []
    bits: dict[int, int] = {}
    for leaf in leaves_in_order(tree.tree):
        bits[position_of(leaf)] = 0
        if EMPTY_TAG not in parameters.deleted if leaf.label == EMPTY_TAG else next(spoken):
            bits[position_of(leaf)] = 1 << len(words)
            words.append((leaf.form or "", without_functions(leaf.label)))
    brackets: Counter[Bracket] = Counter()
    below: list[int] = []
    for node in reversed(list(tree.tree.walk())):
        if node.form is not None:
            below.append(bits[position_of(node)])
            continue
        count = len(node.daughters)
        covered = sum(below[-count:])  # daughters do not share words
        below[-count:] = [covered]
        label = parameters.label(node.label)
        if covered and label is not None:
            brackets[label, covered] += 1
    return words, brackets


def _with_gaps(brackets: Counter[Bracket]) -> int:
    """Return the number of discontinuous brackets."""
    return sum(count for (_, words), count in brackets.items() if _has_gap(words))


def _has_gap(words: int) -> bool:
    return words & (words + (words & -words)) != 0


def _spans(brackets: Counter[Bracket]) -> Counter[int]:
    spans: Counter[int] = Counter()
    for (_, words), count in brackets.items():
        spans[words] += count
    return spans


def _singles(brackets: Counter[Bracket]) -> int:
    return sum(count for (_, words), count in brackets.items() if words & (words - 1) == 0)


def _labels(brackets: Counter[Bracket]) -> Counter[str]:
    return Counter(label for label, _ in brackets.elements())


def _crosses(words: int, others: set[int]) -> bool:
    return any(words & other not in (0, words, other) for other in others)


# Attachment scores: F1 of links except those to the root (Smith & Eisner 2006, appendix).


class Attachments(NamedTuple):
    """Counts of links, root links excluded: proposed, in gold, right, and right if the direction is ignored."""

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
        """F1 of links if their direction is ignored."""
        return 2 * self.either_way / (self.found + self.known) if self.found + self.known else 0.0


def score_heads(known: Sequence[int], proposed: Sequence[int]) -> Attachments:
    """Score the `proposed` heads of one sentence by the `known` ones; words count from 1, and 0 is the root."""
    links = {(head, child) for child, head in enumerate(known, start=1) if head}
    made = {(head, child) for child, head in enumerate(proposed, start=1) if head}
    either_way = links | {(child, head) for head, child in links}
    return Attachments(len(made), len(links), len(links & made), len(either_way & made))


class AttachmentChanges(NamedTuple):
    """Words that only the first or only the second of two models attaches correctly."""

    corrected: int = 0
    newly_wrong: int = 0

    @property
    def p_value(self) -> float:
        """p-value of the two-sided sign test."""
        from numbat.statistics.distributions import sign_test

        return sign_test(*self)


def changes(
    known: Sequence[Sequence[int]], before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]
) -> AttachmentChanges:
    """Count the words whose head only the second (`after`) or only the first of two models has right, except roots."""
    corrected = newly_wrong = 0
    for heads, first, second in zip(known, before, after, strict=True):
        for head, was, now in zip(heads, first, second, strict=True):
            corrected += bool(head) and was != head == now
            newly_wrong += bool(head) and was == head != now
    return AttachmentChanges(corrected, newly_wrong)
