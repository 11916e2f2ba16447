"""What people look at: parses, grammars, scores and suites as text, tables, pages, drawings, LaTeX and JSON.

Functions here take records and return text; they read and print nothing. `parse_formats` writes parses, `svg` draws
them, `latex` sets them; `reasons_text` and `reasons_json` answer for single sentences; `suite_text`, `suite_page` and
`suite_tables` report on suites, `verdict_text` on tests of a grammar, `comparison_text` and `compare_page` on changes;
`grammar_text` and `browse` show grammars, `treebank_text` and `score_text` trees and their scores, `curves` how
something grows with something else; `run_notes` are remarks on the sentences of a run, `run_text` is
its record; `learning` shows what was learned, `pages` has what all pages share.
"""

__all__ = [
    "comparison",
    "curves",
    "decoding",
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
