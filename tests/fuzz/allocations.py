"""`python -m tests.fuzz.allocations MODULE MOST`: failing memory allocations of a compiled module.

First the allocations of the module during some parses are counted; then the parses are repeated, and each time another
allocation fails, up to MOST. A parse must succeed or end in MemoryError, and the next one must succeed. A preloaded
library, made by the C compiler, counts only the allocations of the module.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

SOURCE: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
static long asked, failing = -1;
static char module[64];
static void *(*next_malloc)(size_t), *(*next_realloc)(void *, size_t), *(*next_calloc)(size_t, size_t);
static char first[65536];
static size_t first_used;
void fail_at(const char *name, long number) { strncpy(module, name, 63); asked = 0; failing = number; }
long times_asked(void) { return asked; }
static int fails(void *caller) {
    Dl_info info;
    if (!module[0] || !dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, module)) return 0;
    return ++asked == failing;
}
static void *none(void) { errno = ENOMEM; return NULL; }
void *malloc(size_t size) {
    if (!next_malloc) next_malloc = dlsym(RTLD_NEXT, "malloc");
    return fails(__builtin_return_address(0)) ? none() : next_malloc(size);
}
void *realloc(void *old, size_t size) {
    if (!next_realloc) next_realloc = dlsym(RTLD_NEXT, "realloc");
    return fails(__builtin_return_address(0)) ? none() : next_realloc(old, size);
}
void *calloc(size_t number, size_t size) {
    static int looking;
    if (!next_calloc) {
        if (looking) {  /* dlsym itself asks */
            void *found = first + first_used;
            first_used += (number * size + 15) / 16 * 16;
            return first_used > sizeof first ? NULL : found;
        }
        looking = 1;
        next_calloc = dlsym(RTLD_NEXT, "calloc");
    }
    return fails(__builtin_return_address(0)) ? none() : next_calloc(number, size);
}
"""


def run(module: str, most: int) -> str:
    """Run in a process with the library loaded; return its output. Raises CalledProcessError if it crashes."""
    compiler = shutil.which("cc")
    assert compiler is not None
    with TemporaryDirectory() as name:
        source, library = Path(name) / "failing.c", Path(name) / "failing.so"
        source.write_text(SOURCE, encoding="utf-8")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        environment = os.environ | {"LD_PRELOAD": str(library), "NUMBAT_CACHE": "off"}
        command = [sys.executable, "-m", "tests.fuzz.allocations", module, str(most), "here"]
        return subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout


def _tried(module: str, most: int) -> tuple[int, int, int]:
    """Return the numbers of failed allocations, of parses that ended in MemoryError, and of parses."""
    from tests.fuzz.compiled import COMPILED

    library: Any = ctypes.CDLL(None)
    library.times_asked.restype = ctypes.c_long
    kind = next(each for each in COMPILED if each.name == module)
    failed = refused = parses = 0

    def parse(seed: int, number: int) -> object:
        library.fail_at(f"{module}.".encode(), ctypes.c_long(number))
        try:
            return repr(kind.read(Random(seed), Path()))
        finally:
            library.fail_at(b"", ctypes.c_long(-1))

    for seed in range(1_000):
        _forget()
        library.fail_at(f"{module}.".encode(), ctypes.c_long(-1))
        expected = repr(kind.read(Random(seed), Path()))
        asked = library.times_asked()
        for number in range(1, asked + 1):
            if failed >= most * (seed + 1) / 4 or failed >= most:
                break
            _forget()
            failed, parses = failed + 1, parses + 1
            try:
                found = parse(seed, number)
            except MemoryError:
                refused += 1
            else:
                assert found == expected, (seed, number)
            assert parse(seed, -1) == expected, (seed, number)
        if failed >= most:
            break
    return failed, refused, parses


def _forget() -> None:
    """Forget parsers, so that their tables are allocated again."""
    from tests.fuzz import compiled

    for each in (compiled._parser, compiled._treebank_parser, compiled._weights):
        each.cache_clear()


if __name__ == "__main__":
    if len(sys.argv) > 3:
        print(*_tried(sys.argv[1], int(sys.argv[2])))
    else:
        print(run(sys.argv[1], int(sys.argv[2])))
