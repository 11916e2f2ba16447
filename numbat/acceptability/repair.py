"""Search for the changes that improve the score of a sentence most: what its violations ask for, then all edits.

A second edit is tried on the best `beam` results of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import exp
from typing import ClassVar, Final

from numbat.acceptability.edits import (
    KINDS,
    NEW_WORDS,
    Edit,
    EditableParse,
    EditChoice,
    Rank,
    Slots,
    choices,
    slots_of,
    with_arcs,
)
from numbat.acceptability.models import ByModel, Scorer, scorer
from numbat.acceptability.remedies import remedies_of
from numbat.acceptability.scores import Score
from numbat.errors import visible
from numbat.grammar.properties import UNIT, format_bundle
from numbat.markup import Displayed
from numbat.parsing.explanation.text import guess_notes
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Overdue
from numbat.parsing.queries import cost_within
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.words.example_words import example_words
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import alike, read_text, retyped

# The search for single edits that improve the score of a parse.
#
# First only edits are tried that may satisfy a violated property (`remedies`), then, if there are not enough repairs
# among these, all edits everywhere. The smallest come first. Under the costs of the grammar the search uses rising
# bounds on the total, which is the cost of the sentence and the price of the edit: first for low totals, then for
# higher ones. Under a low bound little is built, and the words of many edits are tried at once. Once enough repairs are
# known, only lower totals are of interest. The result is the exact best edit among `edits.choices`. Under other models
# each sentence is parsed, but sentences whose words are of the same kinds only once.

Advance = Callable[[], object]
"""Called after each edit tried, to show progress."""

LEAST: Final = 1e-9
"""Minimum gain of a repair."""
MIN_GAIN: Final = 3 * UNIT // 10
"""Minimum gain of a repair under costs, unless a property costs less: less may be due to readings alone."""
GRACE: Final = 0.1
"""Share of the time limit that is added to parse the first repair, if it was found in time."""


@frozen
class Repair:
    """One or two edits, the parse of the resulting sentence, and the gain in score.

    Repairs are ranked by `worth`: if the score counts costs, the gain less the prices of the edits; else the gain per
    edit, then the gain.
    """

    edits: tuple[Edit, ...]
    parse: Parse
    gain: float
    worth: tuple[float, ...]

    @property
    def gain_per_edit(self) -> float:
        """The gain per edit."""
        return self.gain / len(self.edits)

    @property
    def sentence(self) -> str:
        return self.parse.lattice.text

    @property
    def says(self) -> str:
        """The edits in words."""
        return ", then ".join(edit.says for edit in self.edits)

    @property
    def suggestion(self) -> str:
        """The edits briefly, and the sentence: `"sleeps" for "sleep": The cat sleeps.`."""
        return visible(f"{', then '.join(edit.briefly or edit.says for edit in self.edits)}: {self.sentence}")

    @property
    def order(self) -> tuple[object, ...]:
        """Sort key: first what violations ask for; then by the greatest worth, smallest edit and likeliest readings."""
        aimless, *ranks = (sum(parts) for parts in zip(*(edit.rank for edit in self.edits), strict=True))
        says = [edit.says for edit in self.edits]
        return aimless > 0, [round(-part, 9) for part in self.worth], ranks, self.parse.cost_units, says


def without_doubles(repairs_: list[Repair]) -> list[Repair]:
    """Return the repairs, the best first, with only the best of those that lead to the same sentence."""
    kept: dict[str, Repair] = {}
    for repair in sorted(repairs_, key=lambda repair: repair.order):
        kept.setdefault(repair.sentence.lower(), repair)
    return list(kept.values())


class RepairSearch:
    """The search for repairs of one sentence; it caches the results of the sentences tried."""

    def __init__(
        self,
        parse: Parse,
        parser: Parser,
        score: Scorer,
        kinds: Sequence[str],
        overdue: Overdue,
        advance: Advance = lambda: None,
    ) -> None:
        self._parser, self._score, self._kinds = parser, score, kinds
        self._own = score(parse).value
        self._examples = example_words(parser.words)
        self._counts_costs = isinstance(score, ByModel) and score.counts_costs
        self._by_cost = self._counts_costs and parser.searches_by_cost
        base, self._marks = parse.lattice, parser.words.marks
        self._marks_typed = self._marks.between(base)
        """The declared mark at each position of the sentence."""
        self._long = [arc for arc in base.arcs if arc.end > arc.start + 1]
        self._long_forms = [base.tokens[arc.start : arc.end] for arc in self._long]
        self._typed_tokens = [*base.tokens]
        self._is_text = _same_arcs(read_text(retyped(base, base.tokens, parser.words), parser.words), base)
        self._numbers: dict[object, int] = {}
        self._costs: dict[tuple[int, ...], tuple[int, int | None]] = {}
        costs = [prop.cost_units for prop in parser.grammar.properties if prop.cost_units > 0]
        self._least = min((*costs, parser.scaled_grammar.fragment_cost_units or UNIT))
        self._parses: dict[tuple[int, ...], Parse] = {}
        self._overdue, self._advance = overdue, advance
        self.stopped_by: str | None = None

    def _is_late(self) -> bool:
        """True if the time is up; sets `stopped_by` to the limit."""
        if self.stopped_by is None and self._overdue():
            self.stopped_by = self._parser.limits.describe("seconds")
        return self.stopped_by is not None

    def singles(self, parse: Parse, slots: Slots, before: tuple[Edit, ...], most: int | None) -> list[Repair]:
        """Return repairs that add one edit to those made `before`: the best of each choice of edits, in order."""
        repairs_: list[Repair] = []
        every = self._by_rising_bounds if self._by_cost else self._one_by_one
        for aim in (remedies_of(parse), None):
            for edit in every(EditableParse(parse, slots, aim), most):
                late = self._is_late()
                if late and repairs_:
                    return repairs_
                repair = self._repair(parse, before, edit, self._grace() if late else self._overdue)
                if repair.gain > LEAST and repair.parse.cost_units <= parse.cost_units:
                    repairs_ = without_doubles([*repairs_, repair])
                if len(repairs_) == most:
                    return repairs_
        return repairs_

    def _grace(self) -> Overdue:
        limits = self._parser.limits
        return replace(limits, seconds=limits.seconds and GRACE * limits.seconds).clock()

    def _repair(self, parse: Parse, before: tuple[Edit, ...], edit: Edit, overdue: Overdue) -> Repair:
        text = retyped(parse.lattice, [slot.form for slot in edit.slots], self._parser.words)
        sentence = text if self._is_text else replace(self._lattice(edit.slots), text=text)
        repaired = self._parser.parse(sentence, overdue=overdue)
        gain, made = self._score(repaired).value - self._own, (*before, _with_reading(edit, repaired))
        price = sum(one.price for one in made) / UNIT
        worth = (gain - price,) if self._counts_costs else (gain / len(made), gain)
        return Repair(made, repaired, gain, worth)

    # By rising bounds

    def _by_rising_bounds(self, tree: EditableParse, most: int | None) -> list[Edit]:
        """Return the best edits in order, at least `most` if that many exist; the bound on the total rises in steps."""
        edits = BestEdits(most)
        every = _by_place(choices(self._kinds, tree, self._examples, self._parser.words))
        ceiling = self._ceiling(tree.parse)
        highest = ceiling + max((choice.edits[-1].price for here in every for choice in here), default=0)
        below = -1
        for bound in _rising_bounds(tree.parse, self._least, highest):
            for here in every:
                if self._is_late() or ceiling < 0:
                    break
                self._try(here, edits, below, bound, ceiling)
            if edits.worst <= bound:
                break
            below = bound
        return edits.in_order()

    def _ceiling(self, parse: Parse) -> int:
        """Return the highest cost of a repair."""
        return parse.cost_units - min(self._least, MIN_GAIN)

    def _try(self, here: Sequence[EditChoice], edits: BestEdits, below: int, bound: int, ceiling: int) -> None:
        """Find the best edit of each choice among those whose total is at most the bound, and its cost the ceiling."""
        bound = min(bound, edits.worst)
        left = [choice for choice in here if edits.total(choice.key) > below]
        room = min(bound - min((choice.edits[0].price for choice in left), default=bound), ceiling)
        if not left or room < 0 or (len(left) > 1 and self._cost(_union(left), room) is None):
            return
        for choice in left:
            limit = min(bound, edits.total(choice.key))
            least = self._cost(choice.slots, min(limit - choice.edits[0].price, ceiling))
            if least is None:
                continue
            for edit in choice.edits:
                room = min(min(bound, edits.limit(choice.key, edit.rank)) - edit.price, ceiling)
                if room >= least and (cost := self._cost(edit.slots, room)) is not None:
                    edits.enter(choice.key, cost + edit.price, edit)

    def _cost(self, slots: Slots, bound: int) -> int | None:
        key = self._key(slots)
        tried, cost = self._costs.get(key, (-1, None))
        if cost is None and tried < bound:
            cost = cost_within(self._parser, self._lattice(slots), bound, self._overdue)
            self._advance()
            if cost is None and self._is_late():
                return None
            self._costs[key] = bound, cost
        return cost if cost is not None and cost <= bound else None

    # One by one

    def _one_by_one(self, tree: EditableParse, most: int | None) -> list[Edit]:
        """Return the best edit of each choice, by parsing every sentence."""
        best: dict[str, tuple[tuple[object, ...], Edit]] = {}
        for choice in choices(self._kinds, tree, self._examples, self._parser.words):
            for edit in choice.edits:
                if self._is_late():
                    break
                key = self._key(edit.slots)
                if key not in self._parses:
                    self._parses[key] = self._parser.parse(self._lattice(edit.slots), overdue=self._overdue)
                    self._advance()
                parse = self._parses[key]
                value = self._score(parse).value
                total = parse.cost_units + edit.price if self._counts_costs else -round(value, 9)
                order = (total, edit.rank, parse.cost_units)
                better = choice.key not in best or order < best[choice.key][0]
                highest = self._ceiling(tree.parse) if self._counts_costs else tree.parse.cost_units
                if value > self._own + LEAST and parse.cost_units <= highest and better:
                    best[choice.key] = order, edit
        return [edit for _, edit in sorted(best.values(), key=lambda pair: pair[0])]

    # Sentences

    def _key(self, slots: Slots) -> tuple[int, ...]:
        """Return the cache key of the tokens: the kinds of their words, and the positions of multiword tokens."""
        long = [place for forms in self._long_forms for place in _places(forms, slots)]
        kinds = (frozenset((a.category, a.features, a.log_weight, a.guessed) for a in slot.arcs) for slot in slots)
        marks = (self._numbers.setdefault(mark, len(self._numbers)) for mark in self._marks_in(slots))
        return (*long, -1, *marks, -1, *(self._numbers.setdefault(kind, len(self._numbers)) for kind in kinds))

    def _lattice(self, slots: Slots) -> Lattice:
        arcs = [_moved(arc, i) for i, slot in enumerate(slots) for arc in slot.arcs]
        for arc, forms in zip(self._long, self._long_forms, strict=True):
            arcs += [_moved(arc, place) for place in _places(forms, slots)]
        lattice = Lattice(tuple(slot.form for slot in slots), tuple(arcs))
        return self._marks.placed(lattice, self._marks_in(slots)) if self._marks else lattice

    def _marks_in(self, slots: Slots) -> list[str | None]:
        """Return the mark at each position: those of the sentence, but none inside words that edits add or remove."""
        if not self._marks:
            return []
        old, new = self._typed_tokens, [slot.form for slot in slots]
        if len(old) == len(new):
            return self._marks_typed
        first = alike(old, new)
        last = min(alike(old[::-1], new[::-1]), min(len(old), len(new)) - first)
        before, after = self._marks_typed[: first + 1], self._marks_typed[len(old) - last :]
        if first + last == len(new):
            return [*before[:-1], before[-1] or after[0], *after[1:]]
        return [*before, *[None] * (len(new) - first - last - 1), *after]


def _with_reading(edit: Edit, parse: Parse) -> Edit:
    """Return the edit with the new word's reading in the parse added to its description."""
    word = EditableParse(parse, edit.slots).used.get(edit.rank[-1])
    if edit.kind not in NEW_WORDS or word is None:
        return edit
    shown = format_bundle(word.features)
    return replace(edit, says=f"{edit.says} ({word.construction}{' ' + shown if shown else ''})")


def _moved(arc: Arc, start: int) -> Arc:
    return arc._replace(start=start, end=start + arc.end - arc.start)


def _places(forms: Sequence[str], slots: Slots) -> list[int]:
    """Return the positions in a sentence at which this sequence of word forms begins."""
    forms_here = [slot.form for slot in slots]
    return [i for i in range(len(forms_here) - len(forms) + 1) if tuple(forms_here[i : i + len(forms)]) == tuple(forms)]


def _union(left: Sequence[EditChoice]) -> Slots:
    """Return the sentence whose token at the position of these choices has the readings of all of them."""
    return with_arcs(left[0], tuple(dict.fromkeys(arc for choice in left for arc in choice.arcs)))


def _by_place(every: Sequence[EditChoice]) -> list[list[EditChoice]]:
    """Return groups of choices to try at once: insertions at the same position together, all others alone.

    The first choice of each group is its smallest, and groups are in the order of these.
    """
    places: dict[int, list[EditChoice]] = {}
    for number, choice in enumerate(every):
        places.setdefault(choice.place if choice.kind == "insert" else -1 - number, []).append(choice)
    return list(places.values())


def _rising_bounds(parse: Parse, least: int, highest: int) -> Iterator[int]:
    """Yield bounds on the total of cost and price, in units: from a property's `least` cost to the `highest` total."""
    costs = [evaluated.property.cost_units for evaluated in parse.violated if evaluated.property.cost_units]
    bound, step = least, max(min(costs, default=UNIT), parse.cost_units // 8)
    while bound < highest:
        yield bound
        bound, step = bound + step, 2 * step
    yield highest


def _same_arcs(one: Lattice, other: Lattice) -> bool:
    return one.tokens == other.tokens and set(one.arcs) == set(other.arcs)


BEAM: Final = 5


class Repairs(Displayed, list[Repair]):
    """Repairs, the best first; `stopped_by` is the limit that ended the search early, if any."""

    SHOWN_BY: ClassVar = "numbat.acceptability.displays"

    def __init__(self, repairs_: Iterable[Repair] = (), stopped_by: str | None = None) -> None:
        super().__init__(repairs_)
        self.stopped_by = stopped_by


def repairs(
    parse: Parse,
    parser: Parser,
    score: Scorer,
    edits: int = 1,
    beam: int = BEAM,
    most: int | None = None,
    kinds: Sequence[str] = KINDS,
    overdue: Overdue | None = None,
    advance: Advance = lambda: None,
) -> Repairs:
    """Return repairs that raise the score of a parse, the greatest gain per edit first; empty if no edit does.

    A repair must not cost more than the parse; a well-formed parse has none. With `most` the search ends when the best
    `most` repairs are known. The `kinds` of edits are tried in this order. The parser's time limit is for all edits
    together; `overdue` is a clock that was started earlier. `advance` is called after each edit tried.
    """
    if not parse.constituents or parse.is_well_formed:
        return Repairs()
    search = RepairSearch(parse, parser, score, kinds, overdue or parser.limits.clock(), advance)
    repairs_ = search.singles(
        parse, slots_of(parse.lattice, parser.words), (), None if most is None else most + beam * (edits > 1)
    )
    if edits > 1 and (most is None or sum(one.parse.is_well_formed for one in repairs_) < most):
        open_ends = [one for one in repairs_ if not one.parse.is_well_formed]
        for one in open_ends[:beam]:
            twos = search.singles(one.parse, one.edits[-1].slots, one.edits, most)
            # The second edit has to improve on the first.
            repairs_ += [two for two in twos if two.gain > one.gain + LEAST]
    return Repairs(without_doubles(repairs_)[:most], search.stopped_by)


def first_repair(parse: Parse, parser: Parser, overdue: Overdue | None = None) -> Repair | None:
    """Return the best repair of a parse by one edit, under the costs of the grammar; None if there is none."""
    return next(iter(repairs(parse, parser, scorer("cost"), most=1, overdue=overdue)), None)


@frozen
class RepairedSentence(Displayed):
    """The parse of a sentence with its score, and its repairs."""

    SHOWN_BY: ClassVar = "numbat.acceptability.displays"

    parse: Parse
    score: Score
    repairs: Repairs


def repair_sentence(
    lattice: Lattice,
    parser: Parser,
    score: Scorer,
    edits: int = 1,
    beam: int = BEAM,
    most: int | None = None,
    advance: Advance = lambda: None,
) -> RepairedSentence:
    """Return the parse of a sentence and its repairs, under one time limit."""
    overdue = parser.limits.clock()
    parse = parser.parse(lattice)
    repairs_ = repairs(parse, parser, score, edits, beam, most, overdue=overdue, advance=advance)
    return RepairedSentence(parse, score(parse), repairs_)


# The best edits in a search for repairs.


class BestEdits:
    """The best edit of each choice so far, by the total of its price and the cost of the sentence; `most` are wanted.

    `worst` is the total of the last of the `most` best edits, `NONE` as long as there are fewer.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._edits: dict[str, tuple[int, Rank, Edit]] = {}
        self.worst = NONE

    def total(self, key: str) -> int:
        """Return the total of the best known edit of a choice."""
        return self._edits[key][0] if key in self._edits else NONE

    def limit(self, key: str, rank: Rank) -> int:
        """Return the highest total with which an edit of this rank is better than the best known one of its choice."""
        if key not in self._edits:
            return NONE
        total, known, _ = self._edits[key]
        return total if rank < known else total - 1

    def enter(self, key: str, total: int, edit: Edit) -> None:
        """Set the best edit of a choice."""
        self._edits[key] = total, edit.rank, edit
        sentences: dict[tuple[str, ...], int] = {}
        for known_total, _, known in self._edits.values():
            words = tuple(slot.form.lower() for slot in known.slots)
            sentences[words] = min(known_total, sentences.get(words, known_total))
        if self._most is not None and len(sentences) >= self._most:
            self.worst = sorted(sentences.values())[self._most - 1]

    def in_order(self) -> list[Edit]:
        """Return the edits, the best first."""
        return [edit for _, _, edit in sorted(self._edits.values(), key=lambda known: known[:2])]


NONE: Final = 1 << 62
"""A total that no edit has."""


# Doubts about a parse that violates nothing: guessed words and unlikely readings.

UNLIKELY: Final = 0.5
"""A reading of a word is unlikely if its weight is at most this share of the likeliest reading's."""


def doubts_of(parse: Parse) -> list[str]:
    """Return the reasons to doubt a parse: guessed words and unlikely readings."""
    return [*guess_notes(parse), *_unlikely_readings(parse)]


def _unlikely_readings(parse: Parse) -> list[str]:
    """Return messages on words with an unlikely part of speech in the parse."""
    weights: dict[tuple[int, int], dict[str, float]] = {}
    for arc in parse.lattice.arcs:
        categories = weights.setdefault((arc.start, arc.end), {})
        categories[arc.category] = max(arc.log_weight, categories.get(arc.category, arc.log_weight))
    doubts = []
    for word in (word for top in parse.constituents for word in top.words()):
        readings = weights.get((word.start, word.end), {})
        if word.guessed or word.construction not in readings:
            continue
        likeliest = max(readings, key=lambda name: readings[name])
        if exp(readings[word.construction] - readings[likeliest]) <= UNLIKELY:
            doubts.append(f'"{word.form}" is read as {word.construction}, but is more likely {likeliest}')
    return doubts
