"""The one part of the build that pyproject.toml cannot say: the compiled kernels, which may be missing."""

from glob import glob

from setuptools import Extension, setup

AUTOMATA = "numbat/automata"
EXACT = "numbat/parsing/exact"
KERNELS = {
    "numbat.parsing.exact._search": (
        *(f"{AUTOMATA}/{part}.c" for part in ("_automata", "_weighted")),
        *(f"{EXACT}/{part}.c" for part in ("_module", "_search", "_moves", "_dominance")),
    ),
    "numbat.parsing.treebank_grammar._tabular": ("numbat/parsing/treebank_grammar/_tabular.c",),
    "numbat.sequence._kernels": ("numbat/sequence/_kernels.c",),
}
"""The sources of each compiled module."""

setup(
    ext_modules=[
        Extension(
            name,
            list(sources),
            include_dirs=[AUTOMATA],
            depends=glob("numbat/**/*.h", recursive=True),
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
            extra_compile_args=["-O3", "-fno-tree-slp-vectorize", "-fvisibility=hidden"],
        )
        for name, sources in KERNELS.items()
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
