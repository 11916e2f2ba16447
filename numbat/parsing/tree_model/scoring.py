"""Linear model over trees: scores of packed forests, compiled or in Python, and the weights with their file."""

from __future__ import annotations

import json
import math
import sys
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from numbat import native
from numbat.errors import DataError
from numbat.evaluation.evaluator import Evaluator
from numbat.files import content_of, packaged_file, shown
from numbat.grammar.properties import UNIT
from numbat.parsing.tree_model import python_scoring
from numbat.parsing.tree_model.heads import Link, Split, links_of
from numbat.parsing.tree_model.templates import (
    GROUPS,
    LINKS,
    SPANS,
    STEPS,
    Best,
    EdgeFeatures,
    GrammarKeys,
    HashedGroup,
    PropertyFeatures,
    Task,
    Templates,
    WeightTable,
    token_attributes,
    version_of,
)
from numbat.parsing.treebank_grammar.items import WHOLE, Forest
from numbat.parsing.treebank_grammar.markov import MarkovGrammar


class TreeModel:
    """Weights of trees, with the grammar of expansions and the properties that their features refer to."""

    def __init__(self, weights: TreeWeights, evaluator: Evaluator, grammar: MarkovGrammar) -> None:
        self.weights = weights
        self.keys = GrammarKeys(grammar)
        self._properties = None
        if "properties" in weights.groups:
            self._properties = PropertyFeatures(evaluator, grammar, weights.names)

    @property
    def slack(self) -> float:
        """The most by which a tree may be less likely than the likeliest one, as a natural logarithm."""
        return self.weights.slack

    def best(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> Sequence[int]:
        """Return the edges of the best tree of a forest over forms with their tags."""
        return best(self.task(forest, tokens)).edges

    def scored(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> tuple[Forest, Sequence[float]]:
        """Return a forest of the same trees, and the contribution of each of its edges to the score of a tree, in
        natural logarithms.
        """
        task = self.task(forest, tokens)
        if not task.groups & HashedGroup.HEADS:
            return forest, scores(task)
        made, added = split(task)
        return made.forest(forest), added

    def extra(self, forest: Forest) -> EdgeFeatures | None:
        """Return the features of a forest that are not hashed."""
        return None if self._properties is None else self._properties.of_edges(forest)

    def task(self, forest: Forest, tokens: Sequence[tuple[str, str]], losses: array[float] | None = None) -> Task:
        """Return the task of the search: a forest over forms with their tags, to be scored."""
        weights = self.weights
        task = Task(
            forest,
            len(tokens),
            token_attributes(tokens),
            None,
            self.keys,
            weights.hashed_groups,
            weights.table,
            self.extra(forest),
            losses,
            weights.likelihood / UNIT,
        )
        if "auxiliary" not in weights.groups:
            return task
        return task._replace(marks=marks_of(task, weights.brackets))


# The best tree of a packed forest under a linear model, and the features of a tree.
#
# Compiled where that is possible (`_tree_model.c`), else in `python_scoring`; both find the same.


def best(task: Task) -> Best:
    """Return the best tree of a forest."""
    if native.load(native.TREE_MODEL) is None:
        return Best(*python_scoring.best(task))
    from numbat.parsing.tree_model import _tree_model

    score, edges = _tree_model.best(_packed(task))
    return Best(score, array("i", edges))


def scores(task: Task) -> array[float]:
    """Return the contribution of each edge of a forest to the score of a tree."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.scores(task)
    from numbat.parsing.tree_model import _tree_model

    return array("d", _tree_model.scores(_packed(task)))


def features(task: Task, edges: Sequence[int], links: Sequence[Link] = ()) -> array[int]:
    """Return the hashed features of edges and links of a tree; one that is there twice comes twice."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.features(task, edges, links)
    from numbat.parsing.tree_model import _tree_model

    pairs = array("i", [place for link in links for place in link])
    return array("I", _tree_model.features(_packed(task), array("i", edges).tobytes(), pairs.tobytes()))


def links_with_features(task: Task, edges: Sequence[int]) -> list[Link]:
    """Return the links of a tree, given by its edges, if links have features; else none."""
    return links_of(task.forest, edges) if task.groups & HashedGroup.HEADS else []


def split(task: Task) -> tuple[Split, array[float]]:
    """Return a forest split by heads, and the contribution of each of its edges to the score of a tree."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.split(task)
    from numbat.parsing.tree_model import _tree_model

    nodes, rows, added = _tree_model.split(_packed(task))
    every = array("i", rows)
    heads, lefts, rights, origins, above, below = (every[at::6] for at in range(6))
    return Split(array("i", nodes), heads, lefts, rights, origins, list(zip(above, below, strict=True))), array(
        "d", added
    )


def spans(attributes: array[int], tokens: int, bits: int, weights: Sequence[float] | None) -> array[int]:
    """Classify spans; see `python_scoring.spans`."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.spans(attributes, tokens, bits, weights)
    from numbat.parsing.tree_model import _tree_model

    return array("I", _tree_model.spans(tokens, attributes.tobytes(), _SPANS, bits, weights))


def _packed(task: Task) -> tuple[object, ...]:
    """Return a task as the compiled search takes it."""
    return (
        tuple([column.tobytes() for column in task.forest]),
        task.tokens,
        task.attributes.tobytes(),
        None if task.marks is None else task.marks.tobytes(),
        task.keys.packed,
        _SPANS,
        _STEPS,
        _LINKS,
        int(task.groups),
        task.table.weights,
        task.table.bits,
        task.table.named,
        None if task.extra is None else tuple([column.tobytes() for column in task.extra]),
        None if task.losses is None else task.losses.tobytes(),
        task.likelihood,
    )


def _pack(templates: Templates) -> tuple[bytes, ...]:
    return templates.at.tobytes(), templates.codes.tobytes(), templates.levels.tobytes()


_SPANS: Final = _pack(SPANS)
_STEPS: Final = _pack(STEPS)
_LINKS: Final = _pack(LINKS)


# Learned weights of the linear model over trees, and the file that holds them: numbers, and the names of properties.
#
# The first line of a file is `# numbat weights/1`, the second says in JSON what the numbers are: 32-bit floats for the
# named features; whole numbers of 16 bits, times `step`, for the hashed ones; the same, times `bracket_step`, for the
# classifier of spans. All are compressed with zlib.

HEADER: Final = b"# numbat weights/1"
SUFFIX: Final = ".weights"
MAX_BITS: Final = 24
MAX_SLACK: Final = 100.0
MAX_NAMES: Final = 1_000_000
MAX_SIZE: Final = 32_767
"""The largest number of 16 bits."""
STEP, FINEST = 0.002, 200
"""Hashed weights are rounded to so much, which is small beside what decides between trees; to less where the largest of
them is not so many times that, to more where 16 bits need it."""


@dataclass(frozen=True)
class TreeWeights:
    """Weights of a linear model over trees, in natural logarithms of likelihood.

    `groups` are those of `GROUPS` that it has, `names` its named features, in the order of the first weights of
    `numbers`; hashed ones follow, 2 to the power of `bits`. `likelihood` is the weight of the logarithm of the
    likelihood, `slack` how much less likely than the likeliest tree another may be; `expansions` marks the counts that
    it was learned with, `about` says of what it was made. `brackets` are the weights of a flat classifier of
    spans, for the group auxiliary.
    """

    groups: tuple[str, ...]
    names: tuple[str, ...]
    bits: int
    numbers: array[float] = field(repr=False)
    likelihood: float = 1.0
    slack: float = 10.0
    expansions: int = 0
    about: str = ""
    brackets: array[float] = field(default_factory=lambda: array("f"), repr=False)

    @property
    def table(self) -> WeightTable:
        """Weights in the form that the search takes."""
        return WeightTable(self.numbers, len(self.names), self.bits)

    @property
    def hashed_groups(self) -> HashedGroup:
        """Groups whose features are hashed."""
        group = HashedGroup(0)
        if "words" in self.groups:
            group |= HashedGroup.WORDS
        if "expansions" in self.groups:
            group |= HashedGroup.EXPANSIONS
        if "auxiliary" in self.groups:
            group |= HashedGroup.AUXILIARY
        if "heads" in self.groups:
            group |= HashedGroup.HEADS
        return group

    def named(self) -> dict[str, float]:
        """Return the named weights."""
        return dict(zip(self.names, self.numbers, strict=False))


def no_weights(groups: tuple[str, ...] = (), names: tuple[str, ...] = (), bits: int = 1) -> TreeWeights:
    """Return a model in which all weights are 0: it finds the likeliest tree."""
    return TreeWeights(groups, names, bits, array("f", bytes(4 * (len(names) + (1 << bits)))))


def packed_weights(weights: TreeWeights) -> bytes:
    """Return the bytes of a file of weights."""
    named = len(weights.names)
    step, rounded = _rounded(weights.numbers[named:])
    bracket_step, brackets = _rounded(weights.brackets)
    head = {
        "groups": weights.groups,
        "bits": weights.bits,
        "step": step,
        "brackets": len(weights.brackets),
        "bracket_step": bracket_step,
        "likelihood": weights.likelihood,
        "slack": weights.slack,
        "expansions": weights.expansions,
        "templates": version_of(weights.groups),
        "about": weights.about,
        "names": weights.names,
    }
    numbers = zlib.compress(_little(weights.numbers[:named]) + _little(rounded) + _little(brackets), 9)
    return b"\n".join((HEADER, json.dumps(head).encode(), numbers))


def _rounded(numbers: array[float]) -> tuple[float, array[int]]:
    """Round numbers to whole multiples of a step."""
    largest = max(map(abs, numbers), default=0.0)
    step = max(largest / MAX_SIZE, min(STEP, largest / FINEST)) or STEP
    return step, array("h", [round(number / step) for number in numbers])


def as_in_file(weights: TreeWeights) -> TreeWeights:
    """Return the weights rounded as their file has them."""
    return parse_weights(packed_weights(weights))


def packaged_weights(name: str) -> str | None:
    """Return the file of the weights that travel with the package for expansions of that name; None where there are
    none.
    """
    return packaged_file(name, SUFFIX)


def read_weights(path: str) -> TreeWeights:
    """Return the weights of a file, or packaged ones by the name of their grammar.

    Raises MissingFileError, and DataError for an invalid file.
    """
    data = content_of(packaged_weights(path) or path)
    try:
        return parse_weights(data)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, zlib.error) as error:
        raise DataError(
            f"{shown(path)}: not a file of weights: {error}\n  write it again with numbat learn weights"
        ) from None


def parse_weights(data: bytes) -> TreeWeights:
    """Return the weights of the bytes of a file, every number checked.

    Raises ValueError, TypeError, KeyError, zlib.error.
    """
    first, _, rest = data.partition(b"\n")
    if first.rstrip() != HEADER:
        raise ValueError(f'its first line is not "{HEADER.decode()}"')
    second, _, packed = rest.partition(b"\n")
    head = json.loads(second.decode())
    if not isinstance(head, dict):
        raise TypeError("its second line is no JSON object")
    if head["templates"] != version_of(head["groups"]):
        raise ValueError("it is of another version of Numbat, which has other features")
    names, bits = _names(head), _whole(head, "bits", MAX_BITS)
    sizes = 4 * len(names), 2 << bits, 2 * _whole(head, "brackets", 1 << MAX_BITS)
    inner = zlib.decompressobj()
    numbers = inner.decompress(packed, sum(sizes) + 1)
    if len(numbers) != sum(sizes) or not inner.eof:
        raise ValueError("its numbers are not as many as its second line says")
    found = _of_bytes("f", numbers[: sizes[0]])
    step, bracket_step = _number(head, "step"), _number(head, "bracket_step")
    found += _scaled(numbers[sizes[0] : sizes[0] + sizes[1]], step)
    brackets = _scaled(numbers[sizes[0] + sizes[1] :], bracket_step)
    rest_of = (_number(head, "likelihood"), _number(head, "slack", MAX_SLACK), _whole(head, "expansions", 1 << 32))
    weights = TreeWeights(tuple(head["groups"]), names, bits, found, *rest_of, str(head["about"]), brackets)
    check_weights(weights)
    return weights


def check_weights(weights: TreeWeights) -> None:
    """Raise ValueError for weights that cannot score a tree: too few, of another kind, or no numbers."""
    _whole(vars(weights), "bits", MAX_BITS)
    _number(vars(weights), "likelihood")
    _number(vars(weights), "slack", MAX_SLACK)
    _check_count(weights.numbers, len(weights.names) + (1 << weights.bits), "its features")
    if not set(weights.groups) <= set(GROUPS):
        given = ", ".join(map(str, weights.groups))
        raise ValueError(f"its groups of features are {given}, not of {', '.join(GROUPS)}")
    if "auxiliary" in weights.groups:
        _check_count(weights.brackets, 1 << BITS, "its classifier of spans")


def _check_count(numbers: array[float], count: int, whose: str) -> None:
    if not isinstance(numbers, array) or numbers.typecode != "f":
        raise TypeError(f"the weights of {whose} are no array of 32-bit floats")
    if len(numbers) != count:
        raise ValueError(f"{whose} are {count}, and their weights {len(numbers)}")
    if not math.isfinite(sum(numbers)):
        raise ValueError(f"a weight of {whose} is no number")


def _names(head: dict[str, Any]) -> tuple[str, ...]:
    names = head["names"]
    if not isinstance(names, list) or len(names) > MAX_NAMES or not all(isinstance(name, str) for name in names):
        raise TypeError("its names are no list of names")
    return tuple(names)


def _number(head: dict[str, Any], name: str, most: float = 1e6) -> float:
    value = head[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(f"its {name} is {value!r}, not a number from 0 to {most:,g}")
    return float(value)


def _whole(head: dict[str, Any], name: str, most: int) -> int:
    value = head[name]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"its {name} is {value!r}, not a whole number from 0 to {most}")
    return value


def _scaled(content: bytes, step: float) -> array[float]:
    """Return 16-bit integers times a step; compiled, because there are millions."""
    if native.load(native.TREE_MODEL) is None:
        return array("f", [byte * step for byte in _of_bytes("h", content)])
    from numbat.parsing.tree_model import _tree_model

    return array("f", _tree_model.scaled(content, step))


def _of_bytes(kind: Literal["f", "h"], content: bytes) -> array[Any]:
    found: array[Any] = array(kind)
    found.frombytes(content)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def _little(numbers: array[Any]) -> bytes:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


# Auxiliary predictions, as marks of spans: what a flat classifier and the likelihood take for a phrase.
#
# The classifier looks at each span alone (Taskar et al. 2004, section 6): its weights say of what templates find around
# the span whether it is a phrase.

BITS: Final = 18
"""Binary logarithm of the number of weights in the table of the classifier."""
BY_CLASSIFIER, BY_LIKELIHOOD = 1, 2


def marks_of(task: Task, brackets: array[float]) -> array[int]:
    """Return for each span, by start, which of the two take it for a phrase."""
    positions = task.tokens + 1
    found = array("i", bytes(4 * positions * positions))
    predicted = iter(spans(task.attributes, task.tokens, BITS, brackets))
    for start in range(task.tokens):
        for end in range(start + 2, positions):
            found[start * positions + end] = BY_CLASSIFIER * next(predicted)
    forest = task.forest
    for edge in best(task._replace(groups=HashedGroup(0), extra=None, losses=None, likelihood=1.0)).edges:
        if forest.kinds[edge] in WHOLE:
            head = forest.heads[edge]
            found[forest.starts[head] * positions + forest.ends[head]] |= BY_LIKELIHOOD
    return found
