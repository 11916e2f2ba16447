"""Reports on suites: scores against judgements and verdicts; as text, JSON and HTML page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from statistics import median
from typing import Any, Final

from numbat.acceptability.covariates import BeyondLength
from numbat.acceptability.models import GRAMMAR
from numbat.acceptability.scores import figure
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.summary import (
    SPLITS,
    Ceiling,
    Experiment,
    PhenomenonSummary,
    PredictorStatistics,
    Reach,
    Residual,
    residuals,
    split,
)
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
    lost_items,
    unknown_in_all,
    unknown_words,
)
from numbat.errors import counted, first_of, visible
from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar
from numbat.grammar.properties import format_bundle, format_named
from numbat.parsing.explanation.drawing import FOR_TREES, escaped, forest
from numbat.parsing.explanation.json_format import number
from numbat.parsing.explanation.violations import on_one_line
from numbat.parsing.result import Parse
from numbat.reports.pages import scripted_page
from numbat.reports.report import Column, Line, Lines, Member, Members, Part, Table, cautions, keys, report
from numbat.runs.record import RunRecord
from numbat.statistics.intervals import MIN_UNITS, Estimate

SHOWN_RESIDUALS: Final = 5
NAMED: Final = 6
"""Maximum number of statistics named in a message as lacking an interval."""
LEAST_RESIDUAL: Final = 0.25
"""Minimum difference of ranks that is shown; smaller ones come from ties."""


@report("numbat.report/3")
def suite_report(experiment: Experiment) -> Iterator[Part]:
    """Return scores against judgements: statistics, phenomena, and the sentences with the largest differences."""
    suite, items = experiment.suite, experiment.items
    numbers = f"{counted(len(items), 'sentence')}, {suite.kind}{suite.means}"
    yield Member("suite", suite.name, [*cautions(experiment.foremost), f"{suite.name}: {numbers}"])
    yield Member("kind", suite.kind)
    grammar, model, weights = experiment.grammar, experiment.model, experiment.weights
    yield Member("grammar", grammar, f"grammar {grammar}, model {model}, weights {weights}")
    yield Members({"model": model, "weights": weights, "sentences": len(items)})
    full = f"{counted(experiment.full, 'full parse')}, {experiment.well_formed:,} of them well formed"
    yield Member("full", experiment.full, full)
    yield Members({"well_formed": experiment.well_formed, "stopped": experiment.stopped})
    yield Member("notes", [*experiment.foremost, *experiment.notes], cautions(experiment.notes))
    yield Members({"main": experiment.main, "units": experiment.units})
    statistics = {line.predictor: _estimates(line.statistics) for line in experiment.lines}
    compared = ["", *statistics_table(experiment).lines()] if is_compared(experiment) else ()
    yield Member("statistics", statistics, compared)
    ceiling = experiment.ceiling
    yield Member("ceiling", ceiling and asdict(ceiling), ceiling_line(ceiling) if ceiling else ())
    reaches = _reaches(experiment)
    has_units = any(estimate.units for reach_ in experiment.reaches for estimate in reach_.statistics.values())
    yield Member("generalised", reaches.objects(), ["", *reaches.lines()] if has_units else ())
    beyond = ["", *beyond_lines(experiment.beyond)] if experiment.beyond else ()
    yield Member("beyond_length", _beyond(experiment.beyond).objects(), beyond)
    yield Members(SECTIONS)
    for section in experiment.sections:
        yield Line()
        yield section.part(model)
    phenomena = ["", *_phenomena_lines(experiment)] if experiment.phenomena else ()
    yield Member("phenomena", phenomena_table(experiment).objects(), phenomena)
    yield Lines([*(("", note) if (note := reach(experiment)) else ()), *missing_intervals(experiment)])
    yield Member("residuals", [{"id": r.scored.item.id, "residual": r.value} for r in experiment.residuals])
    yield Lines(lambda: _furthest(experiment))
    yield Table(keys("construction", "relation", "satisfied", "violated"), experiment.tallies, "properties")
    yield Member("items", lambda: [_item(item, experiment) for item in items])


SECTIONS: Final = {"mixed_models": None, "design": None}
"""Keys of optional sections of a report, in the order of its JSON."""


FURTHEST: Final = "furthest from the judgements (rank of the rating minus rank of the score, both from 0 to 1)"


def _furthest(experiment: Experiment) -> Iterator[str]:
    if worst := worst_residuals(experiment):
        yield from ("", FURTHEST)
    for residual in worst:
        yield f"  {residual.value:+.2f}  {marked(residual.scored)}"
        yield from (f"         {sentence}" for sentence in residual.scored.parse.explain())


def worst_residuals(experiment: Experiment) -> list[Residual]:
    """Return the sentences furthest from the judgements, the worst first."""
    return [residual for residual in experiment.residuals if abs(residual.value) > LEAST_RESIDUAL][:SHOWN_RESIDUALS]


def is_compared(experiment: Experiment) -> bool:
    """True if some statistic compares sentences."""
    return any(estimate.number for line in experiment.lines for estimate in line.statistics.values())


def statistics_table(experiment: Experiment) -> Table[PredictorStatistics]:
    """Return the table of statistics, with the model above its baselines."""
    names = experiment.lines[0].statistics
    statistics = (Column(name, partial(_statistic, name=name)) for name in names)
    columns: list[Column[PredictorStatistics]] = [Column("", "", value=attrgetter("predictor")), *statistics]
    return Table(columns, experiment.lines)


def _statistic(line: PredictorStatistics, name: str) -> str:
    return str(line.statistics[name])


def _reaches(experiment: Experiment) -> Table[Reach]:
    """Return the statistics of the model, with a row for each population to which their intervals generalise."""
    reaches = experiment.reaches
    names = reaches[0].statistics if reaches else ()
    return Table(
        (
            Column(f"{experiment.model}, generalised to", "", "to", attrgetter("what")),
            Column("over", "", "over", attrgetter("units")),
            *(Column(name, partial(_statistic, name=name)) for name in names),
            Column(key="statistics", value=lambda reach_: _estimates(reach_.statistics)),
        ),
        reaches,
    )


def _beyond(beyond: Sequence[BeyondLength]) -> Table[BeyondLength]:
    """Return a table with a row for each model: what it predicts beyond length and the other covariates."""
    also = ", ".join(beyond[0].covariates[1:]) if beyond else ""
    return Table(
        (
            Column("beyond length", "", "predictor"),
            Column(key="covariates", value=lambda row: list(row.covariates)),
            _estimated("r over length", "over_length"),
            _estimated(f"r over {also} too" if also else "", "partial"),
            Column(
                "explained",
                lambda row: figure_or_dash(row.explained),
                "explained",
                attrgetter("explained"),
            ),
            _estimated("more", "increase"),
        ),
        beyond,
    )


def _estimated(title: str, key: str) -> Column[Any]:
    """Return a column for the estimate in the attribute `key`; without a title it is only in JSON."""
    text = (lambda record: str(getattr(record, key))) if title else None
    return Column(title, text, key, lambda record: estimate_json(getattr(record, key)))


def beyond_lines(beyond: Sequence[BeyondLength]) -> Iterator[str]:
    """Yield the table of what models predict beyond length, with a legend of its columns."""
    yield from _beyond(beyond).lines()
    named = ", ".join(beyond[0].covariates)
    yield f"r: partial pearson; explained: share of the variance of ratings by {named}; more: with the score"
    nothing = [length.predictor for length in beyond if length.increase.low is not None and length.increase.low <= 0]
    if nothing:
        note = f"! no gain beyond {named} is shown (the interval of the increase includes 0)"
        yield f"{note}: {', '.join(nothing)}"


def phenomena_table(experiment: Experiment) -> Table[PhenomenonSummary]:
    """Return the table of phenomena; the text has only those with more than one sentence."""
    return Table(
        (
            Column("phenomenon", "", "name"),
            Column("items", "", "items", attrgetter("number")),
            Column(
                "mean rating",
                lambda phenomenon: figure_or_dash(phenomenon.rating),
                "rating",
                attrgetter("rating"),
            ),
            Column("mean score", lambda phenomenon: figure_or_dash(phenomenon.score), "score", attrgetter("score")),
            Column(experiment.main, within, experiment.main, lambda phenomenon: estimate_json(phenomenon.estimate)),
        ),
        experiment.phenomena,
        shown=[phenomenon for phenomenon in experiment.phenomena if phenomenon.number > 1],
    )


def _phenomena_lines(experiment: Experiment) -> Iterator[str]:
    """Yield the table of phenomena with more than one sentence, and the number of others."""
    table = phenomena_table(experiment)
    if table.shown:
        yield from table.lines()
        if any(1 < summary.number < MIN_UNITS for summary in experiment.phenomena):
            yield f"-: {experiment.main} is not shown for fewer than {MIN_UNITS} items"
    if single := len(experiment.phenomena) - len(table.shown or ()):
        yield f"{counted(single, 'phenomenon', 'phenomena')} with one sentence each"


def within(phenomenon: PhenomenonSummary) -> str:
    """Return the statistic within a phenomenon; a dash if there are so few items that it would mislead."""
    return "-" if phenomenon.number < MIN_UNITS else str(phenomenon.estimate)


def reach(experiment: Experiment) -> str:
    """Return a note on what the intervals generalise to; empty if there are none."""
    every = [estimate for line in experiment.lines for estimate in line.statistics.values()]
    if not any(estimate.units for estimate in every):
        return ""
    said = f"95 % intervals for other sentences of these kinds, over {experiment.units} (jackknife, t)"
    within = sum(summary.estimate.units > 0 for summary in experiment.phenomena)
    return f"{said}; of these {len(every) + within} intervals one in 20 misses" if within else said


def missing_intervals(experiment: Experiment) -> Iterator[str]:
    """Yield a line for each reason why statistics have no interval."""
    reasons: dict[str, list[str]] = {}
    for line in experiment.lines:
        for reason in dict.fromkeys(estimate.missing for estimate in line.statistics.values() if estimate.missing):
            reasons.setdefault(reason, []).append(line.predictor)
    for phenomenon in experiment.phenomena:
        if phenomenon.estimate.missing and phenomenon.number > 1:
            reasons.setdefault(phenomenon.estimate.missing, []).append(phenomenon.name)
    for reason, names in reasons.items():
        yield f"no interval: {first_of(names, NAMED)} ({reason})"


def ceiling_line(ceiling: Ceiling) -> str:
    """Return a line on the agreement of people with each other, which no model can be expected to exceed."""
    halves = f"halves of {ceiling.participants:,} participants" if ceiling.participants else "halves of the ratings"
    of_each = f"{counted(ceiling.items, 'item')} with a median of {ceiling.judges:g} ratings"
    return f"split-half ceiling of pearson: {ceiling.value:.3f} ({halves}, {of_each}; Spearman-Brown, {SPLITS} splits)"


def figure_or_dash(value: float | None) -> str:
    """Return a number with at most three decimals; a dash for None."""
    return "-" if value is None else figure(value)


def marked(scored: ScoredItem) -> str:
    """Return the sentence with its sign or rating, and its score."""
    item = scored.item
    rating = f", rated {figure_or_dash(item.rating)}" if item.judgement is None else ""
    return f"{item.id}: {item.star}{on_one_line(item.sentence)} (score {figure_or_dash(scored.value)}{rating})"


def estimate_json(estimate: Estimate) -> dict[str, float | int | None]:
    """Return a statistic with its interval as a value for `json.dumps`."""
    numbers = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return numbers | {"items": estimate.number, "units": estimate.units}


def _estimates(statistics: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: estimate_json(estimate) for name, estimate in statistics.items()}


def _item(scored_item: ScoredItem, experiment: Experiment) -> dict[str, Any]:
    item, parse = scored_item.item, scored_item.parse
    others = {name: model(scored_item) for name, model in experiment.others} if parse.constituents else {}
    return {
        "id": item.id,
        "sentence": item.sentence,
        "judgement": item.judgement,
        "rating": item.rating,
        "judges": item.judges,
        "error": item.error,
        "phenomenon": item.phenomenon,
        "pair": item.pair,
        "score": scored_item.value,
        **({"scores": {experiment.model: scored_item.value, **others}} if others else {}),
        "cost": number(scored_item.cost),
        "full": parse.is_full,
        "well_formed": parse.is_well_formed,
        "stopped_by": parse.stopped_by,
        "length": scored_item.length,
        "unknown": scored_item.unknown,
        "guessed_words": forms_not_in_lexicon(parse, "guessed"),
        "unknown_words": forms_not_in_lexicon(parse, "unknown"),
        "undecided": is_undecided(scored_item),
        "tree": parse.to_brackets(),
        "violated": list(parse.explain()),
    }


# Verdicts of `numbat test`

KINDS: Final[dict[str, Callable[[Item], bool]]] = {
    "good sentences at cost 0": lambda item: item.is_good is True,
    "bad sentences that violate what they should": lambda item: item.is_good is False,
    "sentences between good and bad that rank there": lambda item: item.is_good is None and item.judgement is not None,
}
"""Descriptions of sentences that pass, each with a function that selects the items that it describes."""
KINDS_OF_EXAMPLES: Final[dict[str, Callable[[Item], bool]]] = {
    "examples without a star that do not violate their property": lambda item: item.is_good is True,
    "starred examples that violate their property": lambda item: item.is_good is False,
}
"""The same for the examples of a grammar."""


@report("numbat.test/1")
def outcomes_report(
    tested: Sequence[TestedItem],
    grammar: Grammar,
    suite: Suite,
    lost: Sequence[LostItem] = (),
    changes: Sequence[OutcomeChange] | None = None,
    kinds: Mapping[str, Callable[[Item], bool]] = KINDS,
) -> Iterator[Part]:
    """Return the grammar, the shares of items that pass, ambiguity, then each failure with its reason.

    `changes` are those since outcomes were accepted, None if none were accepted; `kinds` are as in `KINDS`.
    """
    parses = [item.scored.parse for item in tested]
    another = another_grammar(parses, grammar)
    first = [another] if another else []
    yield Member("suite", suite.name, cautions(first))
    yield Member("grammar", grammar.name, f"grammar {grammar.title}: {counted(len(tested), 'sentence')}")
    yield Member("version", grammar.version)
    yield Member("notes", [*first, *suite.notes], cautions(suite.notes))
    yield Lines([_share(name, group) for name, group in _groups(tested, kinds)])
    verdicts = [item.outcome.verdict for item in tested]
    numbers = {name: verdicts.count(name) for name in ("pass", *NO_SUCCESS)}
    yield Members({"sentences": len(tested), **numbers})
    yield Member("other_reason", sum(bool(item.instead) for item in tested), [*_other_reasons(tested)])
    yield Lines(lambda: [_ambiguity(parses), *unknown_in_all(parses)])
    if unjudged := verdicts.count("-"):
        yield Line(f"{unjudged} without a clear judgement")
    yield Lines(lambda: [line for item in tested if item.outcome.verdict in NO_SUCCESS for line in _failure(item)])
    yield lost_items(lost, [""])
    changed = None if changes is None else [str(change) for change in changes]
    yield Member("changes", changed, () if changed is None else [*_changed(changed)])
    yield Table(TESTED, tested, "items")


def _share(name: str, group: Sequence[TestedItem]) -> str:
    passed = sum(item.outcome.verdict == "pass" for item in group)
    undecided = sum(item.outcome.verdict == UNDECIDED for item in group)
    share = f"{passed} of {len(group)} {name} ({passed * 100 // len(group)}%)"  # rounded down, so that 100% means all
    return share + (f", {undecided} undecided" if undecided else "")


def _ambiguity(parses: Sequence[Parse]) -> str:
    trees = [parse.count for parse in parses]
    return f"equally good trees for a sentence: median {median(trees):g}, at most {max(trees):,}"


def _failure(tested_item: TestedItem) -> Iterator[str]:
    item = tested_item.scored.item
    yield ""
    yield f"{item.id}: {_mark(item)}{on_one_line(item.sentence)}  {tested_item.reason}"
    yield from (f"    {line}" for line in tested_item.scored.parse.explain())


def _changed(changes: Sequence[str]) -> Iterator[str]:
    yield ""
    yield f"{len(changes)} changed since accepted" if changes else "nothing changed since accepted"
    yield from (f"  {change}" for change in changes)


TESTED: Final[Sequence[Column[TestedItem]]] = (
    *(Column(key=name, value=attrgetter(f"scored.item.{name}")) for name in ("id", "sentence", "judgement")),
    Column(key="verdict", value=attrgetter("outcome.verdict")),
    Column(key="reason"),
    Column(key="property", value=lambda item: item.scored.item.named_property or None),
    Column(key="instead", value=lambda item: list(item.instead)),
    Column(key="cost", value=lambda item: number(item.scored.cost)),
    Column(key="violated", value=lambda item: list(item.scored.faults)),
    Column(key="guessed", value=lambda item: forms_not_in_lexicon(item.scored.parse, "guessed")),
    Column(key="unknown", value=lambda item: forms_not_in_lexicon(item.scored.parse, "unknown")),
    Column(key="explained", value=lambda item: list(item.scored.parse.explain())),
)


def _other_reasons(tested: Sequence[TestedItem]) -> Iterator[str]:
    """Yield a line on the sentences that are bad for another reason than the property that they name."""
    naming = [item for item in tested if item.scored.names_property]
    if naming:
        number = sum(bool(item.instead) for item in naming)
        share = f"{number} of {counted(len(naming), 'sentence')} that name{'s' * (len(naming) == 1)} a property"
        yield f"{share} {'is' if 1 in (number, len(naming)) else 'are'} bad for another reason"


def _groups(
    tested: Sequence[TestedItem], kinds: Mapping[str, Callable[[Item], bool]]
) -> Iterator[tuple[str, Sequence[TestedItem]]]:
    alone = [item for item in tested if not item.scored.item.pair and item.outcome.verdict != "-"]
    paired = [item for item in tested if item.scored.item.pair]
    judged = ((name, [item for item in alone if is_meant(item.scored.item)]) for name, is_meant in kinds.items())
    yield from ((name, group) for name, group in (*judged, ("sentences of pairs on the right side", paired)) if group)


def _mark(item: Item) -> str:
    """Return the mark of a sentence, empty for good ones."""
    doubtful = item.is_good is None and item.judgement is not None
    return f"{item.judgement} " if doubtful else item.star


# The report of a suite as one HTML page without external resources: data that `assets/suite.js` draws.
#
# Trees are drawn when a sentence is clicked, so that a page with thousands of sentences opens immediately.

MAX_POINTS = 400
"""Maximum number of points of a ROC curve; longer curves are thinned out."""
DEEPEST = 200
"""Maximum depth of trees on the page, as the nesting of JSON is limited."""


def suite_page(experiment: Experiment, record: RunRecord | None = None) -> str:
    """Return the HTML page, with the record of the run at its end."""
    content = _content(experiment) | {"mixed": []}
    for section in experiment.sections:
        content |= section.on_page(experiment.model)
    return scripted_page(f"Numbat: {experiment.suite.name}", "suite", content, record)


def _content(experiment: Experiment) -> dict[str, Any]:
    properties: dict[str, int] = {}
    compared = comparable(experiment.items)
    beside = {residual.scored.item.id: round(residual.value, 3) for residual in residuals(compared)}
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
        "is_cost": experiment.model == "cost" and experiment.weights == GRAMMAR.name,
        "main": experiment.main,
        "resampling": reach(experiment),
        "split": split(compared)[1] if compared else "",
        "beyond": list(beyond_lines(experiment.beyond)) if experiment.beyond else [],
        "reaches": [
            [r.what, r.units, {name: _estimate_data(estimate) for name, estimate in r.statistics.items()}]
            for r in experiment.reaches
        ],
        "notes": [*experiment.foremost, *experiment.notes],
        "designs": "",
        "ceiling": "" if experiment.ceiling is None else ceiling_line(experiment.ceiling),
        "lines": [
            [
                line.predictor,
                {name: _estimate_data(estimate) for name, estimate in line.statistics.items()},
                line.is_baseline,
            ]
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
        "items": [_item_data(item, beside.get(item.item.id), properties) for item in experiment.items],
        "properties": list(properties),
    }


def _shown(phenomenon: PhenomenonSummary) -> Estimate:
    return phenomenon.estimate if phenomenon.number >= MIN_UNITS else Estimate(None, None, None, phenomenon.number)


def _estimate_data(estimate: Estimate) -> list[float | None]:
    return [_rounded(estimate.value), _rounded(estimate.low), _rounded(estimate.high)]


def _rounded(value: float | None) -> float | None:
    """Return a number with the decimals that the page shows; rounding twice could make it differ from other reports."""
    return None if value is None else round(value, 3)


def _item_data(scored_item: ScoredItem, residual: float | None, properties: dict[str, int]) -> list[Any]:
    item, parse = scored_item.item, scored_item.parse
    return [
        item.id,
        visible(item.sentence),
        item.judgement,
        item.rating,
        _rounded(scored_item.value),
        number(scored_item.cost),
        item.phenomenon,
        2 if parse.is_well_formed else int(parse.is_full),
        residual,
        " ".join((*scored_item.faults, *(("undecided",) if is_undecided(scored_item) else ()))),
        [*parse.explain(), *filter(None, (unknown_words(parse),))],
        [tree(top, properties) for top in parse.constituents],
    ]


def tree(node: Constituent, properties: dict[str, int], depth: int = 0) -> list[Any]:
    """Return a constituent as data of the page; `properties` has the numbers of violated ones.

    Below the depth `DEEPEST` there are only words.
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
"""Comments that name the LaTeX packages."""


def suite_latex(experiment: Experiment) -> str:
    """Return the sentences of a suite as numbered examples, then a tree for each."""
    trees = (f"\n% {escaped(item.item.id)}\n{forest(item.parse)}" for item in experiment.items)
    return f"{FOR_EXAMPLES}\n{examples(experiment.items)}" + "".join(trees)


def examples(items: Iterable[ScoredItem]) -> str:
    """Return a `gb4e` list: each sentence with its sign, and a label `ex:ID` to refer to."""
    lines = ["\\begin{exe}"]
    for scored_item in items:
        item = scored_item.item
        sign = escaped(item.judgement or "") if item.is_good is None else item.star
        where = f"\\label{{ex:{_key(item.id)}}}"
        lines.append(f"  \\ex[{sign}]{{{escaped(item.sentence)}}}{where}")
    return "\n".join([*lines, "\\end{exe}"]) + "\n"


def _key(id: str) -> str:
    """Return an id as a LaTeX label, with letters, digits and hyphens."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in id)
