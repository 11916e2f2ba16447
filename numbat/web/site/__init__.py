"""The page that runs wholly in the browser, with Python and Numbat in it: what `numbat site` writes.

`parts` makes of Pyodide and of the Numbat that runs here what a page needs of both, packed: `prepare.mjs` and
`in_pyodide` do that under Node.js. `beginning` is what the page shows before Python has started, `licences` what
it tells of its parts. `pages` puts parts,
beginning and the files of `numbat.web.page` together, as a folder or as one file.
"""

__all__ = ["pages"]
