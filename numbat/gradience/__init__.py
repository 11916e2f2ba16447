"""How acceptable a sentence is, by the properties that its parse satisfies and violates.

Begin with `models`: they score a parse and explain the score. `suite` has the records of judged and rated sentences,
`suite_files` reads them: tables by `suite_cells` and `suite_tables`, SyntaxGym by `suite_regions`, numbered examples by
`suite_examples`. `verdicts` tests a grammar on them, `summary` and `comparison` compare scores with judgements, with
intervals by `statistics`. `fitting` learns a model of `terms` from ratings, `repair` finds `edits` that better a score,
`theories` compares theories of gradience. Before people are asked `materials` makes lists of sentences, `contrasts`
says what pairs and conditions differ in, `power` how many people it takes. `generate` makes sentences, also by
`minimal_pairs` and `random_phrases`; `exercises` are tasks marked by a suite. What is here works on parses and scores;
runs over many sentences are in `numbat/runs/`.
"""

__all__ = [
    "attribution",
    "comparison",
    "contrasts",
    "exercises",
    "fitting",
    "generate",
    "materials",
    "minimal_pairs",
    "models",
    "power",
    "random_phrases",
    "repair",
    "statistics",
    "suite",
    "suite_cells",
    "suite_examples",
    "suite_files",
    "suite_regions",
    "suite_tables",
    "summary",
    "terms",
    "theories",
    "verdicts",
]
