"""The one part of the build that pyproject.toml cannot say: the compiled kernels, which may be missing."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            name,
            [f"numbat/{source}" for source in sources],
            depends=[
                f"numbat/parsing/{header}"
                for header in ("_automata.h", "_dominance.h", "_map.h", "_moves.h", "_rows.h", "_search.h", "_vector.h")
            ],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
            extra_compile_args=["-O3", "-fno-tree-slp-vectorize", "-fvisibility=hidden"],
        )
        for name, *sources in (
            (
                "numbat.parsing._kernel",
                *(f"parsing/_{part}.c" for part in ("kernel", "search", "moves", "automata", "dominance")),
            ),
            ("numbat.parsing._tabular", "parsing/_tabular.c"),
            ("numbat.sequence._kernels", "sequence/_kernels.c"),
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
