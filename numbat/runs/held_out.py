"""What a grammar with expansions does on sentences that were held out: right links, right tags, noticed corruptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from numbat.gradience.statistics import auc, won
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Success, in_this_process
from numbat.runs.sources import InputSentence, NamedText
from numbat.treebank.conllu import DependencyTree
from numbat.treebank.corruptions import Corruption, Forms, drawn
from numbat.treebank.dependencies import dependency_tree
from numbat.treebank.judgement import (
    NAMES,
    Features,
    JudgedPair,
    Judgement,
    TagTrigrams,
    features_of,
    learned_judgement,
)
from numbat.treebank.link_scores import LinkCounts, characters_of, count_links, uncounted
from numbat.treebank.ud_maps import UdMap
from numbat.words.tag_maps import TagMap, tagged_lattice

MAX_JUDGED: Final = 300
"""Sentences of which corruptions are judged: the measure is exact enough, and parsing takes time."""


@frozen
class HeldOutSentence:
    """A held-out sentence: its tags and tree, and corruptions of it."""

    id: str
    tree: DependencyTree
    corruptions: tuple[Corruption, ...]


@frozen
class MeasuredSentence:
    """What was found of a held-out sentence: right links by its tags and from its text, and judged pairs."""

    by_tags: LinkCounts
    from_text: LinkCounts
    pairs: tuple[JudgedPair, ...]


@frozen
class MeasureJob:
    """Parses a held-out sentence by its tags and from its text, and its corruptions."""

    parser: SentenceParser
    read: Callable[[NamedText], InputSentence]
    mapped: TagMap
    ud: UdMap
    trigrams: TagTrigrams

    def __call__(self, given: HeldOutSentence) -> MeasuredSentence:
        tree = given.tree
        right = [(word.form, word.upos) for word in tree.words]
        best = self._parse(right)
        by_tags = count_links([tree], [dependency_tree(best, given.id, self.ud, tree)])
        text = tree.comment("text")
        found = dependency_tree(self._from_text(text), given.id, self.ud) if text else None
        if found is None or characters_of([tree]) != characters_of([found]):
            from_text = uncounted([tree], [] if found is None else [found])
        else:
            from_text = count_links([tree], [found])
        good = features_of(best, self.trigrams)
        pairs = tuple(
            JudgedPair(each.kind, good, features_of(self._parse(each.words), self.trigrams))
            for each in given.corruptions
        )
        return MeasuredSentence(by_tags, from_text, pairs)

    def _parse(self, words: Sequence[tuple[str, str]]) -> Parse:
        return self.parser.parse(tagged_lattice(list(words), self.mapped, self.parser.words, lenient=True))

    def _from_text(self, text: str) -> Parse:
        return self.parser.parse(self.read(NamedText("1", text)).lattice)


@frozen
class Measured:
    """What a language does on held-out sentences."""

    sentences: int
    by_tags: LinkCounts
    from_text: LinkCounts
    pairs: tuple[JudgedPair, ...]

    def free(self, kind: str) -> float | None:
        """Return the share of the corruptions of a kind that cost nothing."""
        costs = [pair.bad[NAMES.index("cost")] for pair in self.pairs if pair.kind == kind]
        return sum(cost == 0 for cost in costs) / len(costs) if costs else None

    def paired(self, kind: str, value: Callable[[Features], float]) -> float | None:
        """Return how often a sentence scores above its own corruption of a kind, ties half."""
        outcomes = [won(value(pair.good), value(pair.bad)) for pair in self.pairs if pair.kind == kind]
        return sum(outcomes) / len(outcomes) if outcomes else None

    def pooled(self, kind: str, value: Callable[[Features], float]) -> float | None:
        """Return the area under the ROC curve of all sentences against all corruptions of a kind."""
        chosen = [pair for pair in self.pairs if pair.kind == kind]
        scores = [value(each) for pair in chosen for each in (pair.good, pair.bad)]
        return auc(scores, [1.0, 0.0] * len(chosen)) if chosen else None


MIN_PAIRS: Final = 40
"""Of fewer pairs no judgement is learned."""


def measure(
    job: MeasureJob, trees: Sequence[DependencyTree], forms: Forms, executor: Executor = in_this_process
) -> tuple[Measured, Judgement | None]:
    """Return what was found of held-out sentences, and a judgement learned from every second of them.

    Pairs of the others alone are in what was measured.
    """
    step = max(1, len(trees) // MAX_JUDGED)
    inputs = (
        HeldOutSentence(str(number), tree, tuple(drawn(tree, forms)) if number % step == 0 else ())
        for number, tree in enumerate(trees)
    )
    found = [record.value for record in BatchRun(job, inputs, executor=executor) if isinstance(record, Success)]
    judged = [each.pairs for each in found if each.pairs]
    learned_from = [pair for pairs in judged[::2] for pair in pairs]
    kept = tuple(pair for pairs in judged[1::2] for pair in pairs)
    by_tags = sum((each.by_tags for each in found), start=LinkCounts())
    from_text = sum((each.from_text for each in found), start=LinkCounts())
    measured = Measured(len(found), by_tags, from_text, kept)
    return measured, learned_judgement(job.trigrams, learned_from) if len(learned_from) >= MIN_PAIRS else None
