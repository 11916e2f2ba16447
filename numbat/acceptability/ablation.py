"""The loss on a suite when parts of a grammar are switched off one by one (Prost 2006)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from numbat.acceptability.suite import Suite
from numbat.acceptability.suite_report import estimate_json
from numbat.acceptability.summary import main_columns
from numbat.acceptability.verdicts import LostItem, ScoredItem, lost_items, unknown_in_all
from numbat.errors import first_of
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import Property, format_named
from numbat.parsing.parser import Parser, parser_like
from numbat.records import frozen
from numbat.reports.report import Column, Lines, Member, Members, Part, Table, cautions, report
from numbat.reports.run_notes import NAMED
from numbat.statistics.intervals import Estimate, difference


@frozen
class Ablation:
    """The main statistic of a suite without the part `name`, and how much lower it is than with all parts (`loss`).

    `full` is the number of full parses, `stopped` the number of parses that met a limit.
    """

    name: str
    value: Estimate
    loss: Estimate
    full: int
    stopped: int


def weakenings(parser: Parser) -> list[str]:
    """Return the names of what can be switched off: the heuristics in use, then the relations of the grammar."""
    relations = dict.fromkeys(prop.type for prop in parser.grammar.properties)
    return [*sorted(parser.profile.heuristics), *relations]


def weakened_parsers(parser: Parser) -> Iterator[tuple[str, Parser]]:
    """Yield each heuristic, then each relation of the grammar, by name, with a parser that works without it.

    A relation is off when its properties are taken out of the grammar; constructions still allow the same daughters.
    Without H2 or H5 the phases engine runs, under its limits and with no more than `MAX_ASSIGNMENTS` assignments.
    """
    grammar = parser.grammar
    for name in weakenings(parser):
        if name in parser.profile.heuristics:
            yield name, parser_like(parser, grammar, name)
        else:
            yield name, parser_like(parser, without_relation(grammar, name))


def without_relation(grammar: Grammar, relation: str) -> Grammar:
    """Return the grammar without the properties of a relation; constructions still allow the same daughters."""
    return replace(grammar, constructions=tuple(_without(form, relation) for form in grammar.constructions))


def violated_properties(items: Sequence[ScoredItem]) -> tuple[Property, ...]:
    """Return the properties that the parses of items violate, the most violated first."""
    counts = Counter(evaluated.property for scored in items for evaluated in scored.parse.violated)
    return tuple(sorted(counts, key=lambda prop: (-counts[prop], format_named(prop))))


def without_each(parser: Parser, properties: Sequence[Property]) -> Iterator[tuple[str, Parser]]:
    """Yield each property, by name, with a parser that lacks it; constructions still allow the same daughters."""
    grammar = parser.grammar
    for out in properties:
        forms = tuple(_kept(form, [prop for prop in form.properties if prop != out]) for form in grammar.constructions)
        yield format_named(out), parser_like(parser, replace(grammar, constructions=forms))


def _without(form: Construction, relation: str) -> Construction:
    return _kept(form, [prop for prop in form.properties if prop.type != relation])


def _kept(form: Construction, properties: Sequence[Property]) -> Construction:
    kept = tuple(properties)
    return replace(form, properties=kept, constituency=form.daughters, head=form.heads)


def ablation(
    name: str, whole: Sequence[ScoredItem], items: Sequence[ScoredItem], suite: Suite, seed: int = 0
) -> Ablation:
    """Compare the items of a suite scored with the whole grammar (`whole`) and without the part `name` (`items`)."""
    one, other = main_columns(whole, suite), main_columns(items, suite)
    loss = difference(one.statistic, one.scores, other.scores, one.ratings, seed, one.units)
    full = sum(item.parse.is_full for item in items)
    return Ablation(name, other.estimate(seed), loss, full, sum(item.parse.stopped_by is not None for item in items))


@report("numbat.ablate/1")
def ablation_report(
    ablations: Sequence[Ablation],
    statistic: str,
    suite: str,
    notes: Sequence[str] = (),
    undecided: Sequence[ScoredItem] = (),
    lost: Sequence[LostItem] = (),
) -> Iterator[Part]:
    """Report the statistic of the whole grammar, which comes first in `ablations`, then each loss, the largest first.

    `undecided` are the bad sentences left out of all figures, as unknown words alone may make them bad.
    """
    whole, *others = ablations
    rows = [whole, *sorted(others, key=lambda row: -(row.loss.value or 0.0))]
    yield Members({"suite": suite, "statistic": statistic})
    yield Member("notes", list(notes), cautions(notes))
    yield Table(_columns(whole, statistic), rows, "without")
    ids = [item.id for item in undecided]
    yield Member("undecided", ids)
    if undecided:
        which = f"{len(undecided):,} ({first_of(ids, NAMED)}); --count-undecided counts them"
        yield Lines(["", f"undecided bad sentences, left out of all figures: {which}"])
        yield Lines(unknown_in_all([item.parse for item in undecided]))
    yield lost_items(lost, [""])


def _columns(whole: Ablation, statistic: str) -> Sequence[Column[Ablation]]:
    return (
        Column("without", lambda row: row.name, "name", lambda row: None if row is whole else row.name),
        Column(statistic, lambda row: str(row.value), "value", lambda row: estimate_json(row.value)),
        Column(
            "loss",
            lambda row: "" if row is whole else str(row.loss),
            "loss",
            lambda row: None if row is whole else estimate_json(row.loss),
        ),
        Column("full parses", "", "full"),
        Column("met a limit", "", "stopped"),
    )
