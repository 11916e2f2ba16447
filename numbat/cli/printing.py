"""What all verbs share: errors on standard error, files written, run records, progress, how a run ends."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from errno import EACCES, EISDIR, ENOENT, ENOTDIR
from functools import partial, wraps
from math import isfinite
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Self, TextIO, TypeVar

import click

from numbat import clock
from numbat.errors import (
    IN_FULL,
    INCOMPLETE,
    DataError,
    NumbatError,
    UnwritableError,
    UsageError,
    comparing,
    counted,
    first_of,
    visible,
)
from numbat.files import read_in, write

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from numbat.acceptability.suite import Suite
    from numbat.grammar.model import Grammar
    from numbat.reports.answers import Answer
    from numbat.runs.loop import BatchRun, Executor, Job, Record
    from numbat.runs.record import RunRecord
    from numbat.treebanks.tree_reader import TreeReader


NO_MATTER: Final = {
    "jobs",
    "kill_after",
    "max_memory",
    "cluster",
    "output",
    "resume",
    "stats",
    "color",
    "must_hold",
    "threshold",
    "accept_only",
}
"""Options that make no difference to an output: a run may go on with others."""
SENTENCES: Final = "sentences"
"""The argument that has the sentences themselves; `-` alone is the standard input."""
GRAMMAR_GIVEN: Final = "--grammar"
"""The option that names the grammar of most verbs."""
INTERRUPTED: Final = 130
"""The exit code after an interrupt."""
NAMED: Final = 5
"""So many lost sentences are named."""
PIPE_CLOSED: Final = 141
"""The exit code where what reads the output has ended."""
ENDS: Final = re.compile(r"(\r?\n|\t)")
"""What of the signs that no terminal shows is left to it."""
ENDS_AND_PAINT: Final = re.compile(r"(\r?\n|\t|\x1b\[(?:0|2|31|33)m)")
"""The same, and how a tree is painted."""
TOLD: Final = 3
"""So many inputs that are wrong in the same way are told of in full."""
WHICH: Final = re.compile(r'"[^"]*"|\d+')
"""What may differ between the reasons of inputs that are wrong in the same way."""
COMPLAINTS: Final = "numbat.complaints"
"""Where the context of a verb keeps what is wrong with its inputs."""
OUTPUTS: Final = "numbat.outputs"
"""Where the context of a verb keeps the files that its options name, with the options."""
TALK: Final = "numbat.talk"
"""Where the context of a verb keeps how much it tells: `quiet` for -q, `verbose` for -v."""
READ: Final = "numbat.read"
"""Where the context of a verb keeps the files that it reads."""
STAGES: Final = "numbat.stages"
"""Where the context of a verb keeps how long each of its stages took, in seconds."""
GRAMMARS: Final = "numbat.grammars"
"""Where the context of a verb keeps the grammars that it reads, by what names them."""


def complain(error: NumbatError) -> None:
    """The message of an error; one with places begins with the first of them, so that it can be clicked."""
    placed = isinstance(error, DataError) and error.problems
    tell(str(error) if placed else f"numbat: {error}")


def complain_of_one(error: NumbatError) -> None:
    """Tell what is wrong with one of many inputs: of those that are wrong in the same way, the first ones; -v all.

    The others are one line with their number, when the verb ends.
    """
    context = click.get_current_context(silent=True)
    place, _, reason = str(error).partition("\n")[0].partition(": ")
    if context is None or not reason or talk() == "verbose":
        complain(error)
        return
    told: dict[str, _Alike] | None = context.meta.get(COMPLAINTS)
    if told is None:
        told = context.meta[COMPLAINTS] = {}
        context.call_on_close(partial(_tell_others, told.values()))
    alike = told.setdefault(WHICH.sub("…", reason), _Alike(place))
    alike.number += 1
    if alike.number <= TOLD:
        complain(error)
    elif len(alike.others) <= NAMED:
        alike.others.append(place)


@dataclass
class _Alike:
    """Inputs that are wrong in the same way: where the first is, how many there are, and some that are not told of."""

    first: str
    number: int = 0
    others: list[str] = field(default_factory=list)


def _tell_others(told: Iterable[_Alike]) -> None:
    for alike in told:
        if alike.others:
            others = counted(alike.number - TOLD, "other")
            tell(f"numbat: {others} as {alike.first}: {first_of(alike.others, NAMED)}")


def say(text: str, end: str = "\n") -> None:
    """A note on standard error, which -q leaves out."""
    if talk() != "quiet":
        tell(text, end)


def tell(text: str, end: str = "\n") -> None:
    """An error, or what was asked for, on standard error; a full disk behind it leaves nobody to tell."""
    _say(_as_shown(text + end, sys.stderr))


def talk() -> str:
    """Return how much the running verb tells: `quiet`, `verbose`, or empty for neither."""
    context = click.get_current_context(silent=True)
    return context.meta.get(TALK, "") if context is not None else ""


def set_talk(context: click.Context, param: click.Parameter, is_given: bool) -> None:
    """Keep that -q or -v is given. Raises UsageError where both are."""
    if is_given and context.meta.setdefault(TALK, param.name) != param.name:
        raise UsageError("-q and -v\n  leave one of them out")


def redraw(line: str) -> None:
    """A line on the terminal behind standard error in the place of the one that was drawn last; empty takes it away."""
    _say(f"\r{visible(line)}\x1b[K")


def write_out(text: str, end: str = "\n", painted: bool = False) -> None:
    """A result on standard output; if `painted` the colours of a tree are left to a terminal."""
    click.echo(_as_shown(text + end, sys.stdout, ENDS_AND_PAINT if painted else ENDS), nl=False, color=True)


def write_in_form(form: str, answer: Answer, **documents: Callable[[], str]) -> None:
    """Print an answer in its form: as text, as JSON, which has the record of the run, or as one of the `documents`,
    which are whole files.
    """
    if form in documents:
        write_out(documents[form](), end="")
    elif form == "json":
        write_out((answer if answer.record is not None else replace(answer, record=own_record())).json())
    else:
        write_out(answer.text())


def own_record() -> RunRecord:
    """Return the record of the running verb, with the grammars that it has read."""
    context = click.get_current_context()
    return record_of(context.meta.get(GRAMMARS, {}), resamples=context.params.get("samples"))


def write_out_bytes(blocks: Iterable[bytes]) -> None:
    """A result on standard output that comes as UTF-8 in blocks, byte for byte where that is no terminal."""
    if is_terminal(sys.stdout):
        for text in codecs.iterdecode(blocks, "utf-8", errors="replace"):
            write_out(text, end="")
        return
    for block in blocks:
        sys.stdout.buffer.write(block)
    sys.stdout.buffer.flush()


def _say(text: str) -> None:
    try:
        click.echo(text, err=True, nl=False, color=True)
    except OSError:
        drop(sys.stderr)


def _as_shown(text: str, stream: TextIO, left: re.Pattern[str] = ENDS) -> str:
    """Return the text as it is, or for a terminal without escape sequences and signs that turn the direction of
    writing.
    """
    if not is_terminal(stream):
        return text
    return "".join(piece if i % 2 else visible(piece) for i, piece in enumerate(left.split(text)))


def write_or_print(path: str | None, text: str) -> None:
    """Write text to a file, or to standard output where none is named. Raises UnwritableError."""
    if path is None:
        write_out(text, end="")
    else:
        write(path, text)


def write_pieces(path: str | None, pieces: Iterable[str], painted: bool = False) -> int:
    """Print pieces of a text as they come, or write a file of them; return their number. Raises UnwritableError."""
    if path is not None:
        written = list(pieces)
        write(path, "".join(written))
        return len(written)
    number = 0
    for piece in pieces:
        write_out(piece, end="", painted=painted)
        number += 1
    return number


def write_and_say(path: str, text: str) -> None:
    """Write a file, and say so on standard error. Raises UnwritableError."""
    write(path, text)
    say(f"numbat: written: {path}")


def width() -> int:
    """Return the width of the terminal in characters, 100 if there is none."""
    from shutil import get_terminal_size  # here, because few starts need it

    return get_terminal_size((100, 24)).columns


def is_terminal(stream: Any) -> bool:
    """True if somebody looks at a stream."""
    return bool(stream.isatty())


WHEN_COLORED: Final = ("auto", "always", "never")
"""The values of `--color`."""


def is_colored(output: str | None, when: str = "auto") -> bool:
    """True if trees that go to a file, None for standard output, are in colour.

    Unless `--color` says it, NO_COLOR and then FORCE_COLOR decide for standard output, then what that is.
    """
    if when != "auto" or output is not None or os.environ.get("NO_COLOR"):
        return when == "always"
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and is_terminal(sys.stdout))


def drop(stream: TextIO) -> None:
    """Drop what is still to be flushed to a standard stream at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def record_of(grammars: Mapping[str, Grammar], suite: Suite | None = None, resamples: int | None = None) -> RunRecord:
    """Return the record of the running verb; `grammars` by the options or arguments that name them, `suite` the one
    that it reads. Raises UsageError for a date that is none, and the errors of files.
    """
    from numbat.runs.record import (
        FileDigest,
        GrammarDigests,
        RunRecord,
        date_of_run,
        digest_of,
        digest_of_text,
        name_of,
    )

    context = click.get_current_context()
    files: dict[str, FileDigest] = {}
    typed = [text for param, text in inputs_of(context) if param.name == SENTENCES and text != "-"]
    if typed:
        files["SENTENCES"] = FileDigest(counted(len(typed), "sentence"), digest_of_text("\n".join(typed)))
    for param, path in inputs_of(context):
        name = name_of_param(param)
        if name in grammars or (typed and param.name == SENTENCES):
            continue
        known = digest_of(path) if os.path.exists(path) else ""
        if path == "-" and suite is not None:
            known = digest_of_text(repr(suite.items))
        key = next(key for key in (name, *(f"{name} {number}" for number in range(2, 1000))) if key not in files)
        files[key] = FileDigest(name_of(path), known)
    told = {param.name for param, _ in inputs_of(context)} | NO_MATTER | {"seed"}
    options = {
        name_of_param(param): context.params.get(param.name or "")
        for param in context.command.params
        if param.name not in told and not isinstance(param.type, Output)
    }
    if encoding := context.params.get(ENCODING):
        options[f"--{ENCODING}"] = encoding
    return RunRecord(
        context.command.name or "",
        {name: GrammarDigests.from_grammar(grammar) for name, grammar in grammars.items()},
        files,
        options,
        context.params.get("seed"),
        resamples,
        date=date_of_run(),
    )


def _completed(incomplete: str, names: Iterable[str] = ()) -> list[CompletionItem]:
    """Return the names that begin so, and a sign for the shell that it completes names of files."""
    from click.shell_completion import CompletionItem

    return [
        *(CompletionItem(name) for name in names if name.startswith(incomplete)),
        CompletionItem(incomplete, type="file"),
    ]


def _packaged(kind: str) -> Iterable[str]:
    """Return the packaged names that may stand for a file of a kind, as `Input` has it."""
    if kind == "grammar":
        from numbat.grammar.loading import packaged

        return packaged()
    if kind == "model":
        from numbat.acceptability.models import MODELS

        return MODELS
    from numbat.files import packaged_files

    suffix = {"tagger": ".model", "expansions": ".exp", "weights": ".weights"}.get(kind)
    return [path.stem for path in packaged_files(suffix)] if suffix else ()


class Input(click.types.StringParamType):
    """A file that a verb reads; `-` is the standard input, where the verb takes that.

    `kind` is what may be packaged and named in its place: `grammar`, `model`, `tagger`, `expansions`, `weights`.
    """

    name = "file"

    def __init__(self, kind: str = "") -> None:
        self._kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the files and the packaged names that begin so."""
        return _completed(incomplete, _packaged(self._kind))


class Text(Input):
    """A file of sentences, trees or labels, whose encoding `--encoding` names."""


ENCODING: Final = "encoding"
"""The field of `--encoding`, which all verbs have that read a `Text`; it is in none of their records."""


class Finite(click.FloatRange):
    """A range of numbers, of which `nan` and `inf` are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


MAX_SECONDS: Final = "seconds_of_all"
"""The field of the `--max-seconds` of verbs that have none of their own; it is in none of their records."""
UNLIMITED: Final = ("completion", "doctor", "lsp", "man", "new", "serve")
"""The verbs without work that ends; each request of a page or an editor has a limit."""


class Output(click.types.StringParamType):
    """A file that a verb will write, or with `folder` a folder; one that cannot be written is told before the work.

    With `or_folder` it is a folder where the name ends with a slash or one is there.

    So is one that two options name: the verb would write one result over the other.
    """

    def __init__(self, folder: bool = False, or_folder: bool = False) -> None:
        self.folder = folder
        self.or_folder = or_folder
        self.name = "directory" if folder else "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the files that begin so."""
        return _completed(incomplete)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Raises UnwritableError, and UsageError for a file that another option of the verb names."""
        path = Path(value)
        try:
            is_folder = self.folder or (self.or_folder and (value.endswith(("/", os.sep)) or path.is_dir()))
            wrong = ENOENT if not value else _file_in_the_way(path) if is_folder else _no_file(path)
        except OSError as error:  # of a folder that may not be looked into, or a name that is too long
            raise UnwritableError(value, error.strerror) from None
        if wrong:
            raise UnwritableError(value, os.strerror(wrong))
        if param is not None and ctx is not None and (os.path.isfile(value) or not os.path.exists(value)):
            _claim(ctx, param.opts[-1], value)
        return value


def keep_inputs(command: click.Command) -> None:
    """Make a verb refuse to write over a file that it reads, and to read the standard input twice, before it begins."""
    verb = command.callback
    assert verb is not None

    @wraps(verb)
    def careful(*arguments: Any, **options: Any) -> Any:
        context = click.get_current_context()
        _check_standard_input(context)
        _check_outputs(context)
        encoding, of_all = options.pop(ENCODING, None), options.pop(MAX_SECONDS, None)
        limit = clock.limited(options.get("max_seconds")) if of_all is None else clock.limited(of_all, is_of_all=True)
        texts = [path for param, path in inputs_of(context) if isinstance(param.type, Text)]
        is_verbose, began = talk() == "verbose", monotonic()
        named = IN_FULL.set(is_verbose)
        try:
            with limit, comparing(), nullcontext() if encoding is None else read_in(encoding, texts):
                return verb(*arguments, **options)
        except BrokenPipeError:  # click would make it an exit code of its own
            drop(sys.stdout)
            sys.exit(PIPE_CLOSED)
        finally:
            IN_FULL.reset(named)
            if is_verbose:
                _tell_of_run(context, monotonic() - began)

    command.callback = careful


def inputs_of(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """Return the files that the running verb is told to read, with the parameters that name them."""
    for param in context.command.params:
        value = context.params.get(param.name or "")
        if isinstance(param.type, Input):
            yield from ((param, path) for path in (value if isinstance(value, tuple) else (value,)) if path)


def _check_standard_input(context: click.Context) -> None:
    """Raises UsageError where more than one input is the standard input: the second would find it empty."""
    named = [name_of_param(param) for param, path in inputs_of(context) if path == "-"]
    if len(named) > 1:
        which = " and ".join(dict.fromkeys(named))
        raise UsageError(
            f'"-" is given {len(named)} times, for {which}\n'
            "  the standard input can be read once: name a file for each other input"
        )


def name_of_param(param: click.Parameter) -> str:
    """Return a parameter as it stands in the help."""
    return param.opts[-1] if isinstance(param, click.Option) else param.human_readable_name.strip("[].")


def _check_outputs(context: click.Context) -> None:
    keep_read(path for _, path in inputs_of(context))


def will_write(option: str, paths: Iterable[str]) -> None:
    """Name the files that an option makes a verb write.

    Raises UsageError for one that the verb reads, or that another option names.
    """
    context = click.get_current_context()
    for path in paths:
        _claim(context, option, path)
    _check_outputs(context)


def _claim(context: click.Context, option: str, path: str) -> None:
    outputs: dict[str, str] = context.meta.setdefault(OUTPUTS, {})
    other = outputs.setdefault(os.path.realpath(path), option)
    if other != option:
        raise UsageError(f"{other} and {option} name the same file: {path}\n  give each a file of its own")


def keep_read(paths: Iterable[str]) -> None:
    """Raises UsageError for a file that is read and that an option of the running verb would write over."""
    context = click.get_current_context()
    outputs: dict[str, str] = context.meta.get(OUTPUTS, {})
    read: dict[str, None] = context.meta.setdefault(READ, {})
    for path in paths:
        read[path] = None
        option = outputs.get(os.path.realpath(path)) if outputs else None
        if option is not None and os.path.isfile(path):
            raise UsageError(f"{path} is read, and {option} would write over it\n  name another place after {option}")


def spend(stage: str, seconds: float) -> None:
    """Count time for a stage of the running verb, of which -v tells."""
    context = click.get_current_context(silent=True)
    if context is not None:
        stages: dict[str, float] = context.meta.setdefault(STAGES, {})
        stages[stage] = stages.get(stage, 0.0) + seconds


def _tell_of_run(context: click.Context, seconds: float) -> None:
    """Tell which files the verb has read, with their digests, and how long its stages took, of so many seconds."""
    from numbat.runs.record import digest_of

    for path in filter(os.path.isfile, context.meta.get(READ, ())):
        tell(f"numbat: read: {path}, {os.path.getsize(path):,} bytes, digest {digest_of(path)}")
    stages = {**context.meta.get(STAGES, {}), "all": seconds}
    tell(f"numbat: time: {', '.join(f'{name} {spent:.2f} s' for name, spent in stages.items())}")


def _no_file(path: Path) -> int:
    """Return the number of the system's error that writing a file would meet, 0 for none that can be foreseen."""
    if path.exists():
        return EISDIR if path.is_dir() else 0 if os.access(path, os.W_OK) else EACCES
    if not path.parent.exists():
        return ENOENT
    if not path.parent.is_dir():
        return ENOTDIR
    return 0 if os.access(path.parent, os.W_OK | os.X_OK) else EACCES


def _file_in_the_way(path: Path) -> int:
    """Return the number of the error that making a folder, with those above it, would meet; 0 for none."""
    there = next(each for each in (path, *path.absolute().parents) if each.exists())
    if not there.is_dir():
        return ENOTDIR
    return 0 if os.access(there, os.W_OK | os.X_OK) else EACCES


def end(bad: int, good: int) -> None:
    """Ends a run of which `bad` sentences or trees could not be read: 75 if others were done, 65 if there are none."""
    if bad:
        sys.exit(INCOMPLETE if good else DataError.exit_code)


def end_trees(reader: TreeReader, good: int | None = None) -> None:
    """Ends a run over trees as `end` does; says what was noticed in many of them, and where there was none."""
    reader.conclude(say, tell)
    end(reader.bad, reader.good if good is None else good)


def end_run(run: BatchRun[Any, Any], bad: int, good: int) -> None:
    """Ends a run as `end` does; one that was interrupted says after how many sentences or trees, and ends with 130."""
    if run.is_interrupted:
        done = f" after {good:,}; what was printed is whole" if good else ""
        tell(f"numbat: interrupted{done}")
        sys.exit(INTERRUPTED)
    end(bad, good)


# Progress: a bar with rate and remaining time on a terminal, else a line now and then

Step = TypeVar("Step", bound=Any)
Value = TypeVar("Value")

FIRST_BAR, NEXT_BAR = 1.0, 0.2
FIRST_LINE, NEXT_LINE = 30.0, 60.0
"""Seconds until something is said, and between one time and the next: of a bar on a terminal, of lines elsewhere."""
WIDTH: Final = 24
"""Of a bar, in characters."""


@dataclass
class Progress:
    """Tells on standard error how far a run is; nothing if `quiet`. `what` is worked on, in the plural.

    On a terminal the bar stays in one line: `clear` takes it away before something else is said there, and so does the
    end of a block `with` it.
    """

    what: str = "sentences"
    quiet: bool = False
    total: int | None = None
    done: int = 0
    _began: float = field(default_factory=monotonic)
    _next: float | None = None
    _is_shown: bool = False

    def __post_init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()
        self.quiet = self.quiet or talk() == "quiet"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.clear()

    def advance(self) -> None:
        """One more is done."""
        self.done += 1
        if self.quiet:
            return
        now = monotonic()
        first, next_one = (FIRST_BAR, NEXT_BAR) if self._on_terminal else (FIRST_LINE, NEXT_LINE)
        if self._next is None:
            self._next = self._began + first
        if now >= self._next:
            self._next = now + next_one
            self._show(now - self._began)

    def clear(self) -> None:
        """Take the bar away, until the next one is drawn."""
        if self._is_shown:
            redraw("")
            self._is_shown = False

    def line(self, seconds: float) -> str:
        """Return the progress line after so many seconds."""
        rate = self.done / seconds
        of = f" of {self.total:,}" if self.total is not None else ""
        left = f", {_duration((self.total - self.done) / rate)} left" if self.total is not None and rate else ""
        return f"{self.done:,}{of} {self.what}, {_rate(rate)}{left}"

    def _show(self, seconds: float) -> None:
        if not self._on_terminal:
            say(f"numbat: {self.line(seconds)}")
            return
        bar = ""
        if self.total:
            full = min(WIDTH, WIDTH * self.done // self.total)
            bar = f"[{'#' * full}{'-' * (WIDTH - full)}] "
        redraw(f"{bar}{self.line(seconds)}")
        self._is_shown = True

    def write(self, text: str, painted: bool = False) -> None:
        """Print a piece of the result."""
        self.clear()
        write_out(text, end="", painted=painted)

    def answer(self, form: str, answer: Answer, **documents: Callable[[], str]) -> None:
        """Print an answer as `write_in_form` does."""
        self.clear()
        write_in_form(form, answer, **documents)

    def put(self, path: str | None, text: str) -> None:
        """Write a file, or print its text where none is named."""
        self.clear()
        write_or_print(path, text)

    def save(self, path: str, text: str) -> None:
        """Write a file, and say so."""
        self.clear()
        write_and_say(path, text)

    def begin(self, what: str, total: int | None = None) -> None:
        """Begin to work on something, in the plural."""
        self.clear()
        self.what, self.total, self.done = what, total, 0
        self._began, self._next = monotonic(), None

    def before(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield what is to be printed, and take the bar away before."""
        for piece in pieces:
            self.clear()
            yield piece

    def say(self, text: str) -> None:
        """Print a note."""
        self.clear()
        say(text)

    def tell(self, text: str) -> None:
        """Print a text on standard error, even where notes are switched off."""
        self.clear()
        tell(text)

    def complain(self, error: NumbatError) -> None:
        """Print the error of one of the inputs."""
        self.clear()
        complain_of_one(error)

    def over(self, executor: Executor, runs: int = 1) -> Executor:
        """Return the executor, with what it has done told; `runs` of the same length are told as one.

        After these, another run begins anew.
        """

        def told(
            job: Job[Step, Value], inputs: Iterator[Step | DataError], total: int | None = None
        ) -> Iterator[Record[Value]]:
            if total is not None and (self.total is None or self.done >= self.total):
                self.total, self.done = total * runs, 0
                self._began, self._next = monotonic(), None
            try:
                began = monotonic()
                for record in executor(job, inputs, total):
                    spend(self.what, monotonic() - began)
                    yield record
                    self.advance()
                    began = monotonic()
            finally:
                self.clear()

        return told


def _rate(each_second: float) -> str:
    return f"{each_second:,.0f} a second" if each_second >= 10 else f"{60 * each_second:,.0f} a minute"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
