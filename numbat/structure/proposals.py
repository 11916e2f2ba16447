"""Proposed properties: those that hold in sampled trees, ranked by a confidence bound.

Counts in sampled trees are divided by the number of trees per sentence: twenty trees of one sentence are not twenty
times the evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from statistics import NormalDist
from typing import Final

from numbat.errors import DataError, Problem, counted, first_of
from numbat.evaluation.matching import build_table
from numbat.files import shown
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Operand, Property, format_property
from numbat.grammar.relations import BUILT_IN_BY_NAME
from numbat.records import frozen
from numbat.statistics.intervals import wilson
from numbat.structure.inference import sampled_heads
from numbat.structure.model import MAX_LENGTH, DependencyModel
from numbat.structure.parsing import tagged_for
from numbat.structure.settings import DrawSettings
from numbat.treebanks.conllu import DependencyTree, DependencyWord
from numbat.treebanks.induce import InductionSettings, Thresholds, induce
from numbat.treebanks.induced import InducedConstruction, InducedGrammar, InducedProperty, Support
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.rule_counts import TreebankCounts, count_treebank
from numbat.treebanks.tagged_sentences import TaggedSentence, bare_sentences
from numbat.treebanks.trees import PHRASE
from numbat.treebanks.verbs import InduceSettings, source_of

LEVEL: Final = 0.95
"""Confidence level of intervals."""
EXAMPLES: Final = 3
PropertyKey = tuple[str, str, tuple[tuple[str, ...], ...]]
"""Construction, relation and operands of a property; the operands of symmetric relations are sorted."""


@frozen
class Proposal:
    """A property and the evidence for it.

    `valid` and `violating` count occurrences of its construction, of `occurrences` in all, each divided by the trees
    per sentence. `bound` is the lower end of the interval of the confidence. A nonempty `remark` says why the
    property says little; such proposals come last. `rank` counts from 1.
    """

    prop: Property
    valid: float
    violating: float
    occurrences: float
    bound: float
    remark: str = ""
    rank: int = 0
    examples: tuple[Example, ...] = ()

    @property
    def support(self) -> float:
        """Number of occurrences in which the property is pertinent."""
        return self.valid + self.violating

    @property
    def confidence(self) -> float:
        """Share of the pertinent occurrences that satisfy the property."""
        return self.valid / self.support if self.support else 0.0

    @property
    def text(self) -> str:
        """The property in the notation, without its strength."""
        return format_property(self.prop)


@frozen
class ProposedGrammar:
    """Proposals and the grammar of all of them, whose counts are over `samples` trees of each sentence."""

    proposals: tuple[Proposal, ...]
    induced: InducedGrammar
    samples: int


def propose(trees: SampledTrees, settings: InductionSettings) -> ProposedGrammar:
    """Propose the properties that hold in sampled trees, in a grammar without rare daughters and roots."""
    settings = replace(settings, samples=trees.samples)
    counts = trees.counts()
    induced = _without_rare(induce(counts, settings), counts.roots, trees.samples)
    return ProposedGrammar(ranked(induced, trees.samples, settings.least, Evidence(trees)), induced, trees.samples)


def _without_rare(induced: InducedGrammar, roots: Mapping[str, int], samples: int) -> InducedGrammar:
    """Remove daughters and roots with fewer than `samples` occurrences, which may all be in trees of one sentence.

    A construction that no other construction contains after that becomes a root.
    """
    constructions = []
    for construction in induced.constructions:
        head = construction.name.removesuffix(PHRASE)
        kept = tuple((name, count) for name, count in construction.constituency if count >= samples or name == head)
        constructions.append(replace(construction, constituency=kept))
    below = {construction.name: {name for name, _ in construction.constituency} for construction in constructions}
    often = [operand for operand in induced.grammar.roots if roots[operand.category] >= samples]
    reached = {operand.category for operand in often}
    for name in sorted(below, key=lambda name: (-roots.get(name, 0), name)):
        waiting = [*reached]
        while waiting:
            new = below.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        if name not in reached:
            often.append(Operand(name))
            reached.add(name)
    grammar = replace(induced.grammar, roots=tuple(often))
    return replace(induced, grammar=grammar, constructions=tuple(constructions))


def with_words(proposed: ProposedGrammar, whole: InducedGrammar, known: Collection[str]) -> ProposedGrammar:
    """Return a proposed grammar with all words of the sentences, from `whole`, the grammar of whole sentences.

    Punctuation and tags that the model did not know become daughters of the constructions that have them in `whole`.
    """
    names = {construction.name for construction in proposed.induced.constructions}
    more = {construction.name: construction for construction in whole.constructions}
    constructions = []
    for construction in proposed.induced.constructions:
        here = {name for name, _ in construction.constituency}
        daughters = more[construction.name].constituency if construction.name in more else ()
        strange = (
            (name, count * proposed.samples) for name, count in daughters if name.removesuffix(PHRASE) not in known
        )
        constructions.append(
            replace(
                construction,
                constituency=(*construction.constituency, *(pair for pair in strange if pair[0] not in here)),
            )
        )
    for name in sorted(more.keys() - names):
        rules = tuple(replace(rule, count=rule.count * proposed.samples) for rule in more[name].rules)
        scaled = more[name].occurrences * proposed.samples
        constructions.append(replace(more[name], occurrences=scaled, properties=(), rules=rules))
    grammar = replace(
        proposed.induced.grammar,
        leaves=tuple(dict.fromkeys((*proposed.induced.grammar.leaves, *whole.grammar.leaves))),
        lexicon=whole.grammar.lexicon,
        guesses=whole.grammar.guesses,
        tokens=whole.grammar.tokens,
    )
    return replace(proposed, induced=replace(proposed.induced, grammar=grammar, constructions=tuple(constructions)))


def lower_bound(confidence: float, number: float, level: float = LEVEL) -> float:
    """Return the lower end of Wilson's interval for a share of `number` occurrences, which may be fractional."""
    if number <= 0:
        return 0.0
    return wilson(confidence, number, NormalDist().inv_cdf((1 + level) / 2))[0]


def ranked(
    induced: InducedGrammar,
    samples: int,
    least: Thresholds,
    evidence: Evidence | None = None,
) -> tuple[Proposal, ...]:
    """Return the properties of a grammar that was induced from `samples` trees of each sentence, best bound first.

    Properties of every dependency structure (`is_given`) are left out. A property comes last, with a remark, if it
    follows from better ones (`_implied`) or if chance would hardly violate it (`EXPECTED_BY_CHANCE`).
    """
    proposals: list[Proposal] = []
    for construction in induced.constructions:
        here = [
            _proposal(prop, samples)
            for prop in construction.properties
            if not is_given(prop.property, construction.name)
        ]
        proposals += _remarked(here, construction, samples, least)
    proposals.sort(
        key=lambda proposal: (
            bool(proposal.remark),
            -proposal.bound,
            -proposal.support,
            proposal.prop.construction,
            proposal.text,
        )
    )
    return tuple(
        replace(proposal, rank=rank, examples=_examples(proposal.prop, evidence))
        for rank, proposal in enumerate(proposals, start=1)
    )


def is_given(prop: Property, construction: str) -> bool:
    """Return True if a property holds in every phrase of a word and its dependents.

    These are `occurs`, and the obligation and uniqueness of the word.
    """
    head = ((construction.removesuffix(PHRASE),),)
    return prop.relation == "occurs" or (
        prop.relation in ("obligation", "uniqueness") and categories_of(prop)[:1] == head
    )


def _proposal(induced: InducedProperty, samples: int) -> Proposal:
    support: Support = induced.support
    bound = lower_bound(support.w0, support.support / samples)
    return Proposal(
        induced.property, support.valid / samples, support.violating / samples, support.occurrences / samples, bound
    )


def _examples(prop: Property, evidence: Evidence | None) -> tuple[Example, ...]:
    if evidence is None:
        return ()
    return tuple(evidence.examples(prop.construction, prop.relation, categories_of(prop), EXAMPLES))


# Properties that say little


def _remarked(
    proposals: Sequence[Proposal], construction: InducedConstruction, samples: int, least: Thresholds
) -> list[Proposal]:
    orders = {
        (left, right): proposal
        for proposal in proposals
        if proposal.prop.relation == "linearity"
        for (left,), (right,) in [categories_of(proposal.prop)]
    }
    remarked = []
    for proposal in proposals:
        remark = REMARKS.get(proposal.prop.relation, "")
        if proposal.prop.relation == "linearity":
            remark = _implied(proposal, orders)
        surprise = EXPECTED_BY_CHANCE.get(proposal.prop.relation)
        if surprise is not None:
            expected = surprise(construction, categories_of(proposal.prop)) / samples
            if expected < max(least.expected, 2 * proposal.violating):
                remark = f"chance would violate it {expected:.1f} times"
        remarked.append(replace(proposal, remark=remark))
    return remarked


def _implied(proposal: Proposal, orders: dict[tuple[str, str], Proposal]) -> str:
    """Return a remark if a proposal A < C follows from A < B and B < C, both with at least its bound; else ""."""
    (left,), (right,) = categories_of(proposal.prop)
    for (first, middle), one in orders.items():
        other = orders.get((middle, right))
        if first == left and other is not None and min(one.bound, other.bound) >= proposal.bound:
            return f"follows from {one.text} and {other.text}"
    return ""


def _repeated(construction: InducedConstruction, operands: Sequence[Sequence[str]]) -> float:
    """Return the expected number of occurrences with a daughter twice or more, under a Poisson model."""
    ((category,),) = operands
    number = sum(rule.count * rule.daughters.count(category) for rule in construction.rules)
    mean = number / construction.occurrences
    return construction.occurrences * (1.0 - exp(-mean) * (1.0 + mean))


def _kept_apart(construction: InducedConstruction, operands: Sequence[Sequence[str]]) -> float:
    """Return the expected number of occurrences with two daughters apart, if the order on each side is random."""
    (one,), (other,) = operands
    head = construction.name.removesuffix(PHRASE)
    expected = 0.0
    for rule in construction.rules:
        labels = rule.daughters
        if labels.count(one) != 1 or labels.count(other) != 1 or len(labels) < 3 or head not in labels:
            continue
        middle, places = labels.index(head), sorted((labels.index(one), labels.index(other)))
        if places[0] < middle < places[1]:
            continue
        on_side = middle if places[1] <= middle else len(labels) - 1 - middle
        neighbours = 1 if middle in places else 2
        expected += rule.count * (1.0 - neighbours / on_side)
    return expected


REMARKS: Final = {"exclusion": "no example can show that they never occur together"}
EXPECTED_BY_CHANCE: Final[dict[str, Callable[[InducedConstruction, Sequence[Sequence[str]]], float]]] = {
    "adjacency": _kept_apart,
    "uniqueness": _repeated,
}
"""Expected number of occurrences in which chance violates a property, by relation; induction tests the others."""


# Keys


def categories_of(prop: Property) -> tuple[tuple[str, ...], ...]:
    """Return the operands of a property as categories, by parameter."""
    return tuple(tuple(operand.category for joint in parameter for operand in joint) for parameter in prop.operands)


def key_of(prop: Property) -> PropertyKey:
    """Return the identity of a property, regardless of its strength and place."""
    operands = [tuple(sorted(parameter)) for parameter in categories_of(prop)]
    relation = BUILT_IN_BY_NAME.get(prop.relation)
    if relation is not None and relation.symmetric:
        operands.sort()
    return prop.construction, prop.relation, tuple(operands)


def keys_of(induced: InducedGrammar) -> frozenset[PropertyKey]:
    """Return the keys of the properties of an induced grammar."""
    return frozenset(
        key_of(prop.property) for construction in induced.constructions for prop in construction.properties
    )


def precision_of_first(proposals: Iterable[Proposal], gold_properties: Collection[PropertyKey], n: int = 20) -> float:
    """Return the share of the first `n` proposals whose keys are in `gold_properties`; 0 without proposals."""
    first = [proposal for proposal in proposals if proposal.rank <= n]
    right = sum(key_of(proposal.prop) in gold_properties for proposal in first)
    return right / len(first) if first else 0.0


# Examples: occurrences that satisfy a property, surest first

MAX_OCCURRENCES: Final = 12
"""Maximum number of occurrences kept per rule, the surest ones, from which examples are chosen."""
Rule = tuple[str, tuple[str, ...]]
"""A construction and its daughters from left to right."""
Categories = Sequence[str]


@frozen
class Example:
    """A sentence with the words that a property is about; `marked` are their positions from 0.

    `share` is the share of the sentence's trees in which these words are daughters of one phrase that satisfies it.
    """

    name: str
    forms: tuple[str, ...]
    tags: tuple[str, ...]
    marked: tuple[int, ...]
    share: float


@frozen
class PhraseOccurrence:
    """A phrase in `count` trees of sentence number `sentence`, which has `words` words.

    `daughters` are the positions of the heads of its daughters.
    """

    count: int
    words: int
    sentence: int
    daughters: tuple[int, ...]


class Evidence:
    """The phrases of sampled trees by their rules, the surest ones of each rule, to choose examples from."""

    def __init__(self, trees: SampledTrees) -> None:
        self._trees = trees
        by_rule: dict[Rule, list[PhraseOccurrence]] = {}
        for number, sentence in enumerate(trees.sentences):
            tags = sentence.sentence.tags
            for (head, daughters), count in _phrases(sentence.trees).items():
                labels = tuple(tags[at] if at == head else tags[at] + PHRASE for at in daughters)
                rule = tags[head] + PHRASE, labels
                by_rule.setdefault(rule, []).append(PhraseOccurrence(count, len(tags), number, daughters))
        self._by_construction: dict[str, list[tuple[tuple[str, ...], list[PhraseOccurrence]]]] = {}
        for (construction, labels), occurrences in sorted(by_rule.items()):
            occurrences.sort(key=_surest_first)
            kept = labels, occurrences[:MAX_OCCURRENCES]
            self._by_construction.setdefault(construction, []).append(kept)

    def examples(self, construction: str, relation: str, operands: Sequence[Categories], most: int) -> list[Example]:
        """Return occurrences with distinct words that satisfy a property: in most trees, in short sentences first."""
        concerned = CONCERNED.get(relation)
        if concerned is None:
            return []
        showing: list[tuple[PhraseOccurrence, tuple[int, ...]]] = []
        for labels, occurrences in self._by_construction.get(construction, []):
            indices = concerned(operands, labels)
            if indices:
                showing += ((occurrence, tuple(occurrence.daughters[i] for i in indices)) for occurrence in occurrences)
        showing.sort(key=lambda pair: _surest_first(pair[0]))
        by_words: dict[tuple[str, ...], Example] = {}
        for occurrence, marked in showing:
            sentence = self._trees.sentences[occurrence.sentence].sentence
            words = tuple(sentence.forms[at] + "/" + sentence.tags[at] for at in marked)
            share = occurrence.count / self._trees.samples
            by_words.setdefault(words, Example(sentence.name, sentence.forms, sentence.tags, marked, share))
            if len(by_words) == most:
                break
        return list(by_words.values())


def _surest_first(occurrence: PhraseOccurrence) -> tuple[int, int, int]:
    return -occurrence.count, occurrence.words, occurrence.sentence


def _phrases(trees: Sequence[Heads]) -> Counter[tuple[int, tuple[int, ...]]]:
    """Count the phrases in the trees of a sentence, by the position of the head and those of all daughters."""
    counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for heads, times in Counter(trees).items():
        daughters: list[list[int]] = [[at] for at in range(len(heads))]
        for at, head in enumerate(heads):
            if head:
                daughters[head - 1].append(at)
        for at, positions in enumerate(daughters):
            counts[at, tuple(sorted(positions))] += times
    return counts


def _all_of(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    wanted = {category for parameter in operands for category in parameter}
    return tuple(index for index, label in enumerate(labels) if label in wanted)


def _unique(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    indices = _all_of(operands, labels)
    return indices if len(indices) == 1 else ()


def _required(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    has_both = all(any(label in parameter for label in labels) for parameter in operands)
    return _all_of(operands, labels) if has_both else ()


def _ordered(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    left, right = (_all_of((parameter,), labels) for parameter in operands)
    return (*left, *right) if left and right and left[-1] < right[0] else ()


def _neighbours(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    indices = _required(operands, labels)
    return indices if len(labels) > 2 and len(indices) == 2 and indices[1] - indices[0] == 1 else ()


def _excluded(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    has_both = all(any(label in parameter for label in labels) for parameter in operands)
    return () if has_both else _all_of(operands, labels)


CONCERNED: Final[dict[str, Callable[[Sequence[Categories], Categories], tuple[int, ...]]]] = {
    "uniqueness": _unique,
    "requirement": _required,
    "linearity": _ordered,
    "adjacency": _neighbours,
    "exclusion": _excluded,
}
"""Functions by relation: indices of the daughters that a property is about, none unless it is satisfied."""


# Sampled or annotated trees of tagged sentences, as treebank counts

Heads = tuple[int, ...]
"""Heads of the words of a sentence, counted from 1, with 0 for the root."""


@frozen
class SampledSentence:
    """A sentence and its trees, each as often as it was sampled."""

    sentence: TaggedSentence
    trees: tuple[Heads, ...]


@frozen
class SampledTrees:
    """Sentences with `samples` trees each."""

    sentences: tuple[SampledSentence, ...]
    samples: int

    def counts(self) -> TreebankCounts:
        """Return the counts over all trees; words, which all trees of a sentence share, count once."""
        counts = count_treebank(self._trees())
        words = Counter({word: count // self.samples for word, count in counts.words.items()})
        return replace(counts, words=words, sentences=len(self.sentences))

    def _trees(self) -> Iterator[TreebankSentence]:
        for sentence in self.sentences:
            pairs = list(zip(sentence.sentence.forms, sentence.sentence.tags, strict=True))
            for heads in sentence.trees:
                words = (DependencyWord(form, upos=tag, head=h) for (form, tag), h in zip(pairs, heads, strict=True))
                yield TreebankSentence(sentence.sentence.name, DependencyTree(tuple(words)))


def draw(
    model: DependencyModel,
    sentences: Iterable[TaggedSentence],
    samples: int,
    seed: int = 0,
    advance: Callable[[], object] = lambda: None,
) -> SampledTrees:
    """Sample trees of each sentence from the model; deterministic for a seed.

    Sentences must fulfil `can_be_drawn`. Calls `advance` after each.
    """
    known: dict[tuple[str, ...], tuple[Heads, ...]] = {}
    sampled = []
    for sentence in sentences:
        if sentence.tags not in known:
            known[sentence.tags] = sampled_heads(model, sentence.tags, samples, seed)
        sampled.append(SampledSentence(sentence, known[sentence.tags]))
        advance()
    return SampledTrees(tuple(sampled), samples)


def can_be_drawn(model: DependencyModel, sentence: TaggedSentence) -> bool:
    """Return True if a sentence has 1 to MAX_LENGTH words, all with tags that the model knows."""
    return 0 < len(sentence.tags) <= MAX_LENGTH and all(tag in model.index for tag in sentence.tags)


def annotated(sentences: Iterable[TaggedSentence]) -> SampledTrees:
    """Return the annotated trees of sentences, one each, without sentences that have no heads."""
    trees = ((sentence, sentence.heads) for sentence in sentences if sentence.tags)
    return SampledTrees(tuple(SampledSentence(sentence, (heads,)) for sentence, heads in trees if heads is not None), 1)


# An edited grammar restricts the trees that a model may yield


def model_under(model: DependencyModel, grammar: Grammar) -> DependencyModel:
    """Return the model without links that a grammar forbids.

    Forbidden are daughters outside the constituency of the head's construction, and links against a hard linearity; the
    cost of any other linearity makes links against it less likely.
    """
    import numpy as np

    table = build_table(grammar)
    shares, roots = np.ones_like(model.child), np.ones_like(model.root)
    tops = {operand.category for operand in grammar.roots}
    for head, at in model.index.items():
        construction = table.constructions.get(head + PHRASE)
        roots[at] = construction is not None and (not tops or head + PHRASE in tops)
        for child, number in model.index.items():
            name = child + PHRASE
            if construction is None or not table.covers(construction, name, ()):
                shares[at, :, number] = 0
                continue
            for prop in construction.properties:
                for side, pair in enumerate(((head, name), (name, head))):
                    if prop.relation == "linearity" and _is_about(prop, pair):
                        shares[at, side, number] *= 0 if prop.hard else exp(-prop.cost)
    return replace(model, child=model.child * shares, root=model.root * roots if roots.any() else model.root)


def _is_about(prop: Property, pair: Categories) -> bool:
    """Return True if a property has these categories, without features, as its operands in this order."""
    return all((Operand(category),) in parameter for parameter, category in zip(prop.operands, pair, strict=False))


def is_possible(model: DependencyModel, tags: Sequence[str], heads: Sequence[int]) -> bool:
    """Return True if the model allows the root and all links of a tree, except at words with unknown tags."""
    for at, head in enumerate(heads, start=1):
        child, above = model.index.get(tags[at - 1]), model.index.get(tags[head - 1]) if head else None
        if child is None:
            continue
        if not head and not model.root[child]:
            return False
        if above is not None and not model.child[above, int(at > head), child]:
            return False
    return True


LEAST = Thresholds(w0=0.9)
"""Thresholds of proposals: learned structure is never as regular as annotated trees."""


NAMED_TAGS = 5


@dataclass
class Material:
    """Sentences for which to sample trees, and counts of those left out: `too_long`, `empty`, `strange`.

    `strange` sentences have tags that the model does not know; these are counted in `unknown`.
    """

    sentences: list[TaggedSentence] = field(default_factory=list)
    too_long: int = 0
    empty: int = 0
    strange: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def material_for(model: DependencyModel, paths: Sequence[str], form: str, max_length: int) -> Material:
    """Read the sentences of files, without punctuation. Raises MissingFileError, and DataError if none is left."""
    twice = [tag for tag in model.tags if tag + PHRASE in model.index]
    if twice:
        raise DataError(
            f'the tag "{twice[0]}{PHRASE}" is also the name of the phrases of the tag "{twice[0]}"\n'
            "  rename one of them, and learn the model again"
        )
    material = Material()
    for path in paths:
        read = tagged_for(model, path, form)
        material.problems += read.problems
        bare = bare_sentences(read.sentences, max_length)
        known = [sentence for sentence in bare.sentences if can_be_drawn(model, sentence)]
        material.sentences += known
        material.too_long, material.empty = material.too_long + bare.too_long, material.empty + bare.empty
        material.strange += len(bare.sentences) - len(known)
        tags = (tag for sentence in bare.sentences for tag in sentence.tags)
        material.unknown.update(tag for tag in tags if tag not in model.index)
    if not material.sentences:
        left_out = "; ".join(told_of(material)) or "none could be read"
        raise DataError(f"{shown(paths[0])}: no sentence to learn from\n  {left_out}")
    return material


def told_of(material: Material) -> list[str]:
    """Return notes on the sentences that were left out."""
    notes = []
    if material.too_long:
        notes.append(f"{material.too_long:,} longer than --max-length left out")
    if material.strange:
        tags = first_of([tag for tag, _ in material.unknown.most_common()], NAMED_TAGS)
        notes.append(f"{material.strange:,} with tags that the model does not know left out: {tags}")
    if material.empty:
        notes.append(f"{material.empty:,} without words left out")
    return notes


def propose_grammar(
    model: DependencyModel,
    material: Material,
    paths: Sequence[str],
    settings: InduceSettings,
    drawing: DrawSettings,
    advance: Callable[[], object] = lambda: None,
) -> ProposedGrammar:
    """Propose properties from sampled trees of the sentences."""
    choices = settings.choices(f"proposed from {source_of(paths)}")
    return propose(draw(model, material.sentences, drawing.samples, drawing.seed, advance), choices)


def opening_of(proposed: ProposedGrammar, paths: Sequence[str], model_file: str) -> list[str]:
    """Return the lines at the top of the grammar: its source, and what the counts after its properties mean."""
    remarked = sum(bool(proposal.remark) for proposal in proposed.proposals)
    return [
        f"Proposed by numbat from {source_of(paths)}: {counted(proposed.induced.sentences, 'sentence')}, "
        f"{counted(proposed.samples, 'tree')} of each, drawn by {source_of([model_file])}.",
        f"{len(proposed.proposals) - remarked} properties, and {remarked} in comments that say little. Comment out "
        "what is wrong with a #.",
        "After each: occurrences that satisfy and that violate it, divided by the trees per sentence;",
        "w0 = satisfying / both; w1 = w0 * satisfying / all; rank; the lower end of the 95 % interval of w0.",
        "Below each: an example.",
    ]
