"""Writing grammars: checks, what they let through, tables and pages of them, new projects.

Begin with `checking`, which checks a grammar with the suites and exercises beside it. `permissiveness` measures what
sentences cost that were made worse on purpose, `project` begins a folder with a grammar and a suite. `verbs` is what
the command line calls, `report` shows it.
"""

__all__ = ["checking", "permissiveness", "project", "report", "verbs"]
