"""Mixed models that `analysis.R` fitted to the trials of a report, read back from its `models.csv` and shown.

A row is a term of a model: its estimate with a 95 % interval (Wald), whether the model converged and is singular, and
what of its random effects was made simpler. `trials` is the MD5 of the table of trials that R saw.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Sequence
from typing import Any, Final

from numbat.errors import DataError, Problem, Span, data_error
from numbat.files import lines_of
from numbat.markup import aligned
from numbat.records import frozen

COLUMNS: Final = (
    *("model", "design", "formula", "term", "estimate", "low", "high", "statistic", "p", "converged", "singular"),
    *("told", "trials"),
)
WRITTEN: Final = "Rscript analysis.R writes models.csv beside the tables of numbat report --csv"
OTHER_TRIALS: Final = "the mixed models are of other trials than these: run analysis.R of this report again"


@frozen
class ModelTerm:
    """A term of a mixed model; `converged` and `is_singular` are None where R does not say."""

    model: str
    design: str
    formula: str
    term: str
    estimate: float | None
    low: float | None
    high: float | None
    statistic: float | None
    p: float | None
    converged: bool | None
    is_singular: bool | None
    told: str


@frozen
class MixedModels:
    """The terms of all models of a file; `notes` say what to beware of."""

    terms: tuple[ModelTerm, ...]
    notes: tuple[str, ...] = ()

    def lines(self, model: str = "") -> Iterator[str]:
        """Return the models as a table, and below it what was made simpler."""
        return model_lines(self)

    def as_json(self) -> dict[str, Any]:
        """Return the models under their key in the JSON of a report."""
        return {"mixed_models": models_json(self)}

    def on_page(self, model: str) -> dict[str, Any]:
        """Return the lines of the models for the page."""
        return {"mixed": list(model_lines(self))}


def read_mixed_models(path: str, trials: str) -> MixedModels:
    """Return the models of a file that `analysis.R` wrote, with a note where they are of other trials than those of the
    table `trials`. Raises MissingFileError, and DataError for another file.
    """
    rows = list(csv.reader(io.StringIO("\n".join(lines_of(path, WRITTEN)))))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise DataError(f"{path}: no table of mixed models\n  {WRITTEN}")
    terms, problems = [], []
    for line, row in enumerate(rows[1:], start=2):
        try:
            terms.append(_term(row))
        except ValueError:
            problems.append(Problem("no line of a table of mixed models", Span(path, line), hint=WRITTEN))
    if problems:
        raise data_error(*problems)
    own = hashlib.md5(trials.encode(), usedforsecurity=False).hexdigest()
    others = any(row[-1] != own for row in rows[1:])
    return MixedModels(tuple(terms), (OTHER_TRIALS,) if others else ())


def _term(row: Sequence[str]) -> ModelTerm:
    model, design, formula, term, *numbers, told, _ = row
    estimate, low, high, statistic, p, converged, singular = (float(cell) if cell else None for cell in numbers)
    known = [None if each is None else each == 1 for each in (converged, singular)]
    return ModelTerm(model, design, formula, term, estimate, low, high, statistic, p, known[0], known[1], told)


def model_lines(models: MixedModels) -> Iterator[str]:
    """Return the models as a table, and below it what was made simpler."""
    yield from (f"! {note}" for note in models.notes)
    rows = [["mixed model", "design", "term", "estimate", "statistic", "p", "fit"]]
    for each in models.terms:
        interval = "" if each.low is None or each.high is None else f" [{each.low:.3f}, {each.high:.3f}]"
        value = "-" if each.estimate is None else f"{each.estimate + 0:.3f}{interval}"
        numbers = map(_number, (each.statistic, each.p))
        rows.append([each.model, each.design or "all", each.term, value, *numbers, _fit(each)])
    yield from aligned(rows)
    yield from dict.fromkeys(map(_made, models.terms))


def _made(term: ModelTerm) -> str:
    """Return the formula of the model of a term, and what of it was made simpler."""
    named = f"{term.model}, {term.design or 'all'}: {term.formula}"
    return f"{named} ({term.told})" if term.told else named


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _fit(term: ModelTerm) -> str:
    """Return what is wrong with the fit of the model of a term."""
    wrong = [*(["not converged"] if term.converged is False else []), *(["singular"] if term.is_singular else [])]
    return ", ".join(wrong) or ("converged" if term.converged else "-")


def models_json(models: MixedModels) -> dict[str, Any]:
    """Return the models as a value for `json.dumps`."""
    return {
        "notes": list(models.notes),
        "terms": [
            {
                "model": each.model,
                "design": each.design,
                "formula": each.formula,
                "term": each.term,
                "estimate": each.estimate,
                "low": each.low,
                "high": each.high,
                "statistic": each.statistic,
                "p": each.p,
                "converged": each.converged,
                "singular": each.is_singular,
                "told": each.told,
            }
            for each in models.terms
        ],
    }
