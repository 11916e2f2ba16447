"""The program: results on standard output, everything else on standard error; exit codes; shell completion."""

from __future__ import annotations

import gc
import os
import signal
import sys
from errno import EBADF, ENOENT
from io import StringIO
from typing import Final

import click

from numbat import native
from numbat.cli.options import VerbGroup, verb
from numbat.cli.printing import PIPE_CLOSED, complain, drop, say, tell, write_out
from numbat.errors import NO_MEMORY, OUTPUT_FAILED, MissingFileError, NumbatError, is_checkout
from numbat.version import __version__

EXIT_CODES = """\b
Exit codes:
  0   done (a sentence with violations is not a failure)
  1   numbat test: the grammar does not judge as expected;
      numbat parse --strict: a sentence is not well-formed,
      or costs more than --threshold
  2   wrong usage
  65  bad data: a grammar or all sentences cannot be read
  66  a file is missing
  69  a library of an extra is missing
  71  the processes of a run end on any input
  73  a file cannot be written
  74  standard output cannot be written
  75  some sentences or trees cannot be read or were lost
  130 interrupted (Ctrl-C)
  141 the reader of a pipe has closed it
Results go to standard output, everything else to standard error."""


def _show_version(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value:
        write_out(f"numbat {__version__} ({native.kernel(native.EXACT_SEARCH).state} kernel)")
        for kernel in native.kernels():
            write_out(f"  {kernel.work}: {kernel.state}" + (f", {kernel.reason}" if kernel.reason else ""))
        context.exit()


@click.group(
    cls=VerbGroup, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and the compiled modules, and exit.",
)
def cli() -> None:
    """Numbat parses any sentence, well-formed or not, with a Property Grammar, and shows which properties it satisfies
    and violates."""


def main() -> None:
    """Run the command line; errors become messages and exit codes, a closed pipe ends silently.

    `numbat.__main__` handles interrupts, which may also come while modules are loaded. The garbage collector is off
    until a verb begins (`options.verb`): it would only slow the start.
    """
    gc.disable()
    _open_streams()
    native.on_fallback(_tell_of_fallback)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        cli(prog_name="numbat", standalone_mode=False)
        if not sys.stdout.closed:  # a language server closes it
            sys.stdout.flush()
    except click.ClickException as error:
        _show(error)
        _tell_of_quotes(error)
        sys.exit(error.exit_code)
    except click.Abort:
        raise KeyboardInterrupt from None
    except NumbatError as error:
        complain(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        drop(sys.stdout)
        sys.exit(PIPE_CLOSED)
    except MemoryError:
        drop(sys.stdout)
        complain(NumbatError("not enough memory\n  give less input at once, or fewer --jobs"))
        sys.exit(NO_MEMORY)
    except OSError as error:
        drop(sys.stdout)
        failed = _failed(error)
        complain(failed)
        sys.exit(OUTPUT_FAILED if type(failed) is NumbatError else failed.exit_code)


def _show(error: click.ClickException) -> None:
    """Print the error in the arguments, with the usage of the verb."""
    text = StringIO()
    error.show(text)
    tell(text.getvalue(), end="")


def _tell_of_quotes(error: click.ClickException) -> None:
    """Suggest quotes if the words of a sentence are separate arguments."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    params = context.command.params if context is not None else []
    takes = {param.name for param in params if isinstance(param, click.Argument)}
    if "extra argument" in error.format_message() and takes & {"sentence", "one", "trees"}:
        kind = "tree" if "trees" in takes else "sentence of several words"
        tell(f"Put a {kind} in quotes.")


def _tell_of_fallback(kernel: native.Kernel) -> None:
    """Report what is slower without a compiled module, and how to build it."""
    problem = f"{kernel.work} runs in Python, {kernel.slower}: the compiled module is {kernel.reason}"
    install = (
        "pip install -e . in the folder of Numbat"
        if is_checkout()
        else f"pip install --force-reinstall --no-deps --no-binary numbat-pg numbat-pg=={__version__}"
    )
    say(f"numbat: {problem}\n  build it with a C compiler: {install}; NUMBAT_KERNEL=python ends this message")


def _open_streams() -> None:
    """Replace missing standard streams: input is empty, standard error is discarded, missing output is an error."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        complain(_failed(OSError(EBADF, "it is closed")))
        sys.exit(OUTPUT_FAILED)


def _failed(error: OSError) -> NumbatError:
    """Return a message for a system error that no command expects."""
    if error.filename is None and error.errno == ENOENT:  # the current folder was asked for
        return MissingFileError("the current folder no longer exists\n  change to another one: cd")
    if error.filename is not None:
        return NumbatError(f"{error.filename}: {error.strerror}\n  check the disk and the permissions of the folder")
    return NumbatError(
        f"standard output cannot be written: {error.strerror}\n  free some space, or redirect the output"
    )


# completion

SHELLS: Final = ("bash", "zsh", "fish")
VARIABLE: Final = "_NUMBAT_COMPLETE"
"""Environment variable with which a shell's script asks the program to complete a line."""


@verb(
    "completion",
    "numbat completion bash > numbat.bash",
    "numbat completion zsh > _numbat",
    "numbat completion fish > numbat.fish",
)
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes commands, options, packaged grammars, models and files in SHELL (bash, zsh or
    fish). Source it in ~/.bashrc, put it into a folder of zsh's fpath, or into ~/.config/fish/completions.
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    assert script is not None, "click has all of them"
    program = click.get_current_context().find_root().command
    writer = script(program, {}, "numbat", VARIABLE)
    write_out(writer.source_template % writer.source_vars())
