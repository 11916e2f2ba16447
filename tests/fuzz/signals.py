"""`python -m tests.fuzz.signals 50 [VERB ...]`: signals at random moments of long verbs, and what remains of the runs.

Each verb is run once undisturbed. Then it is started 50 more times, and gets a signal at a random moment: an interrupt,
or a stop followed by an interrupt; in a run with two processes, a worker or the parent may be killed. Afterwards no
process of the run is alive, there is no traceback, and a run that can be resumed ends with the same result as the
undisturbed one.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.noun_phrases import GRAMMAR

GOES_ON: Final = {"parse": (".part", ".journal", "-wal", "-shm"), "learn": (".tsv", ".state"), "induce": (".pg",)}
"""Suffixes of other files that a run may leave beside its output."""
ORPHANS: Final = 1.0
"""Seconds after which no process of a run is alive whose parent was killed."""
os.environ["SOURCE_DATE_EPOCH"] = "0"  # outputs have the date of their run
PARSE: Final = ("parse", "-g", "g.pg", "-i", "in.txt", "-f", "jsonl", "-o", "out", "--jobs")
VERBS: Final[dict[str, Sequence[str]]] = {
    "parse, 1 process": (*PARSE, "1"),
    "parse, 2 processes": (*PARSE, "2"),
    "parse into a store": ("parse", "-g", "g.pg", "-i", "in.txt", "-f", "store", "-o", "out", "--jobs", "2"),
    "test": ("test", "suite.tsv", "-g", "g.pg"),
    "report": ("report", "suite.tsv", "-g", "g.pg", "--html", "out"),
    "ablate": ("ablate", "suite.tsv", "-g", "g.pg"),
    "report by a folder": ("report", "suite.tsv", "-g", "g.pg", "--folder", "out"),
    "ablate by property": ("ablate", "suite.tsv", "-g", "g.pg", "--by", "property"),
    "theories": ("theories", "rated.tsv", "-g", "g.pg", "--folds", "3"),
    "learn costs": ("learn", "costs", "rated.tsv", "-g", "g.pg", "-o", "out.tsv"),
    "learn penalties": ("learn", "penalties", "gold.jsonl", "-g", "g.pg", "--epochs", "20", "-o", "out.tsv"),
    "learn structure": ("learn", "structure", "trees.mrg", "--from", "ptb", "-o", "out"),
    "learn weights": ("learn", "weights", "trees.mrg", "-g", "trees.pg", "--expansions", "trees.exp", "-o", "out"),
    "induce": ("induce", "trees.mrg", "-o", "out.pg"),
    "tag train": ("tag", "train", "tags.txt", "-o", "out"),
}
INPUTS: Final = frozenset(
    ("g.pg", "in.txt", "suite.tsv", "rated.tsv", "gold.jsonl", "trees.mrg", "trees.exp", "tags.txt")
)


def prepare(folder: Path, sentences: int = 600) -> None:
    """Write a grammar, sentences, suites of them, trees, labels and tags."""
    draw = random.Random(0)
    texts = [" ".join(draw.choices(["the", "cat", "odd"], k=draw.randint(1, 9))) for _ in range(sentences)]
    (folder / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    (folder / "in.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    rows = (f"{draw.choice(('good', 'bad'))}\t{text}\n" for text in dict.fromkeys(texts))
    (folder / "suite.tsv").write_text("judgement\tsentence\n" + "".join(rows), encoding="utf-8")
    rated = "".join(f"{draw.randint(1, 7)}\t{text}\n" for text in dict.fromkeys(texts))
    (folder / "rated.tsv").write_text(f"rating\tsentence\n{rated}", encoding="utf-8")
    tags = {"the": "Det", "cat": "N", "odd": "Adj"}
    tagged = [[(word, tags[word]) for word in text.split()] for text in texts]
    trees = (f"(S {' '.join(f'({tag} {word})' for word, tag in row)})\n" for row in tagged)
    (folder / "trees.mrg").write_text("".join(trees), encoding="utf-8")
    columns = ("".join(f"{word}\t{tag}\n" for word, tag in row) + "\n" for row in tagged)
    (folder / "tags.txt").write_text("".join(columns), encoding="utf-8")
    labelled = (
        {
            "id": f"{number}",
            "tokens": [word for word, _ in row],
            "labels": [dict.fromkeys(("Det", "N"), -1.0) for _ in row],
            "gold": [draw.choice(("Det", "N")) for _ in row],
        }
        for number, row in enumerate(tagged)
    )
    (folder / "gold.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in labelled), encoding="utf-8")


def started(folder: Path, verb: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a run in a new session."""
    command = [sys.executable, "-m", "numbat", *verb]
    errors = (folder / "errors").open("wb")
    with errors:
        return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True)


def processes_of(session: int) -> list[int]:
    """The processes of a session that are alive."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                fields = (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(each.name))
    return found


def interrupt(run: subprocess.Popen[bytes]) -> None:
    run.send_signal(signal.SIGINT)


def stop_and_interrupt(run: subprocess.Popen[bytes]) -> None:
    run.send_signal(signal.SIGSTOP)
    time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    run.send_signal(signal.SIGCONT)


def kill_worker(run: subprocess.Popen[bytes]) -> None:
    workers = [each for each in processes_of(run.pid) if each != run.pid]
    with suppress(ProcessLookupError):  # it has just ended
        for each in workers[:1]:
            os.kill(each, signal.SIGKILL)


def kill_parent(run: subprocess.Popen[bytes]) -> None:
    run.kill()


WAYS: Final[dict[str, Callable[[subprocess.Popen[bytes]], None]]] = {
    "interrupt": interrupt,
    "stop, then interrupt": stop_and_interrupt,
    "kill a worker": kill_worker,
    "kill the parent": kill_parent,
}


def left_alive(session: int, seconds: float = ORPHANS) -> list[int]:
    """Return the processes of a session that are still alive after some seconds."""
    end = time.monotonic() + seconds
    while (found := processes_of(session)) and time.monotonic() < end:
        time.sleep(0.01)
    return found


def clear(folder: Path) -> None:
    """Remove everything that a run left except its inputs."""
    for each in folder.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
        elif each.name not in INPUTS:
            each.unlink()


def wrong_with(
    folder: Path,
    verb: Sequence[str],
    way: str,
    moment: Callable[[subprocess.Popen[bytes]], None],
    whole: bytes | None,
    orphans: float = ORPHANS,
) -> str:
    """Return the faults of a run that gets a signal at a chosen moment; empty if there are none."""
    run = started(folder, verb)
    moment(run)
    WAYS[way](run)
    code = run.wait()
    alive = left_alive(run.pid, orphans)
    told = (folder / "errors").read_text(encoding="utf-8")
    wrong = f"alive: {alive}" if alive else "traceback" if "Traceback" in told else ""
    for each in alive:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
    left = {each.name for each in folder.iterdir()} - INPUTS - {"errors", "whole"}
    can_go_on = {"out", *(f"out{end}" for end in GOES_ON.get(verb[0], ()))}
    if not left <= can_go_on and code != -signal.SIGKILL:
        wrong = wrong or f"left: {sorted(left)}"
    if whole is not None and code != 0:
        again = subprocess.run(
            [sys.executable, "-m", "numbat", *verb, "--resume"], cwd=folder, capture_output=True, check=False
        )
        code = again.returncode
        wrong = wrong or (f"not resumed: {again.stderr!r}" if code else "")
    if whole is not None and not wrong and (folder / "out").read_bytes() != whole:
        wrong = "another output"
    if way == "kill a worker" and code not in (0, 1):
        wrong = wrong or f"exit code {code}: {told}"
    clear(folder)
    return wrong


def written(folder: Path, run: subprocess.Popen[bytes], size: float) -> None:
    """Wait until a run has written this number of bytes, or has ended."""
    part = folder / "out.part"
    while run.poll() is None and not (part.exists() and part.stat().st_size >= size):
        time.sleep(0.002)


def tried(
    folder: Path,
    verb: Sequence[str],
    way: str,
    number: int,
    seed: int = 0,
    orphans: float = ORPHANS,
    by_output: bool = False,
) -> Iterator[str]:
    """Return the failures of some runs; processes may survive for `orphans` seconds.

    A signal comes at a random time of a run, or with `by_output` when a share of its output is written.
    """
    began = time.monotonic()
    assert started(folder, verb).wait() in (0, 1), (folder / "errors").read_text(encoding="utf-8")
    took = time.monotonic() - began
    is_text = "jsonl" in verb
    whole = (folder / "out").read_bytes() if is_text else None
    clear(folder)
    draw = random.Random(seed)
    for _ in range(number):
        share = draw.random()
        if by_output and whole is not None:
            moment = partial(written, folder, size=share * len(whole))
        else:
            moment = partial(_after, seconds=share * took)
        yield wrong_with(folder, verb, way, moment, whole, orphans)


def _after(run: subprocess.Popen[bytes], seconds: float) -> None:
    time.sleep(seconds)


def main() -> int:
    """Try all verbs with all signals, and print a line for each."""
    number, only, failures = int(sys.argv[1]), sys.argv[2:], 0
    for name, verb in VERBS.items():
        if only and name not in only:
            continue
        for way in WAYS if "2" in verb else ("interrupt", "stop, then interrupt"):
            with TemporaryDirectory() as folder:
                prepare(Path(folder))
                for made, verb_of_it in (("trees.pg", "induce"), ("trees.exp", "expansions")):
                    if made in verb:
                        command = [sys.executable, "-m", "numbat", verb_of_it, "trees.mrg", "-o", made]
                        subprocess.run(command, cwd=folder, check=True, capture_output=True)
                wrong = [each for each in tried(Path(folder), verb, way, number) if each]
            failures += len(wrong)
            print(f"{name}\t{way}\t{number}\t{len(wrong)}\t{'; '.join(dict.fromkeys(wrong))[:300]}", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
