"""Experiments with people: sentences and lists, results and ratings, and the comparison of theories with them.

Begin with `materials`: items by conditions, lists and orders; `pcibex` exports them as an experiment. `contrasts` lists
the differences of pairs and conditions under the grammar, `power` estimates the people and items needed. `raw_results`
reads the results of laboratories, with `ibex_results` and `result_tables`; `result_answers` turns answers into trials,
`personal_columns` finds what stays private, `exclusions` applies rules of exclusion; `trials` has the result, `suites`
makes a suite of it. `interactions` compares conditions and `interaction_verdicts` a model's interactions with people's;
`theories` compares theories of gradience; `mixed_models` reads what R fitted. The command line calls `verbs` and
`ratings`; `interactions_report` shows designs, `tidy_tables` exports them to R, `publication` writes a folder to
publish, and `rerun` makes it again from its record.
"""

__all__ = [
    "contrasts",
    "interactions",
    "materials",
    "mixed_models",
    "pcibex",
    "power",
    "publication",
    "ratings",
    "raw_results",
    "rerun",
    "suites",
    "theories",
    "tidy_tables",
    "trials",
    "verbs",
]
