"""Labels sequences under the properties of a grammar, and learns what violations cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from numbat.commands.settings import DecodeSettings
from numbat.decoding.constraints import Constraints, category_of, kind_of
from numbat.decoding.penalties import Penalty, check_names, log_odds, perceptron, read_table
from numbat.decoding.sequence_files import LabelSequence, read_att, read_sequence
from numbat.errors import DataError, nearest
from numbat.files import lines_of, shown
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT, format_named
from numbat.runs.jobs import Decoded, DecodeJob
from numbat.runs.loop import BatchRun
from numbat.runs.sources import HashLines, lines_as_they_come, whole

Told = Callable[[str], None]
ATT_SUFFIXES: Final = (".att", ".fst", ".fsa")
"""Ends of the names of files that have automata in the text form of AT&T and OpenFst."""


def constraints_for(grammar: Grammar, asked: DecodeSettings) -> Constraints:
    """The properties of a construction, with the costs of a table of penalties. Raises UsageError, DataError."""
    costs = read_table(lines_of(asked.penalties), shown(asked.penalties)) if asked.penalties else {}
    constraints = Constraints(grammar, asked.construction, asked.daughters, asked.counting, costs)
    check_names(costs, constraints, asked.penalties or "")
    return constraints


def sequences_of(
    path: str, form: str | None, hash_lines: HashLines | None = None
) -> Iterator[LabelSequence | DataError]:
    """The sequences of a file; its form, if none is given, goes by its name. Those that cannot be read are errors.

    `hash_lines` has the lines that are comments.
    """
    if form == "att" or (form is None and path.endswith(ATT_SUFFIXES)):
        yield from read_att(lines_of(path), shown(path))
        return
    for line in lines_as_they_come(path, hash_lines):
        if isinstance(line, DataError):
            yield line
            continue
        try:
            yield read_sequence(line.text, line.id)
        except DataError as error:
            yield error


def decode_file(
    path: str, constraints: Constraints, asked: DecodeSettings, compares: bool, hash_lines: HashLines | None = None
) -> BatchRun[LabelSequence, Decoded]:
    """The run over the sequences of a file; `hash_lines` as in `sequences_of`."""
    job = DecodeJob(constraints, asked.soft, asked.max_items, compares)
    return BatchRun(job, sequences_of(path, asked.form, hash_lines))


def unseen_labels(constraints: Constraints, labels: Iterable[str]) -> list[tuple[str, str]]:
    """The categories that the construction names and no lattice had as a label, each with one that may be meant."""
    seen = {kind_of(category_of(label, constraints.daughters))[0] for label in labels}
    return [(name, nearest(name, seen)) for name in sorted(constraints.named_labels() - seen)]


def learn_penalties(
    path: str,
    constraints: Constraints,
    form: str | None,
    rounds: int,
    seed: int,
    rewards: bool,
    told: Told,
    hash_lines: HashLines | None = None,
) -> list[Penalty]:
    """Costs by log odds, or with `rounds` by a perceptron. Raises DataError with all that cannot be read.

    `hash_lines` as in `sequences_of`.
    """
    sequences = whole(sequences_of(path, form, hash_lines))
    if not rounds:
        return log_odds(sequences, constraints)
    return perceptron(sequences, constraints, rounds, seed, rewards=rewards, told=told)


def with_penalties(grammar: Grammar, construction: str, penalties: Iterable[Penalty]) -> Grammar:
    """The grammar with learned costs in the place of those that the properties of a construction have."""
    costs = {each.name: round(max(0.0, each.cost) * UNIT) for each in penalties}

    def priced(form: Construction) -> Construction:
        if form.name != construction:
            return form
        properties = [
            replace(prop, cost=cost, hard=False, stated=replace(prop.stated, cost=cost, hard=False))
            if (cost := costs.get(format_named(prop))) is not None
            else prop
            for prop in form.properties
        ]
        return replace(form, properties=tuple(properties))

    return replace(grammar, constructions=tuple(map(priced, grammar.constructions)))
