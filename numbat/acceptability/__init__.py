"""How acceptable a sentence is, by the properties that its parse satisfies and violates.

Begin with `models`: they score a parse and explain the score (`scores` has the records). `suite` has the records of
judged and rated sentences, `suite_files` reads them (tables by `suite_cells` and `suite_tables`, SyntaxGym by
`suite_regions`, numbered examples by `suite_examples`). `runs` parses and scores the items, by the `scorers` that
`settings` ask for; `verdicts` says whether a grammar judges each as people do, `summary` how scores go together with
ratings, with `covariates` beyond length. `comparison` compares grammars, `attribution` says which edit changed what,
`ablation` leaves parts of a grammar out, `coverage` counts what a suite tests. `fitting` learns a model of `terms`
from ratings, `fitted` fits it to a suite. `repair` finds `edits` that better a score. `generate` makes sentences, also
by `minimal_pairs` and `random_phrases`. `exercises` are tasks marked by a suite, `mistakes` what is wrong in them,
with hints, `classes` the marks of many students. `verbs` and `sentences` (single ones and drawn trees) are what the
command line calls; `reasons`, `suite_report`, `displays` (notebooks) and `pipelines` (continuous integration) show it.
"""

__all__ = [
    "ablation",
    "attribution",
    "classes",
    "comparison",
    "covariates",
    "coverage",
    "exercises",
    "fitted",
    "fitting",
    "generate",
    "mistakes",
    "models",
    "pipelines",
    "random_phrases",
    "reasons",
    "runs",
    "scorers",
    "scores",
    "sentences",
    "settings",
    "suite",
    "suite_cells",
    "suite_files",
    "suite_report",
    "suite_tables",
    "summary",
    "terms",
    "verbs",
    "verdicts",
]
