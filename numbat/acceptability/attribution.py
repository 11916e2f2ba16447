"""Attribution of changed judgements to edits of a grammar: the newer grammar is tried without one or several edits.

An edit is one property added, removed or reweighted, or a change in one other part of the grammar. It explains a
changed judgement if the newer grammar without this edit judges the sentence as the older one does. Where no single edit
explains a change, sets of edits are tried, the smallest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, replace
from itertools import combinations
from typing import Any, Final

from numbat.acceptability.comparison import ScoreChange
from numbat.errors import NumbatError
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import Property, format_named, format_number
from numbat.parsing.explanation.violations import on_one_line
from numbat.records import frozen

LARGEST_SET: Final = 3
"""Largest number of edits in a set that is tried; all edits together are tried, too."""
MOST_TRIED: Final = 2_000
"""Maximum number of sets tried for a sentence."""
OF_GRAMMAR: Final = tuple(
    field.name for field in fields(Grammar) if field.compare and field.name not in ("constructions", "name", "version")
)
OF_CONSTRUCTION: Final = ("title", "head", "inherit", "feature_rules", "constituency")


@frozen
class GrammarEdit:
    """A difference between two grammars: its text, and what is needed to undo it in the newer grammar.

    `construction` is empty for a part of the grammar as a whole; `field` is the changed part, empty for a property.
    """

    text: str
    construction: str
    field: str = ""
    before: Property | None = None
    after: Property | None = None

    def __str__(self) -> str:
        return self.text


@frozen
class Attribution:
    """The smallest sets of edits that explain why an item is judged differently; empty if none was found."""

    change: ScoreChange
    sets: tuple[tuple[GrammarEdit, ...], ...]


def edits_between(old: Grammar, new: Grammar) -> tuple[GrammarEdit, ...]:
    """Return the edits from an older grammar to a newer one: by construction, then those of the grammar as a whole."""
    edits: list[GrammarEdit] = []
    before, after = _by_name(old), _by_name(new)
    for name in dict.fromkeys((*before, *after)):
        edits += _of_properties(before.get(name), after.get(name))
        mine, theirs = before.get(name), after.get(name)
        if mine is not None and theirs is not None:
            for part in OF_CONSTRUCTION:
                if getattr(mine, part) != getattr(theirs, part):
                    edits.append(GrammarEdit(f"{name}: {part.replace('_', ' ')}", name, part))
    for part in OF_GRAMMAR:
        if getattr(old, part) != getattr(new, part):
            edits.append(GrammarEdit(part.removesuffix("_units").replace("_", " "), "", part))
    return tuple(edits)


def _by_name(grammar: Grammar) -> dict[str, Construction]:
    return {construction.name: construction for construction in grammar.constructions}


def _of_properties(old: Construction | None, new: Construction | None) -> Iterator[GrammarEdit]:
    before = {_key(prop): prop for prop in old.properties} if old else {}
    after = {_key(prop): prop for prop in new.properties} if new else {}
    for key, prop in before.items():
        if key not in after:
            yield GrammarEdit(f"- {format_named(prop)}", prop.construction, "", prop, None)
    for key, prop in after.items():
        other = before.get(key)
        if other is None:
            yield GrammarEdit(f"+ {format_named(prop)}", prop.construction, "", None, prop)
        elif (other.weight_units, other.cost_units, other.hard) != (prop.weight_units, prop.cost_units, prop.hard):
            yield GrammarEdit(
                f"~ {format_named(prop)}  ({_counts(prop)}, was {_counts(other)})", prop.construction, "", other, prop
            )


def _key(prop: Property) -> tuple[object, ...]:
    return prop.construction, prop.relation, prop.operands, prop.features


def _counts(prop: Property) -> str:
    hard = " hard" if prop.hard else ""
    return f"weight {format_number(prop.weight_units)} cost {format_number(prop.cost_units)}{hard}"


def without(edits: Collection[GrammarEdit], old: Grammar, new: Grammar) -> Grammar:
    """Return the newer grammar with some edits undone."""
    changed: dict[str, Any] = {edit.field: getattr(old, edit.field) for edit in edits if not edit.construction}
    before, made = _by_name(old), _by_name(new)
    for edit in edits:
        if not edit.construction:
            continue
        construction = made.get(edit.construction) or replace(before[edit.construction], properties=())
        if edit.field:
            construction = replace(construction, **{edit.field: getattr(before[edit.construction], edit.field)})
        elif edit.after is None and edit.before is not None:
            construction = replace(construction, properties=(*construction.properties, edit.before))
        else:
            others = (edit.before if _key(prop) == _key_of(edit) else prop for prop in construction.properties)
            construction = replace(construction, properties=tuple(prop for prop in others if prop is not None))
        made[edit.construction] = construction
    kept = (form for form in made.values() if form.properties or form.name in before)
    return replace(new, constructions=tuple(kept), **changed)


def _key_of(edit: GrammarEdit) -> tuple[object, ...]:
    prop = edit.after or edit.before
    assert prop is not None
    return _key(prop)


Judge = Callable[[ScoreChange], object]
"""A function that judges the item of a change by one grammar; its results are compared for equality."""


def attributions(
    changes: Sequence[ScoreChange],
    old: Grammar,
    new: Grammar,
    judge_by: Callable[[Grammar], Judge],
    advance: Callable[[], object] = tuple,
) -> Iterator[Attribution]:
    """Yield for each change the smallest sets of edits that explain it.

    `judge_by` returns the judge for a grammar; `advance` is called after each single edit. Sets are first made of the
    edits that affect the sentence when undone alone; if no such set explains the change, of all edits.
    """
    edits = edits_between(old, new)
    aims, now = ([judge(change) for change in changes] for judge in (judge_by(old), judge_by(new)))
    alone: list[list[object]] = []
    for edit in edits:
        judge = _judge((edit,), old, new, judge_by)
        alone.append([judge(change) for change in changes])
        advance()
    for at, change in enumerate(changes):
        sets = [(edit,) for edit, judgements in zip(edits, alone, strict=True) if judgements[at] == aims[at]]
        if not sets:
            matter = [edit for edit, judgements in zip(edits, alone, strict=True) if judgements[at] != now[at]]

            def explains(chosen: tuple[GrammarEdit, ...], change: ScoreChange = change, aim: object = aims[at]) -> bool:
                return _judge(chosen, old, new, judge_by)(change) == aim

            yield Attribution(change, tuple(_of_several(matter, edits, explains)))
        else:
            yield Attribution(change, tuple(sets))


def _of_several(
    matter: Sequence[GrammarEdit], edits: Sequence[GrammarEdit], explains: Callable[[tuple[GrammarEdit, ...]], bool]
) -> list[tuple[GrammarEdit, ...]]:
    """Return the smallest sets that explain a change, made of edits that `matter` or, failing that, of any."""
    tried = 0
    for pool in (matter, edits):
        for size in range(2, LARGEST_SET + 1):
            explaining: list[tuple[GrammarEdit, ...]] = []
            for chosen in combinations(pool, size):
                tried += 1
                if tried > MOST_TRIED:
                    return explaining
                if explains(chosen):
                    explaining.append(chosen)
            if explaining:
                return explaining
    return [tuple(edits)] if len(edits) > LARGEST_SET and explains(tuple(edits)) else []


def _judge(edits: tuple[GrammarEdit, ...], old: Grammar, new: Grammar, judge_by: Callable[[Grammar], Judge]) -> Judge:
    """Return the judge for the newer grammar with some edits undone; it returns None if that grammar is not valid."""
    try:
        judge = judge_by(without(edits, old, new))
    except (NumbatError, KeyError):
        return lambda change: None

    def careful(change: ScoreChange) -> object:
        try:
            return judge(change)
        except NumbatError:
            return None

    return careful


def attribution_lines(attributions: Sequence[Attribution]) -> Iterator[str]:
    """Yield lines: each edit that explains changes alone, with their number, then the edits that explain each item."""
    alone = Counter(str(edits[0]) for attribution in attributions for edits in attribution.sets if len(edits) == 1)
    yield ""
    yield "edits that explain a change alone: without them the sentence is judged as before"
    yield from (f"  {number:,}  {text}" for text, number in sorted(alone.items(), key=lambda pair: (-pair[1], pair[0])))
    if not alone:
        yield "  none"
    for attribution in attributions:
        yield f"{attribution.change.item.id}: {on_one_line(attribution.change.item.sentence)}"
        for edits in attribution.sets:
            yield f"    {' and '.join(map(str, edits))}"
        if not attribution.sets:
            yield "    none of the sets of edits tried explains it"
