"""The page that runs in the browser alone, with Python and Numbat in it: what `numbat site` writes.

Begin with `pages`, which assembles it as a folder or as one file; `in_pyodide` compiles bytecode and reads grammars,
under Node.js (`prepare.mjs`).
"""

__all__ = ["pages"]
