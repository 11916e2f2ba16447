"""Join the outputs of runs over parts of a file into the output of a single run.

A run with `--shard K/N` parses part K of N. Beside its output FILE it writes a manifest, `FILE.shard`, with its
options, the number of its part, counts, and a digest of the output. Outputs are joined only if their manifests agree
and no part is missing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any, Final

from numbat.errors import DataError, UnwritableError, UsageError, first_of
from numbat.files import content_of, unreadable, write_whole
from numbat.parses.formats import FORMATS
from numbat.parses.job import ParseTally
from numbat.records import frozen
from numbat.runs.record import PART, VERSION, difference, digest_of
from numbat.settings import record_of, why_unread

FORMAT: Final = "numbat.shard/2"
BLOCK: Final = 2**20
BESIDE: Final = ".shard"
"""Suffix that the name of a manifest adds to that of the output."""
UNFINISHED: Final = (".part", ".journal")
"""Suffixes of the files that an unfinished run leaves."""


@frozen
class ShardManifest:
    """Description of the output for one part of a file.

    The part has the `number`, from 1, among `of` parts; the run had these `options` and wrote the format `form`.
    `parsed` and `failed` count the sentences that were parsed, and that could not be read; `lost` names those that were
    given up. The output has `length` bytes, and `end` is its text after the last parse.
    """

    options: Mapping[str, str]
    number: int
    of: int
    form: str
    parsed: int
    failed: int
    lost: Sequence[str]
    length: int
    digest: str
    end: str


def part_of(sentences: Callable[[], Iterable[Any]], number: int, of: int) -> tuple[int, Iterator[Any]]:
    """Return part `number`, from 1, of the sentences in `of` equal parts, after the number of those before it.

    Sentences are counted first.
    """
    total = sum(1 for _ in sentences())
    before = total * (number - 1) // of
    return before, islice(sentences(), before, total * number // of)


def asked_of_whole(options: Mapping[str, str], path: str, form: str, width: int) -> dict[str, str]:
    """Return the options, by names for messages, that must be the same in the runs over all parts of a file.

    The name of the file is among them, because identifiers of sentences begin with it, and for trees the width of a
    line.
    """
    whole = {name: value for name, value in options.items() if name != PART}
    whole["the name of the file"] = path
    if form == "tree":
        whole["the width of a line"] = str(width)
    return whole


def write_manifest(
    path: str, options: Mapping[str, str], part: tuple[int, int], form: str, tally: ParseTally, end: str
) -> None:
    """Write the manifest for the output at `path`, which is still in its `.part` file.

    Raises UnwritableError, and MissingFileError if the `.part` file is gone.
    """
    written = f"{path}.part"
    length, digest = os.path.getsize(written), digest_of(written)
    shard = ShardManifest(
        options, *part, form, len(tally.seconds), tally.failed, tuple(tally.lost), length, digest, end
    )
    content = json.dumps({"format": FORMAT, **asdict(shard)}, ensure_ascii=False, indent=1) + "\n"
    try:
        write_whole(path + BESIDE, content.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UnwritableError(path + BESIDE, error.strerror) from None


@frozen
class ShardOutputs:
    """Paths and manifests of the outputs for all parts of a file, in the order of the parts."""

    found: tuple[tuple[str, ShardManifest], ...]

    @property
    def parsed(self) -> int:
        """The number of sentences that were parsed."""
        return sum(manifest.parsed for _, manifest in self.found)

    @property
    def failed(self) -> int:
        """The number of sentences that could not be read."""
        return sum(manifest.failed for _, manifest in self.found)

    @property
    def lost(self) -> list[str]:
        """The names of the sentences that were given up."""
        return [name for _, manifest in self.found for name in manifest.lost]

    def pieces(self) -> Iterator[bytes]:
        """Yield, in blocks, the output that a single run over the whole file would have. Raises MissingFileError."""
        form = FORMATS[self.found[0][1].form]
        before, end = form.before(), ""
        is_empty = True
        for path, manifest in self.found:
            length, end = manifest.length, manifest.end
            if length <= len((before + end).encode()):
                continue
            yield (before if is_empty else form.between).encode()
            is_empty = False
            yield from _blocks(path, len(before.encode()), length - len(end.encode()))
        yield (before + end.lstrip("\n") if is_empty else end).encode()


def parts_of(paths: Iterable[str]) -> ShardOutputs:
    """Return the outputs at `paths` with their manifests; a path may also name the manifest, `FILE.shard`.

    Raises UsageError unless these are all parts of one file, from runs with the same options, and DataError if an
    output was changed after its run.
    """
    outputs = dict.fromkeys(_output_of(path) for path in paths)
    parts = sorted(((path, _manifest_of(path)) for path in outputs), key=lambda part: part[1].number)
    first, manifest = parts[0]
    for path, other in parts[1:]:
        wrong = difference(manifest.options, other.options)
        if wrong is None and manifest.of != other.of:
            wrong = "the number of parts"
        if wrong is not None:
            raise UsageError(f"{path}: {wrong} differs from that of {first}\n  join the parts of one run")
    _check_numbers(parts, manifest.of)
    for path, other in parts:
        if digest_of(path) != other.digest or os.path.getsize(path) != other.length:
            raise DataError(f"{path}: this is not the output that {path}{BESIDE} describes\n  {MADE_ANEW}")
    return ShardOutputs(tuple(parts))


def _output_of(path: str) -> str:
    """Return the path of an output, from its path or that of its manifest. Raises UsageError for an unfinished run."""
    for end in UNFINISHED:
        output = path.removesuffix(end)
        if path.endswith(end) and not os.path.exists(path + BESIDE):
            raise UsageError(f"{path}: the run that writes {output} has not ended\n  continue it with --resume")
    return path.removesuffix(BESIDE)


def _manifest_of(path: str) -> ShardManifest:
    beside = path + BESIDE
    if os.path.exists(f"{path}.journal"):
        raise UsageError(f"{path}: its run has not ended\n  continue it with --resume")
    if os.path.exists(path) and not os.path.exists(beside):
        raise UsageError(
            f"{path}: its manifest {beside} is missing\n  numbat parse --shard K/N writes both; keep them in one folder"
        )
    try:
        values: dict[str, Any] = json.loads(content_of(beside if os.path.exists(beside) else path))
        if values.pop("format") != FORMAT:
            raise ValueError
        manifest = record_of(ShardManifest, values, "it")
    except UsageError as error:
        options = values.get("options")
        why = why_unread(error, options.get(VERSION) if isinstance(options, dict) else None)
        raise DataError(f"{beside}: this is not the manifest of a part of a run: {why}\n  {MADE_ANEW}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError(f"{beside}: this is not the manifest of a part of a run\n  {MADE_ANEW}") from None
    counts = manifest.parsed, manifest.failed, manifest.length
    if not 1 <= manifest.number <= manifest.of <= MAX_PARTS or min(counts) < 0 or manifest.form not in FORMATS:
        raise DataError(f"{beside}: the numbers in this manifest are impossible\n  {MADE_ANEW}")
    return manifest


def _check_numbers(parts: Sequence[tuple[str, ShardManifest]], of: int) -> None:
    paths: dict[int, str] = {}
    for path, manifest in parts:
        other = paths.setdefault(manifest.number, path)
        if other != path:
            raise UsageError(f"{other} and {path} are both part {manifest.number} of {of}\n  leave one of them out")
    missing = [str(number) for number in range(1, of + 1) if number not in paths]
    if missing:
        some = first_of(missing, NAMED)
        which = f"part {some} of {of} is missing" if len(missing) == 1 else f"parts {some} of {of} are missing"
        raise UsageError(f"{which}\n  numbat parse --shard {missing[0]}/{of} makes part {missing[0]}")


NAMED: Final = 10
"""Maximum number of missing parts named in a message."""
MAX_PARTS: Final = 1_000_000
MADE_ANEW: Final = "make the part again: numbat parse --shard K/N"


def _blocks(path: str, begin: int, end: int) -> Iterator[bytes]:
    """Yield in blocks the bytes of a file from `begin` to before `end`. Raises MissingFileError."""
    try:
        with open(path, "rb") as file:
            file.seek(begin)
            while block := file.read(min(BLOCK, end - file.tell())):
                yield block
    except OSError as error:
        raise unreadable(path, error) from None
