"""Sentences that people have judged or rated, and what a grammar makes of them.

Begin with `suite`, the records. `files` reads suites (tables by `columns`, `cells` and `rows`; marks before sentences
by `judgement_marks`). `scored_items` are items with their parses and scores: `summary` compares these with people's
judgements by the `statistics`, `regression` tells whether a grammar judges as people do and as it did before,
`comparison` sets two grammars side by side.
"""

__all__ = [
    "comparison",
    "files",
    "judgement_marks",
    "regression",
    "scored_items",
    "statistics",
    "suite",
    "summary",
]
