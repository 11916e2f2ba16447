"""Decode sequences under constraints: the job, its result and report, and the functions of the commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, Final

from numbat.errors import DataError, UsageError, counted, nearest
from numbat.files import lines_of, shown, write
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.printing import format_grammar
from numbat.grammar.properties import UNIT, format_named
from numbat.labels.constraints import Constraints, Daughters, category_of, kind_of
from numbat.labels.label_lattice import LabelArc
from numbat.labels.penalties import (
    Penalty,
    ReferenceLabellings,
    Tally,
    by_frequency,
    check_names,
    compared,
    explain,
    log_odds,
    perceptron,
    read_table,
    segments,
    table_text,
)
from numbat.labels.relaxation import BestLabels, Violation, decode
from numbat.labels.sequence_files import LabelSequence, read_att, read_sequence
from numbat.labels.sequence_files import scheme_of as scheme_of_sequences
from numbat.labels.settings import DecodeSettings
from numbat.labels.tagger import Tagger
from numbat.labels.verbs import Told, scheme_of_model, told_of
from numbat.markup import aligned
from numbat.parsing.explanation.violations import on_one_line
from numbat.records import frozen
from numbat.reports.answers import Answer, Console
from numbat.reports.report import Items, Line, Member, Members, Part, report
from numbat.runs.loop import BatchRun, Failure
from numbat.runs.sentences import HashLines, lines_as_they_come, texts_or_problems, whole
from numbat.words.chunk_labels import OUTSIDE, SCHEMES, Scheme, scheme_named


@frozen
class Decoded:
    """A sequence with its best labelling, a sentence about each violation, and other labellings to compare it with."""

    sequence: LabelSequence
    solution: BestLabels
    explained: tuple[str, ...] = ()
    comparison: ReferenceLabellings | None = None


@dataclass(frozen=True)
class DecodeJob:
    """Finds the best labelling of a sequence; if `compares`, also the best one without constraints and the gold one.

    Costs by name also apply to the constraints that come with the sequence. Raises DataError that begins with the name
    of the sequence.
    """

    constraints: Constraints
    soft: bool | None
    limit: int
    compares: bool = False

    def __call__(self, sequence: LabelSequence) -> Decoded:
        costs = self.constraints.costs
        constraints = [one.with_cost(costs[one.name]) if one.name in costs else one for one in sequence.own]
        sequence = replace(sequence, own=tuple(constraints))
        try:
            solution = decode(sequence.lattice, self.constraints, constraints, soft=self.soft, limit=self.limit)
        except DataError as error:
            raise DataError(f"{sequence.id}: {error}") from None
        explained = (
            explain(solution.arcs, self.constraints, constraints, sequence.lattice.tokens) if solution.violated else ()
        )
        comparison = compared(sequence, self.constraints, solution) if self.compares else None
        return Decoded(sequence, solution, explained, comparison)


@report("numbat.decode/1")
def decoded_report(decoded: Decoded, daughters: Daughters) -> Iterator[Part]:
    """Yield the parts of a report on a labelling: labels, segments, enforced constraints, violations with costs."""
    sequence, solution = decoded.sequence, decoded.solution
    cost = sum(violation.cost for violation in solution.violated)
    paid = f", including {_number(-cost)} for violations" if solution.violated else ""
    yield Member("id", sequence.id, f"{sequence.id}  score {_number(solution.score)}{paid}")
    yield Member("labels", list(solution.labels))
    arcs = segments(solution.arcs, daughters)
    words = " ".join(_shown(arc, sequence.lattice.tokens) for arc in arcs)
    yield Member("segments", [[arc.start, arc.end, arc.label] for arc in arcs], f"  {words}")
    if solution.added:
        yield Line(f"  enforced: {'; '.join(solution.added)}")
    yield Member("score", round(solution.score, 6))
    yield Items("violated", [tuple(_violated(violation)) for violation in solution.violated])
    yield Member("explanations", list(decoded.explained), [f"    {on_one_line(text)}" for text in decoded.explained])
    yield Member("enforced", list(solution.added))
    yield Members({"intersections": solution.intersections, "branches": solution.branches})


def _violated(violation: Violation) -> Iterator[Part]:
    name, times, cost = violation.constraint.name, violation.times, violation.cost
    yield Line(f"  violated: {name}  {f'{times} times ' if times > 1 else ''}cost {_number(cost)}")
    yield Members({"constraint": name, "times": times, "cost": round(cost, 6)})


def _shown(arc: LabelArc, tokens: Sequence[str]) -> str:
    words = on_one_line(" ".join(tokens[arc.start : arc.end]))
    if not words:
        return arc.label
    if arc.label == OUTSIDE:
        return words
    return f"{words}/{arc.label}" if arc.end == arc.start + 1 else f"[{arc.label} {words}]"


def column_lines(decoded: Decoded, daughters: Daughters, scheme: Scheme) -> Iterator[str]:
    """Yield a line with token and label for each token; if a label has several tokens, they get labels of `scheme`."""
    tokens, arcs = decoded.sequence.lattice.tokens, decoded.solution.arcs
    if daughters == "runs" or any(arc.end > arc.start + 1 for arc in arcs):
        units = segments(arcs, "runs") if daughters == "runs" else arcs
        labels = scheme.labels([arc[:3] for arc in units if arc.label != OUTSIDE], arcs[-1].end if arcs else 0)
    else:
        labels = [arc.label for arc in arcs]
    for at, label in enumerate(labels):
        yield f"{on_one_line(tokens[at]) if tokens else at}\t{label}"
    yield ""


def att_lines(decoded: Decoded) -> Iterator[str]:
    """Yield the best labelling as an automaton, in the text format of AT&T and OpenFst; a weight is a score negated."""
    for state, arc in enumerate(decoded.solution.arcs):
        yield f"{state}\t{state + 1}\t{arc.label}\t{_number(-arc.score)}"
    yield f"{len(decoded.solution.arcs)}"
    yield ""


def tally_lines(tally: Tally) -> Iterator[str]:
    """Yield the counts over all sequences, arranged as in the tables of Tromble & Eisner 2006."""
    number = tally.sequences
    if not number:
        return
    steps, branches = tally.intersections / number, tally.branches / number
    yield f"{counted(number, 'sequence')}; {steps:.3f} intersections and {branches:.3f} branches per sequence"
    if tally.tokens:
        local, decoded = (f"{100 * right / tally.tokens:.2f} %" for right in tally.right)
        yield f"right labels: {local} without constraints, {decoded} with them"
    yield ""
    names = [name for name, _ in by_frequency(tally.local + tally.gold + tally.final)]
    gold = [f"of {tally.with_gold} right ones", "share"] if tally.with_gold else []
    rows = [["violated by", "best without constraints", "share", "solutions", "share", *gold]]
    for name in names:
        row = [name, *_share(tally.local[name], number), *_share(tally.final[name], number)]
        rows.append([*row, *(_share(tally.gold[name], tally.with_gold) if gold else ())])
    if names:
        yield from aligned(rows)
        yield ""
    rows, before = [["violations", "sequences", "share", "cumulative"]], 0
    for violations, times in sorted(tally.violations.items()):
        before += times
        rows.append([str(violations), *_share(times, number), f"{before / number:.3f}"])
    yield from aligned(rows)
    yield ""
    rows = [["products", "sequences", "mean number of arcs: in the lattice, then searched in each product"]]
    for steps, times, sizes in tally.mean_sizes():
        rows.append([str(steps), str(times), " ".join(f"{size:.0f}" for size in sizes)])
    yield from aligned(rows)


def _share(times: int, of: int) -> tuple[str, str]:
    return str(times), f"{times / of:.3f}" if of else "-"


def _number(value: float) -> str:
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


Sequences = Iterable[LabelSequence | DataError]
"""The sequences of a file; a DataError replaces one that cannot be read."""
SCHEME_OF_CHUNKS: Final = "--scheme is for labels of chunks\n  add --daughters chunks, or leave it out"


def decode_file(
    grammar: Grammar, path: str, form: str, stats: bool, settings: DecodeSettings, closing: str, console: Console
) -> BatchRun[Any, Decoded]:
    """Label the sequences of the file at `path`, print them in the format `form`, and `closing` after the last.

    With `stats`, print a tally, too. Raises UsageError for settings that do not go together.
    """
    writes_columns = form == "columns"
    if settings.scheme is not None and settings.daughters != "chunks" and not writes_columns:
        raise UsageError(SCHEME_OF_CHUNKS)
    hash_lines = HashLines()
    sequences = sequences_of(path, settings.form, hash_lines)
    scheme, sequences = scheme_for(settings, sequences, console.say)
    constraints = constraints_for(grammar, settings, scheme)
    tally, labels = Tally(), set[str]()
    run = decode_sequences(sequences, constraints, settings, stats)
    for record in run:
        if isinstance(record, Failure):
            console.complain(record.as_error())
            continue
        labels.update(record.value.sequence.lattice.labels)
        if record.value.comparison is not None:
            tally.add(record.value.sequence, record.value.solution, record.value.comparison)
        for line in _lines(record.value, form, settings.scheme, constraints.daughters):
            console.write(f"{line}\n")
    if not run.is_interrupted:
        console.write(closing)
    if labels:
        tell_unseen(constraints, labels, console)
    for line in hash_lines.notes(hint=""):
        console.say(line)
    for line in tally_lines(tally):
        console.tell(line)
    if not run.failures and not run.successes:
        console.tell("numbat: nothing to label: no sequence was given")
    return run


def _lines(decoded: Decoded, form: str, scheme: str | None, daughters: Daughters) -> Iterator[str]:
    match form:
        case "jsonl":
            yield Answer(decoded_report(decoded, daughters)).json(None)
        case "columns":
            yield from column_lines(decoded, daughters, SCHEMES[scheme or "iob2"])
        case "att":
            yield from att_lines(decoded)
        case _:
            yield from decoded_report(decoded, daughters).lines()


def tell_unseen(
    constraints: Constraints,
    labels: Iterable[str],
    console: Console,
    which: str = "which is not a label of any lattice",
) -> None:
    """Warn of categories that the constraints mention but that are none of the labels, which is usually a mistake."""
    for name, near in unseen_labels(constraints, labels):
        hint = f'did you mean "{near}"?' if near else "properties about it have no effect here"
        console.say(f'numbat: {constraints.construction} mentions "{name}", {which}\n  {hint}')


def learn_penalties_of(
    grammar: Grammar,
    path: str,
    rounds: int,
    rewards: bool,
    seed: int,
    settings: DecodeSettings,
    write_grammar: str | None,
    console: Console,
) -> str:
    """Learn costs of violations from labelled sequences and return them as a table.

    If `write_grammar` names a file, the grammar is also written there with these costs.
    """
    if settings.scheme is not None and settings.daughters != "chunks":
        raise UsageError(SCHEME_OF_CHUNKS)
    hash_lines = HashLines()
    sequences = sequences_of(path, settings.form, hash_lines)
    scheme, sequences = scheme_for(settings, sequences, console.say)
    constraints = constraints_for(grammar, settings, scheme)
    learned = learn_penalties(sequences, constraints, rounds, seed, rewards, console.say)
    for line in hash_lines.notes(hint=""):
        console.say(line)
    if write_grammar:
        priced = with_penalties(grammar, constraints.construction, learned)
        write(write_grammar, format_grammar(priced))
    return table_text(learned)


def constraints_of_tagger(
    tagger: Tagger, settings: DecodeSettings, inference: str, grammar: Grammar | None, console: Console
) -> tuple[Scheme | None, Constraints | None]:
    """Return what a tagger's labels must follow: a named scheme without a grammar, or constraints with one, or neither.

    Raises UsageError for settings that do not go together.
    """
    named = settings.scheme
    if grammar is None and settings != DecodeSettings(scheme=named):
        raise UsageError("the options about constraints need a grammar that has them\n  name it: -g roles.pg")
    if inference != "csi" and (grammar or named):
        given = "-g" if grammar else "--scheme"
        raise UsageError(
            f"--inference {inference} and {given} exclude each other\n  constraints go with --inference csi"
        )
    if grammar is None:
        return (None if named is None else scheme_of_model(tagger, named)), None
    if settings.daughters != "chunks":
        if named is not None:
            raise UsageError(SCHEME_OF_CHUNKS)
        return None, constraints_for(grammar, settings)
    scheme = scheme_of_model(tagger, named)
    if scheme is None:
        raise UsageError("--daughters chunks, but the labels of the model are not those of chunks\n  leave it out")
    if named is None and tagger.scheme is None:
        console.say(f"numbat: {told_of(scheme)}")
    return None, constraints_for(grammar, settings, scheme)


ATT_SUFFIXES: Final = (".att", ".fst", ".fsa")
"""Suffixes of files with automata in the text format of AT&T and OpenFst."""


def constraints_for(grammar: Grammar, options: DecodeSettings, scheme: Scheme | None = None) -> Constraints:
    """Return the constraints for these options, with costs from their table of penalties, if there is one.

    `scheme` is the scheme of the labels if daughters are chunks. Raises UsageError and DataError.
    """
    costs = read_table(lines_of(options.penalties), shown(options.penalties)) if options.penalties else {}
    daughters = options.daughters if options.daughters != "chunks" else scheme or SCHEMES["iob2"]
    constraints = Constraints(grammar, options.construction, daughters, options.counting, costs)
    check_names(costs, constraints, options.penalties or "")
    return constraints


def scheme_for(options: DecodeSettings, sequences: Sequences, say: Told) -> tuple[Scheme | None, Sequences]:
    """Return the scheme of the labels, None unless daughters are chunks, and the sequences.

    If no scheme is named, all sequences are read to find one, and `say` receives a note about it.
    """
    if options.daughters != "chunks":
        return None, sequences
    if options.scheme is None:
        known = list(sequences)
        readable = [sequence for sequence in known if isinstance(sequence, LabelSequence)]
        if not readable:
            return None, known
        scheme = scheme_of_sequences(readable)
        say(f"numbat: {told_of(scheme)}")
        return scheme, known
    rest = iter(sequences)
    known = list(islice(rest, 1))
    labels = known[0].lattice.labels if known and isinstance(known[0], LabelSequence) else ()
    return scheme_named(options.scheme, labels), chain(known, rest)


def sequences_of(path: str, form: str | None, hash_lines: HashLines | None = None) -> Sequences:
    """Yield the sequences of a file; an error replaces one that cannot be read.

    The format is `form`, or for None that of the file's name. `hash_lines` collects the lines skipped as comments.
    """
    if form == "att" or (form is None and path.endswith(ATT_SUFFIXES)):
        yield from read_att(texts_or_problems(path), shown(path))
        return
    for line in lines_as_they_come(path, hash_lines):
        if isinstance(line, DataError):
            yield line
            continue
        try:
            yield read_sequence(line.text, line.id)
        except DataError as error:
            yield error


def decode_sequences(
    sequences: Sequences, constraints: Constraints, options: DecodeSettings, compares: bool
) -> BatchRun[LabelSequence, Decoded]:
    """Return a run that decodes the sequences when it is iterated; `compares` as in `DecodeJob`."""
    return BatchRun(DecodeJob(constraints, options.soft, options.max_items, compares), sequences)


def unseen_labels(constraints: Constraints, labels: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs: a category that the construction mentions but that is no label, and a similar label, or ""."""
    seen = {kind_of(category_of(label, constraints.daughters))[0] for label in labels}
    return [(name, nearest(name, seen)) for name in sorted(constraints.named_labels() - seen)]


def learn_penalties(
    sequences: Sequences, constraints: Constraints, rounds: int, seed: int, rewards: bool, say: Told
) -> list[Penalty]:
    """Learn costs: by log odds if `rounds` is 0, else by a perceptron. Raises DataError for unreadable sequences."""
    known = whole(sequences)
    if not rounds:
        return log_odds(known, constraints)
    return perceptron(known, constraints, rounds, seed, rewards=rewards, on_progress=say)


def with_penalties(grammar: Grammar, construction: str, penalties: Iterable[Penalty]) -> Grammar:
    """Return the grammar with these costs for the properties of the construction."""
    costs = {penalty.name: round(max(0.0, penalty.cost) * UNIT) for penalty in penalties}

    def priced(form: Construction) -> Construction:
        if form.name != construction:
            return form
        properties = [
            replace(prop, cost_units=cost, hard=False, stated=replace(prop.stated, cost=cost, hard=False))
            if (cost := costs.get(format_named(prop))) is not None
            else prop
            for prop in form.properties
        ]
        return replace(form, properties=tuple(properties))

    return replace(grammar, constructions=tuple(map(priced, grammar.constructions)))
