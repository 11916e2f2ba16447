"""`python -m tests.fuzz`: thousands of hostile inputs, each reproducible from its kind and a seed.

    python -m tests.fuzz --grammars 100000 --sentences 100000 --commands 10000
    python -m tests.fuzz --each 1000                    # 1000 of every kind
    python -m tests.fuzz --only yaml --seed 1234        # one input again, with its outcome
    python -m tests.fuzz.sanitized 50000                # parses under the sanitizers, by each compiled module

The exit code is 1 if an input leads to anything else than a result or a message.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from tests.fuzz.commands import COMMANDS
from tests.fuzz.compiled import COMPILED
from tests.fuzz.kinds import FILES, TABLES
from tests.fuzz.lines import lines_of
from tests.fuzz.models import KEPT, MODELS
from tests.fuzz.requests import REQUESTS
from tests.fuzz.runner import MAX_MEMORY, Kind, Tally, tried
from tests.fuzz.stores import QUERIES_OF_STORES, STORES
from tests.fuzz.tables import TABLES_OF_EXPERIMENTS

try:
    from tests.fuzz.editing import LSP
except ImportError:  # the extra `editor` is not installed
    LSP: tuple[Kind, ...] = ()  # type: ignore[no-redef]

GROUPS: Final[dict[str, Sequence[Kind]]] = {
    **{f"{kind.name}s": (kind,) for kind in FILES},
    "tables": (*TABLES_OF_EXPERIMENTS, *TABLES),
    "models": MODELS,
    "queries": QUERIES_OF_STORES,
    "stores": STORES,
    "requests": REQUESTS,
    "lsp": LSP,
    "kept": KEPT,
    "commands": (COMMANDS,),
    "compiled": COMPILED,
}
"""The kinds that one option counts together."""
KINDS: Final = {kind.name: kind for group in GROUPS.values() for kind in group}


def main() -> int:
    options = _arguments()
    os.environ["NUMBAT_CACHE"] = "off"
    if options.seed is not None:
        return _again(KINDS[options.only], options.seed)
    failures = 0
    print("kind\tinputs\tvalid, read\tvalid, refused\tchanged, read\tchanged, refused\tslowest (s)\tlines reached")
    for name, kinds in GROUPS.items():
        number = getattr(options, name) if getattr(options, name) is not None else options.each
        for kind in [each for each in kinds if number and options.only in (None, each.name)]:
            tally = tried(
                kind,
                -(-number // len(kinds)),
                options.first,
                options.traced,
                _complain,
                None if options.any_memory else MAX_MEMORY,
            )
            failures += len(tally.failures)
            print(_row(tally), flush=True)
    print(f"{failures} ended badly", file=sys.stderr)
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Try hostile inputs.")
    for name in GROUPS:
        parser.add_argument(f"--{name}", type=int, help=f"so many {name}")
    parser.add_argument("--each", type=int, default=0, help="number of other inputs")
    parser.add_argument("--only", choices=sorted(KINDS), help="this kind alone")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="one input of a kind again (with --only)")
    parser.add_argument("--traced", type=int, default=0, help="count the lines that the first so many of a kind reach")
    parser.add_argument("--any-memory", action="store_true", help="no limit of memory, as the sanitizers want it")
    return parser.parse_args()


def _complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _row(tally: Tally) -> str:
    outcomes = [f"{tally.share(f'{made} {end}'):.1%}" for made in ("valid", "mutated") for end in ("read", "refused")]
    return "\t".join((tally.kind, str(tally.inputs), *outcomes, f"{tally.slowest:.2f}", _reached(tally)))


def _reached(tally: Tally) -> str:
    """Return the number of function lines that were reached, of those in modules with at least one."""
    if not tally.lines:
        return "-"
    every = {file: lines_of(file) for file, _ in tally.lines}
    found = sum(line in every[file] for file, line in tally.lines)
    return f"{found:,} of {sum(map(len, every.values())):,}"


def _again(kind: Kind, seed: int) -> int:
    """Make an input once more, show it, and read it without any net."""
    kind.prepare()
    with TemporaryDirectory() as name:
        rng = Random(f"{kind.name} {seed}")
        print(kind.make(rng, Path(name)))
        for file in sorted(Path(name).iterdir()):
            print(f"{file.name}: {file.read_bytes()[:3_000]!r}")
        print(repr(kind.read(rng, Path(name)))[:2_000])
    return 0


if __name__ == "__main__":
    sys.exit(main())
