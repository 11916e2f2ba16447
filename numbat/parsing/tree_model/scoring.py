"""Linear model over trees: scores for packed forests, compiled or in Python; the weights and their file format."""

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
    """Weights for trees, with the grammar of expansions and the properties to which their features refer."""

    def __init__(self, weights: TreeWeights, evaluator: Evaluator, grammar: MarkovGrammar) -> None:
        self.weights = weights
        self.keys = GrammarKeys(grammar)
        self._properties = None
        if "properties" in weights.groups:
            self._properties = PropertyFeatures(evaluator, grammar, weights.names)

    @property
    def slack(self) -> float:
        """Maximum difference of a tree's log likelihood from that of the likeliest one."""
        return self.weights.slack

    def best(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> Sequence[int]:
        """Return the edges of the best tree in a forest; `tokens` are pairs of form and tag."""
        return best(self.task(forest, tokens)).edges

    def scored(self, forest: Forest, tokens: Sequence[tuple[str, str]]) -> tuple[Forest, Sequence[float]]:
        """Return a forest of the same trees, and what each of its edges adds to the score of a tree."""
        task = self.task(forest, tokens)
        if not task.groups & HashedGroup.HEADS:
            return forest, scores(task)
        made, added = split(task)
        return made.forest(forest), added

    def extra(self, forest: Forest) -> EdgeFeatures | None:
        """Return the named features of the edges in a forest (these features are not hashed), or None."""
        return None if self._properties is None else self._properties.of_edges(forest)

    def task(self, forest: Forest, tokens: Sequence[tuple[str, str]], losses: array[float] | None = None) -> Task:
        """Return the task of scoring a forest; `tokens` are pairs of form and tag, `losses` are added by node."""
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


# The best tree in a packed forest, and the features of a tree: compiled if possible (`_tree_model.c`), else by
# `python_scoring`, with equal results.


def best(task: Task) -> Best:
    """Return the best tree in a forest."""
    if native.load(native.TREE_MODEL) is None:
        return Best(*python_scoring.best(task))
    from numbat.parsing.tree_model import _tree_model

    score, edges = _tree_model.best(_packed(task))
    return Best(score, array("i", edges))


def scores(task: Task) -> array[float]:
    """Return what each edge of a forest adds to the score of a tree."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.scores(task)
    from numbat.parsing.tree_model import _tree_model

    return array("d", _tree_model.scores(_packed(task)))


def features(task: Task, edges: Sequence[int], links: Sequence[Link] = ()) -> array[int]:
    """Return the hashed features of these edges and links of a tree, each as often as it occurs."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.features(task, edges, links)
    from numbat.parsing.tree_model import _tree_model

    pairs = array("i", [place for link in links for place in link])
    return array("I", _tree_model.features(_packed(task), array("i", edges).tobytes(), pairs.tobytes()))


def links_with_features(task: Task, edges: Sequence[int]) -> list[Link]:
    """Return the links of a tree, given by its edges; an empty list if links have no features."""
    return links_of(task.forest, edges) if task.groups & HashedGroup.HEADS else []


def split(task: Task) -> tuple[Split, array[float]]:
    """Return a forest split by heads, and what each of its edges adds to the score of a tree."""
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
    """Classify spans as phrases or not; see `python_scoring.spans`."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.spans(attributes, tokens, bits, weights)
    from numbat.parsing.tree_model import _tree_model

    return array("I", _tree_model.spans(tokens, attributes.tobytes(), _SPANS, bits, weights))


def _packed(task: Task) -> tuple[object, ...]:
    """Return a task in the form that the compiled code takes."""
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


# Learned weights and their file format. The first line of a file is `# numbat weights/1`, the second has a JSON object
# that describes the numbers. The numbers follow, compressed with zlib: 32-bit floats for the named features; 16-bit
# integers, to be multiplied by `step`, for the hashed features; 16-bit integers, to be multiplied by `bracket_step`,
# for the classifier of spans.

HEADER: Final = b"# numbat weights/1"
SUFFIX: Final = ".weights"
MAX_BITS: Final = 24
MAX_SLACK: Final = 100.0
MAX_NAMES: Final = 1_000_000
MAX_SIZE: Final = 32_767
"""Largest integer of 16 bits."""
STEP, FINEST = 0.002, 200
"""Hashed weights are rounded to multiples of STEP, or of the largest weight / FINEST if that is smaller.

The step is small compared to differences between trees. It is larger if 16 bits could not hold the weights otherwise.
"""


@dataclass(frozen=True)
class TreeWeights:
    """Weights of a linear model over trees, on the scale of log likelihood.

    `groups` are the groups of features in use (`GROUPS`). `numbers` has the weights of the named features, in the order
    of `names`, then 2 to the power of `bits` weights of hashed features. `likelihood` is the weight of the log
    likelihood; `slack` is the maximum difference between the log likelihood of a tree and that of the likeliest one.
    `expansions` is the digest of the counts with which the weights were learned, `about` describes the training.
    `brackets` has the weights of a classifier of single spans, used by the group `auxiliary`.
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
        """The weights as the search takes them."""
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
        """Return the weights of the named features, by name."""
        return dict(zip(self.names, self.numbers, strict=False))


def no_weights(groups: tuple[str, ...] = (), names: tuple[str, ...] = (), bits: int = 1) -> TreeWeights:
    """Return weights that are all 0, so that the likeliest tree is the best."""
    return TreeWeights(groups, names, bits, array("f", bytes(4 * (len(names) + (1 << bits)))))


def packed_weights(weights: TreeWeights) -> bytes:
    """Return the content of a file of weights."""
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
    """Return a step, and the numbers as integers: how many steps each is, rounded."""
    largest = max(map(abs, numbers), default=0.0)
    step = max(largest / MAX_SIZE, min(STEP, largest / FINEST)) or STEP
    return step, array("h", [round(number / step) for number in numbers])


def as_in_file(weights: TreeWeights) -> TreeWeights:
    """Return the weights rounded as a file would hold them."""
    return parse_weights(packed_weights(weights))


def packaged_weights(name: str) -> str | None:
    """Return the path of the packaged weights for the expansions with this name, or None."""
    return packaged_file(name, SUFFIX)


def read_weights(path: str) -> TreeWeights:
    """Read weights from a file, or packaged weights by the name of their grammar.

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
    """Parse and check the content of a file of weights. Raises ValueError, TypeError, KeyError, zlib.error."""
    first, _, rest = data.partition(b"\n")
    if first.rstrip() != HEADER:
        raise ValueError(f'its first line is not "{HEADER.decode()}"')
    second, _, packed = rest.partition(b"\n")
    head = json.loads(second.decode())
    if not isinstance(head, dict):
        raise TypeError("its second line is not a JSON object")
    if head["templates"] != version_of(head["groups"]):
        raise ValueError("it is of another version of Numbat, with other features")
    names, bits = _names(head), _whole(head, "bits", MAX_BITS)
    sizes = 4 * len(names), 2 << bits, 2 * _whole(head, "brackets", 1 << MAX_BITS)
    inner = zlib.decompressobj()
    numbers = inner.decompress(packed, sum(sizes) + 1)
    if len(numbers) != sum(sizes) or not inner.eof:
        raise ValueError("the number of its weights is not that in its second line")
    weights_of_features = _of_bytes("f", numbers[: sizes[0]])
    step, bracket_step = _number(head, "step"), _number(head, "bracket_step")
    weights_of_features += _scaled(numbers[sizes[0] : sizes[0] + sizes[1]], step)
    brackets = _scaled(numbers[sizes[0] + sizes[1] :], bracket_step)
    rest_of = (_number(head, "likelihood"), _number(head, "slack", MAX_SLACK), _whole(head, "expansions", 1 << 32))
    weights = TreeWeights(
        tuple(head["groups"]), names, bits, weights_of_features, *rest_of, str(head["about"]), brackets
    )
    check_weights(weights)
    return weights


def check_weights(weights: TreeWeights) -> None:
    """Raise ValueError or TypeError if weights cannot score a tree: a wrong number of them, a wrong type or range."""
    _whole(vars(weights), "bits", MAX_BITS)
    _number(vars(weights), "likelihood")
    _number(vars(weights), "slack", MAX_SLACK)
    _check_count(weights.numbers, len(weights.names) + (1 << weights.bits), "its features")
    if not set(weights.groups) <= set(GROUPS):
        given = ", ".join(map(str, weights.groups))
        raise ValueError(f"its groups of features are {given}; only these are known: {', '.join(GROUPS)}")
    if "auxiliary" in weights.groups:
        _check_count(weights.brackets, 1 << BITS, "its classifier of spans")


def _check_count(numbers: array[float], count: int, whose: str) -> None:
    if not isinstance(numbers, array) or numbers.typecode != "f":
        raise TypeError(f"the weights of {whose} are not an array of 32-bit floats")
    if len(numbers) != count:
        raise ValueError(f"{whose} must have {count} weights, not {len(numbers)}")
    if not math.isfinite(sum(numbers)):
        raise ValueError(f"a weight of {whose} is not a finite number")


def _names(head: dict[str, Any]) -> tuple[str, ...]:
    names = head["names"]
    if not isinstance(names, list) or len(names) > MAX_NAMES or not all(isinstance(name, str) for name in names):
        raise TypeError("its names are not a list of strings")
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
    """Return 16-bit integers, each times a step, as floats; compiled if possible, because there are millions."""
    if native.load(native.TREE_MODEL) is None:
        return array("f", [byte * step for byte in _of_bytes("h", content)])
    from numbat.parsing.tree_model import _tree_model

    return array("f", _tree_model.scaled(content, step))


def _of_bytes(kind: Literal["f", "h"], content: bytes) -> array[Any]:
    numbers: array[Any] = array(kind)
    numbers.frombytes(content)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _little(numbers: array[Any]) -> bytes:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


# Auxiliary predictions: marks that say whether a classifier, and whether the likelihood, takes a span for a phrase. The
# classifier looks at each span alone (Taskar et al. 2004, section 6) and has weights for the features around it.

BITS: Final = 18
"""Binary logarithm of the number of weights that the classifier has."""
BY_CLASSIFIER, BY_LIKELIHOOD = 1, 2


def marks_of(task: Task, brackets: array[float]) -> array[int]:
    """Return the marks of spans (`BY_CLASSIFIER`, `BY_LIKELIHOOD` or both), at index start * (tokens + 1) + end."""
    positions = task.tokens + 1
    marks = array("i", bytes(4 * positions * positions))
    predicted = iter(spans(task.attributes, task.tokens, BITS, brackets))
    for start in range(task.tokens):
        for end in range(start + 2, positions):
            marks[start * positions + end] = BY_CLASSIFIER * next(predicted)
    forest = task.forest
    for edge in best(task._replace(groups=HashedGroup(0), extra=None, losses=None, likelihood=1.0)).edges:
        if forest.kinds[edge] in WHOLE:
            head = forest.heads[edge]
            marks[forest.starts[head] * positions + forest.ends[head]] |= BY_LIKELIHOOD
    return marks
