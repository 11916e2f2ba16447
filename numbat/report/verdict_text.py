"""What `numbat test` says of a suite, as text and as one JSON value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, Final

from numbat.errors import counted
from numbat.gradience.suite import Item, Suite
from numbat.gradience.verdicts import (
    NO_SUCCESS,
    UNDECIDED,
    LostItem,
    OutcomeChange,
    TestedItem,
    another_grammar,
    forms_not_in_lexicon,
    unknown_in_all,
)
from numbat.grammar.model import Grammar
from numbat.parsing.explanation.json_format import number
from numbat.parsing.explanation.violations import on_one_line
from numbat.report.run_text import run_json
from numbat.runs.record import RunRecord

SCHEMA: Final = "numbat.test/1"
KINDS: Final[dict[str, Callable[[Item], bool]]] = {
    "good sentences at cost 0": lambda item: item.is_good is True,
    "bad sentences that violate what they should": lambda item: item.is_good is False,
    "sentences between good and bad that rank there": lambda item: item.is_good is None and item.judgement is not None,
}
"""What it is for a sentence to pass, with the sentences that it is asked of."""


def outcome_lines(tested: Sequence[TestedItem], grammar: Grammar, notes: Sequence[str] = ()) -> Iterator[str]:
    """The grammar, the shares of items that pass, ambiguity, then each item that does not, with what is wrong.

    `notes` are those of the suite.
    """
    parses = [each.scored.parse for each in tested]
    if another := another_grammar(parses, grammar):
        yield f"! {another}"
    yield f"grammar {grammar.title}: {counted(len(tested), 'sentence')}"
    yield from (f"! {note}" for note in notes)
    for name, group in _groups(tested):
        passed = sum(each.outcome.verdict == "pass" for each in group)
        undecided = sum(each.outcome.verdict == UNDECIDED for each in group)
        share = f"{passed} of {len(group)} {name} ({passed * 100 // len(group)}%)"  # 100% is all of them
        yield share + (f", {undecided} undecided" if undecided else "")
    trees = [parse.count for parse in parses]
    yield f"equally good trees for a sentence: median {median(trees):g}, at most {max(trees):,}"
    yield from unknown_in_all(parses)
    if unjudged := sum(each.outcome.verdict == "-" for each in tested):
        yield f"{unjudged} without a clear judgement"
    for each in tested:
        if each.outcome.verdict in NO_SUCCESS:
            item = each.scored.item
            yield ""
            yield f"{item.id}: {_mark(item)}{on_one_line(item.sentence)}  {each.reason}"
            yield from (f"    {line}" for line in each.scored.parse.explain())


def _groups(tested: Sequence[TestedItem]) -> Iterator[tuple[str, Sequence[TestedItem]]]:
    alone = [each for each in tested if not each.scored.item.pair and each.outcome.verdict != "-"]
    paired = [each for each in tested if each.scored.item.pair]
    kinds = ((name, [each for each in alone if is_meant(each.scored.item)]) for name, is_meant in KINDS.items())
    yield from ((name, group) for name, group in (*kinds, ("sentences of pairs on the right side", paired)) if group)


def _mark(item: Item) -> str:
    """What stands before a sentence that is not judged good."""
    doubtful = item.is_good is None and item.judgement is not None
    return f"{item.judgement} " if doubtful else item.star


def outcomes_to_json(
    tested: Sequence[TestedItem],
    grammar: Grammar,
    suite: Suite,
    lost: Sequence[LostItem] = (),
    changes: Sequence[OutcomeChange] | None = None,
    record: RunRecord | None = None,
) -> str:
    """The same as one JSON value, by the schema `numbat.test/1`; `changes` is null where none were accepted."""
    verdicts = [each.outcome.verdict for each in tested]
    another = another_grammar([each.scored.parse for each in tested], grammar)
    found = {
        "schema": SCHEMA,
        "suite": suite.name,
        "grammar": grammar.name,
        "version": grammar.version,
        "notes": [*([another] if another else []), *suite.notes],
        "sentences": len(tested),
        **{name: verdicts.count(name) for name in ("pass", *NO_SUCCESS)},
        "lost": [str(each) for each in lost],
        "changes": None if changes is None else [str(each) for each in changes],
        "items": [_item(each) for each in tested],
    }
    return json.dumps(found | run_json(record), ensure_ascii=False, indent=2)


def _item(each: TestedItem) -> dict[str, Any]:
    item, parse = each.scored.item, each.scored.parse
    return {
        "id": item.id,
        "sentence": item.sentence,
        "judgement": item.judgement,
        "verdict": each.outcome.verdict,
        "reason": each.reason,
        "cost": number(each.scored.cost),
        "violated": list(each.scored.faults),
        "guessed": forms_not_in_lexicon(parse, "guessed"),
        "unknown": forms_not_in_lexicon(parse, "unknown"),
        "explained": list(parse.explain()),
    }
