"""The report room: parses, grammars and suites as people look at them, in terminal, browser, LaTeX and tables."""

__all__ = [
    "browse",
    "compare_page",
    "comparison_text",
    "grammar_text",
    "latex",
    "parse_formats",
    "reasons_json",
    "reasons_text",
    "regression_text",
    "run_notes",
    "score_text",
    "suite_page",
    "suite_tables",
    "suite_text",
    "svg",
    "timing_text",
    "treebank_text",
]
