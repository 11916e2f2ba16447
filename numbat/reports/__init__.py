"""Reports: parses, grammars, scores and suites as text, tables, pages, drawings, LaTeX and JSON.

Functions here take records and return text; they read and print nothing. A report's text, JSON and page are one file.
Begin with `parse_formats`, the output formats of a parse; `reasons` answers for single sentences, `suites` reports on
judged sentences, `classes` on those of an exercise,
`interactions` on their conditions, `tidy_tables` writes tables of these, `publication` a folder,
`mixed_models` reads what R made of them, `comparison` reports on changes of a grammar, `ratings` on results of
experiments, `design` on the items and lists of one, `theories` on theories side by side and on power, `grammars` and
`treebanks` on those, `ranked_rules` on rules of these, `importance` and `structure` on what was learned, `decoding` on
labels, `curves` on growth;
`dependencies` draws arcs, `corpus` has the answers of a store, `pipelines` writes findings for continuous integration.
`run_notes` has remarks and the run record, `pages` what all pages and drawings share, `displays` what notebooks show.
"""

__all__ = [
    "answers",
    "classes",
    "comparison",
    "corpus",
    "curves",
    "decoding",
    "dependencies",
    "design",
    "displays",
    "grammars",
    "importance",
    "interactions",
    "languages",
    "mixed_models",
    "pages",
    "parse_formats",
    "pipelines",
    "publication",
    "ranked_rules",
    "ratings",
    "reasons",
    "run_notes",
    "structure",
    "suites",
    "theories",
    "tidy_tables",
    "treebanks",
]
