"""Answers to a query: concordance lines, counts by metadata, samples.

Rates are per 1,000 words. The 95 % intervals treat sentences as the units that were sampled, not matches, because two
matches in one sentence are weaker evidence than two in different sentences.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from numbat.corpus.query_notation import Alternative, Characterizes, Says
from numbat.corpus.query_sql import Query, QueryMatch, Select, as_table, matches, timed_rows
from numbat.corpus.reading import SentenceRow, StoredRun, StoreReader
from numbat.corpus.stored import read_instances
from numbat.errors import UsageError
from numbat.records import frozen
from numbat.statistics.intervals import ratio_error, wilson

Z: Final = 1.96
"""Quantile of the normal distribution for 95 % intervals."""
PER: Final = 1_000
"""Rates are per this number of words."""


class Interval(NamedTuple):
    """A value with the lower and upper end of its 95 % interval."""

    value: float
    low: float
    high: float


def share_of(part: int, whole: int) -> Interval:
    """Return `part` divided by `whole` with the Wilson interval; if `whole` is 0, 0 with the interval from 0 to 1."""
    if whole == 0:
        return Interval(0.0, 0.0, 1.0)
    share = part / whole
    return Interval(share, *wilson(share, whole, Z))


class Sums(NamedTuple):
    """Sums over sentences with matches: their number, of matches, of squared matches, of matches times words."""

    sentences: int
    matches: int
    squared: int
    product: int


class CorpusPart(NamedTuple):
    """A part of a corpus: its numbers of sentences and words, and the sum of squared sentence lengths."""

    sentences: int
    words: int
    squared: int


def rate_of(sums: Sums, part: CorpusPart, per: float = PER) -> Interval:
    """Return the number of matches per `per` words, with the interval for a ratio of two sums over sentences."""
    if part.words == 0:
        return Interval(0.0, 0.0, 0.0)
    rate = sums.matches / part.words
    squares = sums.squared, sums.product, part.squared
    error = ratio_error(rate, part.words, part.sentences, *squares) if part.sentences > 1 else rate
    return Interval(per * rate, per * max(0.0, rate - Z * error), per * (rate + Z * error))


# Counts

CONSTRUCTION, WORD, PROPERTY = "construction", "word", "property"
OF_MATCH: Final = (CONSTRUCTION, WORD, PROPERTY)
"""Keys for grouping matches besides metadata: category or word of the constituent named first; violated property."""


@frozen
class MatchGroup:
    """The matches with the same `values` of the keys: their number, and the number of sentences with such a match.

    `share` divides the latter by the number of all sentences with the same metadata; `rate` is the number of matches
    per 1,000 words in these sentences.
    """

    values: tuple[str, ...]
    matches: int
    sentences: int
    share: Interval
    rate: Interval


@frozen
class MatchCounts:
    """Matches grouped by keys, the most frequent group first, and all matches together."""

    keys: tuple[str, ...]
    groups: tuple[MatchGroup, ...]
    whole: MatchGroup


def counted(
    store: StoreReader, query: Query, keys: Sequence[str] = (), max_seconds: float | None = None
) -> MatchCounts:
    """Return the matches of a query, grouped and counted by `keys`, which are keys of metadata or in `OF_MATCH`.

    Raises UsageError for other keys.
    """
    known = [key for key in keys if key not in OF_MATCH]
    of_metadata = _metadata(store, query.run, known)
    wanted = [key for key in keys if key in OF_MATCH]
    sums: dict[tuple[str, ...], Sums] = {}
    parts: dict[tuple[str, ...], CorpusPart] = {}
    for metadata, sentences, words, squared in store.rows(_parts_sql(query)):
        values = of_metadata[metadata]
        before = parts.get(values, CorpusPart(0, 0, 0))
        parts[values] = CorpusPart(before.sentences + sentences, before.words + words, before.squared + squared)
    for row in timed_rows(store, _counts_sql(query, wanted, PROPERTY in keys), max_seconds):
        values = _in_order(keys, of_metadata[row[0]], [str(value) for value in row[1 : 1 + len(wanted)]])
        before_sums = sums.get(values, Sums(0, 0, 0, 0))
        sums[values] = Sums(*(one + other for one, other in zip(before_sums, row[1 + len(wanted) :], strict=True)))
    groups = [_group(values, summed, parts[_of_sentence(keys, values)]) for values, summed in sums.items()]
    groups.sort(key=lambda group: (-group.matches, group.values))
    sql = _counts_sql(query, (), PROPERTY in keys)
    return MatchCounts(tuple(keys), tuple(groups), _whole(store, sql, parts.values(), max_seconds))


def _in_order(keys: Sequence[str], known: Sequence[str], of_match: Sequence[str]) -> tuple[str, ...]:
    sources = {True: iter(of_match), False: iter(known)}
    return tuple(next(sources[key in OF_MATCH]) for key in keys)


def _of_sentence(keys: Sequence[str], values: Sequence[str]) -> tuple[str, ...]:
    return tuple(value for key, value in zip(keys, values, strict=True) if key not in OF_MATCH)


def _group(values: tuple[str, ...], sums: Sums, part: CorpusPart) -> MatchGroup:
    share = share_of(sums.sentences, part.sentences)
    return MatchGroup(values, sums.matches, sums.sentences, share, rate_of(sums, part))


def _whole(store: StoreReader, sql: str, parts: Iterable[CorpusPart], max_seconds: float | None) -> MatchGroup:
    listed = list(parts)
    whole = CorpusPart(*(sum(column) for column in zip(*listed, strict=True))) if listed else CorpusPart(0, 0, 0)
    total = Sums(0, 0, 0, 0)
    for row in timed_rows(store, sql, max_seconds):
        total = Sums(*(one + other for one, other in zip(total, row[1:], strict=True)))
    return _group((), total, whole)


def _metadata(store: StoreReader, run: StoredRun, keys: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Return, by number of each set of metadata in the store, its values of the keys; a missing value is empty."""
    values_of: dict[int, tuple[str, ...]] = {}
    seen: set[str] = set()
    for number, text in store.rows("SELECT id, pairs FROM metadata"):
        pairs = json.loads(text)
        seen |= pairs.keys()
        values_of[number] = tuple(str(pairs.get(key, "")) for key in keys)
    for key in keys:
        if key not in seen:
            every = ", ".join(sorted(seen) + list(OF_MATCH))
            raise UsageError(f'no sentence has metadata under "{key}"\n  --by takes {every}')
    return values_of


def _parts_sql(query: Query) -> str:
    run = query.run
    return (
        f"SELECT metadata, count(*), sum(length), sum(length * length) FROM sentence WHERE run = {run.number} "
        "GROUP BY metadata"
    )


def _counts_sql(query: Query, wanted: Sequence[str], are_instances: bool) -> str:
    """Return the SQL that counts matches (or violated instances, if `are_instances`) by metadata and `wanted` keys."""

    def extra(select: Select) -> list[str]:
        alias = _violation(select) if are_instances else ""
        apart = [f"{alias}.property", f"{alias}.daughters"] if are_instances else []
        return [*(_column(select, key, query) for key in wanted), *apart]

    width = len(query.names) + 1
    columns = [f"m.c{width + i}" for i in range(len(wanted))]
    grouped = ", ".join(["sentence.id", *columns])
    named = "".join(f", {column} AS k{i}" for i, column in enumerate(columns))
    inner = (
        f"SELECT sentence.metadata AS metadata, sentence.length AS length{named}, count(*) AS n "
        f"FROM {as_table(query, extra)} AS m CROSS JOIN sentence WHERE sentence.id = m.c0 GROUP BY {grouped}"
    )
    keys = "".join(f", k{i}" for i in range(len(wanted)))
    return (
        f"SELECT metadata{keys}, count(*), sum(n), sum(n * n), sum(n * length) FROM ({inner}) GROUP BY metadata{keys}"
    )


def _column(select: Select, key: str, query: Query) -> str:
    """Return the SQL expression for a key by which matches are grouped."""
    if key == PROPERTY:
        alias = _violation(select)
        return f"(SELECT construction || ': ' || text FROM property WHERE property.id = {alias}.property)"
    first = next((column.removesuffix(".node") for column in select.columns[1:] if column != "NULL"), None)
    if first is None:
        raise UsageError(f"--by {key} needs a constituent\n  name one in the query, as in NP violates linearity")
    if key == CONSTRUCTION:
        return f"(SELECT name FROM category WHERE category.id = {first}.category)"
    return f"(SELECT CASE {first}.below WHEN 0 THEN (SELECT text FROM form WHERE form.id = {first}.what) ELSE '' END)"


def _violation(select: Select) -> str:
    """Return the alias of the first table of violations in a statement. Raises UsageError if there is none."""
    alias = next((table.rpartition(" AS ")[2] for table in select.tables if table.startswith("violation ")), None)
    if alias is None:
        raise UsageError("--by property needs a query for violations\n  ask for them, as in NP violates linearity")
    return alias


def number_of_matches(store: StoreReader, query: Query, max_seconds: float | None = None) -> tuple[int, int]:
    """Return the number of matches of a query, and the number of sentences with a match."""
    if len(query.selects) == 1 and not query.selects[0].is_distinct:
        sql = query.selects[0].sql(None, ["count(*)", f"count(DISTINCT {query.selects[0].over})"])
    else:
        sql = f"SELECT count(*), count(DISTINCT c0) FROM {as_table(query)}"
    ((count, sentences),) = timed_rows(store, sql, max_seconds)
    return int(count), int(sentences)


def sample(
    store: StoreReader, query: Query, size: int, seed: int = 0, max_seconds: float | None = None
) -> list[QueryMatch]:
    """Return `size` random matches, in the order of their sentences; every match has the same chance."""
    rng = Random(seed)
    kept: list[tuple[int, QueryMatch]] = []
    for number, match in enumerate(matches(store, query, max_seconds=max_seconds)):
        if number < size:
            kept.append((number, match))
        elif (at := rng.randrange(number + 1)) < size:
            kept[at] = number, match
    return [match for _, match in sorted(kept, key=lambda pair: pair[0])]


# Concordance


class Shown(NamedTuple):
    """A word in a concordance line; `is_marked` if it takes part in a violation that the query is about."""

    text: str
    is_marked: bool


@frozen
class ConcordanceLine:
    """A match as a line of a concordance: the words before, in and after the constituent that the query names first.

    Without such a constituent the words that the query asks for are `within`, or else all words. `violated` has the
    violated properties as they are written in a grammar, `cost` is the cost of the sentence.
    """

    match: QueryMatch
    place: str
    left: tuple[Shown, ...]
    within: tuple[Shown, ...]
    right: tuple[Shown, ...]
    cost: float
    violated: tuple[str, ...]


def line_of(store: StoreReader, query: Query, match: QueryMatch, properties: dict[int, str]) -> ConcordanceLine:
    """Return the concordance line of a match; `properties` is what `texts_of` returns for the run."""
    row = match.row
    stored = row.stored
    node = next((node for node in match.nodes if node is not None), None)
    names = {name: at for name, at in zip(match.names, match.nodes, strict=True) if at is not None}
    wanted = [] if node is None else [node]
    wanted += [at for name, at in names.items() if _is_judged(query, name)]
    hidden = {judges.subject for judges in _every(query.alternatives)} - {*match.names}
    if hidden - {None} or (hidden and not names):  # what is judged may be anywhere in the sentence
        wanted = list(range(len(stored.below)))
    marked, violated = _conflicts(row, wanted, _judged(query), properties)
    words = sorted((stored.starts[i], i) for i in range(len(stored.below)) if not stored.below[i])
    last = names[_last_of_words(query, next(iter(names)))] if names else len(stored.below) - 1
    inside = range(node or 0, last + stored.below[last] + 1)
    inside_words = [(start, i) for start, i in words if i in inside]
    first, last = (inside_words[0][0], inside_words[-1][0]) if inside_words else (0, 0)
    shown = [(start, Shown(stored.whats[i], i in marked)) for start, i in words]
    return ConcordanceLine(
        match,
        stored.name,
        tuple(word for start, word in shown if start < first),
        tuple(word for start, word in shown if first <= start <= last),
        tuple(word for start, word in shown if start > last),
        store.cost(stored.cost),
        tuple(dict.fromkeys(violated)),
    )


def _last_of_words(query: Query, name: str) -> str:
    """Return the name of the last of the words that a condition asks for, given the first; else the name itself."""
    for alternative in query.alternatives:
        for condition in alternative.conditions:
            if isinstance(condition, Says) and name in condition.names:
                return condition.names[-1]
    return name


def texts_of(store: StoreReader, run: StoredRun) -> dict[int, str]:
    """Return the texts of a run's properties by their numbers in the grammar.

    The dictionary also has, under the key -id - 1, the number of the property with this id, as a text.
    """
    texts: dict[int, str] = {}
    for number, place, construction, _, text, *_ in store.properties(run):
        texts[place] = f"{construction}: {text}"
        texts[-number - 1] = str(place)
    return texts


def _every(alternatives: Iterable[Alternative]) -> Iterator[Characterizes]:
    for alternative in alternatives:
        for condition in alternative.conditions:
            if isinstance(condition, Characterizes) and not condition.satisfied:
                yield condition


def _is_judged(query: Query, name: str) -> bool:
    return any(judges.subject == name for judges in _every(query.alternatives))


def _judged(query: Query) -> frozenset[int] | None:
    """Return the ids of the properties whose violation a query asks for; None if it asks for no particular ones."""
    properties: set[int] = set()
    some = False
    for judges in _every(query.alternatives):
        some = True
        if judges.properties is None:
            return None
        properties |= set(judges.properties)
    return frozenset(properties) if some else None


def _conflicts(
    row: SentenceRow, nodes: Iterable[int], wanted: frozenset[int] | None, properties: dict[int, str]
) -> tuple[set[int], list[str]]:
    """Return the nodes of words that take part in violations in the phrases `nodes`, and the texts of what is violated.

    Only properties whose ids are in `wanted` count, or all for None.
    """
    stored = row.stored
    places = None if wanted is None else {int(properties[-n - 1]) for n in wanted if -n - 1 in properties}
    marked: set[int] = set()
    texts: list[str] = []
    for node in nodes:
        if not stored.below[node]:
            continue
        daughters = [i for i in range(node + 1, node + stored.below[node] + 1) if stored.ups[i] == i - node]
        for record in read_instances(stored.whats[node])[1]:
            if places is not None and record.property not in places:
                continue
            texts.append(properties.get(record.property, ""))
            for at in record.daughters:
                daughter = daughters[at]
                marked |= set(range(daughter, daughter + stored.below[daughter] + 1))
    return marked, texts


def as_value(line: ConcordanceLine) -> dict[str, Any]:
    """Return a concordance line as a value for JSON."""
    row = line.match.row
    stored = row.stored
    return {
        "sentence": line.match.sentence,
        "place": line.place,
        "left": " ".join(word.text for word in line.left),
        "match": " ".join(word.text for word in line.within),
        "right": " ".join(word.text for word in line.right),
        "conflict": [word.text for word in (*line.left, *line.within, *line.right) if word.is_marked],
        "violated": list(line.violated),
        "cost": line.cost,
        "constituents": {
            name: None
            if node is None
            else {
                "constituent": node,
                "category": stored.categories[node],
                "start": stored.starts[node],
                "end": stored.starts[node] + stored.lengths[node],
            }
            for name, node in zip(line.match.names, line.match.nodes, strict=True)
        },
        "metadata": row.metadata,
    }
