"""Results of an experiment as a clean table of trials: exclusions by stated rules, a report on the input."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from numbat.acceptability.summary import inner_scale, scale_of, scale_option
from numbat.errors import UsageError, counted, first_of
from numbat.experiments.exclusions import Exclusion, ExclusionRule, exclude, exclusions_table, read_rules, summary_of
from numbat.experiments.raw_results import mapped_layout, read_results
from numbat.experiments.result_answers import ResultLayout, only_labels
from numbat.experiments.result_tables import TableLayout
from numbat.experiments.trials import Omission, Trials, cautions, units_of_trials
from numbat.records import frozen


@frozen
class RatingSettings:
    """Results of an experiment, and how they are read, filtered and written; see `numbat.experiments.result_answers`.

    `columns` is a mapping file, or names of columns: `rating=Note`. `answers` rates words: `yes=1,no=0`;
    `scale` is the least and the greatest rating, `1-7`; `exclude` are files of rules, and rules in their short form.
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


@frozen
class Ratings:
    """The trials of an experiment, and what rules excluded; `before` is the number of trials before the exclusions."""

    trials: Trials
    before: int
    rules: Sequence[ExclusionRule] = ()
    excluded: Sequence[Exclusion] = ()

    @property
    def other_omissions(self) -> list[Omission]:
        """Trials that were left out for another reason than a rule."""
        of_rules = {(exclusion.path, exclusion.line, exclusion.participant) for exclusion in self.excluded}
        return [
            omission
            for omission in self.trials.left_out
            if (omission.path, omission.line, omission.participant) not in of_rules
        ]


def ratings(settings: RatingSettings) -> Ratings:
    """Return the trials in files of results, without those that the rules exclude.

    Rules apply to the trials of all labels. Trials with labels that do not count are removed after that, so that
    z-scores are over all trials that the rules leave. Raises MissingFileError, DataError and UsageError.
    """
    rules = read_rules(settings.exclude)
    layout = layout_of_results(settings)
    only, all_labels = layout.results.only, replace(layout, results=replace(layout.results, only=()))
    trials = read_results(settings.raw, all_labels)
    before = len(trials.trials)
    trials = _telling_far_ratings(trials) if layout.results.scale is None else trials
    trials, excluded = exclude(trials, rules) if rules else (trials, [])
    return Ratings(only_labels(trials, only), before, rules, excluded)


def _telling_far_ratings(trials: Trials) -> Trials:
    """Return the trials, with a caution about ratings that seem to be off their scale."""
    inner = inner_scale(trial.rating for trial in trials.trials)
    if inner is None:
        return trials
    far = [f"{t.rating:g} ({t.place})" for t in trials.trials if not inner[0] <= t.rating <= inner[1]]
    text = f"{counted(len(far), 'rating')} far from the others, which lie from {inner[0]:g} to {inner[1]:g}"
    beware = f"{text}: {first_of(far, 3)}; {scale_option(inner)} leaves such ratings out"
    return replace(trials, beware=(*trials.beware, beware))


def layout_of_results(settings: RatingSettings) -> TableLayout:
    """Return the layout of the results: that of the mapping file, changed by the options. Raises UsageError."""
    layout = ResultLayout(
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
    return mapped_layout(settings.columns, TableLayout(results=layout))


def _answers(text: str | None) -> Mapping[str, float]:
    """Return the rating of each answer that a text such as `yes=1,no=0` lists. Raises UsageError."""
    ratings = {}
    for part in text.split(",") if text else ():
        word, is_said, number = (piece.strip() for piece in part.rpartition("="))
        try:
            ratings[word] = float(number)
        except ValueError:
            is_said = ""
        if not is_said or not word:
            raise UsageError(
                f'--answers: "{part.strip()}" does not give a number for an answer\n  write --answers yes=1,no=0'
            )
    return ratings


# The report

SHOWN: Final = 10
"""Maximum number of lines listed for each reason."""
NAMED: Final = 12
"""Maximum number of conditions named."""


def ratings_lines(made: Ratings) -> Iterator[str]:
    """Yield the lines of the report: files read, trials, cautions, omissions."""
    trials = made.trials
    yield from trials.read
    yield from _about(trials)
    yield from (f"! {caution}" for caution in (*cautions(trials), *_without_sentences(trials)))
    yield from _listed(made.other_omissions)
    for line in summary_of(made.excluded, made.rules):
        yield line
        exclusions = [exclusion for exclusion in made.excluded if line.startswith(f"rule {exclusion.rule}:")]
        yield from (f"  {exclusion}" for exclusion in exclusions[:SHOWN])
        yield from _more(len(exclusions))


def _about(trials: Trials) -> Iterator[str]:
    """Yield the numbers of trials, participants, items and sentences, also by label and condition."""
    people = Counter(trial.participant for trial in trials.trials)
    sentences = len({trial.sentence for trial in trials.trials if trial.sentence})
    items = len(set(units_of_trials(trials)))
    ratings = [trial.rating for trial in trials.trials]
    yield (
        f"{counted(len(trials.trials), 'trial')} of {counted(len(people), 'participant')}, {counted(items, 'item')}, "
        f"{counted(sentences, 'sentence')}; ratings from {min(ratings):g} to {max(ratings):g}"
    )
    if len(set(people.values())) > 1:
        least, most = min(people.values()), max(people.values())
        yield f"trials of a participant: {least} to {most}"
    for what, counts in (
        ("labels", Counter(trial.label for trial in trials.trials if trial.label)),
        ("conditions", Counter(trial.condition for trial in trials.trials if trial.condition)),
    ):
        if counts:
            yield f"{what}: {first_of([f'{name} {number:,}' for name, number in counts.items()], NAMED)}"
    if any(trial.z is not None for trial in trials.trials):
        yield "z-scores within participants (n - 1) over the trials of all labels"


def _without_sentences(trials: Trials) -> Iterator[str]:
    if not any(trial.sentence for trial in trials.trials):
        yield "no sentences: numbat report needs them; log them, or name their column: --columns sentence=NAME"


def _listed(left_out: Sequence[Omission]) -> Iterator[str]:
    """Yield the omissions by reason, with the first lines of each."""
    reasons: dict[str, list[Omission]] = {}
    for omission in left_out:
        reasons.setdefault(omission.why.partition(":")[0], []).append(omission)
    for why, omissions in reasons.items():
        yield f"left out, {why}: {counted(len(omissions), 'line')}"
        yield from (f"  {omission}" for omission in omissions[:SHOWN])
        yield from _more(len(omissions))


def _more(number: int) -> Iterator[str]:
    if number > SHOWN:
        yield f"  and {number - SHOWN:,} more: --omissions FILE lists all"


def left_out_table(made: Ratings) -> str:
    """Return a CSV table of all omissions: participants and trials excluded by rules, lines that are not trials."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerows(exclusions_table(made.excluded))
    for omission in made.other_omissions:
        writer.writerow(("", omission.participant, f"{omission.path}:{omission.line}", "1", omission.why))
    return written.getvalue()
