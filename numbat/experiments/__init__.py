"""Experiments with people: their sentences before, their ratings after, and what theories make of these.

Begin with `materials`: items by conditions, lists and orders; `pcibex` writes an experiment of them. `contrasts` says
what pairs and conditions differ in by the grammar, `power` how many people and items it takes. `raw_results` reads
results of laboratories, by `ibex_results` and `result_tables`; `result_answers` makes trials of the answers,
`personal_columns` says what stays private, `exclusions` leaves some out by rules; `trials` has the result, of which
`suites` makes a suite. `interactions` compares conditions, `theories` theories of gradience; `mixed_models` reads what
R fitted. `verbs` and `ratings` are what the command line calls; `interactions_report` shows designs, `tidy_tables`
writes it for R, `publication` as a folder to publish, which `rerun` makes again from its record.
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
