"""Read sequences to label: one JSON object per line, or AT&T automata; make the constraints that a sequence has.

`scheme_of` finds the scheme of labels of chunks.

An object has `labels`, a list with a mapping for each token from its possible labels to their scores (log
probabilities; the higher the better), or `arcs`, a list of segments [start, end, label, score], or both. All other
fields are optional:

- `id`: the name of the sequence; default: its file and line;
- `tokens`: the words;
- `pairs`: a mapping from a label to a mapping from the next label to a score, null if it cannot follow;
- `fixed`: a mapping from positions, counted from 0, to labels;
- `disallow`: a list of labels that must not occur;
- `spans`: a list of spans [start, end], end exclusive, of one label each;
- `gold`: the right labels, one for each token, or segments [start, end, label].

Each of `fixed`, `disallow`, `spans` may also be an object: `value` is the list or mapping itself, `name` is the name
under which its cost is learned, `cost` its cost (a constraint without a cost is hard); or a list of such objects.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from math import isfinite
from typing import Any, ClassVar, Final

from numbat.automata.property_acceptors import FORBIDDEN
from numbat.errors import DataError, Problem, close_match, data_error, half_escaped, shortened, whole_of
from numbat.grammar.properties import UNIT, format_number
from numbat.labels.constraints import (
    Constraint,
    Pack,
    Tables,
    check_labels,
    complement,
    is_reward,
    mode_of,
    table_of,
    tables_of,
)
from numbat.labels.label_lattice import EMPTY, NO_END, LabelArc, LabelLattice
from numbat.parsing.explanation.violations import on_one_line
from numbat.records import frozen
from numbat.settings import Range
from numbat.words.chunk_labels import OUTSIDE, SCHEMES, Scheme, misfit, neighbours, scheme_named, schemes_with

COST: Final = Range(0)
"""The range of the cost of a constraint."""
FIELDS: Final = ("id", "tokens", "labels", "arcs", "pairs", "fixed", "disallow", "spans", "gold")
"""Fields of the JSON object for a sequence."""


@frozen
class LabelSequence:
    """A sequence to label: its name, its lattice, constraints on this sequence only, the gold labels if known."""

    id: str
    lattice: LabelLattice
    own: tuple[PlaceConstraint, ...] = ()
    gold: tuple[LabelArc, ...] | None = None


def read_sequence(line: str, place: str) -> LabelSequence:
    """Read a sequence from a line of JSON at `place`, `file:line`. Raises DataError with the place and the field."""
    try:
        value = json.loads(line)
        if (half := half_escaped(line, place, 0)) is not None:
            raise DataError(f"{place}:{half.span.column}: {half.message}\n  {half.hint}")
    except json.JSONDecodeError as error:
        raise DataError(f"{place}: this is not JSON: {error.msg} at character {error.pos + 1}\n  {OBJECT}") from None
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
    """Return the sequence that a JSON value describes. Raises DataError that begins with the field."""
    _expect(isinstance(value, dict), "the line", "an object", value)
    for field in value:
        if field not in FIELDS:
            hint = close_match(field, FIELDS) or f"the fields are: {', '.join(FIELDS)}"
            raise DataError(f'unknown field "{shortened(field)}"\n  {hint}')
    if "labels" not in value and "arcs" not in value:
        raise DataError(f'neither "labels" nor "arcs"\n  {OBJECT}')
    tokens = _list_of(value.get("tokens", []), "tokens", "a list of words", lambda token: isinstance(token, str))
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
    segments = [(i, i + 1, label, score) for i, row in enumerate(rows) for label, score in row.items()]
    return LabelLattice.from_arcs(length, [*segments, *map(tuple, arcs)], pairs, tokens)


def _own(value: Mapping[str, Any], length: int) -> Iterator[PlaceConstraint]:
    """Yield the constraints that a JSON object has in `fixed`, `disallow` and `spans`, for `length` tokens."""
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
                raise DataError(f'"{field}": two constraints have the name "{name}"\n  rename one of them')
            names.add(name)
            try:
                yield make(given, name, cost)
            except DataError as error:
                raise DataError(f'"{field}": {error}') from None


def _named(given: Any, field: str) -> list[tuple[Any, str, float | None]]:
    """Return the constraints in the value of a field such as `fixed`: triples of value, name and cost."""
    if given is None:
        return []
    if isinstance(given, list) and given and all(_is_object(entry) for entry in given):
        return [named for entry in given for named in _named(entry, field)]
    if not _is_object(given):
        return [(given, field, None)]
    unknown = set(given) - {"name", "cost", "value"}
    if unknown:
        raise DataError(
            f'"{field}": unknown field "{shortened(min(unknown))}" of a constraint\n  the fields are: name, cost, value'
        )
    name, cost = given.get("name", field), given.get("cost")
    _expect(isinstance(name, str), f'the "name" of "{field}"', "a text", name)
    _expect(cost is None or (_is_score(cost) and COST.has(cost)), f'the "cost" of "{field}"', str(COST), cost)
    return [(given["value"], name, cost)]


def _gold(given: Any, length: int) -> tuple[LabelArc, ...] | None:
    if given is None:
        return None
    if isinstance(given, list) and all(isinstance(label, str) for label in given):
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


def _expect(fits: bool, where: str, expected: str, value: Any) -> None:
    if not fits:
        raise DataError(f"{where} should be {expected}\n  found: {shortened(json.dumps(value, ensure_ascii=False))}")


def _list_of(given: Any, field: str, expected: str, fits: Callable[[Any], bool]) -> list[Any]:
    _expect(isinstance(given, list), f'"{field}"', expected, given)
    for at, entry in enumerate(given):
        if not fits(entry):
            _expect(False, f'"{field}", entry {at + 1},', _entry(expected), entry)
    return list(given)


def _entry(expected: str) -> str:
    """Return what one entry of a list should be: `a word` if `expected` is `a list of words`."""
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
        isinstance(span, list) and len(span) == 2 and all(map(_is_place, span)) for span in value
    )


CHECKS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "spans": (_is_spans, "a list of spans [start, end]"),
    "fixed": (
        lambda value: isinstance(value, dict) and all(k.isdecimal() and isinstance(v, str) for k, v in value.items()),
        "a mapping from positions to labels",
    ),
    "disallow": (
        lambda value: isinstance(value, list) and all(isinstance(label, str) for label in value),
        "a list of labels",
    ),
}
"""For each kind of constraint, the test of its value and the description of a valid value."""


# Labels of chunks: the scheme of the labels in sequences


def scheme_of(sequences: Sequence[LabelSequence], name: str | None = None) -> Scheme:
    """Return the scheme of the labels in sequences: the one called `name` or, for None, the first that fits.

    A scheme fits if it has all labels, allows the gold labellings and some labelling of each sequence, and if each sign
    (such as the B of B-NP) occurs in an allowed labelling. Raises DataError with the first sequence that does not fit.
    """
    labels = {label for sequence in sequences for label in _labels_of(sequence)}
    schemes = schemes_with(labels)
    if name is not None:
        scheme = scheme_named(name, labels)
        for sequence in sequences:
            try:
                check_labels(_labels_of(sequence), scheme)
            except DataError as error:
                raise DataError(f"{sequence.id}: {error}") from None
        return scheme
    if labels <= {OUTSIDE}:
        return SCHEMES["iob2"]
    if not schemes:
        raise _no_scheme(sequences)
    gold = {
        pair for sequence in sequences if sequence.gold for pair in neighbours([arc.label for arc in sequence.gold])
    }
    problems = []
    for scheme in schemes:
        fits_gold = all(scheme.allows(*pair) for pair in gold)
        problem = _against(scheme, sequences, labels) if fits_gold else _against_gold(scheme, sequences)
        if problem is None:
            return scheme
        problems.append(problem)
    raise DataError(f"{problems[0]}\n  correct it, or read the labels by it: --scheme {schemes[0].name}")


def _labels_of(sequence: LabelSequence) -> list[str]:
    """Return the labels of a sequence, including the gold ones."""
    return list(dict.fromkeys((*sequence.lattice.labels, *(arc.label for arc in sequence.gold or ()))))


def _no_scheme(sequences: Iterable[LabelSequence]) -> DataError:
    """Return an error that names the first label which no scheme has together with all labels before it."""
    seen: set[str] = set()
    for sequence, label in ((owner, label) for owner in sequences for label in _labels_of(owner)):
        if label != OUTSIDE and not schemes_with({*seen, label}):
            beside = f" beside {shortened(min(seen))}" if seen and schemes_with([label]) else ""
            return DataError(
                f'{sequence.id}: no scheme of chunks has the label "{shortened(label)}"{beside}\n'
                "  correct it; --daughters labels and --daughters runs take any labels"
            )
        seen |= {label} - {OUTSIDE}
    raise AssertionError("a scheme has all labels")


def _against(scheme: Scheme, sequences: Iterable[LabelSequence], labels: Iterable[str]) -> str | None:
    """Return why a scheme does not fit sequences with these labels; None if it fits."""
    unused = {parts.sign for label in labels if (parts := scheme.parts(label)) is not None}
    for sequence in sequences:
        if not unused and _is_outside_everywhere(sequence.lattice):
            continue
        allowed = allowed_labels(sequence.lattice, scheme)
        if allowed is None:
            return f"{sequence.id}: {scheme.name} allows no labelling of this sequence"
        unused -= {parts.sign for label in allowed if (parts := scheme.parts(label)) is not None}
    return f"the scheme {scheme.name} allows the sign {min(unused)} nowhere in these sequences" if unused else None


def _against_gold(scheme: Scheme, sequences: Iterable[LabelSequence]) -> str:
    """Return what is wrong by a scheme with the first gold labels that it does not allow."""
    for sequence in sequences:
        wrong = misfit(scheme, [[arc.label for arc in sequence.gold or ()]])
        if wrong is not None:
            return f'{sequence.id}: "gold": {wrong.message}'
    raise AssertionError("the scheme allows all gold labels")


def _is_outside_everywhere(lattice: LabelLattice) -> bool:
    """True if each token may have the label `O`: every scheme allows a labelling with `O` throughout."""
    if OUTSIDE not in lattice.labels or len(lattice.ends) != lattice.length + 1:
        return False
    outside = lattice.labels.index(OUTSIDE)
    ends = [end for number, end in zip(lattice.numbers, lattice.targets, strict=True) if number == outside]
    return ends == list(range(1, lattice.length + 1))


def allowed_labels(lattice: LabelLattice, scheme: Scheme) -> set[str] | None:
    """Return the labels that occur in labellings which the scheme allows; None if the lattice has no such labelling."""
    reached: list[dict[str, list[tuple[int, str]]]] = [{} for _ in lattice.ends]
    reached[0][OUTSIDE] = []
    for state, known in enumerate(reached):
        for arc in range(lattice.first[state], lattice.first[state + 1]) if known else ():
            label = lattice.labels[lattice.numbers[arc]]
            befores = [(state, before) for before in known if scheme.allows(before, label)]
            if befores:
                reached[lattice.targets[arc]].setdefault(label, []).extend(befores)
    waiting = [
        (state, label)
        for state, known in enumerate(reached)
        if lattice.ends[state] != NO_END
        for label in known
        if scheme.allows(label, OUTSIDE)
    ]
    alive = set(waiting)
    while waiting:
        state, label = waiting.pop()
        new = set(reached[state][label]) - alive
        alive |= new
        waiting += new
    return {label for state, label in alive if state} if alive else None


# Acyclic automata in the text format of AT&T, which OpenFst, foma and HFST write.

NO_LABEL: Final = ("<eps>", "<epsilon>", "@0@", "@_EPSILON_SYMBOL_@")
"""Symbols that mean no label in OpenFst, foma and HFST."""
ANY_LABEL: Final = ("@_UNKNOWN_SYMBOL_@", "@_IDENTITY_SYMBOL_@", "@?@")
"""Symbols that mean, in foma and HFST, any symbol that the automaton does not name."""
INFINITY: Final = float("inf")
ESCAPES: Final = {"@_SPACE_@": " ", "@_TAB_@": "\t"}
"""Escapes of HFST for blanks in symbols."""


def read_att(lines: Iterable[str | Problem], name: str) -> Iterator[LabelSequence | DataError]:
    """Read acyclic automata in the text format of AT&T, separated by empty lines or, as in HFST, by `--`.

    A line is an arc, `from to label [weight]` or `from to word label [weight]`, or a final state, `state [weight]`.
    Fields are separated by TABs or, if the line has no TAB, by blanks. Weights are costs, so they are negated to give
    scores. The first state named is the start. The cost of an arc without a label is added to neighbouring labels.
    `lines` has a Problem instead of each line that is not text. An automaton that cannot be read is replaced by a
    DataError with its place.
    """
    block: list[tuple[int, list[str]]] = []
    wrong: list[Problem] = []
    for number, line in enumerate(chain(lines, [""]), start=1):
        text = "" if isinstance(line, Problem) else line.strip()
        if isinstance(line, Problem):
            wrong.append(line)
        elif text not in ("", "--"):
            block.append((number, line.strip("\r\n").split("\t") if "\t" in text else text.split()))
        elif wrong:
            yield data_error(*wrong)
            block, wrong = [], []
        elif block:
            try:
                yield LabelSequence(f"{name}:{block[0][0]}", _automaton(block, name))
            except DataError as error:
                yield error
            block = []


def _automaton(lines: Sequence[tuple[int, list[str]]], name: str) -> LabelLattice:
    ends: dict[int, float] = {}
    arcs: list[tuple[int, int, str, float]] = []
    start = _state(lines[0][1][0], name, lines[0][0])
    for number, fields in lines:
        count = len(fields)
        state = _state(fields[0], name, number)
        target = _state(fields[1], name, number) if count > 2 else state
        weight = _weight(fields[-1]) if count in (2, 4, 5) else 0.0
        has_weight = count in (2, 5) or (count == 4 and weight is not None)
        weight = weight if has_weight else 0.0
        if count > 5 or weight is None:
            raise DataError(
                f"{name}:{number}: this is neither an arc nor a final state\n"
                "  a line is: from to label [weight], or from to word label [weight], or state [weight]"
            )
        if count < 3:
            ends[state] = -weight
        elif weight != INFINITY:
            arcs.append((state, target, _label(fields[-2 if has_weight else -1], name, number), -weight))
    try:
        return LabelLattice.of_graph({state: score for state, score in ends.items() if isfinite(score)}, arcs, start)
    except DataError as error:
        raise DataError(f"{name}:{lines[0][0]}: {error}") from None


def _label(label: str, name: str, number: int) -> str:
    """Return the label that the last symbol of an arc means, EMPTY for no label. Raises DataError for any label."""
    if "@" not in label:
        return EMPTY if label in NO_LABEL else label
    if label in ANY_LABEL:
        raise DataError(
            f"{name}:{number}: {label} stands for any label\n"
            "  compose the automaton with one of all labels, so that each arc names one"
        )
    if label in NO_LABEL:
        return EMPTY
    for escape, blank in ESCAPES.items():
        label = label.replace(escape, blank)
    return label


def _state(field: str, name: str, number: int) -> int:
    if not field.isdecimal():
        raise DataError(f'{name}:{number}: "{shortened(field)}" is not a state\n  states are numbers from 0 on')
    return whole_of(field)


def _weight(field: str) -> float | None:
    try:
        weight = float(field)
    except ValueError:
        return None
    return weight if weight == weight and weight != float("-inf") else None


def att_text(lattice: LabelLattice) -> str:
    """Return a lattice in the text format of AT&T and OpenFst, with negated scores as weights and without tokens."""
    lines = []
    for state, end in enumerate(lattice.ends):
        for arc in range(lattice.first[state], lattice.first[state + 1]):
            label, weight = lattice.labels[lattice.numbers[arc]], format_number(-lattice.scores[arc])
            lines.append(f"{state}\t{lattice.targets[arc]}\t{label}\t{weight}")
        if end != NO_END:
            lines.append(f"{state}\t{format_number(-end)}")
    return "".join(f"{line}\n" for line in lines)


# Constraints on one sequence: fixed labels, disallowed labels, spans with a single label. They are KNOWN VERB POSITION,
# DISALLOW ARGUMENTS and ARGUMENT CANDIDATES of Tromble & Eisner 2006, section 5.1.
#
# Their acceptors read the kind of each token, a number that the constraint gives to the tokens of its sequence.

FREE: Final = ""
"""State before the first label, after which any label may follow."""


@frozen
class OneLabel:
    """Acceptor that requires a tied token (kind 1) to have the label of the token before; others (kind 0) are free."""

    start: ClassVar[str] = FREE
    kinds_of_places: ClassVar[int] = 2
    mixed: ClassVar[int] = 0

    def step(self, state: str, place: int, label: str, /) -> tuple[str, float]:
        """Return the label as the next state, and FORBIDDEN if a tied token has another label than the token before."""
        return label, FORBIDDEN if place and label != state else 0.0

    def finish(self, state: str, /) -> float:
        """Return 0: no label is missing at the end."""
        return 0.0

    def violations(self, arcs: Sequence[LabelArc], kinds: Sequence[int]) -> list[tuple[LabelArc, str]]:
        """Return the arcs that violate the constraint, each with the reason."""
        return [
            (arc, f"is {arc.label}, but should continue the label before it, {before.label}")
            for before, arc in pairwise(arcs)
            if kinds[arc.start] and arc.label != before.label
        ]


@frozen
class Only:
    """Acceptor that allows tokens of kind k only the k-th label, counted from 1, and tokens of kind 0 any label.

    A segment with tokens of several kinds besides 0 gets the last kind, which allows no label.
    """

    labels: tuple[str, ...]
    start: ClassVar[int] = 0

    @property
    def kinds_of_places(self) -> int:
        """Number of kinds of tokens: one for any label, one for each of `labels`, one for no label."""
        return len(self.labels) + 2

    @property
    def mixed(self) -> int:
        """The last kind, which allows no label."""
        return len(self.labels) + 1

    def step(self, state: int, place: int, label: str, /) -> tuple[int, float]:
        """Return the only state, and FORBIDDEN for a label that this kind of token may not have."""
        return 0, FORBIDDEN if place and label not in self.labels[place - 1 : place] else 0.0

    def finish(self, state: int, /) -> float:
        """Return 0: no label is missing at the end."""
        return 0.0

    def violations(self, arcs: Sequence[LabelArc], kinds: Sequence[int]) -> list[tuple[LabelArc, str]]:
        """Return the arcs that violate the constraint, each with the reason."""
        wanted = [(arc, self.labels[kind - 1]) for arc in arcs for kind in kinds[arc.start : arc.end] if kind]
        return [(arc, f"should be {label}, not {arc.label}") for arc, label in wanted if arc.label != label]


@frozen
class Without:
    """Acceptor that forbids these labels to all tokens."""

    labels: tuple[str, ...]
    start: ClassVar[int] = 0
    kinds_of_places: ClassVar[int] = 1
    mixed: ClassVar[int] = 0

    def step(self, state: int, place: int, label: str, /) -> tuple[int, float]:
        """Return the only state, and FORBIDDEN for one of the forbidden labels."""
        return 0, FORBIDDEN if label in self.labels else 0.0

    def finish(self, state: int, /) -> float:
        """Return 0: no label is missing at the end."""
        return 0.0

    def violations(self, arcs: Sequence[LabelArc], kinds: Sequence[int]) -> list[tuple[LabelArc, str]]:
        """Return the arcs that violate the constraint, each with the reason."""
        return [(arc, f"should not be {arc.label}") for arc in arcs if arc.label in self.labels]


@frozen
class PlaceConstraint:
    """A constraint on the labels of one sequence; `kinds` has the kind of each token for the acceptor."""

    constraint: Constraint
    acceptor: OneLabel | Only | Without
    kinds: array[int] | None = None

    @property
    def name(self) -> str:
        """The name of the constraint in messages and in tables of penalties."""
        return self.constraint.name

    def check_length(self, length: int) -> None:
        """Raise DataError if the constraint was made for a sequence of another length."""
        if self.kinds is not None and len(self.kinds) != length + 1:
            raise DataError(
                f'"{self.name}" was made for {len(self.kinds) - 1} tokens, but the lattice has {length}\n'
                "  make one for each sequence"
            )

    def with_cost(self, cost: float) -> PlaceConstraint:
        """Return a soft copy of the constraint with this cost."""
        return PlaceConstraint(_constraint(self.name, cost), self.acceptor, self.kinds)

    def explain(self, arcs: Sequence[LabelArc], tokens: Sequence[str]) -> str:
        """Return a sentence about the violations in a labelling of these tokens; empty if there are none."""
        violations = self.acceptor.violations(arcs, self.kinds or ())
        text = "; ".join(f"{_quoted(arc, tokens)} {what}" for arc, what in violations)
        return f"{text}  [{self.name}]" if text else ""

    def pack(self, labels: tuple[str, ...], columns: array[int], soft: bool | None) -> Pack:
        """Return the constraint packed for a lattice; its tables have a column for each of `labels`, in this order.

        `columns` has the column of each label of the lattice; `soft` is as in `Constraints.pack`.
        """
        mode = mode_of(self.constraint, soft)
        flipped, cost = is_reward(self.constraint, mode), abs(self.constraint.cost or 0)
        tables = _tables(self.acceptor, labels, flipped, mode, cost)
        return Pack(tables, columns, self.kinds, len(labels), self.acceptor.mixed)


@lru_cache(maxsize=2_000)
def _tables(
    acceptor: OneLabel | Only | Without, labels: tuple[str, ...], flipped: bool, mode: int, cost: int
) -> Tables:
    table = table_of(acceptor, labels, acceptor.kinds_of_places)
    return tables_of([(complement(table) if flipped else table, mode, cost)], [0] if flipped else ())


def _quoted(arc: LabelArc, tokens: Sequence[str]) -> str:
    words = on_one_line(" ".join(tokens[arc.start : arc.end]))
    return f'"{words}" ({arc.start}-{arc.end})' if words else f"{arc.start}-{arc.end}"


def _constraint(name: str, cost: float | None) -> Constraint:
    return Constraint(name, None if cost is None else round(cost * UNIT), cost is None)


def spans(
    length: int, tied: Iterable[tuple[int, int]], name: str = "spans", cost: float | None = None
) -> PlaceConstraint:
    """Return the constraint that all tokens of each span [start, end) have the same label; it is hard without a `cost`.

    Spans may nest and overlap. Raises DataError for a span outside the sequence of `length` tokens.
    """
    kinds = array("i", bytes(4 * (length + 1)))
    for start, end in tied:
        if not 0 <= start < end <= length:
            raise DataError(
                f"the span {start}-{end} is outside a sequence of {length} tokens\n"
                "  a span goes from a position, counted from 0, to one past its last token"
            )
        kinds[start + 1 : end] = array("i", [1] * (end - start - 1))
    return PlaceConstraint(_constraint(name, cost), OneLabel(), kinds)


def fixed(length: int, labels: Mapping[int, str], name: str = "fixed", cost: float | None = None) -> PlaceConstraint:
    """Return the constraint that the tokens at these positions have these labels; it is hard without a `cost`.

    Raises DataError for a position outside the sequence of `length` tokens.
    """
    about = tuple(sorted(set(labels.values())))
    kinds = array("i", bytes(4 * (length + 1)))
    for position, label in labels.items():
        if not 0 <= position < length:
            raise DataError(
                f"there is no token {position} in a sequence of {length} tokens\n  positions are counted from 0"
            )
        kinds[position] = about.index(label) + 1
    return PlaceConstraint(_constraint(name, cost), Only(about), kinds)


def disallow(labels: Iterable[str], name: str = "disallow", cost: float | None = None) -> PlaceConstraint:
    """Return the constraint that no token of a sequence has any of these labels; it is hard without a `cost`."""
    return PlaceConstraint(_constraint(name, cost), Without(tuple(sorted(set(labels)))))
