"""Reports on suites: scores against judgements and verdicts; as text, JSON and HTML page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any, Final

from numbat.acceptability.covariates import BeyondLength
from numbat.acceptability.models import figure
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.summary import SPLITS, Ceiling, Experiment, Phenomenon, Reach, Residual, residuals, split
from numbat.acceptability.verdicts import (
    NO_SUCCESS,
    UNDECIDED,
    LostItem,
    OutcomeChange,
    ScoredItem,
    TestedItem,
    another_grammar,
    comparable,
    forms_not_in_lexicon,
    is_undecided,
    unknown_in_all,
    unknown_words,
)
from numbat.errors import counted, first_of, visible
from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar
from numbat.grammar.properties import format_bundle, format_named
from numbat.markup import aligned
from numbat.parsing.explanation.drawing import FOR_TREES, escaped, forest
from numbat.parsing.explanation.json_format import number
from numbat.parsing.explanation.violations import on_one_line
from numbat.reports.answers import Answer
from numbat.reports.pages import scripted_page
from numbat.runs.record import RunRecord
from numbat.statistics.intervals import MIN_UNITS, Estimate

REPORT_SCHEMA: Final = "numbat.reports/3"
SHOWN_RESIDUALS: Final = 5
NAMED: Final = 6
"""So many statistics without an interval are named where more have none."""
LEAST_RESIDUAL: Final = 0.25
"""Smaller differences of ranks come from ties and are not shown."""


def suite_report(experiment: Experiment, record: RunRecord | None = None) -> Answer:
    """Return the report as text and as JSON, with the record of the run; `mixed` are models that R fitted."""
    return Answer(lambda: text_lines(experiment), lambda: to_json(experiment), record)


def text_lines(experiment: Experiment) -> Iterator[str]:
    """Return the report in lines of text."""
    items = experiment.items
    yield from (f"! {note}" for note in experiment.foremost)
    yield f"{experiment.suite.name}: {counted(len(items), 'sentence')}, {experiment.suite.kind}{experiment.suite.means}"
    yield f"grammar {experiment.grammar}, model {experiment.model}, weights {experiment.weights}"
    yield f"{counted(experiment.full, 'full parse')}, {experiment.well_formed:,} of them well formed"
    yield from (f"! {note}" for note in experiment.notes)
    if is_compared(experiment):
        yield ""
        yield from statistics_lines(experiment)
    if experiment.ceiling is not None:
        yield ceiling_line(experiment.ceiling)
    if any(found.units for each in experiment.reaches for found in each.statistics.values()):
        yield ""
        yield from reach_lines(experiment.reaches, experiment.model)
    if experiment.beyond:
        yield ""
        yield from beyond_lines(experiment.beyond)
    for section in experiment.sections:
        yield ""
        yield from section.lines(experiment.model)
    if experiment.phenomena:
        yield ""
        yield from _phenomena_lines(experiment)
    if told := reach(experiment):
        yield ""
        yield told
    yield from missing_intervals(experiment)
    if worst := worst_residuals(experiment):
        yield ""
        yield FURTHEST
        for residual in worst:
            yield f"  {residual.value:+.2f}  {marked(residual.scored)}"
            yield from (f"         {sentence}" for sentence in residual.scored.parse.explain())


FURTHEST: Final = "furthest from the judgements (rank of the rating minus rank of the score, of 1)"


def worst_residuals(experiment: Experiment) -> list[Residual]:
    """Return the sentences furthest from the judgements, the worst first."""
    return [each for each in experiment.residuals if abs(each.value) > LEAST_RESIDUAL][:SHOWN_RESIDUALS]


def is_compared(experiment: Experiment) -> bool:
    """True if some statistic compares sentences."""
    return any(found.number for line in experiment.lines for found in line.statistics.values())


def _phenomena_lines(experiment: Experiment) -> Iterator[str]:
    """Return the phenomena with more than one sentence as a table, and how many others there are."""
    rows = phenomena_rows(experiment)
    if len(rows) > 1:
        yield from aligned(rows)
        if any(1 < each.number < MIN_UNITS for each in experiment.phenomena):
            yield f"-: no {experiment.main} is shown of fewer than {MIN_UNITS} items"
    if single := len(experiment.phenomena) + 1 - len(rows):
        yield f"{counted(single, 'phenomenon', 'phenomena')} with one sentence each"


def phenomena_rows(experiment: Experiment) -> list[list[str]]:
    """Return the phenomena with more than one sentence below the names of the columns."""
    return [
        ["phenomenon", "items", "mean rating", "mean score", experiment.main],
        *(
            [each.name, str(each.number), figure_or_dash(each.rating), figure_or_dash(each.score), within(each)]
            for each in experiment.phenomena
            if each.number > 1
        ),
    ]


def reach_lines(reaches: Sequence[Reach], model: str) -> Iterator[str]:
    """Return the statistics of the model as a table with a row for what their intervals generalise to."""
    rows = [[f"{model}, generalised to", "over", *reaches[0].statistics]]
    rows += [[each.what, each.units, *map(str, each.statistics.values())] for each in reaches]
    yield from aligned(rows)


def beyond_lines(beyond: Sequence[BeyondLength]) -> Iterator[str]:
    """Return a row for each model with what it says beyond length and the other covariates."""
    also = ", ".join(beyond[0].covariates[1:])
    rows = [["beyond length", "r over length", *([f"r over {also} too"] if also else []), "explained", "more"]]
    for each in beyond:
        partial = [str(each.over_length), *([str(each.partial)] if also else [])]
        rows.append([each.predictor, *partial, figure_or_dash(each.explained), str(each.increase)])
    yield from aligned(rows)
    named = ", ".join(beyond[0].covariates)
    yield f"r: partial pearson; explained: share of the variance of ratings by {named}; more: with the score"
    nothing = [each.predictor for each in beyond if each.increase.low is not None and each.increase.low <= 0]
    if nothing:
        told = f"! nothing beyond {named} is shown (the interval of what more is explained holds 0)"
        yield f"{told}: {', '.join(nothing)}"


def within(phenomenon: Phenomenon) -> str:
    """Return the statistic within a phenomenon; a dash where it has so few items that it would mislead."""
    return "-" if phenomenon.number < MIN_UNITS else str(phenomenon.estimate)


def statistics_lines(experiment: Experiment) -> Iterator[str]:
    """Return the table of statistics, the model above its baselines."""
    yield from aligned(statistics_rows(experiment))


def statistics_rows(experiment: Experiment) -> list[list[str]]:
    """Return the statistics of each predictor below their names."""
    names = list(experiment.lines[0].statistics)
    return [
        ["", *names],
        *([line.predictor, *(str(line.statistics[name]) for name in names)] for line in experiment.lines),
    ]


def reach(experiment: Experiment) -> str:
    """Return what the intervals generalise to; empty if there are none."""
    every = [found for line in experiment.lines for found in line.statistics.values()]
    if not any(found.units for found in every):
        return ""
    told = f"95 % intervals to other sentences of these kinds, over {experiment.units} (jackknife, t)"
    within = sum(each.estimate.units > 0 for each in experiment.phenomena)
    return f"{told}; each of {len(every) + within} is a single one: of 20, one misses" if within else told


def missing_intervals(experiment: Experiment) -> Iterator[str]:
    """Return the statistics without an interval, and why: a line for each reason."""
    reasons: dict[str, list[str]] = {}
    for line in experiment.lines:
        for reason in dict.fromkeys(found.missing for found in line.statistics.values() if found.missing):
            reasons.setdefault(reason, []).append(line.predictor)
    for phenomenon in experiment.phenomena:
        if phenomenon.estimate.missing and phenomenon.number > 1:
            reasons.setdefault(phenomenon.estimate.missing, []).append(phenomenon.name)
    for reason, names in reasons.items():
        yield f"no interval: {first_of(names, NAMED)} ({reason})"


def ceiling_line(ceiling: Ceiling) -> str:
    """Return the agreement of people with each other, which no model can be expected to pass."""
    halves = f"halves of {ceiling.participants:,} participants" if ceiling.participants else "halves of the ratings"
    of_each = f"{counted(ceiling.items, 'item')} with a median of {ceiling.judges:g} ratings"
    return f"split-half ceiling of pearson: {ceiling.value:.3f} ({halves}, {of_each}; Spearman-Brown, {SPLITS} splits)"


def figure_or_dash(value: float | None) -> str:
    """Three decimals at most; a dash where there is no value."""
    return "-" if value is None else figure(value)


def marked(scored: ScoredItem) -> str:
    """Return the sentence with its sign or rating, and its score."""
    item = scored.item
    rating = f", rated {figure_or_dash(item.rating)}" if item.judgement is None else ""
    return f"{item.id}: {item.star}{on_one_line(item.sentence)} (score {figure_or_dash(scored.value)}{rating})"


SECTIONS: Final = {"mixed_models": None, "design": None}
"""Keys of the sections that a report may have, in the order in which its JSON has them."""


def to_json(experiment: Experiment) -> dict[str, Any]:
    """Return the report as a value for `json.dumps`, by the schema `numbat.reports/3`."""
    return {
        "schema": REPORT_SCHEMA,
        "suite": experiment.suite.name,
        "kind": experiment.suite.kind,
        "grammar": experiment.grammar,
        "model": experiment.model,
        "weights": experiment.weights,
        "sentences": len(experiment.items),
        "full": experiment.full,
        "well_formed": experiment.well_formed,
        "stopped": experiment.stopped,
        "notes": [*experiment.foremost, *experiment.notes],
        "main": experiment.main,
        "units": experiment.units,
        "statistics": {
            line.predictor: {name: estimate_json(e) for name, e in line.statistics.items()} for line in experiment.lines
        },
        "ceiling": None if experiment.ceiling is None else asdict(experiment.ceiling),
        "generalised": [
            {"to": r.what, "over": r.units, "statistics": {name: estimate_json(e) for name, e in r.statistics.items()}}
            for r in experiment.reaches
        ],
        "beyond_length": [
            {
                "predictor": each.predictor,
                "covariates": list(each.covariates),
                "over_length": estimate_json(each.over_length),
                "partial": estimate_json(each.partial),
                "explained": each.explained,
                "increase": estimate_json(each.increase),
            }
            for each in experiment.beyond
        ],
        **SECTIONS,
        **{key: value for section in experiment.sections for key, value in section.as_json().items()},
        "phenomena": [
            {
                "name": p.name,
                "items": p.number,
                "rating": p.rating,
                "score": p.score,
                experiment.main: estimate_json(p.estimate),
            }
            for p in experiment.phenomena
        ],
        "residuals": [{"id": r.scored.item.id, "residual": r.value} for r in experiment.residuals],
        "properties": [
            {"construction": t.construction, "relation": t.relation, "satisfied": t.satisfied, "violated": t.violated}
            for t in experiment.tallies
        ],
        "items": [_item_json(each, experiment) for each in experiment.items],
    }


def estimate_json(found: Estimate) -> dict[str, float | int | None]:
    """Return a statistic with its interval as a value for `json.dumps`."""
    numbers = {"value": found.value, "low": found.low, "high": found.high}
    return numbers | {"items": found.number, "units": found.units}


def _item_json(each: ScoredItem, experiment: Experiment) -> dict[str, Any]:
    item, parse = each.item, each.parse
    others = {name: model(each) for name, model in experiment.others} if parse.constituents else {}
    return {
        "id": item.id,
        "sentence": item.sentence,
        "judgement": item.judgement,
        "rating": item.rating,
        "judges": item.judges,
        "error": item.error,
        "phenomenon": item.phenomenon,
        "pair": item.pair,
        "score": each.value,
        **({"scores": {experiment.model: each.value, **others}} if others else {}),
        "cost": number(each.cost),
        "full": parse.is_full,
        "well_formed": parse.is_well_formed,
        "stopped_by": parse.stopped_by,
        "length": each.length,
        "unknown": each.unknown,
        "guessed_words": forms_not_in_lexicon(parse, "guessed"),
        "unknown_words": forms_not_in_lexicon(parse, "unknown"),
        "undecided": is_undecided(each),
        "tree": parse.to_brackets(),
        "violated": list(parse.explain()),
    }


# Verdicts of `numbat test`

VERDICT_SCHEMA: Final = "numbat.test/1"
KINDS: Final[dict[str, Callable[[Item], bool]]] = {
    "good sentences at cost 0": lambda item: item.is_good is True,
    "bad sentences that violate what they should": lambda item: item.is_good is False,
    "sentences between good and bad that rank there": lambda item: item.is_good is None and item.judgement is not None,
}
"""What it is for a sentence to pass, with the sentences that it is asked of."""


def outcome_lines(tested: Sequence[TestedItem], grammar: Grammar, notes: Sequence[str] = ()) -> Iterator[str]:
    """Return the grammar, the shares of items that pass, ambiguity, then each item that does not, with what is wrong.

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
    yield from _other_reasons(tested)
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


def _other_reasons(tested: Sequence[TestedItem]) -> Iterator[str]:
    """Return a line on the sentences that are bad for another reason than the property that they name."""
    naming = [each for each in tested if each.scored.names_property]
    if naming:
        number = sum(bool(each.instead) for each in naming)
        share = f"{number} of {counted(len(naming), 'sentence')} that name{'s' * (len(naming) == 1)} a property"
        yield f"{share} {'is' if 1 in (number, len(naming)) else 'are'} bad for another reason"


def _groups(tested: Sequence[TestedItem]) -> Iterator[tuple[str, Sequence[TestedItem]]]:
    alone = [each for each in tested if not each.scored.item.pair and each.outcome.verdict != "-"]
    paired = [each for each in tested if each.scored.item.pair]
    kinds = ((name, [each for each in alone if is_meant(each.scored.item)]) for name, is_meant in KINDS.items())
    yield from ((name, group) for name, group in (*kinds, ("sentences of pairs on the right side", paired)) if group)


def _mark(item: Item) -> str:
    """Return the mark of a sentence that is not judged good."""
    doubtful = item.is_good is None and item.judgement is not None
    return f"{item.judgement} " if doubtful else item.star


def outcomes_json(
    tested: Sequence[TestedItem],
    grammar: Grammar,
    suite: Suite,
    lost: Sequence[LostItem] = (),
    changes: Sequence[OutcomeChange] | None = None,
) -> dict[str, Any]:
    """Return the same by the schema `numbat.test/1`; `changes` is null where none were accepted."""
    verdicts = [each.outcome.verdict for each in tested]
    another = another_grammar([each.scored.parse for each in tested], grammar)
    return {
        "schema": VERDICT_SCHEMA,
        "suite": suite.name,
        "grammar": grammar.name,
        "version": grammar.version,
        "notes": [*([another] if another else []), *suite.notes],
        "sentences": len(tested),
        **{name: verdicts.count(name) for name in ("pass", *NO_SUCCESS)},
        "other_reason": sum(bool(each.instead) for each in tested),
        "lost": [str(each) for each in lost],
        "changes": None if changes is None else [str(each) for each in changes],
        "items": [_verdict_json(each) for each in tested],
    }


def _verdict_json(each: TestedItem) -> dict[str, Any]:
    item, parse = each.scored.item, each.scored.parse
    return {
        "id": item.id,
        "sentence": item.sentence,
        "judgement": item.judgement,
        "verdict": each.outcome.verdict,
        "reason": each.reason,
        "property": item.named_property or None,
        "instead": list(each.instead),
        "cost": number(each.scored.cost),
        "violated": list(each.scored.faults),
        "guessed": forms_not_in_lexicon(parse, "guessed"),
        "unknown": forms_not_in_lexicon(parse, "unknown"),
        "explained": list(parse.explain()),
    }


# The report of a suite as one HTML page that needs no network: data that `assets/suite.js` draws.
#
# Trees are drawn in the browser when a sentence is clicked, so that a page of thousands of sentences opens at once.

MAX_POINTS = 400
"""Of a longer ROC curve every so many points are drawn."""
DEEPEST = 200
"""So many phrases below each other are drawn; nobody reads more, and JSON cannot be nested without end."""


def suite_page(experiment: Experiment, record: RunRecord | None = None) -> str:
    """Return the page as text, with the record of the run at its end; `mixed` are models that R fitted."""
    content = _content(experiment) | {"mixed": []}
    for section in experiment.sections:
        content |= section.on_page(experiment.model)
    return scripted_page(f"Numbat: {experiment.suite.name}", "suite", content, record)


def _content(experiment: Experiment) -> dict[str, Any]:
    properties: dict[str, int] = {}
    compared = comparable(experiment.items)
    beside = {each.scored.item.id: round(each.value, 3) for each in residuals(compared)}
    step = max(1, len(experiment.curve) // MAX_POINTS)
    points = [*experiment.curve[::step], *experiment.curve[-1:]]
    any_rated = bool(compared)
    return {
        "title": experiment.suite.name,
        "about": (
            f"{counted(len(experiment.items), 'sentence')}{experiment.suite.means}; "
            f"{counted(experiment.full, 'full parse')}, {experiment.well_formed:,} of them well formed. "
            f"Grammar {experiment.grammar}, model {experiment.model}, weights {experiment.weights}."
        ),
        "model": experiment.model,
        "main": experiment.main,
        "resampling": reach(experiment),
        "split": split(compared)[1] if compared else "",
        "beyond": list(beyond_lines(experiment.beyond)) if experiment.beyond else [],
        "reaches": [
            [r.what, r.units, {name: _estimate_data(found) for name, found in r.statistics.items()}]
            for r in experiment.reaches
        ],
        "notes": [*experiment.foremost, *experiment.notes],
        "designs": "",
        "ceiling": "" if experiment.ceiling is None else ceiling_line(experiment.ceiling),
        "lines": [
            [line.predictor, {name: _estimate_data(found) for name, found in line.statistics.items()}, line.is_baseline]
            for line in experiment.lines
            if any_rated
        ],
        "phenomena": [
            [
                p.name,
                p.number,
                _rounded(p.rating),
                _rounded(p.score),
                _estimate_data(_shown(p)),
            ]
            for p in experiment.phenomena
        ],
        "tallies": [[t.construction, t.relation, t.satisfied, t.violated] for t in experiment.tallies],
        "curve": [[round(x, 4), round(y, 4)] for x, y in points],
        "items": [_item_data(each, beside.get(each.item.id), properties) for each in experiment.items],
        "properties": list(properties),
    }


def _shown(phenomenon: Phenomenon) -> Estimate:
    return phenomenon.estimate if phenomenon.number >= MIN_UNITS else Estimate(None, None, None, phenomenon.number)


def _estimate_data(found: Estimate) -> list[float | None]:
    return [_rounded(found.value), _rounded(found.low), _rounded(found.high)]


def _rounded(value: float | None) -> float | None:
    """Return a number with as many decimals as the page shows: one that is rounded twice may differ from other
    reports.
    """
    return None if value is None else round(value, 3)


def _item_data(each: ScoredItem, residual: float | None, properties: dict[str, int]) -> list[Any]:
    item, parse = each.item, each.parse
    return [
        item.id,
        visible(item.sentence),
        item.judgement,
        item.rating,
        _rounded(each.value),
        number(each.cost),
        item.phenomenon,
        2 if parse.is_well_formed else int(parse.is_full),
        residual,
        " ".join((*each.faults, *(("undecided",) if is_undecided(each) else ()))),
        [*parse.explain(), *filter(None, (unknown_words(parse),))],
        [tree(top, properties) for top in parse.constituents],
    ]


def tree(node: Constituent, properties: dict[str, int], depth: int = 0) -> list[Any]:
    """Return a constituent as the page reads it; `properties` numbers the violated ones.

    What lies deeper than `DEEPEST` is its words alone.
    """
    name = visible(node.construction)
    if node.is_word:
        return [name, visible(node.form), node.start, int(node.guessed)]
    violated = dict.fromkeys(format_named(instance.property) for instance in node.characterization.violated)
    numbers = [properties.setdefault(text, len(properties)) for text in violated]
    if depth == DEEPEST:
        words = sorted(node.words(), key=lambda word: word.start)
        daughters: list[Any] = [["…", visible(" ".join(word.form for word in words)), node.start, 0]]
    else:
        daughters = [tree(daughter, properties, depth + 1) for daughter in node.daughters]
    return [name, daughters, numbers, format_bundle(node.features)]


FOR_EXAMPLES: Final = f"{FOR_TREES}; for examples, last: \\usepackage{{gb4e}}"
"""Comments that name the packages."""


def suite_latex(experiment: Experiment) -> str:
    """Return the sentences of a suite as numbered examples, then a tree for each."""
    trees = (f"\n% {escaped(each.item.id)}\n{forest(each.parse)}" for each in experiment.items)
    return f"{FOR_EXAMPLES}\n{examples(experiment.items)}" + "".join(trees)


def examples(items: Iterable[ScoredItem]) -> str:
    """Return a `gb4e` list: each sentence with its sign, and a label `ex:ID` to refer to."""
    lines = ["\\begin{exe}"]
    for each in items:
        item = each.item
        sign = escaped(item.judgement or "") if item.is_good is None else item.star
        where = f"\\label{{ex:{_key(item.id)}}}"
        lines.append(f"  \\ex[{sign}]{{{escaped(item.sentence)}}}{where}")
    return "\n".join([*lines, "\\end{exe}"]) + "\n"


def _key(id: str) -> str:
    """Return an id as a label that LaTeX takes: letters, digits and hyphens."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in id)
