"""Compare two runs over the same sentences: which sentences, constituents and violations differ.

Sentences with the same name are compared. Differences are listed by property, the largest first, with examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from numbat.corpus.answers import texts_of
from numbat.corpus.query_sql import Query, matches
from numbat.corpus.reading import SentenceRow, StoredRun, StoreReader
from numbat.corpus.stored import StoredSentence, read_instances
from numbat.errors import UsageError
from numbat.records import frozen

EXAMPLES: Final = 3


@frozen
class PropertyChange:
    """Change in one property: violated instances `before` and `after`, and sentences with `fewer` and `more` of these.

    `examples` are numbers, in the first store, of sentences with fewer or more.
    """

    name: str
    before: int
    after: int
    fewer: int
    more: int
    examples: tuple[int, ...]


@frozen
class StoreComparison:
    """Comparison of two runs: how many `sentences` both have, how many only one has (`alone`), how many differ.

    `trees` counts sentences with different trees, `costs` those with different costs; `full` and `cost` are the number
    of full trees and the sum of costs in each run. `constituents` has, by category, how many are in the first tree only
    and in the second only. `properties` has the largest change first. `worst` has the numbers of sentences in both
    stores, the largest difference in cost first.
    """

    runs: tuple[StoredRun, StoredRun]
    sentences: int
    alone: tuple[int, int]
    trees: int
    costs: int
    full: tuple[int, int]
    cost: tuple[float, float]
    constituents: tuple[tuple[str, int, int], ...]
    properties: tuple[PropertyChange, ...]
    worst: tuple[tuple[int, int], ...]


@dataclass
class _Change:
    before: int = 0
    after: int = 0
    fewer: int = 0
    more: int = 0
    examples: list[int] = field(default_factory=list)


def compare(
    one: StoreReader,
    other: StoreReader,
    runs: tuple[int | None, int | None] = (None, None),
    advance: Callable[[], object] = tuple,
) -> StoreComparison:
    """Return how two runs differ, by default the last run of each store. Raises UsageError without common sentences.

    If the runs have sentences in different orders, the names of all sentences of the second are kept in memory.
    """
    first, second = one.run(runs[0]), other.run(runs[1])
    texts = texts_of(one, first), texts_of(other, second)
    changes: dict[str, _Change] = {}
    only: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    sentences = trees = costs = 0
    alone = [0, 0]
    full, cost = [0, 0], [0, 0]
    worst: list[tuple[int, int, int]] = []
    for left, right in _pairs(one, first, other, second):
        advance()
        if left is None or right is None:
            alone[0 if right is None else 1] += 1
            continue
        sentences += 1
        both = left.stored, right.stored
        for at in (0, 1):
            full[at] += both[at].full
            cost[at] += both[at].cost
        costs += both[0].cost != both[1].cost
        mine, theirs = (_constituents(sentence) for sentence in both)
        trees += mine != theirs
        for at, (these, those) in enumerate(((mine, theirs), (theirs, mine))):
            for category, _, _ in (these - those).elements():
                only[at][category] += 1
        _note(changes, left.number, *map(_violated, both, texts))
        if both[0].cost != both[1].cost:
            worst.append((abs(both[1].cost - both[0].cost), left.number, right.number))
            worst.sort(key=lambda change: (-change[0], change[1]))
            del worst[EXAMPLES:]
    if not sentences:
        raise UsageError("the two runs have no sentence in common\n  sentences are paired by their names")
    return StoreComparison(
        (first, second), sentences, (alone[0], alone[1]), trees, costs, (full[0], full[1]),
        (one.cost(cost[0]), one.cost(cost[1])),
        tuple(sorted(
            ((name, only[0][name], only[1][name]) for name in only[0].keys() | only[1].keys()),
            key=lambda row: (-row[1] - row[2], row[0]),
        )),
        tuple(sorted(_changed(changes), key=lambda change: (-change.fewer - change.more, change.name))),
        tuple((mine, theirs) for _, mine, theirs in worst),
    )  # fmt: skip


def _pairs(
    one: StoreReader, first: StoredRun, other: StoreReader, second: StoredRun
) -> Iterator[tuple[SentenceRow | None, SentenceRow | None]]:
    """Yield pairs of sentences with the same name, from two runs; None replaces a sentence that a run lacks."""
    left, right = one.sentences(first.number), other.sentences(second.number)
    for mine in left:
        theirs = next(right, None)
        if theirs is not None and theirs.stored.name == mine.stored.name:
            yield mine, theirs
            continue
        yield from _by_names(mine, left, theirs, right, other)
        return
    for theirs in right:
        yield None, theirs


def _by_names(
    mine: SentenceRow,
    left: Iterator[SentenceRow],
    theirs: SentenceRow | None,
    right: Iterator[SentenceRow],
    other: StoreReader,
) -> Iterator[tuple[SentenceRow | None, SentenceRow | None]]:
    """Yield the other pairs when the orders of sentences begin to differ, from `mine` and `theirs` on."""
    numbers = {} if theirs is None else {theirs.stored.name: theirs.number}
    numbers |= {row.stored.name: row.number for row in right}
    row: SentenceRow | None = mine
    while row is not None:
        number = numbers.pop(row.stored.name, None)
        yield row, None if number is None else other.sentence(number)
        row = next(left, None)
    for number in numbers.values():
        yield None, other.sentence(number)


def _constituents(stored: StoredSentence) -> Counter[tuple[str, int, int]]:
    return Counter(zip(stored.categories, stored.starts, stored.lengths, strict=True))


def _violated(stored: StoredSentence, names: dict[int, str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for below, what in zip(stored.below, stored.whats, strict=True):
        if below and "!" in what:
            counts.update(names.get(record.property, "") for record in read_instances(what)[1])
    return counts


def _note(changes: dict[str, _Change], number: int, before: Counter[str], after: Counter[str]) -> None:
    for name in before.keys() | after.keys():
        change = changes.setdefault(name, _Change())
        change.before += before[name]
        change.after += after[name]
        if before[name] != after[name]:
            change.fewer += before[name] > after[name]
            change.more += before[name] < after[name]
            if len(change.examples) < EXAMPLES:
                change.examples.append(number)


def _changed(changes: dict[str, _Change]) -> Iterator[PropertyChange]:
    for name, change in changes.items():
        if change.fewer or change.more:
            yield PropertyChange(name, change.before, change.after, change.fewer, change.more, tuple(change.examples))


# Matches of one query in two runs

Place = tuple[str, tuple[tuple[str, int, int] | None, ...]]
"""Name of a sentence, and category, start and length of each constituent."""


@frozen
class MatchComparison:
    """Matches of a query in two runs: how many both have, and those in the first (`before`) or second (`after`) only.

    Each of the latter is the number of its sentence and the nodes of its constituents.
    """

    both: int
    before: tuple[tuple[int, tuple[int | None, ...]], ...]
    after: tuple[tuple[int, tuple[int | None, ...]], ...]


def compare_matches(
    one: StoreReader, query: Query, other: StoreReader, same: Query, max_seconds: float | None = None
) -> MatchComparison:
    """Compare the matches of a query in two runs; `same` is the query compiled for the second store.

    Two matches are the same if the names of their sentences and the categories and words of their constituents are
    equal. The matches of one run are kept in memory.
    """
    before = matches(one, query, None, False, max_seconds)
    left = {_place(one, query, match.sentence, match.nodes): match for match in before}
    both = 0
    after: list[tuple[int, tuple[int | None, ...]]] = []
    for match in matches(other, same, None, False, max_seconds):
        if left.pop(_place(other, same, match.sentence, match.nodes), None) is None:
            after.append((match.sentence, match.nodes))
        else:
            both += 1
    return MatchComparison(both, tuple((m.sentence, m.nodes) for m in left.values()), tuple(after))


def _place(store: StoreReader, query: Query, sentence: int, nodes: tuple[int | None, ...]) -> Place:
    stored = store.sentence(sentence).stored
    return stored.name, tuple(
        None if node is None else (stored.categories[node], stored.starts[node], stored.lengths[node]) for node in nodes
    )
