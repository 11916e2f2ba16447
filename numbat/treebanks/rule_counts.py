"""Counts of a treebank: the rules of its trees, its words, and the features in which daughters agree.

A rule is a construction with the categories of its daughters from left to right, as in a local tree (MarsaGram: Blache,
de Montcheuil & Rauzy, TALN 2015). In a dependency tree it is a word with its dependents, the word itself among them.
The rule has the category of the word, `NOUN`, where MarsaGram writes `*` for the head; the phrase that the word heads
is `NOUN-P` or, with functions, the category and the function, `NOUN-nsubj`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from numbat.grammar.names import WRAPPERS
from numbat.parsing.treebank_grammar.expansions import TOP, Expansions, Rule, Symbol
from numbat.records import frozen
from numbat.treebanks.conllu import DependencyTree, DependencyWord, FeaturePairs
from numbat.treebanks.crossing import cleaned_crossing, inner
from numbat.treebanks.example_phrases import ExamplePhrase, better, words_below, words_of
from numbat.treebanks.featured import CHECKED, FeatureCounts
from numbat.treebanks.heads import table_for
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.trees import PHRASE, Tree, cleaned, name_of, repeats_its_daughter
from numbat.words.tag_maps import CODES

MAX_SENTENCES: Final = 3
"""Maximum number of example sentences kept per rule or violation."""
LocalTree = tuple[str, tuple[str, ...]]
"""A construction and the categories of its daughters."""
AgreementsByPair = dict[tuple[str, str, str, str], "AgreementCounts"]
"""Agreement by construction, two categories of its daughters, and feature."""
SentencePlace = tuple[int, str]
"""Number of a sentence in the treebank, and its name."""


@frozen
class RuleCount:
    """A rule with its count, the first sentences that show it, and a short phrase."""

    construction: str
    daughters: tuple[str, ...]
    count: int
    sentences: tuple[SentencePlace, ...] = ()
    example: ExamplePhrase | None = field(default=None, compare=False)


@dataclass(slots=True)
class AgreementCounts:
    """Agreement of two daughters that both have a feature, and the values of each.

    `agreeing` and `clashing` count occurrences of the construction; `example` and `counterexample` are short phrases.
    """

    agreeing: int = 0
    clashing: int = 0
    left: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    sentences: list[SentencePlace] = field(default_factory=list)
    example: ExamplePhrase | None = None
    counterexample: ExamplePhrase | None = None


@frozen
class TreebankWord:
    """A word of the treebank lexicon; `initial` is true at the beginning of a sentence."""

    form: str
    category: str
    features: FeaturePairs
    initial: bool


@dataclass(slots=True)
class NotCounted:
    """Numbers of items that are not counted: sentences without remaining words, words, and phrases.

    The words are punctuation, empty elements and transcript marks; the phrases have one daughter with the same label,
    which no parse has (ruling 4).
    """

    sentences: int = 0
    words: int = 0
    phrases: int = 0


@frozen
class TreebankCounts:
    """Counts of a treebank. `rules` are sorted; `roots` and `words` count occurrences.

    `contractions` count the word sequences of each multiword token, in lower case; `relations` count the relations of
    the phrases of each construction. `featured` has two counts of daughters by their features: in most sentences, and
    in the others, with which results are checked.
    """

    rules: tuple[RuleCount, ...]
    roots: Counter[str]
    words: Counter[TreebankWord]
    agreements: AgreementsByPair
    sentences: int
    from_dependencies: bool = False
    contractions: Mapping[str, Counter[tuple[str, ...]]] = field(default_factory=dict)
    left_out: NotCounted = field(default_factory=NotCounted)
    relations: Mapping[str, Counter[str]] = field(default_factory=dict)
    featured: tuple[FeatureCounts, FeatureCounts] = field(default_factory=lambda: (FeatureCounts(), FeatureCounts()))

    @property
    def leaves(self) -> tuple[str, ...]:
        """Categories of words, sorted."""
        return tuple(sorted({entry.category for entry in self.words}))

    @property
    def constructions(self) -> Counter[str]:
        """Occurrences of each construction."""
        occurrences: Counter[str] = Counter()
        for rule in self.rules:
            occurrences[rule.construction] += rule.count
        return occurrences


def count_treebank(
    sentences: Iterable[TreebankSentence],
    *,
    functions: bool = False,
    dropped: Collection[str] = CODES,
    xpos: bool = False,
) -> TreebankCounts:
    """Count the rules and words of trees, without words with `dropped` tags; `xpos` takes tags from the fifth column.

    Memory: one entry for each rule and each word form, not for each tree.
    """
    counter = _TreebankCounter(functions, xpos, frozenset(dropped))
    for sentence in sentences:
        counter.add(sentence)
    return counter.counts()


class _TreebankCounter:
    """Accumulates the counts, tree by tree."""

    def __init__(self, functions: bool, xpos: bool, dropped: frozenset[str]) -> None:
        self.functions, self.xpos, self.dropped = functions, xpos, dropped
        self.rules: Counter[LocalTree] = Counter()
        self.places: dict[LocalTree, list[SentencePlace]] = {}
        self.phrases: dict[LocalTree, ExamplePhrase] = {}
        self.relations: dict[str, Counter[str]] = {}
        self.featured = FeatureCounts(), FeatureCounts()
        self.roots: Counter[str] = Counter()
        self.words: Counter[TreebankWord] = Counter()
        self.agreements: AgreementsByPair = {}
        self.contractions: dict[str, Counter[tuple[str, ...]]] = {}
        self.sentences = 0
        self.left_out = NotCounted()
        self.dependencies = False

    def add(self, sentence: TreebankSentence) -> None:
        self.sentences += 1
        place = self.sentences, sentence.id
        if isinstance(sentence.tree, DependencyTree):
            self.dependencies = True
            self._dependencies(sentence.tree, place)
            return
        whole = cleaned_crossing(sentence.tree, functions=self.functions, dropped=self.dropped, joined=False)
        tree = None if whole is None else inner(whole)
        self._leave_out(sum(1 for _ in sentence.tree.words()), 0 if tree is None else sum(1 for _ in tree.words()))
        if tree is None:
            return
        if repeated := sum(map(repeats_its_daughter, tree.walk())):
            self.left_out.phrases += repeated
            tree = cleaned(tree, functions=self.functions)  # positions no longer matter
            assert tree is not None
        tops = tree.daughters if tree.label in WRAPPERS else (tree,)
        self.roots.update(top.label + _IS_PHRASE for top in tops if top.form is None)
        first = True
        for node in (node for top in tops for node in top.walk()):
            if node.form is not None:
                self.words[TreebankWord(node.form, node.label, (), first)] += 1
                first = False
            else:
                below = (d.label if d.form is not None else d.label + _IS_PHRASE for d in node.daughters)
                self._rule((node.label + _IS_PHRASE, tuple(below)), place, tuple(map(words_of, node.daughters)))

    def _leave_out(self, words: int, kept: int) -> None:
        self.left_out.words += words - kept
        self.left_out.sentences += not kept

    def _rule(self, rule: LocalTree, place: SentencePlace, words: tuple[str, ...]) -> None:
        self.rules[rule] += 1
        self.phrases[rule] = better(self.phrases.get(rule), ExamplePhrase(rule[1], words, place[1]))
        seen = self.places.setdefault(rule, [])
        if len(seen) < MAX_SENTENCES and place not in seen:
            seen.append(place)

    def _dependencies(self, tree: DependencyTree, place: SentencePlace) -> None:
        for written, among in tree.contractions():
            forms = tuple(word.form for word in tree.words[among])
            self.contractions.setdefault(written.lower(), Counter())[forms] += 1
        dependents = tree.dependents()
        kept = [False] + [
            bool(dependents[number]) or self._category(word) not in self.dropped
            for number, word in enumerate(tree.words, start=1)
        ]
        self._leave_out(len(tree.words), sum(kept))
        for root in dependents[0]:
            if kept[root]:
                self.roots[self._phrase(tree.words[root - 1])] += 1
        first, below = True, words_below(tree)
        for number, word in enumerate(tree.words, start=1):
            if not kept[number]:
                continue
            self.words[TreebankWord(word.form, self._category(word), word.feats, first)] += 1
            first = False
            around = sorted([number, *(dependent for dependent in dependents[number] if kept[dependent])])
            labels = tuple(self._category(word) if at == number else self._phrase(tree.words[at - 1]) for at in around)
            phrase, shown = self._phrase(word), tuple(word.form if at == number else below[at] for at in around)
            self._rule((phrase, labels), place, shown)
            if not self.functions:
                self.relations.setdefault(phrase, Counter())[word.deprel] += 1
            example = ExamplePhrase(labels, shown, place[1])
            feats = [tree.words[at - 1].feats for at in around]
            self._agreement(phrase, example, feats, place)
            self.featured[self.sentences % CHECKED == 0].add(phrase, example, feats)

    def _category(self, word: DependencyWord) -> str:
        return category_of(word, self.xpos)

    def _phrase(self, word: DependencyWord) -> str:
        category = self._category(word)
        return f"{category}-{word.deprel}" if self.functions else category + PHRASE

    def _agreement(self, phrase: str, shown: ExamplePhrase, feats: list[FeaturePairs], place: SentencePlace) -> None:
        """Count agreement per pair of categories; an occurrence clashes if any two daughters of these categories do."""
        labels = shown.labels
        clashing: dict[tuple[str, str, str, str], bool] = {}
        for i, left in enumerate(feats):
            if not left:
                continue
            for j in range(i + 1, len(feats)):
                a, b, right = labels[i], labels[j], feats[j]
                if a == b or not right:
                    continue
                one, other = dict(left), dict(right)
                if a > b:
                    a, b, one, other = b, a, other, one
                for feature in one.keys() & other.keys():
                    key = phrase, a, b, feature
                    seen = self.agreements.setdefault(key, AgreementCounts())
                    seen.left[one[feature]] += 1
                    seen.right[other[feature]] += 1
                    clash = not agree(one[feature], other[feature])
                    clashing[key] = clashing.get(key, False) or clash
        for key, clash in clashing.items():
            seen = self.agreements[key]
            seen.clashing += clash
            seen.agreeing += not clash
            if clash:
                seen.counterexample = better(seen.counterexample, shown)
            else:
                seen.example = better(seen.example, shown)
            if clash and len(seen.sentences) < MAX_SENTENCES and place not in seen.sentences:
                seen.sentences.append(place)

    def counts(self) -> TreebankCounts:
        leaves = {entry.category for entry in self.words}

        def name(label: str) -> str:
            phrase = label.removesuffix(_IS_PHRASE)
            return label if phrase == label else phrase + PHRASE if phrase in leaves else phrase

        rules = {(name(left), tuple(map(name, right))): (left, right) for left, right in self.rules}
        rule_counts = tuple(
            RuleCount(
                *rule,
                self.rules[rules[rule]],
                tuple(self.places[rules[rule]]),
                replace(self.phrases[rules[rule]], labels=rule[1]),
            )
            for rule in sorted(rules)
        )
        roots = Counter({name(label): count for label, count in self.roots.items()})
        return TreebankCounts(
            rule_counts,
            roots,
            self.words,
            self.agreements,
            self.sentences,
            self.dependencies,
            self.contractions,
            self.left_out,
            self.relations,
            self.featured,
        )


_IS_PHRASE: Final = "\0"
"""Suffix of phrase labels during counting, as only the end shows which of them also name words."""


def category_of(word: DependencyWord, xpos: bool = False) -> str:
    """Return the category of a word: its UPOS, or its XPOS with `xpos` or without a UPOS."""
    return word.xpos if xpos or word.upos == "_" else word.upos


def agree(left: str, right: str) -> bool:
    """Return True if two values agree; `Fem,Masc` agrees with either."""
    return left == right or not set(left.split(",")).isdisjoint(right.split(","))


# Refined rules for the treebank parser.
#
# Phrases are annotated with their parent label (Johnson 1998) and with those details of Klein & Manning (2003) that
# helped on the development parts of the English Web Treebank and of Sequoia: the form of the first verb of a verbal
# phrase, whether all daughters are words, whether the only daughter is a phrase, whether a possessive ends it. Frequent
# forms become separate categories.


@frozen
class Refinement:
    """Details added to phrase labels.

    `verbs` map tags to the detail of `verbal` phrases above them, searched through `inner` labels. `bases` get a detail
    if all daughters are words, and with `unary` also phrases over one phrase; the tag `possessive` marks a phrase that
    it ends. Frequent forms with `closed` tags (all tags if empty) become separate categories.
    """

    verbal: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    verbs: tuple[tuple[str, str], ...] = ()
    bases: frozenset[str] = frozenset()
    unary: bool = False
    possessive: str = ""
    closed: frozenset[str] = frozenset()


PENN: Final = Refinement(
    verbal=frozenset({"VP", "S", "SQ", "SINV"}),
    inner=frozenset({"VP"}),
    verbs=(
        *((tag, "finite") for tag in ("VBD", "VBZ", "VBP", "MD")),
        *((tag, tag) for tag in ("VB", "VBG", "VBN", "TO")),
    ),
    bases=frozenset({"NP", "WHNP", "ADJP", "NML"}),
    unary=True,
    possessive="POS",
    closed=frozenset((
        "IN", "TO", "CC", "RB", "RP", "DT", "MD", "VB", "VBZ", "VBP", "VBD", "VBN", "VBG",
        "WRB", "WDT", "WP", "PRP", "JJ",
    )),
)  # fmt: skip
FRENCH: Final = Refinement(
    verbal=frozenset({"VN", "VPinf", "VPpart", "SENT", "Sint", "Srel", "Ssub"}),
    inner=frozenset({"VN", "VPinf"}),
    verbs=tuple((tag, tag) for tag in ("V", "VINF", "VPP", "VPR", "VS", "VIMP")),
)
REFINEMENTS: Final[Mapping[str, Refinement]] = {"penn": PENN, "french": FRENCH, "cover": Refinement()}
"""Refinements by the name of the head table that knows the labels of the trees."""
FREQUENT: Final = 20
"""Minimum count for a form to become a separate category."""
MIN_COUNT: Final = 5
"""Minimum count for a refined phrase to keep its detail."""


def count_expansions(
    trees: Iterable[Tree],
    *,
    dropped: Collection[str] = CODES,
    frequent: int = FREQUENT,
    least: int = MIN_COUNT,
    refinement: Refinement | None = None,
) -> Expansions:
    """Count the refined rules of trees, without words with `dropped` tags.

    Memory: all trees. The default `refinement` is that of the head table that knows the labels.
    """
    kept = [tree for tree in (cleaned(tree, dropped=dropped) for tree in trees) if tree is not None]
    words = Counter((node.label, node.form.lower()) for tree in kept for node in tree.walk() if node.form is not None)
    labels = Counter(node.label for tree in kept for node in tree.walk() if node.form is None)
    chosen = refinement or REFINEMENTS[table_for(labels)]
    split = {
        word for word, count in words.items() if count >= frequent and (not chosen.closed or word[0] in chosen.closed)
    }
    counter = _RefinedRuleCounter(chosen, split, {tag for tag, _ in words})
    for tree in kept:
        counter.add(tree)
    return Expansions.from_rules(_without_rare(counter.rules, least))


def _without_rare(rules: Counter[Rule], least: int) -> Counter[Rule]:
    """Remove the detail of phrases that occur fewer than `least` times."""
    occurrences: Counter[Symbol] = Counter()
    for (phrase, _), count in rules.items():
        occurrences[phrase] += count
    kept: Counter[Rule] = Counter()
    for (phrase, daughters), count in rules.items():
        both = [
            symbol.plain if symbol.is_phrase and occurrences[symbol] < least else symbol
            for symbol in (phrase, *daughters)
        ]
        kept[both[0], tuple(both[1:])] += count
    return kept


class _RefinedRuleCounter:
    def __init__(self, refinement: Refinement, split: Collection[tuple[str, str]], leaves: Collection[str]) -> None:
        self.refinement, self.split, self.leaves = refinement, split, leaves
        self.verbs = dict(refinement.verbs)
        self.rules: Counter[Rule] = Counter()

    def add(self, tree: Tree) -> None:
        tops = tree.daughters if tree.label in WRAPPERS else (tree,)
        waiting = [(top, TOP) for top in tops if top.form is None]
        while waiting:
            node, above = waiting.pop()
            name = name_of(node, self.leaves)
            self.rules[self._symbol(node, above), tuple(self._symbol(tree, name) for tree in node.daughters)] += 1
            waiting += [(daughter, name) for daughter in node.daughters if daughter.form is None]

    def _symbol(self, node: Tree, above: str) -> Symbol:
        if node.form is None:
            return Symbol(name_of(node, self.leaves), above, ".".join(self._details(node)))
        form = node.form.lower()
        return Symbol(node.label, "", form if (node.label, form) in self.split else "")

    def _details(self, node: Tree) -> Iterable[str]:
        chosen, daughters = self.refinement, node.daughters
        verb = self._verb(node) if node.label in chosen.verbal else ""
        if verb:
            yield verb
        if node.label in chosen.bases and all(tree.form is not None for tree in daughters):
            yield "base"
        if chosen.possessive and node.label == "NP" and daughters[-1].label == chosen.possessive:
            yield "possessive"
        if chosen.unary and len(daughters) == 1 and daughters[0].form is None:
            yield "unary"

    def _verb(self, node: Tree) -> str:
        """Return the detail of the first verb of a phrase, or of its first verbal phrase."""
        inner: Tree | None = node
        while inner is not None:
            for tree in inner.daughters:
                if tree.form is not None and tree.label in self.verbs:
                    return self.verbs[tree.label]
            inner = next((daughter for daughter in inner.daughters if daughter.label in self.refinement.inner), None)
        return ""
