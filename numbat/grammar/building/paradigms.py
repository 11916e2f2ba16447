"""Inflection by the paradigms of a lexicon file: each row makes a form of a lemma, as in spelling dictionaries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

from numbat.errors import Problem, close_match
from numbat.grammar.notation.statements import DemandSyntax, EntryStatement, OperandSyntax, PlacedText, ReadingSyntax
from numbat.records import frozen

ENDING: Final = re.compile(r"(?:-(?P<off>[^+\s]+))?\+(?P<on>\S*)")
NONE: Final = "-"
"""The mark of a slot for which a lemma has no form: `pl=-`."""

Demands = tuple[DemandSyntax, ...]


@frozen
class ParadigmRow:
    """A rule for one form: `-y+ies` takes `off` from the end of a lemma that fits `condition` and puts `on` there."""

    slot: str
    category: PlacedText
    demands: Demands
    off: str
    on: str
    condition: str

    def form(self, lemma: str) -> str | None:
        """The form of a lemma, None where the row does not fit it."""
        if not lemma.endswith(self.off) or not fnmatchcase(lemma, self.condition):
            return None
        return lemma.removesuffix(self.off) + self.on


@frozen
class Lemma:
    """A lemma of a lexicon file; `irregular` are the forms that it does not get from its paradigm, by slot."""

    form: PlacedText
    paradigm: PlacedText
    demands: Demands = ()
    weight: PlacedText | None = None
    irregular: tuple[tuple[PlacedText, tuple[str, ...]], ...] = ()


def inflect(lemma: Lemma, paradigms: Mapping[str, Sequence[ParadigmRow]]) -> Iterator[EntryStatement | Problem]:
    """An entry for each form of a lemma; a problem for a slot without a row that fits or one that is not there."""
    rows = paradigms.get(lemma.paradigm)
    if rows is None:
        hint = close_match(lemma.paradigm, paradigms) or f"the paradigms are: {', '.join(paradigms) or 'none'}"
        yield Problem(f'"{lemma.paradigm}" is not a paradigm of this file', lemma.paradigm.span, hint=hint)
        return
    slots = dict.fromkeys(row.slot for row in rows)
    irregular: dict[str, tuple[str, ...]] = {}
    for word, forms in lemma.irregular:
        if word not in slots:
            hint = close_match(word, slots) or f"its slots are: {', '.join(slots)}"
            yield Problem(f'"{word}" is not a slot of the paradigm {lemma.paradigm}', word.span, hint=hint)
        irregular[word] = forms
    for slot in slots:
        regular = next(((row, form) for row in rows if row.slot == slot and (form := row.form(lemma.form))), None)
        if slot in irregular:
            row = regular[0] if regular else next(row for row in rows if row.slot == slot)
            forms = irregular[slot]
        elif regular:
            row, forms = regular[0], (regular[1],)
        else:
            hint = f"add a row, or write the form as {slot}=..., or {slot}={NONE} where there is none"
            yield Problem(f'no row of {lemma.paradigm} gives the {slot} of "{lemma.form}"', lemma.form.span, hint=hint)
            continue
        operand = OperandSyntax(row.category, _together(row.demands, lemma.demands))
        for form in forms:
            reading = ReadingSyntax(operand, lemma.weight, lemma.form)
            yield EntryStatement(PlacedText(form, lemma.form.span), (reading,))


def _together(row: Demands, lemma: Demands) -> Demands:
    """The demands of a row and of a lemma, which wins where both name a feature."""
    named = {demand.feature for demand in lemma if demand.feature is not None}
    return (*(demand for demand in row if demand.feature not in named), *lemma)
