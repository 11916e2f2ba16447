"""Answers about single sentences: explain, contrast, judge, why-not and repair, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from numbat.acceptability.models import MODELS, Contrast, Explanation, Loss
from numbat.acceptability.repair import Repair, RepairedSentence, doubts_of
from numbat.acceptability.scores import Score, Term, figure
from numbat.acceptability.sentences import JudgedTree
from numbat.errors import counted, either, visible
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import Property, format_named, format_property
from numbat.parsing.explanation.text import brackets, guess_notes, with_similar
from numbat.parsing.explanation.violations import explain_diagnoses, listed_words, quoted, span_of
from numbat.parsing.parser import Parser
from numbat.parsing.queries import WhyNot
from numbat.parsing.result import Parse
from numbat.reports.report import Column, Line, Lines, Member, Members, Part, Table, report
from numbat.words.tokens import spelled

MAX_PARTS: Final = 8
"""Maximum number of the parts of a score that are shown separately."""


@report("numbat.explain/1")
def explanation(explained: Explanation, terms: bool = False) -> Iterator[Part]:
    """Return the score with its parts, and the loss by each violated property; `terms` adds counts of phrases."""
    yield Line(score_line(explained.score))
    yield Lines(
        [
            *_guesses(explained.parse),
            *_nothing_violated(explained),
        ]
    )
    yield Lines([line for loss in explained.losses for line in _loss_lines(loss)])
    yield Lines(explain_diagnoses(explained.parse))
    if terms:
        yield Line()
        yield _terms(explained.score)
    yield Table(LOSSES, explained.losses, "losses")
    yield Members(lambda: scored_json(explained.parse, explained.score))


LOSSES: Final[Sequence[Column[Loss]]] = (
    Column(key="construction", value=lambda loss: loss.construction or None),
    Column(key="property", value=lambda loss: None if loss.property is None else format_property(loss.property)),
    Column(key="relation", value=lambda loss: None if loss.property is None else loss.property.type),
    Column(key="value"),
    Column(key="share"),
    Column(key="sentences", value=lambda loss: list(loss.sentences)),
)


def _nothing_violated(explained: Explanation) -> Iterator[str]:
    """Say that nothing is violated; prices may still be losses."""
    if all(loss.property is not None and loss.property.is_price for loss in explained.losses):
        yield "nothing is violated"


def _loss_lines(loss: Loss) -> Iterator[str]:
    yield f"{loss.share:4.0%}  {figure(loss.value):>6}  {loss.sentences[0]}"
    yield from (f"{'':14}{sentence}" for sentence in loss.sentences[1:])


def _guesses(parse: Parse, whose: str = "") -> Iterator[str]:
    """Yield notes on guessed words, as scores depend on the guesses."""
    for said in guess_notes(parse):
        yield whose + said


def score_line(score: Score) -> str:
    """Return a score with its formula and its parts."""
    parts = "; ".join(f"{name} {figure(value)}" for name, value in score.parts[:MAX_PARTS])
    if len(score.parts) > MAX_PARTS:
        parts += f"; others {figure(sum(value for _, value in score.parts[MAX_PARTS:]))}"
    above = f"its distance from {figure(score.worst)} " if score.worst else ""
    factor = f"; {above}times {figure(score.factor)}, not full" if score.factor != 1 else ""
    stopped = f"; stopped by the limit on {score.stopped_by}" if score.stopped_by else ""
    formula = f" = {MODELS[score.model].formula}" if score.model in MODELS else ""
    return f"{score.model} {figure(score.value)}{formula}: {parts}{factor}{stopped}"


def _terms(score: Score) -> Table[Term]:
    """Return the table of terms: for each phrase its counts, its index alone, and its index with all phrases below."""
    columns: list[Column[Term]] = [
        Column("phrase", lambda term: f"{term.constituent.construction} {span_of(term.constituent)}"),
        Column("words", lambda term: quoted([term.constituent])),
        Column("N+", lambda term: str(term.counts.satisfied)),
        Column("N-", lambda term: str(term.counts.violated)),
        Column("T", lambda term: str(term.counts.total)),
        Column("W+", lambda term: figure(term.counts.weight_satisfied)),
        Column("W-", lambda term: figure(term.counts.weight_violated)),
        Column("own", lambda term: figure(term.local)),
        Column("value", lambda term: figure(term.value)),
    ]
    return Table(columns, score.terms)


@report("numbat.contrast/1")
def contrast(contrasted: Contrast) -> Iterator[Part]:
    """Return the scores of the sentences A and B, then what each violates more often, then what it satisfies more."""
    one, other = contrasted.parses
    yield Lines(
        [
            f"A  {figure(contrasted.one.value):>8}  {' '.join(one.lattice.tokens)}",
            f"B  {figure(contrasted.other.value):>8}  {' '.join(other.lattice.tokens)}",
            f"   {figure(contrasted.one.value - contrasted.other.value):>8}  A - B under {contrasted.one.model}",
            *_guesses(one, "A: "),
            *_guesses(other, "B: "),
            *(f"A: {line}" for line in explain_diagnoses(one)),
            *(f"B: {line}" for line in explain_diagnoses(other)),
            "",
        ]
    )
    if not contrasted.violated:
        yield Line("A and B violate the same properties")
    for key, verb, differing in (
        ("violated", "violates", contrasted.violated),
        ("satisfied", "satisfies", contrasted.satisfied),
    ):
        yield Lines([_differing(verb, *row) for row in sorted(differing, key=lambda pair: pair[1] < 0)])
        yield Table(MORE_OFTEN, differing, key)
    yield Member("A", lambda: scored_json(one, contrasted.one))
    yield Member("B", lambda: scored_json(other, contrasted.other))


MORE_OFTEN: Final[Sequence[Column[tuple[Property, int]]]] = (
    Column(key="construction", value=lambda row: row[0].construction),
    Column(key="property", value=lambda row: format_property(row[0])),
    Column(key="relation", value=lambda row: row[0].type),
    Column(key="more_in_A", value=lambda row: row[1]),
)


def _differing(verb: str, prop: Property, number: int) -> str:
    times = "" if abs(number) == 1 else f", {abs(number)} times more"
    where = ", ".join(filter(None, (prop.type, prop.place)))
    return f"{'A' if number > 0 else 'B'} {verb} {format_named(prop)}  [{where}]{times}"


@report("numbat.why-not/1")
def why_not(answer: WhyNot) -> Iterator[Part]:
    """Return the cost of another analysis, and both parses; the second is null if no parse has the constituent."""
    forced = answer.constrained
    yield Member("says", answer.says, answer.says)
    yield Lines(explain_diagnoses(answer.best))
    yield Member("best", answer.best.to_json)
    yield Member("forced", None if forced is None else forced.to_json)
    if forced is not None:
        yield Lines(lambda: ["", forced.tree()])


def _well_formed(parse: Parse) -> Iterator[str]:
    """Report that nothing is violated, in which analysis, and doubts about that analysis."""
    yield f"nothing to repair: the grammar finds no violation in {brackets(parse)}"
    yield from (f"  {doubt}" for doubt in doubts_of(parse)[len(guess_notes(parse)) :])
    yield "  if another analysis is meant, ask for it with numbat why-not"


@report("numbat.repair/1")
def repair(repaired: RepairedSentence) -> Iterator[Part]:
    """Return the repairs by gain per edit, each with its sentence and what that still violates; last, the limit met."""
    parse, score, repairs = repaired.parse, repaired.score, repaired.repairs
    yield Line(f"{score.model} {figure(score.value)}: {visible(parse.lattice.text)}")
    yield Lines([*_guesses(parse), *_beyond_repair(parse)])
    if not repairs and repairs.stopped_by:
        yield Line(f"no edit was found that improves the score before the limit on {repairs.stopped_by}")
    elif not repairs:
        is_well_formed = not parse.violated and parse.is_full
        yield Lines([*_well_formed(parse)]) if is_well_formed else Line("no edit improves the score")
    yield Lines(lambda: [line for repair_ in repairs for line in _repair_lines(repair_)])
    yield Table(REPAIRS, repairs, "repairs")
    yield Member("stopped_by", repairs.stopped_by)
    if repairs and repairs.stopped_by:
        yield Line(f"stopped by the limit on {repairs.stopped_by}: other edits may gain more")
    yield Member("doubts", lambda: doubts_of(parse))
    yield Members(lambda: scored_json(parse, score))


REPAIRS: Final[Sequence[Column[Repair]]] = (
    Column(key="sentence"),
    Column(key="edits", value=lambda repair_: [{"kind": edit.kind, "says": edit.says} for edit in repair_.edits]),
    Column(key="says", value=lambda repair_: repair_.suggestion),
    Column(key="gain"),
    Column(key="gain_per_edit"),
    Column(key="well_formed", value=lambda repair_: repair_.parse.is_well_formed),
    Column(key="violated", value=lambda repair_: len(repair_.parse.violated)),
    Column(key="doubts", value=lambda repair_: doubts_of(repair_.parse)),
)


def _repair_lines(repair_: Repair) -> Iterator[str]:
    yield f"{figure(repair_.gain_per_edit):>7} an edit: {repair_.says}"
    left = "well formed" if repair_.parse.is_well_formed else f"{len(repair_.parse.violated)} violated"
    if not repair_.parse.is_full:
        left = f"{counted(len(repair_.parse.constituents), 'fragment')}, {left}"
    yield f"{'':9}{visible(repair_.sentence)}  ({left})"
    if repair_.parse.is_well_formed:
        yield from (f"{'':9}{doubt}" for doubt in doubts_of(repair_.parse))


def _beyond_repair(parse: Parse) -> Iterator[str]:
    """Report unknown words, which repairs can only delete."""
    if unknown := [word for word in parse.guessed if word.construction == WILDCARD]:
        these = "this word" if len(unknown) == 1 else "these words"
        listed = listed_words(with_similar([visible(word.form) for word in unknown], parse.grammar))
        yield f"  add {these} to the lexicon, as repairs can only delete unknown words: {listed}"


# Judged trees


@report("numbat.judge/1")
def judged_report(judged: JudgedTree) -> Iterator[Part]:
    """Return the tree as `numbat parse` prints it, and its score."""
    yield Members(lambda: scored_json(judged.parse, judged.score))
    yield Lines(lambda: [judged.parse.tree(), score_line(judged.score)])


def judged_notes(parse: Parse, parser: Parser) -> Iterator[str]:
    """Report words to which the lexicon does not give their category in the tree."""
    for word in parse.guessed:
        known = dict.fromkeys(reading.category for reading in parser.words.known(spelled(word.form)))
        if known:
            yield f'"{visible(word.form)}" is {either(known)} in the lexicon, not {word.construction} as in the tree'


def list_text(records: Sequence[str]) -> str:
    """Return JSON records as one JSON list."""
    return "[\n  " + ",\n".join(records).replace("\n", "\n  ") + "\n]" if records else "[]"


def scored_json(parse: Parse, score: Score) -> dict[str, Any]:
    """Return a parse with its score, for JSON."""
    return {"score": _score(score), "parse": parse.to_json()}


def _score(score: Score) -> dict[str, Any]:
    return {"model": score.model, "value": score.value, "parts": dict(score.parts), "factor": score.factor}
