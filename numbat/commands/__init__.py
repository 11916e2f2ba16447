"""What each verb does, as typed functions that return records: what the command line, a notebook and a page call alike.

Begin with `settings`, what may be asked for, and `preparing`, which makes parsers, sentences, suites and scorers of it.
The others follow the verbs: `parsing`, `reasons` (explain, contrast, judge, why-not, repair), `suites`, `fitting`
and `importance`, `grammars`, `granularity`, `treebanks`, `tree_weights`, `tagging`, `pronunciations`, `proposals`,
`structure_parsing`; `parts` joins what several runs have written. Text for people is written by `numbat/report/`.
"""

__all__ = ["fitting", "grammars", "learn", "parsing", "parts", "sequences", "settings", "suites", "treebanks"]
