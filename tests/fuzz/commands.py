"""Whole commands: any verb with any options, on valid and invalid files."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from random import Random
from typing import Final

import click

from numbat.cli.main import cli, main
from tests.fuzz import valid
from tests.fuzz.mutating import mutated
from tests.fuzz.runner import Kind, Made, innermost
from tests.fuzz.treebank_texts import treebank

LEFT_OUT: Final = frozenset({"bench", "learn structure", "learn weights", "serve"})
"""Verbs that are slow with any input, start processes, or wait until they are stopped."""
NOT_ASKED: Final = frozenset({"watch", "cluster", "jobs", "help", "kill_after", "max_memory", "resume", "shard"})
"""Options that wait for something, start processes or speak of earlier runs."""
EXIT_CODES: Final = frozenset({0, 1, 2, 65, 66, 69, 73, 75})
OUT_OF_MEMORY: Final = 71
"""Exit code for an input without an end, such as `/dev/full`."""
MADE: Final = {
    "g.pg": valid.grammar,
    "g.yaml": valid.yaml,
    "words.tsv": valid.lexicon,
    "trees.txt": treebank,
    "suite.tsv": valid.suite,
    "sentences.txt": valid.sentences,
    "s.jsonl": valid.sequences,
}
NAMES: Final = (*MADE, "english", "anbn", "-", "none", "", "/dev/null", "/dev/full", ".", "out.txt")
TEXTS: Final = (
    "",
    "S",
    "NP:0-2",
    "0-2:NP",
    "linearity",
    "a,b",
    "1",
    "-1",
    "0.5",
    "nan",
    "1e308",
    "9" * 400,
    "\u202e",
    "*",
)
NUMBERS: Final = ("0", "1", "2", "3", "-1", "0.5", "nan", "inf", "1e308", "9" * 30, "x", "")


@cache
def verbs() -> tuple[tuple[tuple[str, ...], click.Command], ...]:
    """Every verb with its names, those below another verb too."""
    context = click.Context(cli)
    found: list[tuple[tuple[str, ...], click.Command]] = []
    waiting: list[tuple[tuple[str, ...], click.Command]] = []
    for name in sorted(cli.list_commands(context)):
        command = cli.get_command(context, name)
        assert command is not None
        waiting.append(((name,), command))
    while waiting:
        names, command = waiting.pop()
        if isinstance(command, click.Group):
            waiting += [((*names, name), inner) for name, inner in command.commands.items()]
        elif " ".join(names) not in LEFT_OUT:
            found.append((names, command))
    return tuple(sorted(found, key=lambda each: each[0]))


def arguments(rng: Random) -> list[str]:
    """A command line."""
    names, command = rng.choice(verbs())
    words: list[str] = [*names]
    options = {param.name for param in command.params}
    for name, value in (("max_seconds", "1"), ("seconds", "1")):
        if name in options:
            words += [f"--{name.replace('_', '-')}", value]
    if "jobs" in options:
        words += ["--jobs", "1"]
    for param in command.params:
        words += _given(rng, param)
    return [word.replace("\0", "0") for word in words]


def _given(rng: Random, param: click.Parameter) -> Iterator[str]:
    if param.name in NOT_ASKED or param.name in ("max_seconds", "seconds"):
        return
    if isinstance(param, click.Argument):
        yield _value(rng, param)
        if param.nargs == -1 and rng.random() < 0.3:
            yield _value(rng, param)
    elif isinstance(param, click.Option) and (param.required or rng.random() < 0.2):
        yield rng.choice(param.opts)
        if not param.is_flag and not param.count:
            for _ in range(max(1, param.nargs)):
                yield _value(rng, param)


def _value(rng: Random, param: click.Parameter) -> str:
    if isinstance(param.type, click.Choice) and rng.random() < 0.9:
        return str(rng.choice(list(param.type.choices)))
    if param.type in (click.INT, click.FLOAT) or isinstance(param.type, click.IntRange | click.FloatRange):
        return rng.choice(NUMBERS)
    if param.name in ("output", "html", "table", "state"):
        return rng.choice(("out.txt", "out.txt", "/dev/null", "/dev/full", "none/out"))
    named = _fitting(param.name or "")
    if named and rng.random() < 0.8:
        return rng.choice(named)
    way = rng.random()
    if way < 0.45:
        return rng.choice(NAMES)
    if way < 0.85:
        return rng.choice((valid.sentence, valid.tagged, valid.drawn))(rng)
    return rng.choice(TEXTS)


def _fitting(name: str) -> tuple[str, ...]:
    """The files that fit an argument or an option of that name."""
    if "grammar" in name:
        return ("g.pg", "g.yaml", "english", "anbn")
    if any(part in name for part in ("suite", "rating")):
        return ("suite.tsv",)
    if any(part in name for part in ("tree", "gold", "predicted", "treebank")):
        return ("trees.txt",)
    if "input" in name or name == "sentences":
        return ("sentences.txt", "trees.txt", "suite.tsv")
    return ()


def _make(rng: Random, folder: Path) -> Made:
    os.chdir(folder)
    for old in folder.iterdir():
        if old.is_file():
            old.unlink()
    made: Made = "valid"
    for name, make in MADE.items():
        content = make(rng)
        if rng.random() < 0.3:
            content, made = mutated(rng, content), "mutated"
        (folder / name).write_bytes(content)
    return made


def _run(rng: Random, folder: Path) -> object:
    """Run a command in this process. Raises AssertionError for a traceback, or an end without a message."""
    words = arguments(rng)
    kept = sys.argv, sys.stdin, sys.stdout, sys.stderr
    code: object = 0
    with ExitStack() as stack:
        given = stack.enter_context((folder / "sentences.txt").open("rb"))
        out, err = (stack.enter_context(Path(folder, name).open("wb")) for name in (".out", ".err"))
        sys.argv = ["numbat", *words]
        sys.stdin, sys.stdout, sys.stderr = TextIOWrapper(given), TextIOWrapper(out), TextIOWrapper(err)
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        except Exception as error:
            raise AssertionError(f"numbat {words}: {type(error).__name__}: {error} at {innermost()}") from None
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            sys.argv, sys.stdin, sys.stdout, sys.stderr = kept
            gc.enable()  # a command switches it off, because it expects a separate process
            gc.collect()
    told = (folder / ".err").read_text("utf-8", "replace")
    is_told = code in (0, None, 1) or told.strip() or (folder / ".out").stat().st_size  # as of `check -f github`
    is_known = code is None or code in EXIT_CODES or (code == OUT_OF_MEMORY and "/dev/full" in words)
    if not is_known or "Traceback" in told or not is_told:
        raise AssertionError(f"numbat {words}: exit code {code}: {told[-300:]}")
    return code


# As in everyday use, where each command has its own process: one that runs hundreds of them uses all memory.
COMMANDS: Final = Kind("command", _make, _run, seconds=12.0, places=False, batch=100)
