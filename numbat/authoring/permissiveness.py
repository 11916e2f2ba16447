"""How permissive a grammar is: what sentences cost that were made worse on purpose, and what they cost as they were.

Sentences of a treebank are corrupted word by word with their tags, where the grammar has these; others by their forms:
what agrees is then what the parse of the sentence says agrees, and other forms are those of the lexicon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, TypeVar

from numbat.errors import DataError, counted
from numbat.evaluation.constituents import Constituent
from numbat.files import lines_of
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, Bundle, bundles
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.reports.report import Column, Lines, Member, Part, Table
from numbat.runs.loop import BatchRun, Executor, Success, in_this_process
from numbat.runs.sentences import NamedText, Reader, plain
from numbat.statistics.correlations import paired, pooled
from numbat.treebanks.conllu import DependencyTree, read_conllu
from numbat.treebanks.corruptions import CORRUPTIONS, KINDS, Forms, HeldOutSentence, drawn, forms_of, neighbours
from numbat.words.example_words import ExampleWords, shared_beginning
from numbat.words.lexical_lookup import Words
from numbat.words.tag_maps import TagMap, tag_map_of, tagged_lattice

MAX_SENTENCES: Final = 300
"""So many sentences are corrupted, evenly drawn from a suite: the measure is exact enough, and parsing takes time."""


@frozen
class CorruptionCost:
    """What a corruption of a kind costs, and what the sentence costs that it was made of."""

    kind: str
    good: float
    bad: float


Costs = tuple[CorruptionCost, ...]


@frozen
class Permissiveness:
    """What the corruptions of `sentences` cost. `left_out` were lost, or have words that the lexicon lacks."""

    sentences: int
    left_out: int
    costs: tuple[CorruptionCost, ...]

    def kinds(self) -> list[str]:
        """Return the kinds of which there are corruptions."""
        return [kind for kind in KINDS if any(cost.kind == kind for cost in self.costs)]

    def of(self, kind: str | None) -> list[CorruptionCost]:
        """Return the corruptions of a kind, all for None."""
        return [cost for cost in self.costs if kind in (None, cost.kind)]

    def free(self, kind: str | None = None) -> float:
        """Return the share of corruptions that cost nothing."""
        costs = self.of(kind)
        return sum(cost.bad == 0 for cost in costs) / len(costs)

    def paired(self, kind: str | None = None) -> float:
        """Return how often a sentence costs less than its own corruption, ties half."""
        return paired(self._scores(kind)) or 0.0

    def pooled(self, kind: str | None = None) -> float:
        """Return the area under the ROC curve of costs, all sentences against all corruptions."""
        return pooled(self._scores(kind)) or 0.0

    def _scores(self, kind: str | None) -> list[tuple[float, float]]:
        return [(-cost.good, -cost.bad) for cost in self.of(kind)]


def tagged_costs(
    trees: Sequence[DependencyTree],
    forms: Forms,
    parser: SentenceParser,
    mapped: TagMap,
    seed: int = 0,
    executor: Executor = in_this_process,
) -> Permissiveness:
    """Return what a grammar does on sentences whose tags are its categories."""
    chosen = enumerate(_evenly(trees))
    inputs = [HeldOutSentence(str(number), tree, tuple(drawn(tree, forms, seed))) for number, tree in chosen]
    return _measured(BatchRun(TaggedJob(parser, mapped), inputs, executor=executor, total=len(inputs)), len(inputs))


def plain_costs(
    sentences: Sequence[str],
    parser: SentenceParser,
    seed: int = 0,
    read: Reader = plain,
    executor: Executor = in_this_process,
) -> Permissiveness:
    """Return what a grammar does on sentences of words of its lexicon."""
    inputs = [NamedText(str(number), sentence) for number, sentence in enumerate(_evenly(sentences))]
    job = PlainJob(parser, read, seed, ExampleWords(parser.words))
    return _measured(BatchRun(job, inputs, executor=executor, total=len(inputs)), len(inputs))


T = TypeVar("T")


def _evenly(given: Sequence[T]) -> Sequence[T]:
    return given[:: -(-len(given) // MAX_SENTENCES) or 1]


def _measured(run: BatchRun[Any, Costs | None], given: int) -> Permissiveness:
    found = [record.value for record in run if isinstance(record, Success) and record.value is not None]
    return Permissiveness(len(found), given - len(found), tuple(cost for costs in found for cost in costs))


@frozen
class TaggedJob:
    """Gives the costs of a sentence with tags and of its corruptions."""

    parser: SentenceParser
    mapped: TagMap

    def __call__(self, given: HeldOutSentence) -> Costs:
        good = self._cost([(word.form, word.upos) for word in given.tree.words])
        return tuple(
            CorruptionCost(corruption.kind, good, self._cost(corruption.words)) for corruption in given.corruptions
        )

    def _cost(self, words: Sequence[tuple[str, str]]) -> float:
        return cost_of(self.parser.parse(tagged_lattice(list(words), self.mapped, self.parser.words, lenient=True)))


@frozen
class PlainJob:
    """Gives the costs of a sentence and of its corruptions; None for one with words that the lexicon lacks."""

    parser: SentenceParser
    read: Reader
    seed: int
    examples: ExampleWords

    def __call__(self, given: NamedText) -> Costs | None:
        sentence = given.text
        best = self._parse(sentence)
        if best.guessed or not best.words:
            return None
        costs = []
        for kind in KINDS:
            every = sorted(set(corrupted(sentence, kind, best, self.examples, self.parser.words)) - {sentence})
            if every:
                worse = Random(f"{self.seed} {kind} {sentence}").choice(every)
                costs.append(CorruptionCost(kind, cost_of(best), cost_of(self._parse(worse))))
        return tuple(costs)

    def _parse(self, sentence: str) -> Parse:
        return self.parser.parse(self.read(sentence, self.parser))


def cost_of(parse: Parse) -> float:
    """Return what violations and fragments of a parse cost."""
    return (parse.violation_cost + parse.fragment_cost) / UNIT


def corrupted(sentence: str, kind: str, best: Parse, examples: ExampleWords, words: Words) -> Iterator[str]:
    """Yield the corruptions of a kind of a sentence with its best parse."""
    if kind != "agreement":
        yield from neighbours(sentence, kind, words.has)
        return
    for agreeing in _agreeing(best):
        for form in _other_forms(agreeing, examples, words):
            if (made := _with_form(best, agreeing.word, form)) is not None:
                yield made


@frozen
class AgreeingWord:
    """A word of a parse that agrees with a partner in features that both have."""

    word: Constituent
    partner: Constituent
    features: frozenset[str]


def _agreeing(best: Parse) -> Iterator[AgreeingWord]:
    """Yield the words that a satisfied property makes agree with another one, both ways."""
    for evaluated in best.evaluated:
        names = evaluated.property.features
        if not evaluated.satisfied or not names or len(evaluated.elements) < 2:
            continue
        one, other = (_head(element, names) for element in evaluated.elements[:2])
        if one is None or other is None or one is other:
            continue
        mine, theirs = dict(one.features), dict(other.features)
        if shared := frozenset(name for name in names if name in mine and mine[name] == theirs.get(name)):
            yield AgreeingWord(one, other, shared)
            yield AgreeingWord(other, one, shared)


def _head(constituent: Constituent, names: Iterable[str]) -> Constituent | None:
    """Return the highest word that has the values of a constituent in these features, the first of equals."""
    own = dict(constituent.features)
    wanted = {(name, own[name]) for name in names if name in own}
    level = [constituent]
    while level and wanted:
        for each in level:
            if each.is_word and wanted <= set(each.features):
                return each
        level = [daughter for each in level for daughter in each.daughters]
    return None


def _other_forms(agreeing: AgreeingWord, examples: ExampleWords, words: Words) -> Iterator[str]:
    """Yield the forms of the lemma of a word that contradict its partner, whatever reading both have.

    Only readings count that differ from that of the word in nothing but what agrees. Without a lemma, words of the
    category count that begin alike.
    """
    word, names = agreeing.word, agreeing.features
    rest = {feature for feature in word.features if feature[0] not in names}
    partners = [dict(bundle) for bundle in _bundles(agreeing.partner.form, agreeing.partner.construction, words)]
    lemmas = {reading.lemma for reading in words.known(word.form) if reading.category == word.construction} - {""}
    forms = [form for lemma in sorted(lemmas) for form in examples.forms_of(lemma)]
    if not lemmas:
        every = (form for kind in examples.by_bundle(word.construction).values() for form in kind)
        forms = [form for form in every if 2 * shared_beginning(form, word.form) > max(len(form), len(word.form))]
    for form in dict.fromkeys(forms):
        bundles_of_form = _bundles(form, word.construction, words)
        alike = [dict(each) for each in bundles_of_form if {pair for pair in each if pair[0] not in names} == rest]
        if alike and all(_contradict(one, other, names) for one in alike for other in partners):
            yield form


def _bundles(form: str, category: str, words: Words) -> list[Bundle]:
    found = (reading for reading in words.known(form) if reading.category == category)
    return [bundle for reading in found for bundle in bundles(reading.features)]


def _contradict(one: Mapping[str, str], other: Mapping[str, str], names: Iterable[str]) -> bool:
    return any(one[name] != other[name] for name in names if name in one and name in other)


def _with_form(best: Parse, word: Constituent, form: str) -> str | None:
    """Return the sentence of a parse with another form of a word; None where that does not stand there as written."""
    sentence = best.lattice.text
    start, end = best.lattice.places[word.start]
    written = sentence[start:end]
    if written.lower() != word.form.lower() and written != best.lattice.tokens[word.start]:
        return None
    new = form[:1].upper() + form[1:] if written[:1].isupper() else form
    return sentence[:start] + new + sentence[end:]


KNOWN_TAGS: Final = 0.8
"""Where a grammar has more of the tags of a treebank than this share, it reads these and not words; marks are few."""


def permissiveness_of(
    name: str,
    parser: SentenceParser,
    suite: str,
    good: Callable[[str], Sequence[str]],
    seed: int = 0,
    executor: Executor = in_this_process,
) -> Permissiveness:
    """Return what sentences of a suite cost by a grammar when they are made worse on purpose, and as they are.

    The suite is a treebank in CoNLL-U, or `.txt`, a good sentence a line, or judged sentences, of which `good` returns
    those that count. Raises DataError for a suite without such a sentence, and where all have words that the grammar
    lacks.
    """
    trees = _dependencies(suite)
    if trees and _knows_tags(parser.grammar, trees):
        mapped = tag_map_of(None, parser.grammar)
        found = tagged_costs(trees, forms_of(trees), parser, mapped, seed, executor)
    else:
        texts: Iterable[str | None] = [tree.comment("text") for tree in trees]
        if suite.endswith(".txt"):
            texts = [line.strip() for line in lines_of(suite)]
        elif not trees:
            texts = good(suite)
        found = plain_costs(list(filter(None, texts)), parser, seed, executor=executor)
    if not found.costs:
        raise DataError(
            f"{suite}: no good sentence that {name} can read\n"
            "  give good sentences of its words, or of a treebank in CoNLL-U whose tags are its categories"
        )
    return found


def _dependencies(path: str) -> list[DependencyTree]:
    """Return the sentences of a file in CoNLL-U; none of another file."""
    if not path.endswith(".conllu"):
        return []
    found = (
        dependency_tree
        for dependency_tree in read_conllu(lines_of(path), path)
        if isinstance(dependency_tree, DependencyTree)
    )
    return [tree for tree in found if tree.has_heads]


def _knows_tags(grammar: Grammar, trees: Sequence[DependencyTree]) -> bool:
    """True if nearly all words have a tag that is a category of words."""
    tags = [word.upos for tree in trees for word in tree.words]
    return sum(tag in grammar.leaves for tag in tags) > KNOWN_TAGS * len(tags)


LEFT_OUT: Final = "a word left out"
"""Of plain sentences nobody knows whether the word must be there."""


def permissiveness(found: Permissiveness) -> Sequence[Part]:
    """Return how much "well-formed" says by a grammar: figures for all corruptions and by kind, then the text."""
    columns: Sequence[Column[str | None]] = (
        Column("", lambda kind: LEFT_OUT if kind == "drop" else CORRUPTIONS[kind or ""]),
        Column("sentences", "", "sentences", lambda kind: len(found.of(kind))),
        Column("cost nothing", lambda kind: f"{100 * found.free(kind):.0f} %", "cost_nothing", found.free),
        Column("paired", ".2f", "paired", found.paired),
        Column("AUC", ".2f", "auc", found.pooled),
    )
    kinds = found.kinds()
    table = Table(columns, kinds, numbers=4)
    (whole,) = Table(columns, (None,)).objects()
    by_kind = dict(zip(kinds, table.objects(), strict=True))
    made = counted(len(found.costs), "sentence")
    said = (
        f'"well-formed" by this grammar: {100 * found.free():.0f} % of {made} that were made worse on purpose '
        f"cost nothing (AUC of the cost {found.pooled():.2f})"
    )
    left = f"; {found.left_out} with unknown words left out" if found.left_out else ""
    figures = {"good": found.sentences, "left_out": found.left_out, "all": whole, "kinds": by_kind}
    made_of = f"made of {counted(found.sentences, 'good sentence')}{left}"
    return Member("permissiveness", figures), Lines([said, made_of]), table
