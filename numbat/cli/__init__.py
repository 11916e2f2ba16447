"""The command line: a module for each family of verbs, registered in `options.VERBS`; `main` runs them.

The options of a verb become one frozen record (`options.takes`). The verb calls functions of `numbat/commands/`, has
`numbat/report/` format the result, and prints it. A verb imports what it needs in its body, so that `numbat --help`
starts quickly. Nothing here is of use outside a terminal.
"""

__all__ = ["main"]
