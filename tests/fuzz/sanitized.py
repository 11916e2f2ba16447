"""`python -m tests.fuzz.sanitized N`: N parses by each compiled module under the address and undefined-behaviour
sanitizers of GCC.

The project is copied into another folder and built there, so that nothing changes here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = ("numbat", "tests", "grammars", "corpora", "models")
FILES: Final = ("setup.py", "pyproject.toml", "README.md", "LICENSE")
"""Files that are copied."""
FLAGS: Final = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g"


def build(folder: Path) -> None:
    """Copy the project and build its compiled modules with the sanitizers."""
    left_out = shutil.ignore_patterns("*.so", "__pycache__", "*.o")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=left_out)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    environment = os.environ | {"CFLAGS": FLAGS, "LDFLAGS": FLAGS}
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, env=environment, check=True)


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a process whose modules are built with sanitizers, while Python is not."""
    found = [
        subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    return os.environ | {
        "LD_PRELOAD": " ".join(found),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(folder),
        "NUMBAT_CACHE": "off",
        "NUMBAT_KERNEL": "compiled",
    }


def main() -> int:
    number = sys.argv[1] if len(sys.argv) > 1 else "100"
    with TemporaryDirectory() as name:
        folder = Path(name)
        build(folder)
        loaded = [sys.executable, "-c", "import numbat.parsing.exact._search as it; print(it.__file__)"]
        told = subprocess.run(loaded, cwd=folder, env=environment(folder), capture_output=True, text=True, check=True)
        if not told.stdout.startswith(name):
            raise SystemExit(f"{told.stdout.strip()}: this is not what was built\n  unset PYTHONSAFEPATH")
        command = [
            sys.executable,
            "-m",
            "tests.fuzz",
            "--compiled",
            str(6 * int(number)),
            "--any-memory",
            *sys.argv[2:],
        ]
        return subprocess.run(command, cwd=folder, env=environment(folder), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
