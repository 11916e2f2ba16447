"""Trials of a rating experiment: who rated which sentence of which item and condition; z-scores; the clean table.

Every reader of results ends here: `raw_results` for files of laboratories, `read_clean` for the table that
`numbat ratings` writes. `suite_of` makes a suite of trials, so that a report rests on the same trials as the table.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Final

from numbat.acceptability.suite import Item, Rating, Suite
from numbat.errors import DataError, Problem, Span, counted, data_error, first_of
from numbat.files import guarded
from numbat.records import frozen

FIELDS: Final = ("participant", "item", "condition", "label", "sentence", "rating", "z", "time")
"""The first columns of a clean table; the others are those that travel."""
NO_VALUE: Final = frozenset(("", "na", "n/a", "nan", "null", "none", "undefined", "#n/a", "-"))
"""What stands in a column, in lower case, where there is no item, condition or answer."""
PARTS: Final = (
    "practice",
    "filler",
    "training",
    "exercise",
    "example",
    "warm",
    "burn",
    "catch",
    "attention",
    "distract",
)
"""How labels begin that name a part of the experiment, and no condition."""
NAMED: Final = 5
"""So many participants are named where there are more."""


@frozen
class Trial:
    """One rating of one sentence by one participant. A text is empty where the results have none.

    `label` is the part of the experiment: practice, filler, target; `time` is in milliseconds. `z` is the rating less
    the mean of the participant, in that one's standard deviations (n - 1); None where these are 0 or unknown. `others`
    are the values of the columns that travel, in the order of `Trials.columns`. `line` is the place in `path`.
    """

    participant: str
    item: str
    condition: str
    label: str
    sentence: str
    rating: float
    z: float | None = None
    time: float | None = None
    others: tuple[str, ...] = ()
    path: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """Return its file and line."""
        return f"{self.path}:{self.line}"


@frozen
class Omission:
    """A line of the results, or a participant (`line` is 0), that is in no figure, and `why`."""

    path: str
    line: int
    participant: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.why}" if self.line else f"{self.participant}: {self.why}"


@frozen
class Trials:
    """The trials of an experiment, in the order of its files.

    `columns` name the others of each trial; those that are `withheld` stay out of the clean table. `read` says what the
    files are and how they were read, `beware` what may be wrong with them, `left_out` what is in no trial.
    `z_given`: the z-scores are those of a clean table.
    """

    paths: tuple[str, ...]
    trials: tuple[Trial, ...]
    columns: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    beware: tuple[str, ...] = ()
    left_out: tuple[Omission, ...] = ()
    z_given: bool = False

    @property
    def participants(self) -> tuple[str, ...]:
        """The participants, in the order of their first trials."""
        return tuple(dict.fromkeys(trial.participant for trial in self.trials))

    @property
    def travelling(self) -> tuple[str, ...]:
        """The names of the other columns that the clean table has."""
        return tuple(name for name in self.columns if name not in self.withheld)

    def column(self, name: str) -> Callable[[Trial], str]:
        """Return a function that takes the value of a column from a trial, as text. Raises DataError for no column."""
        if name in self.columns:
            place = self.columns.index(name)
            return lambda trial: trial.others[place]
        if name in FIELDS:
            return lambda trial: cell_of(getattr(trial, name))
        known = ", ".join((*FIELDS, *self.columns))
        raise DataError(f'{self.paths[0]}: no column "{name}"\n  the columns are: {known}')


def units_of_trials(trials: Trials) -> list[str]:
    """Return what each trial shares with the other conditions of its item: the number of the item, with the label
    where several parts of the experiment number their items.

    Item 1 of practice and item 1 of the targets are two. Where labels are the conditions, only labels that name a part
    of the experiment tell items apart.
    """
    alone = len({trial.label for trial in trials.trials}) == 1
    as_conditions = labels_are_conditions(trials)

    def unit(trial: Trial) -> str:
        is_part = trial.label and not alone and (not as_conditions or _names_part(trial.label))
        return f"{trial.label}:{trial.item}" if is_part else trial.item

    return [unit(trial) for trial in trials.trials]


def labels_are_conditions(trials: Trials) -> bool:
    """True if the label of each trial that has a condition is that condition."""
    return not any(trial.condition and trial.condition != trial.label for trial in trials.trials)


def _names_part(label: str) -> bool:
    return label.strip().lower().startswith(PARTS)


def cell_of(value: str | float | None) -> str:
    """Return a value as a cell of the clean table: numbers with up to six decimals, nothing for None."""
    if value is None or isinstance(value, str):
        return value or ""
    return str(int(value)) if value == int(value) else repr(round(value, 6))


# z-scores within participants


def with_z_scores(trials: Trials) -> Trials:
    """Return the trials with z-scores within participants (n - 1) over all of them; none where ratings do not vary."""
    of_participant: dict[str, list[float]] = {}
    for trial in trials.trials:
        of_participant.setdefault(trial.participant, []).append(trial.rating)
    spread = {name: stdev(values) if len(values) > 1 else 0.0 for name, values in of_participant.items()}
    means = {name: fmean(values) for name, values in of_participant.items()}
    scored = tuple(
        replace(trial, z=(trial.rating - means[name]) / spread[name] if spread[name := trial.participant] else None)
        for trial in trials.trials
    )
    return replace(trials, trials=scored, z_given=False)


def cautions(trials: Trials) -> Iterator[str]:
    """Yield what to beware of: what reading the files has shown, people without z-scores, an item alone."""
    yield from trials.beware
    scored = {trial.participant for trial in trials.trials if trial.z is not None}
    flat = [name for name in trials.participants if name not in scored]
    if flat and scored:
        which = f"{len(flat)} ({first_of(flat, NAMED)})"
        yield f"participants whose ratings do not vary, so that they have no z-scores: {which}; --exclude one-button"
    if len(set(units_of_trials(trials))) == 1:
        yield "one item only: nothing can be said of other items"


# The clean table


def clean_table(trials: Trials, separator: str = ",", for_spreadsheets: bool = False) -> str:
    """Return the table of the trials, a line each, with the columns that travel."""
    written = io.StringIO()
    writer = csv.writer(written, delimiter=separator, lineterminator="\n")
    writer.writerow((*FIELDS, *trials.travelling))
    places = [place for place, name in enumerate(trials.columns) if name not in trials.withheld]
    for trial in trials.trials:
        cells = [cell_of(getattr(trial, field)) for field in FIELDS]
        cells += (trial.others[place] for place in places)
        writer.writerow(map(guarded, cells) if for_spreadsheets else cells)
    return written.getvalue()


def is_clean(names: Sequence[str]) -> bool:
    """True if these are the names of the columns of a clean table."""
    return tuple(name.strip().lstrip("\ufeff") for name in names[: len(FIELDS)]) == FIELDS


def read_clean(rows: Iterable[tuple[int, Sequence[str]]], path: str) -> Trials:
    """Return the trials of a clean table, whose first row has the names of its columns. Raises DataError."""
    (_, names), *table = rows
    columns = tuple(name.strip() for name in names[len(FIELDS) :])
    trials, problems = [], []
    for line, cells in table:
        try:
            trials.append(_read_row(cells, len(names), path, line))
        except ValueError as error:
            message, _, hint = str(error).partition("\n")
            problems.append(Problem(message, Span(path, line), hint=hint))
    if problems:
        raise data_error(*problems)
    if not trials:
        raise DataError(
            f"{path}: no trials below the names of the columns\n  write it anew: numbat ratings RAW -o {path}"
        )
    people = counted(len({trial.participant for trial in trials}), "participant")
    told = f"{path}: a table of numbat ratings, {counted(len(trials), 'trial')} of {people}; its z-scores are taken"
    return Trials((path,), tuple(trials), columns, read=(told,), z_given=True)


def _read_row(cells: Sequence[str], width: int, path: str, line: int) -> Trial:
    if len(cells) != width:
        raise ValueError(f"{counted(len(cells), 'cell')}, but {counted(width, 'column')}\nquote cells with commas")
    participant, item, condition, label, sentence, rating, z, time = cells[: len(FIELDS)]
    value = _number_of("rating", rating)
    if value is None:
        raise ValueError("no rating\nevery line of a clean table has one")
    z_score, milliseconds = _number_of("z", z), _number_of("time", time)
    others = tuple(cells[len(FIELDS) :])
    return Trial(participant, item, condition, label, sentence, value, z_score, milliseconds, others, path, line)


def _number_of(name: str, cell: str) -> float | None:
    try:
        return float(cell) if cell.strip() else None
    except ValueError:
        raise ValueError(f'"{cell}" is no number\nthe column {name} has numbers, with a point: 2.5') from None


# From trials to a suite


def suite_of(trials: Trials, path: str) -> Suite:
    """Return the suite of the trials: an item for each sentence of an item and condition, rated by their mean.

    A column `group` that travels is the group of an item, unless it varies in it: then it is one of participants.
    Raises DataError where no trial has a sentence.
    """
    silent = sum(not trial.sentence for trial in trials.trials)
    if silent == len(trials.trials):
        raise DataError(f"{path}: no rated sentences in these results\n  {LOG_SENTENCE}")
    units = units_of_trials(trials)
    groups = _groups(trials, units)
    as_conditions = labels_are_conditions(trials)
    alike: dict[tuple[str, str, str], list[Trial]] = {}
    for trial, unit in zip(trials.trials, units, strict=True):
        if trial.sentence:
            key = (unit, trial.condition or (trial.label if as_conditions else ""), trial.sentence)
            alike.setdefault(key, []).append(trial)
    sharing = Counter(unit for unit, _, _ in alike)
    items = [
        _item(unit, phenomenon, shown, groups.get(unit, unit if sharing[unit] > 1 else ""), trials)
        for (unit, phenomenon, _), shown in alike.items()
    ]
    notes = [*trials.read, *cautions(trials), *left_out_notes(trials.left_out)]
    if silent:
        notes.append(f"trials without a sentence, and left out: {silent}")
    return Suite(path, tuple(_named_apart(items)), notes=tuple(notes))


LOG_SENTENCE: Final = 'log the sentence of each trial as a column: newTrial(...).log("sentence", row.sentence)'
"""What to do where results do not have the sentences."""


def _groups(trials: Trials, units: Sequence[str]) -> dict[str, str]:
    """Return the group of each unit by the column `group`; nothing where it varies within one."""
    if "group" not in trials.columns:
        return {}
    value = trials.column("group")
    found: dict[str, set[str]] = {}
    for trial, unit in zip(trials.trials, units, strict=True):
        found.setdefault(unit, set()).add(value(trial))
    if any(len(values) > 1 for values in found.values()):
        return {}
    return {unit: group for unit, (group,) in found.items() if group}


def _item(unit: str, phenomenon: str, shown: Sequence[Trial], group: str, trials: Trials) -> Item:
    """Return the item of trials of one sentence, with the columns that travel if all of these have the same there."""
    ratings = tuple(Rating(trial.rating, trial.participant, trial.z) for trial in shown)
    mean = fmean(rating.value for rating in ratings)
    first = shown[0]
    others = tuple(
        (name, first.others[place])
        for place, name in enumerate(trials.columns)
        if name not in trials.withheld and len({trial.others[place] for trial in shown}) == 1
    )
    return Item(
        unit,
        first.sentence,
        mean,
        None,
        phenomenon,
        judges=len(ratings),
        line=first.line,
        group=group,
        ratings=ratings,
        others=others,
    )


def _named_apart(items: Sequence[Item]) -> Iterator[Item]:
    """Return the items with ids that differ: where several have one, the condition stands behind it, then the line."""
    for detail in ("phenomenon", "line"):
        bearing = Counter(item.id for item in items)
        items = [
            replace(item, id=f"{item.id}-{more}") if bearing[item.id] > 1 and (more := getattr(item, detail)) else item
            for item in items
        ]
    yield from items


def left_out_notes(left_out: Sequence[Omission]) -> Iterator[str]:
    """Return a note for each reason for which something was left out, with its first places."""
    reasons: dict[str, list[Omission]] = {}
    for omission in left_out:
        reasons.setdefault(omission.why.partition(":")[0], []).append(omission)
    for why, of_reason in reasons.items():
        places = [f"{each.path}:{each.line}" if each.line else each.participant for each in of_reason]
        yield f"left out, {why}: {len(of_reason):,} ({first_of(places, 3)})"
