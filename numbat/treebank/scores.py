"""Scores of trees: brackets as evalb counts them, totals with intervals, and scores of dependencies."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import accumulate, pairwise
from math import comb
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from unicodedata import category

from numbat.errors import Problem, Span, data_error, quotable, shortened, whole_of
from numbat.grammar.names import WRAPPERS
from numbat.records import frozen
from numbat.treebank.crossing import CrossingTree, inner, leaves_in_order, position_of
from numbat.treebank.trees import EMPTY_TAG, Tree, bare_label

if TYPE_CHECKING:
    from numbat.treebank.conllu import DependencyTree, FeaturePairs

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
    def counted(self) -> tuple[SentenceScore, ...]:
        """Those of which not every word is left out; evalb skips the others."""
        return tuple(each for each in self.scored if each.words)

    @property
    def labelled(self) -> Measure:
        """Brackets with their labels."""
        return self._measure(sum(each.matched for each in self.scored))

    @property
    def of_several(self) -> Measure:
        """Brackets of two words or more with their labels: those of one word tell nothing of how words go together."""
        singles = [sum(column) for column in zip(*(each.singles for each in self.scored), strict=True)] or [0, 0, 0]
        whole = self.labelled
        return Measure(whole.gold - singles[0], whole.predicted - singles[1], whole.matched - singles[2])

    @property
    def links(self) -> LinkCounts | None:
        """Counts of dependencies, None if none were compared; sentences with an error count in them too."""
        found = [each.links for each in self.sentences if each.links]
        return _summed(found) if found else None

    @property
    def compared(self) -> tuple[SentenceScore, ...]:
        """The sentences that could be compared, by brackets or by dependencies."""
        return tuple(
            each for each in self.sentences if not each.error or (each.links and LinkCounts(*each.links).aligned)
        )

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
        return _share(sum(each.is_exact for each in self.counted), len(self.counted))

    @property
    def crossing(self) -> float:
        """Crossing brackets per sentence."""
        return _share(sum(each.crossing for each in self.counted), len(self.counted))

    @property
    def uncrossed(self) -> float:
        """The share of the sentences without crossing brackets."""
        return _share(sum(not each.crossing for each in self.counted), len(self.counted))

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
        """Select the sentences of at most `longest` words, marks among them, as evalb counts their length."""
        return TreebankScores(tuple(each for each in self.sentences if (each.length or each.words) <= longest))


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0


def intervals(scores: TreebankScores, seed: int = 0, samples: int = 1_000) -> dict[str, tuple[float, float]]:
    """Return percentile bootstrap intervals (Efron 1979) of labelled precision, recall, F1 and exact match."""
    rng = Random(seed)
    rows = [(each.gold, each.predicted, each.matched, int(each.is_exact)) for each in scores.counted]
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
# brackets of tags do not count. The defaults are those of evalb's COLLINS.prm, and wrappers other than TOP; a file of
# parameters says itself which it leaves out. Where both trees have the same words, the tags of the gold tree say which
# are left out: a prediction with other tags is compared too, which evalb cannot do. A bracket is a label over a set of
# words, so that trees with crossing branches are scored as disco-dop does (van Cranenburgh, Scha & Bod 2016); without
# these it is evalb's measure.

Bracket = tuple[str, int]
"""Label, and words as a bit set: of a tree with crossing branches they need not stand together."""

COLLINS: Final = frozenset({*WRAPPERS, EMPTY_TAG, ",", ":", "``", "''", "."})


@frozen
class EvalbParameters:
    """Parameters of evalb. Sentences of more than `longest` words are counted apart, words `without_length` left out.

    `tags` lists the right predicted tags of a gold tag, if a tag map changed them. `words` are left out whatever their
    tags.
    """

    deleted: frozenset[str] = COLLINS
    equal: Mapping[str, str] = field(default_factory=lambda: {"PRT": "ADVP"}, hash=False)
    longest: int = 40
    tags: Mapping[str, Container[str]] = field(default_factory=dict, hash=False)
    without_length: frozenset[str] = frozenset({EMPTY_TAG})
    words: frozenset[str] = frozenset()
    equal_words: Mapping[str, str] = field(default_factory=dict, hash=False)

    def label(self, text: str) -> str | None:
        """Return the label of a bracket as it is compared, by `equal`; None if the bracket is left out."""
        bare = without_functions(text)
        return None if bare in self.deleted or not bare else self.equal.get(bare, bare)

    def counts(self, form: str, tag: str) -> bool:
        """True if a word is not left out."""
        return tag not in self.deleted and form not in self.words

    def is_right(self, gold: str, predicted: str) -> bool:
        """Return True if a predicted tag is right for this gold tag."""
        return predicted in self.tags.get(gold, self.tags.get(bare_label(gold), (gold,)))


DEFAULT_PARAMETERS: Final = EvalbParameters()
WITHOUT_FUNCTIONS: Final = re.compile(r"-[A-Z]+-|[^-=]+")


def without_functions(label: str) -> str:
    """Strip what stands behind `-` or `=`, as evalb does: PRT|ADVP stays, unlike in `bare_label`."""
    match = WITHOUT_FUNCTIONS.match(label)
    return match[0] if match else label


def made_equal(equal: Mapping[str, str], labels: Sequence[str]) -> dict[str, str]:
    """Return the map with these labels made equal, and what is equal to one of them."""
    first, *others = (equal.get(label, label) for label in labels)
    joined = {label: first if of in others else of for label, of in equal.items()}
    return joined | {other: first for other in others if other != first}


def read_parameters(lines: Iterable[str], path: str) -> EvalbParameters:
    """Read a parameter file of evalb or disco-dop. Raises DataError listing all lines that are not understood."""
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
            found = f"not understood: {shortened(line.strip())}"
            problems.append(
                Problem(found, span, hint="an example is DELETE_LABEL TOP", source_line=quotable(line.rstrip("\r\n")))
            )
    if problems:
        raise data_error(*problems)
    deleted, without_length, words = (frozenset(sets[key]) for key in SETS)
    return EvalbParameters(
        deleted, equal["EQ_LABEL"], longest, without_length=without_length, words=words, equal_words=equal["EQ_WORD"]
    )


SETS: Final = ("DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "DELETE_WORD")
WITHOUT_EFFECT: Final = ("", "DEBUG", "MAX_ERROR", "LABELED", "DISC_ONLY", "LA", "TED", "DEP", "QUOTE_LABEL")
"""Keys of what is printed always or never, and QUOTE_LABEL, whose case the tags of the gold tree decide."""
COMMENT: Final = re.compile(r"^\s*#|\s#\s")


@frozen
class SentenceScore:
    """Score of one sentence: numbers of gold, predicted and shared brackets.

    `crossing` brackets of the prediction overlap a gold bracket without one holding the other. `full`: the prediction
    is one tree, not fragments. `gaps` are the numbers of gold, predicted and shared brackets over words that do not
    stand together, `singles` those of one word. `length` counts marks too. `links` are `LinkCounts`, empty where there
    are no dependencies. `error` says why the trees cannot be compared; then nothing but `links` counts.
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
    links: tuple[int, ...] = ()
    length: int = 0

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
    counting = _counted(gold if _has_same_words(gold, predicted) else predicted, parameters)
    words, brackets = _brackets(predicted, counting, parameters)
    if len(words) != len(gold_words):
        found = f"{len(gold_words)} words in gold, {len(words)} in the prediction"
        return SentenceScore(id, len(gold_words), error=found, length=length)
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
        found = f'"{gold_words[different][0]}" in gold, "{words[different][0]}" in the prediction'
        return SentenceScore(id, len(gold_words), error=f"word {different + 1}: {found}", length=length)
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
    return [parameters.counts(*word) for word in tree.words(empty=False)]


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
    own: dict[int, int] = {}
    for leaf in leaves_in_order(tree.tree):
        own[position_of(leaf)] = 0
        if EMPTY_TAG not in parameters.deleted if leaf.label == EMPTY_TAG else next(spoken):
            own[position_of(leaf)] = 1 << len(words)
            words.append((leaf.form or "", without_functions(leaf.label)))
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
        if covered and label is not None:
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


def _singles(brackets: Counter[Bracket]) -> int:
    return sum(count for (_, words), count in brackets.items() if words & (words - 1) == 0)


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


# Scores of CoNLL 2018: words are aligned by the characters of their tokens, and a word is right if what it depends on
# is aligned with what the gold word depends on (UAS), with the relation but for its subtype (LAS), of words with a
# content relation alone (CLAS), with UPOS, FEATS and its function words (MLAS), with its lemma (BLEX). Words of tokens
# of several words are aligned by their longest common row of forms within the stretch of such tokens, never with words
# of another sentence, as the script does in rare cases.

CONTENT: Final = frozenset((
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
))  # fmt: skip
"""The relations of content words, without subtypes."""
FUNCTION: Final = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))
"""The relations of function words, which MLAS looks at beside the words that they depend on."""
UNIVERSAL: Final = frozenset((
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
))  # fmt: skip
"""The features that count."""


class LinkCounts(NamedTuple):
    """Counts of words: gold, predicted and aligned ones; right by head, and by head and relation; of words with a
    content relation: gold, predicted, right by both, by UPOS, FEATS and function words too, and by the lemma too.

    Then aligned words with the right UPOS, FEATS and lemma; gold, predicted and right tokens, and sentences; and gold
    words that have FEATS, and a lemma.
    """

    gold: int = 0
    predicted: int = 0
    aligned: int = 0
    heads: int = 0
    links: int = 0
    gold_content: int = 0
    predicted_content: int = 0
    content_links: int = 0
    with_morphology: int = 0
    with_lemmas: int = 0
    tags: int = 0
    feats: int = 0
    lemmas: int = 0
    gold_tokens: int = 0
    predicted_tokens: int = 0
    tokens: int = 0
    gold_sentences: int = 0
    predicted_sentences: int = 0
    sentences: int = 0
    having_feats: int = 0
    having_lemmas: int = 0

    def __add__(self, other: object) -> LinkCounts:
        if not isinstance(other, LinkCounts):
            return NotImplemented
        return LinkCounts(*(mine + its for mine, its in zip(self, other, strict=True)))

    @property
    def measures(self) -> dict[str, Measure]:
        """The scores by name, those of FEATS and lemmas where gold has any; `Words` says how many are aligned."""
        words, content = (self.gold, self.predicted), (self.gold_content, self.predicted_content)
        found = {
            "UAS": Measure(*words, self.heads),
            "LAS": Measure(*words, self.links),
            "CLAS": Measure(*content, self.content_links),
            "MLAS": Measure(*content, self.with_morphology),
            "BLEX": Measure(*content, self.with_lemmas),
            "UPOS": Measure(*words, self.tags),
            "UFeats": Measure(*words, self.feats),
            "Lemmas": Measure(*words, self.lemmas),
            "Tokens": Measure(self.gold_tokens, self.predicted_tokens, self.tokens),
            "Words": Measure(*words, self.aligned),
            "Sentences": Measure(self.gold_sentences, self.predicted_sentences, self.sentences),
        }
        unwritten = () if self.having_feats else ("MLAS", "UFeats")
        unwritten += () if self.having_lemmas else ("BLEX", "Lemmas")
        return {name: measure for name, measure in found.items() if name not in unwritten}


def link_intervals(scores: TreebankScores, seed: int = 0, samples: int = 1_000) -> dict[str, tuple[float, float]]:
    """Return percentile bootstrap intervals of the F1 of dependencies, by name; sentences are drawn."""
    rows = [each.links for each in scores.sentences if each.links]
    if not rows:
        return {}
    rng, whole = Random(seed), _summed(rows)
    written = {"having_feats": whole.having_feats, "having_lemmas": whole.having_lemmas}
    found: dict[str, list[float]] = {}
    for _ in range(samples):
        drawn = _summed(rng.choices(rows, k=len(rows)))._replace(**written)
        for name, measure in drawn.measures.items():
            found.setdefault(name, []).append(measure.f1)
    return {name: _percentiles(values) for name, values in found.items()}


def _summed(rows: Sequence[tuple[int, ...]]) -> LinkCounts:
    return LinkCounts(*map(sum, zip(*rows, strict=True)))


class PlacedWord(NamedTuple):
    """A word with the characters of its token; `head` is the index of another word, -1 for none.

    `tags` are UPOS and the features that count, `function_words` the indexes of those that depend on it.
    """

    form: str
    start: int
    end: int
    is_part: bool
    head: int
    relation: str
    tags: tuple[str, FeaturePairs]
    lemma: str
    function_words: list[int]


def characters_of(trees: Iterable[DependencyTree]) -> str:
    """Return the characters of all tokens, without blanks."""
    return "".join(form for tree in trees for form, _ in _tokens_of(tree))


class LinkPair(NamedTuple):
    """Sentences of gold and of a prediction that have the same characters, or with an `error` such as have not."""

    id: str
    gold: tuple[DependencyTree, ...]
    predicted: tuple[DependencyTree, ...]
    error: str = ""


NamedDependencies: TypeAlias = "tuple[str, DependencyTree]"


def link_pairs(
    gold: Iterator[NamedDependencies | None], predicted: Iterator[NamedDependencies | None]
) -> Iterator[LinkPair]:
    """Return the least rows of sentences that have the same characters, however each file divides them.

    None stands for a sentence that could not be read, and takes its partner with it. Behind a difference the files go
    on with the next sentences, by their sent_id where these were the same before.
    """
    known, found = _Ahead(gold), _Ahead(predicted)
    has_same_ids = False
    while known.reaches(1) or found.reaches(1):
        if not (known.reaches(1) and found.reaches(1)):
            yield _unpaired(known, found)
            continue
        one, other = known.waiting[0], found.waiting[0]
        if one is None or other is None:
            if one is not None:
                yield LinkPair(one[0], (one[1],), (), "no prediction")
            known.take(1), found.take(1)
            continue
        sizes, differs = _same_characters(known, found)
        ids = [tree.comment("sent_id") for _, tree in (one, other)]
        has_same_ids = has_same_ids or bool(ids[0] and ids[0] == ids[1])
        if not differs:
            yield LinkPair(one[0], known.take(sizes[0]), found.take(sizes[1]))
        elif has_same_ids and ids[0] != ids[1]:
            yield LinkPair(one[0], known.take(1), (), "no prediction")
        else:
            yield LinkPair(one[0], known.take(1), found.take(1), differs)


class _Ahead:
    """The sentences of a file that were read and not used."""

    def __init__(self, source: Iterator[NamedDependencies | None]) -> None:
        self.source = source
        self.waiting: deque[NamedDependencies | None] = deque()

    def reaches(self, number: int) -> bool:
        """Return True if there are so many sentences."""
        while len(self.waiting) < number:
            try:
                self.waiting.append(next(self.source))
            except StopIteration:
                return False
        return True

    def take(self, number: int) -> tuple[DependencyTree, ...]:
        taken = [self.waiting.popleft() for _ in range(number)]
        return tuple(each[1] for each in taken if each is not None)

    def characters(self, number: int) -> str | None:
        """Return those of one of the sentences; None where there is none, or none that could be read."""
        found = self.waiting[number] if self.reaches(number + 1) else None
        return None if found is None else characters_of([found[1]])


def _unpaired(known: _Ahead, found: _Ahead) -> LinkPair:
    """Return a sentence that is left over in one of the files."""
    if known.waiting:
        name = known.waiting[0][0] if known.waiting[0] else ""
        return LinkPair(name, known.take(1), (), "no prediction")
    name = found.waiting[0][0] if found.waiting[0] else ""
    return LinkPair(name, (), found.take(1), "no gold sentence")


def _same_characters(known: _Ahead, found: _Ahead) -> tuple[tuple[int, int], str]:
    """Return how many sentences of each file have the same characters, and where they differ if none have."""
    here, there = known.characters(0) or "", found.characters(0) or ""
    sizes = [1, 1]
    while len(here) != len(there) and (here.startswith(there) or there.startswith(here)):
        side = 0 if len(here) < len(there) else 1
        more = (known, found)[side].characters(sizes[side])
        if more is None:
            break
        sizes[side] += 1
        here, there = (here + more, there) if side == 0 else (here, there + more)
    if here == there:
        return (sizes[0], sizes[1]), ""
    at = next((i for i, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    begin = max(0, at - 5)
    shown = [f'"{text[begin : at + 10]}"' if text[begin:] else "nothing" for text in (here, there)]
    return (1, 1), f"other characters: {shown[0]} in gold, {shown[1]} in the prediction"


def count_links(gold: Sequence[DependencyTree], predicted: Sequence[DependencyTree]) -> LinkCounts:
    """Count what is right in sentences that have the same characters."""
    known, found = _placed_words(gold), _placed_words(predicted)
    aligned = _aligned(known, found)
    of_gold = {mine: its for its, mine in aligned}
    of_gold[-1] = -1
    heads = links = content = with_morphology = with_lemmas = tags = feats = lemmas = 0
    for its, mine in aligned:
        right, word = known[its], found[mine]
        has_head = right.head == of_gold.get(word.head)
        has_link = has_head and right.relation == word.relation
        has_lemma = right.lemma in ("_", word.lemma)
        heads += has_head
        links += has_link
        tags += right.tags[0] == word.tags[0]
        feats += right.tags[1] == word.tags[1]
        lemmas += has_lemma
        if has_link and right.relation in CONTENT:
            content += 1
            with_lemmas += has_lemma
            with_morphology += right.tags == word.tags and _have_same_function_words(right, word, known, found, of_gold)
    spans = [_spans_of_tokens(trees) for trees in (gold, predicted)]
    ends = [_ends_of_sentences(trees) for trees in (gold, predicted)]
    return LinkCounts(
        *(len(known), len(found), len(aligned), heads, links),
        *(_content_words(known), _content_words(found), content, with_morphology, with_lemmas, tags, feats, lemmas),
        *(len(spans[0]), len(spans[1]), len(spans[0] & spans[1])),
        *(len(ends[0]), len(ends[1]), len(ends[0] & ends[1])),
        *_having(known),
    )


def uncounted(gold: Sequence[DependencyTree], predicted: Sequence[DependencyTree]) -> LinkCounts:
    """Return the counts of sentences that cannot be compared: nothing in them is right."""
    known, found = _placed_words(gold), _placed_words(predicted)
    tokens = [len(_spans_of_tokens(trees)) for trees in (gold, predicted)]
    having_feats, having_lemmas = _having(known)
    return LinkCounts(
        len(known),
        len(found),
        gold_content=_content_words(known),
        predicted_content=_content_words(found),
        gold_tokens=tokens[0],
        predicted_tokens=tokens[1],
        gold_sentences=len(gold),
        predicted_sentences=len(predicted),
        having_feats=having_feats,
        having_lemmas=having_lemmas,
    )


def _have_same_function_words(
    right: PlacedWord,
    word: PlacedWord,
    known: Sequence[PlacedWord],
    found: Sequence[PlacedWord],
    of_gold: Mapping[int, int],
) -> bool:
    """True if the function words of a word are aligned with those of gold, with the same relations and tags."""
    return len(right.function_words) == len(word.function_words) and all(
        its == of_gold.get(mine) and (known[its].relation, known[its].tags) == (found[mine].relation, found[mine].tags)
        for its, mine in zip(right.function_words, word.function_words, strict=True)
    )


def _content_words(words: Iterable[PlacedWord]) -> int:
    return sum(word.relation in CONTENT for word in words)


def _having(words: Iterable[PlacedWord]) -> tuple[int, int]:
    """Return how many words have features that count, and a lemma."""
    both = [(bool(word.tags[1]), word.lemma != "_") for word in words]
    return sum(feats for feats, _ in both), sum(lemma for _, lemma in both)


def _spans_of_tokens(trees: Iterable[DependencyTree]) -> set[tuple[int, int]]:
    """Return where the tokens begin and end, in characters."""
    ends = list(accumulate((len(form) for tree in trees for form, _ in _tokens_of(tree)), initial=0))
    return set(pairwise(ends))


def _ends_of_sentences(trees: Sequence[DependencyTree]) -> set[tuple[int, int]]:
    """Return where the sentences begin and end, in characters."""
    return set(pairwise(accumulate((len(characters_of([tree])) for tree in trees), initial=0)))


def _tokens_of(tree: DependencyTree) -> Iterator[tuple[str, range]]:
    """Return the tokens without blanks, each with the indexes of its words."""
    ranges: dict[int, tuple[str, int]] = {}
    for row in tree.other_rows:
        begin, dash, end = row.columns[0].partition("-")
        if dash:
            ranges[int(begin)] = (row.columns[1], int(end))
    number = 1
    while number <= len(tree.words):
        form, last = ranges.get(number, (tree.words[number - 1].form, number))
        yield "".join(char for char in form if category(char) != "Zs"), range(number - 1, last)
        number = last + 1


def _placed_words(trees: Sequence[DependencyTree]) -> list[PlacedWord]:
    words: list[PlacedWord] = []
    at = 0
    for tree in trees:
        before = len(words)
        for token, indexes in _tokens_of(tree):
            for index in indexes:
                word = tree.words[index]
                head = before + word.head - 1 if word.head else -1
                is_part = len(indexes) > 1
                form, relation = (word.form if is_part else token).lower(), word.deprel.partition(":")[0]
                tags = word.upos, tuple(sorted(pair for pair in word.feats if pair[0] in UNIVERSAL))
                words.append(PlacedWord(form, at, at + len(token), is_part, head, relation, tags, word.lemma, []))
            at += len(token)
    for number, placed in enumerate(words):
        if placed.head >= 0 and placed.relation in FUNCTION:
            words[placed.head].function_words.append(number)
    return words


def _aligned(known: Sequence[PlacedWord], found: Sequence[PlacedWord]) -> list[tuple[int, int]]:
    """Return the pairs of words that are aligned, by their indexes."""
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(known) and j < len(found):
        if known[i].is_part or found[j].is_part:
            begin_i, begin_j, i, j = _stretch(known, found, i, j)
            common = _common_row([w.form for w in known[begin_i:i]], [w.form for w in found[begin_j:j]])
            pairs += ((begin_i + a, begin_j + b) for a, b in common)
        elif known[i][1:3] == found[j][1:3]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif known[i].start <= found[j].start:
            i += 1
        else:
            j += 1
    return pairs


def _stretch(known: Sequence[PlacedWord], found: Sequence[PlacedWord], i: int, j: int) -> tuple[int, int, int, int]:
    """Return the least stretch of words from `i` and `j` on that no token of several words reaches out of: the indexes
    where it begins and ends in both.
    """
    if known[i].is_part:
        end = known[i].end
        j += not found[j].is_part and found[j].start < known[i].start
    else:
        end = found[j].end
        i += not known[i].is_part and known[i].start < found[j].start
    begin_i, begin_j = i, j
    while not (_is_beyond(known, i, end) and _is_beyond(found, j, end)):
        if i < len(known) and (j >= len(found) or known[i].start <= found[j].start):
            word, i = known[i], i + 1
        else:
            word, j = found[j], j + 1
        end = max(end, word.end) if word.is_part else end
    return begin_i, begin_j, i, j


def _is_beyond(words: Sequence[PlacedWord], index: int, end: int) -> bool:
    if index >= len(words):
        return True
    word = words[index]
    return word.start >= end if word.is_part else word.end > end


def _common_row(known: Sequence[str], found: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Return the index pairs of a longest common subsequence; of several the one that CoNLL's script takes."""
    longest = [[0] * (len(found) + 1) for _ in range(len(known) + 1)]
    for a in reversed(range(len(known))):
        for b in reversed(range(len(found))):
            both = 1 + longest[a + 1][b + 1] if known[a] == found[b] else 0
            longest[a][b] = max(both, longest[a + 1][b], longest[a][b + 1])
    a = b = 0
    while a < len(known) and b < len(found):
        if known[a] == found[b]:
            yield a, b
            a, b = a + 1, b + 1
        elif longest[a][b] == longest[a + 1][b]:
            a += 1
        else:
            b += 1
