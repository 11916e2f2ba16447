"""The one part of the build that pyproject.toml cannot say: the compiled kernels, which may be missing."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            name,
            [source],
            depends=["numbat/parsing/_vector.h"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
            extra_compile_args=["-O2", "-ftree-vectorize"],
        )
        for name, source in (
            ("numbat.parsing._kernel", "numbat/parsing/_kernel.c"),
            ("numbat.parsing._tabular", "numbat/parsing/_tabular.c"),
            ("numbat.sequence._kernels", "numbat/sequence/_kernels.c"),
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
