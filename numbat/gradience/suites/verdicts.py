"""Whether a grammar judges each item of a suite as people do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from numbat.errors import DataError
from numbat.gradience.suites.known_words import faults_of_known_words, unknown_words
from numbat.gradience.suites.scored_items import ScoredItem, violated_relations
from numbat.gradience.suites.suite import SIGNS, Item, Suite
from numbat.parsing.explanation.violations import decimal
from numbat.records import frozen

UNDECIDED: Final = "undecided"
"""The verdict on a bad sentence where words that the lexicon does not have are part of all that is wrong."""
NO_SUCCESS: Final = ("fail", UNDECIDED)
"""The verdicts that make a test fail."""


@frozen
class ItemOutcome:
    """What the grammar says of an item: `pass`, `fail`, `undecided`, or `-` where no sign says what to expect.

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
    """An item, its parse and the outcome; `reason` says why it failed or is undecided."""

    scored: ScoredItem
    outcome: ItemOutcome
    reason: str = ""


@frozen
class Compared:
    """What an item is compared with: the other of its minimal pair, and the items that a doubtful one ranks among."""

    partner: ScoredItem | None = None
    others: Sequence[ScoredItem] = ()


def judge_items(suite: Suite, scored: Sequence[ScoredItem], count_undecided: bool = False) -> list[TestedItem]:
    """Every item of a suite, parsed, with its outcome. Raises DataError where no item has a judgement to test by.

    - A good sentence passes if it is well formed (cost 0, one root).
    - A bad one passes if its parse violates one of the relations that it names or, if it names none, if it is not well
      formed. What is wrong has to speak of words of the lexicon alone, or it is undecided (`count_undecided`: passes).
    - One judged `?`, `??` or the like passes as a bad one does if, besides, none that is judged better costs more and
      none that is judged worse costs less, among those of its group, else its phenomenon, else of the suite.
    - The two of a minimal pair pass if the bad one costs more; words that both have count as words of the lexicon.
    """
    if all(_sign(each.item) is None for each in scored):
        raise DataError(
            f"{suite.path}: no item is judged ok, ? or *\n"
            f"  numbat test needs judgements; numbat report compares ratings{suite.lacking('judgement')}"
        )
    by_id = {each.item.id: each for each in scored}
    partner = {one.id: by_id.get(other.id) for pair in suite.pairs for one, other in (pair, pair[::-1])}
    ranked = _ranked_together(scored)
    tested = []
    for each in scored:
        compared = Compared(partner.get(each.item.id), ranked.get(_set_of(each.item), ()))
        tested.append(_tested(each, compared, count_undecided))
    return tested


def _set_of(item: Item) -> tuple[str, str]:
    """The items among which a doubtful one ranks: those of its group, else of its phenomenon, else all."""
    return ("group", item.group) if item.group else ("phenomenon", item.phenomenon)


def _ranked_together(scored: Sequence[ScoredItem]) -> Mapping[tuple[str, str], Sequence[ScoredItem]]:
    """The judged items of each set whose cost can be compared: all their words are in the lexicon."""
    found: dict[tuple[str, str], list[ScoredItem]] = {}
    for each in scored:
        if _sign(each.item) is not None and each.parse.constituents and not each.unknown:
            found.setdefault(_set_of(each.item), []).append(each)
    return found


def _sign(item: Item) -> float | None:
    """What orders the items of a set: their signs."""
    return None if item.judgement is None else SIGNS.get(item.judgement.lower())


def _tested(each: ScoredItem, compared: Compared, count_undecided: bool) -> TestedItem:
    verdict, reason = _verdict(each, compared)
    if verdict == UNDECIDED and count_undecided:
        verdict, reason = "pass", ""
    outcome = ItemOutcome(each.item.id, verdict, decimal(each.cost), " ".join(each.faults))
    return TestedItem(each, outcome, reason)


def _verdict(each: ScoredItem, compared: Compared) -> tuple[str, str]:
    """The verdict on an item, and why it is no success."""
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
    if item.relations and not set(violated_relations(parse)) & set(item.relations):
        found = ", ".join(violated_relations(parse)) or "nothing"
        return "fail", _with_unknown(f"does not violate {' or '.join(item.relations)}, but {found}", each)
    if parse.is_well_formed:
        return "fail", _with_unknown("violates nothing", each)
    if not _is_caught(each, item.relations):
        return UNDECIDED, _with_unknown(NOT_KNOWN, each)
    wrong = "" if item.is_good is False else _out_of_order(each, compared.others)
    return ("fail", wrong) if wrong else ("pass", "")


NOT_KNOWN: Final = "undecided, for all that is wrong may be due to words that the lexicon does not have"


def _is_caught(each: ScoredItem, relations: Sequence[str], also_known: Sequence[str] = ()) -> bool:
    """Whether something is wrong with words of the lexicon alone, of one of the `relations` if there are any."""
    found = faults_of_known_words(each.parse, also_known)
    return bool(set(found) & set(relations) if relations else found)


def is_undecided(each: ScoredItem) -> bool:
    """Whether an item is judged bad and violates something, but nothing with words of the lexicon alone."""
    if each.item.is_good is not False or each.parse.is_well_formed or not each.unknown:
        return False
    return not _is_caught(each, ())


def _verdict_on_pair(each: ScoredItem, other: ScoredItem, is_better: bool) -> tuple[str, str]:
    better, worse = (each, other) if is_better else (other, each)
    if better.cost >= worse.cost:
        costs = f"costs {decimal(each.cost)}, its partner {decimal(other.cost)}"
        return "fail", _with_unknown(costs, each)
    shared = [word.form for word in better.parse.guessed]
    if not _is_caught(worse, (), shared):
        return UNDECIDED, "undecided, as its partner is" if each is better else _with_unknown(NOT_KNOWN, worse)
    return "pass", ""


def _out_of_order(each: ScoredItem, others: Sequence[ScoredItem]) -> str:
    """Of a doubtful sentence: which other one the costs put on the wrong side of it; nothing if there is none."""
    mine = _sign(each.item)
    for other in others:
        sign = _sign(other.item)
        if mine is None or sign is None or sign == mine:
            continue
        is_better = sign > mine
        if (other.cost > each.cost) if is_better else (other.cost < each.cost):
            side = "more, though it is judged better" if is_better else "less, though it is judged worse"
            judged = f"{other.item.id}, judged {other.item.judgement},"
            return _with_unknown(f"costs {decimal(each.cost)}; {judged} costs {decimal(other.cost)}: {side}", each)
    return ""


def _with_unknown(reason: str, each: ScoredItem) -> str:
    """A reason with the words of the sentence that the lexicon does not have."""
    return "; ".join(filter(None, (reason, unknown_words(each.parse))))
