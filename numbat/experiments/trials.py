"""Trials of a rating experiment: participant, sentence, item, condition, rating; z-scores; the clean table.

All readers of results make trials: `raw_results` from the files of laboratories, `read_clean` from the table that
`numbat ratings` writes. `suite_of` makes a suite of trials, so that a report rests on the same trials as the table.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Final

from numbat.acceptability.suite import Item, Rating, Suite
from numbat.errors import DataError, Problem, Span, counted, data_error, first_of
from numbat.files import guarded
from numbat.records import frozen

FIELDS: Final = ("participant", "item", "condition", "label", "sentence", "rating", "z", "time")
"""The first columns of a clean table; further columns of the results follow."""
NO_VALUE: Final = frozenset(("", "na", "n/a", "nan", "null", "none", "undefined", "#n/a", "-"))
"""Cells, in lower case, that stand for a missing item, condition or answer."""
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
"""Prefixes of labels that name a part of the experiment rather than a condition."""
NAMED: Final = 5
"""Maximum number of participants named."""


@frozen
class Trial:
    """One rating of one sentence by one participant. A text that the results lack is empty.

    `label` is the part of the experiment: practice, filler, target; `time` is in milliseconds. `z` is the rating minus
    the mean of the participant, in the participant's standard deviations (n - 1); None where these are 0 or unknown.
    `others` are the values of the further columns, in the order of `Trials.columns`. `line` is the line in `path`.
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
        """The file and line of the trial."""
        return f"{self.path}:{self.line}"


@frozen
class Omission:
    """A line of the results, or a participant (`line` is 0), that was left out, and `why`."""

    path: str
    line: int
    participant: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.why}" if self.line else f"{self.participant}: {self.why}"


@frozen
class Trials:
    """The trials of an experiment, in the order of its files.

    `columns` names the `others` of each trial; the columns `withheld` stay out of the clean table. `read` reports how
    the files were read, `beware` possible faults, `left_out` the lines without a trial. `z_given` is True if the
    z-scores come from a clean table.
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
        """The names of the further columns of the clean table."""
        return tuple(name for name in self.columns if name not in self.withheld)

    def column(self, name: str) -> Callable[[Trial], str]:
        """Return a function from a trial to its value in a column, as text. Raises DataError for a missing column."""
        if name in self.columns:
            place = self.columns.index(name)
            return lambda trial: trial.others[place]
        if name in FIELDS:
            return lambda trial: cell_of(getattr(trial, name))
        known = ", ".join((*FIELDS, *self.columns))
        raise DataError(f'{self.paths[0]}: no column "{name}"\n  the columns are: {known}')


def units_of_trials(trials: Trials) -> list[str]:
    """Return the item number of each trial, with its label where several parts of the experiment number their items.

    Item 1 of practice and item 1 of the targets are two items. If the labels are the conditions, only labels that name
    a part of the experiment distinguish items.
    """
    alone = len({trial.label for trial in trials.trials}) == 1
    as_conditions = labels_are_conditions(trials)

    def unit(trial: Trial) -> str:
        is_part = trial.label and not alone and (not as_conditions or _names_part(trial.label))
        return f"{trial.label}:{trial.item}" if is_part else trial.item

    return [unit(trial) for trial in trials.trials]


def labels_are_conditions(trials: Trials) -> bool:
    """Return True if every trial that has a condition has it as its label."""
    return not any(trial.condition and trial.condition != trial.label for trial in trials.trials)


def _names_part(label: str) -> bool:
    return label.strip().lower().startswith(PARTS)


def cell_of(value: str | float | None) -> str:
    """Return a value as a cell of the clean table: numbers with up to six decimals, empty for None."""
    if value is None or isinstance(value, str):
        return value or ""
    return str(int(value)) if value == int(value) else repr(round(value, 6))


# z-scores within participants


def with_z_scores(trials: Trials) -> Trials:
    """Return the trials with z-scores within participants (n - 1); None for participants whose ratings do not vary."""
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
    """Yield cautions: those from reading the files, participants without z-scores, shared numbers, a single item."""
    yield from trials.beware
    scored = {trial.participant for trial in trials.trials if trial.z is not None}
    flat = [name for name in trials.participants if name not in scored]
    if flat and scored:
        which = f"{len(flat)} ({first_of(flat, NAMED)})"
        yield f"participants without z-scores, because their ratings do not vary: {which}; --exclude one-button"
    yield from _of_several_experiments(trials)
    if len(set(units_of_trials(trials))) == 1:
        yield "only one item: results do not generalise to other items"


def _of_several_experiments(trials: Trials) -> Iterator[str]:
    """Report items with several sentences in one condition, with a column that tells these apart if there is one."""
    sentences: dict[tuple[str, str], dict[str, list[Trial]]] = {}
    for trial, unit in zip(trials.trials, units_of_trials(trials), strict=True):
        if trial.item and trial.condition and trial.sentence:
            sentences.setdefault((unit, trial.condition), {}).setdefault(trial.sentence, []).append(trial)
    several = {key: shown for key, shown in sentences.items() if len(shown) > 1}
    if not several:
        return
    names = list(dict.fromkeys(unit for unit, _ in several))
    column = next((name for name in trials.columns if _tells_apart(trials.column(name), several.values())), None)
    yield shared_numbers(names, f"--columns label={column} tells them apart" if column else SEPARATE)


SEPARATE: Final = "give each its own number"


def shared_numbers(items: Sequence[str], remedy: str) -> str:
    """Return a caution about items that have several sentences in one condition."""
    return (
        f"{counted(len(items), 'item')} with several sentences in one condition ({first_of(items, NAMED)}): "
        f"if they are items of several experiments, {remedy}"
    )


def _tells_apart(value: Callable[[Trial], str], several: Collection[Mapping[str, Sequence[Trial]]]) -> bool:
    """True if each sentence has one value, those of an item in a condition differ, and most sentences share theirs."""
    every = set[str]()
    for shown in several:
        values = [{value(trial) for trial in those} for those in shown.values()]
        together = set[str]().union(*values)
        every |= together
        if any(len(those) != 1 for those in values) or len(together) < len(values):
            return False
    return 2 * len(every) <= sum(map(len, several))


# The clean table


def clean_table(trials: Trials, separator: str = ",", for_spreadsheets: bool = False) -> str:
    """Return the table of the trials, one in each row, with the further columns."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow((*FIELDS, *trials.travelling))
    places = [place for place, name in enumerate(trials.columns) if name not in trials.withheld]
    for trial in trials.trials:
        cells = [cell_of(getattr(trial, field)) for field in FIELDS]
        cells += (trial.others[place] for place in places)
        writer.writerow(map(guarded, cells) if for_spreadsheets else cells)
    return text.getvalue()


def is_clean(names: Sequence[str]) -> bool:
    """Return True for the column names of a clean table."""
    return tuple(name.strip().lstrip("\ufeff") for name in names[: len(FIELDS)]) == FIELDS


def read_clean(rows: Iterable[tuple[int, Sequence[str]]], path: str) -> Trials:
    """Return the trials of a clean table whose first row names the columns. Raises DataError."""
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
            f"{path}: no trials below the names of the columns\n  write it again: numbat ratings RAW -o {path}"
        )
    people = counted(len({trial.participant for trial in trials}), "participant")
    note = f"{path}: a table of numbat ratings, {counted(len(trials), 'trial')} of {people}; with its z-scores"
    return Trials((path,), tuple(trials), columns, read=(note,), z_given=True)


def _read_row(cells: Sequence[str], width: int, path: str, line: int) -> Trial:
    if len(cells) != width:
        raise ValueError(f"{counted(len(cells), 'cell')}, but {counted(width, 'column')}\nquote cells with commas")
    participant, item, condition, label, sentence, rating, z, time = cells[: len(FIELDS)]
    value = _number_of("rating", rating)
    if value is None:
        raise ValueError("no rating\nwrite one, or leave out the line")
    z_score, milliseconds = _number_of("z", z), _number_of("time", time)
    others = tuple(cells[len(FIELDS) :])
    return Trial(participant, item, condition, label, sentence, value, z_score, milliseconds, others, path, line)


def _number_of(name: str, cell: str) -> float | None:
    try:
        return float(cell) if cell.strip() else None
    except ValueError:
        raise ValueError(f'"{cell}" is not a number\nthe column {name} has numbers, with a point: 2.5') from None


# From trials to a suite


def suite_of(trials: Trials, path: str) -> Suite:
    """Return the suite of the trials: one item for each sentence of an item and condition, rated by the mean.

    A further column `group` is the group of an item, unless it varies within items: then it groups participants.
    Raises DataError if no trial has a sentence.
    """
    silent = sum(not trial.sentence for trial in trials.trials)
    if silent == len(trials.trials):
        raise DataError(f"{path}: no rated sentences in these results\n  {LOG_SENTENCE}")
    units = units_of_trials(trials)
    groups = _groups(trials, units)
    as_conditions = labels_are_conditions(trials)
    together: dict[tuple[str, str, str], list[Trial]] = {}
    for trial, unit in zip(trials.trials, units, strict=True):
        if trial.sentence:
            key = (unit, trial.condition or (trial.label if as_conditions else ""), trial.sentence)
            together.setdefault(key, []).append(trial)
    sharing = Counter(unit for unit, _, _ in together)
    items = [
        _item(unit, phenomenon, shown, groups.get(unit, unit if sharing[unit] > 1 else ""), trials)
        for (unit, phenomenon, _), shown in together.items()
    ]
    notes = [*trials.read, *cautions(trials), *left_out_notes(trials.left_out)]
    if silent:
        notes.append(f"trials left out because they have no sentence: {silent}")
    return Suite(path, tuple(_named_apart(items)), notes=tuple(notes))


LOG_SENTENCE: Final = 'log the sentence of each trial as a column: newTrial(...).log("sentence", row.sentence)'
"""Hint for results without sentences."""


def _groups(trials: Trials, units: Sequence[str]) -> dict[str, str]:
    """Return the group of each unit by the column `group`; empty if it varies within a unit."""
    if "group" not in trials.columns:
        return {}
    value = trials.column("group")
    groups: dict[str, set[str]] = {}
    for trial, unit in zip(trials.trials, units, strict=True):
        groups.setdefault(unit, set()).add(value(trial))
    if any(len(values) > 1 for values in groups.values()):
        return {}
    return {unit: group for unit, (group,) in groups.items() if group}


def _item(unit: str, phenomenon: str, shown: Sequence[Trial], group: str, trials: Trials) -> Item:
    """Return the item of the trials of one sentence, with the further columns that are equal in all of them."""
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
    """Yield the items with distinct ids: the condition, then the line, is appended to an id that several share."""
    for detail in ("phenomenon", "line"):
        bearing = Counter(item.id for item in items)
        items = [
            replace(item, id=f"{item.id}-{more}") if bearing[item.id] > 1 and (more := getattr(item, detail)) else item
            for item in items
        ]
    yield from items


def left_out_notes(left_out: Sequence[Omission]) -> Iterator[str]:
    """Yield a note for each reason why something was left out, with the first lines or participants concerned."""
    reasons: dict[str, list[Omission]] = {}
    for omission in left_out:
        reasons.setdefault(omission.why.partition(":")[0], []).append(omission)
    for why, of_reason in reasons.items():
        places = [f"{o.path}:{o.line}" if o.line else o.participant for o in of_reason]
        yield f"left out, {why}: {len(of_reason):,} ({first_of(places, 3)})"
