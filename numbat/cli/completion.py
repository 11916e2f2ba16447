"""The verb completion: the script by which a shell completes a command line."""

from __future__ import annotations

from typing import Final

import click

from numbat.cli.options import takes
from numbat.cli.printing import write_out
from numbat.cli.verbs import verb
from numbat.records import frozen

SHELLS: Final = ("bash", "zsh", "fish")
VARIABLE: Final = "_NUMBAT_COMPLETE"
"""The variable of the environment by which the script of a shell asks the program to complete a line."""


@frozen
class CompletionOptions:
    """What `numbat completion` is asked for."""

    shell: str


@verb(
    "completion",
    "numbat completion bash > numbat.bash",
    "numbat completion zsh > _numbat",
    "numbat completion fish > numbat.fish",
)
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
@takes(CompletionOptions)
def completion(asked: CompletionOptions) -> None:
    """Print the script by which SHELL (bash, zsh or fish) completes verbs, options, packaged grammars, models and
    files. It is for the shell's start: source it in ~/.bashrc, put it into a folder of zsh's fpath, or into
    ~/.config/fish/completions.
    """
    from click.shell_completion import get_completion_class

    shell = get_completion_class(asked.shell)
    assert shell is not None, "click has all of them"
    program = click.get_current_context().find_root().command
    writer = shell(program, {}, "numbat", VARIABLE)
    write_out(writer.source_template % writer.source_vars())
