"""What `numbat parse` does with --structure: dependencies of tagged sentences, by a model learned from tags."""

from __future__ import annotations

import sys

from numbat.cli.parse_options import ParseOptions
from numbat.cli.printing import complain, end, is_terminal, say, write_or_print, write_out
from numbat.cli.progress import Progress
from numbat.cli.verbs import is_given
from numbat.errors import data_error


def parse_by_structure(asked: ParseOptions, model_file: str) -> None:
    """Parse what is asked for by the model of a file."""
    from numbat.commands.learn import tagged_arguments, tagged_for, words_of
    from numbat.parsing.dependency_model.model import read_model
    from numbat.report.parse_formats import FORMATS
    from numbat.report.structure import told_of
    from numbat.runs.jobs import StructureTally, parse_structure

    model = read_model(model_file)
    path = "-" if asked.sentences == ("-",) else asked.path
    if path is None:
        found = tagged_arguments(model, asked.sentences)
    else:
        found = tagged_for(model, path, asked.reading.source or "text")
    for problem in found.problems:
        complain(data_error(problem))
    longest = asked.reading.max_length
    sentences = [each for each in found.sentences if longest is None or words_of(each) <= longest]
    if len(sentences) < len(found.sentences):
        say(f"numbat: {len(found.sentences) - len(sentences):,} left out that are longer than --max-length")
    write = FORMATS[asked.form if is_given("form") else "conllu"].dependencies
    assert write is not None, "the options are checked before"
    tally = StructureTally()
    quiet = asked.run.quiet or (asked.output is None and is_terminal(sys.stdout))
    with Progress(quiet=quiet, total=len(sentences)) as progress:
        pieces = (write(each) for each in parse_structure(model, sentences, tally, progress.advance))
        if asked.output is None:
            for piece in pieces:
                write_out(piece, end="")
        else:
            write_or_print(asked.output, "".join(pieces))
    for line in told_of(tally):
        say(f"numbat: {line}")
    end(len(found.problems) + len(tally.too_long), tally.parsed)
