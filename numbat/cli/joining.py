"""The verb `join`."""

from __future__ import annotations

import click

from numbat.cli.options import takes
from numbat.cli.printing import NAMED, Input, Output, end, say, write_out_bytes
from numbat.cli.verbs import OUTPUT, option, verb
from numbat.errors import UnwritableError, counted, first_of
from numbat.files import write_whole
from numbat.records import frozen


@frozen
class JoinOptions:
    """What `numbat join` is asked for."""

    paths: tuple[str, ...]
    output: str | None


@verb(
    "join",
    "numbat join part.1.jsonl part.2.jsonl -o whole.jsonl",
    "numbat join part.*",
)
@click.argument("paths", metavar="OUTPUTS...", nargs=-1, required=True, type=Input())
@option(OUTPUT, "-o", "--output", type=Output(), help="A file; default: standard output.")
@takes(JoinOptions)
def join(asked: JoinOptions) -> None:
    """Join OUTPUTS of numbat parse --shard, all parts of a file, into the output of one run over the whole file. Their
    order does not matter, nor do the manifests FILE.shard among them: part.* names all parts.
    """
    from numbat.commands.parts import parts_of

    parts = parts_of(asked.paths)
    if asked.output is None:
        write_out_bytes(parts.pieces())
    else:
        try:
            write_whole(asked.output, parts.pieces())
        except OSError as error:
            raise UnwritableError(asked.output, error.strerror) from None
    told = f"{counted(len(parts.found), 'part')}, {counted(parts.parsed, 'sentence')}"
    failed = f", {parts.failed:,} could not be read" if parts.failed else ""
    lost = f", {len(parts.lost):,} lost: {first_of(parts.lost, NAMED)}"
    say(f"numbat: {told}{failed}{lost if parts.lost else ''}")
    end(parts.failed + len(parts.lost), parts.parsed)
