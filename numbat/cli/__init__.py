"""The command line: a module for each family of verbs, registered in `options.VERBS`; `main` runs them.

Begin with `options`: `options.verb` makes a command of a function whose parameters are its options; `printing` prints
results, errors and progress. `parse` has the verb of that name, `parsers` makes the parser for the options, `watching`
parses again when a file is saved. The other families are `grammars`, `suites`, `reasons`, `ratings`, `design`,
`models`, `learn`, `treebanks`, `corpora`, `sequences`, `workbench` and `installation`. Verbs import what they need in
their bodies, so that `numbat --help` starts quickly.
"""

__all__ = ["main", "options", "printing"]
