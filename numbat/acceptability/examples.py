"""The examples of a grammar as a suite: each is tested against the property behind which it stands (ruling 51)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from numbat.acceptability.runs import LostItems, run_suite
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.verdicts import ItemOutcome, ScoredItem, TestedItem, violated_instead
from numbat.errors import DataError
from numbat.grammar.model import Grammar
from numbat.grammar.printing import format_statements
from numbat.grammar.properties import Property, Strength, format_named
from numbat.parsing.explanation.violations import decimal
from numbat.parsing.parser import Parser, parser_like
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.runs.loop import Executor, in_this_process
from numbat.runs.sentences import Reader, plain

TIES: Final = 8
"""Maximum number of equally cheap parses that are asked whether they show what an example is for."""


@frozen
class ExampleSuite:
    """The examples of a grammar as a suite, with the properties (or prices) that each item shows, by its id.

    The statement behind which an example stands may be several properties, by its braces or by inheritance.
    """

    suite: Suite
    shown: dict[str, tuple[Property, ...]]


def examples_of(grammar: Grammar) -> ExampleSuite:
    """Return the examples of a grammar in the order of its properties. Raises DataError if there are none."""
    items: dict[str, Item] = {}
    shown: dict[str, tuple[Property, ...]] = {}
    for prop in grammar.rules:
        for number, example in enumerate(prop.examples, 1):
            span = example.span
            id = f"{span.short}:{span.column}" if span else f"{len(items)}.{number}"
            shown[id] = (*shown.get(id, ()), prop)
            sign, path, line = "*" if example.starred else "ok", span.path if span else "", span.line if span else 0
            items[id] = Item(id, example.text, None, sign, prop.construction, line=line, path=path)
    if not items:
        hint = 'write them behind its properties: NP ~> VP [number] e.g. "the cat sleeps", *"the cat sleep"'
        raise DataError(f"{grammar.title}: this grammar has no examples\n  {hint}")
    named = (replace(item, named_property=_named(shown[id])) for id, item in items.items())
    return ExampleSuite(Suite(grammar.files[0] if grammar.files else grammar.title, tuple(named)), shown)


def _named(properties: Sequence[Property]) -> str:
    """Return the statement that these properties are from, without its strength: `NP: Det < {Adj, N}`."""
    first = properties[0]
    here = (prop for prop in properties if prop.construction == first.construction)
    bare = (replace(prop, title="", examples=(), stated=Strength()) for prop in here)
    return format_named(first) if first.is_price else f"{first.construction}: {'; '.join(format_statements(bare))}"


def judge_examples(
    examples: ExampleSuite,
    parser: Parser,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
) -> list[TestedItem]:
    """Return every example with its outcome.

    An example passes if the best parse shows what the example is for; failing that, if its best parse as a phrase does,
    which may be of any construction; failing that, if a parse that is as cheap as one of these does.
    """
    suite = examples.suite
    phrases = parser_like(parser, replace(parser.grammar, roots=()))
    scored = list(run_suite(suite, parser, None, read, executor, lost))
    failing = [item for item in scored if not _shows(item.parse, item, examples)]
    as_phrases = dict[str, ScoredItem]()
    if failing:
        part = replace(suite, items=tuple(item.item for item in failing))
        as_phrases = {item.id: item for item in run_suite(part, phrases, None, read, executor, lost, "as a phrase")}
    passed = {item.id for item in as_phrases.values() if _shows(item.parse, item, examples)}
    for item in failing:
        tied = (parse for way in (parser, phrases) for parse in _tied(way, read(item.item.sentence, way)))
        if item.id not in passed and any(_shows(parse, item, examples) for parse in tied):
            passed.add(item.id)
    failed = {item.id for item in failing} - passed
    readings = [item if item.parse.is_full else as_phrases.get(item.id, item) for item in scored]
    return [_tested(item, examples.shown[item.id] if item.id in failed else ()) for item in readings]


def _tied(parser: Parser, sentence: object) -> Iterator[Parse]:
    parses = parser.n_best(sentence, TIES)  # type: ignore[arg-type]
    return (parse for parse in parses if parse.cost_units == parses[0].cost_units)


def _shows(parse: Parse, scored: ScoredItem, examples: ExampleSuite) -> bool:
    """True if a parse shows what an example is for.

    It has the price; or violates the property if and only if the example has a star. Nothing violates a hard property,
    so a starred example of one is whatever is not well formed.
    """
    shown = examples.shown[scored.id]
    if shown[0].is_price:
        return any(evaluated.property in shown for evaluated in parse.priced)
    if scored.item.star and shown[0].hard:
        return not parse.is_well_formed
    return bool(scored.item.star) == any(evaluated.property in shown for evaluated in parse.violated)


def _tested(scored: ScoredItem, missed: Sequence[Property]) -> TestedItem:
    """Return an example with its outcome; `missed` are the properties that it fails to show, empty if it passes."""
    verdict, reason, instead = "pass", "", tuple[str, ...]()
    if missed:
        verdict = "fail"
        meant = f"{scored.item.named_property} ({missed[0].place})"
        others = violated_instead(scored.parse, missed)
        if not missed[0].is_price and not scored.item.star:
            reason = f"violates {meant}"
        elif missed[0].is_price:
            reason = f"does not have {meant}" + (f", and violates {', '.join(others)}" if others else "")
        elif others:
            reason, instead = f"violates {', '.join(others)} instead of {meant}", others
        else:
            reason = f"violates nothing, and should violate {meant}"
    outcome = ItemOutcome(scored.id, verdict, decimal(scored.cost), " ".join(scored.faults))
    return TestedItem(scored, outcome, reason, instead)
