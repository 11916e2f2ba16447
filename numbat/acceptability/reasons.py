"""Answers about single sentences: explain, contrast, judge, why-not and repair, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from numbat.acceptability.judging import JudgedTree
from numbat.acceptability.models import MODELS, Contrast, Explanation, Score, figure
from numbat.acceptability.repair import RepairedSentence, doubts_of
from numbat.errors import counted, either, visible
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import Property, format_named, format_property
from numbat.markup import aligned
from numbat.parsing.explanation.text import brackets, guess_notes, with_similar
from numbat.parsing.explanation.violations import listed_words, quoted, span_of
from numbat.parsing.parser import Parser
from numbat.parsing.queries import WhyNot
from numbat.parsing.result import Parse
from numbat.reports.answers import Answer, json_text
from numbat.reports.run_notes import run_json
from numbat.runs.record import RunRecord
from numbat.words.tokens import spelled

JUDGED: Final = "numbat.judge/1"
MAX_PARTS: Final = 8
"""So many of the numbers of a score are shown one by one."""


def explanation_lines(explained: Explanation, terms: bool = False) -> Iterator[str]:
    """Return the score with what it is made of, and what each violated property takes from it."""
    yield score_line(explained.score)
    yield from _guesses(explained.parse)
    if not explained.losses:
        yield "nothing is violated"
    for loss in explained.losses:
        yield f"{loss.share:4.0%}  {figure(loss.value):>6}  {loss.sentences[0]}"
        yield from (f"{'':14}{sentence}" for sentence in loss.sentences[1:])
    if terms:
        yield ""
        yield from term_lines(explained.score)


def _guesses(parse: Parse, whose: str = "") -> Iterator[str]:
    """Return a line on the words that are not in the lexicon: scores depend on what was made of them."""
    for said in guess_notes(parse):
        yield whose + said


def score_line(found: Score) -> str:
    """Return a score with its formula and the numbers that it is made of."""
    parts = "; ".join(f"{name} {figure(value)}" for name, value in found.parts[:MAX_PARTS])
    if len(found.parts) > MAX_PARTS:
        parts += f"; others {figure(sum(value for _, value in found.parts[MAX_PARTS:]))}"
    above = f"its distance from {figure(found.worst)} " if found.worst else ""
    factor = f"; {above}times {figure(found.factor)}, not full" if found.factor != 1 else ""
    stopped = f"; stopped by the limit on {found.stopped_by}" if found.stopped_by else ""
    formula = f" = {MODELS[found.model].formula}" if found.model in MODELS else ""
    return f"{found.model} {figure(found.value)}{formula}: {parts}{factor}{stopped}"


def term_lines(found: Score) -> Iterator[str]:
    """Return the table of terms: the counts of each phrase, its own index, and the index with all below it."""
    rows = [["phrase", "words", "N+", "N-", "T", "W+", "W-", "own", "value"]]
    for term in found.terms:
        counts = term.counts
        numbers = (counts.satisfied, counts.violated, counts.total)
        weights = (counts.weight_satisfied, counts.weight_violated, term.local, term.value)
        place = f"{term.constituent.construction} {span_of(term.constituent)}"
        rows.append([place, quoted([term.constituent]), *map(str, numbers), *map(figure, weights)])
    return aligned(rows)


def contrast_lines(found: Contrast) -> Iterator[str]:
    """Return the two scores, then what only one of the parses violates, then what it satisfies more often."""
    one, other = found.parses
    yield f"A  {figure(found.one.value):>8}  {' '.join(one.lattice.tokens)}"
    yield f"B  {figure(found.other.value):>8}  {' '.join(other.lattice.tokens)}"
    yield f"   {figure(found.one.value - found.other.value):>8}  A - B under {found.one.model}"
    yield from _guesses(one, "A: ")
    yield from _guesses(other, "B: ")
    yield ""
    yield from _sides(found)


def _sides(found: Contrast) -> Iterator[str]:
    if not found.violated:
        yield "A and B violate the same properties"
    for prop, number in sorted(found.violated, key=lambda pair: pair[1] < 0):
        yield f"{'A' if number > 0 else 'B'} violates {_named_text(prop)}" + _times(number)
    for prop, number in sorted(found.satisfied, key=lambda pair: pair[1] < 0):
        yield f"{'A' if number > 0 else 'B'} satisfies {_named_text(prop)}" + _times(number)


def _times(number: int) -> str:
    return "" if abs(number) == 1 else f", {abs(number)} times more"


def _named_text(prop: Property) -> str:
    return f"{format_named(prop)}  [{', '.join(filter(None, (prop.type, prop.place)))}]"


def judged_text(judged: JudgedTree) -> str:
    """Return the tree as `numbat parse` prints it, and its score."""
    return f"{judged.parse.tree()}\n{score_line(judged.score)}"


def judged_notes(parse: Parse, parser: Parser) -> Iterator[str]:
    """Report words to which the tree gives a category that they do not have in the lexicon."""
    for word in parse.guessed:
        known = dict.fromkeys(reading.category for reading in parser.words.known(spelled(word.form)))
        if known:
            yield f'"{visible(word.form)}" is {either(known)} in the lexicon, not {word.construction} as in the tree'


def _well_formed(parse: Parse) -> Iterator[str]:
    """Report that nothing is violated, by which analysis, and doubts about it: the sentence may mean another one."""
    yield f"nothing to repair: the grammar finds no violation in {brackets(parse)}"
    yield from (f"  {doubt}" for doubt in doubts_of(parse)[len(guess_notes(parse)) :])
    yield "  where that is not what is meant, numbat why-not asks for another analysis"


def repair_lines(repaired: RepairedSentence) -> Iterator[str]:
    """Return the repairs that gain most per edit, with the sentence that each makes and what stays violated there."""
    parse, own, found = repaired.parse, repaired.score, repaired.repairs
    yield f"{own.model} {figure(own.value)}: {visible(parse.lattice.text)}"
    yield from _guesses(parse)
    if unknown := [word for word in parse.guessed if word.construction == WILDCARD]:
        these = "this word" if len(unknown) == 1 else "these words"
        listed = listed_words(with_similar([visible(word.form) for word in unknown], parse.grammar))
        yield f"  add {these} to the lexicon, for repairs can only take what is unknown away: {listed}"
    if not found and found.stopped_by:
        yield f"no edit that betters the score was found before the limit on {found.stopped_by}"
    elif not found:
        yield from ["no edit betters the score"] if parse.violated or not parse.is_full else _well_formed(parse)
    for repair in found:
        done = ", then ".join(edit.says for edit in repair.edits)
        yield f"{figure(repair.gain_per_edit):>7} an edit: {done}"
        left = "well formed" if repair.parse.is_well_formed else f"{len(repair.parse.violated)} violated"
        if not repair.parse.is_full:
            left = f"{counted(len(repair.parse.constituents), 'fragment')}, {left}"
        yield f"{'':9}{visible(repair.sentence)}  ({left})"
        if repair.parse.is_well_formed:
            yield from (f"{'':9}{doubt}" for doubt in doubts_of(repair.parse))
    if found and found.stopped_by:
        yield f"stopped by the limit on {found.stopped_by}: other edits may gain more"


# The same answers as JSON: parses as in `numbat parse -f json`, scores with their terms


def explanation(explained: Explanation, terms: bool = False) -> Answer:
    """Return the score of a sentence and its reasons; as text with the counts of each phrase, if `terms` says so."""
    return Answer(lambda: explanation_lines(explained, terms), lambda: explanation_json(explained))


def contrast(found: Contrast) -> Answer:
    """Return what makes the difference between two sentences."""
    return Answer(lambda: contrast_lines(found), lambda: contrast_json(found))


def why_not(found: WhyNot) -> Answer:
    """Return what another analysis costs, with its tree."""
    tree = [] if found.constrained is None else ["", found.constrained.tree()]
    return Answer(lambda: [found.says, *tree], lambda: why_not_json(found))


def repair(repaired: RepairedSentence) -> Answer:
    """Return the repairs of a sentence."""
    return Answer(lambda: repair_lines(repaired), lambda: repair_json(repaired))


def judged_json(judged: JudgedTree, record: RunRecord | None = None, indent: int | None = 2) -> str:
    """Return a tree that was given, its score and the record of the run. Raises DataError for one too deep for JSON."""
    value = {"schema": JUDGED, **scored_json(judged.parse, judged.score), **run_json(record)}
    return json_text(value, judged.place, "-f text", indent=indent)


def list_text(records: Sequence[str]) -> str:
    """Records that are JSON already as one list."""
    return "[\n  " + ",\n".join(records).replace("\n", "\n  ") + "\n]" if records else "[]"


def scored_json(parse: Parse, score: Score) -> dict[str, Any]:
    """Return a parse with its score."""
    return {"score": _score(score), "parse": parse.to_json()}


def explanation_json(explained: Explanation) -> dict[str, Any]:
    """Return a parse with its score and what each violated property takes from it."""
    lost = [
        {
            "construction": loss.construction or None,
            "property": None if loss.property is None else format_property(loss.property),
            "relation": None if loss.property is None else loss.property.type,
            "value": loss.value,
            "share": loss.share,
            "sentences": list(loss.sentences),
        }
        for loss in explained.losses
    ]
    return {"schema": "numbat.explain/1", "losses": lost, **scored_json(explained.parse, explained.score)}


def contrast_json(found: Contrast) -> dict[str, Any]:
    """Two parses with their scores, and how much more often the first violates and satisfies each property."""
    return {
        "schema": "numbat.contrast/1",
        "violated": [_named_json(prop, number) for prop, number in found.violated],
        "satisfied": [_named_json(prop, number) for prop, number in found.satisfied],
        "A": scored_json(found.parses[0], found.one),
        "B": scored_json(found.parses[1], found.other),
    }


def why_not_json(found: WhyNot) -> dict[str, Any]:
    """Return the answer of `why-not` as JSON, with both parses; the second is null if nothing has the constituent."""
    forced = None if found.constrained is None else found.constrained.to_json()
    return {"schema": "numbat.why-not/1", "says": found.says, "best": found.best.to_json(), "forced": forced}


def repair_json(repaired: RepairedSentence) -> dict[str, Any]:
    """Return the repairs of a parse, the best first, and the limit at which the search for them ended."""
    made = [
        {
            "sentence": repair.sentence,
            "edits": [{"kind": edit.kind, "says": edit.says} for edit in repair.edits],
            "gain": repair.gain,
            "gain_per_edit": repair.gain_per_edit,
            "well_formed": repair.parse.is_well_formed,
            "violated": len(repair.parse.violated),
            "doubts": doubts_of(repair.parse),
        }
        for repair in repaired.repairs
    ]
    return {
        "schema": "numbat.repair/1",
        "repairs": made,
        "stopped_by": repaired.repairs.stopped_by,
        "doubts": doubts_of(repaired.parse),
        **scored_json(repaired.parse, repaired.score),
    }


def _score(found: Score) -> dict[str, Any]:
    return {"model": found.model, "value": found.value, "parts": dict(found.parts), "factor": found.factor}


def _named_json(prop: Property, number: int) -> dict[str, Any]:
    return {
        "construction": prop.construction,
        "property": format_property(prop),
        "relation": prop.type,
        "more_in_A": number,
    }
