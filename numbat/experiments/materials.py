"""The sentences of an experiment: items by conditions, fillers; Latin squares, lists, and orders under constraints."""

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
"""The set of an item, by the columns that name it, and the name of the item."""


@frozen
class Factor:
    """A factor and its levels; without levels they are those of the data, in the order in which they come."""

    name: str
    levels: tuple[str, ...] = ()

    def lacks(self, level: str) -> bool:
        """True if levels are named and this is none of them."""
        return bool(self.levels) and level not in self.levels


def factors_of(text: str | None) -> tuple[Factor, ...]:
    """Return the factors of `structure,length`, or with levels in an order, `structure=non/isl,length=long/short`.

    Raises UsageError.
    """
    factors = []
    for part in text.split(",") if text else ():
        name, _, levels = (each.strip() for each in part.partition("="))
        named = tuple(filter(None, (level.strip() for level in levels.split("/"))))
        if not name or len(named) == 1 or len(set(named)) != len(named):
            raise UsageError(
                f'"{part.strip()}" is no factor\n  write --factors structure,length, or with levels in an order: '
                "--factors structure=non/island,length=long/short"
            )
        factors.append(Factor(name, named))
    return tuple(factors)


@frozen
class Stimulus:
    """A sentence that people are shown. `item` names its set and its item, `condition` is empty for fillers and
    practice.

    `extra` are its cells in columns that are neither; `named_property` is the text that names what it should violate.
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

    `factors` name the columns of a condition, `within` those of a set, an experiment of its own. `notes` say what of
    the file is not read, or was read once; `named_levels` are those that were asked for, empty for those of the file.
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
        found: dict[ItemKey, dict[Condition, Stimulus]] = {}
        for stimulus in self.targets:
            found.setdefault(stimulus.item, {})[stimulus.condition] = stimulus
        return found

    @property
    def sets(self) -> Mapping[tuple[str, ...], Sequence[ItemKey]]:
        """The items of each set: what shares its cells in the columns `within`, or all."""
        found: dict[tuple[str, ...], list[ItemKey]] = {}
        for item in self.items:
            found.setdefault(item[:-1], []).append(item)
        return found

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each factor: those that were named, in their order, else as the file has them."""
        places = range(len(self.factors))
        found = [tuple(dict.fromkeys(stimulus.condition[place] for stimulus in self.targets)) for place in places]
        named = self.named_levels or ((),) * len(found)
        return tuple(tuple(filter(own.__contains__, given)) or own for given, own in zip(named, found, strict=True))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of all sets, by the order of the levels."""
        there = {stimulus.condition for stimulus in self.targets}
        return tuple(filter(there.__contains__, product(*self.levels)))

    def suite(self) -> Suite:
        """Return the targets as a suite without ratings, to be parsed: a group is an item, a phenomenon a condition."""
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

    Rows without any level are fillers; more of these, and practice sentences, come from files of their own: tables or
    plain lists. Rows that say the same again, such as the ratings of several people, count once. Raises
    MissingFileError, and DataError for a column that is not there, an item that lacks a condition or has two sentences
    for one.
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
        raise DataError(
            f"{table.path}: no row has a condition\n  a target has a level in each factor; rows without are fillers"
        )
    once = _once(targets, table.path, len(within))
    notes = [
        f"rows of levels that --factors does not name, left out: {number} ({level})"
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
    """The places of the columns of items: factors, sets, the item, the sentence, a named property, and all others."""

    table: NamedTable
    factors: tuple[int, ...]
    sets: tuple[int, ...]
    item: int
    sentence: int
    named: int | None
    left: tuple[int, ...]

    @classmethod
    def of(cls, table: NamedTable, factors: Sequence[Factor], within: Sequence[str]) -> _Columns:
        """Return the columns of a table. Raises DataError for one that it does not have."""
        places = factor_places(table, factors)
        sets = [table.place(column, "designs") for column in within]
        sentence, item = table.place_of("sentence"), item_place(table, [*places, *sets])
        named = fields_of(table.names).get("property")
        taken = {*places, *sets, sentence, item, named}
        left = tuple(place for place in range(len(table.names)) if place not in taken)
        return cls(table, tuple(places), tuple(sets), item, sentence, named, left)

    def stimulus(self, line: int, cells: Sequence[str]) -> tuple[Stimulus, Problem | None]:
        """Return the target or filler of a row, and what is wrong with it."""
        names = self.table.names
        condition = tuple(cell_of(cells, place) for place in self.factors)
        absent = [place for place, level in zip(self.factors, condition, strict=True) if is_no_rating(level)]
        extra = tuple((names[place], cell_of(cells, place)) for place in self.left)
        sentence = cell_text("sentence", cell_of(cells, self.sentence))
        name = cell_of(cells, self.item)
        item = (*(cell_of(cells, place) for place in self.sets), name)
        found = _wrong_row(sentence, name, absent, len(self.factors), names)
        wrong = None if found is None else Problem(found[0], Span(self.table.path, line), hint=found[1])
        if absent:
            return Stimulus(FILLER, (name or str(line),), (), sentence, extra, line=line), wrong
        named = "" if self.named is None else cell_of(cells, self.named)
        return Stimulus(TARGET, item, condition, sentence, extra, named if named.strip(" -") else "", line), wrong


def check_levels(table: NamedTable, factors: Sequence[Factor]) -> None:
    """Raises UsageError for a level that is named and in no row."""
    for factor in factors:
        place = table.place(factor.name, "a factor")
        there = dict.fromkeys(cell_of(cells, place) for _, cells in table.rows)
        for level in factor.levels:
            if level not in there:
                hint = close_match(level, there) or f"the column has {first_of(list(there), 5)}"
                raise UsageError(f'{table.path}: the level "{level}" of {factor.name} is in no row\n  {hint}')


def factor_places(table: NamedTable, factors: Sequence[Factor]) -> list[int]:
    """Return the places of the factors, by default of the column of conditions. Raises DataError for one that is not
    there.
    """
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
        """Return the place of a column that a suite has too, by any of its names. Raises DataError."""
        found = fields_of(self.names).get(column)
        if found is None:
            hint = close_match(column, self.names) or f"the first line names the columns: {column} is one of them"
            raise DataError(f"{self.path}: no column {column} among {', '.join(map(repr, self.names))}\n  {hint}")
        return found

    def place(self, column: str, what: str) -> int:
        """Return the place of a column that is `what`. Raises DataError."""
        lower = [name.strip().lower() for name in self.names]
        if column.strip().lower() not in lower:
            hint = close_match(column, self.names) or "name one that the first line has"
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
    """Return the place of the column that names items, among those that are not taken. Raises DataError."""
    fields = fields_of(table.names)
    for column in ("item", "pair"):
        if column in fields and fields[column] not in taken:
            return fields[column]
    return table.place_of("item")


def cell_of(cells: Sequence[str], place: int) -> str:
    """Return a cell without blanks around it, empty where the row has none."""
    return " ".join(cells[place].split()) if place < len(cells) else ""


def _wrong_row(
    sentence: str, item: str, absent: Sequence[int], factors: int, names: Sequence[str]
) -> tuple[str, str] | None:
    """Return what is wrong with a row, and what to do; None if nothing is."""
    if not sentence:
        return "no sentence", "every line has one, or leave the line out"
    if absent and len(absent) < factors:
        lacking = " and ".join(names[place] for place in absent)
        return f"no level of {lacking}, but of another factor", "a target has a level in each factor, a filler in none"
    if not absent and not item:
        return "no item", "the conditions of one item have its name in common"
    return None


def _once(targets: Sequence[Stimulus], path: str, sets: int) -> tuple[Stimulus, ...]:
    """Return the targets without rows that say the same. Raises DataError for items that are not whole."""
    found: dict[tuple[ItemKey, Condition], Stimulus] = {}
    problems = []
    for stimulus in targets:
        known = found.setdefault((stimulus.item, stimulus.condition), stimulus)
        if known.sentence != stimulus.sentence:
            where = f"item {stimulus.name} has two sentences for {', '.join(stimulus.condition)}"
            hint = f'in line {known.line} it is "{known.sentence}"; an item has one for each condition'
            problems.append(Problem(where, Span(path, stimulus.line), hint=hint))
        elif known is not stimulus:
            extra = tuple(pair for pair in known.extra if pair in stimulus.extra)
            found[stimulus.item, stimulus.condition] = replace(
                known, extra=extra, named_property=known.named_property or stimulus.named_property
            )
    conditions: dict[tuple[str, ...], dict[Condition, None]] = {}
    for item, condition in found:
        conditions.setdefault(item[:sets], {})[condition] = None
    for item in dict.fromkeys(item for item, _ in found):
        lacking = [", ".join(each) for each in conditions[item[:sets]] if (item, each) not in found]
        if lacking:
            line = next(each.line for (key, _), each in found.items() if key == item)
            hint = "every item has every condition; --designs COLUMN parts experiments that have others"
            problems.append(Problem(f"item {' '.join(item)} lacks {'; '.join(lacking)}", Span(path, line), hint=hint))
    if problems:
        raise data_error(*problems)
    shared = set.intersection(*({name for name, _ in each.extra} for each in found.values()))
    return tuple(replace(each, extra=tuple(p for p in each.extra if p[0] in shared)) for each in found.values())


def _of_one_sentence(stimuli: Sequence[Stimulus]) -> Iterator[Stimulus]:
    """Return the stimuli without those whose sentence came before."""
    known: set[str] = set()
    for stimulus in stimuli:
        if stimulus.sentence not in known:
            known.add(stimulus.sentence)
            yield stimulus


def _others(path: str, kind: str) -> Iterator[Stimulus]:
    """Return the fillers or practice sentences of a file: a table with a column `sentence`, or a sentence a line."""
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
            raise DataError(f"{table.path}:{line}: no sentence\n  every line has one, or leave the line out")
        places = (place for place in range(len(table.names)) if place not in (fields["sentence"], name))
        extra = tuple((table.names[place], cell_of(cells, place)) for place in places)
        yield Stimulus(kind, (str(line) if name is None else cell_of(cells, name),), (), sentence, extra, line=line)


# Latin squares: in each list every item in one condition, over the lists every item in every condition.


def latin_square(materials: Materials, lists: int | None = None) -> list[list[Stimulus]]:
    """Return the targets of each list: item i of a set with K conditions is in condition (i + list) mod K.

    So in each list the conditions of a set are equally frequent, but for one item where K does not divide their number.
    Raises UsageError for a number of lists in which items would not be in each condition equally often.
    """
    sizes = {key: len(materials.items[items[0]]) for key, items in materials.sets.items()}
    least = lcm(*sizes.values())
    number = least if lists is None else lists
    if number % least:
        raise UsageError(
            f"{counted(number, 'list')} for {first_of([*map(str, dict.fromkeys(sizes.values()))], 3)} conditions\n"
            f"  over the lists every item is in each condition equally often: take {least} lists, or a multiple of it"
        )
    found: list[list[Stimulus]] = [[] for _ in range(number)]
    for items in materials.sets.values():
        for place, item in enumerate(items):
            sentences = [*materials.items[item].values()]
            ordered = sorted(sentences, key=lambda stimulus: materials.conditions.index(stimulus.condition))
            for turn, chosen in enumerate(found):
                chosen.append(ordered[(place + turn) % len(ordered)])
    return found


def unequal(materials: Materials) -> list[str]:
    """Return the sets whose number of items is no multiple of their conditions, so that a list has unequal numbers."""
    found = []
    for key, items in materials.sets.items():
        conditions = len(materials.items[items[0]])
        if len(items) % conditions:
            name = " ".join(key) or "the items"
            found.append(f"{name}: {counted(len(items), 'item')} for {counted(conditions, 'condition')}")
    return found


# Orders: pseudo-random, under constraints that every order keeps.


@frozen
class OrderConstraints:
    """What every order keeps.

    `apart`: so many other sentences at least stand between two of one condition (of one set). `between`: so many
    fillers at least stand between two targets. `first`: a list begins with so many fillers.
    """

    apart: int = 1
    between: int = 0
    first: int = 0

    def broken(self, order: Sequence[Stimulus]) -> str:
        """Return what an order does not keep; empty if it keeps all."""
        for gap, of in ((self.apart, _condition_of), (self.between, _target_of)):
            last: dict[object, int] = {}
            for place, each in enumerate(order):
                key = of(each)
                if key is None:
                    continue
                if key in last and place - last[key] <= gap:
                    return f'"{order[last[key]].sentence}" and "{each.sentence}" are too near'
                last[key] = place
        early = next((stimulus for stimulus in order[: self.first] if stimulus.kind == TARGET), None)
        return "" if early is None else f'"{early.sentence}" is too early'


def _condition_of(stimulus: Stimulus) -> object:
    return (stimulus.item[:-1], stimulus.condition) if stimulus.kind == TARGET else None


def _target_of(stimulus: Stimulus) -> object:
    return TARGET if stimulus.kind == TARGET else None


ATTEMPTS: Final = 200
"""So many orders are begun before it is said that none was found."""
EXCHANGES: Final = 30
"""So many exchanges are tried for each sentence of an order."""


def pseudo_random(trials: Sequence[Stimulus], constraints: OrderConstraints, random: Random) -> list[Stimulus]:
    """Return the trials in an order that keeps the constraints, drawn at random: first one such order, then exchanges
    of two sentences, of which those stay that break nothing, so that orders are about equally likely.

    Raises UsageError where none is found, with the reason where there can be none.
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
    """Return an order that keeps the constraints, place by place; None where this ends before all have one.

    At each place a class must come that would not fit into the rest otherwise; else one is drawn by its size.
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
        key = most if is_due else random.choices(open_, [len(left[each]) for each in open_])[0]
        targets = sum(len(waiting) for each, waiting in left.items() if each is not None)
        if not is_due and key is None and (targets - 1) * (constraints.between + 1) + 1 >= rest:
            among = [each for each in open_ if each is not None]
            key = random.choice(among) if among else None
        order.append(left[key].pop())
        last[key] = place
        if key is not None:
            last[TARGET] = place
    return order


def _is_open(key: object, place: int, last: Mapping[object, int], constraints: OrderConstraints) -> bool:
    """True if a sentence of a class may stand at a place."""
    if key is None:
        return True
    apart, between = place - last.get(key, -place - 2 - constraints.apart), constraints.between
    since = place - last[TARGET] if TARGET in last else between + 1
    return place >= constraints.first and apart > constraints.apart and since > between


def _needed(key: object, left: Mapping[object, Sequence[Stimulus]], constraints: OrderConstraints) -> int:
    """Return the least number of places that the sentences of a class take up."""
    gap = 0 if key is None else max(constraints.apart, constraints.between)
    return (len(left[key]) - 1) * (gap + 1) + 1 if left[key] and key is not None else 0


def _fits(order: Sequence[Stimulus], place: int, constraints: OrderConstraints) -> bool:
    """True if the sentence at a place keeps the constraints."""
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
                f"no order of {len(trials)} sentences has {gap} between each two of {number} {what}: "
                f"that takes {needed}\n"
                f"  add fillers, or lower {option}"
            )
    return (
        f"no order of {len(trials)} sentences that keeps the constraints was found in {ATTEMPTS} attempts\n"
        "  add fillers, or lower --apart and --between"
    )


@frozen
class TrialList:
    """What one group of people is shown, in its order: practice sentences, then targets and fillers."""

    number: int
    order: int
    trials: tuple[Stimulus, ...] = field(repr=False)

    @property
    def name(self) -> str:
        """The number of the list and, behind a point, of its order."""
        return f"{self.number}.{self.order}"


def trial_lists(
    materials: Materials,
    lists: int | None = None,
    orders: int = 1,
    constraints: OrderConstraints | None = None,
    seed: int = 0,
) -> list[TrialList]:
    """Return the lists of a Latin square, each in so many orders. The same seed gives the same orders.

    Raises UsageError as `latin_square` and `pseudo_random`.
    """
    kept = constraints or OrderConstraints()
    found = []
    for number, targets in enumerate(latin_square(materials, lists), start=1):
        for order in range(1, orders + 1):
            random = Random(f"{seed} {number} {order}")
            trials = pseudo_random([*targets, *materials.fillers], kept, random)
            found.append(TrialList(number, order, (*materials.practice, *trials)))
    return found
