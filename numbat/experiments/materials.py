"""The sentences of an experiment: items by conditions, fillers; Latin squares, lists, and constrained random orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import product
from math import lcm
from random import Random
from typing import Final

from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_cells import separator_of, table_rows
from numbat.acceptability.suite_tables import SuiteLayout, cell_text, fields_of, is_no_rating
from numbat.errors import DataError, Problem, Span, UsageError, close_match, counted, data_error, first_of
from numbat.files import SAVE_OR_NAME, lines_of, shown
from numbat.records import frozen

TARGET: Final = "target"
FILLER: Final = "filler"
PRACTICE: Final = "practice"

Condition = tuple[str, ...]
"""The levels of a sentence, one for each factor."""
ItemKey = tuple[str, ...]
"""The values of the columns that name the set of an item, and the name of the item."""


@frozen
class Factor:
    """A factor and its levels; without levels, those of the data in order of appearance."""

    name: str
    levels: tuple[str, ...] = ()

    def lacks(self, level: str) -> bool:
        """Return True if levels are named and this is not one of them."""
        return bool(self.levels) and level not in self.levels


def factors_of(text: str | None) -> tuple[Factor, ...]:
    """Return the factors in a text: `structure,length` or, with ordered levels, `structure=non/isl,length=long/short`.

    Raises UsageError.
    """
    factors = []
    for part in text.split(",") if text else ():
        name, _, levels = (piece.strip() for piece in part.partition("="))
        named = tuple(filter(None, (level.strip() for level in levels.split("/"))))
        if not name or len(named) == 1 or len(set(named)) != len(named):
            raise UsageError(
                f'"{part.strip()}" is not a factor\n  write --factors structure,length, or with ordered levels: '
                "--factors structure=non/island,length=long/short"
            )
        factors.append(Factor(name, named))
    return tuple(factors)


@frozen
class Stimulus:
    """A sentence that people see. `item` names its set and its item; fillers and practice have no `condition`.

    `extra` are its cells in further columns; `named_property` is the text that names the property it should violate.
    """

    kind: str
    item: ItemKey
    condition: Condition
    sentence: str
    extra: tuple[tuple[str, str], ...] = ()
    named_property: str = ""
    line: int = 0

    @property
    def name(self) -> str:
        """The name of the item in its set."""
        return " ".join(self.item)


@frozen
class Materials:
    """The targets of an experiment, every item in every condition of its set, with fillers and practice sentences.

    `factors` name the columns of a condition, `within` those of a set, which is a separate experiment. `notes`
    report rows that were skipped or repeated; `named_levels` are the levels that were requested, empty for those of the
    file.
    """

    path: str
    factors: tuple[str, ...]
    within: tuple[str, ...]
    targets: tuple[Stimulus, ...]
    fillers: tuple[Stimulus, ...] = ()
    practice: tuple[Stimulus, ...] = ()
    notes: tuple[str, ...] = ()
    named_levels: tuple[tuple[str, ...], ...] = ()

    @property
    def items(self) -> Mapping[ItemKey, Mapping[Condition, Stimulus]]:
        """The sentences of each item by their condition, in the order of the file."""
        grouped: dict[ItemKey, dict[Condition, Stimulus]] = {}
        for stimulus in self.targets:
            grouped.setdefault(stimulus.item, {})[stimulus.condition] = stimulus
        return grouped

    @property
    def sets(self) -> Mapping[tuple[str, ...], Sequence[ItemKey]]:
        """The items of each set: those with the same cells in the columns `within`, or all."""
        grouped: dict[tuple[str, ...], list[ItemKey]] = {}
        for item in self.items:
            grouped.setdefault(item[:-1], []).append(item)
        return grouped

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each factor: those that were named, in their order, or else those of the file."""
        places = range(len(self.factors))
        in_file = [tuple(dict.fromkeys(stimulus.condition[place] for stimulus in self.targets)) for place in places]
        named = self.named_levels or ((),) * len(in_file)
        return tuple(
            tuple(filter(levels.__contains__, names)) or levels for names, levels in zip(named, in_file, strict=True)
        )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of all sets, ordered by the levels."""
        conditions = {stimulus.condition for stimulus in self.targets}
        return tuple(filter(conditions.__contains__, product(*self.levels)))

    def suite(self) -> Suite:
        """Return the targets as an unrated suite, to be parsed: its groups are items, its phenomena conditions."""
        items = (
            Item(
                f"{stimulus.name} {', '.join(stimulus.condition)}",
                stimulus.sentence,
                phenomenon=", ".join(stimulus.condition),
                group=stimulus.name,
                line=stimulus.line,
                named_property=stimulus.named_property,
            )
            for stimulus in self.targets
        )
        return Suite(self.path, tuple(items))


def read_materials(
    path: str,
    factors: Sequence[Factor] = (),
    within: Sequence[str] = (),
    fillers: str | None = None,
    practice: str | None = None,
) -> Materials:
    """Return the sentences of a table with the columns `sentence`, `item` and the factors (by default `condition`).

    Rows without any level are fillers; further fillers, and practice sentences, come from other files: tables or plain
    lists. Repeated rows, such as the ratings of several people, count once. Raises MissingFileError, and DataError for
    a missing column, and for an item without a sentence for some condition or with two.
    """
    table = read_table(path)
    columns = _Columns.of(table, factors, within)
    targets, others, problems = [], [], []
    unnamed: Counter[str] = Counter()
    check_levels(table, factors)
    for line, cells in table.rows:
        stimulus, wrong = columns.stimulus(line, cells)
        if wrong is not None:
            problems.append(wrong)
        elif stimulus.kind == FILLER:
            others.append(stimulus)
        elif level := next(
            (level for level, factor in zip(stimulus.condition, factors, strict=False) if factor.lacks(level)), ""
        ):
            unnamed[level] += 1
        else:
            targets.append(stimulus)
    if problems:
        raise data_error(*problems)
    if not targets:
        raise DataError(f"{table.path}: no row has a condition\n  write a level of each factor in every target")
    once = _once(targets, table.path, len(within))
    notes = [
        f"rows left out because --factors does not name their level: {number} ({level})"
        for level, number in unnamed.items()
    ]
    if len(targets) > len(once):
        notes.append(f"{len(targets):,} rows for {counted(len(once), 'target')}: each counts once")
    plain = tuple(_of_one_sentence(others))
    return Materials(
        table.path,
        tuple(table.names[place] for place in columns.factors),
        tuple(table.names[place] for place in columns.sets),
        once,
        (*plain, *(_others(fillers, FILLER) if fillers is not None else ())),
        tuple(_others(practice, PRACTICE) if practice is not None else ()),
        tuple(notes),
        tuple(factor.levels for factor in factors),
    )


@frozen
class _Columns:
    """The indexes of the columns of a table of items: factors, sets, item, sentence, a named property, and the rest."""

    table: NamedTable
    factors: tuple[int, ...]
    sets: tuple[int, ...]
    item: int
    sentence: int
    named: int | None
    left: tuple[int, ...]

    @classmethod
    def of(cls, table: NamedTable, factors: Sequence[Factor], within: Sequence[str]) -> _Columns:
        """Return the columns of a table. Raises DataError for a missing one."""
        places = factor_places(table, factors)
        sets = [table.place(column, "designs") for column in within]
        sentence, item = table.place_of("sentence"), item_place(table, [*places, *sets])
        named = fields_of(table.names).get("property")
        taken = {*places, *sets, sentence, item, named}
        left = tuple(place for place in range(len(table.names)) if place not in taken)
        return cls(table, tuple(places), tuple(sets), item, sentence, named, left)

    def stimulus(self, line: int, cells: Sequence[str]) -> tuple[Stimulus, Problem | None]:
        """Return the target or filler of a row, and the problem with it, if any."""
        names = self.table.names
        condition = tuple(cell_of(cells, place) for place in self.factors)
        absent = [place for place, level in zip(self.factors, condition, strict=True) if is_no_rating(level)]
        extra = tuple((names[place], cell_of(cells, place)) for place in self.left)
        sentence = cell_text("sentence", cell_of(cells, self.sentence))
        name = cell_of(cells, self.item)
        item = (*(cell_of(cells, place) for place in self.sets), name)
        problem = _wrong_row(sentence, name, absent, len(self.factors), names)
        wrong = None if problem is None else Problem(problem[0], Span(self.table.path, line), hint=problem[1])
        if absent:
            return Stimulus(FILLER, (name or str(line),), (), sentence, extra, line=line), wrong
        named = "" if self.named is None else cell_of(cells, self.named)
        return Stimulus(TARGET, item, condition, sentence, extra, named if named.strip(" -") else "", line), wrong


def check_levels(table: NamedTable, factors: Sequence[Factor]) -> None:
    """Raise UsageError for a level that a factor names and no row has."""
    for factor in factors:
        place = table.place(factor.name, "a factor")
        levels = dict.fromkeys(cell_of(cells, place) for _, cells in table.rows)
        for level in factor.levels:
            if level not in levels:
                hint = close_match(level, levels) or f"the column has {first_of(list(levels), 5)}"
                raise UsageError(f'{table.path}: the level "{level}" of {factor.name} is in no row\n  {hint}')


def factor_places(table: NamedTable, factors: Sequence[Factor]) -> list[int]:
    """Return the indexes of the columns of factors, by default `condition`. Raises DataError for a missing column."""
    if factors:
        return [table.place(factor.name, "a factor") for factor in factors]
    place = fields_of(table.names).get("phenomenon")
    if place is None:
        raise DataError(
            f"{table.path}: no column of conditions among {', '.join(map(repr, table.names))}\n"
            "  --factors structure,length names the columns of the factors"
        )
    return [place]


@frozen
class NamedTable:
    """A table with the names of its columns, and its rows with the numbers of their lines."""

    path: str
    names: tuple[str, ...]
    rows: tuple[tuple[int, Sequence[str]], ...]

    def place_of(self, column: str) -> int:
        """Return the index of a column of suites, by any of its usual names. Raises DataError if it is missing."""
        place = fields_of(self.names).get(column)
        if place is None:
            hint = close_match(column, self.names) or f"the first line names the columns, among them {column}"
            raise DataError(f"{self.path}: no column {column} among {', '.join(map(repr, self.names))}\n  {hint}")
        return place

    def place(self, column: str, what: str) -> int:
        """Return the index of a column. Raises DataError, which says `what` it is for, if it is missing."""
        lower = [name.strip().lower() for name in self.names]
        if column.strip().lower() not in lower:
            hint = close_match(column, self.names) or "name a column of the first line"
            raise DataError(
                f'{self.path}: no column "{column}" for {what} among {", ".join(map(repr, self.names))}\n  {hint}'
            )
        return lower.index(column.strip().lower())


def read_table(path: str) -> NamedTable:
    """Return a table in TSV or CSV whose first line names its columns. Raises MissingFileError, DataError."""
    lines = lines_of(path, SAVE_OR_NAME)
    layout = SuiteLayout()
    if separator := separator_of(lines):
        lines, layout = ["", *lines[1:]], replace(layout, separator=separator)
    rows = list(table_rows(lines, shown(path), layout, []))
    if not rows:
        raise DataError(f"{shown(path)}: no rows\n  the first line names the columns: sentence, item and the factors")
    (_, names), *others = rows
    return NamedTable(shown(path), tuple(name.strip().lstrip("\ufeff") for name in names), tuple(others))


def item_place(table: NamedTable, taken: Sequence[int]) -> int:
    """Return the index of the column that names items, other than those taken. Raises DataError if it is missing."""
    fields = fields_of(table.names)
    for column in ("item", "pair"):
        if column in fields and fields[column] not in taken:
            return fields[column]
    return table.place_of("item")


def cell_of(cells: Sequence[str], place: int) -> str:
    """Return a cell without surrounding blanks, empty if the row is shorter."""
    return " ".join(cells[place].split()) if place < len(cells) else ""


def _wrong_row(
    sentence: str, item: str, absent: Sequence[int], factors: int, names: Sequence[str]
) -> tuple[str, str] | None:
    """Return the problem with a row and a hint; None for a row without a problem."""
    if not sentence:
        return "no sentence", "write one, or delete the line"
    if absent and len(absent) < factors:
        lacking = " and ".join(names[place] for place in absent)
        return f"a level of another factor, but none of {lacking}", "a target has a level of each factor, a filler none"
    if not absent and not item:
        return "no item", "write the name of the item in each of its conditions"
    return None


def _once(targets: Sequence[Stimulus], path: str, sets: int) -> tuple[Stimulus, ...]:
    """Return the targets without repeated rows. Raises DataError for incomplete items."""
    stimuli: dict[tuple[ItemKey, Condition], Stimulus] = {}
    problems = []
    for stimulus in targets:
        known = stimuli.setdefault((stimulus.item, stimulus.condition), stimulus)
        if known.sentence != stimulus.sentence:
            where = f"item {stimulus.name} has two sentences for {', '.join(stimulus.condition)}"
            hint = f'in line {known.line} it is "{known.sentence}"; an item has one for each condition'
            problems.append(Problem(where, Span(path, stimulus.line), hint=hint))
        elif known is not stimulus:
            extra = tuple(pair for pair in known.extra if pair in stimulus.extra)
            stimuli[stimulus.item, stimulus.condition] = replace(
                known, extra=extra, named_property=known.named_property or stimulus.named_property
            )
    conditions: dict[tuple[str, ...], dict[Condition, None]] = {}
    for item, condition in stimuli:
        conditions.setdefault(item[:sets], {})[condition] = None
    for item in dict.fromkeys(item for item, _ in stimuli):
        lacking = [", ".join(condition) for condition in conditions[item[:sets]] if (item, condition) not in stimuli]
        if lacking:
            line = next(stimulus.line for (key, _), stimulus in stimuli.items() if key == item)
            hint = "every item has every condition; --designs COLUMN separates experiments with other conditions"
            problems.append(Problem(f"item {' '.join(item)} lacks {'; '.join(lacking)}", Span(path, line), hint=hint))
    if problems:
        raise data_error(*problems)
    shared = set.intersection(*({name for name, _ in stimulus.extra} for stimulus in stimuli.values()))
    return tuple(replace(s, extra=tuple(p for p in s.extra if p[0] in shared)) for s in stimuli.values())


def _of_one_sentence(stimuli: Sequence[Stimulus]) -> Iterator[Stimulus]:
    """Yield the stimuli without repeated sentences."""
    known: set[str] = set()
    for stimulus in stimuli:
        if stimulus.sentence not in known:
            known.add(stimulus.sentence)
            yield stimulus


def _others(path: str, kind: str) -> Iterator[Stimulus]:
    """Yield the fillers or practice sentences of a file: a table with a column `sentence`, or one sentence per line."""
    table = read_table(path)
    fields = fields_of(table.names)
    if "sentence" not in fields:
        numbered = enumerate(lines_of(path, SAVE_OR_NAME), start=1)
        listed = ((number, line.strip()) for number, line in numbered if line.strip() and not line.startswith("#"))
        yield from (Stimulus(kind, (str(number),), (), text, line=number) for number, text in listed)
        return
    name = fields.get("item", fields.get("id"))
    for line, cells in table.rows:
        sentence = cell_text("sentence", cell_of(cells, fields["sentence"]))
        if not sentence:
            raise DataError(f"{table.path}:{line}: no sentence\n  write one, or delete the line")
        places = (place for place in range(len(table.names)) if place not in (fields["sentence"], name))
        extra = tuple((table.names[place], cell_of(cells, place)) for place in places)
        yield Stimulus(kind, (str(line) if name is None else cell_of(cells, name),), (), sentence, extra, line=line)


# Latin squares: each list has every item in one condition; over the lists, every item is in every condition.


def latin_square(materials: Materials, lists: int | None = None) -> list[list[Stimulus]]:
    """Return the targets of each list: item i of a set with K conditions is in condition (i + list) mod K.

    In each list the conditions of a set are then equally frequent, up to one item if K does not divide their number.
    Raises UsageError for a number of lists over which items would not be in each condition equally often.
    """
    sizes = {key: len(materials.items[items[0]]) for key, items in materials.sets.items()}
    least = lcm(*sizes.values())
    number = least if lists is None else lists
    if number % least:
        raise UsageError(
            f"{counted(number, 'list')} for {first_of([*map(str, dict.fromkeys(sizes.values()))], 3)} conditions\n"
            f"  every item should be in each condition equally often: use {least} lists, or a multiple of that"
        )
    squares: list[list[Stimulus]] = [[] for _ in range(number)]
    for items in materials.sets.values():
        for place, item in enumerate(items):
            sentences = [*materials.items[item].values()]
            ordered = sorted(sentences, key=lambda stimulus: materials.conditions.index(stimulus.condition))
            for number_of, targets in enumerate(squares):
                targets.append(ordered[(place + number_of) % len(ordered)])
    return squares


def unequal(materials: Materials) -> list[str]:
    """Return the sets whose number of conditions does not divide that of items, so that lists are unbalanced."""
    uneven = []
    for key, items in materials.sets.items():
        conditions = len(materials.items[items[0]])
        if len(items) % conditions:
            name = " ".join(key) or "the items"
            uneven.append(f"{name}: {counted(len(items), 'item')} for {counted(conditions, 'condition')}")
    return uneven


# Pseudo-random orders under constraints.


@frozen
class OrderConstraints:
    """Constraints on every order.

    `apart` is the least number of other sentences between two of one condition (of one set), `between` the least number
    of fillers between two targets, `first` the number of fillers at the beginning of a list.
    """

    apart: int = 1
    between: int = 0
    first: int = 0

    def broken(self, order: Sequence[Stimulus]) -> str:
        """Return the constraint that an order breaks, as a message; empty if it keeps all."""
        for gap, of in ((self.apart, _condition_of), (self.between, _target_of)):
            last: dict[object, int] = {}
            for place, stimulus in enumerate(order):
                key = of(stimulus)
                if key is None:
                    continue
                if key in last and place - last[key] <= gap:
                    return f'"{order[last[key]].sentence}" and "{stimulus.sentence}" are too close'
                last[key] = place
        early = next((stimulus for stimulus in order[: self.first] if stimulus.kind == TARGET), None)
        return "" if early is None else f'"{early.sentence}" is too early'


def _condition_of(stimulus: Stimulus) -> object:
    return (stimulus.item[:-1], stimulus.condition) if stimulus.kind == TARGET else None


def _target_of(stimulus: Stimulus) -> object:
    return TARGET if stimulus.kind == TARGET else None


ATTEMPTS: Final = 200
"""Number of orders tried before giving up."""
EXCHANGES: Final = 30
"""Number of random exchanges for each sentence of an order."""


def pseudo_random(trials: Sequence[Stimulus], constraints: OrderConstraints, random: Random) -> list[Stimulus]:
    """Return the trials in a random order that keeps the constraints.

    One such order is built, then sentences are exchanged at random; an exchange that breaks a constraint is undone. So
    all orders are about equally likely. Raises UsageError if no order is found, with the reason if none exists.
    """
    for _ in range(ATTEMPTS):
        stimuli = _attempt(trials, constraints, random)
        if stimuli is not None:
            break
    else:
        raise UsageError(_impossible(trials, constraints))
    for _ in range(EXCHANGES * len(stimuli)):
        one, other = random.randrange(len(stimuli)), random.randrange(len(stimuli))
        stimuli[one], stimuli[other] = stimuli[other], stimuli[one]
        if not (_fits(stimuli, one, constraints) and _fits(stimuli, other, constraints)):
            stimuli[one], stimuli[other] = stimuli[other], stimuli[one]
    return stimuli


def _attempt(trials: Sequence[Stimulus], constraints: OrderConstraints, random: Random) -> list[Stimulus] | None:
    """Return an order that keeps the constraints, filled position by position; None if no sentence fits a position.

    The targets of a condition are a class, and so are all fillers. A class must come next if its sentences would not
    fit into the remaining positions otherwise; else a class is drawn, larger ones more often.
    """
    left: dict[object, list[Stimulus]] = {}
    for stimulus in random.sample(trials, len(trials)):
        left.setdefault(_condition_of(stimulus), []).append(stimulus)
    order: list[Stimulus] = []
    last: dict[object, int] = {}
    for place in range(len(trials)):
        open_ = [key for key, waiting in left.items() if waiting and _is_open(key, place, last, constraints)]
        if not open_:
            return None
        rest = len(trials) - place
        most = max(open_, key=lambda key: (_needed(key, left, constraints), random.random()))
        is_due = _needed(most, left, constraints) >= rest
        key = most if is_due else random.choices(open_, [len(left[name]) for name in open_])[0]
        targets = sum(len(waiting) for name, waiting in left.items() if name is not None)
        if not is_due and key is None and (targets - 1) * (constraints.between + 1) + 1 >= rest:
            among = [name for name in open_ if name is not None]
            key = random.choice(among) if among else None
        order.append(left[key].pop())
        last[key] = place
        if key is not None:
            last[TARGET] = place
    return order


def _is_open(key: object, place: int, last: Mapping[object, int], constraints: OrderConstraints) -> bool:
    """Return True if the constraints allow a sentence of the class `key` at a position."""
    if key is None:
        return True
    apart, between = place - last.get(key, -place - 2 - constraints.apart), constraints.between
    since = place - last[TARGET] if TARGET in last else between + 1
    return place >= constraints.first and apart > constraints.apart and since > between


def _needed(key: object, left: Mapping[object, Sequence[Stimulus]], constraints: OrderConstraints) -> int:
    """Return the least number of positions that the remaining sentences of the class `key` take up, with their gaps."""
    gap = 0 if key is None else max(constraints.apart, constraints.between)
    return (len(left[key]) - 1) * (gap + 1) + 1 if left[key] and key is not None else 0


def _fits(order: Sequence[Stimulus], place: int, constraints: OrderConstraints) -> bool:
    """Return True if the sentence at a position keeps the constraints."""
    stimulus = order[place]
    if stimulus.kind != TARGET:
        return True
    if place < constraints.first:
        return False
    for gap, of in ((constraints.apart, _condition_of), (constraints.between, _target_of)):
        near = range(max(0, place - gap), min(len(order), place + gap + 1))
        if any(other != place and of(order[other]) == of(stimulus) for other in near):
            return False
    return True


def _impossible(trials: Sequence[Stimulus], constraints: OrderConstraints) -> str:
    of_condition = Counter(_condition_of(stimulus) for stimulus in trials if stimulus.kind == TARGET)
    most, targets = max(of_condition.values(), default=0), sum(of_condition.values())
    room = len(trials) - constraints.first
    for number, gap, what, option in (
        (most, constraints.apart, "of one condition", "--apart"),
        (targets, constraints.between, "targets", "--between"),
    ):
        if (number - 1) * (gap + 1) + 1 > room:
            needed = (number - 1) * (gap + 1) + 1
            return (
                f"{len(trials)} sentences are too few for {gap} between any two of {number} {what}: "
                f"this needs {needed}\n"
                f"  add fillers, or lower {option}"
            )
    return (
        f"found no order of {len(trials)} sentences that keeps the constraints in {ATTEMPTS} attempts\n"
        "  add fillers, or lower --apart and --between"
    )


@frozen
class TrialList:
    """The sentences that one group of people sees, in order: practice, then targets and fillers."""

    number: int
    order: int
    trials: tuple[Stimulus, ...] = field(repr=False)

    @property
    def name(self) -> str:
        """The number of the list and of its order, as `2.1`."""
        return f"{self.number}.{self.order}"


def trial_lists(
    materials: Materials,
    lists: int | None = None,
    orders: int = 1,
    constraints: OrderConstraints | None = None,
    seed: int = 0,
) -> list[TrialList]:
    """Return the lists of a Latin square, each in `orders` orders. The same seed gives the same orders.

    Raises UsageError as `latin_square` and `pseudo_random` do.
    """
    kept = constraints or OrderConstraints()
    made = []
    for number, targets in enumerate(latin_square(materials, lists), start=1):
        for order in range(1, orders + 1):
            random = Random(f"{seed} {number} {order}")
            trials = pseudo_random([*targets, *materials.fillers], kept, random)
            made.append(TrialList(number, order, (*materials.practice, *trials)))
    return made
