"""Phrases with all their properties ticked: what phrases of the same make have in common is worked out once."""

from __future__ import annotations

from collections.abc import Hashable

from numbat.grammar.model import Construction
from numbat.parsing.chart import Assignment, Constituent
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.phases import Mold, cast, mold


def characterized(form: Construction, daughters: Assignment, evaluator: Evaluator) -> Constituent:
    """The constituent of a construction over daughters, all its properties ticked."""
    return cast(form.name, daughters, _molded(form, daughters, evaluator))


def _molded(form: Construction, daughters: Assignment, evaluator: Evaluator) -> Mold:
    """What all such constituents have in common, made by the one evaluator."""
    return mold(evaluator.table, form, daughters, evaluator.characterize(form.name, daughters))


class Molds:
    """The molds of the phrases that were built so far, by signatures.

    A signature names a construction and the categories and features of its daughters, all that a characterization
    depends on; how, is up to who builds the phrases.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[Hashable, Mold] = {}

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        self._known.clear()

    def characterized(self, signature: Hashable, form: Construction, daughters: Assignment) -> Constituent:
        """`characterized`, remembered by signature."""
        known = self._known.get(signature)
        if known is None:
            known = self._known[signature] = _molded(form, daughters, self._evaluator)
        return cast(form.name, daughters, known)
