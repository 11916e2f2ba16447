"""The smallest changes of a sentence that better its score: all single edits, then a beam of two.

A word is deleted, moved, or swapped with its neighbour; a category of the grammar is inserted, with a word of the
lexicon as an example; a form is changed to one of the same category with other features. Every sentence that one edit
makes is parsed, so the best single edit is exact; of two edits, the second is tried on the best `beam` results of one.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Final

from numbat.gradience.models import Scorer
from numbat.grammar.features import Bundle, bundles, format_bundle
from numbat.lattice import Arc, Lattice
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse

BEAM: Final = 5
MOST_FORMS: Final = 30
"""Feature bundles of a category that are tried as changed forms of a word without a lemma."""
MOST_INSERTED: Final = 8
"""Feature bundles of a category that are tried as insertions."""


SWAP: Final = 1
"""The rank of swaps."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A token with its readings."""

    form: str
    arcs: tuple[Arc, ...]


Slots = tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change in words, and the sentence that it makes; of equal gain, that with the least `rank` comes first.

    Of edits with the same `key`, such as all other forms of one word, only the best is given.
    """

    says: str
    slots: Slots
    rank: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """One or two edits, the parse of what they make, and what the score gains: in all, and for each edit."""

    edits: tuple[Edit, ...]
    parse: Parse
    gain: float

    @property
    def gain_per_edit(self) -> float:
        return self.gain / len(self.edits)

    @property
    def sentence(self) -> str:
        return " ".join(slot.form for slot in self.edits[-1].slots)


def repairs(parse: Parse, parser: Parser, score: Scorer, edits: int = 1, beam: int = BEAM) -> list[Repair]:
    """What betters the score of a parse, the greatest gain per edit first; nothing where no edit does.

    Multiword forms of the lexicon are taken word by word.
    """
    if not parse.constituents:
        return []
    own = score(parse).value
    inventory = _Inventory(parser)
    base = _slots(parse.lattice)
    tried: dict[tuple[str, ...], Repair] = {}
    ones = [_repair((edit,), parser, score, own) for edit in _edits(base, inventory)]
    _keep(ones, tried)
    if edits > 1:
        for one in sorted(tried.values(), key=_order)[:beam]:
            twos = (_repair((*one.edits, edit), parser, score, own) for edit in _edits(one.edits[-1].slots, inventory))
            # A second edit has to add something to the first.
            _keep([two for two in twos if two is not None and two.gain > one.gain], tried)
    return sorted(tried.values(), key=_order)


def single_edits(lattice: Lattice, parser: Parser, places: Container[int]) -> list[Edit]:
    """All edits that change the sentence at one of these token positions first; swaps, which keep the words, first."""
    base = _slots(lattice)
    found = [edit for edit in _edits(base, _Inventory(parser)) if _first_difference(base, edit.slots) in places]
    return sorted(found, key=lambda edit: (edit.rank != SWAP, edit.rank, edit.says))


def _first_difference(one: Slots, other: Slots) -> int:
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _keep(found: list[Repair | None] | list[Repair], tried: dict[tuple[str, ...], Repair]) -> None:
    for repair in found:
        if repair is not None and repair.gain > 1e-9:
            keys = tuple(sorted(edit.key or edit.says for edit in repair.edits))
            known = tried.get(keys)
            if known is None or _order(repair) < _order(known):
                tried[keys] = repair


def _order(repair: Repair) -> tuple[object, ...]:
    ranks = [edit.rank for edit in repair.edits]
    says = [edit.says for edit in repair.edits]
    return round(-repair.gain_per_edit, 9), round(-repair.gain, 9), sum(ranks), ranks, says


def _repair(edits: tuple[Edit, ...], parser: Parser, score: Scorer, own: float) -> Repair | None:
    slots = edits[-1].slots
    if not slots:
        return None
    parse = parser.parse(_lattice(slots))
    return Repair(edits, parse, score(parse).value - own)


def _slots(lattice: Lattice) -> Slots:
    return tuple(
        Slot(token, tuple(replace(a, start=0, end=1) for a in lattice.arcs if (a.start, a.end) == (i, i + 1)))
        for i, token in enumerate(lattice.tokens)
    )


def _lattice(slots: Slots) -> Lattice:
    arcs = tuple(replace(arc, start=i, end=i + 1) for i, slot in enumerate(slots) for arc in slot.arcs)
    return Lattice(tuple(slot.form for slot in slots), arcs)


def _edits(slots: Slots, inventory: _Inventory) -> Iterator[Edit]:
    yield from _deletions(slots)
    yield from _swaps(slots)
    yield from _moves(slots)
    yield from _changes(slots, inventory)
    yield from _insertions(slots, inventory)


def _deletions(slots: Slots) -> Iterator[Edit]:
    if len(slots) > 1:
        for i, slot in enumerate(slots):
            yield Edit(f'delete "{slot.form}"', slots[:i] + slots[i + 1 :], rank=2)


def _swaps(slots: Slots) -> Iterator[Edit]:
    for i in range(len(slots) - 1):
        one, other = slots[i : i + 2]
        yield Edit(f'swap "{one.form}" and "{other.form}"', (*slots[:i], other, one, *slots[i + 2 :]), rank=SWAP)


def _moves(slots: Slots) -> Iterator[Edit]:
    """A word to another place, but for its neighbours', which are swaps."""
    for i, slot in enumerate(slots):
        rest = slots[:i] + slots[i + 1 :]
        for j in range(len(slots)):
            if abs(i - j) > 1:
                where = f'before "{rest[j].form}"' if j < len(rest) else "to the end"
                yield Edit(f'move "{slot.form}" {where}', (*rest[:j], slot, *rest[j:]), rank=3)


def _changes(slots: Slots, inventory: _Inventory) -> Iterator[Edit]:
    for i, slot in enumerate(slots):
        for form, arc in inventory.other_forms(slot):
            shown = format_bundle(arc.features) or "no features"
            says = f'change "{slot.form}" to "{form}" ({arc.category} {shown})'
            # A form that begins alike is taken for one of the same word.
            rank = 0 if 2 * shared_beginning(slot.form, form) >= len(form) else 5
            yield Edit(says, (*slots[:i], Slot(form, (arc,)), *slots[i + 1 :]), rank, f"change {i}")


def _insertions(slots: Slots, inventory: _Inventory) -> Iterator[Edit]:
    for new in inventory.insertable:
        for i in range(len(slots) + 1):
            where = f'before "{slots[i].form}"' if i < len(slots) else "at the end"
            (arc,) = new.arcs
            yield Edit(
                f'insert {arc.category} "{new.form}" {where}',
                (*slots[:i], new, *slots[i:]),
                4,
                f"insert {arc.category}",
            )


class _Inventory:
    """The lexicon by category and features: what may be inserted, and the forms that are alike but for features."""

    def __init__(self, parser: Parser) -> None:
        self._words = parser.words
        self._forms: dict[str, dict[Bundle, list[str]]] = {}
        self._paradigms: dict[tuple[str, str], dict[str, tuple[Bundle, ...]]] = {}
        for form, readings in parser.words.readings.items():
            if " " in form:
                continue
            for reading in readings:
                found = tuple(bundles(reading.features))
                for bundle in found:
                    self._forms.setdefault(reading.category, {}).setdefault(bundle, []).append(form)
                if reading.lemma:
                    self._paradigms.setdefault((reading.category, reading.lemma), {})[form] = found

    @property
    def insertable(self) -> list[Slot]:
        """One word for each category and each of its commonest feature bundles, the first of the file."""
        found = []
        for category, by_bundle in self._forms.items():
            commonest = sorted(by_bundle.items(), key=lambda pair: -len(pair[1]))[:MOST_INSERTED]
            found += [Slot(forms[0], (Arc(0, 1, forms[0], category, bundle),)) for bundle, forms in commonest]
        return found

    def other_forms(self, slot: Slot) -> Iterator[tuple[str, Arc]]:
        """The other forms of a word, by its lemma; where the lexicon does not know that, those that look most like it.

        The latter are one for each of the feature bundles of the category that differ least from the word's.
        """
        own = {(arc.category, arc.features) for arc in slot.arcs}
        lemmas = {reading.category: reading.lemma for reading in self._words.known(slot.form) if reading.lemma}
        for category in dict.fromkeys(arc.category for arc in slot.arcs):
            if category in lemmas:
                paradigm = self._paradigms.get((category, lemmas[category]), {})
                found = [(form, bundle) for form, every in paradigm.items() for bundle in every]
            else:
                found = [(alike(slot.form, forms), bundle) for bundle, forms in self._nearest(category, own)]
            for form, bundle in found:
                if (category, bundle) not in own:
                    yield form, Arc(0, 1, form, category, bundle)

    def _nearest(self, category: str, own: set[tuple[str, Bundle]]) -> list[tuple[Bundle, list[str]]]:
        """The feature bundles of a category that differ in the fewest features from one of a word's."""
        mine = [set(bundle) for name, bundle in own if name == category]

        def distance(pair: tuple[Bundle, list[str]]) -> int:
            return min(len(bundle ^ set(pair[0])) for bundle in mine)

        return sorted(self._forms.get(category, {}).items(), key=distance)[:MOST_FORMS]


def alike(form: str, forms: list[str]) -> str:
    """The form that shares the longest beginning, then is nearest in length, then comes first in the lexicon."""
    return min(forms, key=lambda other: (-shared_beginning(form, other), abs(len(other) - len(form))))


def shared_beginning(one: str, other: str) -> int:
    """With how many of the same letters two forms begin."""
    letters = zip(one.lower(), other.lower(), strict=False)
    return next((i for i, (a, b) in enumerate(letters) if a != b), min(len(one), len(other)))
