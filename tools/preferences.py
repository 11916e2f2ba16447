"""Learns the packaged preferences of `english` and `french` again; they are due when a grammar has changed.

    python -m tools.preferences --english TREEBANK ... --french TREEBANK ... --free TREEBANK ...

models/README.md names the treebanks of `--english` and `--french`, whose preferences come with the models; `--free` has
the brackets of MASC, which are free of restrictions, for `english` in the wheel of the program. What was used is
printed: a line for each file with its digest.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
LEARNED: Final = {
    "english": ("english", ROOT / "models/numbat_pg_models/english.preferences", ()),
    "french": ("french", ROOT / "models/numbat_pg_models/french.preferences", ()),
    "free": ("english", ROOT / "grammars/english.preferences", ("--min-count", "10")),
}
"""For each option: the grammar, the file for its preferences, and options of learning: those in the wheel are few."""


def main() -> None:
    """Learn the preferences for which treebanks are given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in LEARNED:
        parser.add_argument(f"--{name}", type=Path, nargs="+", default=(), metavar="TREEBANK")
    given = parser.parse_args()
    for name, (grammar, output, options) in LEARNED.items():
        if not (treebanks := getattr(given, name)):
            continue
        for path in treebanks:
            print(f"{output.name}\t{path.name}\t{sha256(path.read_bytes()).hexdigest()[:16]}", flush=True)
        learn = (sys.executable, "-m", "numbat", "learn", "preferences", "-g", grammar, *options)
        subprocess.run([*learn, *map(str, treebanks), "-o", str(output)], check=True)


if __name__ == "__main__":
    main()
