"""`python -m tests.fuzz.nightly --minutes 480 --folder FOLDER`: hostile inputs for hours, counted and kept.

    python -m tests.fuzz.nightly --folder FOLDER --each 110000 --only grammars yamls    # so many of these groups

Half of the time goes to all kinds of inputs in turn, with seeds that continue where the last night stopped; the other
half is coverage-guided, if atheris is installed (the extra `fuzz`). Failing inputs are made smaller and kept as
`found/KIND-....bin`, with the failure in a file beside it. `counts.json` has the numbers of inputs of all nights.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Final

from tests.fuzz.__main__ import GROUPS
from tests.fuzz.runner import Failure, Kind, tried

AT_ONCE: Final = 1_000
"""Inputs of a kind before the next kind has its turn."""
MAX_TRIES: Final = 500
"""Smaller inputs that are tried to make one small."""
PATIENCE: Final = 100.0
"""Seconds for an input in fuzzing by coverage; other processes may slow it down, so failures are timed again by CPU."""
GUIDED_SECONDS: Final = 120
"""Seconds for a kind by coverage, before the next kind has its turn."""


def smaller(content: bytes, fails: Callable[[bytes], bool], most: int = MAX_TRIES) -> bytes:
    """Return a part of an input that still fails: halves, quarters and so on are left out, while that is so."""
    tries, size = 0, max(1, len(content) // 2)
    while size and tries < most:
        at = 0
        while at < len(content) and tries < most:
            tries += 1
            shorter = content[:at] + content[at + size :]
            if fails(shorter):
                content = shorter
            else:
                at += size
        size //= 2
    return content


def ends_badly(kind: Kind, content: bytes, seed: int = 0) -> str:
    """Return what goes wrong with a content of the file of a kind, empty if nothing."""
    with TemporaryDirectory() as name:

        def make(rng: Random, folder: Path) -> Any:
            kind.make(rng, folder)  # other files that it needs
            (folder / kind.file).write_bytes(content)
            return "mutated"

        given = Kind(kind.name, make, kind.read, kind.seconds, kind.places, kind.prepare, kind.file, 1)
        failures: list[Failure] = tried(given, 1, seed, told=lambda text: None).failures
        assert Path(name).is_dir()
    return re.sub(r"line \d+", "line", failures[0].why) if failures else ""


def keep(folder: Path, kind: Kind, content: bytes, why: str, seed: int = 0) -> Path:
    """Keep an input that ends badly, with why; one of each kind of end, made small if it takes no time."""
    alike = why.split(" ")[0]
    (folder / "found").mkdir(exist_ok=True)
    of_its_kind = re.sub(r"'.*?'|\".*?\"|\d+|\S*/", "", why)
    path = folder / "found" / f"{kind.name}-{sha256(of_its_kind.encode()).hexdigest()[:12]}.bin"
    if not path.exists():
        is_quick = bool(kind.file) and not why.startswith("more than")
        small = smaller(content, lambda each: ends_badly(kind, each, seed).startswith(alike)) if is_quick else content
        path.write_bytes(small)
        path.with_suffix(".txt").write_text(f"{kind.name} --seed {seed}: {why}\n", encoding="utf-8")
    return path


def by_seeds(kind: Kind, folder: Path, counts: dict[str, Any], number: int = AT_ONCE) -> None:
    """Try the next inputs of a kind."""
    own = counts.setdefault(kind.name, {"next": 1_000_000, "read": 0, "refused": 0, "badly": 0, "slowest": 0.0})
    tally = tried(kind, number, own["next"], told=lambda text: print(text, file=sys.stderr, flush=True))
    own["next"] += number
    own["slowest"] = max(own["slowest"], round(tally.slowest, 2))
    for outcome, times in tally.counts.items():
        own[outcome.split(" ")[1]] += times
    for failure in tally.failures:
        own["badly"] += 1
        with TemporaryDirectory() as name:
            kind.make(Random(f"{kind.name} {failure.seed}"), Path(name))
            content = (Path(name) / kind.file).read_bytes() if kind.file else b""
        keep(folder, kind, content, failure.why, failure.seed)


# By coverage: in a separate process, which ends at the first input that fails.


def by_coverage(kind: Kind, folder: Path, counts: dict[str, Any], seconds: int) -> None:
    """Try inputs of a kind that are changed by the lines that they reach; counts those that were run."""
    corpus = folder / "corpus" / kind.name
    corpus.mkdir(parents=True, exist_ok=True)
    if not any(corpus.iterdir()):
        for seed in range(50):
            with TemporaryDirectory() as name:
                kind.make(Random(f"{kind.name} {seed}"), Path(name))
                (corpus / f"made-{seed}").write_bytes((Path(name) / kind.file).read_bytes())
    limits = [f"-max_total_time={seconds}", "-rss_limit_mb=900", f"-timeout={int(PATIENCE)}", "-max_len=20000"]
    command = [sys.executable, "-m", "tests.fuzz.guided", kind.name]
    ran = subprocess.run(
        [*command, str(corpus), *limits, f"-artifact_prefix={folder}/"], stderr=subprocess.PIPE, check=False
    )
    told = ran.stderr.decode(errors="replace")
    own = counts.setdefault(f"{kind.name}, by coverage", {"tried": 0, "badly": 0})
    own["tried"] += max([0, *map(int, re.findall(r"^#(\d+)\s", told, re.MULTILINE))])
    for artifact in [*folder.glob("crash-*"), *folder.glob("timeout-*"), *folder.glob("oom-*")]:
        content = artifact.read_bytes()
        artifact.unlink()
        if why := ends_badly(kind, content):  # without other work, and without caches of the process
            own["badly"] += 1
            keep(folder, kind, content, why)


def main() -> int:
    """Try inputs for some minutes, or `each` of every group; exit code 1 if one ended badly."""
    os.environ["NUMBAT_CACHE"] = "off"
    options = _arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    file = options.folder / "counts.json"
    counts: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    end = monotonic() + 60 * options.minutes
    has_atheris = find_spec("atheris") is not None
    kinds = [(kind, -(-options.each // len(GROUPS[group]))) for group in options.only for kind in GROUPS[group]]
    while kinds and monotonic() < end:
        for kind, _ in kinds:
            if monotonic() >= end:
                break
            by_seeds(kind, options.folder, counts, min(AT_ONCE, 5 * kind.batch))
            if has_atheris and kind.file:
                seconds = max(5, min(GUIDED_SECONDS, int(60 * options.minutes / 4 / len(kinds))))
                by_coverage(kind, options.folder, counts, seconds)
            file.write_text(json.dumps(counts, indent=1) + "\n")
        kinds = [(kind, most) for kind, most in kinds if not most or _tried(counts[kind.name]) < most]
    badly = sum(own["badly"] for own in counts.values())
    print(f"{sum(map(_tried, counts.values())):,} inputs in all nights, {badly} ended badly")
    return int(badly > 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.nightly", description="Try hostile inputs for hours.")
    parser.add_argument("--minutes", type=float, default=480)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--each", type=int, default=0, help="end a group after so many inputs")
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=[*GROUPS], help="these groups alone")
    return parser.parse_args()


def _tried(own: dict[str, Any]) -> int:
    """Return the number of inputs of a kind, by the numbers of its outcomes."""
    return sum(int(own.get(outcome, 0)) for outcome in ("tried", "read", "refused"))


if __name__ == "__main__":
    sys.exit(main())
