"""Files of sequences to be labelled: a JSON object a line.

An object has `labels`, for each token a mapping from its possible labels to their scores (log probabilities; the
higher the better), or `arcs`, a list of segments [start, end, label, score], or both. All else may be left out:

- `id`: the name of the sequence; default: its place in the file;
- `tokens`: the words;
- `pairs`: a mapping from a label to the next label to a score, null for what cannot follow;
- `fixed`: a mapping from positions, counted from 0, to labels;
- `disallow`: a list of labels that do not occur;
- `spans`: a list of spans [start, end], end exclusive, of one label each;
- `gold`: the right labels, one for each token, or segments [start, end, label].

Each of `fixed`, `disallow`, `spans` may be an object with a `name`, under which its cost is learned, a `cost` (without
one it is hard), and the list or mapping itself as `value`; or a list of such objects.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, Final

from numbat.decoding.label_lattice import LabelArc, LabelLattice
from numbat.decoding.place_constraints import PlaceConstraint, disallow, fixed, spans
from numbat.errors import DataError, close_match, half_escaped, shortened, whole_of
from numbat.records import frozen

FIELDS: Final = ("id", "tokens", "labels", "arcs", "pairs", "fixed", "disallow", "spans", "gold")
"""The fields of a sequence."""


@frozen
class LabelSequence:
    """A sequence to be labelled: its name, its lattice, constraints that it alone has, the right labels if known."""

    id: str
    lattice: LabelLattice
    own: tuple[PlaceConstraint, ...] = ()
    gold: tuple[LabelArc, ...] | None = None


def read_sequence(line: str, place: str) -> LabelSequence:
    """The sequence of one line of JSON. Raises DataError with the place, `file:line`, and the field."""
    try:
        value = json.loads(line)
        if (half := half_escaped(line, place, 0)) is not None:
            raise DataError(f"{place}:{half.span.column}: {half.message}\n  {half.hint}")
    except json.JSONDecodeError as error:
        raise DataError(f"{place}: this is no JSON: {error.msg} at character {error.pos + 1}\n  {OBJECT}") from None
    except RecursionError:
        raise DataError(f"{place}: this is nested too deeply\n  {OBJECT}") from None
    except ValueError:
        raise DataError(f"{place}: a number has too many digits\n  {OBJECT}") from None
    try:
        return sequence_of(value, place)
    except DataError as error:
        raise DataError(f"{place}: {error}") from None


OBJECT: Final = 'each line is an object such as {"tokens": ["the"], "labels": [{"Det": -0.1, "N": -2.3}]}'


def sequence_of(value: Any, name: str = "") -> LabelSequence:
    """The sequence that a value of JSON describes. Raises DataError that begins with the field."""
    _expect(isinstance(value, dict), "the line", "an object", value)
    for field in value:
        if field not in FIELDS:
            hint = close_match(field, FIELDS) or f"the fields are: {', '.join(FIELDS)}"
            raise DataError(f'"{shortened(field)}" is no field\n  {hint}')
    if "labels" not in value and "arcs" not in value:
        raise DataError(f'neither "labels" nor "arcs"\n  {OBJECT}')
    tokens = _list_of(value.get("tokens", []), "tokens", "a list of words", lambda each: isinstance(each, str))
    rows = _list_of(value.get("labels", []), "labels", "a list of mappings from labels to scores", _is_scored)
    arcs = _list_of(value.get("arcs", []), "arcs", "a list of segments [start, end, label, score]", _is_scored_arc)
    length = len(tokens) or len(rows) or max((end for _, end, _, _ in arcs), default=0)
    for field, size in (("tokens", len(tokens)), ("labels", len(rows))):
        if field in value and size != length:
            raise DataError(f'"{field}" has {size} entries for {length} tokens\n  give one for each token')
    pairs = value.get("pairs", {})
    _expect(_is_pairs(pairs), '"pairs"', "a mapping from labels to mappings from the next label to a score", pairs)
    try:
        lattice = _lattice(rows, arcs, pairs, tokens, length)
    except DataError as error:
        raise DataError(f'"{"arcs" if arcs else "labels"}": {error}') from None
    identity = value.get("id", name)
    _expect(isinstance(identity, str | int), '"id"', "a text", identity)
    return LabelSequence(str(identity), lattice, tuple(_own(value, length)), _gold(value.get("gold"), length))


def _lattice(
    rows: Sequence[Mapping[str, float]], arcs: Sequence[Any], pairs: Any, tokens: Sequence[str], length: int
) -> LabelLattice:
    if not arcs:
        return LabelLattice.from_labels(rows, pairs, tokens)
    own = [(i, i + 1, label, score) for i, row in enumerate(rows) for label, score in row.items()]
    return LabelLattice.from_arcs(length, [*own, *map(tuple, arcs)], pairs, tokens)


def _own(value: Mapping[str, Any], length: int) -> Iterator[PlaceConstraint]:
    """The constraints of a sequence alone."""
    makers: dict[str, Callable[[Any, str, float | None], PlaceConstraint]] = {
        "spans": lambda given, name, cost: spans(length, map(tuple, given), name, cost),
        "fixed": lambda given, name, cost: fixed(length, {whole_of(at): given[at] for at in given}, name, cost),
        "disallow": lambda given, name, cost: disallow(given, name, cost),
    }
    names: set[str] = set()
    for field, make in makers.items():
        for given, name, cost in _named(value.get(field), field):
            check, expected = CHECKS[field]
            _expect(check(given), f'"{field}"', expected, given)
            if name in names:
                raise DataError(f'"{field}": two constraints have the name "{name}"\n  give each a "name" of its own')
            names.add(name)
            try:
                yield make(given, name, cost)
            except DataError as error:
                raise DataError(f'"{field}": {error}') from None


def _named(given: Any, field: str) -> list[tuple[Any, str, float | None]]:
    """What is given of a kind of constraint, with names and costs."""
    if given is None:
        return []
    if isinstance(given, list) and given and all(_is_object(each) for each in given):
        return [found for each in given for found in _named(each, field)]
    if not _is_object(given):
        return [(given, field, None)]
    unknown = set(given) - {"name", "cost", "value"}
    if unknown:
        raise DataError(
            f'"{field}": "{shortened(min(unknown))}" is no field of a constraint\n  these are: name, cost, value'
        )
    name, cost = given.get("name", field), given.get("cost")
    _expect(isinstance(name, str), f'the "name" of "{field}"', "a text", name)
    _expect(cost is None or _is_score(cost), f'the "cost" of "{field}"', "a number", cost)
    return [(given["value"], name, cost)]


def _gold(given: Any, length: int) -> tuple[LabelArc, ...] | None:
    if given is None:
        return None
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        if len(given) != length:
            raise DataError(
                f'"gold" has {len(given)} entries for {length} tokens\n  give one for each token, or segments'
            )
        return tuple([LabelArc(i, i + 1, label, 0.0) for i, label in enumerate(given)])
    what = "a list of labels, or of segments [start, end, label] that cover the sequence in order"
    _expect(isinstance(given, list) and all(map(_is_gold_arc, given)), '"gold"', what, given)
    arcs = [LabelArc(start, end, label, 0.0) for start, end, label in given]
    ends = [0, *(arc.end for arc in arcs)]
    covers = [arc.start for arc in arcs] == ends[:-1] and ends[-1] == length and all(a.start < a.end for a in arcs)
    _expect(covers, '"gold"', what, given)
    return tuple(arcs)


def _expect(fits: bool, where: str, expected: str, found: Any) -> None:
    if not fits:
        raise DataError(f"{where} should be {expected}\n  found: {shortened(json.dumps(found, ensure_ascii=False))}")


def _list_of(given: Any, field: str, expected: str, fits: Callable[[Any], bool]) -> list[Any]:
    _expect(isinstance(given, list), f'"{field}"', expected, given)
    for at, each in enumerate(given):
        _expect(fits(each), f'"{field}", entry {at + 1},', _entry(expected), each)
    return list(given)


def _entry(expected: str) -> str:
    """What one entry of a list should be: `a list of words` has words."""
    one = {"words": "a word", "mappings": "a mapping", "segments": "a segment"}
    first, _, rest = expected.removeprefix("a list of ").partition(" ")
    return f"{one[first]} {rest}".strip()


def _is_score(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_scored(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_score, value.values()))


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_scored_arc(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 4 and _is_gold_arc(value[:3]) and _is_score(value[3])


def _is_gold_arc(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and _is_place(value[0])
        and _is_place(value[1])
        and isinstance(value[2], str)
    )


def _is_pairs(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(row, dict) and all(score is None or _is_score(score) for score in row.values())
        for row in value.values()
    )


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and "value" in value


def _is_spans(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, list) and len(each) == 2 and all(map(_is_place, each)) for each in value
    )


CHECKS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "spans": (_is_spans, "a list of spans [start, end]"),
    "fixed": (
        lambda value: isinstance(value, dict) and all(k.isdecimal() and isinstance(v, str) for k, v in value.items()),
        "a mapping from positions to labels",
    ),
    "disallow": (
        lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
        "a list of labels",
    ),
}
"""Of each kind of constraint, whether a value is such a one, and what it should be."""
