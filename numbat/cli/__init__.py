"""The command line: a module for each family of verbs, registered in `options.VERBS`; `main` runs them.

Begin with `options`: `options.verb` makes a command of a function, whose parameters are filled from its options, and
which calls a function of a subject; `printing` prints the answer, and says what went wrong with an exit code. `parse`
has the verb of that name, `parsers` makes the parser that options ask for, `watching` parses again when a file is
saved. The other families are `grammars`, `suites`, `reasons`, `ratings`, `design`, `models`, `learn`, `treebanks`,
`corpora`, `sequences`, `workbench` and `installation`. A verb imports what it needs in its body, so that
`numbat --help` starts quickly. Nothing here is of use outside a terminal.
"""

__all__ = ["main", "options", "printing"]
