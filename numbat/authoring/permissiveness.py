"""Measures the permissiveness of a grammar: how little sentences that were corrupted on purpose cost.

The corruptions, such as two words exchanged, are compared with the original sentences. If the categories of the grammar
are the tags of a treebank, the treebank's sentences are corrupted as tagged words. Otherwise the text is corrupted; to
break an agreement, a word that agrees with another one in the parse is replaced by another form from the lexicon.
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
"""Maximum number of sentences to corrupt, at equal distances in the suite; more take long and change little."""


@frozen
class CorruptionCost:
    """Costs of a corrupted sentence (`bad`) and of the original (`good`); `kind` is the kind of corruption."""

    kind: str
    good: float
    bad: float


Costs = tuple[CorruptionCost, ...]


@frozen
class Permissiveness:
    """Costs of corrupted sentences. `left_out` counts sentences with errors or with words that the lexicon lacks."""

    sentences: int
    left_out: int
    costs: tuple[CorruptionCost, ...]

    def kinds(self) -> list[str]:
        """Return the kinds of corruption that could be applied to a sentence."""
        return [kind for kind in KINDS if any(cost.kind == kind for cost in self.costs)]

    def of(self, kind: str | None) -> list[CorruptionCost]:
        """Return the costs of one kind of corruption, or of all for None."""
        return [cost for cost in self.costs if kind in (None, cost.kind)]

    def free(self, kind: str | None = None) -> float:
        """Return the share of corruptions that cost nothing."""
        costs = self.of(kind)
        return sum(cost.bad == 0 for cost in costs) / len(costs)

    def paired(self, kind: str | None = None) -> float:
        """Return the share of corruptions that cost more than their original; ties count half."""
        return paired(self._scores(kind)) or 0.0

    def pooled(self, kind: str | None = None) -> float:
        """Return the area under the ROC curve: how well costs separate all originals from all corruptions."""
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
    """Return the permissiveness of a grammar whose categories are the tags in these sentences."""
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
    """Return the permissiveness of a grammar on sentences that consist of words in its lexicon."""
    inputs = [NamedText(str(number), sentence) for number, sentence in enumerate(_evenly(sentences))]
    job = PlainJob(parser, read, seed, ExampleWords(parser.words))
    return _measured(BatchRun(job, inputs, executor=executor, total=len(inputs)), len(inputs))


T = TypeVar("T")


def _evenly(items: Sequence[T]) -> Sequence[T]:
    return items[:: -(-len(items) // MAX_SENTENCES) or 1]


def _measured(run: BatchRun[Any, Costs | None], number: int) -> Permissiveness:
    parsed = [record.value for record in run.whole() if isinstance(record, Success) and record.value is not None]
    return Permissiveness(len(parsed), number - len(parsed), tuple(cost for costs in parsed for cost in costs))


@frozen
class TaggedJob:
    """Computes the costs of a tagged sentence and of its corrupted versions."""

    parser: SentenceParser
    mapped: TagMap

    def __call__(self, sentence: HeldOutSentence) -> Costs:
        good = self._cost([(word.form, word.upos) for word in sentence.tree.words])
        return tuple(CorruptionCost(worse.kind, good, self._cost(worse.words)) for worse in sentence.corruptions)

    def _cost(self, words: Sequence[tuple[str, str]]) -> float:
        return cost_of(self.parser.parse(tagged_lattice(list(words), self.mapped, self.parser.words, lenient=True)))


@frozen
class PlainJob:
    """Computes the costs of a sentence and of its corrupted versions; None if the lexicon lacks some of its words."""

    parser: SentenceParser
    read: Reader
    seed: int
    examples: ExampleWords

    def __call__(self, named: NamedText) -> Costs | None:
        sentence = named.text
        best = self._parse(sentence)
        if best.guessed or not best.words:
            return None
        costs = []
        for kind in KINDS:
            corruptions = sorted(set(corrupted(sentence, kind, best, self.examples, self.parser.words)) - {sentence})
            if corruptions:
                worse = Random(f"{self.seed} {kind} {sentence}").choice(corruptions)
                costs.append(CorruptionCost(kind, cost_of(best), cost_of(self._parse(worse))))
        return tuple(costs)

    def _parse(self, sentence: str) -> Parse:
        return self.parser.parse(self.read(sentence, self.parser))


def cost_of(parse: Parse) -> float:
    """Return the cost of the violations in a parse and of its fragments; lexical costs do not count."""
    return (parse.violation_cost_units + parse.fragment_cost_units) / UNIT


def corrupted(sentence: str, kind: str, best: Parse, examples: ExampleWords, words: Words) -> Iterator[str]:
    """Yield the versions of a sentence that are corrupted in one kind of way; `best` is the parse of the original."""
    if kind != "agreement":
        yield from neighbours(sentence, kind, words.has)
        return
    for agreeing in _agreeing(best):
        for form in _other_forms(agreeing, examples, words):
            if (corruption := _with_form(best, agreeing.word, form)) is not None:
                yield corruption


@frozen
class AgreeingWord:
    """A word in a parse that agrees with another word, its partner, in some features."""

    word: Constituent
    partner: Constituent
    features: frozenset[str]


def _agreeing(best: Parse) -> Iterator[AgreeingWord]:
    """Yield each word that agrees with another one as a satisfied property demands; both words of such a pair."""
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
    """Return the highest, first word within a constituent that has the same values of these features."""
    values = dict(constituent.features)
    wanted = {(name, values[name]) for name in names if name in values}
    level = [constituent]
    while level and wanted:
        for part in level:
            if part.is_word and wanted <= set(part.features):
                return part
        level = [daughter for part in level for daughter in part.daughters]
    return None


def _other_forms(agreeing: AgreeingWord, examples: ExampleWords, words: Words) -> Iterator[str]:
    """Yield other forms of a word's lemma that, in all readings, disagree with all readings of the word's partner.

    Of these forms only readings count that differ from the word in no other features than the agreeing ones. If the
    word has no lemma, words of its category with the same beginning are taken instead.
    """
    word, names = agreeing.word, agreeing.features
    rest = {feature for feature in words.marks.without(word.features) if feature[0] not in names}
    partners = [dict(bundle) for bundle in _bundles(agreeing.partner.form, agreeing.partner.construction, words)]
    lemmas = {reading.lemma for reading in words.known(word.form) if reading.category == word.construction} - {""}
    forms = [form for lemma in sorted(lemmas) for form in examples.forms_of(lemma)]
    if not lemmas:
        of_category = (form for kind in examples.by_bundle(word.construction).values() for form in kind)
        forms = [form for form in of_category if 2 * shared_beginning(form, word.form) > max(len(form), len(word.form))]
    for form in dict.fromkeys(forms):
        bundles_of_form = _bundles(form, word.construction, words)
        alike = [
            dict(bundle) for bundle in bundles_of_form if {pair for pair in bundle if pair[0] not in names} == rest
        ]
        if alike and all(_contradict(one, other, names) for one in alike for other in partners):
            yield form


def _bundles(form: str, category: str, words: Words) -> list[Bundle]:
    readings = (reading for reading in words.known(form) if reading.category == category)
    return [bundle for reading in readings for bundle in bundles(reading.features)]


def _contradict(one: Mapping[str, str], other: Mapping[str, str], names: Iterable[str]) -> bool:
    return any(one[name] != other[name] for name in names if name in one and name in other)


def _with_form(best: Parse, word: Constituent, form: str) -> str | None:
    """Return the parsed sentence with a word replaced by another form; None if the word is typed differently."""
    sentence = best.lattice.text
    start, end = best.lattice.places[word.start]
    written = sentence[start:end]
    if written.lower() != word.form.lower() and written != best.lattice.tokens[word.start]:
        return None
    new = form[:1].upper() + form[1:] if written[:1].isupper() else form
    return sentence[:start] + new + sentence[end:]


KNOWN_TAGS: Final = 0.8
"""If more than this share of a treebank's tags are leaves of a grammar, the tags are parsed and not the words."""


def permissiveness_of(
    name: str,
    parser: SentenceParser,
    suite: str,
    good: Callable[[str], Sequence[str]],
    seed: int = 0,
    executor: Executor = in_this_process,
) -> Permissiveness:
    """Return the permissiveness of a grammar, measured on a suite.

    The suite is a treebank in CoNLL-U, a `.txt` with one good sentence on each line, or a file of judged sentences;
    `good` returns the good ones in such a file. Raises DataError if the grammar can read none of the sentences.
    """
    trees = _dependencies(suite)
    if trees and _knows_tags(parser.grammar, trees):
        mapped = tag_map_of(None, parser.grammar)
        measured = tagged_costs(trees, forms_of(trees), parser, mapped, seed, executor)
    else:
        texts: Iterable[str | None] = [tree.comment("text") for tree in trees]
        if suite.endswith(".txt"):
            texts = [line.strip() for line in lines_of(suite)]
        elif not trees:
            texts = good(suite)
        measured = plain_costs(list(filter(None, texts)), parser, seed, executor=executor)
    if not measured.costs:
        raise DataError(
            f"{suite}: {name} cannot read any good sentence\n"
            "  give good sentences with its words, or a treebank in CoNLL-U whose tags are its categories"
        )
    return measured


def _dependencies(path: str) -> list[DependencyTree]:
    """Return the sentences of a file in CoNLL-U; an empty list for a file in another format."""
    if not path.endswith(".conllu"):
        return []
    trees = (tree for tree in read_conllu(lines_of(path), path) if isinstance(tree, DependencyTree))
    return [tree for tree in trees if tree.has_heads]


def _knows_tags(grammar: Grammar, trees: Sequence[DependencyTree]) -> bool:
    """True if nearly all tags are leaves of the grammar."""
    tags = [word.upos for tree in trees for word in tree.words]
    return sum(tag in grammar.leaves for tag in tags) > KNOWN_TAGS * len(tags)


LEFT_OUT: Final = "a word left out"
"""The report's name for removing a word from a plain sentence, where the word may have been optional."""


def permissiveness(measured: Permissiveness) -> Sequence[Part]:
    """Return the report on permissiveness: figures for all corruptions and for each kind, then a sentence."""
    columns: Sequence[Column[str | None]] = (
        Column("", lambda kind: LEFT_OUT if kind == "drop" else CORRUPTIONS[kind or ""]),
        Column("sentences", "", "sentences", lambda kind: len(measured.of(kind))),
        Column("cost nothing", lambda kind: f"{100 * measured.free(kind):.0f} %", "cost_nothing", measured.free),
        Column("paired", ".2f", "paired", measured.paired),
        Column("AUC", ".2f", "auc", measured.pooled),
    )
    kinds = measured.kinds()
    table = Table(columns, kinds, numbers=4)
    (whole,) = Table(columns, (None,)).objects()
    by_kind = dict(zip(kinds, table.objects(), strict=True))
    number = counted(len(measured.costs), "sentence")
    summary = (
        f'"well-formed" by this grammar: {100 * measured.free():.0f} % of {number} that were made worse on purpose '
        f"cost nothing (AUC of the cost {measured.pooled():.2f})"
    )
    left = f"; {measured.left_out} with unknown words left out" if measured.left_out else ""
    figures = {"good": measured.sentences, "left_out": measured.left_out, "all": whole, "kinds": by_kind}
    made_of = f"made from {counted(measured.sentences, 'good sentence')}{left}"
    return Member("permissiveness", figures), Lines([summary, made_of]), table
