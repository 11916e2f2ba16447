"""The report of a suite as tidy tables for R, pandas and spreadsheets, with scripts that read and plot them.

One row an observation, one column a variable: `sentences.csv` has a row for each item, `properties.csv` one for each
evaluated property instance, `summary.csv` one for each statistic of each predictor, `dictionary.csv` says what every
column is. `run.json` is the record of the run. `analysis.R` and `analysis.py` read each column as what it is, so that
the id 005 stays one, and draw two plots. CSV in UTF-8, quoted as `files.table_row` has it; a value that does not exist
is an empty cell. For spreadsheets, texts are `guarded` which these would take for formulas.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from numbat.errors import UnwritableError
from numbat.files import guarded, table_row, write_whole
from numbat.gradience.statistics import Estimate
from numbat.gradience.summary import Experiment
from numbat.gradience.verdicts import ScoredItem, is_undecided
from numbat.parsing.explanation.json_format import ROW_HEADER, number
from numbat.report.pages import read
from numbat.runs.record import RunRecord

Kind = Literal["text", "integer", "number"]


class Column(NamedTuple):
    """What the values of a column are, and what they mean."""

    kind: Kind
    meaning: str


def _text(meaning: str) -> Column:
    return Column("text", meaning)


def _integer(meaning: str) -> Column:
    return Column("integer", meaning)


def _number(meaning: str) -> Column:
    return Column("number", meaning)


SENTENCES: Final[dict[str, Column]] = {
    "id": _text("identifier of the item; unique"),
    "sentence": _text("the sentence as it was typed"),
    "judgement": _text("the sign that was given: ok, ?, *, ..."),
    "rating": _number("rating, greater is better; of a sign 1 (ok) to 0 (*), if all have signs"),
    "judges": _integer("how many ratings `rating` is the mean of"),
    "error": _number("standard error of that mean; empty for one rating"),
    "phenomenon": _text("what the item is about"),
    "pair": _text("minimal pair to which the item belongs"),
    "group": _text("what the item shares with its variants, as the number of an item in several conditions"),
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
    "unknown": _integer("number of tokens that the lexicon does not have"),
    "unknown_words": _text("these tokens, guessed or unknown, with blanks between"),
    "undecided": _integer("1: judged bad, and all that is wrong may be due to these tokens; 0: not so"),
    "stopped_by": _text("limit that the parse met; a better one may exist"),
    "tree": _text("the best parse in brackets"),
}
PROPERTIES: Final[dict[str, Column]] = {
    "id": _text("identifier of the item, as in sentences.csv"),
    "rank": _integer("1: the best parse"),
    "constituent": _integer("number of the constituent in which the property was evaluated, within the item"),
    "construction": _text("construction of the constituent"),
    "start": _integer("first token position of the daughters spoken of"),
    "end": _integer("one past the last token position"),
    "elements": _text("numbers of the daughters spoken of"),
    "words": _text("their words"),
    "relation": _text("relation of the property"),
    "property": _text("the property in the notation"),
    "satisfied": _integer("1: satisfied; 0: violated"),
    "weight": _number("weight if satisfied"),
    "cost": _number("cost if violated"),
    "hard": _integer("1: no phrase may violate it"),
    "place": _text("file and line of the property"),
}
SUMMARY: Final[dict[str, Column]] = {
    "predictor": _text("the model, another one, or a trivial baseline; people: half of the people, of all of them"),
    "statistic": _text("pearson, spearman, kendall (tau-b), AUC, pair accuracy (ties half), split-half"),
    "group": _text("`all`, or the name of a phenomenon"),
    "value": _number("value of the statistic; empty where it has none"),
    "low": _number("lower end of the 95 % bootstrap interval"),
    "high": _number("upper end of the 95 % bootstrap interval"),
    "items": _integer("number of items (pairs, for pair accuracy)"),
    "resamples": _integer("resamples that the interval is from; 0 where there is none"),
}

DESCRIBED: Final = {"sentences.csv": SENTENCES, "properties.csv": PROPERTIES, "summary.csv": SUMMARY}
RECORD: Final = "run.json"
SCRIPTS: Final = {"analysis.R": "analysis_r.txt", "analysis.py": "analysis_python.txt"}
"""The scripts, and the files here that they are made of."""
FILES: Final = (*DESCRIBED, "dictionary.csv", RECORD, *SCRIPTS)
"""The names of all files."""


def table_paths(folder: str) -> tuple[str, ...]:
    """Return the files that `write_tables` writes."""
    return tuple(str(Path(folder) / name) for name in FILES)


def write_tables(
    experiment: Experiment, folder: str, record: RunRecord | None = None, for_spreadsheets: bool = False
) -> Iterator[str]:
    """Write the tables into a folder, which need not be there, the record of the run and the scripts; their paths.

    Raises UnwritableError.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        about = [] if record is None else [(RECORD, json.dumps(record.as_json(), ensure_ascii=False, indent=2) + "\n")]
        for name, text in (*tables(experiment, for_spreadsheets), *about, *scripts()):
            path = Path(folder) / name
            write_whole(path, text.encode())
            yield str(path)
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None


def tables(experiment: Experiment, for_spreadsheets: bool = False) -> Iterator[tuple[str, str]]:
    """Return the names of the files and their texts."""
    assert tuple(PROPERTIES) == ROW_HEADER
    models = {_model_column(name): model for name, model in experiment.others if name != experiment.model}
    sentences = (
        (
            *_sentence(each),
            *(model(each) if each.parse.constituents else None for model in models.values()),
        )
        for each in experiment.items
    )
    properties = (row for each in experiment.items for row in each.parse.to_rows(each.item.id))
    kept: Callable[[str], str] = guarded if for_spreadsheets else str
    yield "sentences.csv", _csv((*SENTENCES, *models), sentences, kept)
    yield "properties.csv", _csv(tuple(PROPERTIES), properties, kept)
    yield "summary.csv", _csv(tuple(SUMMARY), _summary(experiment), kept)
    rows = [(file, name, *column) for file, columns in DESCRIBED.items() for name, column in columns.items()]
    rows += [
        ("sentences.csv", _model_column(name), "number", f"score by the model {name}")
        for name, _ in experiment.others
        if name != experiment.model
    ]
    yield "dictionary.csv", _csv(("file", "column", "type", "meaning"), rows, kept)


def _model_column(name: str) -> str:
    """Return the column of a further model: a file is named without its folder."""
    return f"score_{Path(name).name}"


def _sentence(each: ScoredItem) -> Sequence[object]:
    item, parse = each.item, each.parse
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
        each.value,
        int(parse.is_full),
        int(parse.is_well_formed),
        number(parse.violation_cost),
        number(parse.fragment_cost),
        number(parse.lexical_cost),
        len(parse.satisfied),
        len(parse.violated),
        parse.nodes,
        parse.count,
        each.length,
        each.unknown,
        " ".join(word.form for word in parse.guessed),
        int(is_undecided(each)),
        parse.stopped_by,
        parse.to_brackets(),
    )


def _summary(experiment: Experiment) -> Iterator[Sequence[object]]:
    for line in experiment.lines:
        for name, found in line.statistics.items():
            yield line.predictor, name, "all", *_numbers(found)
    if (ceiling := experiment.ceiling) is not None:
        yield "people", "split-half", "all", ceiling.value, None, None, ceiling.items, None
    for phenomenon in experiment.phenomena:
        yield experiment.model, experiment.main, phenomenon.name, *_numbers(phenomenon.estimate)


def _numbers(found: Estimate) -> Sequence[object]:
    return found.value, found.low, found.high, found.number, found.resamples


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]], kept: Callable[[str], str]) -> str:
    written = ([kept(cell) if isinstance(cell, str) else cell for cell in row] for row in (header, *rows))
    return "".join(f"{table_row(row, ',')}\n" for row in written)


# The scripts, with the types of all columns that are always there; further models are numbers, which are recognized.

CLASSES: Final[dict[str, dict[Kind, str]]] = {
    "analysis.R": {"text": "character", "integer": "integer", "number": "numeric"},
    "analysis.py": {"text": "string", "integer": "Int64", "number": "Float64"},
}
"""What the types are called in R and in pandas; those of pandas have missing values."""


def scripts() -> Iterator[tuple[str, str]]:
    """Return the names of the scripts and their texts."""
    for script, file in SCRIPTS.items():
        classes, sign = CLASSES[script], " = " if script.endswith(".R") else "="
        text = read(file)
        for table, columns in DESCRIBED.items():
            listed = ",\n    ".join(f'{name}{sign}"{classes[column.kind]}"' for name, column in columns.items())
            text = text.replace(f"@{table}@", listed)
        yield script, text
