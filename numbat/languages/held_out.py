"""Measures of a language on held-out sentences, which it was not made of: right links and tags, noticed corruptions.

A language is measured on held-out sentences. Its judgement is learned from some of the sentences that it is made of,
parsed with the expansions of the others. Some corruptions are parsed with their tags, as in learning, others as raw
text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Success, in_this_process
from numbat.runs.sentences import InputSentence, NamedText
from numbat.statistics.correlations import auc, mean, won
from numbat.statistics.intervals import Estimate, estimate
from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.corruptions import Forms, HeldOutSentence, drawn, drawn_neighbours
from numbat.treebanks.dependencies import dependency_tree
from numbat.treebanks.judgement import WITHOUT_COST, Features, JudgedPair, WordModel, features_of
from numbat.treebanks.link_scores import LinkCounts, characters_of, count_links, uncounted
from numbat.treebanks.running_text import text_of
from numbat.treebanks.ud_maps import UdMap
from numbat.words.tag_maps import TagMap, tagged_lattice

MAX_JUDGED: Final = 300
"""Maximum number of sentences whose corruptions are judged: enough for the measure, as parsing takes time."""


@frozen
class MeasuredSentence:
    """Measures of a held-out sentence: right links and judged pairs if parsed from its tags, and from its text."""

    by_tags: LinkCounts
    from_text: LinkCounts
    pairs: tuple[JudgedPair, ...]
    typed: tuple[JudgedPair, ...]


@frozen
class HeldOutJob:
    """Parse a sentence and its corrupted versions from their tags; return the features that tell them apart."""

    parser: SentenceParser
    mapped: TagMap
    words: WordModel

    def __call__(self, given: HeldOutSentence, best: Parse | None = None) -> tuple[JudgedPair, ...]:
        if not given.corruptions:
            return ()
        good = features_of(best or self.parse([(word.form, word.upos) for word in given.tree.words]), self.words)
        return tuple(
            JudgedPair(corruption.kind, good, features_of(self.parse(corruption.words), self.words))
            for corruption in given.corruptions
        )

    def parse(self, words: Sequence[tuple[str, str]]) -> Parse:
        """Parse pairs of a form and a tag."""
        return self.parser.parse(tagged_lattice(list(words), self.mapped, self.parser.words, lenient=True))


@frozen
class MeasureJob:
    """Parse a held-out sentence from its tags and from its text, and parse its corruptions."""

    parser: SentenceParser
    read: Callable[[NamedText], InputSentence]
    ud: UdMap
    judged: HeldOutJob

    def __call__(self, given: HeldOutSentence) -> MeasuredSentence:
        tree = given.tree
        right = [(word.form, word.upos) for word in tree.words]
        best = self.judged.parse(right)
        by_tags = count_links([tree], [dependency_tree(best, given.id, self.ud, tree)])
        text = text_of(tree)
        typed = self._from_text(text)
        parsed = dependency_tree(typed, given.id, self.ud)
        is_same = characters_of([tree]) == characters_of([parsed])
        from_text = (count_links if is_same else uncounted)([tree], [parsed])
        pairs = self._typed_pairs(text, typed) if given.corruptions else ()
        return MeasuredSentence(by_tags, from_text, self.judged(given, best), pairs)

    def _typed_pairs(self, text: str, best: Parse) -> tuple[JudgedPair, ...]:
        """Return the features of a text, paired with those of texts in which words are swapped, missing or doubled."""
        words, good = self.judged.words, features_of(best, self.judged.words)
        worse = drawn_neighbours(text, self.parser.words.has)
        return tuple(
            JudgedPair(kind, good, features_of(self._from_text(changed), words)) for kind, changed in worse.items()
        )

    def _from_text(self, text: str) -> Parse:
        return self.parser.parse(self.read(NamedText("1", text)).lattice)


@frozen
class Measured:
    """Measures of a language on held-out sentences; `typed` are pairs of raw texts, `pairs` those parsed by tags."""

    sentences: int
    by_tags: LinkCounts
    from_text: LinkCounts
    pairs: tuple[JudgedPair, ...]
    typed: tuple[JudgedPair, ...]


Value = Callable[[Features], float]
"""Function from the features of a sentence to its score."""


def share_free(pairs: Sequence[JudgedPair]) -> Estimate:
    """Return the share of corruptions that cost nothing."""
    free = [pair.bad[WITHOUT_COST] for pair in pairs]
    return estimate(mean, free, free)


def above_own(pairs: Sequence[JudgedPair], value: Value) -> Estimate:
    """Return how often a sentence scores above its own corruption; ties count half."""
    outcomes = [won(value(pair.good), value(pair.bad)) for pair in pairs]
    return estimate(mean, outcomes, outcomes)


def above_all(pairs: Sequence[JudgedPair], value: Value) -> Estimate:
    """Return the area under the ROC curve of all sentences against all corruptions; a pair is one unit."""
    scores = [*(value(pair.good) for pair in pairs), *(value(pair.bad) for pair in pairs)]
    number = len(pairs)
    return estimate(auc, scores, [1.0] * number + [0.0] * number, units=[*range(number)] * 2)


def measure(
    job: MeasureJob, trees: Sequence[DependencyTree], forms: Forms, executor: Executor = in_this_process
) -> Measured:
    """Measure a language on held-out sentences; corruptions of up to `MAX_JUDGED` of them are judged."""
    step = -(-len(trees) // MAX_JUDGED)
    inputs = (
        HeldOutSentence(str(number), tree, tuple(drawn(tree, forms)) if number % step == 0 else ())
        for number, tree in enumerate(trees)
    )
    records = BatchRun(job, inputs, executor=executor).whole()
    sentences = [record.value for record in records if isinstance(record, Success)]
    by_tags = sum((sentence.by_tags for sentence in sentences), start=LinkCounts())
    from_text = sum((sentence.from_text for sentence in sentences), start=LinkCounts())
    pairs, typed = (
        tuple(pair for pairs in every for pair in pairs)
        for every in ([sentence.pairs for sentence in sentences], [sentence.typed for sentence in sentences])
    )
    return Measured(len(sentences), by_tags, from_text, pairs, typed)


def judged_pairs(
    job: HeldOutJob, trees: Sequence[DependencyTree], forms: Forms, executor: Executor = in_this_process
) -> list[JudgedPair]:
    """Return the features of sentences, each paired with those of its corruptions, one of each kind."""
    inputs = (HeldOutSentence(str(number), tree, tuple(drawn(tree, forms))) for number, tree in enumerate(trees))
    records = BatchRun(job, inputs, executor=executor).whole()
    return [pair for record in records if isinstance(record, Success) for pair in record.value]
