"""`python -m tests.fuzz.guided KIND CORPUS ...`: coverage-guided fuzzing with inputs of a kind.

`tests.fuzz.nightly` runs this; it needs the extra `fuzz`, and takes the options of libFuzzer. The first input that
fails ends the process.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import atheris

with atheris.instrument_imports(include=["numbat"]):
    from tests.fuzz.__main__ import KINDS
    from tests.fuzz.runner import Kind, outcome_of


def main() -> None:
    """Let libFuzzer make inputs, until its time is up."""
    kind = KINDS[sys.argv[1]]
    with TemporaryDirectory() as name:
        kind.prepare()
        kind.make(Random(f"{kind.name} 0"), Path(name))  # other files that it needs

        def run(content: bytes) -> None:
            def make(rng: Random, folder: Path) -> Any:
                (folder / kind.file).write_bytes(content)
                return "mutated"

            given = Kind(kind.name, make, kind.read, kind.seconds, kind.places, file=kind.file)
            if why := outcome_of(given, 0, Path(name))[1]:
                raise AssertionError(why)

        atheris.Setup([sys.argv[0], *sys.argv[2:]], run)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
