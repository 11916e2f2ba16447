"""Auxiliary predictions, as marks of spans: what a flat classifier and the likelihood take for a phrase.

The classifier looks at each span alone (Taskar et al. 2004, section 6): its weights say of what templates find around
the span whether it is a phrase.
"""

from __future__ import annotations

from array import array
from typing import Final

from numbat.parsing.tree_model.records import Task
from numbat.parsing.tree_model.scoring import best, spans
from numbat.parsing.tree_model.templates import HashedGroup
from numbat.parsing.treebank_grammar.forest import WHOLE

BITS: Final = 18
"""The table of the classifier has 2 to the power of so many weights."""
BY_CLASSIFIER, BY_LIKELIHOOD = 1, 2


def marks_of(task: Task, brackets: array[float]) -> array[int]:
    """By span, start by start: which of the two take it for a phrase."""
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
