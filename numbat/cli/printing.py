"""Printing and ending, shared by all verbs: errors, output files, run records, progress, exit codes."""

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
from numbat.files import descriptor_of, read_in, write
from numbat.records import pattern
from numbat.settings import MOST_NUMBER, MOST_WHOLE

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
"""Options that do not change an output: a resumed run may have others."""
SENTENCES: Final = "sentences"
"""Name of the argument for sentences; `-` alone is standard input."""
GRAMMAR_GIVEN: Final = "--grammar"
"""The option that names the grammar of most verbs."""
INTERRUPTED: Final = 130
"""Exit code after an interrupt."""
NAMED: Final = 5
"""Maximum number of lost sentences that a message names."""
PIPE_CLOSED: Final = 141
"""Exit code when the reader of a pipe has closed it."""
ENDS: Final = pattern(r"(\r?\n|\t)")
"""Control characters that may go to a terminal."""
ENDS_AND_PAINT: Final = pattern(r"(\r?\n|\t|\x1b\[(?:0|2|31|33)m)")
"""Control characters that may go to a terminal with a tree, including those for its colours."""
TOLD: Final = 3
"""Number of errors of the same kind that are printed in full."""
WHICH: Final = pattern(r'"[^"]*"|\d+')
"""Parts of messages that may differ between errors of the same kind: quotations and numbers."""
COMPLAINTS: Final = "numbat.complaints"
"""Key in a context's `meta`: errors in the inputs of a verb, by kind."""
OUTPUTS: Final = "numbat.outputs"
"""Key in a context's `meta`: output files, with the options that name them."""
TALK: Final = "numbat.talk"
"""Key in a context's `meta`: how much the verb says, `quiet` for -q, `verbose` for -v."""
READ: Final = "numbat.read"
"""Key in a context's `meta`: files that the verb reads."""
STAGES: Final = "numbat.stages"
"""Key in a context's `meta`: seconds spent in each stage."""
GRAMMARS: Final = "numbat.grammars"
"""Key in a context's `meta`: grammars that the verb reads, by option or argument."""


def complain(error: NumbatError) -> None:
    """Print an error; if it has places, the line begins with the first place, so that terminals make it clickable."""
    placed = isinstance(error, DataError) and error.problems
    tell(str(error) if placed else f"numbat: {error}")


def complain_of_one(error: NumbatError) -> None:
    """Print an error in one of many inputs: the first few of each kind, or all with -v.

    One line counts the others when the verb ends.
    """
    context = click.get_current_context(silent=True)
    place, _, reason = str(error).partition("\n")[0].partition(": ")
    if context is None or not reason or talk() == "verbose":
        complain(error)
        return
    kinds: dict[str, _Alike] | None = context.meta.get(COMPLAINTS)
    if kinds is None:
        kinds = context.meta[COMPLAINTS] = {}
        context.call_on_close(partial(_tell_others, kinds.values()))
    alike = kinds.setdefault(WHICH.sub("…", reason), _Alike(place))
    alike.number += 1
    if alike.number <= TOLD:
        complain(error)
    elif len(alike.others) <= NAMED:
        alike.others.append(place)


@dataclass
class _Alike:
    """Errors of the same kind: the place of the first, the number of errors, and some places that are not printed."""

    first: str
    number: int = 0
    others: list[str] = field(default_factory=list)


def _tell_others(kinds: Iterable[_Alike]) -> None:
    for alike in kinds:
        if alike.others:
            others = counted(alike.number - TOLD, "other")
            tell(f"numbat: {others} like {alike.first}: {first_of(alike.others, NAMED)}")


def say(text: str, end: str = "\n") -> None:
    """Print a note on standard error, unless -q is given."""
    if talk() != "quiet":
        tell(text, end)


def tell(text: str, end: str = "\n") -> None:
    """Print an error or requested text on standard error; failures to write are ignored."""
    _say(_as_shown(text + end, sys.stderr))


def talk() -> str:
    """Return how much the running verb says: `quiet`, `verbose`, or empty for neither."""
    context = click.get_current_context(silent=True)
    return context.meta.get(TALK, "") if context is not None else ""


def set_talk(context: click.Context, param: click.Parameter, is_given: bool) -> None:
    """Keep -q or -v in the context. Raises UsageError if both are given."""
    if is_given and context.meta.setdefault(TALK, param.name) != param.name:
        raise UsageError("-q and -v exclude each other\n  leave one of them out")


def redraw(line: str) -> None:
    """Replace the last line drawn on the terminal of standard error; an empty line removes it."""
    _say(f"\r{visible(line)}\x1b[K")


def write_out(text: str, end: str = "\n", painted: bool = False) -> None:
    """Print a result on standard output; `painted` keeps the colours of a tree on a terminal."""
    click.echo(_as_shown(text + end, sys.stdout, ENDS_AND_PAINT if painted else ENDS), nl=False, color=True)


def write_in_form(form: str, answer: Answer, **documents: Callable[[], str]) -> None:
    """Print an answer as text, as JSON with the record of the run, or as one of `documents`: makers of whole files."""
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
    """Print UTF-8 blocks on standard output, unchanged unless it is a terminal."""
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


def _as_shown(text: str, stream: TextIO, kept: re.Pattern[str] = ENDS) -> str:
    """Return the text; for a terminal, without escape sequences and characters that change the writing direction."""
    if not is_terminal(stream):
        return text
    return "".join(piece if i % 2 else visible(piece) for i, piece in enumerate(kept.split(text)))


def write_or_print(path: str | None, text: str) -> None:
    """Write text to a file, or to standard output if `path` is None. Raises UnwritableError."""
    if path is None:
        write_out(text, end="")
    else:
        write(path, text)


def write_pieces(path: str | None, pieces: Iterable[str], painted: bool = False) -> int:
    """Print the parts of a text one by one, or write them to a file; return their number. Raises UnwritableError."""
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
    """Write a file and report it on standard error. Raises UnwritableError."""
    write(path, text)
    say(f"numbat: wrote {path}")


def width() -> int:
    """Return the width of the terminal in characters, 100 if there is none."""
    stated = os.environ.get("COLUMNS", "")  # as `shutil` does, which loads modules for archives
    if stated.isdecimal() and int(stated):
        return int(stated)
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 100  # type: ignore[union-attr]
    return 100


def is_terminal(stream: Any) -> bool:
    """True if a stream is a terminal."""
    return bool(stream.isatty())


WHEN_COLORED: Final = ("auto", "always", "never")
"""Values of `--color`."""


def is_colored(output: str | None, when: str = "auto") -> bool:
    """True if trees go to `output` (None: standard output) in colour.

    With `auto`, NO_COLOR and FORCE_COLOR decide for standard output, then whether it is a terminal.
    """
    if when != "auto" or output is not None or os.environ.get("NO_COLOR"):
        return when == "always"
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and is_terminal(sys.stdout))


def drop(stream: TextIO) -> None:
    """Discard what a standard stream has not flushed yet."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def record_of(grammars: Mapping[str, Grammar], suite: Suite | None = None, resamples: int | None = None) -> RunRecord:
    """Return the record of the running verb; `grammars` are keyed by the options or arguments that name them.

    Raises UsageError for an invalid date, and the errors of files.
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
        # a pipe can be read only once
        known = digest_of(path) if os.path.isfile(path) or os.path.isdir(path) else ""
        if path == "-" and suite is not None:
            known = digest_of_text(repr(suite.items))
        key = next(key for key in (name, *(f"{name} {number}" for number in range(2, 1000))) if key not in files)
        files[key] = FileDigest(name_of(path), known)
    left_out = {param.name for param, _ in inputs_of(context)} | NO_MATTER | {"seed"}
    options = {
        name_of_param(param): context.params.get(param.name or "")
        for param in context.command.params
        if param.name not in left_out and not isinstance(param.type, Output)
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
    """Return the names with this beginning, and a request to the shell to complete file names."""
    from click.shell_completion import CompletionItem

    return [
        *(CompletionItem(name) for name in names if name.startswith(incomplete)),
        CompletionItem(incomplete, type="file"),
    ]


def _packaged(kind: str) -> Iterable[str]:
    """Return the packaged names that `Input` accepts for a kind of file."""
    if kind == "grammar":
        from numbat.grammar.loading import packaged

        return packaged()
    if kind == "model":
        from numbat.acceptability.models import MODELS

        return MODELS
    from numbat.files import packaged_files

    suffix = {"tagger": ".model", "expansions": ".exp", "weights": ".weights", "preferences": ".preferences"}.get(kind)
    return [*dict.fromkeys(path.stem for path in packaged_files(suffix))] if suffix else ()


class Input(click.types.StringParamType):
    """A file that a verb reads; `-` is standard input if the verb accepts it.

    `kind` says which packaged names it accepts: `grammar`, `model`, `tagger`, `expansions`, `weights`,
    `preferences`.
    """

    name = "file"

    def __init__(self, kind: str = "") -> None:
        self._kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the files and the packaged names with this beginning."""
        return _completed(incomplete, _packaged(self._kind))


class Text(Input):
    """A file of sentences, trees or labels, whose encoding `--encoding` names."""


ENCODING: Final = "encoding"
"""Field of `--encoding`, an option of all verbs that read a `Text`; it is not in their records."""


class Whole(click.IntRange):
    """A range of whole numbers, up to `MOST_WHOLE` unless another maximum is given."""

    def __init__(self, least: int, most: int = MOST_WHOLE) -> None:
        super().__init__(least, most)


class Finite(click.FloatRange):
    """A range of numbers, of `MOST_NUMBER` in size at most unless other limits are given."""

    def __init__(self, least: float = -MOST_NUMBER, most: float = MOST_NUMBER, is_open: bool = False) -> None:
        super().__init__(least, most, min_open=is_open)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if number != number:  # NaN is in all ranges of click
            self.fail(f"{number} is not a number.", param, ctx)
        return number


MAX_SECONDS: Final = "seconds_of_all"
"""Field of `--max-seconds` for verbs without such an option; it is not in their records."""
UNLIMITED: Final = ("completion", "doctor", "lsp", "man", "new", "serve")
"""Verbs without a time limit; each request of a page or an editor has its own."""


class Output(click.types.StringParamType):
    """A file that a verb writes, or a folder; one that cannot be written is reported before the work begins.

    With `or_folder` it is a folder if the name ends with a slash or the folder exists. Two options may not name the
    same file.
    """

    def __init__(self, folder: bool = False, or_folder: bool = False) -> None:
        self.folder = folder
        self.or_folder = or_folder
        self.name = "directory" if folder else "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the files with this beginning."""
        return _completed(incomplete)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path. Raises UnwritableError, and UsageError for a file that another option names."""
        path = Path(value)
        if not self.folder and descriptor_of(value) is not None:
            return value
        try:
            is_folder = self.folder or (self.or_folder and (value.endswith(("/", os.sep)) or path.is_dir()))
            wrong = ENOENT if not value else _file_in_the_way(path) if is_folder else _no_file(path)
        except OSError as error:  # no permission for the folder, or the name is too long
            raise UnwritableError(value, error.strerror) from None
        if wrong:
            raise UnwritableError(value, os.strerror(wrong))
        if param is not None and ctx is not None and (os.path.isfile(value) or not os.path.exists(value)):
            _claim(ctx, param.opts[-1], value)
        return value


def keep_inputs(command: click.Command) -> None:
    """Make a verb check, before it begins, that it overwrites no input and reads standard input only once."""
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
        except BrokenPipeError:  # click would exit with another code
            drop(sys.stdout)
            sys.exit(PIPE_CLOSED)
        finally:
            IN_FULL.reset(named)
            if is_verbose:
                _tell_of_run(context, monotonic() - began)

    command.callback = careful


def inputs_of(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """Yield the files that the running verb reads, with the parameters that name them."""
    for param in context.command.params:
        value = context.params.get(param.name or "")
        if isinstance(param.type, Input):
            yield from ((param, path) for path in (value if isinstance(value, tuple) else (value,)) if path)


def _check_standard_input(context: click.Context) -> None:
    """Raise UsageError if standard input is named twice: the second reader would find it empty."""
    named = [name_of_param(param) for param, path in inputs_of(context) if path == "-"]
    if len(named) > 1:
        which = " and ".join(dict.fromkeys(named))
        raise UsageError(
            f'"-" is given {len(named)} times: {which}\n'
            "  standard input can be read only once: name files for the other inputs"
        )


def name_of_param(param: click.Parameter) -> str:
    """Return the name of a parameter as in the help."""
    return param.opts[-1] if isinstance(param, click.Option) else param.human_readable_name.strip("[].")


def _check_outputs(context: click.Context) -> None:
    keep_read(path for _, path in inputs_of(context))


def will_write(option: str, paths: Iterable[str]) -> None:
    """Register the files that an option makes a verb write. Raises UsageError for a file used twice."""
    context = click.get_current_context()
    for path in paths:
        _claim(context, option, path)
    _check_outputs(context)


def _claim(context: click.Context, option: str, path: str) -> None:
    outputs: dict[str, str] = context.meta.setdefault(OUTPUTS, {})
    other = outputs.setdefault(os.path.realpath(path), option)
    if other != option:
        raise UsageError(f"{other} and {option} name the same file: {path}\n  give each a different file")


def keep_read(paths: Iterable[str]) -> None:
    """Register files that the verb reads. Raises UsageError for a file that one of its options would overwrite."""
    context = click.get_current_context()
    outputs: dict[str, str] = context.meta.get(OUTPUTS, {})
    read: dict[str, None] = context.meta.setdefault(READ, {})
    for path in paths:
        read[path] = None
        option = outputs.get(os.path.realpath(path)) if outputs else None
        if option is not None and os.path.isfile(path):
            raise UsageError(f"{path} is an input, and {option} would overwrite it\n  give {option} another file")


def spend(stage: str, seconds: float) -> None:
    """Add seconds to a stage of the running verb, for -v."""
    context = click.get_current_context(silent=True)
    if context is not None:
        stages: dict[str, float] = context.meta.setdefault(STAGES, {})
        stages[stage] = stages.get(stage, 0.0) + seconds


def _tell_of_run(context: click.Context, seconds: float) -> None:
    """Print the files that the verb has read, with digests, and the seconds of its stages and of all."""
    from numbat.runs.record import digest_of

    for path in filter(os.path.isfile, context.meta.get(READ, ())):
        tell(f"numbat: read: {path}, {os.path.getsize(path):,} bytes, digest {digest_of(path)}")
    stages = {**context.meta.get(STAGES, {}), "all": seconds}
    tell(f"numbat: time: {', '.join(f'{name} {spent:.2f} s' for name, spent in stages.items())}")


def _no_file(path: Path) -> int:
    """Return the error number that writing the file would raise; 0 if no error can be foreseen."""
    if path.exists():
        return EISDIR if path.is_dir() else 0 if os.access(path, os.W_OK) else EACCES
    if not path.parent.exists():
        return ENOENT
    if not path.parent.is_dir():
        return ENOTDIR
    return 0 if os.access(path.parent, os.W_OK | os.X_OK) else EACCES


def _file_in_the_way(path: Path) -> int:
    """Return the error number that making the folder and its parents would raise; 0 if there is no error."""
    nearest = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
    if not nearest.is_dir():
        return ENOTDIR
    return 0 if os.access(nearest, os.W_OK | os.X_OK) else EACCES


def end(bad: int, good: int) -> None:
    """Exit with 75 if some inputs could be read (`good`) and some not (`bad`), with 65 if none could."""
    if bad:
        sys.exit(INCOMPLETE if good else DataError.exit_code)


def end_trees(reader: TreeReader, good: int | None = None) -> None:
    """Print the notes of the reader of trees, then end the run as `end` does; `good` overrides the reader's number."""
    reader.conclude(say, tell)
    end(reader.bad, reader.good if good is None else good)


def end_run(run: BatchRun[Any, Any], bad: int, good: int) -> None:
    """End a run as `end` does; an interrupted run says after how many inputs, and exits with 130."""
    if run.is_interrupted:
        done = f" after {good:,}; the output so far is complete" if good else ""
        tell(f"numbat: interrupted{done}")
        sys.exit(INTERRUPTED)
    end(bad, good)


# Progress: a bar with rate and remaining time on a terminal, elsewhere an occasional line

Step = TypeVar("Step", bound=Any)
Value = TypeVar("Value")

FIRST_BAR, NEXT_BAR = 1.0, 0.2
FIRST_LINE, NEXT_LINE = 30.0, 60.0
"""Seconds until the first message, and between messages: for a bar on a terminal, for lines elsewhere."""
WIDTH: Final = 24
"""Width of a bar, in characters."""


@dataclass
class Progress:
    """Reports progress on standard error unless `quiet`; `what` names the items in the plural.

    On a terminal the bar stays in one line; `clear` removes it before other output, as does the end of a `with` block.
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
        """Count one more item."""
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
        """Remove the bar until it is drawn again."""
        if self._is_shown:
            redraw("")
            self._is_shown = False

    def line(self, seconds: float) -> str:
        """Return the progress line for this number of seconds since the beginning."""
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
        """Print a part of the result."""
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
        """Write a file and report it."""
        self.clear()
        write_and_say(path, text)

    def begin(self, what: str, total: int | None = None) -> None:
        """Begin a new count of items, named in the plural."""
        self.clear()
        self.what, self.total, self.done = what, total, 0
        self._began, self._next = monotonic(), None

    def before(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield the parts of an output; remove the bar before each."""
        for piece in pieces:
            self.clear()
            yield piece

    def say(self, text: str) -> None:
        """Print a note."""
        self.clear()
        say(text)

    def tell(self, text: str) -> None:
        """Print text on standard error even with -q."""
        self.clear()
        tell(text)

    def complain(self, error: NumbatError) -> None:
        """Print the error of one of the inputs."""
        self.clear()
        complain_of_one(error)

    def over(self, executor: Executor, runs: int = 1) -> Executor:
        """Return an executor that reports progress; `runs` runs with equally many inputs are counted together."""

        def watched(
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

        return watched


def _rate(per_second: float) -> str:
    return f"{per_second:,.0f} a second" if per_second >= 10 else f"{60 * per_second:,.0f} a minute"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
