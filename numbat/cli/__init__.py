"""The command line: a module for each family of verbs, which `verbs` registers; `main` runs them.

The options of a verb become one frozen record (`options.takes`). The verb calls functions of `numbat/commands/`, has
`numbat/report/` write what they return, and prints that. What a verb needs of other packages it imports in its body,
so that `numbat --help` starts quickly. Nothing here can be of use outside a terminal.
"""

__all__ = ["main"]
