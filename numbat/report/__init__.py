"""Reports: parses, grammars, scores and suites as text, tables, pages, drawings, LaTeX and JSON.

Functions here take records and return text; they read and print nothing. A report's text, JSON and page are one file.
Begin with `parse_formats`, the output formats of a parse; `reasons` answers for single sentences, `suites` reports on
judged sentences, `comparison` on changes of a grammar, `grammars` and `treebanks` on those, `importance` and
`structure` on what was learned, `decoding` on labels, `curves` on growth; `dependencies` draws arcs,
`corpus` has the answers of a store. `run_notes` has
remarks and the run record, `pages` what all pages and drawings share.
"""

__all__ = [
    "comparison",
    "corpus",
    "curves",
    "decoding",
    "dependencies",
    "grammars",
    "importance",
    "pages",
    "parse_formats",
    "reasons",
    "run_notes",
    "structure",
    "suites",
    "treebanks",
]
