"""Statistics of properties in a parsed corpus: how often each is evaluated and violated, its cost, and contrasts.

Shares of violated instances have 95 % intervals that treat sentences as the units sampled. Parts of the corpus are
compared by log odds with an informative prior (Monroe, Colaresi and Quinn 2008): they say how much likelier it is in
this part than elsewhere that a violation is one of this property. The prior, which weighs as much as an average part,
draws them towards the whole corpus. If one part has wrong sentences, a violation of a property tells of a mistake, by
the ratio of the shares of wrong and of other sentences that violate it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from math import exp, log, sqrt
from typing import Final

from numbat.corpus.answers import Interval, Z
from numbat.corpus.query_sql import timed_rows
from numbat.corpus.reading import StoredRun, StoreReader
from numbat.corpus.schema import unpack
from numbat.errors import UsageError
from numbat.records import frozen
from numbat.statistics.intervals import ratio_error

WINDOW: Final = 5_000
"""Number of sentences whose violations are read at once."""
EXAMPLES: Final = 3
"""Maximum number of example sentences for each violated property."""


@frozen
class PropertyCount:
    """Counts for one property in the corpus: instances evaluated and violated, sentences with a violation.

    `share` divides violated by evaluated instances. `cost` is the cost of all violations, as in the grammar; `examples`
    has the numbers of the first sentences that violate the property.
    """

    number: int
    construction: str
    relation: str
    text: str
    evaluated: int
    violated: int
    sentences: int
    share: Interval
    cost: float
    examples: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The property as it is printed, after the name of its construction."""
        return f"{self.construction}: {self.text}"

    @property
    def cost_of_one(self) -> float:
        """The cost of one violation, 0 if there is none."""
        return self.cost / self.violated if self.violated else 0.0

    @property
    def satisfied(self) -> int:
        """The number of instances that are not violated."""
        return self.evaluated - self.violated


@frozen
class Distinction:
    """A property in a part of the corpus: its violations there and elsewhere, with log odds, and `z`, their z-score.

    Log odds above 0 mean that the property is violated more often here; `z` is the log odds in standard errors.
    """

    part: str
    property: PropertyCount
    violated: int
    elsewhere: int
    log_odds: float
    z: float


@frozen
class ViolationEvidence:
    """Evidence that a sentence is wrong if it violates a property: the numbers of `wrong` and of `other` ones that do.

    `log_ratio` is the logarithm of the share of wrong sentences that violate the property, divided by that of the
    others, with Katz's interval; .5 is added to each number. It is the cost of a violation that the corpus speaks for.
    `precision` is the share of wrong ones among the sentences that violate it, if there are as many wrong ones as
    others.
    """

    property: PropertyCount
    wrong: int
    other: int
    log_ratio: Interval
    precision: Interval


@frozen
class CorpusStatistics:
    """Counts for the properties of a run, in the order of the grammar.

    `parts` counts the sentences with each value of the metadata `key`; `distinctions` compares these parts, the largest
    `z` first. `evidence` is about the properties that are violated, if the value `wrong` of the key marks wrong
    sentences; those that tell least come first.
    """

    run: StoredRun = field(compare=False)
    sentences: int
    words: int
    cost: float
    violation_cost: float
    properties: tuple[PropertyCount, ...]
    key: str | None
    parts: Mapping[str, int]
    distinctions: tuple[Distinction, ...]
    wrong: str | None = None
    evidence: tuple[ViolationEvidence, ...] = ()

    @property
    def never_evaluated(self) -> tuple[PropertyCount, ...]:
        """The properties that are not evaluated in any sentence."""
        return tuple(count for count in self.properties if not count.evaluated)

    @property
    def never_violated(self) -> tuple[PropertyCount, ...]:
        """The properties that are evaluated and never violated."""
        return tuple(count for count in self.properties if count.evaluated and not count.violated)


@frozen
class Overview:
    """The sizes of a run, the number of its sentences that violate a property, and what they violate, most first.

    Each row of `violated` has the construction and the text of a property, and its violations and their sentences.
    """

    sentences: int
    words: int
    full: int
    violating: int
    violated: tuple[tuple[str, str, int, int], ...]


def overview_of(store: StoreReader, run: StoredRun, max_seconds: float | None = None) -> Overview:
    """Return what SQLite itself can count in a run. Raises DataError if it takes more than `max_seconds`."""
    of_run = f"WHERE sentence.run = {run.number}"
    sizes = f"SELECT count(*), ifnull(sum(length), 0), ifnull(sum(full), 0) FROM sentence {of_run}"
    ((sentences, words, full),) = timed_rows(store, sizes, max_seconds)
    violations = f"FROM violation CROSS JOIN sentence ON sentence.id = violation.sentence {of_run}"
    ((violating,),) = timed_rows(store, f"SELECT count(DISTINCT sentence.id) {violations}", max_seconds)
    counts = (
        "SELECT violation.property AS of, count(*) AS violations, count(DISTINCT sentence.id) AS sentences "
        f"{violations} GROUP BY violation.property"
    )
    columns = "property.construction, property.text, violations, sentences"
    rows = f"SELECT {columns} FROM ({counts}) JOIN property ON property.id = of ORDER BY violations DESC, of"
    return Overview(sentences, words, full, violating, tuple(timed_rows(store, rows, max_seconds)))


class _Sums:
    """Sums over sentences for one property: evaluated and violated instances, their squares and their product."""

    __slots__ = ("evaluated", "examples", "product", "sentences", "squared", "squared_violated", "violated")

    def __init__(self) -> None:
        self.evaluated = self.violated = self.sentences = self.squared = self.product = self.squared_violated = 0
        self.examples: list[int] = []

    def share(self) -> Interval:
        """Return the share of violated among evaluated instances, with its interval."""
        if not self.evaluated:
            return Interval(0.0, 0.0, 1.0)
        share = self.violated / self.evaluated
        squares, number = (self.squared_violated, self.product, self.squared), self.sentences
        error = ratio_error(share, self.evaluated, number, *squares) if number > 1 else 1.0
        if not self.violated or self.violated == self.evaluated:  # there is no variance: use the rule of three
            return Interval(share, max(0.0, share - 3 / number), min(1.0, share + 3 / number))
        return Interval(share, max(0.0, share - Z * error), min(1.0, share + Z * error))


def statistics(
    store: StoreReader,
    key: str | None = None,
    run: int | None = None,
    advance: Callable[[], object] = tuple,
    wrong: str | None = None,
) -> CorpusStatistics:
    """Return the statistics of a run; with a `key`, also for the parts with each value of this metadata.

    `wrong` is the value of wrong sentences. Raises UsageError if no sentence has metadata under the key, and if there
    are no wrong sentences, or no others. Memory is needed only for numbers of each property and
    part. `advance` is called after each window of sentences.
    """
    chosen = store.run(run)
    last = chosen.last or store.last_of(chosen)
    values = _values(store, key)
    rows = list(store.properties(chosen))
    base = rows[0][0] if rows else 0
    sums = [_Sums() for _ in rows]
    of_parts: dict[str, Counter[int]] = {}
    violating: dict[str, Counter[int]] = {}
    parts: dict[str, int] = {}
    sentences = words = cost = 0
    for first in range(chosen.first, last + 1, WINDOW):
        window = first, min(last, first + WINDOW - 1)
        violated = _violated(store, window, base)
        sql = "SELECT id, metadata, length, cost, satisfied FROM sentence WHERE id BETWEEN ? AND ? AND run = ?"
        for number, metadata, length, paid, packed in store.rows(sql, (*window, chosen.number)):
            sentences, words, cost = sentences + 1, words + length, cost + paid
            violations = violated.get(number, {})
            _add(sums, number, packed, violations)
            if key is not None:
                part = values[metadata]
                parts[part] = parts.get(part, 0) + 1
                of_parts.setdefault(part, Counter()).update(violations)
                violating.setdefault(part, Counter()).update(violations.keys())
            advance()
    properties = tuple(
        PropertyCount(
            row[1], row[2], row[3], row[4], total.evaluated, total.violated, total.sentences, total.share(),
            store.cost(total.violated * row[5]), tuple(total.examples),
        )
        for row, total in zip(rows, sums, strict=True)
    )  # fmt: skip
    return CorpusStatistics(
        chosen,
        sentences,
        words,
        store.cost(cost),
        sum(count.cost for count in properties),
        properties,
        key,
        dict(sorted(parts.items())),
        tuple(distinctions(properties, of_parts)),
        wrong,
        tuple(_evidence(properties, parts, violating, wrong)) if wrong is not None else (),
    )


def _values(store: StoreReader, key: str | None) -> dict[int, str]:
    parts: dict[int, str] = {}
    seen: set[str] = set()
    for number, text in store.rows("SELECT id, pairs FROM metadata"):
        pairs = json.loads(text)
        seen |= pairs.keys()
        parts[number] = str(pairs.get(key, "")) if key is not None else ""
    if key is not None and key not in seen:
        raise UsageError(f'no sentence has metadata under "{key}"\n  --by takes {", ".join(sorted(seen))}')
    return parts


def _violated(store: StoreReader, window: tuple[int, int], base: int) -> dict[int, dict[int, int]]:
    """Return for each sentence of a window the number of violations of each property, by number in the grammar."""
    violations: dict[int, dict[int, int]] = {}
    sql = "SELECT sentence, property FROM violation WHERE sentence BETWEEN ? AND ? AND +property > 0"
    for sentence, prop in store.rows(sql, window):
        counts = violations.setdefault(sentence, {})
        counts[prop - base] = counts.get(prop - base, 0) + 1
    return violations


def _add(sums: list[_Sums], sentence: int, packed: bytes, violated: Mapping[int, int]) -> None:
    """Add the instances in a sentence to the sums: the satisfied ones are `packed`, as by `schema.pack`."""
    evaluated: dict[int, int] = dict(violated)
    for prop, times in unpack(packed):
        evaluated[prop] = evaluated.get(prop, 0) + times
    for prop, times in evaluated.items():
        total = sums[prop]
        total.evaluated += times
        total.sentences += 1
        total.squared += times * times
        if prop in violated:
            lost = violated[prop]
            total.violated += lost
            total.squared_violated += lost * lost
            total.product += lost * times
            if len(total.examples) < EXAMPLES:
                total.examples.append(sentence)


def distinctions(properties: Iterable[PropertyCount], of_parts: Mapping[str, Mapping[int, int]]) -> list[Distinction]:
    """Return the log odds for each part and violated property, the largest z first; nothing if there is one part."""
    if len(of_parts) < 2:
        return []
    violated = [count for count in properties if count.violated]
    total = sum(count.violated for count in violated)
    prior = total / len(of_parts)
    result = []
    for part, counts in of_parts.items():
        here = sum(counts.values())
        for count in violated:
            alpha = prior * count.violated / total
            inside = counts.get(count.number, 0)
            others = count.violated - inside
            odds = log((inside + alpha) / (here + prior - inside - alpha)) if here + prior > inside + alpha else 0.0
            rest = total - here
            elsewhere = (
                log((others + alpha) / (rest + prior - others - alpha)) if rest + prior > others + alpha else 0.0
            )
            error = sqrt(1 / (inside + alpha) + 1 / (others + alpha))
            result.append(Distinction(part, count, inside, others, odds - elsewhere, (odds - elsewhere) / error))
    return sorted(result, key=lambda distinction: (-distinction.z, distinction.part, distinction.property.number))


def _evidence(
    properties: Iterable[PropertyCount],
    parts: Mapping[str, int],
    violating: Mapping[str, Mapping[int, int]],
    wrong: str,
) -> list[ViolationEvidence]:
    """Return what a violation of each property tells; sentences without a value of the key are left out.

    The order is by the upper end of the interval: first come those that surely tell least.
    """
    others = [part for part in parts if part not in ("", wrong)]
    if wrong not in parts or not others:
        values = ", ".join(part or "(none)" for part in sorted(parts))
        raise UsageError(f'--wrong "{wrong}" needs sentences with this value and others\n  the values are: {values}')
    sizes = parts[wrong] + 0.5, sum(parts[part] for part in others) + 0.5
    result = []
    for count in properties:
        numbers = violating[wrong][count.number], sum(violating[part][count.number] for part in others)
        if any(numbers):
            inside, outside = (number + 0.5 for number in numbers)
            ratio = log(inside / sizes[0] / (outside / sizes[1]))
            error = Z * sqrt(1 / inside - 1 / sizes[0] + 1 / outside - 1 / sizes[1])
            ends = ratio, ratio - error, ratio + error
            precision = Interval(*(1 / (1 + exp(-end)) for end in ends))
            result.append(ViolationEvidence(count, *numbers, Interval(*ends), precision))
    return sorted(result, key=lambda one: (one.log_ratio.high, one.property.number))
