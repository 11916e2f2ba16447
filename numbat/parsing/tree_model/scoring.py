"""The best tree of a packed forest under a linear model, and the features of a tree.

Compiled where that is possible (`_tree_model.c`), else in `python_scoring`; both find the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

from numbat import native
from numbat.parsing.tree_model import python_scoring
from numbat.parsing.tree_model.records import Best, Task
from numbat.parsing.tree_model.templates import SPANS, STEPS, Templates


def best(task: Task) -> Best:
    """The best tree of a forest."""
    if native.load(native.TREE_MODEL) is None:
        return Best(*python_scoring.best(task))
    from numbat.parsing.tree_model import _tree_model

    score, edges = _tree_model.best(_packed(task))
    return Best(score, array("i", edges))


def scores(task: Task) -> array[float]:
    """What each edge of a forest adds to the score of a tree."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.scores(task)
    from numbat.parsing.tree_model import _tree_model

    return array("d", _tree_model.scores(_packed(task)))


def features(task: Task, edges: Sequence[int]) -> array[int]:
    """The hashed features of a tree, given by its edges; one that is there twice comes twice."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.features(task, edges)
    from numbat.parsing.tree_model import _tree_model

    return array("I", _tree_model.features(_packed(task), array("i", edges).tobytes()))


def spans(attributes: array[int], tokens: int, bits: int, weights: Sequence[float] | None) -> array[int]:
    """As `python_scoring.spans`."""
    if native.load(native.TREE_MODEL) is None:
        return python_scoring.spans(attributes, tokens, bits, weights)
    from numbat.parsing.tree_model import _tree_model

    return array("I", _tree_model.spans(tokens, attributes.tobytes(), _SPANS, bits, weights))


def _packed(task: Task) -> tuple[object, ...]:
    """A task as the compiled search takes it."""
    return (
        tuple([column.tobytes() for column in task.forest]),
        task.tokens,
        task.attributes.tobytes(),
        None if task.marks is None else task.marks.tobytes(),
        task.keys.packed,
        _SPANS,
        _STEPS,
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
