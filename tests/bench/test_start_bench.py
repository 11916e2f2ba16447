"""The cold start of the command line against the imports that it cannot do without, in CPU time of child processes.

`python -m pytest tests/bench/test_start_bench.py -n0 -s`. Bytecode is kept in a folder of the bench, as an
installation has it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

RUNS = 12
COMMANDS = {
    "python": ("-c", "pass"),
    "imports": ("-c", "import click, yaml, lark"),
    "parse": ("-m", "numbat", "parse", "The cats sleeps."),
}


def seconds(arguments: tuple[str, ...], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_cold_start(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode"), "NUMBAT_CACHE": str(tmp_path / "kept")}
    for arguments in (*COMMANDS.values(), *COMMANDS.values()):
        seconds(arguments, environment)
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments, environment))
    medians = {name: median(found) for name, found in times.items()}
    print(", ".join(f"{name} {1000 * found:.0f} ms" for name, found in medians.items()))
    print(f"parse takes {medians['parse'] / medians['imports']:.2f} times the imports")
