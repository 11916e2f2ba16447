"""Scored items of a suite, and verdicts: whether a grammar judges items as people do, or as it did before."""

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
    """An item with its best parse and score; the score is None if not wanted or if the sentence has no words.

    `length` is the number of tokens, `unknown` the number of those whose category is neither in the lexicon nor given.
    """

    item: Item
    parse: Parse
    score: Score | None

    @property
    def id(self) -> str:
        """The id of the item."""
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
        """The cost of violations and fragments, without that of readings."""
        return self.parse.violation_cost_units + self.parse.fragment_cost_units

    @property
    def names_property(self) -> bool:
        """True if the item is judged bad or doubtful and names a property."""
        return bool(self.item.named_property) and self.item.judgement is not None and self.item.is_good is not True

    @property
    def faults(self) -> tuple[str, ...]:
        """The violated relations, and last `fragments` if the parse is not full."""
        return (*violated_relations(self.parse), *(() if self.parse.is_full else ("fragments",)))


@frozen
class LostItem:
    """An item left out of all figures because it could not be parsed, and why; `where` names one of several runs."""

    item: Item
    reason: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.item.id}{' ' * bool(self.where)}{self.where}: {self.reason}"


def lost_items(lost: Sequence[LostItem], above: Sequence[str] = ()) -> Member:
    """Return the lost items with their reasons as part of a report, below the lines `above`."""
    lost_texts = [str(item) for item in lost]
    return Member("lost", lost_texts, [*(above if lost_texts else ()), *named_as_lost("sentence", lost_texts)])


def scored_item(item: Item, parse: Parse, score: Scorer) -> ScoredItem:
    """Return an item with its parse and score; punctuation alone has no score."""
    return ScoredItem(item, parse, score(parse) if parse.constituents else None)


def violated_relations(parse: Parse) -> tuple[str, ...]:
    """Return the violated relations, in alphabetical order."""
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
    """Return the minimal pairs whose sentences both have a score, the better sentence first."""
    known = {item.item.id for item in items if item.score is not None}
    return [(one, other) for one, other in suite.pairs if one.id in known and other.id in known]


# Unknown words in the sentences of a suite, and bad sentences that may be bad only because of them.
#
# A bad sentence is caught if something is wrong that involves only words of the lexicon. If unknown words are involved
# in all that is wrong, it is undecided, as a misspelt word makes any sentence look bad.


def faults_of_known_words(parse: Parse, also_known: Collection[str] = ()) -> tuple[str, ...]:
    """Return the relations violated at a cost, and `fragments`, as far as only words of the lexicon are involved.

    `also_known` are forms that count as words of the lexicon.
    """
    unknown = _unknown_cover(parse, also_known)
    faults = [
        evaluated.property.type
        for evaluated in violated_by_known_words(parse, also_known)
        if evaluated.property.cost_units
    ]
    if not parse.is_full and _unbuilt_of_known(parse, unknown):
        faults.append("fragments")
    return tuple(dict.fromkeys(faults))


def violated_by_known_words(parse: Parse, also_known: Collection[str] = ()) -> tuple[Evaluated, ...]:
    """Return the violated property instances that involve only words of the lexicon.

    An instance involves its daughters. If something is missing, it involves its constituent and the words on both
    sides, since an unknown word may be what is missing.
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
    """Return the positions of the words that a violated instance involves."""
    if relation.lacking or not violated.elements:
        return _widened(violated.constituent.cover)
    cover = _cover(violated.elements)
    if any(isinstance(node, Adjacent) for node in walk(relation.holds)):
        return _filled(cover)  # the words between keep the two apart
    return cover


def _unbuilt_of_known(parse: Parse, unknown: int) -> bool:
    """True if two adjacent fragments, or a single one that is no root, have no unknown word in or next to them."""
    tops = sorted(parse.constituents, key=lambda top: top.start)
    spans = [_cover(both) for both in pairwise(tops)] or [_cover(tops)]
    return any(not _widened(_filled(span)) & unknown for span in spans)


def _cover(constituents: Sequence[Constituent]) -> int:
    return reduce(or_, (constituent.cover for constituent in constituents), 0)


def _filled(cover: int) -> int:
    """Return a set of positions, as bits, with all positions between the first and the last added."""
    return (1 << cover.bit_length()) - (cover & -cover)


def _widened(cover: int) -> int:
    """Return a set of positions, as bits, with their neighbours added."""
    return cover | cover << 1 | cover >> 1


def unknown_words(parse: Parse) -> str:
    """Return a text on the words not in the lexicon: `1 word guessed: cats; 1 word unknown: Mnn`."""
    by_status = by_lexical_status(parse.guessed).items()
    return "; ".join(f"{counted(len(words), 'word')} {how}: {listed_words(words)}" for how, words in by_status)


def unknown_in_all(parses: Sequence[Parse]) -> list[str]:
    """Return lines on the words of several sentences that are not in the lexicon: guessed ones, then unknown ones."""
    by_status: dict[str, list[list[str]]] = {}
    for parse in parses:
        for how, words in by_lexical_status(parse.guessed).items():
            by_status.setdefault(how, []).append(words)
    lines = []
    for how, sentences in sorted(by_status.items()):
        words = list(chain.from_iterable(sentences))
        where = f" in {counted(len(sentences), 'sentence')}"
        lines.append(f"{counted(len(words), 'word')} {how}{where}: {listed_words(list(dict.fromkeys(words)))}")
    return lines


def another_grammar(parses: Sequence[Parse], grammar: Grammar) -> str:
    """Return a message if most words are not in the lexicon, or if no property is evaluated; else an empty text."""
    name = f"the grammar {grammar.name}" if grammar.name else "the grammar"
    words = sum(len(parse.lattice.tokens) for parse in parses)
    guessed = sum(len(parse.guessed) for parse in parses)
    if mostly_guessed(guessed, words):
        return f"most words, {guessed:,} of {words:,}, are not in the lexicon of {name}: name the right grammar with -g"
    if parses and not any(parse.is_evaluated for parse in parses):
        return f"no property of {name} is evaluated in these sentences: name the right grammar with -g"
    return ""


def foremost(items: Sequence[ScoredItem]) -> list[str]:
    """Return the note that comes first, if there is one: the grammar may be the wrong one."""
    note = another_grammar([item.parse for item in items], items[0].parse.grammar) if items else ""
    return [note] if note else []


def forms_not_in_lexicon(parse: Parse, how: str) -> list[str]:
    """Return the words of a sentence that are `guessed` or `unknown`, as `how` says."""
    return [word.form for word in parse.guessed if lexical_status(word) == how]


# Verdicts: whether a grammar judges each item of a suite as people do.

UNDECIDED: Final = "undecided"
"""The verdict on a bad sentence if everything that is wrong with it involves words not in the lexicon."""
NO_SUCCESS: Final = ("fail", UNDECIDED)
"""The verdicts with which `numbat test` fails."""


@frozen
class ItemOutcome:
    """The verdict of the grammar on an item: `pass`, `fail`, `undecided`, or `-` without a sign to test by.

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

    `instead` is what makes the sentence bad, if it does not violate the property that it names.
    """

    scored: ScoredItem
    outcome: ItemOutcome
    reason: str = ""
    instead: tuple[str, ...] = ()


@frozen
class Compared:
    """The items with which an item is compared: the other one of its minimal pair, and the set that it ranks in."""

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
    """Return every item of a suite with its outcome; `named` are the properties that its items name.

    `wholes` are the bad sentences of an exercise whose best parse is in fragments, by id: each with its best single
    tree, if there is one. Raises DataError if no item has a judgement.

    - A good sentence passes if it is well formed (cost 0, one root).
    - A bad sentence passes if its parse violates one of the relations that it names or, if it names none, if it is not
      well formed; violations at cost 0 do not count. Some of this must involve only words of the lexicon, else the
      sentence is undecided (with `count_undecided` it passes).
      If it names a property, that property (or one that its braces stand for) must be violated; else the sentence is
      bad for another reason, and fails.
    - A bad sentence of an exercise must be bad as a single tree, as fragments say nothing about the student's grammar.
    - A sentence judged `?`, `??` or the like passes as a bad one does if, in addition, no sentence judged better costs
      more and none judged worse costs less, among those of its group, else its phenomenon, else the suite.
    - The two sentences of a minimal pair pass if the bad one costs more; words in both count as words of the lexicon.
    """
    if all(_sign(item.item) is None for item in scored):
        raise DataError(
            f"{suite.path}: no item is judged ok, ? or *{''.join(f'; {note}' for note in suite.notes)}\n"
            f"  numbat test needs judgements; numbat report compares ratings{suite.lacking('judgement')}"
        )
    by_id = {item.item.id: wholes.get(item.item.id, item) for item in scored}
    partner = {one.id: by_id.get(other.id) for pair in suite.pairs for one, other in (pair, pair[::-1])}
    ranked = _ranked_together(scored)
    tested = []
    for item in scored:
        compared = Compared(partner.get(item.item.id), ranked.get(_set_of(item.item), ()))
        asked = wholes.get(item.item.id, item)
        verdict, reason, instead = _judged(asked, compared, named, suite.is_exercise)
        if verdict == UNDECIDED and count_undecided:
            verdict, reason = "pass", ""
        outcome = ItemOutcome(item.item.id, verdict, decimal(item.cost), " ".join(item.faults))
        tested.append(TestedItem(item, outcome, reason, instead))
    return tested


def _set_of(item: Item) -> tuple[str, str]:
    """Return the key of the set in which a doubtful item ranks: its group, else its phenomenon."""
    return ("group", item.group) if item.group else ("phenomenon", item.phenomenon)


def _ranked_together(scored: Sequence[ScoredItem]) -> Mapping[tuple[str, str], Sequence[ScoredItem]]:
    """Return the judged items of each set whose words are all in the lexicon, so that costs can be compared."""
    by_set: dict[tuple[str, str], list[ScoredItem]] = {}
    for item in scored:
        if _sign(item.item) is not None and item.parse.constituents and not item.unknown:
            by_set.setdefault(_set_of(item.item), []).append(item)
    return by_set


def _sign(item: Item) -> float | None:
    """Return the number of an item's sign, by which the items of a set rank; None without a known sign."""
    return None if item.judgement is None else SIGNS.get(item.judgement.lower())


def _judged(
    item: ScoredItem, compared: Compared, named: NamedProperties, of_exercise: bool
) -> tuple[str, str, tuple[str, ...]]:
    """Return the verdict on an item, the reason if it does not pass, and what is violated instead of its property."""
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
    """Return a hard property as one that may be violated at a cost, and any other property unchanged."""
    return replace(prop, hard=False, cost_units=prop.cost_units or UNIT) if prop.hard else prop


def is_bad_in_fragments(item: ScoredItem) -> bool:
    """True if an item is judged bad, and its parse is in fragments."""
    return item.item.is_good is False and bool(item.parse.constituents) and not item.parse.is_full


def _pieces(parse: Parse) -> str:
    return counted(len(parse.constituents), "fragment")


def violated_instead(parse: Parse, meant: Sequence[Property]) -> tuple[str, ...]:
    """Return what makes a sentence bad if none of the properties `meant` does; empty if one does.

    This may be other properties (`VP: Cl < V`) and fragments (`3 fragments`); properties at cost 0 do not count.
    """
    if _is_violated(meant, parse.violated):
        return ()
    others = dict.fromkeys(
        format_named(evaluated.property) for evaluated in parse.violated if evaluated.property.cost_units
    )
    pieces = [] if parse.is_full else [_pieces(parse)]
    return (*others, *pieces)


def _is_violated(meant: Sequence[Property], violated: Sequence[Evaluated]) -> bool:
    return any(evaluated.property.cost_units and evaluated.property in meant for evaluated in violated)


def _guessed(partner: ScoredItem | None) -> list[str]:
    """Return the words of the other sentence of a pair that are not in the lexicon."""
    return [] if partner is None else [word.form for word in partner.parse.guessed]


def _verdict(item_: ScoredItem, compared: Compared) -> tuple[str, str]:
    """Return the verdict on an item, and the reason if it does not pass."""
    item, parse, other = item_.item, item_.parse, compared.partner
    worth = item.worth
    if _sign(item) is None and other is None:
        return "-", ""
    if not parse.constituents:
        return "fail", "no words"
    if other is not None and worth is not None and other.item.worth is not None:
        return _verdict_on_pair(item_, other, is_better=worth > other.item.worth)
    if item.is_good:
        return ("pass", "") if parse.is_well_formed else ("fail", _with_unknown("is not well formed", item_))
    if item.relations and not {one.property.type for one in parse.violated if one.property.cost_units} & {
        *item.relations
    }:
        return "fail", _with_unknown(_violates_other(parse, item.relations), item_)
    if parse.is_well_formed:
        free = _violated_for_nothing(parse)
        return "fail", _with_unknown(f"violates only what costs 0: {free}" if free else "violates nothing", item_)
    if not _is_caught(item_, item.relations):
        return UNDECIDED, _with_unknown(NOT_KNOWN, item_)
    wrong = "" if item.is_good is False else _out_of_order(item_, compared.others)
    return ("fail", wrong) if wrong else ("pass", "")


def _violates_other(parse: Parse, relations: Sequence[str]) -> str:
    """Return the reason why a sentence fails that violates no relation that it names, or only at cost 0."""
    if set(violated_relations(parse)) & set(relations):
        return f"violates {' or '.join(relations)} only at cost 0: {_violated_for_nothing(parse, relations)}"
    return f"does not violate {' or '.join(relations)}, but {', '.join(violated_relations(parse)) or 'nothing'}"


def _violated_for_nothing(parse: Parse, relations: Sequence[str] = ()) -> str:
    """Return the properties violated at cost 0, only those of the `relations` if any are given."""
    free = (evaluated.property for evaluated in parse.violated if not evaluated.property.cost_units)
    return ", ".join(dict.fromkeys(format_named(prop) for prop in free if not relations or prop.type in relations))


NOT_KNOWN: Final = "undecided, as all that is wrong may be due to words that the lexicon does not have"


def _is_caught(item: ScoredItem, relations: Sequence[str], also_known: Sequence[str] = ()) -> bool:
    """True if something is wrong that involves only words of the lexicon, in the `relations` if any are given."""
    faults = faults_of_known_words(item.parse, also_known)
    return bool(set(faults) & set(relations) if relations else faults)


def is_undecided(item: ScoredItem) -> bool:
    """True if an item is judged bad and violates something, but nothing that involves only words of the lexicon."""
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
    """Return a reason that names a sentence whose cost is on the wrong side of a doubtful sentence's; else empty."""
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
    """Return a reason, followed by the words of the sentence that are not in the lexicon."""
    return "; ".join(filter(None, (reason, unknown_words(item.parse))))


# Accepted outcomes: whether a grammar judges the items of a suite as it did before.

HEADER: Final = ("id", "verdict", "cost", "violated")


@frozen
class OutcomeChange:
    """An item whose outcome differs from the accepted one; `before` is None if it is new, `after` if it was removed."""

    id: str
    before: ItemOutcome | None
    after: ItemOutcome | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.id}: new: {self.after}"
        return f"{self.id}: {self.before} -> {self.after or 'no longer in the suite'}"


EVERYDAY: Final = {"agreement": "dependency", "order": "linearity"}
"""Names that people use for relations."""


def check_relations(suite: Suite, grammar: Grammar) -> None:
    """Raise DataError for names that are not relations of the grammar, at the first occurrence of each."""
    names = property_types_of(grammar)
    unknown: dict[str, list[Span]] = {}
    for item in suite.items:
        for name in dict.fromkeys(item.relations):
            if name not in names:
                before = item.relations[: item.relations.index(name)]
                column = item.relation_column + sum(len(relation) + 1 for relation in before)
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

    Raises DataError for those that the grammar lacks, at the first occurrence of each. Grammars of exercises may lack
    them, as stating them may be the task.
    """
    if not any(item.named_property for item in suite.items):
        return NOTHING_NAMED
    from numbat.grammar.named_properties import properties_named  # loads Lark

    named: dict[str, Sequence[Property]] = {}
    problems: list[Problem] = []
    for item in suite.items:
        text = item.named_property
        if text and text not in named:
            place = Span(item.path or suite.path, item.line, item.named_column)
            named[text], wrong = properties_named(grammar, text, place)
            problems += [] if suite.is_exercise else wrong
    if problems:
        raise data_error(*problems)
    return named


def expectation_path(suite_path: str) -> Path:
    """Return the file with the accepted outcomes of a suite: `name.expected.tsv`."""
    return Path(suite_path).with_suffix(f"{EXPECTED}tsv")


def format_expected(tested: Sequence[TestedItem]) -> str:
    """Return the outcomes of tested items as a table in the format of `read_expected`."""
    return format_outcomes([item.outcome for item in tested])


def format_outcomes(outcomes: Sequence[ItemOutcome]) -> str:
    """Return outcomes as a table in the format of `read_expected`."""
    rows = ((outcome.id, outcome.verdict, outcome.cost, outcome.violated) for outcome in outcomes)
    return "".join(f"{table_row(row)}\n" for row in (HEADER, *rows))


def read_expected(path: Path) -> list[ItemOutcome]:
    """Return the accepted outcomes. Raises MissingFileError, and DataError with the lines that are not outcomes."""
    hint = "write it again with numbat test --accept"
    lines = lines_of(str(path), hint)
    rows = [cells_of(line) for line in (lines if lines[-1] else lines[:-1])]
    problems = [
        Problem("not an accepted outcome: id, verdict, cost, violated", Span(str(path), number), hint=hint)
        for number, row in enumerate(rows, start=1)
        if len(row) != len(HEADER) or (number == 1 and tuple(row) != HEADER)
    ]
    if problems:
        raise data_error(*problems)
    return [ItemOutcome(*row) for row in rows[1:]]


def outcome_changes(before: Sequence[ItemOutcome], after: Sequence[ItemOutcome]) -> list[OutcomeChange]:
    """Return the items whose outcomes differ, in the order of the suite; then those no longer in the suite."""
    old, new = ({outcome.id: outcome for outcome in outcomes} for outcomes in (before, after))
    changed = [OutcomeChange(name, old.get(name), outcome) for name, outcome in new.items() if old.get(name) != outcome]
    return changed + [OutcomeChange(name, outcome, None) for name, outcome in old.items() if name not in new]
