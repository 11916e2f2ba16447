"""The parts of the build that pyproject.toml cannot say: the compiled kernels, and data from beside the package.

Numbat works without the kernels, only slower: they are left out where there is no C compiler, and in a build with
`NUMBAT_PURE=1` in the environment, which makes a wheel for every system (`py3-none-any`).
"""

import os
import re
from collections.abc import Iterator
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

AUTOMATA = "numbat/automata"
EXACT = "numbat/parsing/exact"
TREEBANK = "numbat/parsing/treebank_grammar"
KERNELS = {
    "numbat.parsing.exact._search": (
        *(f"{AUTOMATA}/{part}.c" for part in ("_automata", "_features", "_shapes", "_weighted")),
        *(f"{EXACT}/{part}.c" for part in ("_module", "_search", "_moves", "_dominance", "_choice")),
    ),
    "numbat.parsing.treebank_grammar._tabular": (
        *(f"{TREEBANK}/{part}.c" for part in ("_module", "_chart", "_outside", "_forest")),
    ),
    "numbat.parsing.tree_model._tree_model": ("numbat/parsing/tree_model/_tree_model.c",),
    "numbat.structure._valence": ("numbat/structure/_valence.c",),
    "numbat.labels._kernels": ("numbat/labels/_kernels.c",),
    "numbat.labels._relaxation": ("numbat/labels/_relaxation.c",),
}
"""The sources of each compiled module."""
DATA_FOLDERS = ("grammars", "corpora", "exercises")
"""Folders beside the package whose files are inside it in a wheel."""
NATIVE = "numbat/native.py"
"""States the interface of the compiled modules; read as text, for the package cannot be imported before it is built."""
(INTERFACE,) = re.findall(r"^INTERFACE: Final = (\d+)$", Path(NATIVE).read_text(encoding="utf-8"), re.MULTILINE)
DEBUGGING = [] if "-g" in os.environ.get("CFLAGS", "").split() else ["-g0"]
"""What debuggers read is three quarters of a compiled module, and there only if asked for."""
PURE = os.environ.get("NUMBAT_PURE", "0") not in ("", "0")


class BuildWithData(build_py):
    """Copies the data folders into the package of a wheel; an editable install reads them where they are."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for target, source in self._data():
                self.mkpath(os.path.dirname(target))
                self.copy_file(source, target, preserve_mode=False)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), *(target for target, _ in self._data())]

    def get_output_mapping(self) -> dict[str, str]:
        return {**super().get_output_mapping(), **dict(self._data())}

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *(source for _, source in self._data())]

    def _data(self) -> Iterator[tuple[str, str]]:
        """Each data file: its place in the package that is built, and its place in this folder."""
        for source in sorted(path for folder in DATA_FOLDERS for path in Path(folder).rglob("*")):
            if source.is_file() and not source.name.startswith("."):
                yield os.path.join(self.build_lib, "numbat", str(source)), str(source)


def extension(name: str, sources: tuple[str, ...]) -> Extension:
    """A compiled module that every CPython from 3.11 on can load, and that is left out where there is no compiler."""
    return Extension(
        name,
        list(sources),
        include_dirs=[AUTOMATA],
        depends=[NATIVE, *glob("numbat/**/*.h", recursive=True)],
        define_macros=[("Py_LIMITED_API", "0x030B0000"), ("INTERFACE", INTERFACE)],
        py_limited_api=True,
        optional=True,
        extra_compile_args=["-O3", "-fno-tree-slp-vectorize", "-fvisibility=hidden", *DEBUGGING],
    )


def description() -> str:
    """README.md for a package index, where no file lies beside it: without pictures, and links are their words."""
    text = Path("README.md").read_text(encoding="utf-8")
    text = re.sub(r"^!\[[^]]*\]\([^)]*\)\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\[([^][]*)\]\((?![a-z]+://)[^)]*\)", r"\1", text)


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    cmdclass={"build_py": BuildWithData},
    ext_modules=[] if PURE else [extension(name, sources) for name, sources in KERNELS.items()],
    options={} if PURE else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
