"""Completion in shells: the verb `completion`, and the values that are completed: packaged grammars, models, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import takes
from numbat.cli.printing import write_out
from numbat.cli.verbs import verb
from numbat.records import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.shell_completion import CompletionItem

SHELLS: Final = ("bash", "zsh", "fish")
SUFFIXES: Final = {"tagger": ".model", "expansions": ".exp", "weights": ".weights"}
"""Of files that are packaged beside the grammars, by what they are."""
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


def completed(kind: str, incomplete: str) -> list[CompletionItem]:
    """What may stand for a file that a verb reads: files, and the packaged names of its kind, `grammar` or `model`."""
    from click.shell_completion import CompletionItem

    names = [CompletionItem(name) for name in _packaged(kind) if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="file")]


def _packaged(kind: str) -> Iterator[str]:
    if kind == "grammar":
        from numbat.grammar.loading import packaged

        yield from packaged()
    if kind == "model":
        from numbat.gradience.models.scores import MODELS

        yield from MODELS
    if kind in SUFFIXES:
        from numbat.files import packaged_folder

        yield from sorted(path.stem for path in packaged_folder("grammars").glob(f"*{SUFFIXES[kind]}"))
