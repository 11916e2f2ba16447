"""Small edits of a sentence: words and phrases of its parse changed, swapped, moved, inserted or deleted.

Edits are grouped into choices, such as the other forms of one word or all words of one category, and only the best edit
of a choice is wanted. The words of a choice, or of all choices at one position, can be tried in a single parse as
readings of one token: if even the best of these words is not good enough, none is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from numbat.acceptability.remedies import Remedies, Span
from numbat.evaluation.constituents import Constituent
from numbat.grammar.marks import without_marks
from numbat.grammar.properties import UNIT
from numbat.parsing.result import Parse
from numbat.records import cached_property, frozen
from numbat.words.example_words import ExampleWords, difference, shared_beginning
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import Words, arcs_of, similar_forms

KINDS: Final = ("undouble", "change", "swap", "move", "insert", "delete", "replace", "rearrange")
"""Kinds of edits. "undouble" deletes a repeated word; "rearrange" moves a phrase past others
where both have more than `MAX_MOVED` words."""
MAX_MOVED: Final = 2
NEW_WORDS: Final = ("change", "insert", "replace")
"""The kinds of edits that put a new word into the sentence."""


@frozen
class Slot:
    """A token with its readings; their log weights are relative to the likeliest, which has 0."""

    form: str
    arcs: tuple[Arc, ...]


Slots = tuple[Slot, ...]
Rank = tuple[int, ...]
"""The order of edits with equal gain; the lowest comes first."""


@frozen
class Edit:
    """One change, described by `says`, and the resulting sentence; of edits with equal gain, the lowest `rank` wins.

    `briefly` describes a changed word as `"sleeps" for "sleep"`.

    The rank consists of 0 if it may satisfy a violated property, else 1, its size in tenths of nats, and its position.
    """

    kind: str
    says: str
    slots: Slots
    rank: Rank
    briefly: str = ""

    @property
    def price(self) -> int:
        """The price of the edit, in the units of costs."""
        return PRICE * self.rank[1]


@dataclass(frozen=True)
class EditChoice:
    """Edits that differ only in the token at position `place`, ordered by rank; only the best of them is wanted."""

    key: str
    edits: tuple[Edit, ...]
    place: int = 0

    @property
    def kind(self) -> str:
        return self.edits[0].kind

    @property
    def rank(self) -> Rank:
        """The lowest rank of its edits."""
        return self.edits[0].rank

    @property
    def arcs(self) -> tuple[Arc, ...]:
        """The readings of all tokens that the edits put at `place`."""
        return tuple(dict.fromkeys(arc for edit in self.edits for arc in edit.slots[self.place].arcs))

    @cached_property
    def slots(self) -> Slots:
        """Return the sentence whose token at `place` has the readings of all edits."""
        return self.edits[0].slots if len(self.edits) == 1 else with_arcs(self, self.arcs)


def with_arcs(choice: EditChoice, arcs: tuple[Arc, ...]) -> Slots:
    """Return the sentence of a choice of edits, with these readings for the token at the choice's `place`."""
    slots = choice.edits[0].slots
    return (*slots[: choice.place], Slot("", arcs), *slots[choice.place + 1 :])


def slots_of(lattice: Lattice, words: Words) -> Slots:
    """Return the tokens of a lattice with their readings, without marks and readings that span several tokens."""
    lattice = words.marks.left_out(lattice)
    return tuple(
        slot_of(token, [arc._replace(start=0, end=1) for arc in lattice.arcs if (arc.start, arc.end) == (i, i + 1)])
        for i, token in enumerate(lattice.tokens)
    )


def slot_of(form: str, arcs: Sequence[Arc]) -> Slot:
    """Return a token with these readings, their log weights relative to the likeliest."""
    best = max(arc.log_weight for arc in arcs)
    return Slot(form, tuple(arc._replace(log_weight=arc.log_weight - best) for arc in arcs))


@dataclass(frozen=True)
class EditableParse:
    """The part of a parse that edits need: its tokens, its blocks (words and phrases) and its violated phrases.

    Several top-level constituents count as parts of one violated phrase.
    """

    parse: Parse
    slots: Slots
    aim: Remedies | None = None

    @cached_property
    def blocks(self) -> dict[tuple[int, int], Constituent | None]:
        """The mother of each word or phrase, by the span of that word or phrase; None at the top."""
        parents: dict[tuple[int, int], Constituent | None] = {}
        waiting: list[tuple[Constituent, Constituent | None]] = [(top, None) for top in self.parse.constituents[::-1]]
        while waiting:
            constituent, parent = waiting.pop()
            if constituent.cover.bit_count() == constituent.end - constituent.start:
                parents.setdefault((constituent.start, constituent.end), parent)
            above = parent if len(constituent.daughters) == 1 else constituent
            waiting += ((daughter, above) for daughter in reversed(constituent.daughters))
        for i in range(len(self.slots)):
            parents.setdefault((i, i + 1), None)
        return parents

    @cached_property
    def violated(self) -> list[Constituent]:
        """The phrases that violate something."""
        return list({id(evaluated.constituent): evaluated.constituent for evaluated in self.parse.violated}.values())

    @cached_property
    def named(self) -> list[str]:
        """The categories that violated properties name; a required category precedes the one that requires it."""
        categories: dict[str, None] = dict.fromkeys(self.aim.named if self.aim else ())
        for evaluated in self.parse.violated:
            for parameter in (*evaluated.property.operands[1:], *evaluated.property.operands[:1]):
                categories |= dict.fromkeys(operand.category for joint in parameter for operand in joint)
        return list(categories)

    @cached_property
    def features(self) -> set[str]:
        """The features that violated properties mention."""
        names: set[str] = set()
        for evaluated in self.parse.violated:
            demanded = (name for operand in evaluated.property.all_operands() for name, _ in operand.features)
            names.update(evaluated.property.features or demanded)
        return names

    @cached_property
    def used(self) -> dict[int, Constituent]:
        """The word of the parse at each token position, unless it spans several tokens."""
        words = (word for top in self.parse.constituents for word in top.words() if word.end == word.start + 1)
        if not self.parse.grammar.marks:
            return {word.start: word for word in words}
        return {word.start: word._replace(features=without_marks(word.features)) for word in words}

    def may_change(self, place: int) -> bool:
        """True if the word at a position may be changed or deleted."""
        return self.aim is None or place in self.aim.words

    def may_move(self, span: Span) -> bool:
        """True if a block may be moved."""
        return self.aim is None or span in self.aim.blocks

    def category(self, place: int) -> str:
        """Return the category of the word at a position."""
        used = self.used.get(place)
        return used.construction if used else self.slots[place].arcs[0].category

    def rank(self, size: float, order: int, place: int) -> Rank:
        """Return the rank of an edit of this size."""
        return int(self.aim is None), round(10 * size), order, place

    def rank_at(self, place: int, size: float, order: int = 0) -> Rank:
        """Return the rank of an edit of the word at a position."""
        late = min(self.aim.words.get(place, 0), FAR) if self.aim else self.distance(place, place + 1)
        return self.rank(size + LATER * late, order, place)

    def rank_before(self, place: int, size: float, order: int) -> Rank:
        """Return the rank of an insertion before a position."""
        late = min(self.aim.gaps.get(place, 0), FAR) if self.aim else self.distance(place, place)
        return self.rank(size + LATER * late, order, place)

    def is_part(self, parent: Constituent | None) -> bool:
        """True if a block whose next higher phrase is `parent` is a part of a violated phrase."""
        if parent is None:
            return len(self.parse.constituents) > 1
        return any(parent is constituent for constituent in self.violated)

    def is_inside(self, start: int, end: int) -> bool:
        """True if a span is within a violated phrase."""
        return any(constituent.start <= start and end <= constituent.end for constituent in self.violated)

    def distance(self, start: int, end: int) -> int:
        """Return the distance of a span from what is violated: 0 within a violated phrase, else 1."""
        return 0 if self.is_inside(start, end) else 1


# Enumeration of all single edits of a sentence.

MAX_FORMS: Final = 30
"""If a word has no lemma: maximum number of feature bundles of its category from which other words are tried."""
MAX_INSERTED: Final = 12
"""Maximum number of feature bundles of a category that a violated property names, tried as insertions."""
MAX_UNNAMED: Final = 5
"""The same for other categories."""

# Sizes of edits, in nats. A word that is inserted or deleted is the larger the rarer it is, and the more words its
# category has. A form that is changed to another form of its word counts by the rarity of that form and the features
# that change.

PRICE: Final = UNIT // 100
"""Price of a tenth of a nat, in the units of costs: a nat has the price 0.1."""
OPEN: Final = 2.0
"""Factor of the logarithm of the number of words of a category."""
PART: Final = 0.25
"""Size of a feature that only one of two forms has."""
LOST: Final = 0.5
"""The same, if a word loses it."""
ESCAPE: Final = 1.0
"""The same in addition, if violated properties mention it: the word escapes them and does not satisfy them."""
SLIP: Final = 10.0
"""Size of a word that is spelt like another one but for a letter."""
SPELT: Final = range(1, 31)
"""The lengths of words for which words that are spelt alike are tried."""
CATEGORY: Final = 5.0
"""Size of a change of category."""
INSERT: Final = 5.0
DELETE: Final = 2.0
"""Size of any insertion or deletion."""
OTHER: Final = 20.0
"""Size of another word, times the share of letters that are different."""
SWAP: Final = 6.0
MOVE: Final = 10.0
TURN: Final = 5.0
"""Size of each further pair of words that a swap or move turns round."""
NEAR: Final = 2.0
"""Size of a swap or move whose parts are no parts of the violated phrase."""
NAME: Final = 5.0
"""Size of a name that is inserted, in addition."""
FAR: Final = 3
"""Size of an insertion of a word of a category that no violated property names."""
LATER: Final = 5.0
"""Size of an edit for each violation that costs more or comes before it, up to `FAR`; without an aim, of one outside
all violated phrases."""


def choices(kinds: Sequence[str], parse: EditableParse, examples: ExampleWords, words: Words) -> list[EditChoice]:
    """Return the choices of edits of some kinds, the smallest first.

    If the parse has an `aim`, these are only the edits that may satisfy a violated property.
    """
    makers = (make for made, make in MAKERS.items() if not set(made).isdisjoint(kinds))
    made = (choice for make in makers for choice in make(parse, examples, words) if choice.kind in kinds)
    return sorted(made, key=lambda choice: choice.rank)


def _swaps(parse: EditableParse, examples: ExampleWords, words: Words) -> Iterator[EditChoice]:
    """Yield swaps of neighbouring words, and of neighbouring parts of a phrase."""
    slots = parse.slots
    for (start, middle), parent in parse.blocks.items():
        for (behind, end), other in parse.blocks.items():
            if behind != middle or not (parent is other or end - start == 2):
                continue
            if not (parse.may_move((start, middle)) or parse.may_move((middle, end))):
                continue
            swapped = (*slots[:start], *slots[middle:end], *slots[start:middle], *slots[end:])
            says = f"swap {_quoted(slots[start:middle])} and {_quoted(slots[middle:end])}"
            near = 0 if parent is other and parse.is_part(parent) else 1 + parse.distance(start, end)
            rank = parse.rank(SWAP + TURN * ((middle - start) * (end - middle) - 1) + NEAR * near, 0, start)
            yield EditChoice(says, (Edit("swap", says, swapped, rank),))


def _moves(parse: EditableParse, examples: ExampleWords, words: Words) -> Iterator[EditChoice]:
    """Yield moves of a word or a phrase to another position, except swaps of neighbouring words.

    The size of a move grows with the number of pairs of words whose order it reverses.
    """
    slots = parse.slots
    for (start, end), parent in parse.blocks.items():
        if not parse.may_move((start, end)):
            continue
        block, rest = slots[start:end], slots[:start] + slots[end:]
        for to in range(len(rest) + 1):
            if to == start or (end - start == 1 and abs(to - start) == 1):
                continue
            if parse.aim and (to if to < start else to + end - start) not in parse.aim.borders:
                continue
            where = f"before {_quoted(rest[to : to + 1])}" if to < len(rest) else "to the end"
            near = 0 if parse.is_part(parent) else 1 + parse.distance(start, end)
            kind = "move" if min(end - start, abs(to - start)) <= MAX_MOVED else "rearrange"
            rank = parse.rank(MOVE + TURN * ((end - start) * abs(to - start) - 1) + NEAR * near, 0, start)
            says = f"move {_quoted(block)} {where}"
            yield EditChoice(f"{kind} {start} {end}", (Edit(kind, says, (*rest[:to], *block, *rest[to:]), rank),))


def _deletions(parse: EditableParse, examples: ExampleWords, words: Words) -> Iterator[EditChoice]:
    slots = parse.slots
    for i, slot in enumerate(slots):
        if len(slots) == 1 or not parse.may_change(i):
            continue
        says = f"delete {_quoted((slot,))}"
        doubled = i > 0 and slots[i - 1].form.lower() == slot.form.lower()
        lost = 0.0 if doubled else DELETE + examples.surprise(slot.form) + OPEN * examples.openness(parse.category(i))
        made = Edit("undouble" if doubled else "delete", says, slots[:i] + slots[i + 1 :], parse.rank_at(i, lost))
        yield EditChoice(f"delete {i}", (made,))


def _changes(parse: EditableParse, examples: ExampleWords, words: Words) -> Iterator[EditChoice]:
    for i, slot in enumerate(parse.slots):
        if not parse.may_change(i):
            continue
        by_kind: dict[str, list[Edit]] = {}
        categories = {arc.category for arc in slot.arcs}
        lemmas = {reading.lemma for reading in words.known(slot.form) if reading.lemma}
        similar = dict.fromkeys(similar_forms(slot.form.lower(), words.grammar.lexicon, SPELT))
        others = _other_forms(slot, i, parse, examples, words)
        for order, form in enumerate(dict.fromkeys((*others, *similar))):
            whole, allowed = _known(form, words), categories | _categories_of(form, lemmas, words)
            new = Slot(form, tuple(arc for arc in whole.arcs if arc.category in allowed or form in similar))
            if set(map(_content, new.arcs)) == set(map(_content, slot.arcs)):
                continue
            size = examples.surprise(form) + _apart(new, slot, parse, i)
            others_lemmas = {reading.lemma for reading in words.known(form) if reading.lemma}
            is_form = not lemmas.isdisjoint(others_lemmas) if lemmas or others_lemmas else _alike(slot.form, form)
            if form in similar and not is_form:
                size += SLIP
            elif not is_form:
                unlike = 1 - SequenceMatcher(None, slot.form.lower(), form.lower()).ratio()
                size += OTHER * unlike + OPEN * examples.openness(parse.category(i))
            kind = "change" if is_form or _alike(slot.form, form) else "replace"
            says = f"{kind} {_quoted((slot,))} {'by' if kind == 'replace' else 'to'} {_quoted((new,))}"
            slots, rank = (*parse.slots[:i], new, *parse.slots[i + 1 :]), parse.rank_at(i, size, order)
            briefly = f"{_quoted((new,))} for {_quoted((slot,))}"
            by_kind.setdefault(kind, []).append(Edit(kind, says, slots, rank, briefly))
        for kind, edits in by_kind.items():
            yield EditChoice(f"{kind} {i}", tuple(sorted(edits, key=lambda edit: edit.rank)), i)


def _other_forms(slot: Slot, place: int, parse: EditableParse, examples: ExampleWords, words: Words) -> list[str]:
    """Return the other forms of a word's lemmas, of any category; without a lemma, other words of its category.

    A form may have several lemmas of a category, as "lay" has "lay" and "lie"; the most similar lemma comes first.
    """
    lemmas: dict[str, dict[str, None]] = {}
    for reading in words.known(slot.form):
        if reading.lemma:
            lemmas.setdefault(reading.category, {})[reading.lemma] = None
    used = parse.used.get(place)
    forms: list[str] = []
    for category in dict.fromkeys(arc.category for arc in slot.arcs):
        if category in lemmas:
            nearest = sorted(lemmas[category], key=lambda lemma: -shared_beginning(lemma, slot.form))
            forms += (form for lemma in nearest for form in examples.forms_of(lemma))
            continue
        mine = [arc.features for arc in slot.arcs if arc.category == category]
        if used is not None and used.construction == category:
            mine = [used.features]
        others = sorted(
            examples.by_bundle(category).items(),
            key=lambda pair: min(difference(pair[0], features) for features in mine),
        )
        forms += [min(forms, key=lambda form: _likeness(form, slot.form, examples)) for _, forms in others[:MAX_FORMS]]
    other = [form for form in dict.fromkeys(forms) if form not in (slot.form, slot.form.lower())]
    return sorted(other, key=lambda form: -examples.counts.get(form, 0)) if lemmas else other


def _categories_of(form: str, lemmas: Set[str], words: Words) -> set[str]:
    """Return the categories that a word form has as a form of one of these lemmas."""
    return {reading.category for reading in words.known(form) if reading.lemma in lemmas}


def _likeness(form: str, old: str, examples: ExampleWords) -> tuple[object, ...]:
    return -shared_beginning(form, old), abs(len(form) - len(old)), examples.rank(form)


def _alike(one: str, other: str) -> bool:
    """True if two forms begin alike, and so pass for forms of the same word."""
    return 2 * shared_beginning(one, other) >= len(other)


def _apart(new: Slot, old: Slot, parse: EditableParse, place: int) -> float:
    """Return how far the nearest reading of a new form is from the old form's, in nats.

    What counts are features with another value, unless violated properties mention them, and another category.
    """
    used = parse.used.get(place)
    readings = [(used.construction, used.features)] if used else [(arc.category, arc.features) for arc in old.arcs]
    distances = []
    for arc in new.arcs:
        for category, features in readings:
            others = dict(features)
            clashing = {name for name, value in arc.features if others.get(name, value) != value}
            lost = others.keys() - dict(arc.features).keys()
            size = len(clashing - parse.features) + LOST * len(lost) + ESCAPE * len(lost & parse.features)
            whole = difference(arc.features, features)
            distances.append(size + PART * whole + CATEGORY * (arc.category != category))
    return min(distances)


def _known(form: str, words: Words) -> Slot:
    """Return a word of the lexicon as a token with all its readings."""
    return slot_of(form, arcs_of(0, 1, form, words.known(form)))


def _content(arc: Arc) -> tuple[object, ...]:
    return arc.category, arc.features, round(arc.log_weight, 9)


def _insertions(parse: EditableParse, examples: ExampleWords, words: Words) -> Iterator[EditChoice]:
    slots = parse.slots
    for category in examples.categories:
        named = parse.named.index(category) if category in parse.named else len(parse.named)
        most = MAX_INSERTED if category in parse.named else MAX_UNNAMED
        new = [_known(forms[0], words) for forms in list(examples.by_bundle(category).values())[:most]]
        is_named = category in parse.named
        openness = examples.openness(category)
        common = INSERT + (openness + min(named, FAR) / 2 if is_named else OPEN * openness + FAR)
        sizes = [common + examples.surprise(slot.form) + NAME * _is_name(slot.form) for slot in new]
        arcs = {slot.form: tuple(arc for arc in slot.arcs if arc.category == category) for slot in new}
        for i in range(len(slots) + 1):
            if parse.aim and i not in parse.aim.gaps:
                continue
            where = f"before {_quoted(slots[i : i + 1])}" if i < len(slots) else "at the end"
            edits = [
                Edit(
                    "insert",
                    f"insert {_quoted((slot,))} {where}",
                    (*slots[:i], Slot(slot.form, arcs[slot.form]), *slots[i:]),
                    parse.rank_before(i, size, number),
                )
                for number, (slot, size) in enumerate(zip(new, sizes, strict=True))
            ]
            yield EditChoice(f"insert {category}", tuple(sorted(edits, key=lambda edit: edit.rank)), i)


MAKERS: Final[dict[tuple[str, ...], Callable[[EditableParse, ExampleWords, Words], Iterator[EditChoice]]]] = {
    ("undouble", "delete"): _deletions,
    ("change", "replace"): _changes,
    ("swap",): _swaps,
    ("move", "rearrange"): _moves,
    ("insert",): _insertions,
}
"""The functions that make edits, by the kinds of edits that they make."""


def _is_name(form: str) -> bool:
    """True if a word begins with a capital and is no single letter, as "I" is."""
    return len(form) > 1 and form[0].isupper()


def _quoted(slots: Sequence[Slot]) -> str:
    return f'"{" ".join(slot.form for slot in slots)}"'
