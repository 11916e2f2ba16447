"""Mixed models that `analysis.R` fitted to the trials of a report, read from its `models.csv`.

A row is a term of a model: its estimate with a 95 % interval (Wald), whether the model converged and is singular, and
how its random effects were simplified. `trials` is the MD5 digest of the table of trials that R read.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

from numbat.errors import DataError, Problem, Span, data_error
from numbat.files import lines_of
from numbat.records import frozen
from numbat.reports.report import Column, Lines, Member, Object, Table, cautions, keys

COLUMNS: Final = (
    *("model", "design", "formula", "term", "estimate", "low", "high", "statistic", "p", "converged", "singular"),
    *("told", "trials"),
)
WRITTEN: Final = "Rscript analysis.R writes models.csv beside the tables of numbat report --csv"
OTHER_TRIALS: Final = "the mixed models were fitted to other trials: run analysis.R of this report again"


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
    """The terms of all models in a file; `notes` are cautions."""

    terms: tuple[ModelTerm, ...]
    notes: tuple[str, ...] = ()

    def part(self, model: str = "") -> Object:
        """Return the models as a table of a report; in the text, a line for each model follows."""
        notes = Member("notes", list(self.notes), cautions(self.notes))
        made = Lines([*dict.fromkeys(map(_made, self.terms))])
        return Object("mixed_models", (notes, Table(TERMS, self.terms, "terms"), made))

    def on_page(self, model: str) -> dict[str, Any]:
        """Return the lines of the models for the page."""
        return {"mixed": list(self.part().lines())}


def read_mixed_models(path: str, trials: str) -> MixedModels:
    """Return the models in a file that `analysis.R` wrote, with a note if R read another table than `trials`.

    Raises MissingFileError, and DataError for another file.
    """
    rows = list(csv.reader(io.StringIO("\n".join(lines_of(path, WRITTEN)))))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise DataError(f"{path}: not a table of mixed models\n  {WRITTEN}")
    terms, problems = [], []
    for line, row in enumerate(rows[1:], start=2):
        try:
            terms.append(_term(row))
        except ValueError:
            problems.append(Problem("not a line of a table of mixed models", Span(path, line), hint=WRITTEN))
    if problems:
        raise data_error(*problems)
    digest = hashlib.md5(trials.encode(), usedforsecurity=False).hexdigest()
    others = any(row[-1] != digest for row in rows[1:])
    return MixedModels(tuple(terms), (OTHER_TRIALS,) if others else ())


def _term(row: Sequence[str]) -> ModelTerm:
    model, design, formula, term, *numbers, simplified, _ = row
    estimate, low, high, statistic, p, converged, singular = (float(cell) if cell else None for cell in numbers)
    known = [None if flag is None else flag == 1 for flag in (converged, singular)]
    return ModelTerm(model, design, formula, term, estimate, low, high, statistic, p, known[0], known[1], simplified)


def _made(term: ModelTerm) -> str:
    """Return the formula of the model of a term, and how it was simplified."""
    named = f"{term.model}, {term.design or 'all'}: {term.formula}"
    return f"{named} ({term.told})" if term.told else named


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _fit(term: ModelTerm) -> str:
    """Return the state of the fit of a term's model."""
    wrong = [*(["not converged"] if term.converged is False else []), *(["singular"] if term.is_singular else [])]
    return ", ".join(wrong) or ("converged" if term.converged else "-")


def _estimate(term: ModelTerm) -> str:
    interval = "" if term.low is None or term.high is None else f" [{term.low:.3f}, {term.high:.3f}]"
    return "-" if term.estimate is None else f"{term.estimate + 0:.3f}{interval}"


TERMS: Final[Sequence[Column[ModelTerm]]] = (
    Column("mixed model", "", "model"),
    Column("design", lambda term: term.design or "all", "design", attrgetter("design")),
    Column(key="formula"),
    Column("term", "", "term"),
    Column("estimate", _estimate, "estimate", attrgetter("estimate")),
    *keys("low", "high"),
    Column("statistic", lambda term: _number(term.statistic), "statistic", attrgetter("statistic")),
    Column("p", lambda term: _number(term.p), "p", attrgetter("p")),
    Column("fit", _fit),
    Column(key="converged"),
    Column(key="singular", value=attrgetter("is_singular")),
    Column(key="told"),
)
