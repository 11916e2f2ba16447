"""Learning of preferences among parses from a treebank: a log-linear model of lists of the best parses.

For each sentence, the parses within the margin are compared by what is right in each: with dependencies, the words with
the right head; with brackets, the brackets over several words, less the phrases that are not among them. The weights
make likely that a parse is one of those in which most is right, whichever it is (Riezler et al. 2002; Toutanova et al.
2005). Steps are AdaGrad's (Duchi, Hazan and Singer 2011), the result is the mean of the weights along the way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import exp, isfinite, sqrt
from pathlib import Path
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
from numbat.treebanks.converting import tree_of
from numbat.treebanks.dependencies import dependency_tree
from numbat.treebanks.link_scores import count_links
from numbat.treebanks.scores import long_spans
from numbat.treebanks.ud_maps import UdMap

PARSES: Final = 16
"""Maximum number of parses compared for a sentence."""
SHARPNESS: Final = 2.0
"""Logarithm of how much likelier a parse is than one that costs 1 more."""
LEAST_SHARE: Final = 1e-6
"""Smaller gradients make no step, and a parse whose likelihood is as near to what it should be changes no gradient."""
FIRST_SQUARE: Final = 0.01
"""Number added to the squares of gradients, so that the first steps are not too long."""
RATE: Final = 0.1
"""Step size of AdaGrad."""
MOST_NAMED: Final = 4
"""Maximum number of files that the result names."""
LEAST: Final = 0.05
"""Weights closer to 0 are left out of the result."""
HELD_OUT: Final = 10
"""Every tenth block of sentences is held out to measure what is gained."""
BLOCK: Final = 20
"""Number of consecutive sentences that are held out together, as neighbours share words."""


class ComparedParse(NamedTuple):
    """A parse to be compared: its cost above the best one, how much of it is right, and its features."""

    cost: float
    right: int
    features: dict[str, int]


class ComparedParses(NamedTuple):
    """The parses of a sentence, a best one first, and how much may be right: its words or brackets."""

    most: int
    parses: tuple[ComparedParse, ...]
    has_heads: bool = True


@frozen
class ComparisonJob:
    """Parses a sentence of a treebank and counts what is right in each parse within the margin."""

    parser: Parser
    ud: UdMap
    margin: float

    def __call__(self, sentence: InputSentence) -> ComparedParses:
        if sentence.source is None and sentence.gold is None:
            return ComparedParses(0, ())
        parses = self.parser.n_best(sentence.lattice, PARSES)
        limit = parses[0].cost_units + round(self.margin * UNIT)
        kept = [parse for parse in parses if parse.cost_units <= limit] if parses[0].stopped_by is None else []
        compared, most = [], 0
        for parse in kept:
            right, most = self._right(parse, sentence)
            features = features_of_parse(parse, self.parser.evaluator.table)
            compared.append(ComparedParse((parse.cost_units - parses[0].cost_units) / UNIT, right, dict(features)))
        return ComparedParses(most, tuple(compared), sentence.source is not None)

    def _right(self, parse: Parse, sentence: InputSentence) -> tuple[int, int]:
        """Return how much of a parse is right, and how much there is in the tree of the treebank."""
        tree: DependencyTree | None = sentence.source
        if tree is not None:
            links = count_links([tree], [dependency_tree(parse, "", self.ud, tree)])
            return links.heads, len(tree.words)
        spans = long_spans(sentence.gold, tree_of(parse))
        if spans is None:
            return 0, 0
        known, proposed = spans
        return 2 * len(known & proposed) - len(proposed), len(known)


@frozen
class LearnedPreferences:
    """Preferences, and the share that is right in held-out sentences: of a best parse, preferred, at most possible.

    `bad` is the number of sentences that could not be used, `what` names what is right or wrong.
    """

    preferences: Preferences
    sentences: int
    bad: int
    held_out: int
    before: float
    after: float
    possible: float
    what: str

    @property
    def says(self) -> str:
        """The result in one line."""
        weights = counted(len(self.preferences.weights), "weight")
        learned = f"{counted(self.sentences, 'sentence')}, {weights}"
        if not self.held_out:
            return f"{learned}; too few sentences to hold some out and measure what is gained"
        return (
            f"{learned}; right {self.what} in {self.held_out:,} held-out sentences: {self.before:.3f} without, "
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
    """Learn preferences from treebanks of dependencies or brackets.

    The weights of the result are learned from all sentences; those measured on held-out sentences from the others.
    Raises DataError if no sentence has several parses to choose from.
    """
    every, bad = _compared_parses(paths, source, parser, ud, settings, complain, executor)
    held = [one for number, one in enumerate(every) if number // BLOCK % HELD_OUT == HELD_OUT - 1]
    rest = [one for number, one in enumerate(every) if number // BLOCK % HELD_OUT != HELD_OUT - 1]
    if not every:
        hint = "give a treebank with dependencies or brackets, with --from if need be"
        raise DataError(f"{shown(paths[0])}: no tree to learn from\n  {hint}")
    if not any(_differ(one) for one in every):
        hint = "give more sentences, or with --ud-map a map by which their heads differ"
        raise DataError(f"{shown(paths[0])}: no sentence has parses of which one is more right\n  {hint}")
    trial = _learned(rest, settings)
    weights = _learned(every, settings)
    files = [Path(path).name for path in paths]
    names = ", ".join(files) if len(files) <= MOST_NAMED else f"{files[0]}, {files[1]} and {len(files) - 2} other files"
    about = f"learned from {counted(len(every), 'sentence')} of {names}"
    kept = {name: weight for name, weight in sorted(weights.items()) if abs(weight) >= LEAST}
    before, after, possible = (
        _share(held, best) for best in (lambda one: one.parses[0], lambda one: _chosen(one, trial), _most_right)
    )
    kinds = dict.fromkeys("heads" if one.has_heads else "brackets" for one in every)
    preferences = Preferences(parser.grammar.name, settings.margin, about, kept)
    what = " and ".join(kinds)
    return LearnedPreferences(preferences, len(every), bad, len(held), before, after, possible, what)


def _compared_parses(
    paths: Sequence[str],
    source: str,
    parser: Parser,
    ud: UdMap,
    settings: PreferenceSettings,
    complain: Callable[[DataError], object],
    executor: Executor,
) -> tuple[list[ComparedParses], int]:
    """Return the parses of each sentence that has a tree, and how many sentences could not be used."""
    reading = SentenceSettings(source=source, words=True, gold=True, max_length=settings.max_length)
    mapped = tag_map_of(reading, parser.grammar)
    job = ComparisonJob(parser, ud, settings.margin)
    read = chain.from_iterable(sentences_of(parser, (), path, reading, mapped) for path in paths)
    compared: list[ComparedParses] = []
    bad = 0
    for record in BatchRun(job, read, executor=executor).whole():
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
    pairs = [(choose(one).right, one.most) for one in held]
    return sum(right for right, _ in pairs) / max(1, sum(most for _, most in pairs))


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
            for name, gradient in _gradient(one, weights).items():
                if abs(gradient) > LEAST_SHARE and seen[name] >= settings.min_count:
                    squares[name] += gradient * gradient
                    step = RATE * gradient / sqrt(squares[name] + FIRST_SQUARE)
                    weights[name] += step
                    late[name] += steps * step
    means = {name: weight - late[name] / steps for name, weight in weights.items()}
    assert all(map(isfinite, means.values()))
    return means


def _gradient(one: ComparedParses, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the gradient of the log likelihood that a parse is one of those in which most is right."""
    scores = [SHARPNESS * _score(parse, weights) for parse in one.parses]
    highest, most = max(scores), max(parse.right for parse in one.parses)
    likely = [exp(score - highest) for score in scores]
    every = sum(likely)
    right = sum(share for parse, share in zip(one.parses, likely, strict=True) if parse.right == most)
    gradient = defaultdict[str, float](float)
    for parse, share in zip(one.parses, likely, strict=True):
        excess = (share / right if parse.right == most else 0.0) - share / every
        if abs(excess) > LEAST_SHARE:
            for name, number in parse.features.items():
                gradient[name] += excess * number
    return gradient
