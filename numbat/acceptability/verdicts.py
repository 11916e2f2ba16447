"""Scored items of a suite, and whether a grammar judges each as people do, or as it did before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, pairwise
from operator import or_
from pathlib import Path
from types import MappingProxyType
from typing import Final

from numbat.acceptability.models import Scorer
from numbat.acceptability.scores import Score
from numbat.acceptability.suite import SIGNS, Item, Suite
from numbat.acceptability.suite_files import EXPECTED
from numbat.errors import DataError, Problem, Span, close_match, counted, data_error
from numbat.evaluation.constituents import Constituent
from numbat.files import cells_of, lines_of, table_row
from numbat.grammar.expressions import Adjacent, walk
from numbat.grammar.model import Grammar, property_types_of, relations_of
from numbat.grammar.properties import UNIT, Property, format_named
from numbat.grammar.relations import Relation
from numbat.parsing.analysis import Evaluated
from numbat.parsing.explanation.text import by_lexical_status, lexical_status, mostly_guessed
from numbat.parsing.explanation.violations import decimal, listed_words
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.reports.report import Member
from numbat.reports.run_notes import named_as_lost


@frozen
class ScoredItem:
    """An item with its best parse and score; no score where nobody asked for one or the sentence has no words.

    `length` counts tokens, `unknown` those that neither the lexicon has nor the tagged input names.
    """

    item: Item
    parse: Parse
    score: Score | None

    @property
    def id(self) -> str:
        """The name of the item."""
        return self.item.id

    @property
    def value(self) -> float | None:
        return None if self.score is None else self.score.value

    @property
    def length(self) -> int:
        return len(self.parse.lattice.tokens)

    @property
    def unknown(self) -> int:
        return len(self.parse.guessed)

    @property
    def cost(self) -> int:
        """Return the cost of violations and fragments of the sentence; the choice of readings does not count."""
        return self.parse.violation_cost + self.parse.fragment_cost

    @property
    def names_property(self) -> bool:
        """True if it is judged bad or doubtful, by a property that it names."""
        return bool(self.item.named_property) and self.item.judgement is not None and self.item.is_good is not True

    @property
    def faults(self) -> tuple[str, ...]:
        """The relations that are violated, and last `fragments` where it is no full parse."""
        return (*violated_relations(self.parse), *(() if self.parse.is_full else ("fragments",)))


@frozen
class LostItem:
    """An item that is in no figure, for it could not be parsed, with the reason; `where` names one of several runs."""

    item: Item
    reason: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.item.id}{' ' * bool(self.where)}{self.where}: {self.reason}"


def lost_items(lost: Sequence[LostItem], above: Sequence[str] = ()) -> Member:
    """Return the items that are in no figure as part of a report, each with the reason, below lines `above` them."""
    told = [str(item) for item in lost]
    return Member("lost", told, [*(above if told else ()), *named_as_lost("sentence", told)])


def scored_item(item: Item, parse: Parse, score: Scorer) -> ScoredItem:
    """Return an item with its parse and score; punctuation alone has none."""
    return ScoredItem(item, parse, score(parse) if parse.constituents else None)


def violated_relations(parse: Parse) -> tuple[str, ...]:
    """Return the relations of which a property is violated, in the order of the alphabet."""
    return tuple(sorted({evaluated.property.type for evaluated in parse.violated}))


def comparable(items: Sequence[ScoredItem]) -> tuple[ScoredItem, ...]:
    """Return the items that have both a score and a rating."""
    return tuple(item for item in items if item.score is not None and item.item.rating is not None)


Predictor = Callable[[ScoredItem], float]


def predicted(item: ScoredItem) -> float:
    """Return the score of an item that has one."""
    return item.value or 0.0


def ratings_of(compared: Sequence[ScoredItem]) -> list[float]:
    """Return the ratings of items that have one."""
    return [item.item.rating or 0.0 for item in compared]


def score_pairs(
    items: Sequence[ScoredItem], suite: Suite, predictor: Predictor = predicted
) -> list[tuple[float, float]]:
    """Return the scores of the minimal pairs among the items, that of the better sentence first."""
    by_id = {item.item.id: predictor(item) for item in items if item.score is not None}
    return [(by_id[one.id], by_id[other.id]) for one, other in scored_pairs(items, suite)]


def scored_pairs(items: Sequence[ScoredItem], suite: Suite) -> list[tuple[Item, Item]]:
    """Return the minimal pairs of which both sentences have a score, the better sentence first."""
    known = {item.item.id for item in items if item.score is not None}
    return [(one, other) for one, other in suite.pairs if one.id in known and other.id in known]


# Which words of the sentences of a suite the lexicon does not have, and whether a bad sentence is bad without them.
#
# A bad sentence is caught where something is wrong that speaks of words of the lexicon alone. Where words that the
# lexicon does not have are part of all that is wrong, it is undecided: a misspelt word makes any sentence look bad.


def faults_of_known_words(parse: Parse, also_known: Collection[str] = ()) -> tuple[str, ...]:
    """Return the relations violated at a cost, and `fragments`, where that speaks of words of the lexicon alone.

    `also_known` are forms that count as words of the lexicon.
    """
    unknown = _unknown_cover(parse, also_known)
    found = [
        evaluated.property.type for evaluated in violated_by_known_words(parse, also_known) if evaluated.property.cost
    ]
    if not parse.is_full and _unbuilt_of_known(parse, unknown):
        found.append("fragments")
    return tuple(dict.fromkeys(found))


def violated_by_known_words(parse: Parse, also_known: Collection[str] = ()) -> tuple[Evaluated, ...]:
    """Return the violated instances of P- that speak of words of the lexicon alone.

    They speak of their daughters. One that complains of what is missing speaks of its constituent and of the words on
    both sides of that, for an unknown word there may be what is missing.
    """
    unknown = _unknown_cover(parse, also_known)
    if not unknown:
        return parse.violated
    relations = relations_of(parse.grammar)
    return tuple(
        evaluated
        for evaluated in parse.violated
        if not _spoken_of(evaluated, relations[evaluated.property.relation]) & unknown
    )


def _unknown_cover(parse: Parse, also_known: Container[str]) -> int:
    return _cover([word for word in parse.guessed if word.form not in also_known])


def _spoken_of(violated: Evaluated, relation: Relation) -> int:
    """Return the positions of the words that a violated instance speaks of."""
    if relation.lacking or not violated.elements:
        return _widened(violated.constituent.cover)
    cover = _cover(violated.elements)
    if any(isinstance(node, Adjacent) for node in walk(relation.holds)):
        return _filled(cover)  # what stands between keeps the two apart
    return cover


def _unbuilt_of_known(parse: Parse, unknown: int) -> bool:
    """True if two fragments side by side, or one that is no root, have no unknown word in or beside them."""
    tops = sorted(parse.constituents, key=lambda top: top.start)
    spans = [_cover(both) for both in pairwise(tops)] or [_cover(tops)]
    return any(not _widened(_filled(span)) & unknown for span in spans)


def _cover(constituents: Sequence[Constituent]) -> int:
    return reduce(or_, (constituent.cover for constituent in constituents), 0)


def _filled(cover: int) -> int:
    """Return the cover with the positions between its first and its last one."""
    return (1 << cover.bit_length()) - (cover & -cover)


def _widened(cover: int) -> int:
    """Return the cover with the positions on both sides of each of its own."""
    return cover | cover << 1 | cover >> 1


def unknown_words(parse: Parse) -> str:
    """Return the words of a sentence that the lexicon does not have: `1 word guessed: cats; 1 word unknown: Mnn`."""
    found = by_lexical_status(parse.guessed).items()
    return "; ".join(f"{counted(len(words), 'word')} {how}: {listed_words(words)}" for how, words in found)


def unknown_in_all(parses: Sequence[Parse]) -> list[str]:
    """Return the words of several sentences that the lexicon does not have: a line for those guessed, one for the
    unknown.
    """
    found: dict[str, list[list[str]]] = {}
    for parse in parses:
        for how, words in by_lexical_status(parse.guessed).items():
            found.setdefault(how, []).append(words)
    lines = []
    for how, sentences in sorted(found.items()):
        words = list(chain.from_iterable(sentences))
        where = f" in {counted(len(sentences), 'sentence')}"
        lines.append(f"{counted(len(words), 'word')} {how}{where}: {listed_words(list(dict.fromkeys(words)))}")
    return lines


def another_grammar(parses: Sequence[Parse], grammar: Grammar) -> str:
    """Return the message that comes first if most words are not in the lexicon; else nothing."""
    words = sum(len(parse.lattice.tokens) for parse in parses)
    guessed = sum(len(parse.guessed) for parse in parses)
    if not mostly_guessed(guessed, words):
        return ""
    name = f"the grammar {grammar.name}" if grammar.name else "the grammar"
    return f"most words, {guessed:,} of {words:,}, are not in the lexicon of {name}: -g names the grammar that is meant"


def foremost(items: Sequence[ScoredItem]) -> list[str]:
    """Return the note that comes first: a grammar may be another one than was meant."""
    found = another_grammar([item.parse for item in items], items[0].parse.grammar) if items else ""
    return [found] if found else []


def forms_not_in_lexicon(parse: Parse, how: str) -> list[str]:
    """Return the words of a sentence that are `guessed`, or those that are `unknown`."""
    return [word.form for word in parse.guessed if lexical_status(word) == how]


# Whether a grammar judges each item of a suite as people do.

UNDECIDED: Final = "undecided"
"""The verdict on a bad sentence where words that the lexicon does not have are part of all that is wrong."""
NO_SUCCESS: Final = ("fail", UNDECIDED)
"""The verdicts that make a test fail."""


@frozen
class ItemOutcome:
    """The verdict of the grammar on an item: `pass`, `fail`, `undecided`, or `-` if no sign states what to expect.

    `violated` are relations, with `fragments` for a parse that is not full; `cost` is without that of readings.
    """

    id: str
    verdict: str
    cost: str
    violated: str

    def __str__(self) -> str:
        return f"{self.verdict}, cost {self.cost}" + (f" ({self.violated})" if self.violated else "")


@frozen
class TestedItem:
    """An item, its parse and the outcome; `reason` says why it failed or is undecided.

    `instead` is what makes a sentence bad that does not violate the property which it names.
    """

    scored: ScoredItem
    outcome: ItemOutcome
    reason: str = ""
    instead: tuple[str, ...] = ()


@frozen
class Compared:
    """The items with which an item is compared: the other of its minimal pair, and those that a doubtful one ranks
    among.
    """

    partner: ScoredItem | None = None
    others: Sequence[ScoredItem] = ()


NamedProperties = Mapping[str, Sequence[Property]]
"""The properties of a grammar by the texts with which items of a suite name them."""
NOTHING_NAMED: Final[NamedProperties] = MappingProxyType({})


def judge_items(
    suite: Suite,
    scored: Sequence[ScoredItem],
    count_undecided: bool = False,
    named: NamedProperties = NOTHING_NAMED,
    wholes: Mapping[str, ScoredItem] = MappingProxyType({}),
) -> list[TestedItem]:
    """Return every item of a suite, parsed, with its outcome; `named` are the properties that its items name.

    `wholes` are bad sentences of an exercise whose best parse is in fragments, by id: each with its best single tree,
    if it has one. Raises DataError where no item has a judgement to test by.

    - A good sentence passes if it is well formed (cost 0, one root).
    - A bad one passes if its parse violates one of the relations that it names or, if it names none, if it is not well
      formed; a violation that costs nothing does not count. What is wrong has to speak of words of the lexicon alone,
      or it is undecided (`count_undecided`: passes).
      One that names a property has to violate that, or one of those that the braces in it stand for; else it is bad for
      another reason, and fails.
    - One of an exercise has to be bad as a single tree: fragments say nothing about what the student has stated.
    - One judged `?`, `??` or the like passes as a bad one does if, besides, none that is judged better costs more and
      none that is judged worse costs less, among those of its group, else its phenomenon, else of the suite.
    - The two of a minimal pair pass if the bad one costs more; words that both have count as words of the lexicon.
    """
    if all(_sign(item.item) is None for item in scored):
        raise DataError(
            f"{suite.path}: no item is judged ok, ? or *{''.join(f'; {note}' for note in suite.notes)}\n"
            f"  numbat test needs judgements; numbat report compares ratings{suite.lacking('judgement')}"
        )
    by_id = {each.item.id: wholes.get(each.item.id, each) for each in scored}
    partner = {one.id: by_id.get(other.id) for pair in suite.pairs for one, other in (pair, pair[::-1])}
    ranked = _ranked_together(scored)
    tested = []
    for each in scored:
        compared = Compared(partner.get(each.item.id), ranked.get(_set_of(each.item), ()))
        asked = wholes.get(each.item.id, each)
        verdict, reason, instead = _judged(asked, compared, named, suite.is_exercise)
        if verdict == UNDECIDED and count_undecided:
            verdict, reason = "pass", ""
        outcome = ItemOutcome(each.item.id, verdict, decimal(each.cost), " ".join(each.faults))
        tested.append(TestedItem(each, outcome, reason, instead))
    return tested


def _set_of(item: Item) -> tuple[str, str]:
    """Return the items among which a doubtful one ranks: those of its group, else of its phenomenon, else all."""
    return ("group", item.group) if item.group else ("phenomenon", item.phenomenon)


def _ranked_together(scored: Sequence[ScoredItem]) -> Mapping[tuple[str, str], Sequence[ScoredItem]]:
    """Return the judged items of each set whose cost can be compared: all their words are in the lexicon."""
    found: dict[tuple[str, str], list[ScoredItem]] = {}
    for item in scored:
        if _sign(item.item) is not None and item.parse.constituents and not item.unknown:
            found.setdefault(_set_of(item.item), []).append(item)
    return found


def _sign(item: Item) -> float | None:
    """Return the sort key of the items of a set: their signs."""
    return None if item.judgement is None else SIGNS.get(item.judgement.lower())


def _judged(
    item: ScoredItem, compared: Compared, named: NamedProperties, of_exercise: bool
) -> tuple[str, str, tuple[str, ...]]:
    """Return the verdict on an item, why it is no success, and what makes it bad in place of the property it names."""
    verdict, reason = _verdict(item, compared)
    if verdict != "pass" and (verdict != UNDECIDED or not item.names_property):
        return verdict, reason, ()
    if of_exercise and is_bad_in_fragments(item):
        return "fail", _with_unknown(f"{_pieces(item.parse)}: no property says what is wrong", item), ()
    if not item.names_property:
        return verdict, reason, ()
    meant = [form for prop in named.get(item.item.named_property, ()) for form in (prop, softened(prop))]
    if instead := violated_instead(item.parse, meant):
        violated = {one.property for one in item.parse.violated}
        free = dict.fromkeys(format_named(prop) for prop in meant if prop in violated)
        beside = f"; violated at cost 0: {', '.join(free)}" if free else ""
        return "fail", _with_unknown(f"bad for another reason: {', '.join(instead)}{beside}", item), instead
    if not _is_violated(meant, violated_by_known_words(item.parse, _guessed(compared.partner))):
        return UNDECIDED, _with_unknown(NOT_KNOWN, item), ()
    return verdict, reason, ()


def softened(prop: Property) -> Property:
    """Return a property that is not hard; one that was costs something."""
    return replace(prop, hard=False, cost=prop.cost or UNIT) if prop.hard else prop


def is_bad_in_fragments(item: ScoredItem) -> bool:
    """True if an item is judged bad, and its parse is in fragments."""
    return item.item.is_good is False and bool(item.parse.constituents) and not item.parse.is_full


def _pieces(parse: Parse) -> str:
    return counted(len(parse.constituents), "fragment")


def violated_instead(parse: Parse, meant: Sequence[Property]) -> tuple[str, ...]:
    """Return what makes a sentence bad where none of the properties that are `meant` does; nothing if one does.

    That are other properties, `VP: Cl < V`, and fragments, `3 fragments`; a property that costs nothing does not count.
    """
    if _is_violated(meant, parse.violated):
        return ()
    found = dict.fromkeys(format_named(evaluated.property) for evaluated in parse.violated if evaluated.property.cost)
    pieces = [] if parse.is_full else [_pieces(parse)]
    return (*found, *pieces)


def _is_violated(meant: Sequence[Property], violated: Sequence[Evaluated]) -> bool:
    return any(evaluated.property.cost and evaluated.property in meant for evaluated in violated)


def _guessed(partner: ScoredItem | None) -> list[str]:
    """Return the words of the other sentence of a pair that the lexicon does not have."""
    return [] if partner is None else [word.form for word in partner.parse.guessed]


def _verdict(each: ScoredItem, compared: Compared) -> tuple[str, str]:
    """Return the verdict on an item, and why it is no success."""
    item, parse, other = each.item, each.parse, compared.partner
    worth = item.worth
    if _sign(item) is None and other is None:
        return "-", ""
    if not parse.constituents:
        return "fail", "no words"
    if other is not None and worth is not None and other.item.worth is not None:
        return _verdict_on_pair(each, other, is_better=worth > other.item.worth)
    if item.is_good:
        return ("pass", "") if parse.is_well_formed else ("fail", _with_unknown("is not well formed", each))
    if item.relations and not {one.property.type for one in parse.violated if one.property.cost} & {*item.relations}:
        return "fail", _with_unknown(_violates_other(parse, item.relations), each)
    if parse.is_well_formed:
        free = _violated_for_nothing(parse)
        return "fail", _with_unknown(f"violates only what costs 0: {free}" if free else "violates nothing", each)
    if not _is_caught(each, item.relations):
        return UNDECIDED, _with_unknown(NOT_KNOWN, each)
    wrong = "" if item.is_good is False else _out_of_order(each, compared.others)
    return ("fail", wrong) if wrong else ("pass", "")


def _violates_other(parse: Parse, relations: Sequence[str]) -> str:
    """Return the reason of a sentence that violates none of the relations that it names, or only at cost 0."""
    if set(violated_relations(parse)) & set(relations):
        return f"violates {' or '.join(relations)} only at cost 0: {_violated_for_nothing(parse, relations)}"
    return f"does not violate {' or '.join(relations)}, but {', '.join(violated_relations(parse)) or 'nothing'}"


def _violated_for_nothing(parse: Parse, relations: Sequence[str] = ()) -> str:
    """Return the violated properties that cost nothing, of the `relations` if there are any."""
    free = (evaluated.property for evaluated in parse.violated if not evaluated.property.cost)
    return ", ".join(dict.fromkeys(format_named(prop) for prop in free if not relations or prop.type in relations))


NOT_KNOWN: Final = "undecided, for all that is wrong may be due to words that the lexicon does not have"


def _is_caught(item: ScoredItem, relations: Sequence[str], also_known: Sequence[str] = ()) -> bool:
    """True if something is wrong with words of the lexicon alone, of one of the `relations` if there are any."""
    found = faults_of_known_words(item.parse, also_known)
    return bool(set(found) & set(relations) if relations else found)


def is_undecided(item: ScoredItem) -> bool:
    """True if an item is judged bad and violates something, but nothing with words of the lexicon alone."""
    if item.item.is_good is not False or item.parse.is_well_formed or not item.unknown:
        return False
    return not _is_caught(item, ())


def _verdict_on_pair(item: ScoredItem, other: ScoredItem, is_better: bool) -> tuple[str, str]:
    better, worse = (item, other) if is_better else (other, item)
    if better.cost >= worse.cost:
        costs = f"costs {decimal(item.cost)}, its partner {decimal(other.cost)}"
        return "fail", _with_unknown(costs, item)
    if not _is_caught(worse, (), _guessed(better)):
        return UNDECIDED, "undecided, as its partner is" if item is better else _with_unknown(NOT_KNOWN, worse)
    return "pass", ""


def _out_of_order(item: ScoredItem, others: Sequence[ScoredItem]) -> str:
    """Of a doubtful sentence: which other one the costs put on the wrong side of it; nothing if there is none."""
    mine = _sign(item.item)
    for other in others:
        sign = _sign(other.item)
        if mine is None or sign is None or sign == mine:
            continue
        is_better = sign > mine
        if (other.cost > item.cost) if is_better else (other.cost < item.cost):
            side = "more, though it is judged better" if is_better else "less, though it is judged worse"
            judged = f"{other.item.id}, judged {other.item.judgement},"
            return _with_unknown(f"costs {decimal(item.cost)}; {judged} costs {decimal(other.cost)}: {side}", item)
    return ""


def _with_unknown(reason: str, item: ScoredItem) -> str:
    """Return a reason with the words of the sentence that the lexicon does not have."""
    return "; ".join(filter(None, (reason, unknown_words(item.parse))))


# Whether a grammar judges the items of a suite as it did before: accepted outcomes, and what differs from them.

HEADER: Final = ("id", "verdict", "cost", "violated")


@frozen
class OutcomeChange:
    """An item whose outcome is not the accepted one; None where it is not in the suite, or was not."""

    id: str
    before: ItemOutcome | None
    after: ItemOutcome | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.id}: new: {self.after}"
        return f"{self.id}: {self.before} -> {self.after or 'not in the suite any more'}"


EVERYDAY: Final = {"agreement": "dependency", "order": "linearity"}
"""Names that people use for relations."""


def check_relations(suite: Suite, grammar: Grammar) -> None:
    """Raises DataError for relations that no property of the grammar can be of, each where it stands first."""
    names = property_types_of(grammar)
    unknown: dict[str, list[Span]] = {}
    for item in suite.items:
        for name in dict.fromkeys(item.relations):
            if name not in names:
                before = item.relations[: item.relations.index(name)]
                column = item.relation_column + sum(len(each) + 1 for each in before)
                unknown.setdefault(name, []).append(Span(item.path or suite.path, item.line, column))
    problems = []
    for name, places in unknown.items():
        meant = EVERYDAY.get(name.lower())
        near = f'did you mean "{meant}"?' if meant else close_match(name, names)
        hint = near or f"the relations are: {', '.join(names)}; for a suite of another grammar, name that with -g"
        often = f", in {len(places)} lines" if len(places) > 1 else ""
        problems.append(Problem(f'"{name}" is not a relation of the grammar{often}', places[0], hint=hint))
    if problems:
        raise data_error(*problems)


def named_properties(suite: Suite, grammar: Grammar) -> NamedProperties:
    """Return the properties that the items of a suite name.

    Raises DataError for those that the grammar lacks, each where it stands first. That of an exercise may lack them,
    for to state them may be the task.
    """
    if not any(item.named_property for item in suite.items):
        return NOTHING_NAMED
    from numbat.grammar.named_properties import properties_named  # loads Lark

    found: dict[str, Sequence[Property]] = {}
    problems: list[Problem] = []
    for item in suite.items:
        text = item.named_property
        if text and text not in found:
            place = Span(item.path or suite.path, item.line, item.named_column)
            found[text], wrong = properties_named(grammar, text, place)
            problems += [] if suite.is_exercise else wrong
    if problems:
        raise data_error(*problems)
    return found


def expectation_path(suite_path: str) -> Path:
    """Return the file with the accepted outcomes of a suite: `name.expected.tsv`."""
    return Path(suite_path).with_suffix(f"{EXPECTED}tsv")


def format_expected(tested: Sequence[TestedItem]) -> str:
    """Return the outcomes as a table that `read_expected` reads."""
    return format_outcomes([item.outcome for item in tested])


def format_outcomes(outcomes: Sequence[ItemOutcome]) -> str:
    """Return outcomes as such a table."""
    rows = ((outcome.id, outcome.verdict, outcome.cost, outcome.violated) for outcome in outcomes)
    return "".join(f"{table_row(row)}\n" for row in (HEADER, *rows))


def read_expected(path: Path) -> list[ItemOutcome]:
    """Return the accepted outcomes. Raises DataError with the places of lines that are none, MissingFileError."""
    hint = "write it anew with numbat test --accept"
    lines = lines_of(str(path), hint)
    rows = [cells_of(line) for line in (lines if lines[-1] else lines[:-1])]
    problems = [
        Problem("no accepted outcome: id, verdict, cost, violated", Span(str(path), number), hint=hint)
        for number, row in enumerate(rows, start=1)
        if len(row) != len(HEADER) or (number == 1 and tuple(row) != HEADER)
    ]
    if problems:
        raise data_error(*problems)
    return [ItemOutcome(*row) for row in rows[1:]]


def outcome_changes(before: Sequence[ItemOutcome], after: Sequence[ItemOutcome]) -> list[OutcomeChange]:
    """Return the items whose outcomes differ, in the order of the suite; then those that are not in it any more."""
    old, new = ({outcome.id: outcome for outcome in outcomes} for outcomes in (before, after))
    changed = [OutcomeChange(name, old.get(name), outcome) for name, outcome in new.items() if old.get(name) != outcome]
    return changed + [OutcomeChange(name, outcome, None) for name, outcome in old.items() if name not in new]
