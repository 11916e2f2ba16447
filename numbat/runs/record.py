"""The run record: everything that is needed to reproduce a result, or to tell it from another; checks of saved states.

A record has the version of Numbat, the verb (command), digests of grammars, lexicons, models and inputs, all options
that affect the result, and the date. Files are named without folders, so equal runs in two places have equal records
except for the date, which the variable `SOURCE_DATE_EPOCH` can fix. A run that can be resumed keeps its record in its
journal.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from numbat.errors import DataError, UsageError
from numbat.files import shown, unreadable
from numbat.grammar.digest import digest, lexicon_digest
from numbat.grammar.model import Grammar
from numbat.records import frozen
from numbat.settings import record_of, written_by
from numbat.sheets import sheet_of
from numbat.version import __version__

DIGITS: Final = 32
SHOWN_DIGITS: Final = 8
EPOCH: Final = "SOURCE_DATE_EPOCH"
PART: Final = "--shard"
"""Option that selects a part of a file."""
VERSION: Final = "the version of Numbat"
"""Name for the version in messages that compare two runs."""


@frozen
class GrammarDigests:
    """The name of a grammar, the digest of its whole content, and the digest of its lexicon."""

    name: str
    digest: str
    lexicon: str

    @classmethod
    def from_grammar(cls, grammar: Grammar) -> GrammarDigests:
        return cls(grammar.name, digest(grammar), lexicon_digest(grammar))


class FileDigest(NamedTuple):
    """The name of a file and the digest of its content, which is empty for a packaged file."""

    name: str
    digest: str


@frozen
class RunRecord:
    """The record of a run: version, verb, grammars, files, options and date.

    The keys of `grammars` and `files` are the arguments or options that name them. `seed` and `resamples` are None if
    nothing is random.
    """

    verb: str
    grammars: Mapping[str, GrammarDigests] = field(default_factory=dict)
    files: Mapping[str, FileDigest] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    resamples: int | None = None
    version: str = __version__
    date: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the record as a value for `json.dumps`."""
        value = asdict(self)
        value["files"] = {name: file_digest._asdict() for name, file_digest in self.files.items()}
        first = ("version", "verb", "date")
        return {name: value[name] for name in (*first, *(name for name in value if name not in first))}

    @classmethod
    def from_json(cls, value: object, where: str) -> RunRecord:
        """Return the record from a value that `as_json` has made; messages call the value `where`.

        Raises UsageError for other values, and UnknownFieldError for fields that a later version has added.
        """
        record = record_of(cls, value, where)
        if isinstance(value, Mapping) and "version" not in value:
            raise UsageError(f'{where} lacks the field "version"')
        return record

    def of_whole(self) -> RunRecord:
        """Return the record without the part of a file, as for a run over the whole file."""
        return replace(self, options={name: value for name, value in self.options.items() if name != PART})

    def asked(self) -> dict[str, str]:
        """Return everything except the date, by names for messages; it must be the same when a run is resumed."""
        values = {VERSION: self.version, "the verb": self.verb}
        for name, digests in self.grammars.items():
            values["the grammar" if len(self.grammars) == 1 else f"the grammar {name}"] = digests.digest
        values |= {f"what {name} names": known or file for name, (file, known) in self.files.items()}
        values |= {name: repr(value) for name, value in self.options.items()}
        return values if self.seed is None else values | {"--seed": repr(self.seed)}


def difference(options: Mapping[str, str], other: Mapping[str, str]) -> str | None:
    """Return the first key whose values differ between two runs; None if all are equal."""
    names = (*options, *(name for name in other if name not in options))
    return next((name for name in names if options.get(name) != other.get(name)), None)


def run_line(record: RunRecord) -> str:
    """Return the record on one line, with shortened digests and without options."""
    parts = [f"numbat {record.version} {record.verb}".rstrip()]
    for digests in record.grammars.values():
        lexicon = f" (lexicon {digests.lexicon[:SHOWN_DIGITS]})"
        parts.append(f"grammar {digests.name or 'without name'} {digests.digest[:SHOWN_DIGITS]}{lexicon}")
    parts += [f"{name} {known[:SHOWN_DIGITS]}".rstrip() for name, known in record.files.values()]
    if record.seed is not None:
        parts.append(f"seed {record.seed}")
    return "; ".join((*parts, record.date))


def date_of_run() -> str:
    """Return the date and time in UTC: now, or as the variable `SOURCE_DATE_EPOCH` says, in seconds since 1970.

    Raises UsageError if the variable is not a number.
    """
    fixed = os.environ.get(EPOCH)
    if fixed is None:
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        return datetime.fromtimestamp(int(fixed), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        raise UsageError(f'{EPOCH} is "{fixed}"\n  set it to a number of seconds since 1970, or unset it') from None


def name_of(path: str) -> str:
    """Return the name of a file without its folders; `-` is standard input."""
    return os.path.basename(os.path.normpath(path)) if path != "-" else path


def digest_of(path: str) -> str:
    """Return a short digest of the content of a file, or of all files in a folder. Raises MissingFileError."""
    try:
        if os.path.isdir(path):
            whole = hashlib.sha256()
            for file in _files_in(Path(path)):
                whole.update(f"{file.relative_to(path).as_posix()}\0{digest_of(str(file))}\n".encode())
            return whole.hexdigest()[:DIGITS]
        sheet = sheet_of(path)
        with open(path if sheet is None else sheet[0], "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()[:DIGITS]
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def digest_of_text(text: str) -> str:
    """Return the digest of input that is not from a file."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def _files_in(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.is_file())


WRITTEN_BY: Final = "numbat"
"""Key of a state under which is the version of Numbat that began it."""
FIRST_LINE: Final = 1_000_000
"""Maximum number of bytes in the first line of a state."""


About = Mapping[str, Any]
"""JSON values that identify the settings and data of a run."""


def check_known(path: str, about: About, known: Collection[str]) -> None:
    """Raise DataError for a state with keys that this version of Numbat does not know."""
    for name in about:
        if name not in known:
            raise state_of_others(path, f"{name} is unknown here: {written_by(about.get(WRITTEN_BY))}")


def no_state(path: str, why: object) -> DataError:
    """Return the error about a file that is not the state of a learning run; `why` says why not."""
    return DataError(f"{shown(path)}: not a state of learning: {why}\n  leave --resume out to start again")


def state_of_others(path: str, what: str) -> DataError:
    """Return the error about a state that was saved with other settings or data; `what` says which differ."""
    return DataError(
        f"{shown(path)}: the state of another run: {what}\n  repeat its settings, or leave --resume out to start again"
    )
