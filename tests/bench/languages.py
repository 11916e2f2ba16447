"""Languages made from UD treebanks, compared with UDPipe 1: `python -m tests.bench.languages -o FOLDER`.

For each treebank in `NUMBAT_DATA`/ud, makes a language by `numbat induce` and a model of UDPipe, unless they are in
FOLDER (see `tests/bench/peers/udpipe.py` for its installation; without it the peer has no rows), parses dev, and scores
it by `numbat score`: with gold tags (words and UPOS; UDPipe sees FEATS and XPOS too), from the raw text of each
sentence, and from running text, in which sentences must be found. If a treebank has no train, four fifths of dev are
used to learn and one fifth to score. `--languages FOLDER` names existing languages, `--again` parses again, `--only
NAME` chooses treebanks, `--alone` leaves out the peer, `-f json` prints all scores.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from numbat.treebanks.conllu import DependencyTree, format_conllu, read_conllu
from numbat.treebanks.running_text import text_of

DATA: Final = Path(os.environ.get("NUMBAT_DATA") or Path(__file__).parents[3] / "shared" / "data") / "ud"
FIFTH: Final = 5
LONGEST_LINE: Final = 10_000
COLUMNS: Final = ("Tokens", "Words", "Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")
WAYS: Final = {"gold": "gold tags", "lines": "raw sentences", "text": "running text"}


@dataclass(frozen=True)
class Treebank:
    """A treebank of UD with its files; without train it is divided. `code` is its language."""

    name: str
    code: str
    dev: str
    train: str = ""


TREEBANKS: Final = (
    Treebank("English-EWT", "en", "en_ewt-ud-dev", "en_ewt-ud-train"),
    Treebank("French-Sequoia", "fr", "fr_sequoia-ud-dev", "fr_sequoia-ud-train"),
    Treebank("Portuguese-Bosque", "pt", "pt_bosque-ud-dev", "pt_bosque-ud-train"),
    Treebank("Turkish-IMST", "tr", "tr_imst-ud-dev", "tr_imst-ud-train"),
    Treebank("Dutch-LassySmall", "nl", "nl_lassysmall-ud-dev", "nl_lassysmall-ud-train-2017"),
    Treebank("German-GSD", "de", "de_gsd-ud-dev"),
    Treebank("Bulgarian-BTB", "bg", "bg_btb-ud-dev"),
    Treebank("Chinese-GSD", "zh", "zh_gsd-ud-dev"),
)


@dataclass(frozen=True)
class Parts:
    """The files of a treebank, in a separate folder."""

    bank: Treebank
    folder: Path

    @property
    def train(self) -> Path:
        return self.folder / "train.conllu"

    @property
    def dev(self) -> Path:
        return self.folder / "dev.conllu"

    def text(self, way: str) -> Path:
        """The raw text: a sentence a line, or running text, a paragraph a line."""
        return self.folder / f"{way}.txt"


def main() -> None:
    options = arguments()
    rows: list[dict[str, Any]] = []
    for bank in TREEBANKS:
        if options.only and bank.name not in options.only:
            continue
        if not (DATA / f"UD_{bank.name}").is_dir():
            print(f"{bank.name}: not in {DATA}", file=sys.stderr)
            continue
        parts = written(bank, options.output / bank.name)
        found = [*of_numbat(parts, options), *(() if options.alone else of_udpipe(parts, options))]
        rows += found
        if options.format == "table":
            print("\n".join(table(found)), flush=True)
    if options.format == "json":
        print(json.dumps(rows, indent=1))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--languages", type=Path, help="a folder with languages by the names of the treebanks")
    parser.add_argument("--only", action="append", choices=[bank.name for bank in TREEBANKS])
    parser.add_argument("--without", choices=["weights"], help="as `numbat induce` has it")
    parser.add_argument("--again", action="store_true", help="parse again what was parsed")
    parser.add_argument("--udpipe-python", default=sys.executable, help="a Python that has ufal.udpipe")
    parser.add_argument("--alone", action="store_true", help="without the peer")
    parser.add_argument("-f", "--format", choices=["table", "json"], default="table")
    return parser.parse_args()


def written(bank: Treebank, folder: Path) -> Parts:
    """Write the files of a treebank: train, dev, and the raw text of dev."""
    parts = Parts(bank, folder)
    folder.mkdir(parents=True, exist_ok=True)
    dev = trees(bank, bank.dev)
    train = trees(bank, bank.train) if bank.train else dev[: len(dev) - len(dev) // FIFTH]
    dev = dev if bank.train else dev[len(train) :]
    for path, sentences in ((parts.train, train), (parts.dev, dev)):
        path.write_text("".join(map(format_conllu, sentences)), encoding="utf-8")
    parts.text("lines").write_text("".join(f"{text_of(tree)}\n" for tree in dev), encoding="utf-8")
    parts.text("text").write_text("\n\n".join(paragraphs(dev)) + "\n", encoding="utf-8")
    return parts


def trees(bank: Treebank, name: str) -> list[DependencyTree]:
    """Return the sentences that can be read; `numbat induce` reports the others."""
    with (DATA / f"UD_{bank.name}" / f"{name}.conllu").open(encoding="utf-8") as lines:
        return [tree for tree in read_conllu(lines, name) if isinstance(tree, DependencyTree)]


def paragraphs(sentences: Sequence[DependencyTree]) -> Iterator[str]:
    """Yield running text: paragraphs as the treebank marks them, divided where they are longer than a page."""
    text = ""
    for tree in sentences:
        begins = any(re.match(r"#\s*new(par|doc)\b", line) for line in tree.comments)
        if text and (begins or len(text) > LONGEST_LINE):
            yield text
            text = ""
        text += (" " if text else "") + text_of(tree)
    if text:
        yield text


def of_numbat(parts: Parts, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the scores of a language."""
    given = options.languages / parts.bank.name if options.languages else None
    folder = given if given is not None and given.is_dir() else parts.folder / "language"
    numbat = (sys.executable, "-m", "numbat")
    seconds = None
    if not (folder / "README.md").is_file():
        without = ("--without", options.without) if options.without else ()
        seconds = timed(
            [*numbat, "induce", str(parts.train), "-o", f"{folder}/", *without], parts.folder / "language.log"
        )
    learned = (folder / "sentences.model").is_file()
    inputs = {
        "gold": ("--from", "conllu", "-i", str(parts.dev)),
        "lines": ("-i", str(parts.text("lines"))),
        "text": ("-i", str(parts.text("text")), "--split", *(() if learned else (parts.bank.code,))),
    }
    size = sum(path.stat().st_size for path in folder.iterdir())
    for way, given_by in inputs.items():
        out = parts.folder / f"language-{way}.conllu"
        command = [*numbat, "parse", "-g", str(folder), *given_by, "-f", "conllu", "-o", str(out)]
        yield scored(parts, "numbat", way, out, command, options, (seconds, size))


def of_udpipe(parts: Parts, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the scores of UDPipe; nothing if it is not installed."""
    model = parts.folder / "model.udpipe"
    udpipe = (options.udpipe_python, "-m", "tests.bench.peers.udpipe")
    seconds = None
    if not model.is_file():
        seconds = timed([*udpipe, "train", str(parts.train), str(model)], parts.folder / "udpipe.log")
        if not model.is_file():
            print((parts.folder / "udpipe.log").read_text(encoding="utf-8")[-500:], file=sys.stderr)
            return
    for way in WAYS:
        out = parts.folder / f"udpipe-{way}.conllu"
        source = parts.dev if way == "gold" else parts.text(way)
        command = [*udpipe, way, str(model), str(source), str(out)]
        yield scored(parts, "UDPipe 1", way, out, command, options, (seconds, model.stat().st_size))


def timed(command: Sequence[str], log: Path) -> float:
    """Run a command, its output to a file, and return the CPU seconds of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with log.open("w", encoding="utf-8") as out:
        subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def scored(
    parts: Parts,
    parser: str,
    way: str,
    out: Path,
    command: Sequence[str],
    options: argparse.Namespace,
    made: tuple[float | None, int],
) -> dict[str, Any]:
    """Parse unless it was done already, and return the scores with the costs of the model."""
    seconds = None
    if options.again or not out.is_file():
        seconds = timed(command, out.with_suffix(".log"))
    score = [sys.executable, "-m", "numbat", "score", str(parts.dev), str(out), "-f", "json"]
    found = subprocess.run(score, capture_output=True, text=True, check=False)
    scores = json.loads(found.stdout) if found.returncode == 0 else {"error": found.stderr.strip()}
    named = {name: scores.get(name) for name in ("dependencies", "intervals", "error") if name in scores}
    kept = {"treebank": parts.bank.name, "parser": parser, "way": way, "train_seconds": made[0], "bytes": made[1]}
    return {**kept, "parse_seconds": seconds, **named}


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Return rows of a table in Markdown."""
    yield f"| treebank, parser, input | CPU min | MB | CPU s of parsing | {' | '.join(COLUMNS)} | LAS, 95 % |"
    yield "|---|" + "---|" * (len(COLUMNS) + 4)
    for row in rows:
        found = row.get("dependencies") or {}
        train = "" if row["train_seconds"] is None else f"{row['train_seconds'] / 60:.1f}"
        parse = "" if row["parse_seconds"] is None else f"{row['parse_seconds']:.0f}"
        cells = [f"{row['treebank']}, {row['parser']}, {WAYS[row['way']]}", train, f"{row['bytes'] / 1e6:.1f}", parse]
        cells += [f"{100 * found[name.lower()]['f1']:.2f}" if name.lower() in found else "" for name in COLUMNS]
        near = (row.get("intervals") or {}).get("las")
        cells.append(f"{100 * near[0]:.1f}-{100 * near[1]:.1f}" if near else row.get("error", ""))
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
