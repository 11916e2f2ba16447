"""The report of a suite as tidy tables for R, pandas and spreadsheets, with scripts that read and plot them.

One row per observation, one column per variable. `sentences.csv` has a row for each item, `properties.csv` one for each
evaluated property instance, `summary.csv` one for each statistic of each predictor, and `dictionary.csv` explains every
column. `trials.csv` has a row for each rating whose participant is known; for a suite with factors `conditions.csv` and
`contrasts.csv` have the means and the interactions. Further columns of the suite are copied to the tables of sentences,
properties and trials. `run.json` is the record of the run. `analysis.R` and `analysis.py` read each column with its
type (the id 005 stays a text) and draw two plots; with trials, `analysis.R` also fits mixed models. CSV is UTF-8,
quoted by `files.table_row`, with empty cells for missing values; for spreadsheets, texts like formulas are `guarded`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from numbat.acceptability.suite import Item, Rating
from numbat.acceptability.summary import Experiment
from numbat.acceptability.verdicts import ScoredItem, is_undecided
from numbat.errors import UnwritableError
from numbat.experiments.interactions import z_scored
from numbat.experiments.interactions_report import condition_rows, contrast_rows, design_in
from numbat.files import guarded, table_row, write_whole
from numbat.markup import read
from numbat.parsing.explanation.json_format import ROW_HEADER, number
from numbat.runs.record import RunRecord
from numbat.statistics.intervals import Estimate

Kind = Literal["text", "integer", "number"]


class TidyColumn(NamedTuple):
    """Type of the values of a column, and their meaning."""

    kind: Kind
    meaning: str


def _text(meaning: str) -> TidyColumn:
    return TidyColumn("text", meaning)


def _integer(meaning: str) -> TidyColumn:
    return TidyColumn("integer", meaning)


def _number(meaning: str) -> TidyColumn:
    return TidyColumn("number", meaning)


SENTENCES: Final[dict[str, TidyColumn]] = {
    "id": _text("identifier of the item; unique"),
    "sentence": _text("the sentence as it was typed"),
    "judgement": _text("the mark as given: ok, ?, *, ..."),
    "rating": _number("rating, greater is better; marks count from 1 (ok) to 0 (*) if all items have marks"),
    "judges": _integer("number of ratings behind the mean `rating`"),
    "error": _number("standard error of the mean `rating`; empty for one rating"),
    "phenomenon": _text("what the item is about"),
    "pair": _text("minimal pair of the item"),
    "group": _text("what variants of an item share, such as the number of an item in several conditions"),
    "score": _number("score by the model, greater is better"),
    "full": _integer("1: one root constituent spans the sentence; 0: fragments"),
    "well_formed": _integer("1: full, and nothing violated at a cost"),
    "violation_cost": _number("summed costs of the violated property instances"),
    "fragment_cost": _number("cost of the fragments of a parse that is not full"),
    "lexical_cost": _number("cost of unlikely readings of words"),
    "satisfied": _integer("number of satisfied property instances"),
    "violated": _integer("number of violated property instances"),
    "nodes": _integer("number of phrase constituents"),
    "trees": _integer("number of equally good trees"),
    "length": _integer("number of tokens"),
    "unknown": _integer("number of tokens missing from the lexicon"),
    "unknown_words": _text("tokens missing from the lexicon, guessed or unknown, separated by blanks"),
    "undecided": _integer("1: judged bad, but unknown words may explain every violation; 0: otherwise"),
    "stopped_by": _text("limit that the parse reached; a better parse may exist"),
    "tree": _text("the best parse, in brackets"),
}
PROPERTIES: Final[dict[str, TidyColumn]] = {
    "id": _text("identifier of the item, as in sentences.csv"),
    "rank": _integer("1: the best parse"),
    "constituent": _integer("number of the constituent in which the property was evaluated, within the item"),
    "construction": _text("construction of the constituent"),
    "start": _integer("first token position of the daughters concerned"),
    "end": _integer("one past the last token position"),
    "elements": _text("numbers of the daughters concerned"),
    "words": _text("their words"),
    "relation": _text("relation of the property"),
    "property": _text("the property, in the notation of grammars"),
    "satisfied": _integer("1: satisfied; 0: violated"),
    "weight": _number("weight if satisfied"),
    "cost": _number("cost if violated"),
    "hard": _integer("1: no phrase may violate it"),
    "place": _text("file and line of the property"),
}
SUMMARY: Final[dict[str, TidyColumn]] = {
    "predictor": _text(
        "the model, another one, or a trivial baseline; people: one half of the people predicts the other"
    ),
    "statistic": _text(
        "pearson, spearman, kendall (tau-b), AUC, pair accuracy (ties half), split-half, partial pearson, "
        "more variance explained"
    ),
    "group": _text("`all`, a phenomenon, what the interval generalises to, or what a partial correlation is over"),
    "value": _number("value of the statistic; empty where it has none"),
    "low": _number("lower end of the 95 % interval"),
    "high": _number("upper end of the 95 % interval"),
    "items": _integer("number of items (pairs, for pair accuracy)"),
    "units": _integer("independent items, pairs or groups of the interval; 0 without an interval"),
}

TRIALS: Final[dict[str, TidyColumn]] = {
    "participant": _text("the person who rated"),
    "id": _text("identifier of the sentence, as in sentences.csv"),
    "item": _text("what the conditions of a sentence share; otherwise the id of the sentence"),
    "condition": _text("what the item is about, as `phenomenon` in sentences.csv"),
    "rating": _number("the rating"),
    "z": _number("the rating minus the participant's mean, in the participant's standard deviations (n - 1)"),
    "score": _number("score of the sentence by the model"),
    "length": _integer("number of tokens"),
    "unknown": _integer("number of tokens missing from the lexicon"),
}
ENDS: Final = (("low", "lower"), ("high", "upper"))


def _both(name: str, meaning: str) -> dict[str, TidyColumn]:
    """Return the columns of an interaction: of means, then over items and over participants with intervals."""
    columns = {name: _number(meaning)}
    for units in ("items", "participants"):
        kind = f"{name}_{units}"
        columns[kind] = _number(f"mean over {units} of {name}")
        columns |= {f"{kind}_{end}": _number(f"{word} end of the 95 % interval of {kind}") for end, word in ENDS}
    return columns


CONDITIONS: Final[dict[str, TidyColumn]] = {
    "design": _text("values of the columns of --designs"),
    "condition": _text("levels of the factors, separated by strokes"),
    "items": _integer("number of sentences"),
    "ratings": _integer("number of ratings"),
    "people": _number("mean of people, z within participant"),
    "people_low": _number("lower end of the 95 % interval within participants (Cousineau, Morey)"),
    "people_high": _number("upper end of the 95 % interval within participants (Cousineau, Morey)"),
    "model": _number("mean score"),
    "model_low": _number("lower end of the 95 % interval over items"),
    "model_high": _number("upper end of the 95 % interval over items"),
}
CONTRASTS: Final[dict[str, TidyColumn]] = {
    "design": _text("values of the columns of --designs"),
    "interaction": _text("the conditions and their signs in the difference"),
    "verdict": _text("alike, stronger, weaker, opposite or cannot tell: the model's interaction against people's"),
    "doubt": _text("why the verdict cannot be told"),
    "people": _number("interaction of the means of conditions"),
    "people_items": _number("mean interaction of the items"),
    "people_items_low": _number("lower end of the 95 % interval of people_items"),
    "people_items_high": _number("upper end of the 95 % interval of people_items"),
    "items": _integer("number of items in all conditions"),
    "people_participants": _number("mean interaction of the participants"),
    "people_participants_low": _number("lower end of the 95 % interval of people_participants"),
    "people_participants_high": _number("upper end of the 95 % interval of people_participants"),
    "participants": _integer("number of participants in all conditions"),
    "model": _number("interaction of the mean scores"),
    "model_items": _number("mean interaction of the scores of the items"),
    "model_items_low": _number("lower end of the 95 % interval of model_items"),
    "model_items_high": _number("upper end of the 95 % interval of model_items"),
    **_both("on_scale", "the model's interaction on people's scale"),
    **_both("difference", "the model's interaction on people's scale minus people's"),
    "alike": _number("greatest difference that counts as none"),
    "properties": _text("properties behind the model's interaction, with their shares in it"),
}

DESCRIBED: Final = {"sentences.csv": SENTENCES, "properties.csv": PROPERTIES, "summary.csv": SUMMARY}
OF_EXPERIMENTS: Final = {"trials.csv": TRIALS, "conditions.csv": CONDITIONS, "contrasts.csv": CONTRASTS}
"""Tables that only suites with trials or designs have."""
RECORD: Final = "run.json"
SCRIPTS: Final = {"analysis.R": "analysis_r.txt", "analysis.py": "analysis_python.txt"}
"""The scripts and their templates."""
FILES: Final = (*DESCRIBED, "dictionary.csv", RECORD, *SCRIPTS)
"""The names of all files."""


def table_paths(folder: str) -> tuple[str, ...]:
    """Return the paths of the files that `write_tables` writes."""
    return tuple(str(Path(folder) / name) for name in FILES)


def write_tables(
    experiment: Experiment, folder: str, record: RunRecord | None = None, for_spreadsheets: bool = False
) -> Iterator[str]:
    """Write tables, run record and scripts into a folder, which is created if missing; yield their paths.

    Raises UnwritableError.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        about = [] if record is None else [(RECORD, json.dumps(record.as_json(), ensure_ascii=False, indent=2) + "\n")]
        for name, text in (*tables(experiment, for_spreadsheets), *about, *scripts(experiment)):
            path = Path(folder) / name
            write_whole(path, text.encode())
            yield str(path)
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None


def tables(experiment: Experiment, for_spreadsheets: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file."""
    assert tuple(PROPERTIES) == ROW_HEADER
    models = {_model_column(name): model for name, model in experiment.others if name != experiment.model}
    extra = travelling(experiment)
    sentences = (
        (
            *_sentence(item),
            *(model(item) if item.parse.constituents else None for model in models.values()),
            *_cells(item, extra),
        )
        for item in experiment.items
    )
    properties = (
        (*row, *_cells(scored_item, extra))
        for scored_item in experiment.items
        for row in scored_item.parse.to_rows(scored_item.item.id)
    )
    guard: Callable[[str], str] = guarded if for_spreadsheets else str
    yield "sentences.csv", _csv((*SENTENCES, *models, *extra), sentences, guard)
    yield "properties.csv", _csv((*PROPERTIES, *extra), properties, guard)
    yield "summary.csv", _csv(tuple(SUMMARY), _summary(experiment), guard)
    rows = [(file, name, *column) for file, columns in DESCRIBED.items() for name, column in columns.items()]
    more = ["sentences.csv", "properties.csv"]
    if trials := trials_table(experiment, guard):
        yield "trials.csv", trials
        more.append("trials.csv")
        rows += [("trials.csv", name, *column) for name, column in TRIALS.items()]
    if experiment.frequency is not None and trials:
        rows.append(("trials.csv", FREQUENCY, "number", "word frequency of the sentence"))
    design = design_in(experiment)
    if design is not None and design.designs:
        yield "conditions.csv", _csv(tuple(CONDITIONS), condition_rows(design), guard)
        yield "contrasts.csv", _csv(tuple(CONTRASTS), contrast_rows(design), guard)
        for file, columns in (("conditions.csv", CONDITIONS), ("contrasts.csv", CONTRASTS)):
            rows += [(file, name, *column) for name, column in columns.items()]
    rows += [(file, name, "text", "a column of the suite") for file in more for name in extra]
    rows += [
        ("sentences.csv", _model_column(name), "number", f"score by the model {name}")
        for name, _ in experiment.others
        if name != experiment.model
    ]
    yield "dictionary.csv", _csv(("file", "column", "type", "meaning"), rows, guard)


FREQUENCY: Final = "frequency"


def travelling(experiment: Experiment) -> dict[str, str]:
    """Return further columns of the suite by their names in the tables: `suite_X` if a table already has a column X."""
    names = dict.fromkeys(name for item in experiment.suite.items for name, _ in item.others)
    taken = {*SENTENCES, *PROPERTIES, *TRIALS, FREQUENCY}
    return {f"suite_{name}" if name in taken else name: name for name in names}


def _cells(item: ScoredItem, extra: Mapping[str, str]) -> Iterator[str | None]:
    values = dict(item.item.others)
    return (values.get(name) or None for name in extra.values())


def trials_table(experiment: Experiment, guard: Callable[[str], str] = str) -> str:
    """Return the table of trials as text; empty where participants are unknown."""
    people = {rating.participant for item in experiment.suite.items for rating in item.ratings}
    if not people or "" in people:
        return ""
    standardized, _, _, _ = z_scored(experiment.suite)
    extra, frequency = travelling(experiment), experiment.frequency
    rows = []
    for scored_item in experiment.items:
        item = scored_item.item
        z = {place: rating.value for place, rating in _by_place(item, standardized[item.id])}
        for place, rating in enumerate(item.ratings):
            values = (item.group or item.id, item.phenomenon, rating.value, z.get(place), scored_item.value)
            frequencies = [] if frequency is None else [frequency(scored_item)]
            row = (
                rating.participant,
                item.id,
                *values,
                scored_item.length,
                scored_item.unknown,
                *frequencies,
                *_cells(scored_item, extra),
            )
            rows.append(row)
    return _csv((*TRIALS, *([] if frequency is None else [FREQUENCY]), *extra), rows, guard)


def _by_place(item: Item, standardized: Item) -> Iterator[tuple[int, Rating]]:
    """Yield the z-scores of an item, each with the index of its rating; participants with equal ratings have none."""
    left = list(standardized.ratings)
    for place, rating in enumerate(item.ratings):
        if left and left[0].participant == rating.participant:
            yield place, left.pop(0)


def _model_column(name: str) -> str:
    """Return the column of a further model; a file is named without its folder."""
    return f"score_{Path(name).name}"


def _sentence(scored_item: ScoredItem) -> Sequence[object]:
    item, parse = scored_item.item, scored_item.parse
    return (
        item.id,
        " ".join(item.sentence.split()),
        item.judgement,
        item.rating,
        item.judges if item.rating is not None else None,
        item.error,
        item.phenomenon,
        item.pair,
        item.group,
        scored_item.value,
        int(parse.is_full),
        int(parse.is_well_formed),
        number(parse.violation_cost_units),
        number(parse.fragment_cost_units),
        number(parse.lexical_cost_units),
        len(parse.satisfied),
        len(parse.violated),
        parse.nodes,
        parse.count,
        scored_item.length,
        scored_item.unknown,
        " ".join(word.form for word in parse.guessed),
        int(is_undecided(scored_item)),
        parse.stopped_by,
        parse.to_brackets(),
    )


def _summary(experiment: Experiment) -> Iterator[Sequence[object]]:
    for line in experiment.lines:
        for name, estimate in line.statistics.items():
            yield line.predictor, name, "all", *_numbers(estimate)
    if (ceiling := experiment.ceiling) is not None:
        yield "people", "split-half", "all", ceiling.value, None, None, ceiling.items, None
    for reach in experiment.reaches:
        for name, estimate in reach.statistics.items():
            yield experiment.model, name, f"to {reach.what}", *_numbers(estimate)
    for beyond in experiment.beyond:
        over = f"over {', '.join(beyond.covariates)}"
        yield beyond.predictor, "partial pearson", "over length", *_numbers(beyond.over_length)
        yield beyond.predictor, "partial pearson", over, *_numbers(beyond.partial)
        yield beyond.predictor, "more variance explained", over, *_numbers(beyond.increase)
    for phenomenon in experiment.phenomena:
        yield experiment.model, experiment.main, phenomenon.name, *_numbers(phenomenon.estimate)


def _numbers(estimate: Estimate) -> Sequence[object]:
    return estimate.value, estimate.low, estimate.high, estimate.number, estimate.units


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]], guard: Callable[[str], str]) -> str:
    written_rows = ([guard(cell) if isinstance(cell, str) else cell for cell in row] for row in (header, *rows))
    return "".join(f"{table_row(row, ',')}\n" for row in written_rows)


# The scripts, with the types of the fixed columns; further models are numbers, which R and pandas recognize.

CLASSES: Final[dict[str, dict[Kind, str]]] = {
    "analysis.R": {"text": "character", "integer": "integer", "number": "numeric"},
    "analysis.py": {"text": "string", "integer": "Int64", "number": "Float64"},
}
"""Names of the types in R and in pandas; these pandas types allow missing values."""


def scripts(experiment: Experiment) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each script; with trials, the one in R has mixed models."""
    extra = dict.fromkeys(travelling(experiment), _text(""))
    for script, file in SCRIPTS.items():
        is_r = script.endswith(".R")
        text = read(file)
        tables = {name: columns | ({} if name == "summary.csv" else extra) for name, columns in DESCRIBED.items()}
        if is_r and trials_table(experiment):
            text += read(MIXED_MODELS)
            tables["trials.csv"] = TRIALS | extra
            text = text.replace("@factors@", _factors_in_r(experiment)).replace("@designs@", _designs_in_r(experiment))
        for table, columns in tables.items():
            classes = CLASSES[script]
            listed = (
                f'{_in_r(name)} = "{classes[column.kind]}"' if is_r else f'{name!r}: "{classes[column.kind]}"'
                for name, column in columns.items()
            )
            text = text.replace(f"@{table}@", ",\n    ".join(listed))
        yield script, text


MIXED_MODELS: Final = "mixed_models_r.txt"


def _in_r(text: str) -> str:
    """Return a text as a string of R."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _factors_in_r(experiment: Experiment) -> str:
    design = design_in(experiment)
    factors = () if design is None else design.factors
    named = ((_column_of(factor.name, experiment), factor.levels) for factor in factors)
    return ", ".join(f"{_in_r(name)} = c({', '.join(map(_in_r, levels))})" for name, levels in named)


def _designs_in_r(experiment: Experiment) -> str:
    design = design_in(experiment)
    columns = () if design is None else design.columns
    return ", ".join(_in_r(_column_of(name, experiment)) for name in columns)


def _column_of(column: str, experiment: Experiment) -> str:
    """Return the column of trials.csv with the values of a factor."""
    columns = (name for name, of in travelling(experiment).items() if of.lower() == column.lower())
    return next(columns, "condition")
