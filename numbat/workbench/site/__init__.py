"""The page that `numbat site` writes: it runs in the browser alone, with Python and Numbat in it.

Begin with `pages`, which assembles the page as a folder or as one file. `in_pyodide` runs in Pyodide under Node.js
(`prepare.mjs`); it compiles bytecode and caches grammars.
"""

__all__ = ["pages"]
