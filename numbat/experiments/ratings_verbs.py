"""Functions of ratings: results of an experiment as a clean table of trials, with exclusions by stated rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from numbat.acceptability.summary import inner_scale, scale_of, scale_option
from numbat.errors import UsageError, counted, first_of
from numbat.experiments.exclusions import Exclusion, Rule, exclude, read_rules
from numbat.experiments.raw_results import mapped_layout, read_results
from numbat.experiments.result_answers import ResultLayout, only_labels
from numbat.experiments.result_tables import TableLayout
from numbat.experiments.trials import Trials
from numbat.records import frozen


@frozen
class Ratings:
    """The trials of an experiment, and what rules left out of them: `before` says how many trials there were."""

    trials: Trials
    before: int
    rules: Sequence[Rule] = ()
    excluded: Sequence[Exclusion] = ()


def ratings(settings: RatingSettings) -> Ratings:
    """Return the trials in files of results, without what the rules exclude.

    Rules see the trials of all labels; those that do not count are left out behind them, so that z-scores are over all
    trials that remain. Raises MissingFileError, DataError and UsageError.
    """
    rules = read_rules(settings.exclude)
    layout = layout_of_results(settings)
    only, every = layout.results.only, replace(layout, results=replace(layout.results, only=()))
    trials = read_results(settings.raw, every)
    before = len(trials.trials)
    trials = _telling_far_ratings(trials) if layout.results.scale is None else trials
    trials, excluded = exclude(trials, rules) if rules else (trials, [])
    return Ratings(only_labels(trials, only), before, rules, excluded)


def _telling_far_ratings(trials: Trials) -> Trials:
    """Return the trials, which tell ratings that seem to be off their scale."""
    inner = inner_scale(trial.rating for trial in trials.trials)
    if inner is None:
        return trials
    far = [f"{t.rating:g} ({t.place})" for t in trials.trials if not inner[0] <= t.rating <= inner[1]]
    told = f"{counted(len(far), 'rating')} far from the others, which lie from {inner[0]:g} to {inner[1]:g}"
    beware = f"{told}: {first_of(far, 3)}; {scale_option(inner)} leaves such ratings out"
    return replace(trials, beware=(*trials.beware, beware))


def layout_of_results(settings: RatingSettings) -> TableLayout:
    """Return how the results are read: as the mapping file says, and the options instead of it. Raises UsageError."""
    given = ResultLayout(
        elements=settings.element,
        only=settings.only,
        leave_out=settings.leave_out,
        participant=settings.participant or "",
        answers=_answers(settings.answers),
        scale=None if settings.scale is None else scale_of(settings.scale),
        task="magnitude" if settings.magnitude else "scale",
        decimal_comma=settings.decimal_comma,
        keep=settings.keep,
        drop=settings.drop,
    )
    return mapped_layout(settings.columns, TableLayout(results=given))


def _answers(text: str | None) -> Mapping[str, float]:
    """Return words as ratings: `yes=1,no=0`. Raises UsageError."""
    found = {}
    for part in text.split(",") if text else ():
        word, is_said, number = (piece.strip() for piece in part.rpartition("="))
        try:
            found[word] = float(number)
        except ValueError:
            is_said = ""
        if not is_said or not word:
            raise UsageError(
                f'--answers: "{part.strip()}" does not say what an answer counts\n  write --answers yes=1,no=0'
            )
    return found


@frozen
class RatingSettings:
    """Results of an experiment, and how they are read, excluded and written; see `numbat.experiments.result_answers`.

    `columns` is a mapping file, or what fields are called: `rating=Note`. `answers` are words as ratings, `yes=1,no=0`,
    `scale` is the least and the greatest rating, `1-7`; `exclude` are files of rules and rules in their short form.
    """

    raw: tuple[str, ...]
    columns: str | None = None
    element: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    participant: str | None = None
    answers: str | None = None
    scale: str | None = None
    magnitude: bool = False
    decimal_comma: bool = False
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
