"""Acceptability of sentences, by the properties that their parses satisfy and violate.

Begin with `models`: they score a parse and explain the score (`scores` has the records). `suite` has the records of
judged and rated sentences, `suite_files` reads them (tables with `suite_cells` and `suite_tables`, SyntaxGym with
`suite_regions`, numbered examples with `suite_examples`, profiles of DELPH-IN with `suite_profiles`). `runs` parses and
scores the items with the `scorers` that `settings` ask for; `verdicts` says whether a grammar judges each item as
people do, `summary` correlates scores with ratings, `covariates` controls for length. `comparison` compares grammars,
`attribution` finds the edit behind a change, `ablation` switches parts of a grammar off, `coverage` counts what a suite
tests, `examples` tests the examples that stand in a grammar. `fitting` learns a model of `terms` from ratings, `fitted`
fits it to a suite. `repair` finds `edits` that improve a score, first by the `remedies` of what is violated. `generate`
makes sentences, with `minimal_pairs` and `random_phrases`. `exercises` are tasks for students, marked by a suite;
`mistakes` says what is wrong in an answer; `classes` marks many students. The command line calls `verbs` and
`sentences` (single sentences and drawn trees); `reasons`, `suite_report`, `displays` (notebooks) and `pipelines`
(continuous integration) show results.
"""

__all__ = [
    "ablation",
    "attribution",
    "classes",
    "comparison",
    "covariates",
    "coverage",
    "examples",
    "exercises",
    "fitted",
    "fitting",
    "generate",
    "mistakes",
    "models",
    "pipelines",
    "random_phrases",
    "reasons",
    "repair",
    "runs",
    "scorers",
    "scores",
    "sentences",
    "settings",
    "suite",
    "suite_cells",
    "suite_files",
    "suite_profiles",
    "suite_report",
    "suite_tables",
    "summary",
    "terms",
    "verbs",
    "verdicts",
]
