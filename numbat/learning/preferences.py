"""Learning of preferences among parses from a treebank of dependencies, by max margin on lists of the best parses.

For each sentence, the parses within the margin are compared by how many words have the right head in each. The one with
the most right heads has to win over every other by a margin that grows with the words that the other gets wrong (Taskar
et al. 2004); steps are AdaGrad's (Duchi, Hazan and Singer 2011), the result is the mean of the weights along the way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import isfinite, sqrt
from random import Random
from typing import Final, NamedTuple

from numbat.errors import DataError, counted
from numbat.files import shown
from numbat.grammar.properties import UNIT
from numbat.learning.settings import PreferenceSettings
from numbat.parses.sentences import sentences_of, tag_map_of
from numbat.parsing.parser import Parser
from numbat.parsing.preferences import Preferences, features_of_parse
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.runs.sentences import InputSentence
from numbat.runs.settings import SentenceSettings
from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.dependencies import dependency_tree
from numbat.treebanks.link_scores import count_links
from numbat.treebanks.ud_maps import UdMap

PARSES: Final = 16
"""Maximum number of parses compared for a sentence."""
LOSS: Final = 0.5
"""Margin, in costs, for each word with a wrong head."""
RATE: Final = 0.1
"""Step size of AdaGrad."""
SEEN: Final = 3
"""Minimum number of parses that a feature must be in."""
LEAST: Final = 0.02
"""Weights closer to 0 are left out of the result."""
HELD_OUT: Final = 10
"""Every tenth block of sentences is held out to measure what is gained."""
BLOCK: Final = 20
"""Number of consecutive sentences that are held out together, as neighbours share words."""


class ComparedParse(NamedTuple):
    """A parse to be compared: its cost above the best one, its words with the right head, and its features."""

    cost: float
    right: int
    features: dict[str, int]


class ComparedParses(NamedTuple):
    """The parses of a sentence, a best one first, and its number of words."""

    words: int
    parses: tuple[ComparedParse, ...]


@frozen
class ComparisonJob:
    """Parses a sentence of a treebank and counts the right heads of each parse within the margin."""

    parser: Parser
    ud: UdMap
    margin: float

    def __call__(self, sentence: InputSentence) -> ComparedParses:
        gold = sentence.source
        if gold is None:  # a tree without dependencies
            return ComparedParses(0, ())
        parses = self.parser.n_best(sentence.lattice, PARSES)
        limit = parses[0].cost_units + round(self.margin * UNIT)
        kept = [parse for parse in parses if parse.cost_units <= limit] if parses[0].stopped_by is None else []
        return ComparedParses(len(gold.words), tuple(self._compared(parse, parses[0], gold) for parse in kept))

    def _compared(self, parse: Parse, best: Parse, gold: DependencyTree) -> ComparedParse:
        heads = count_links([gold], [dependency_tree(parse, "", self.ud, gold)]).heads
        features = features_of_parse(parse, self.parser.evaluator.table)
        return ComparedParse((parse.cost_units - best.cost_units) / UNIT, heads, dict(features))


@frozen
class LearnedPreferences:
    """Preferences, and the share of right heads in held-out sentences: of a best parse, preferred, at most possible.

    `bad` is the number of sentences that could not be used.
    """

    preferences: Preferences
    sentences: int
    bad: int
    held_out: int
    before: float
    after: float
    possible: float

    @property
    def says(self) -> str:
        """The result in one line."""
        weights = counted(len(self.preferences.weights), "weight")
        learned = f"{counted(self.sentences, 'sentence')}, {weights}"
        if not self.held_out:
            return f"{learned}; too few sentences to hold some out and measure what is gained"
        return (
            f"{learned}; right heads in {self.held_out:,} held-out sentences: {self.before:.3f} without, "
            f"{self.after:.3f} with, at most {self.possible:.3f} within the margin"
        )


def learn_preferences(
    paths: Sequence[str],
    source: str,
    parser: Parser,
    ud: UdMap,
    settings: PreferenceSettings,
    complain: Callable[[DataError], object] = lambda error: None,
    executor: Executor = in_this_process,
) -> LearnedPreferences:
    """Learn preferences from treebanks of dependencies.

    The weights of the result are learned from all sentences; those measured on held-out sentences from the others.
    Raises DataError if no sentence has several parses to choose from.
    """
    every, bad = _compared_parses(paths, source, parser, ud, settings, complain, executor)
    held = [one for number, one in enumerate(every) if number // BLOCK % HELD_OUT == HELD_OUT - 1]
    rest = [one for number, one in enumerate(every) if number // BLOCK % HELD_OUT != HELD_OUT - 1]
    if not every:
        hint = "give a treebank in CoNLL-U, with --from if need be"
        raise DataError(f"{shown(paths[0])}: no sentence with dependencies to learn from\n  {hint}")
    if not any(_differ(one) for one in every):
        hint = "give more sentences, or with --ud-map a map by which their heads differ"
        raise DataError(f"{shown(paths[0])}: no sentence has parses that differ in their heads\n  {hint}")
    trial = _learned(rest, settings)
    weights = _learned(every, settings)
    about = f"learned from {counted(len(every), 'sentence')} of {', '.join(map(shown, paths))}"
    kept = {name: weight for name, weight in sorted(weights.items()) if abs(weight) >= LEAST}
    shares = (_share(held, best) for best in (lambda one: one.parses[0], lambda one: _chosen(one, trial), _most_right))
    return LearnedPreferences(
        Preferences(parser.grammar.name, settings.margin, about, kept), len(every), bad, len(held), *shares
    )


def _compared_parses(
    paths: Sequence[str],
    source: str,
    parser: Parser,
    ud: UdMap,
    settings: PreferenceSettings,
    complain: Callable[[DataError], object],
    executor: Executor,
) -> tuple[list[ComparedParses], int]:
    """Return the parses of each sentence that has dependencies, and how many sentences could not be used."""
    reading = SentenceSettings(source=source, words=True, max_length=settings.max_length)
    mapped = tag_map_of(reading, parser.grammar)
    job = ComparisonJob(parser, ud, settings.margin)
    read = chain.from_iterable(sentences_of(parser, (), path, reading, mapped) for path in paths)
    compared: list[ComparedParses] = []
    bad = 0
    for record in BatchRun(job, read, executor=executor):
        if isinstance(record, Failure):
            bad += 1
            complain(record.as_error())
        elif record.value.parses:
            compared.append(record.value)
    return compared, bad


def _differ(one: ComparedParses) -> bool:
    return len({parse.right for parse in one.parses}) > 1


def _score(parse: ComparedParse, weights: Mapping[str, float]) -> float:
    get = weights.get
    return sum(get(name, 0.0) * number for name, number in parse.features.items()) - parse.cost


def _chosen(one: ComparedParses, weights: Mapping[str, float]) -> ComparedParse:
    return max(one.parses, key=lambda parse: _score(parse, weights))


def _most_right(one: ComparedParses) -> ComparedParse:
    return max(one.parses, key=lambda parse: parse.right)


def _share(held: Iterable[ComparedParses], choose: Callable[[ComparedParses], ComparedParse]) -> float:
    pairs = [(choose(one).right, one.words) for one in held]
    return sum(right for right, _ in pairs) / max(1, sum(words for _, words in pairs))


def _learned(examples: Sequence[ComparedParses], settings: PreferenceSettings) -> dict[str, float]:
    """Return the mean of the weights over all steps. Deterministic for a seed."""
    seen = Counter(name for one in examples for parse in one.parses for name in parse.features)
    usable = [one for one in examples if _differ(one)]
    weights, late, squares = (
        defaultdict[str, float](float),
        defaultdict[str, float](float),
        defaultdict[str, float](float),
    )
    steps, random = 1, Random(settings.seed)
    for _ in range(settings.passes):
        random.shuffle(usable)
        for one in usable:
            steps += 1
            most = max(parse.right for parse in one.parses)
            right = max((p for p in one.parses if p.right == most), key=lambda parse: _score(parse, weights))
            rival = max(one.parses, key=lambda parse: _score(parse, weights) + LOSS * (most - parse.right))
            if rival is right:
                continue
            for name in {*right.features, *rival.features}:
                change = right.features.get(name, 0) - rival.features.get(name, 0)
                if change and seen[name] >= SEEN:
                    squares[name] += change * change
                    step = RATE * change / sqrt(squares[name])
                    weights[name] += step
                    late[name] += steps * step
    means = {name: weight - late[name] / steps for name, weight in weights.items()}
    assert all(map(isfinite, means.values()))
    return means
