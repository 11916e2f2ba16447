"""The report of a suite as tidy tables for R and the like: one row an observation, one column a variable.

`sentences.csv` has a row for each item, `properties.csv` one for each evaluated property instance, `summary.csv` one
for each statistic of each predictor, `dictionary.csv` says what every column is; `run.json` is the record of the run.
CSV in UTF-8, cells quoted where they must be; a value that does not exist is an empty cell. For spreadsheets, texts
are `guarded` which these would take for formulas.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from numbat.errors import UnwritableError
from numbat.files import guarded, write_whole
from numbat.gradience.statistics import Estimate
from numbat.gradience.summary import Experiment
from numbat.gradience.verdicts import ScoredItem, is_undecided
from numbat.parsing.explanation.json_format import ROW_HEADER, number
from numbat.runs.record import RunRecord

SENTENCES: Final[dict[str, str]] = {
    "id": "identifier of the item; unique",
    "sentence": "the sentence as it was typed",
    "judgement": "the sign that was given: ok, ?, *, ...",
    "rating": "rating, greater is better; of a sign 1 (ok) to 0 (*), if all have signs",
    "judges": "how many ratings `rating` is the mean of",
    "error": "standard error of that mean; empty for one rating",
    "phenomenon": "what the item is about",
    "pair": "minimal pair to which the item belongs",
    "group": "what the item shares with its variants, as the number of an item in several conditions",
    "score": "score by the model, greater is better",
    "full": "1: one root constituent spans the sentence; 0: fragments",
    "well_formed": "1: full and nothing violated",
    "violation_cost": "summed costs of the violated property instances",
    "fragment_cost": "cost of the fragments of a parse that is not full",
    "lexical_cost": "cost of unlikely readings of words",
    "satisfied": "number of satisfied property instances",
    "violated": "number of violated property instances",
    "nodes": "number of phrase constituents",
    "trees": "number of equally good trees",
    "length": "number of tokens",
    "unknown": "number of tokens that the lexicon does not have",
    "unknown_words": "these tokens, guessed or unknown, with blanks between",
    "undecided": "1: judged bad, and all that is wrong may be due to these tokens; 0: not so",
    "stopped_by": "limit that the parse met; a better one may exist",
    "tree": "the best parse in brackets",
}
PROPERTIES: Final[dict[str, str]] = {
    "id": "identifier of the item, as in sentences.csv",
    "rank": "1: the best parse",
    "constituent": "number of the constituent in which the property was evaluated, within the item",
    "construction": "construction of the constituent",
    "start": "first token position of the daughters spoken of",
    "end": "one past the last token position",
    "elements": "numbers of the daughters spoken of",
    "words": "their words",
    "relation": "relation of the property",
    "property": "the property in the notation",
    "satisfied": "1: satisfied; 0: violated",
    "weight": "weight if satisfied",
    "cost": "cost if violated",
    "hard": "1: no phrase may violate it",
    "place": "file and line of the property",
}
SUMMARY: Final[dict[str, str]] = {
    "predictor": "the model, another one, or a trivial baseline; people: half of the people, of all of them",
    "statistic": "pearson, spearman, kendall (tau-b), AUC, pair accuracy (ties half), split-half (Spearman-Brown)",
    "group": "`all`, or the name of a phenomenon",
    "value": "value of the statistic; empty where it has none",
    "low": "lower end of the 95 % bootstrap interval",
    "high": "upper end of the 95 % bootstrap interval",
    "items": "number of items (pairs, for pair accuracy)",
    "resamples": "resamples that the interval is from; 0 where there is none",
}

DESCRIBED: Final = {"sentences.csv": SENTENCES, "properties.csv": PROPERTIES, "summary.csv": SUMMARY}
RECORD: Final = "run.json"
FILES: Final = (*DESCRIBED, "dictionary.csv", RECORD)
"""The names of the tables."""


def table_paths(folder: str) -> tuple[str, ...]:
    """The files that `write_tables` writes."""
    return tuple(str(Path(folder) / name) for name in FILES)


def write_tables(
    experiment: Experiment, folder: str, record: RunRecord | None = None, for_spreadsheets: bool = False
) -> Iterator[str]:
    """Write the tables into a folder, which need not be there, and the record of the run; the paths of those written.

    Raises UnwritableError.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        about = [] if record is None else [(RECORD, json.dumps(record.as_json(), ensure_ascii=False, indent=2) + "\n")]
        for name, text in (*tables(experiment, for_spreadsheets), *about):
            path = Path(folder) / name
            write_whole(path, text.encode())
            yield str(path)
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None


def tables(experiment: Experiment, for_spreadsheets: bool = False) -> Iterator[tuple[str, str]]:
    """The names of the files and their texts."""
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
    rows = [(file, column, text) for file, columns in DESCRIBED.items() for column, text in columns.items()]
    rows += [
        ("sentences.csv", _model_column(name), f"score by the model {name}")
        for name, _ in experiment.others
        if name != experiment.model
    ]
    yield "dictionary.csv", _csv(("file", "column", "meaning"), rows, kept)


def _model_column(name: str) -> str:
    """The column of a further model: a file is named without its folder."""
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
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow([kept(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue()
