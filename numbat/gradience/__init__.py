"""How acceptable a sentence is, by the properties that its parse satisfies and violates.

`models` make a score of a parse and tell what it is due to; begin there, with `models.score`. `suites` are sentences
that people have judged or rated: their files, statistics of scores against judgements, regression tests, comparisons of
grammars. `fitting` learns a model from a rated suite, `repair` finds small changes that better a score, `generate`
makes sentences that are well formed or violate one property, `exercises` are tasks whose solutions a suite marks. What
is here works on parses and scores; the runs over many sentences are in `numbat/runs/`.
"""

__all__ = [
    "comparison",
    "exercises",
    "fitting",
    "generate",
    "models",
    "random_phrases",
    "repair",
    "statistics",
    "suite",
    "suite_files",
    "suite_tables",
    "summary",
    "terms",
    "verdicts",
]
