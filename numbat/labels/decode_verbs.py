"""Decodes files of sequences, learns penalties from them, and says which constraints a tagger keeps to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from numbat.errors import UsageError
from numbat.files import write
from numbat.grammar.model import Grammar
from numbat.grammar.printing import format_grammar
from numbat.labels.constraints import Constraints, Daughters
from numbat.labels.labelling import Decoded
from numbat.labels.penalties import Tally, table_text
from numbat.labels.report import att_lines, column_lines, decoded_report, tally_lines
from numbat.labels.settings import DecodeSettings
from numbat.labels.tagger import Tagger
from numbat.labels.verbs import (
    constraints_for,
    decode_sequences,
    learn_penalties,
    scheme_for,
    scheme_of_model,
    sequences_of,
    told_of,
    unseen_labels,
    with_penalties,
)  # fmt: skip
from numbat.reports.answers import Answer, Console
from numbat.runs.loop import BatchRun, Failure
from numbat.runs.sentences import HashLines
from numbat.words.chunk_labels import SCHEMES, Scheme

SCHEME_OF_CHUNKS = "--scheme says what labels of chunks mean\n  add --daughters chunks, or leave it out"


def decode_file(
    grammar: Grammar, path: str, form: str, stats: bool, settings: DecodeSettings, closing: str, console: Console
) -> BatchRun[Any, Decoded]:
    """Label the sequences of a file and print them in a form, with a closing where all are done.

    Raises UsageError for settings that do not go together.
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
    which: str = "which no lattice has as a label",
) -> None:
    """Say which names of constraints are no labels: mostly a mistake, which nobody would notice."""
    for name, near in unseen_labels(constraints, labels):
        hint = f'did you mean "{near}"?' if near else "properties about it say nothing here"
        console.say(f'numbat: {constraints.construction} names "{name}", {which}\n  {hint}')


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
    """Return a table of what violations cost, learned from labelled sequences; write the grammar that has the costs."""
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
    """Return the scheme that labels are to keep to where one is named, and the constraints on them.

    Raises UsageError for what goes with a grammar alone, or not with it.
    """
    named = settings.scheme
    if grammar is None and settings != DecodeSettings(scheme=named):
        raise UsageError("constraints are the properties of a grammar\n  name it: -g roles.pg")
    if inference != "csi" and (grammar or named):
        given = "-g" if grammar else "--scheme"
        raise UsageError(f"--inference {inference} and {given}\n  constraints go with --inference csi")
    if grammar is None:
        return (None if named is None else scheme_of_model(tagger, named)), None
    if settings.daughters != "chunks":
        if named is not None:
            raise UsageError(SCHEME_OF_CHUNKS)
        return None, constraints_for(grammar, settings)
    scheme = scheme_of_model(tagger, named)
    if scheme is None:
        raise UsageError("--daughters chunks, and the labels of the model are not those of chunks\n  leave it out")
    if named is None and tagger.scheme is None:
        console.say(f"numbat: {told_of(scheme)}")
    return None, constraints_for(grammar, settings, scheme)
