"""Suites of files, of exercises and of results of experiments, as settings ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numbat.acceptability.settings import SuiteSettings
from numbat.files import cut_into_lines, text_of

if TYPE_CHECKING:
    from numbat.acceptability.suite import Suite
    from numbat.experiments.result_tables import TableLayout


def suite_of(settings: SuiteSettings, text: str | None = None) -> Suite:
    """Return the suite that is asked for, of a file of judged sentences or of an exercise; `text` stands in for its
    content.

    Raises MissingFileError, DataError and UsageError.
    """
    from numbat.acceptability import summary
    from numbat.acceptability.exercises import exercise_of, is_exercise
    from numbat.acceptability.suite import grouped_by_id, telling_unread
    from numbat.acceptability.suite_files import read_laid_out, read_lines
    from numbat.acceptability.suite_tables import layout_of

    scale = None if settings.scale is None else summary.scale_of(settings.scale)
    columns, results = _of_results(settings, scale)
    layout = layout_of(columns, settings.pairs, settings.hash_lines)
    if is_exercise(settings.suite):
        suite = exercise_of(text_of(settings.suite) if text is None else text, settings.suite).suite()
    elif text is None:
        suite = read_laid_out(settings.suite, layout, results)
    else:
        suite = read_lines(cut_into_lines(text), settings.suite, layout, results)
    suite = telling_unread(suite)
    suite = summary.far_from_others(suite) if scale is None else summary.within(suite, scale)
    suite = summary.standardized(suite) if settings.z_scores else suite
    return suite if settings.group_by_id is None else grouped_by_id(suite, settings.group_by_id)


def _of_results(settings: SuiteSettings, scale: tuple[float, float] | None) -> tuple[str | None, TableLayout]:
    """Return what `--columns` says of the columns of a suite, and how results of an experiment are read."""
    from numbat.experiments.raw_results import MAPPING_ENDS, mapped_layout
    from numbat.experiments.result_answers import ResultLayout
    from numbat.experiments.result_tables import TableLayout

    given = ResultLayout(
        elements=settings.element, only=settings.only, participant=settings.participant or "", scale=scale
    )
    if settings.columns and settings.columns.endswith(MAPPING_ENDS):
        return None, mapped_layout(settings.columns, TableLayout(results=given))
    return settings.columns, TableLayout(results=given)
