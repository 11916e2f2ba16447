"""Verbs on sequences: tag train, tag run, tag score, decode, learn penalties."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import (
    GRAMMAR,
    INPUT,
    LEARNING,
    NAMED_GRAMMAR_OPTION,
    OUTPUT,
    RUN_OPTIONS,
    SEARCH,
    SEPARATOR_OPTION,
    SPREADSHEETS_OPTION,
    as_table,
    format_option,
    grammar_of,
    option,
    seed_option,
    source_option,
    takes,
    verb,
    with_options,
)
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    Finite,
    Input,
    Output,
    Progress,
    Text,
    complain_of_one,
    end,
    end_run,
    record_of,
    say,
    tell,
    write,
    write_out,
)
from numbat.errors import DataError, UsageError, counted
from numbat.labels.settings import DecodeSettings, TrainSettings
from numbat.records import frozen
from numbat.runs.settings import RunSettings
from numbat.words.chunk_labels import SCHEMES

if TYPE_CHECKING:
    from numbat.labels.constraints import Constraints, Daughters
    from numbat.labels.labelling import Decoded
    from numbat.labels.tagger import Tagger
    from numbat.words.chunk_labels import Scheme


# decode, learn penalties


def _daughters(context: click.Context, param: click.Parameter, value: str) -> str:
    """Take the former name of chunks, which was that of one scheme."""
    if value == "bio":
        say("numbat: --daughters bio is now --daughters chunks\n  the next version drops the old name")
    return "chunks" if value == "bio" else value


SCHEME_OPTION = option(
    INPUT,
    "--scheme",
    type=click.Choice(list(SCHEMES)),
    metavar="NAME",
    help=f"What labels of chunks mean: {', '.join(SCHEMES)} (default: by the labels).",
)
SEQUENCES = click.argument("path", metavar="LATTICES", type=Text())
FORM = source_option(("jsonl", "att"), "the file (default: by its name)", default=None, field="form")
CONSTRUCTION = option(
    GRAMMAR, "--construction", metavar="NAME", help="The construction whose properties are the constraints."
)
DAUGHTERS = option(
    GRAMMAR,
    "--daughters",
    default="labels",
    type=click.Choice(["labels", "runs", "chunks", "bio"]),
    callback=_daughters,
    metavar="WHAT",
    help="What one daughter is: each of the labels, of the runs of equal labels, or of the chunks.",
)
COUNTING = option(
    GRAMMAR,
    "--counting",
    metavar="WHAT",
    formerly={"--count": None},
    default="once",
    type=click.Choice(["once", "instance"]),
    help="What costs: a property that is violated at all (once), or each violated instance (slower).",
    advanced=True,
)
PENALTIES = option(GRAMMAR, "--penalties", type=Input(), help="A table of costs, as numbat learn penalties writes it.")
SOFT = option(
    GRAMMAR,
    "--soft/--hard",
    default=None,
    help="Every violation has its cost, or none is allowed (default: as the grammar says).",
)
MAX_ITEMS = option(
    SEARCH,
    "--max-items",
    default=DecodeSettings().max_items,
    type=click.IntRange(min=1, max=2_000_000_000),
    help="Give a sequence up after so many items.",
    advanced=True,
)
CONSTRAINT_OPTIONS: Final = (NAMED_GRAMMAR_OPTION, CONSTRUCTION, DAUGHTERS, SCHEME_OPTION, COUNTING)


@frozen
class DecodeOptions:
    """Options of `numbat decode`."""

    path: str
    grammar: str
    form_out: str
    stats: bool
    settings: DecodeSettings


@verb(
    "decode", "numbat decode -g roles.pg roles.jsonl", "numbat decode -g roles.pg --soft -f columns --stats roles.jsonl"
)
@SEQUENCES
@with_options(CONSTRAINT_OPTIONS)
@SOFT
@PENALTIES
@FORM
@format_option("text", "jsonl", "columns", "att", field="form_out")
@option(OUTPUT, "--stats", is_flag=True, help="Print on standard error what was violated, and what decoding took.")
@MAX_ITEMS
@takes(DecodeOptions)
def decode(options: DecodeOptions) -> None:
    """Label the sequences of LATTICES: find the best labels under the properties of a construction, whose daughters
    they are. The output says for each sequence what was enforced, and what is violated at what cost.
    """
    from numbat.labels.penalties import Tally
    from numbat.labels.report import tally_lines
    from numbat.labels.verbs import constraints_for, decode_sequences, scheme_for, sequences_of
    from numbat.parses.formats import run_record_line
    from numbat.runs.loop import Failure
    from numbat.runs.sentences import HashLines

    writes_columns = options.form_out == "columns"
    if options.settings.scheme is not None and options.settings.daughters != "chunks" and not writes_columns:
        raise UsageError("--scheme says what labels of chunks mean\n  add --daughters chunks, or leave it out")
    grammar, hash_lines = grammar_of(options.grammar), HashLines()
    sequences = sequences_of(options.path, options.settings.form, hash_lines)
    scheme, sequences = scheme_for(options.settings, sequences, say)
    constraints = constraints_for(grammar, options.settings, scheme)
    tally, labels = Tally(), set[str]()
    run = decode_sequences(sequences, constraints, options.settings, options.stats)
    for record in run:
        if isinstance(record, Failure):
            complain_of_one(record.as_error())
            continue
        labels.update(record.value.sequence.lattice.labels)
        if record.value.comparison is not None:
            tally.add(record.value.sequence, record.value.solution, record.value.comparison)
        for line in _lines(record.value, options, constraints.daughters):
            write_out(line)
    if options.form_out == "jsonl" and not run.is_interrupted:
        write_out(run_record_line(record_of({GRAMMAR_GIVEN: grammar})), end="")
    if labels:
        tell_unseen(constraints, labels)
    for line in hash_lines.notes(hint=""):
        say(line)
    for line in tally_lines(tally):
        tell(line)
    if not run.failures and not run.successes:
        tell("numbat: nothing to label: no sequence was given")
    end_run(run, run.failures, run.successes)


def _lines(decoded: Decoded, options: DecodeOptions, daughters: Daughters) -> Iterator[str]:
    from numbat.labels.report import att_lines, column_lines, decoded_report
    from numbat.reports.answers import Answer
    from numbat.words.chunk_labels import SCHEMES

    match options.form_out:
        case "jsonl":
            yield Answer(decoded_report(decoded, daughters)).json(None)
        case "columns":
            yield from column_lines(decoded, daughters, SCHEMES[options.settings.scheme or "iob2"])
        case "att":
            yield from att_lines(decoded)
        case _:
            yield from decoded_report(decoded, daughters).lines()


def tell_unseen(
    constraints: Constraints, labels: Iterable[str], which: str = "which no lattice has as a label"
) -> None:
    """A name that is no label is mostly a mistake: its properties then say nothing, and nobody would notice."""
    from numbat.labels.verbs import unseen_labels

    for name, near in unseen_labels(constraints, labels):
        hint = f'did you mean "{near}"?' if near else "properties about it say nothing here"
        say(f'numbat: {constraints.construction} names "{name}", {which}\n  {hint}')


@frozen
class PenaltyOptions:
    """Options of `numbat learn penalties`."""

    path: str
    grammar: str
    rounds: int
    rewards: bool
    output: str | None
    for_spreadsheets: bool
    write_grammar: str | None
    seed: int
    settings: DecodeSettings


@verb(
    "learn penalties",
    "numbat learn penalties -g roles.pg roles.jsonl",
    "numbat learn penalties -g roles.pg --epochs 5 roles.jsonl -o costs.tsv --write-grammar priced.pg",
)
@SEQUENCES
@with_options(CONSTRAINT_OPTIONS)
@FORM
@option(
    LEARNING,
    "--epochs",
    "rounds",
    formerly={"--rounds": None},
    default=0,
    type=click.IntRange(min=0),
    help="Passes of a perceptron that begins with the log odds of violation; 0: the log odds.",
)
@option(LEARNING, "--rewards", is_flag=True, help="With --epochs: costs may fall below 0.", advanced=True)
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the table of costs (default: standard output).")
@SPREADSHEETS_OPTION
@option(OUTPUT, "--write-grammar", type=Output(), help="Write the grammar with the learned costs to this file.")
@seed_option("the order of sequences")
@takes(PenaltyOptions)
def penalties(options: PenaltyOptions) -> None:
    """Learn what violated constraints cost from the right labels of LATTICES ("gold"): smoothed log odds of violation,
    or a perceptron."""
    from numbat.grammar.printing import format_grammar
    from numbat.labels.penalties import table_text
    from numbat.labels.verbs import constraints_for, learn_penalties, scheme_for, sequences_of, with_penalties
    from numbat.runs.sentences import HashLines

    if options.settings.scheme is not None and options.settings.daughters != "chunks":
        raise UsageError("--scheme says what labels of chunks mean\n  add --daughters chunks, or leave it out")
    grammar, hash_lines = grammar_of(options.grammar), HashLines()
    sequences = sequences_of(options.path, options.settings.form, hash_lines)
    scheme, sequences = scheme_for(options.settings, sequences, say)
    constraints = constraints_for(grammar, options.settings, scheme)
    learned = learn_penalties(sequences, constraints, options.rounds, options.seed, options.rewards, say)
    for line in hash_lines.notes(hint=""):
        say(line)
    if options.write_grammar:
        priced = with_penalties(grammar, constraints.construction, learned)
        write(options.write_grammar, format_grammar(priced))
    if options.output:
        write(options.output, as_table(table_text(learned), options.for_spreadsheets))
    elif not options.write_grammar:
        write_out(as_table(table_text(learned), options.for_spreadsheets), end="")


FROM = source_option(("columns", "conllu", "text", "pronunciations"), "the file (default: by its name)", default=None)
FIELD = option(
    INPUT,
    "--label",
    "field",
    default="upos",
    metavar="FIELD",
    help="Field of CoNLL-U that is the label, as upos or xpos.",
)
MODEL = click.argument("model", metavar="MODEL", type=Input("tagger"))


@frozen
class TrainOptions:
    """Options of `numbat tag train`."""

    path: str
    output: str
    source: str | None
    settings: TrainSettings


@verb(
    "tag train",
    "numbat tag train tagged.conllu -o pos.model",
    "numbat tag train --learner memory -k 3 tagged.txt -o pos.model",
    "numbat tag train --from pronunciations said.tsv -o sounds.model",
)
@click.argument("path", metavar="FILE", type=Text())
@option(OUTPUT, "-o", "--output", required=True, type=Output(), help="The model file.")
@FROM
@FIELD
@SEPARATOR_OPTION
@option(
    LEARNING,
    "--learner",
    default="perceptron",
    type=click.Choice(["perceptron", "memory"]),
    metavar="NAME",
    help="perceptron or memory (nearest neighbours).",
)
@option(
    INPUT,
    "--unit",
    type=click.Choice(["words", "letters"]),
    metavar="UNIT",
    help="What a token is: words or letters (default: by the tokens).",
)
@SCHEME_OPTION
@option(LEARNING, "--epochs", type=click.IntRange(min=1), help="Perceptron: passes over the sentences.")
@option(
    LEARNING, "--margin", type=Finite(min=0), advanced=True, help="Perceptron: by how much the right class is to win."
)
@option(
    LEARNING,
    "--min-count",
    "least",
    formerly={"--least": None},
    type=click.IntRange(min=1),
    help="Leave out features and values that are seen less often.",
)
@option(LEARNING, "--seed", type=click.IntRange(min=0), help="Perceptron: random seed of the order of tokens.")
@option(LEARNING, "-k", "k", type=click.IntRange(min=1), help="Memory: number of nearest distances.")
@option(
    LEARNING,
    "--search-in",
    "search",
    metavar="NAME",
    type=click.Choice(["exact", "igtree", "tribl2"]),
    help="Memory: exact, igtree or tribl2.",
    advanced=True,
)
@option(
    LEARNING,
    "--metric",
    metavar="NAME",
    type=click.Choice(["overlap", "mvdm"]),
    help="Memory: distance of values, overlap or mvdm.",
    advanced=True,
)
@option(
    LEARNING,
    "--weighting",
    metavar="NAME",
    type=click.Choice(["gr", "ig", "x2", "none"]),
    help="Memory: weights of features, gr, ig, x2 or none.",
    advanced=True,
)
@option(
    LEARNING,
    "--voting",
    metavar="NAME",
    type=click.Choice(["majority", "id", "il", "ed"]),
    help="Memory: votes by distance, majority, id, il or ed.",
    advanced=True,
)
@option(LEARNING, "--decay", type=Finite(min=0), help="Memory: how fast votes decay with --voting ed.", advanced=True)
@option(
    LEARNING,
    "--budget",
    default=0,
    show_default=False,
    type=click.IntRange(min=0),
    help="Choose the other settings in so many trial trainings.",
)
@takes(TrainOptions)
def train(options: TrainOptions) -> None:
    """Train a tagger on the labelled sentences of FILE and write it to a model file."""
    from numbat.labels.verbs import train_tagger

    tagger = train_tagger(options.path, options.source, options.settings, say)
    size = tagger.save(options.output)
    sentence, token = ("sentence", "token") if tagger.letter_counts is None else ("pronunciation", "letter")
    sizes = {sentence: tagger.sentences, token: tagger.tokens, "label": len(tagger.labels), "byte": size}
    write_out(f"{options.output}: {', '.join(counted(number, what) for what, number in sizes.items())}")


@frozen
class LabelOptions:
    """Options of `numbat tag run`."""

    model: str
    path: str
    source: str | None
    field: str
    inference: str
    grammar: str | None
    constraints: DecodeSettings
    run: RunSettings


@verb(
    "tag run",
    "numbat tag run --from text pos.model plain.txt",
    "echo 'the cat sleeps' | numbat tag run --from text penn",
    "numbat tag run --inference vote --from text penn plain.txt",
)
@MODEL
@click.argument("path", metavar="[FILE]", default="-", type=Text())
@FROM
@FIELD
@option(
    SEARCH,
    "--inference",
    default="csi",
    type=click.Choice(["unigram", "vote", "csi"]),
    metavar="NAME",
    help="unigram, vote or csi (constraint satisfaction).",
)
@option(
    GRAMMAR,
    "-g",
    "--grammar",
    type=Input("grammar"),
    help="Label under the properties of a construction of this grammar.",
)
@with_options((CONSTRUCTION, DAUGHTERS, SCHEME_OPTION, SOFT, PENALTIES))
@with_options(RUN_OPTIONS)
@takes(LabelOptions)
def run(options: LabelOptions) -> None:
    """Label the sentences of FILE, or of the standard input, with a MODEL."""
    from numbat.labels.tagger import Tagger
    from numbat.labels.verbs import BATCH, MANY_BATCHES, LabelJob, label_file
    from numbat.runs.executors import executor_of

    lost: list[DataError] = []
    progress = Progress(f"batches of {BATCH} sentences", quiet=sys.stdout.isatty())

    def lose(error: DataError) -> None:
        progress.complain(error)
        lost.append(error)

    tagger = Tagger.load(options.model)
    scheme, constraints = _constraints(options, tagger)
    job = LabelJob(tagger, options.inference, constraints, options.constraints.soft, scheme)
    if constraints is not None:
        tell_unseen(constraints, job.tagger.labels, "which is no label of the model")
    executor = progress.over(executor_of(options.run, many=MANY_BATCHES))
    for piece in label_file(job, options.path, options.source, options.field, executor, lose):
        write_out(piece, end="")
    if lost:
        tell(f"numbat: {counted(len(lost), 'sentence')} lost: with _ in the place of each label")
    end(len(lost), 1)


def _constraints(options: LabelOptions, tagger: Tagger) -> tuple[Scheme | None, Constraints | None]:
    """Return the scheme that labels are to keep to where one is named, and the constraints on them.

    Raises UsageError for what goes only with a grammar, or not with it.
    """
    from numbat.labels.verbs import constraints_for, scheme_of_model, told_of

    named = options.constraints.scheme
    if options.grammar is None and options.constraints != DecodeSettings(scheme=named):
        raise UsageError("constraints are the properties of a grammar\n  name it: -g roles.pg")
    if options.inference != "csi" and (options.grammar or named):
        given = "-g" if options.grammar else "--scheme"
        raise UsageError(f"--inference {options.inference} and {given}\n  constraints go with --inference csi")
    if options.grammar is None:
        return (None if named is None else scheme_of_model(tagger, named)), None
    if options.constraints.daughters != "chunks":
        if named is not None:
            raise UsageError("--scheme says what labels of chunks mean\n  add --daughters chunks, or leave it out")
        return None, constraints_for(grammar_of(options.grammar), options.constraints)
    scheme = scheme_of_model(tagger, named)
    if scheme is None:
        raise UsageError("--daughters chunks, and the labels of the model are not those of chunks\n  leave it out")
    if named is None and tagger.scheme is None:
        say(f"numbat: {told_of(scheme)}")
    return None, constraints_for(grammar_of(options.grammar), options.constraints, scheme)


@frozen
class TagScoreOptions:
    """Options of `numbat tag score`."""

    model: str
    path: str
    source: str | None
    field: str
    separator: str
    unseen: str
    scheme: str | None
    whole_chunks: bool
    for_spreadsheets: bool


@verb(
    "tag score",
    "numbat tag score pos.model tagged.conllu",
    "numbat tag score --label upos --unseen count pos.model tagged.conllu",
)
@MODEL
@click.argument("path", metavar="FILE", type=Text())
@FROM
@FIELD
@SEPARATOR_OPTION
@option(
    INPUT,
    "--unseen",
    default="error",
    type=click.Choice(["error", "count"]),
    metavar="WHAT",
    help="Labels that were not seen in training: error, or count them as mistakes.",
    advanced=True,
)
@SCHEME_OPTION
@option(
    INPUT,
    "--whole-chunks",
    is_flag=True,
    formerly={"--strict": None},
    help="Count only chunks that begin, go on and end as the scheme says, as seqeval does.",
)
@SPREADSHEETS_OPTION
@takes(TagScoreOptions)
def score(options: TagScoreOptions) -> None:
    """Score a MODEL on the labelled sentences of FILE, with each method of inference and the oracle."""
    from numbat.labels.report import pronunciation_lines, tagger_lines
    from numbat.labels.tagger import Tagger
    from numbat.labels.verbs import PRONUNCIATIONS, score_pronunciations, score_tagger, told_of

    tagger = Tagger.load(options.model)
    if options.source == PRONUNCIATIONS or (options.source is None and tagger.letter_counts is not None):
        if options.scheme is not None or options.whole_chunks:
            given = "--scheme" if options.scheme is not None else "--whole-chunks"
            raise UsageError(f"{given} and pronunciations\n  sounds are no labels of chunks: leave {given} out")
        spoken = score_pronunciations(tagger, options.path, options.unseen == "error")
        for note in spoken.notes():
            say(f"numbat: {note}")
        lines = pronunciation_lines(spoken.by_inference)
    else:
        only_known = options.unseen == "error"
        scores = score_tagger(
            tagger,
            options.path,
            options.source,
            options.field,
            only_known,
            options.scheme,
            options.whole_chunks,
            options.separator,
        )
        if scores.scheme is not None and options.scheme is None and tagger.scheme is None:
            say(f"numbat: {told_of(scores.scheme)}")
        lines = tagger_lines(scores.by_inference, scores.scheme is not None)
    write_out(as_table("\n".join(lines), options.for_spreadsheets))
