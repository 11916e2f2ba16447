"""Costs of a run over many sentences: with one process, two, two runs at the same time, a cluster on this machine.

    python -m tests.bench.corpora SENTENCES [-g GRAMMAR] [--rounds 3] [--only "jobs 1" ...]

SENTENCES is a file with one sentence per line. The ways take turns, round after round, so that other load on the
machine affects all of them; the table has the median over the rounds. CPU seconds are those of all processes of a run.
Start-up is the time of a run over the first sentence alone. Memory is the proportional set size (Linux): the largest
sum over all processes of a run that was observed, and that of the largest process.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Final

LOOK_SECONDS: Final = 0.5
"""Seconds between two measurements of memory."""
MEBIBYTE: Final = 2**20
WAYS: Final = {
    "jobs 1": ("--jobs", "1"),
    "jobs 2": ("--jobs", "2"),
    "two halves at once, jobs 1": (),
    "cluster local, 2 workers": ("--cluster", "local", "--jobs", "2"),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Costs of a run: seconds, CPU seconds, MiB of all processes and of the largest one, bytes written."""

    seconds: float
    cpu: float
    memory: float
    largest: float
    written: int


def run(commands: Sequence[Sequence[str]], outputs: Sequence[Path]) -> Cost:
    """The cost of commands that run at the same time."""
    before, began = os.times(), monotonic()
    running = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for command in commands]
    most = largest = 0.0
    while any(process.poll() is None for process in running):
        sizes = [size for process in running for size in memory_below(process.pid)]
        most, largest = max(most, sum(sizes)), max(largest, *sizes, 0.0)
        wake = monotonic() + LOOK_SECONDS
        while monotonic() < wake and any(process.poll() is None for process in running):
            sleep(0.01)
    seconds, after = monotonic() - began, os.times()
    for process, command in zip(running, commands, strict=True):
        assert process.returncode in (0, 75), shlex.join(command)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(seconds, cpu, most, largest, sum(path.stat().st_size for path in outputs))


def memory_below(pid: int) -> list[float]:
    """Return the MiB of a process and its children; shared pages are divided among them."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        threads = os.listdir(f"/proc/{pid}/task")
        for thread in threads:
            if thread != str(pid):
                children += Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has just ended, or this is not Linux
        return []
    own = sum(float(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))
    return [own, *(size for child in children for size in memory_below(int(child)))]


def parse(grammar: str, sentences: Path, output: Path, options: Sequence[str]) -> list[str]:
    command = [sys.executable, "-m", "numbat", "parse", "-q", "-g", grammar, "-f", "jsonl"]
    return [*command, "-i", str(sentences), "-o", str(output), *options]


def cost_of(way: str, grammar: str, sentences: Path, folder: Path) -> Cost:
    """The cost of one way over all sentences."""
    if way != "two halves at once, jobs 1":
        output = folder / "out"
        return run([parse(grammar, sentences, output, WAYS[way])], [output])
    lines = sentences.read_bytes().splitlines(keepends=True)
    commands, outputs = [], []
    for number in (0, 1):
        # every second sentence, because the two should end at the same time
        half, output = folder / f"half{number}", folder / f"out{number}"
        half.write_bytes(b"".join(lines[number::2]))
        commands.append(parse(grammar, half, output, ("--jobs", "1")))
        outputs.append(output)
    return run(commands, outputs)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a run over many sentences costs.")
    parser.add_argument("sentences", type=Path)
    parser.add_argument("-g", "--grammar", default="english")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=WAYS, default=list(WAYS))
    options = parser.parse_args()
    content = options.sentences.read_bytes().splitlines(keepends=True)
    number = sum(1 for line in content if line.strip() and not line.startswith(b"#"))
    costs: dict[str, list[Cost]] = {way: [] for way in options.only}
    starts: dict[str, list[Cost]] = {way: [] for way in options.only}
    with TemporaryDirectory() as name:
        folder = Path(name)
        first = folder / "first"
        first.write_bytes(content[0])
        for turn in range(options.rounds):
            ways = options.only if turn % 2 == 0 else options.only[::-1]
            for way in ways:
                if way != "two halves at once, jobs 1":
                    starts[way].append(cost_of(way, options.grammar, first, folder))
                costs[way].append(cost_of(way, options.grammar, options.sentences, folder))
                print(f"round {turn + 1}, {way}: {costs[way][-1]}", file=sys.stderr, flush=True)
    print(f"{number:,} sentences, grammar {options.grammar}, median of {options.rounds}")
    names = ("way", "sentences a second", "CPU s", "CPU ms a sentence", "start-up s", "MiB in all", "MiB a process")
    print(f"| {' | '.join((*names, 'bytes a record'))} |\n{'|---' * (len(names) + 1)}|")
    for way, every in costs.items():
        seconds, cpu = median(each.seconds for each in every), median(each.cpu for each in every)
        start = f"{median(each.seconds for each in starts[way]):.1f}" if starts[way] else ""
        memory = max(each.memory for each in every), max(each.largest for each in every)
        row = (
            f"{number / seconds:.2f}", f"{cpu:.0f}", f"{1000 * cpu / number:.1f}", start,
            f"{memory[0]:.0f}", f"{memory[1]:.0f}", f"{every[0].written / number:,.0f}",
        )  # fmt: skip
        print(f"| {way} | {' | '.join(row)} |")
    if "two halves at once, jobs 1" in costs and "jobs 2" in costs:
        for way in ("jobs 2", "cluster local, 2 workers"):
            other = "two halves at once, jobs 1" if way == "jobs 2" else "jobs 2"
            if way in costs:
                ratios = [b.seconds / a.seconds for a, b in zip(costs[way], costs[other], strict=True)]
                print(f"rate of {way} over that of {other}: {median(ratios):.3f}, each round {ratios}")
    if "jobs 1" in costs and "jobs 2" in costs:
        ratios = [b.cpu / a.cpu for a, b in zip(costs["jobs 1"], costs["jobs 2"], strict=True)]
        print(f"CPU of jobs 2 over that of jobs 1: {median(ratios):.3f}")


if __name__ == "__main__":
    main()
