"""Suites read from files of judged sentences, exercises or results of experiments, as settings ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from numbat.acceptability import summary
from numbat.acceptability.exercises import exercise_of, is_exercise
from numbat.acceptability.settings import SuiteSettings
from numbat.acceptability.suite import Suite, grouped_by_id, telling_unread
from numbat.acceptability.suite_files import read_laid_out, read_lines
from numbat.acceptability.suite_tables import SuiteLayout, layout_of
from numbat.errors import UsageError
from numbat.experiments import trials
from numbat.experiments.raw_results import MAPPING_ENDS, are_results, mapped_layout, trials_in
from numbat.experiments.result_answers import ResultLayout
from numbat.experiments.result_tables import TableLayout
from numbat.files import cut_into_lines, text_of
from numbat.records import frozen


def suite_of(settings: SuiteSettings, text: str | None = None) -> Suite:
    """Return the suite in a file of judged sentences or an exercise; `text` replaces the content of the file.

    Raises MissingFileError, DataError and UsageError.
    """
    scale = None if settings.scale is None else summary.scale_of(settings.scale)
    columns, results = _of_results(settings, scale)
    formats = (ResultsFormat(results),)
    layout = layout_of(columns, settings.pairs, settings.hash_lines)
    if is_exercise(settings.suite):
        suite = exercise_of(text_of(settings.suite) if text is None else text, settings.suite).suite()
    elif text is None:
        suite = read_laid_out(settings.suite, layout, formats)
    else:
        suite = read_lines(cut_into_lines(text), settings.suite, layout, formats)
    suite = telling_unread(suite)
    suite = summary.far_from_others(suite) if scale is None else summary.within(suite, scale)
    suite = summary.standardized(suite) if settings.z_scores else suite
    return suite if settings.group_by_id is None else grouped_by_id(suite, settings.group_by_id)


def _of_results(settings: SuiteSettings, scale: tuple[float, float] | None) -> tuple[str | None, TableLayout]:
    """Return what `--columns` says about the columns of a suite, and the layout of results of an experiment."""
    layout = ResultLayout(
        elements=settings.element, only=settings.only, participant=settings.participant or "", scale=scale
    )
    if settings.columns and settings.columns.endswith(MAPPING_ENDS):
        return None, mapped_layout(settings.columns, TableLayout(results=layout))
    return settings.columns, TableLayout(results=layout)


@frozen
class ResultsFormat:
    """Results of an experiment as a format of suites."""

    results: TableLayout = TableLayout()
    name: str = "results of an experiment"

    def recognises(self, lines: Sequence[str], path: str) -> bool:
        """Return True if a layout was given, or the lines need no mapping file."""
        return self.results.is_stated or are_results(lines, path)

    def read(self, lines: Sequence[str], path: str, layout: SuiteLayout) -> Suite:
        """Return the suite of the trials. Raises DataError, and UsageError if a list of column names is given."""
        if layout.names is not None:
            hint = "translate single names, --columns sentence=NAME, or leave --columns out"
            raise UsageError(f"{path}: --columns lists names, but results already name their columns\n  {hint}")
        columns = {FIELDS_OF_RESULTS.get(field, field): name for field, name in layout.renamed.items()}
        result_layout = self.results.results
        table_layout = replace(
            self.results, results=replace(result_layout, columns={**result_layout.columns, **columns})
        )
        return trials.suite_of(trials_in([(path, lines)], table_layout), path)


FIELDS_OF_RESULTS: Final = {"phenomenon": "condition", "judgement": "rating"}
"""Fields of a suite, and their names in results."""
