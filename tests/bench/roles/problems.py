"""Propositions as decoding problems: for each one a lattice of labels as a line of JSON, and the problem of the peer.

There are two forms. *Segments*: an arc for each candidate and role, scored log p(role) − log p(O), over tokens labelled
O with score 0, so that the score of a path is the sum of the log probabilities of its labels of candidates, up to a
constant. *Tokens*: each token has the log probabilities of its labels, and candidates are spans with a single label.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Final

from tests.bench.peers import integer_program
from tests.bench.peers.integer_program import AtLeastOne, Constraint, Cost, Disallowed, Fixed, OneLabel, Problem, Unique
from tests.bench.roles.candidates import Candidate
from tests.bench.roles.reading import OUTSIDE, ROLES, Argument, Proposition

LABELS: Final = (OUTSIDE, *ROLES)
CANDIDATES: Final = "argument candidates"
AT_LEAST_ONE: Final = "at least one argument"
DISALLOWED: Final = "disallowed arguments"
POSITION: Final = "known predicate position"
DUPLICATES: Final = {role: f"no duplicate {role}" for role in ROLES}
NAMES: Final = (CANDIDATES, *DUPLICATES.values(), AT_LEAST_ONE, DISALLOWED, POSITION)
SMOOTHING: Final = 0.5
SHARE: Final = 0.75
"""Factor of the log odds; chosen from 1, 3/4, 1/2, 1/4 on a held-out tenth of the training part."""
CERTAIN: Final = -30.0
"""The lowest score: no label is ruled out by the classifier alone."""

Record = dict[str, Any]
Costs = Mapping[str, Cost]
"""The cost of a constraint's violation by its name; None, or not there: hard."""


class Rolesets:
    """The roles that each roleset was seen with, in the propositions that it is made of."""

    def __init__(self, propositions: Iterable[Proposition]) -> None:
        seen: dict[str, set[str]] = defaultdict(set)
        for each in propositions:
            seen[each.roleset].update(role for _, _, role in each.gold)
        self._seen = dict(seen)

    def needs_argument(self, proposition: Proposition) -> bool:
        """True if the roleset was seen with an argument."""
        return bool(self._seen.get(proposition.roleset))

    def disallowed(self, proposition: Proposition) -> list[str]:
        """The roles that a known roleset was never seen with; none for an unknown one."""
        seen = self._seen.get(proposition.roleset)
        return [] if seen is None else [role for role in ROLES if role not in seen]


@dataclass(frozen=True, slots=True)
class Scored:
    """A proposition with its candidates, a row of log probabilities (of LABELS) for each, and its constraints."""

    proposition: Proposition
    candidates: Sequence[Candidate]
    scores: Sequence[Sequence[float]]
    disallowed: Sequence[str]
    needs_argument: bool


def segments(given: Scored) -> Record:
    """The record of a proposition with its candidates as arcs; the gold labels are [start, end, label]."""
    found = given.proposition
    arcs = []
    for candidate, row in zip(given.candidates, given.scores, strict=True):
        start, end = candidate.node.span
        arcs += [[start, end, role, _rounded(row[i] - row[0])] for i, role in enumerate(ROLES, start=1)]
    labels = [{OUTSIDE: 0.0} for _ in found.tokens]
    return _record(given) | {"labels": labels, "arcs": arcs, "gold": [list(each) for each in found.gold]}


def tokens(given: Scored, scores: Sequence[Sequence[float]]) -> Record:
    """The record of a proposition with its tokens labelled, given a row of log probabilities a token."""
    labels = [{label: _rounded(score) for label, score in zip(LABELS, row, strict=True)} for row in scores]
    spans = sorted({each.node.span for each in given.candidates if each.node.end - each.node.start > 1})
    gold = token_labels(given.proposition)
    return _record(given) | {"labels": labels, "spans": [list(span) for span in spans], "gold": gold}


def _rounded(score: float) -> float:
    # Decoding counts in units of 1e-6: rounded, scores are the same for all.
    return round(max(score, CERTAIN), 6)


def _record(given: Scored) -> Record:
    found = given.proposition
    return {
        "id": found.id,
        "tokens": list(found.tokens),
        "fixed": {str(found.predicate): OUTSIDE},
        "disallow": list(given.disallowed),
        "needs_argument": given.needs_argument,
    }


def line_of(record: Record) -> str:
    """The record as a line of a file for `numbat decode`; its constraints are named, so that costs can be learned."""
    own = {"fixed": POSITION, "disallow": DISALLOWED, "spans": CANDIDATES}
    named = {field: {"name": name, "value": record[field]} for field, name in own.items() if record.get(field)}
    rest = {field: value for field, value in record.items() if field not in own and field != "needs_argument"}
    return json.dumps(rest | named, ensure_ascii=False)


def token_labels(proposition: Proposition) -> list[str]:
    """The role of the argument that covers a token, O elsewhere."""
    labels = [OUTSIDE] * len(proposition.tokens)
    for start, end, role in proposition.gold:
        labels[start:end] = [role] * (end - start)
    return labels


def program(record: Record, costs: Costs) -> Problem:
    """The problem of a record as an integer program's."""
    arcs: list[integer_program.Arc] = [
        (i, i + 1, label, score) for i, labels in enumerate(record["labels"]) for label, score in labels.items()
    ]
    arcs += [(start, end, label, score) for start, end, label, score in record.get("arcs", ())]
    return Problem(len(record["tokens"]), arcs, list(constraints_of(record, costs)))


def constraints_of(record: Record, costs: Costs) -> Iterator[Constraint]:
    """The constraints of a record; runs of a label are one argument where tokens carry the labels."""
    for role, name in DUPLICATES.items():
        yield Unique(role, costs.get(name), runs="arcs" not in record)
    if record["needs_argument"]:
        yield AtLeastOne(frozenset(ROLES), costs.get(AT_LEAST_ONE))
    if record["disallow"]:
        yield Disallowed(frozenset(record["disallow"]), costs.get(DISALLOWED))
    for token, label in record["fixed"].items():
        yield Fixed(int(token), label, costs.get(POSITION))
    if record.get("spans"):
        yield OneLabel(tuple((start, end) for start, end in record["spans"]), costs.get(CANDIDATES))


def violated(record: Record, labels: Sequence[str], arguments: Sequence[Argument]) -> list[str]:
    """The names of the constraints that a labelling violates, given as labels of tokens and as arguments."""
    roles = [role for _, _, role in arguments]
    found = []
    if any(len(set(labels[start:end])) > 1 for start, end in record.get("spans", ())):
        found.append(CANDIDATES)
    found += [DUPLICATES[role] for role in ROLES if roles.count(role) > 1]
    if record["needs_argument"] and not roles:
        found.append(AT_LEAST_ONE)
    if set(roles) & set(record["disallow"]):
        found.append(DISALLOWED)
    if any(labels[int(token)] != label for token, label in record["fixed"].items()):
        found.append(POSITION)
    return found


def runs(labels: Sequence[str]) -> list[Argument]:
    """The unbroken runs of a role as arguments."""
    found: list[Argument] = []
    for i, label in enumerate(labels):
        if label != OUTSIDE and found and found[-1][1:] == (i, label):
            found[-1] = (found[-1][0], i + 1, label)
        elif label != OUTSIDE:
            found.append((i, i + 1, label))
    return found


def learned_costs(records: Sequence[Record], gold: Sequence[Sequence[Argument]]) -> dict[str, float]:
    """Return the cost of each constraint: a share of the smoothed log odds that gold labels satisfy it."""
    held: dict[str, int] = dict.fromkeys(NAMES, 0)
    broken: dict[str, int] = dict.fromkeys(NAMES, 0)
    for record, arguments in zip(records, gold, strict=True):
        labels = [OUTSIDE] * len(record["tokens"])
        for start, end, role in arguments:
            labels[start:end] = [role] * (end - start)
        names = violated(record, labels, arguments)
        for name in NAMES:
            applies = {AT_LEAST_ONE: record["needs_argument"], DISALLOWED: bool(record["disallow"])}.get(name, True)
            held[name] += applies and name not in names
            broken[name] += name in names
    return {name: max(SHARE * log((held[name] + SMOOTHING) / (broken[name] + SMOOTHING)), 0.0) for name in NAMES}
