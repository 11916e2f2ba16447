"""How acceptable a sentence is, by the properties that its parse satisfies and violates.

Begin with `models`: they score a parse and explain the score. `suite` has the records of judged and rated sentences,
`suite_files` reads them: tables by `suite_cells` and `suite_tables`, SyntaxGym by `suite_regions`, numbered examples by
`suite_examples`. `trials` are ratings of an experiment by participants: `raw_results` reads them, by `ibex_results` and
`result_tables` (`result_answers` makes trials of both, `personal_columns` says what stays private), and `exclusions`
leaves some out by rules. `verdicts` tests a grammar on suites, `summary` and `comparison` compare scores with
judgements; `interactions` has conditions, interactions and formulas, `covariates` what
is said beyond length. `fitting` learns a model of `terms` from ratings, `repair` finds `edits` that better a score,
`theories` compares theories of gradience. Before people are asked `materials` makes lists of sentences, `contrasts`
says what pairs and conditions differ in, `power` how many people it takes. `generate` makes sentences, also by
`minimal_pairs` and `random_phrases`; `exercises` are tasks marked by a suite, `mistakes` what is
wrong in them, with hints, `classes` the marks of many students. What is here works on parses and scores;
runs over many sentences are in `numbat/runs/`.
"""

__all__ = [
    "attribution",
    "classes",
    "comparison",
    "contrasts",
    "covariates",
    "exclusions",
    "exercises",
    "fitting",
    "generate",
    "interactions",
    "materials",
    "minimal_pairs",
    "mistakes",
    "models",
    "power",
    "random_phrases",
    "raw_results",
    "repair",
    "result_answers",
    "result_tables",
    "suite",
    "suite_cells",
    "suite_examples",
    "suite_files",
    "suite_regions",
    "suite_tables",
    "summary",
    "terms",
    "theories",
    "trials",
    "verdicts",
]
