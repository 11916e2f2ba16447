"""The verbs as typed functions that return records, for the command line, a notebook and the page alike.

Begin with `settings`, the records of what may be asked for, and `parsing`, which makes parsers, sentences, suites and
scorers of them. The others follow the verbs: `suites`, `classes`, `ratings`, `design`, `fitting`, `grammars`,
`treebanks`, `languages` and `language_making` (folders made of treebanks), `learn`, `sequences`; `parts` joins the
outputs of several runs, `rerun` makes a published report again. Text for people is written by `numbat/report/`.
"""

__all__ = [
    "classes",
    "design",
    "fitting",
    "grammars",
    "language_making",
    "languages",
    "learn",
    "parsing",
    "parts",
    "ratings",
    "rerun",
    "sequences",
    "settings",
    "suites",
    "treebanks",
]
