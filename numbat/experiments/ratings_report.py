"""The report on results of an experiment: what was read, what was left out line by line, what rules excluded."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from numbat.errors import counted, first_of
from numbat.experiments.exclusions import Exclusion, Rule, exclusions_table, summary_of
from numbat.experiments.trials import LeftOut, Trials, cautions, units_of_trials

SHOWN: Final = 10
"""So many lines are listed for each reason."""
NAMED: Final = 12
"""So many conditions are named."""


def ratings_lines(trials: Trials, rules: Sequence[Rule], excluded: Sequence[Exclusion]) -> Iterator[str]:
    """Yield the lines of the report: what was read, the trials, what to beware of, what was left out."""
    yield from trials.read
    yield from _about(trials)
    yield from (f"! {each}" for each in (*cautions(trials), *_without_sentences(trials)))
    of_rules = {(each.path, each.line, each.participant) for each in excluded}
    others = [each for each in trials.left_out if (each.path, each.line, each.participant) not in of_rules]
    yield from _listed(others)
    for line in summary_of(excluded, rules):
        yield line
        own = [each for each in excluded if line.startswith(f"rule {each.rule}:")]
        yield from (f"  {each}" for each in own[:SHOWN])
        yield from _more(len(own))


def _about(trials: Trials) -> Iterator[str]:
    """Yield how many trials, participants, items and sentences there are, by label and condition."""
    every = trials.trials
    people = Counter(trial.participant for trial in every)
    sentences = len({trial.sentence for trial in every if trial.sentence})
    items = len(set(units_of_trials(trials)))
    ratings = [trial.rating for trial in every]
    yield (
        f"{counted(len(every), 'trial')} of {counted(len(people), 'participant')}, {counted(items, 'item')}, "
        f"{counted(sentences, 'sentence')}; ratings from {min(ratings):g} to {max(ratings):g}"
    )
    if len(set(people.values())) > 1:
        least, most = min(people.values()), max(people.values())
        yield f"trials of a participant: {least} to {most}"
    for what, counts in (
        ("labels", Counter(trial.label for trial in every if trial.label)),
        ("conditions", Counter(trial.condition for trial in every if trial.condition)),
    ):
        if counts:
            yield f"{what}: {first_of([f'{name} {number:,}' for name, number in counts.items()], NAMED)}"
    if any(trial.z is not None for trial in every):
        yield "z-scores within participants (n - 1) over all trials, of every label"


def _without_sentences(trials: Trials) -> Iterator[str]:
    if not any(trial.sentence for trial in trials.trials):
        yield "no sentences: numbat report needs them; log them, or name their column: --columns sentence=NAME"


def _listed(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """Yield what was left out, by reason, with the first lines of each."""
    reasons: dict[str, list[LeftOut]] = {}
    for each in left_out:
        reasons.setdefault(each.why.partition(":")[0], []).append(each)
    for why, own in reasons.items():
        yield f"left out, {why}: {counted(len(own), 'line')}"
        yield from (f"  {each}" for each in own[:SHOWN])
        yield from _more(len(own))


def _more(number: int) -> Iterator[str]:
    if number > SHOWN:
        yield f"  and {number - SHOWN:,} more: --omissions FILE has all"


def left_out_table(trials: Trials, excluded: Sequence[Exclusion]) -> str:
    """Return the table in CSV of all that is left out: participants and trials by rules, lines that are no trials."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerows(exclusions_table(excluded))
    of_rules = {(each.path, each.line, each.participant) for each in excluded}
    for each in trials.left_out:
        if (each.path, each.line, each.participant) not in of_rules:
            writer.writerow(("", each.participant, f"{each.path}:{each.line}", "1", each.why))
    return written.getvalue()
